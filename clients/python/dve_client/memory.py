"""Regions of SBUF and PSUM and their contents as NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dve_engine import Region, Space

from .errors import BadInput, UnexpectedAnswer

Bytes = npt.NDArray[np.uint8]
PIECE_BYTES = 1 << 20


def region(space: str | Space, partition: int, byte: int, size: int, partitions: int = 1) -> Region:
    """Name `size` bytes from `byte` on, in each of `partitions` partitions."""
    return sendable(Region(_space(space), partition, partitions, byte, size))


def u32(what: str, value: object) -> int:
    """A number that fits the wire. Raises BadInput for another."""
    if not isinstance(value, int | np.integer) or not 0 <= value <= 0xFFFF_FFFF:
        raise BadInput(f"{what}: {value!r} is not a number from 0 to 4294967295")
    return int(value)


def sendable(place: Region) -> Region:
    """A region that fits the wire; whether it lies in memory is for the service to say."""
    numbers = ("partition", "partitions", "byte", "size")
    return Region(_space(place.space), *(u32(f"{name} of a region", getattr(place, name)) for name in numbers))


def _space(space: str | Space) -> Space:
    try:
        return Space(space)
    except ValueError:
        raise BadInput(f"{space!r} is no memory; expected sbuf or psum") from None


@dataclass(frozen=True, eq=False)
class MemoryRegion:
    """A region and its bytes: `data` is uint8 (partitions, size)."""

    region: Region
    data: Bytes

    def __post_init__(self) -> None:
        """Raise BadInput where the bytes are not as many as the region has."""
        shape = (self.region.partitions, self.region.size)
        if self.data.dtype != np.uint8 or self.data.shape != shape:
            raise BadInput(
                f"{self.region} takes uint8 of shape {shape}, got {self.data.dtype} of shape {self.data.shape}"
            )

    @classmethod
    def of(cls, space: str | Space, partition: int, byte: int, values: npt.ArrayLike) -> MemoryRegion:
        """Place an array: row r, of any dtype, becomes the bytes of partition `partition` + r.

        One dimension is one partition.
        """
        array = np.asarray(values)
        if array.dtype.hasobject or array.ndim not in (1, 2) or not array.size:
            raise BadInput(f"takes a non-empty array (partitions, elements), got {array.dtype} of shape {array.shape}")
        rows = np.ascontiguousarray(np.atleast_2d(array))
        if rows.dtype.byteorder == ">":
            rows = rows.astype(rows.dtype.newbyteorder("<"))
        data = rows.view(np.uint8).reshape(len(rows), -1)
        return cls(region(space, partition, byte, data.shape[1], len(rows)), data)

    @classmethod
    def from_bytes(cls, place: Region, data: bytes) -> MemoryRegion:
        """Bytes in row-major order."""
        if len(data) != place.total_bytes:
            raise BadInput(f"{place} takes {place.total_bytes} bytes, got {len(data)}")
        return cls(place, np.frombuffer(data, np.uint8).reshape(place.partitions, place.size))

    def view(self, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """The contents as (partitions, elements) of a dtype; bits are not changed."""
        return np.ascontiguousarray(self.data).view(np.dtype(dtype))

    def tobytes(self) -> bytes:
        """The contents, row-major."""
        return self.data.tobytes()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MemoryRegion):
            return NotImplemented
        return self.region == other.region and np.array_equal(self.data, other.data)

    __hash__ = None  # type: ignore[assignment]


def regions_of(memory: Iterable[MemoryRegion]) -> tuple[MemoryRegion, ...]:
    """A checked tuple of regions with contents."""
    given = tuple(memory)
    for item in given:
        if not isinstance(item, MemoryRegion):
            raise BadInput(f"memory takes MemoryRegion objects, got {type(item).__name__}")
        sendable(item.region)
    return given


def regions_of_read(regions: Iterable[Region]) -> tuple[Region, ...]:
    """A checked tuple of regions to read."""
    return tuple(sendable(place) for place in regions)


def bytes_within(regions: Iterable[MemoryRegion], place: Region) -> Bytes:
    """The bytes of a region that lies inside one of those given, uint8 (partitions, size).

    Raises BadInput if it does not.
    """
    for part in regions:
        whole = part.region
        row, column = place.partition - whole.partition, place.byte - whole.byte
        inside = row + place.partitions <= whole.partitions and column + place.size <= whole.size
        if place.space is whole.space and row >= 0 and column >= 0 and inside:
            return part.data[row : row + place.partitions, column : column + place.size]
    raise BadInput(f"{place} was not read back")


def pieces(contents: MemoryRegion) -> Iterable[MemoryRegion]:
    """A region in parts of whole partitions, each of at most PIECE_BYTES where one partition allows it."""
    whole = contents.region
    rows = max(1, PIECE_BYTES // whole.size)
    for first in range(0, whole.partitions, rows):
        data = contents.data[first : first + rows]
        part = Region(whole.space, whole.partition + first, len(data), whole.byte, whole.size)
        yield MemoryRegion(part, data)


class Filling:
    """Regions being filled with their bytes, which come row-major and in order, in pieces of any size."""

    def __init__(self, regions: Iterable[Region]) -> None:
        self._whole = [MemoryRegion(place, np.empty((place.partitions, place.size), np.uint8)) for place in regions]
        self._rooms = [item.data.reshape(-1).data for item in reversed(self._whole)]

    def add(self, piece: bytes) -> None:
        """Take the next bytes. Raises UnexpectedAnswer for more than there is room for."""
        rest = memoryview(piece)
        while rest:
            if not self._rooms:
                raise UnexpectedAnswer("the answer has more bytes than were asked for")
            room = self._rooms.pop()
            size = min(len(room), len(rest))
            room[:size] = rest[:size]
            rest = rest[size:]
            if size < len(room):
                self._rooms.append(room[size:])

    def done(self) -> tuple[MemoryRegion, ...]:
        """The regions. Raises UnexpectedAnswer if bytes are missing."""
        if self._rooms:
            raise UnexpectedAnswer("the answer has fewer bytes than were asked for")
        return tuple(self._whole)
