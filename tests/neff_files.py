"""NEFF containers for tests, built from docs/isa/09 with struct, tarfile and gzip; nothing of the reader is used."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import struct
import tarfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.service.programs import COPY, ILLEGAL

ORDERING = b"\xb1\x10" + bytes(62)  # SET_ORDERING_MODE: record 0 of every stream known
LABEL = b"\xcc\x10" + bytes(62)  # PSEUDO_BRANCH_LABEL: record 1 on CAYMAN
SEED = b"\xd0\x10" + bytes(62)  # PSEUDO_SET_RNG_SEED
WAIT = b"\xa0\x10" + bytes(62)  # EVENT_SEMAPHORE
SOUND = ORDERING + LABEL + WAIT + COPY
TABLE = bytes(range(256)) * 4
Members = dict[str, bytes]


def document(content: Any) -> bytes:
    return json.dumps(content).encode()


def members(*streams: bytes, target: str | None = "cayman", name: str = "DVE.bin", instr: bool = True) -> Members:
    """The members of a container of some cores; `instr` False: the stream is named by the descriptor alone."""
    graphs = [{"definition": f"sg{n:02}/def.json", "name": f"sg{n:02}"} for n in range(len(streams))]
    kelf: dict[str, Any] = {"graphs": graphs, "version": "0.5"}
    found = {"kelf-0.json": document(kelf if target is None else kelf | {"target": target})}
    for n, records in enumerate(streams):
        folder = f"sg{n:02}"
        definition = {"name": "definition", "version": "0.6", "dve": "DVE.json", "var": {}}
        found |= {
            f"{folder}/def.json": document(definition | ({"dve_instr": name} if instr else {})),
            f"{folder}/DVE.json": document(
                {"instr": name, "dma": [], "dve_tables": [{"opcode_table": "default_opcode_table.bin"}]}
            ),
            f"{folder}/default_opcode_table.bin": TABLE,
            f"{folder}/{name}": records,
        }
    return found | {"info.json": document({"tool_version": "2.21", "num_tpb": len(streams), "name": "model"})}


def tar(content: Members, form: int = tarfile.USTAR_FORMAT, extra: Sequence[tarfile.TarInfo] = ()) -> bytes:
    """A tar of some members, with further entries after them."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for name, data in content.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            if form == tarfile.PAX_FORMAT:
                info.mtime = 0.5  # a fraction needs an extended header in front of the file
            archive.addfile(info, io.BytesIO(data))
        for info in extra:
            archive.addfile(info, io.BytesIO(bytes(info.size)))
    return buffer.getvalue()


def entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, size
    return info


def gzipped(archive: bytes, pad: bool = True) -> bytes:
    payload = gzip.compress(archive, mtime=0)
    return payload + bytes(-len(payload) % 10240 if pad else 0)


FIELDS = {"pkg_version": (0, "<Q"), "header_size": (8, "<Q"), "data_size": (16, "<Q"), "major": (24, "<Q"),
          "minor": (32, "<Q"), "name": (220, "256s"), "features": (544, "<Q"), "vnc": (552, "<I"),
          "hash": (172, "32s")}  # fmt: skip


def neff(payload: bytes, **fields: Any) -> bytes:
    """A payload behind a header; fields say otherwise than the truth."""
    sha = fields.get("pkg_version") == 1
    digest = hashlib.sha256(payload).digest() if sha else hashlib.md5(payload).digest()
    given = {"pkg_version": 2, "header_size": 1024, "data_size": len(payload), "major": 1, "minor": 0,
             "name": b"file.neff", "features": 0, "vnc": 1, "hash": digest} | fields  # fmt: skip
    header = bytearray(1024)
    for name, value in given.items():
        offset, form = FIELDS[name]
        struct.pack_into(form, header, offset, value)
    struct.pack_into("<I", header, 168, 1)
    struct.pack_into("<IB", header, 476, 1, 1)
    return bytes(header) + payload


def packed(content: Members) -> bytes:
    """Members as a container in gzip."""
    return neff(gzipped(tar(content)))


def plain(content: Members) -> bytes:
    """Members as a container without compression."""
    return neff(tar(content), pkg_version=1)


def data_offset(archive: bytes, name: str) -> int:
    """Where a member's bytes start, as the standard library sees it."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        return opened.getmember(name).offset_data


def changed(content: Members, name: str, change: Callable[[Any], Any]) -> Members:
    """Members of which one JSON document is another."""
    return content | {name: document(change(json.loads(content[name])))}


def without(content: Mapping[str, bytes], *names: str) -> Members:
    return {name: data for name, data in content.items() if name not in names}


ONE = members(SOUND)
TWO = members(SOUND, SOUND + ILLEGAL)
