"""Whether two operands touch common bytes."""

from __future__ import annotations

from .access import Access, GatherAccess

Operand = Access | GatherAccess


def partially_overlap(written: Operand, read: Operand) -> bool:
    """Whether the operands share bytes other than exactly in place (same start, same walk, same element size)."""
    if written.space is not read.space:
        return False
    if isinstance(written, Access) and isinstance(read, Access):
        same = (written.start, written.walk, written.itemsize) == (read.start, read.walk, read.itemsize)
        if same or not _extents_meet(written, read):
            return False
    theirs = list(read.bands())
    return any(mine.meets(other) for mine in written.bands() for other in theirs)


def _extents_meet(a: Access, b: Access) -> bool:
    return _first(a) < _end(b) and _first(b) < _end(a)


def _first(access: Access) -> int:
    return access.start.byte + access.walk.extent[0] * access.itemsize


def _end(access: Access) -> int:
    return access.start.byte + (access.walk.extent[1] + 1) * access.itemsize
