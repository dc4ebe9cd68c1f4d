"""Index lists of gather and scatter operands.

Source: isa/01 section 6 [H layout, type and unit for this engine]. A list belongs to a group of 16 lanes and runs down
the group's 16 index partitions first, then along the bytes; entries count elements of the operand's dtype from the DATA
address.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
import numpy.typing as npt

from ..isa.generation import Generation
from .access import Access, GatherAccess, OutOfBounds
from .address import Location
from .image import DeviceMemory
from .pattern import walk

GROUP_LANES = 16


@dataclass(frozen=True)
class IndexLayout:
    """How a list is stored and read: bytes per entry, and whether 16 lanes share one (`snake`) or each has its own.

    clamp: an entry too large for the partition means its last element (`indirect-index-out-of-range`).
    """

    entry_bytes: int
    snake: bool
    clamp: bool = False

    @property
    def group_lanes(self) -> int:
        """Lanes that share one list."""
        return GROUP_LANES if self.snake else 1


def index_access(start: Location, lanes: int, num: int, layout: IndexLayout, generation: Generation) -> Access:
    """The bytes that hold the lists of all groups, as an operand of its own.

    lanes: active lanes; a channel count that is not a multiple of 16 still reads the whole last group [M].
    num: entries per list.
    Raises OutOfBounds where a list leaves memory.
    """
    group = layout.group_lanes
    rows = ceil(lanes / group) * group
    return Access(generation, start, rows, layout.entry_bytes, walk((1,), (ceil(num / group),)))


def resolve(
    index: Access, memory: DeviceMemory, data: Location, lanes: int, num: int, itemsize: int, layout: IndexLayout
) -> GatherAccess:
    """Read the lists and place every element.

    Raises OutOfBounds for the first entry whose element lies outside the partition.
    """
    group = layout.group_lanes
    words = index.read(memory).reshape(-1, group, index.elements)  # (groups, partitions of the group, words)
    entries = words.transpose(0, 2, 1).reshape(len(words), -1)[:, :num].astype(np.int64)
    generation = index.generation
    last = (data.space.geometry(generation).active_bytes - itemsize - data.byte) // itemsize
    clamped = layout.clamp and last >= 0 and bool((entries > last).any())
    offsets = (np.minimum(entries, last) if clamped else entries) * itemsize + data.byte
    _check(offsets, data, lanes, itemsize, group, generation)
    groups = tuple((g * group, min(group, lanes - g * group), offsets[g]) for g in range(len(offsets)))
    return GatherAccess(generation, data, lanes, itemsize, num, groups, clamped)


def _check(
    offsets: npt.NDArray[np.int64], data: Location, lanes: int, itemsize: int, group: int, generation: Generation
) -> None:
    geometry = data.space.geometry(generation)
    if data.partition + lanes > geometry.partitions:
        lane = geometry.partitions - data.partition
        raise OutOfBounds(lane, 0, Location(data.space, geometry.partitions, data.byte), itemsize, generation)
    outside = (offsets < 0) | (offsets + itemsize > geometry.active_bytes)
    if outside.any():
        g, element = np.argwhere(outside)[0].tolist()
        lane = g * group
        location = Location(data.space, data.partition + lane, int(offsets[g, element]))
        raise OutOfBounds(lane, element, location, itemsize, generation)
