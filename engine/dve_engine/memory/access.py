"""Access: an operand whose place is known. Bounds are checked once, then elements are read or written in walk order.

Source: isa/01 section 10. Elements travel as unsigned integers of the operand's size: bits, not values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..isa.generation import Generation
from .address import Location, address_at
from .footprint import Band, Intervals, intervals_of
from .image import DeviceMemory, pitch_of
from .pattern import Walk
from .region import Space

Raw = npt.NDArray[np.unsignedinteger]  # (lanes, elements), bits of the operand's elements
Selection = npt.NDArray[np.bool_]  # (lanes, elements)


class OutOfBounds(Exception):
    """An element outside the bytes that exist. Says which: lane, walk number and address."""

    def __init__(self, lane: int, element: int, location: Location, itemsize: int, generation: Generation) -> None:
        self.lane, self.element, self.location = lane, element, location
        self.address = max(address_at(location, generation), 0)
        geometry = location.space.geometry(generation)
        super().__init__(
            f"element {element} of lane {lane} takes bytes {location.byte}..{location.byte + itemsize - 1} of "
            f"{location.space.name} partition {location.partition}; bytes 0..{geometry.active_bytes - 1} of partitions "
            f"0..{geometry.partitions - 1} exist"
        )


@dataclass(frozen=True)
class Access:
    """A direct operand: lane c walks partition `start.partition + c` from byte `start.byte`."""

    generation: Generation
    start: Location
    lanes: int
    itemsize: int
    walk: Walk

    def __post_init__(self) -> None:
        """Raise OutOfBounds if any element of any lane lies outside memory."""
        geometry = self.start.space.geometry(self.generation)
        if self.start.partition + self.lanes > geometry.partitions:
            lane = geometry.partitions - self.start.partition
            location = Location(self.start.space, self.start.partition + lane, self.start.byte)
            raise OutOfBounds(lane, 0, location, self.itemsize, self.generation)
        low, high = self.walk.extent
        last = (geometry.active_bytes - self.itemsize - self.start.byte) // self.itemsize
        first = -(self.start.byte // self.itemsize)
        if low < first or high > last:
            element = self.walk.first_outside(first, last)
            byte = self.start.byte + int(self.walk.offsets[element]) * self.itemsize
            location = Location(self.start.space, self.start.partition, byte)
            raise OutOfBounds(0, element, location, self.itemsize, self.generation)

    @property
    def space(self) -> Space:
        """The memory the operand is in."""
        return self.start.space

    @property
    def elements(self) -> int:
        """Elements per lane."""
        return self.walk.elements

    @property
    def visits_once(self) -> bool:
        """Whether no address is visited twice."""
        return self.walk.visits_once

    def part(self, first: int, lanes: int) -> Access:
        """The same walk on `lanes` lanes from lane `first` on."""
        start = Location(self.start.space, self.start.partition + first, self.start.byte)
        return replace(self, start=start, lanes=lanes)

    def view(self, memory: DeviceMemory) -> Raw:
        """The elements in place: (lanes, outermost count, ..., innermost count), without the counts of one."""
        return self.view_as(memory, self._word)

    def view_as(self, memory: DeviceMemory, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """The same as elements of another type of their size."""
        shape, offset, strides = self._layout
        return np.ndarray(shape, dtype, memory.buffers[self.start.space], offset, strides)

    @cached_property
    def _word(self) -> np.dtype[np.unsignedinteger]:
        return np.dtype(f"<u{self.itemsize}")

    @cached_property
    def _layout(self) -> tuple[tuple[int, ...], int, tuple[int, ...]]:
        pitch = pitch_of(self.start.space.geometry(self.generation).active_bytes)
        steps = [(n, step * self.itemsize) for n, step in zip(self.walk.counts, self.walk.steps, strict=True) if n > 1]
        return (
            (self.lanes, *(count for count, _ in reversed(steps))),
            self.start.partition * pitch + self.start.byte,
            (pitch, *(step for _, step in reversed(steps))),
        )

    def read(self, memory: DeviceMemory) -> Raw:
        """The elements in walk order, (lanes, elements); a view of memory where the walk allows it."""
        return self.view(memory).reshape(self.lanes, self.elements)

    def write(
        self, memory: DeviceMemory, values: Raw, selected: Selection | None = None, *, last_wins: bool = True
    ) -> None:
        """Store (lanes, elements) in walk order; elements not selected keep their bytes.

        Where the walk visits an address twice the last selected visit wins (the first with last_wins False).
        """
        if not self.visits_once:
            rows, offsets = _rows(self, memory), self.walk.offsets * self.itemsize + self.start.byte
            _store(rows, offsets, values, selected, last_wins)
            return
        target = self.view(memory)
        if selected is None:
            target[...] = values.reshape(target.shape)
            return
        changes = target ^ values.reshape(target.shape)
        changes &= mask_of(selected, values.dtype).reshape(target.shape)
        target ^= changes

    def bands(self) -> tuple[Band, ...]:
        """The bytes the walk covers."""
        return self._bands

    @cached_property
    def _bands(self) -> tuple[Band, ...]:
        if not self.lanes:
            return ()
        first, size = self.start.byte, self.itemsize
        intervals = self._interval if self.walk.dense else intervals_of(self.walk.distinct, size, first)
        return (Band(self.start.space, self.start.partition, self.lanes, intervals),)

    @cached_property
    def _interval(self) -> Intervals:
        """The bytes from the lowest element to the highest."""
        low, high = self.walk.extent
        return np.array([[low, high + 1]]) * self.itemsize + self.start.byte


@dataclass(frozen=True)
class GatherAccess:
    """An operand whose elements an index list places: one vector of byte offsets for each group of lanes.

    groups: (first lane, lanes, byte offsets (elements,)); checked by whoever builds it. clamped: whether an entry was
    too large and was taken for the partition's last element.
    """

    generation: Generation
    start: Location
    lanes: int
    itemsize: int
    elements: int
    groups: tuple[tuple[int, int, npt.NDArray[np.int64]], ...]
    clamped: bool = False

    @property
    def space(self) -> Space:
        """The memory the data is in."""
        return self.start.space

    @property
    def visits_once(self) -> bool:
        """Whether no address is visited twice."""
        return all(np.unique(offsets).size == self.elements for _, _, offsets in self.groups)

    def read(self, memory: DeviceMemory) -> Raw:
        """The gathered elements, (lanes, elements)."""
        raw = np.empty((self.lanes, self.elements), np.dtype(f"<u{self.itemsize}"))
        rows = _rows(self, memory)
        for lane, lanes, offsets in self.groups:
            raw[lane : lane + lanes] = _gather(rows[lane : lane + lanes], offsets, raw.dtype)
        return raw

    def write(
        self, memory: DeviceMemory, values: Raw, selected: Selection | None = None, *, last_wins: bool = True
    ) -> None:
        """Scatter (lanes, elements), in list order; elements not selected keep their bytes."""
        rows = _rows(self, memory)
        for lane, lanes, offsets in self.groups:
            span = slice(lane, lane + lanes)
            _store(rows[span], offsets, values[span], None if selected is None else selected[span], last_wins)

    def bands(self) -> Iterator[Band]:
        """The bytes the list leads to, per group."""
        for lane, lanes, offsets in self.groups:
            intervals = intervals_of((offsets - self.start.byte) // self.itemsize, self.itemsize, self.start.byte)
            yield Band(self.start.space, self.start.partition + lane, lanes, intervals)


def mask_of(selected: Selection, dtype: np.dtype[np.unsignedinteger]) -> Raw:
    """A selection as all-ones and all-zeros words: the kill mask of an integer blend."""
    signed: Raw = np.negative(selected.view(np.int8)).astype(f"i{dtype.itemsize}").view(dtype)
    return signed


def blend(selected: Selection, a: Raw, b: Raw | np.unsignedinteger) -> Raw:
    """`a` where selected, else `b`: np.where on words, which does not slow down where the selection is irregular.

    a, b: unsigned words of one type. All three broadcast.
    """
    result: Raw = np.bitwise_and(np.bitwise_xor(a, b), mask_of(selected, np.result_type(a, b)))
    result ^= b
    return result


def _rows(access: Access | GatherAccess, memory: DeviceMemory) -> npt.NDArray[np.uint8]:
    return memory.arrays[access.start.space][access.start.partition : access.start.partition + access.lanes]


def _gather(rows: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64], dtype: np.dtype[np.unsignedinteger]) -> Raw:
    """Elements at byte offsets of every row, (rows, offsets); offsets need not be aligned."""
    bytes_of = offsets[:, None] + np.arange(dtype.itemsize)
    return np.ascontiguousarray(rows[:, bytes_of]).view(dtype)[..., 0]


def _store(
    rows: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    values: Raw,
    selected: Selection | None,
    last_wins: bool,
) -> None:
    """Write values (lanes, elements) at byte offsets (elements,) of each row, deciding repeated offsets explicitly.

    NumPy leaves open which of several assignments to one index survives, so the winner of each offset is chosen first.
    """
    order = np.argsort(offsets, kind="stable")
    starts = np.flatnonzero(np.diff(offsets[order], prepend=-1))
    distinct = offsets[order][starts]
    itemsize = values.dtype.itemsize
    if selected is None:
        ends = np.append(starts[1:], offsets.size) - 1
        winner = np.broadcast_to(order[ends if last_wins else starts], (len(rows), distinct.size))
        chosen = None
    else:
        number = order if last_wins else offsets.size - 1 - order
        winner = np.maximum.reduceat(np.where(selected[:, order], number, -1), starts, axis=1)
        chosen = winner >= 0
        winner = np.where(chosen, winner if last_wins else offsets.size - 1 - winner, 0)
    data = np.take_along_axis(values, winner, axis=1)
    if chosen is not None:
        old = _gather(rows, distinct, values.dtype)
        data = np.where(chosen, data, old)
    rows[:, distinct[:, None] + np.arange(itemsize)] = np.ascontiguousarray(data)[..., None].view(np.uint8)
