"""A container as plain data; what does not apply is absent."""

from __future__ import annotations

from typing import Any

from .container import Neff
from .header import Header
from .kelf import Core

Document = dict[str, Any]


def container(found: Neff) -> Document:
    """What a container holds, without its cores."""
    document: Document = {
        "kind": found.kind,
        "size": found.size,
        "metadata": dict(found.metadata),
        "members": [vars(member) for member in found.members.values()],
        "warnings": list(found.warnings),
    }
    optional = {
        "header": _header(found.header) if found.header else None,
        "payload": present(vars(found.payload)) if found.payload else None,
        "target": found.target,
    }
    return document | present(optional)


def _header(header: Header) -> Document:
    names = ("version", "hash", "uuid", "tpb_per_node", "features")
    rest = {name: value for name, value in vars(header).items() if name not in names}
    major, minor = header.version
    return rest | {
        "version_major": major,
        "version_minor": minor,
        "hash_hex": header.hash.hex(),
        "uuid_hex": header.uuid.hex(),
        "tpb_per_node": list(header.tpb_per_node),
        "features": list(header.features),
    }


def core(found: Neff, one: Core) -> Document:
    """A core and its stream."""
    names = {"index": one.index, "subgraph": one.subgraph, "definition": one.definition}
    return names | present({"absent": one.absent, "stream": stream(found, one)})


def stream(found: Neff, one: Core) -> Document | None:
    """A core's stream and where it lies."""
    if one.stream is None:
        return None
    numbers = {"records": one.stream.records, "remainder": one.stream.remainder}
    return present({**vars(one.stream), **numbers, "file_offset": found.file_offset(one.stream)})


def present(document: Document) -> Document:
    """Without the members that are None."""
    return {name: value for name, value in document.items() if value is not None}
