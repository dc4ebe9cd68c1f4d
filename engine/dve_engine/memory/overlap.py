"""Whether two operands touch common bytes."""

from __future__ import annotations

import numpy as np

from .access import Access, GatherAccess
from .region import Region

Operand = Access | GatherAccess


def partially_overlap(written: Operand, read: Operand) -> bool:
    """Whether the operands share bytes other than exactly in place (same start, same walk, same element size)."""
    if written.space is not read.space:
        return False
    if isinstance(written, Access) and isinstance(read, Access):
        same = (written.start, written.walk, written.itemsize) == (read.start, read.walk, read.itemsize)
        if same or not _extents_meet(written, read):
            return False
    return _regions_meet(list(written.regions()), list(read.regions()))


def _extents_meet(a: Access, b: Access) -> bool:
    rows = a.start.partition < b.start.partition + b.lanes and b.start.partition < a.start.partition + a.lanes
    return rows and _first(a) < _end(b) and _first(b) < _end(a)


def _first(access: Access) -> int:
    return access.start.byte + access.walk.extent[0] * access.itemsize


def _end(access: Access) -> int:
    return access.start.byte + (access.walk.extent[1] + 1) * access.itemsize


def _regions_meet(a: list[Region], b: list[Region]) -> bool:
    """Whether any two rectangles of sorted lists share a byte."""
    begins = np.array([(r.byte, r.byte + r.size, r.partition, r.partition + r.partitions) for r in b])
    for r in a:
        bytes_meet = (begins[:, 0] < r.byte + r.size) & (begins[:, 1] > r.byte)
        rows_meet = (begins[:, 2] < r.partition + r.partitions) & (begins[:, 3] > r.partition)
        if (bytes_meet & rows_meet).any():
            return True
    return False
