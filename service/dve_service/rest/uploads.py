"""Memory as it arrives: raw bytes and npy arrays, from bodies and archives, as writes of at most 1 MiB."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Callable, Iterator

import numpy as np
from fastapi import Request

from dve_engine import Generation, Region

from .. import words
from ..errors import InvalidField
from ..orders import Write
from ..reading import PIECE_BYTES, pieces
from .bodies import NPY, OCTETS, arriving
from .common import MaybeRegion

_HEAD_BYTES = 10_000  # of an .npy file
Shape = tuple[int, int]
Writes = Callable[[Generation], AsyncIterator[Write]]


class Source:
    """Bytes in the portions they are wanted in, from pieces as they come."""

    def __init__(self, pieces: AsyncIterator[bytes]) -> None:
        self._pieces = pieces
        self._held = bytearray()

    async def take(self, count: int) -> bytes:
        """The next `count` bytes; fewer where the source ends before."""
        while len(self._held) < count and (piece := await anext(self._pieces, None)) is not None:
            self._held += piece
        taken = bytes(memoryview(self._held)[:count])
        del self._held[:count]
        return taken


async def region_writes(
    field: str, place: Region, source: Source, generation: Generation, fortran: bool = False
) -> AsyncIterator[Write]:
    """All that the source has as the contents of a region, row-major or (fortran) column by column.

    Raises InvalidRegion before anything is read, InvalidField if it is not as many bytes.
    """
    words.lies_in(place, generation)
    taken = 0
    for part in _columns(place) if fortran else pieces(place):
        data = await source.take(part.total_bytes)
        taken += len(data)
        if len(data) < part.total_bytes:
            raise words.wrong_size(field, place, taken)
        yield Write(part, _transposed(data, part) if fortran else data)
    if await source.take(1):
        raise words.wrong_size(field, place, "more")


def _columns(place: Region) -> Iterator[Region]:
    step = PIECE_BYTES // place.partitions
    for first in range(0, place.size, step):
        size = min(step, place.size - first)
        yield Region(place.space, place.partition, place.partitions, place.byte + first, size)


def _transposed(data: bytes, part: Region) -> bytes:
    return np.frombuffer(data, np.uint8).reshape(part.size, part.partitions).T.tobytes()


async def npy_shape(field: str, source: Source) -> tuple[Shape, bool]:
    """The shape of the uint8 array that an .npy file begins with, and whether it is in Fortran order.

    Raises InvalidField for a file that is none, or of another array.
    """
    head = await source.take(8)
    head += await source.take(2 if head[6:7] == b"\x01" else 4)
    length = int.from_bytes(head[8:], "little")
    if length > _HEAD_BYTES:
        raise InvalidField(field, f"is not an .npy array: its header has {length} bytes")
    stream = io.BytesIO(head + await source.take(length))
    try:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = header(stream)
    except Exception as error:  # the header is Python source to its parser, which raises what that makes it meet
        raise InvalidField(field, f"is not an .npy array: {str(error)[:200]}") from error
    if dtype != np.uint8 or len(shape) != 2 or not all(type(d) is int and d > 0 for d in shape):
        raise InvalidField(field, f"takes uint8 of shape (partitions, size), got {dtype} of shape {shape}")
    return shape, fortran


def _raw(request: Request, region: MaybeRegion, *also: str) -> Writes:
    place = region(None, *also)
    return lambda generation: region_writes("body", place, Source(arriving(request, "stream_bytes")), generation)


def _npy(request: Request, region: MaybeRegion, *also: str) -> Writes:
    async def writes(generation: Generation) -> AsyncIterator[Write]:
        source = Source(arriving(request, "stream_bytes"))
        shape, fortran = await npy_shape("body", source)
        async for write in region_writes("body", region(shape, *also), source, generation, fortran):
            yield write

    return writes


UPLOADS: dict[str, Callable[..., Writes]] = {OCTETS: _raw, NPY: _npy}
