"""Searching a stream: the eight largest elements, the first elements equal to given keys. In fp32, lanes independent.

Source: isa/06 section 5.10, isa/04 section 8.3 [H, tags there].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..isa.assumptions import Choices
from .alu_fp32 import inputs
from .arrays import F32, SIGN, U32, Bools, bits, has_minus_zero
from .errors import NotDefined

SLOTS = 8
MISS = np.uint32(0xFFFF_FFFF)


def eight_largest(values: F32, choices: Choices) -> F32:
    """The eight largest elements of each lane, largest first.

    values: float32 (lanes, elements), at least eight elements. Returns float32 (lanes, 8), bits kept.
    An element moves down the eight slots: it takes the first empty one, or the place of the first smaller one, which
    moves on in its stead. A NaN wins no comparison. By default (`max8-nan`) one among the first eight elements fills
    the slot that is empty when it arrives and is never displaced; the numbers share the other slots.
    Raises NotDefined if NaNs are skipped and fewer than eight numbers are left.
    """
    (values,) = inputs(choices, values)
    numbers: F32 = -np.sort(np.partition(-values, SLOTS - 1, axis=1)[:, :SLOTS], axis=1)  # NaN last
    early = np.isnan(values[:, :SLOTS])
    skipped = early.any() and choices["max8-nan"] == "skipped"
    if skipped:
        if np.isnan(numbers).any():
            raise NotDefined("fewer than eight numbers: no source says what an empty slot holds (max8-nan)")
        early = np.zeros_like(early)
    _order_zeros(numbers, values, SLOTS - early.sum(axis=1))
    rank = np.maximum(np.cumsum(~early, axis=1) - 1, 0)
    return np.where(early, values[:, :SLOTS], np.take_along_axis(numbers, rank, axis=1))


def _order_zeros(numbers: F32, values: F32, capacity: npt.NDArray[np.intp]) -> None:
    """Put +0 and -0, which are equal, in the order the slots give them. In place.

    capacity: slots for numbers, (lanes,).
    """
    if not has_minus_zero(values):
        return
    zeros, minus = values == 0, bits(values) == SIGN
    mixed = minus.any(axis=1) & (zeros & ~minus).any(axis=1)
    for lane in np.flatnonzero(mixed & (numbers == 0).any(axis=1)):
        held = _zeros_held(values[lane], int(capacity[lane]))
        numbers[lane, np.flatnonzero(numbers[lane] == 0)[: len(held)]] = held


def _zeros_held(stream: F32, capacity: int) -> list[float]:
    """The zeros in the slots of one lane: each positive element sends the first of them behind the others."""
    held: list[float] = []
    start, positives = 0, np.flatnonzero(stream > 0)[:capacity].tolist()
    for above, stop in enumerate([*positives, len(stream)]):
        segment = stream[start:stop]
        held += segment[segment == 0][: capacity - above - len(held)].tolist()
        if held and stop < len(stream):
            first = held.pop(0)
            held += [first] if above + 1 + len(held) < capacity else []
        start = stop + 1
    return held


def match_keys(values: F32, keys: F32, armed: Bools, choices: Choices) -> U32:
    """For each key the position of the element it matches, or MISS.

    values: float32 (lanes, elements). keys, armed: (lanes, 8); a key that is not armed matches nothing.
    Elements are taken in order, each by the lowest free key equal to it: equal keys get successive occurrences. A NaN
    equals nothing, -0 equals +0. Returns uint32 (lanes, 8).
    """
    values, keys = inputs(choices, values, keys)
    found = np.full(keys.shape, MISS)
    free = np.ones(values.shape, np.bool_)
    lanes = np.arange(len(values))
    for slot in range(SLOTS):
        hits = values == keys[:, slot : slot + 1]
        hits &= free
        hits &= armed[:, slot : slot + 1]
        first = hits.argmax(axis=1)
        taken = hits[lanes, first]
        found[taken, slot] = first[taken]
        free[lanes[taken], first[taken]] = False
    return found
