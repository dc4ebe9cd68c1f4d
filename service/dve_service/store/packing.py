"""Values as the store keeps them: one byte 0 (raw) or 1 (zstd), then the bytes.

A value is named by its digest, so what comes back is checked against the name it was asked for by. Nothing in the store
is trusted: reads and decompression are bounded by what such a value can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import zstandard

from ..blocks import BLOCK_BYTES, MANIFEST_BYTES, block_id, image_id

_RAW, _ZSTD = b"\0", b"\1"


@dataclass(frozen=True)
class Kind:
    """What is kept under digests. most_bytes: the largest such value, unpacked."""

    name: str
    letter: str
    most_bytes: int
    identify: Callable[[bytes], str]

    def unpack(self, name: str, stored: bytes) -> bytes | None:
        """The value, or None if these are not the bytes of that name."""
        data = unpacked(stored, self.most_bytes)
        return data if data is not None and self.identify(data) == name else None


BLOCK = Kind("block", "b", BLOCK_BYTES, block_id)
IMAGE = Kind("image", "i", MANIFEST_BYTES, image_id)


def pack(values: Iterable[bytes]) -> list[bytes]:
    """Values as stored: compressed where that saves an eighth or more."""
    compressor = zstandard.ZstdCompressor(level=1)
    packed = []
    for data in values:
        small = compressor.compress(data)
        packed.append(_ZSTD + small if len(small) < len(data) * 7 // 8 else _RAW + data)
    return packed


def unpacked(stored: bytes, most_bytes: int) -> bytes | None:
    """The value, or None if these bytes were not packed here or hold more than that."""
    mark, data = stored[:1], stored[1:]
    if mark != _ZSTD:
        return data if mark == _RAW else None
    try:
        size = zstandard.frame_content_size(data)  # what is allocated; -1 where the frame does not say
        return zstandard.ZstdDecompressor().decompress(data) if 0 <= size <= most_bytes else None
    except zstandard.ZstdError:
        return None
