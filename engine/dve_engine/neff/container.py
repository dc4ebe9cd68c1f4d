"""From bytes to what a container holds: header, payload, members, cores and each core's DVE stream.

    with read_neff(file) as neff:
        for core in neff.cores:
            code = neff.code(core)

Recognised by structure, since there is no magic number: a NEFF, its bare payload (tar or gzip), or a raw dump of
records. Nothing is judged here. Source: isa/09 sections 1 to 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, BinaryIO, Literal

from . import kelf
from .documents import load
from .errors import NeffError, shown
from .header import PACKAGES, Header, parse_header
from .kelf import RECORD_BYTES, Core, Stream
from .limits import NeffLimits
from .source import GZIP_MAGIC, Source, inflate, source_of
from .tar import MAGIC, MAGIC_AT, Member, index

Kind = Literal["neff", "payload", "raw"]
Compression = Literal["gzip", "none"]
_INFO = "info.json"
_METADATA = ("tool_version", "kelp_version", "name", "num_tpb", "num_tpb_requested")
_OTHERS = {b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ": "xz", b"BZh": "bzip2"}
_FIRST_BYTE_1 = 0x10  # byte 1 of every record: its length in words


@dataclass(frozen=True)
class Payload:
    """The archive as the file holds it. Sizes in bytes.

    offset: where it starts in the file. archive_size: of the tar. hash_matches: None where there is no header; for
    information, since newer compilers write something else into the field.
    """

    compression: Compression
    offset: int
    size: int
    archive_size: int
    hash_matches: bool | None


@dataclass(frozen=True)
class Neff:
    """What a container holds. Close it, or use it with `with`: the archive may be in a temporary file.

    target: as recorded, None where nothing is. metadata: what info.json says about the producer. warnings: what is odd
    and harms nothing.
    """

    kind: Kind
    size: int
    header: Header | None
    payload: Payload | None
    members: Mapping[str, Member]
    cores: tuple[Core, ...]
    target: str | None
    metadata: Mapping[str, str]
    warnings: tuple[str, ...]
    archive: Source

    def code(self, core: Core) -> bytes:
        """The whole DVE stream of a core; empty where it has none."""
        return self.piece(core.stream, 0, core.stream.size) if core.stream else b""

    def piece(self, stream: Stream, offset: int, size: int) -> bytes:
        """Some bytes of a stream."""
        return self.archive.at(stream.offset + offset, min(size, stream.size - offset))

    def file_offset(self, stream: Stream) -> int | None:
        """Where a stream starts in the file, or None where it is compressed."""
        return None if self.packed else self.archive.base + stream.offset

    @property
    def packed(self) -> bool:
        """Whether the archive was compressed, so that it lies in a file of its own."""
        return self.payload is not None and self.payload.compression == "gzip"

    def close(self) -> None:
        """Let go of what was inflated; the file given stays open."""
        if self.packed:
            self.archive.file.close()

    def __enter__(self) -> Neff:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_neff(given: bytes | BinaryIO, limits: NeffLimits | None = None) -> Neff:
    """Describe a container: bytes, or a binary file, which is read from its start if it can seek.

    Raises NeffError for what is malformed, NeffLimitExceeded for what is too large.
    """
    bounds = limits or NeffLimits()
    source = source_of(given, bounds)
    start, tar = source.at(0, 16), _is_tar(source)
    small = start[1:8] == bytes(7)  # a number below 256 first; byte 1 of a record is 0x10
    if small and (start[0] in PACKAGES or not tar):
        header = parse_header(source, bounds)
        rest = source.part(header.header_size, source.size)
        packed = rest.part(0, header.data_size)
        warnings = []
        if header.data_size != rest.size:
            warnings.append(f"data_size is {header.data_size}, {rest.size} bytes follow the header")
        return _archived("neff", source, packed, header, bounds, warnings)
    if tar or start[:2] == GZIP_MAGIC:
        return _archived("payload", source, source, None, bounds, [])
    return _raw(source, source, None, [])


def _is_tar(source: Source) -> bool:
    return source.at(MAGIC_AT, len(MAGIC)) == MAGIC


def _archived(
    kind: Kind, file: Source, packed: Source, header: Header | None, limits: NeffLimits, warnings: list[str]
) -> Neff:
    """A payload: a tar, perhaps in gzip."""
    matches = _matches(packed, header)
    if packed.at(0, 2) != GZIP_MAGIC:
        _require_tar(packed, "file", packed.base, "gzip or a tar")
        payload = Payload("none", packed.base, packed.size, packed.size, matches)
        return _opened(kind, file, packed, header, payload, limits, warnings)
    done = inflate(packed, header.data_size if header else packed.size, limits)
    try:
        if not packed.is_zero(done.compressed):
            after = packed.base + done.compressed
            warnings.append(f"bytes other than zero follow the gzip stream, from byte {after} of the file on")
        payload = Payload("gzip", packed.base, packed.size, done.source.size, matches)
        if header is None and not _is_tar(done.source):
            return _raw(file, done.source, payload, warnings)
        _require_tar(done.source, "archive", 0, "a tar")
        return _opened(kind, file, done.source, header, payload, limits, warnings)
    except BaseException:
        done.source.file.close()
        raise


def _matches(packed: Source, header: Header | None) -> bool | None:
    return None if header is None else packed.digest(header.hash_algorithm) == header.hash


def _require_tar(archive: Source, within: str, offset: int, expected: str) -> None:
    if _is_tar(archive):
        return
    start = archive.at(0, 6)
    other = next((name for magic, name in _OTHERS.items() if start.startswith(magic)), None)
    reason = f"compression not used by NEFF: {other}" if other else f"a payload of {start.hex(' ') or 'no bytes'}"
    raise NeffError(reason, offset=offset, expected=expected, within=within)


def _opened(
    kind: Kind,
    file: Source,
    archive: Source,
    header: Header | None,
    payload: Payload,
    limits: NeffLimits,
    warnings: list[str],
) -> Neff:
    members, clean = index(archive, limits)
    if not clean:
        warnings.append("bytes other than zero follow the end of the archive")
    found = kelf.cores(archive, members, limits, warnings)
    metadata = _metadata(load(archive, members[_INFO], limits)) if _INFO in members else {}
    return Neff(
        kind, file.size, header, payload, members, found.cores, found.target, metadata, tuple(warnings), archive
    )


def _metadata(info: Mapping[str, Any]) -> dict[str, str]:
    """The short answers of info.json, numbers as text."""
    return {name: shown(info[name]) for name in _METADATA if isinstance(info.get(name), str | int)}


def _raw(file: Source, records: Source, payload: Payload | None, warnings: list[str]) -> Neff:
    """An array of records without a container."""
    if records.size and (records.at(1, 1) != bytes([_FIRST_BYTE_1]) or records.size % RECORD_BYTES):
        reason = "no header of a NEFF, no gzip, no tar, and no raw records"
        if records.at(1, 1) == bytes([_FIRST_BYTE_1]):
            reason = f"raw records with a remainder of {records.size % RECORD_BYTES} bytes"
        expected = "pkg_version 1 or 2, 1F 8B, or records of 64 bytes"
        raise NeffError(reason, offset=0, expected=expected, within="archive" if payload else "file")
    core = kelf.core(0, "", "", Stream("", 0, records.size))
    return Neff("raw", file.size, None, payload, {}, (core,), None, {}, tuple(warnings), records)


