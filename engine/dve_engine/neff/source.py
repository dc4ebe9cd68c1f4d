"""Bytes by offset, and gzip undone into an anonymous temporary file. Nothing here trusts a size the input claims."""

from __future__ import annotations

import hashlib
import io
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from .errors import NeffError, NeffLimitExceeded
from .limits import NeffLimits

_STEP = 1 << 16  # bytes read at a time
_OUT = 1 << 20  # bytes inflated at a time
_IN_MEMORY = 8 << 20  # bytes of a spooled file before it goes to disk
GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class Source:
    """Bytes `base .. base+size-1` of a seekable file, addressed from 0."""

    file: BinaryIO
    base: int
    size: int

    def at(self, offset: int, size: int) -> bytes:
        """The bytes at an offset; fewer where the source ends before."""
        size = min(size, self.size - offset)
        if size <= 0:
            return b""
        self.file.seek(self.base + offset)
        return self.file.read(size)

    def part(self, offset: int, size: int) -> Source:
        """A piece of this source, cut where it ends."""
        return Source(self.file, self.base + offset, max(0, min(size, self.size - offset)))

    def pieces(self, offset: int = 0) -> Iterator[bytes]:
        """Everything from an offset on, piece by piece."""
        while piece := self.at(offset, _STEP):
            yield piece
            offset += len(piece)

    def is_zero(self, offset: int = 0) -> bool:
        """Whether only zero bytes follow."""
        return all(piece.count(0) == len(piece) for piece in self.pieces(offset))

    def digest(self, algorithm: str) -> bytes:
        """The digest of all bytes, for comparing and for nothing that must be secure."""
        state = hashlib.new(algorithm, usedforsecurity=False)
        for piece in self.pieces():
            state.update(piece)
        return state.digest()


def source_of(given: bytes | BinaryIO, limits: NeffLimits) -> Source:
    """A source over bytes or a binary file; one that cannot seek is read into a temporary file.

    Raises NeffLimitExceeded.
    """
    if isinstance(given, bytes | bytearray | memoryview):
        file: BinaryIO = io.BytesIO(given)
    elif given.seekable():
        file = given
    else:
        file = spooled()
        while piece := given.read(_STEP):
            file.write(piece)
            limits.check("file", file.tell())
    size = file.seek(0, io.SEEK_END)
    limits.check("file", size)
    return Source(file, 0, size)


def spooled() -> BinaryIO:
    """A temporary file without a name: in memory while it is small."""
    return tempfile.SpooledTemporaryFile(_IN_MEMORY)  # type: ignore[return-value]  # is one in all but type


@dataclass(frozen=True)
class Inflated:
    """What a gzip stream held, and how many bytes the stream had."""

    source: Source
    compressed: int


def inflate(packed: Source, declared: int, limits: NeffLimits) -> Inflated:
    """Undo one gzip member, checksum included.

    declared: the bytes that should be there, for the message where they are not. Raises NeffError,
    NeffLimitExceeded soon after a limit is passed.
    """
    out = spooled()
    try:
        return _inflated(packed, declared, limits, out)
    except BaseException:
        out.close()
        raise


def _inflated(packed: Source, declared: int, limits: NeffLimits, out: BinaryIO) -> Inflated:
    engine = zlib.decompressobj(31)
    taken = made = 0
    for piece in packed.pieces():
        taken += len(piece)
        while piece and not engine.eof:
            try:
                data = engine.decompress(piece, _OUT)
            except zlib.error as error:
                at, reason = packed.base + taken - len(piece), f"the gzip stream is damaged here or later: {error}"
                raise NeffError(reason, offset=at, expected="gzip data") from error
            piece = engine.unconsumed_tail
            made += len(data)
            limits.check("inflated", made)
            if made > limits.ratio_from and made > limits.ratio * taken:
                raise NeffLimitExceeded("ratio", limits.ratio, -(-made // taken))
            out.write(data)
        if engine.eof:
            break
    if not engine.eof:
        reason = f"the payload ends after {packed.size} of {max(declared, packed.size)} bytes, inside its gzip stream"
        raise NeffError(reason, offset=packed.base + packed.size, expected="the rest of the gzip stream")
    return Inflated(Source(out, 0, made), taken - len(engine.unused_data))
