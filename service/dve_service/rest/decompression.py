"""Content encodings of request bodies: undone within a bound, and only if they are complete."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any

import zstandard

from ..errors import MalformedRequest, UnsupportedMediaType

_WINDOW = 1 << 27  # the largest zstd window accepted
_PIECE = 1 << 20  # decompressed bytes that are handed on together

# An encoding: what undoes one frame of it, and how many bytes that gets at a time; 8 MiB at most come of so many.
_ENCODINGS: dict[str, tuple[Callable[[], Any], int]] = {
    "gzip": (lambda: zlib.decompressobj(31), 1024),
    "x-gzip": (lambda: zlib.decompressobj(31), 1024),
    "zstd": (lambda: zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj(), 256),
}


class Decompression:
    """Undoes a content encoding of one or more frames, as it arrives."""

    def __init__(self, encoding: str) -> None:
        """Raise UnsupportedMediaType for an encoding that is not known."""
        if encoding not in _ENCODINGS:
            raise UnsupportedMediaType(f"content encoding {encoding[:80]!r} is not one of gzip, zstd, identity")
        self._encoding = encoding
        self._start, self._step = _ENCODINGS[encoding]
        self._frame = self._start()

    def pieces(self, body: bytes) -> Iterator[bytes]:
        """What the next bytes of the body stand for, about 1 MiB at a time.

        Raises MalformedRequest for bytes that are not what the encoding says.
        """
        held: list[bytes] = []
        size = 0
        try:
            for at in range(0, len(body), self._step):
                data = body[at : at + self._step]
                while data:
                    if self._frame.eof:
                        self._frame = self._start()
                    held.append(self._frame.decompress(data))
                    size += len(held[-1])
                    data = self._frame.unused_data if self._frame.eof else b""
                if size >= _PIECE:
                    yield b"".join(held)
                    held, size = [], 0
        except (zlib.error, zstandard.ZstdError) as error:
            raise MalformedRequest(f"the body is not {self._encoding}: {error}") from error
        yield b"".join(held)

    def end(self) -> None:
        """Raise MalformedRequest if the last frame is not complete."""
        if not self._frame.eof:
            raise MalformedRequest(f"the body is not {self._encoding}: it ends early")
