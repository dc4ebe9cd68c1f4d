"""Content encodings of request bodies: undone within a bound, and only if they are complete."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import zstandard

from ..errors import MalformedRequest, PayloadTooLarge, UnsupportedMediaType

_WINDOW = 1 << 27  # the largest zstd window accepted
_STEP = 1024  # compressed bytes at a time: a thousandfold of it may appear before the bound is asked again

_OBJECTS: dict[str, Callable[[], Any]] = {
    "gzip": lambda: zlib.decompressobj(31),
    "x-gzip": lambda: zlib.decompressobj(31),
    "zstd": lambda: zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj(),
}


def decompress(encoding: str, body: bytes, allowed: int) -> bytes:
    """Undo a content encoding of one or more frames.

    Raises PayloadTooLarge soon after `allowed` bytes, MalformedRequest for bytes that are not what the encoding says or
    that end early, UnsupportedMediaType for another encoding.
    """
    start = _OBJECTS.get(encoding)
    if start is None:
        raise UnsupportedMediaType(f"content encoding {encoding[:80]!r} is not one of gzip, zstd, identity")
    pieces: list[bytes] = []
    size = 0
    frame = start()
    try:
        for at in range(0, len(body), _STEP):
            data = body[at : at + _STEP]
            while data:
                if frame.eof:
                    frame = start()
                pieces.append(frame.decompress(data))
                size += len(pieces[-1])
                if size > allowed:
                    raise PayloadTooLarge("decompressed_body_bytes", allowed)
                data = frame.unused_data if frame.eof else b""
    except (zlib.error, zstandard.ZstdError) as error:
        raise MalformedRequest(f"the body is not {encoding}: {error}") from error
    if not frame.eof:
        raise MalformedRequest(f"the body is not {encoding}: it ends early")
    return b"".join(pieces)
