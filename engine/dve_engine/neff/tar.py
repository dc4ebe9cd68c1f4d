"""The archive's index: names, places and sizes of its plain files. Nothing is unpacked, and no name becomes a path.

USTAR, PAX and GNU headers, since all three occur. Why not the standard library's reader: docs/decisions.
Source: isa/09 sections 4 and 11.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from .errors import NeffError, shown
from .limits import NeffLimits
from .source import Source

_BLOCK = 512
_USTAR, _GNU = b"ustar\x0000", b"ustar  \0"
MAGIC_AT, MAGIC = 257, b"ustar"
_FILE, _DIRECTORY = (b"0", b"\0", b"7"), b"5"
_PAX, _PAX_GLOBAL, _GNU_NAME = b"x", b"g", b"L"
_KINDS = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a FIFO",
    b"S": "a sparse file",
    b"K": "a link with a long name",
}
_OCTAL = re.compile(rb" *([0-7]{1,11})[ \0]*")
_RECORD = re.compile(rb"([1-9][0-9]{0,5}) ")
_SKIPPED = "checksum"  # members whose name ends so are none to the runtime [M]


@dataclass(frozen=True)
class Member:
    """A plain file of the archive: its contents are bytes `offset .. offset+size-1` of the tar."""

    name: str
    offset: int
    size: int


def index(archive: Source, limits: NeffLimits) -> tuple[dict[str, Member], bool]:
    """The members by name, and whether only zeros follow the end of the archive.

    Raises NeffError, NeffLimitExceeded.
    """
    found: dict[str, Member] = {}
    walk = _Walk(archive, limits)
    for member, at in walk.members():
        if member.name in found:
            _refuse(f"a second member {shown(member.name)}", at, "every name once")
        found[member.name] = member
    return found, archive.is_zero(walk.offset)


class _Walk:
    """A walk over the headers; `offset` is where the next one stands."""

    def __init__(self, archive: Source, limits: NeffLimits) -> None:
        self._archive, self._limits, self.offset = archive, limits, 0

    def members(self) -> Iterator[tuple[Member, int]]:
        """Every plain file and where its header stands."""
        entries = 0
        override: dict[bytes, bytes] = {}
        while (block := self._header()) is not None:
            at, kind = self.offset, block[156:157]
            entries += 1
            self._limits.check("members", entries)
            size = self._size(block, override)
            start = at + _BLOCK
            if size > self._archive.size - start:
                reason = f"an entry of {size} bytes, of which {max(0, self._archive.size - start)} are there"
                _refuse(reason, at + 124, "a size that fits the archive")
            self.offset = start + -(-size // _BLOCK) * _BLOCK
            if kind in (_PAX, _PAX_GLOBAL, _GNU_NAME):
                override = self._extension(kind, start, size, override)
                continue
            name = self._name(block, override, at, kind)
            override = {}
            if kind == _DIRECTORY or (kind in _FILE and name.endswith("/")):
                continue
            if kind not in _FILE:
                what = _KINDS.get(kind, f"an entry of type {shown(kind)}")
                _refuse(f"{shown(name)} is {what}", at + 156, "plain files and directories")
            if not name.endswith(_SKIPPED):
                yield Member(name, start, size), at

    def _header(self) -> bytes | None:
        """The header block at the offset, or None at the end of the archive."""
        block = self._archive.at(self.offset, _BLOCK)
        if len(block) < _BLOCK:
            _refuse("the archive ends without its end mark", self._archive.size, "a block of zeros")
        if not any(block):
            return None
        if block[MAGIC_AT:263] != _USTAR[:6] and block[MAGIC_AT:265] != _GNU:
            _refuse("not a tar header", self.offset + MAGIC_AT, "ustar")
        counted = block[:148] + b" " * 8 + block[156:]
        plain = sum(counted)
        signed = plain - 256 * sum(byte > 127 for byte in counted)  # as some old writers summed
        if _number(block[148:156], self.offset + 148) not in (plain, signed):
            _refuse("the checksum of a tar header does not hold", self.offset + 148, f"{plain:o} (octal)")
        return block

    def _size(self, block: bytes, override: dict[bytes, bytes]) -> int:
        if b"size" in override:
            digits = override[b"size"]
            if not re.fullmatch(rb"[0-9]{1,19}", digits):
                _refuse(f"an extended size {shown(digits)}", self.offset, "a decimal number")
            return int(digits)
        return _number(block[124:136], self.offset + 124)

    def _extension(self, kind: bytes, start: int, size: int, override: dict[bytes, bytes]) -> dict[bytes, bytes]:
        """What an extended header says about the entry after it."""
        self._limits.check("extension", size)
        data = self._archive.at(start, size)
        if kind == _GNU_NAME:
            return {**override, b"path": data.rstrip(b"\0")}
        given = dict(_records(data, start))
        if kind == _PAX_GLOBAL:
            if given.keys() & {b"path", b"size"}:
                _refuse("a global header names a path or size", start, "neither")
            return override
        if any(key.startswith(b"GNU.sparse.") for key in given):
            _refuse("a sparse file", start, "plain files and directories")
        return {**override, **given}

    def _name(self, block: bytes, override: dict[bytes, bytes], at: int, kind: bytes) -> str:
        raw = override.get(b"path")
        if raw is None:
            raw = block[:100].partition(b"\0")[0]
            prefix = block[345:500].partition(b"\0")[0] if block[MAGIC_AT:263] == _USTAR[:6] else b""
            raw = prefix + b"/" + raw if prefix else raw
        self._limits.check("name", len(raw))
        try:
            name = raw.decode("utf-8")
        except UnicodeDecodeError:
            _refuse(f"the name {shown(raw)}", at, "UTF-8")
        fault = name_fault(name)
        if fault and not (kind == _DIRECTORY and name == "./"):
            _refuse(f"the name {shown(name)} {fault}", at, "a relative path inside the archive")
        return plain_name(name)


def plain_name(name: str) -> str:
    """A name without the leading `./` that some writers put there."""
    return name.removeprefix("./")


def name_fault(name: str) -> str | None:
    """What is wrong with a name as one of a member, or None."""
    if not plain_name(name):
        return "is empty"
    if not name.isprintable():
        return "holds characters that cannot be printed"
    if name.startswith("/"):
        return "is absolute"
    return "climbs out of the archive" if ".." in name.split("/") else None


def _records(data: bytes, start: int) -> Iterator[tuple[bytes, bytes]]:
    """The records "<length> <key>=<value>\\n" of a PAX header."""
    at = 0
    while at < len(data):
        head = _RECORD.match(data, at)
        end = at + int(head[1]) if head else 0
        if head is None or end > len(data) or end <= head.end() or data[end - 1 : end] != b"\n":
            _refuse("a record of an extended header", start + at, "<length> <key>=<value>")
        key, equals, value = data[head.end() : end - 1].partition(b"=")
        if not (key and equals):
            _refuse("a record of an extended header", start + at, "<length> <key>=<value>")
        yield key, value
        at = end


def _number(field: bytes, offset: int) -> int:
    """A number of a header: octal text, or big-endian binary behind a byte 0x80."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    found = _OCTAL.fullmatch(field)
    if found is None:
        _refuse(f"the number {shown(field)}", offset, "octal digits")
    return int(found[1], 8)


def _refuse(reason: str, offset: int, expected: str) -> NoReturn:
    raise NeffError(reason, offset=offset, expected=expected, within="archive")
