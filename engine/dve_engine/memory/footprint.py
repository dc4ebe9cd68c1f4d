"""Footprints: which bytes operands cover, as arrays of intervals, so that a scattered walk costs no objects."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .region import Region, Space

Intervals = npt.NDArray[np.int64]  # (k, 2): first byte and end, sorted and disjoint


@dataclass(frozen=True)
class Band:
    """Byte intervals that consecutive partitions of one memory share."""

    space: Space
    partition: int
    partitions: int
    intervals: Intervals

    def regions(self) -> Iterator[Region]:
        """One rectangle per interval."""
        for first, end in self.intervals.tolist():
            yield Region(self.space, self.partition, self.partitions, first, end - first)

    @property
    def window(self) -> Region:
        """The smallest rectangle around all intervals."""
        first, end = int(self.intervals[0, 0]), int(self.intervals[-1, 1])
        return Region(self.space, self.partition, self.partitions, first, end - first)

    @property
    def total_bytes(self) -> int:
        """Bytes covered."""
        return self.partitions * int((self.intervals[:, 1] - self.intervals[:, 0]).sum())

    def meets(self, other: Band) -> bool:
        """Whether the two share a byte."""
        if self.space is not other.space:
            return False
        if self.partition + self.partitions <= other.partition or other.partition + other.partitions <= self.partition:
            return False
        position = np.searchsorted(other.intervals[:, 1], self.intervals[:, 0], side="right")
        inside = position < len(other.intervals)
        return bool((other.intervals[position[inside], 0] < self.intervals[inside, 1]).any())


def intervals_of(offsets: npt.NDArray[np.int64], itemsize: int, start: int) -> Intervals:
    """Element offsets, in elements from byte `start`, as maximal byte intervals."""
    distinct = np.unique(offsets)
    cuts = np.flatnonzero(np.diff(distinct) != 1)
    firsts = distinct[np.concatenate(([0], cuts + 1))]
    lasts = distinct[np.concatenate((cuts, [distinct.size - 1]))]
    return np.stack([firsts * itemsize + start, (lasts + 1) * itemsize + start], axis=1)


def union(bands: Iterable[Band]) -> tuple[Region, ...]:
    """All bytes of the bands as disjoint rectangles; intervals are joined per run of partitions that share them."""
    bands = tuple(bands)
    if len(bands) == 1:
        return tuple(bands[0].regions())
    merged: list[Band] = []
    members: dict[Space, list[Band]] = {}
    for band in bands:
        members.setdefault(band.space, []).append(band)
    for space, found in members.items():
        edges = sorted({edge for b in found for edge in (b.partition, b.partition + b.partitions)})
        for low, high in itertools.pairwise(edges):
            over = [b.intervals for b in found if b.partition <= low and b.partition + b.partitions >= high]
            if over:
                _append(merged, Band(space, low, high - low, _joined(over)))
    return tuple(region for band in merged for region in band.regions())


def _append(merged: list[Band], band: Band) -> None:
    """Add a band, growing the one before where it only continues it."""
    last = merged[-1] if merged else None
    adjoins = last is not None and last.space is band.space and last.partition + last.partitions == band.partition
    if last is not None and adjoins and np.array_equal(last.intervals, band.intervals):
        merged[-1] = Band(last.space, last.partition, last.partitions + band.partitions, last.intervals)
    else:
        merged.append(band)


def _joined(several: list[Intervals]) -> Intervals:
    """The union of interval lists; neighbours that touch become one."""
    if len(several) == 1:
        return several[0]
    intervals = np.concatenate(several)
    intervals = intervals[np.argsort(intervals[:, 0], kind="stable")]
    reach = np.maximum.accumulate(intervals[:, 1])
    begins = np.concatenate(([True], intervals[1:, 0] > reach[:-1]))
    ends = reach[np.concatenate((np.flatnonzero(begins)[1:] - 1, [len(reach) - 1]))]
    return np.stack([intervals[begins, 0], ends], axis=1)
