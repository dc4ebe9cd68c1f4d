"""Searching a stream: the eight largest elements, the first elements equal to given keys. In fp32, lanes independent.

Source: isa/06 section 5.10, isa/04 section 8.3 [H, tags there].
"""

from __future__ import annotations

import numpy as np

from ..isa.assumptions import Choices
from .alu_fp32 import inputs
from .arrays import F32, U32, Bools
from .errors import NotDefined

SLOTS = 8
MISS = np.uint32(0xFFFF_FFFF)


def eight_largest(values: F32, choices: Choices) -> F32:
    """The eight largest elements of each lane, largest first, equal ones (+0 and -0 too) in the order of arrival.

    values: float32 (lanes, elements), at least eight elements. Returns float32 (lanes, 8), bits kept.
    A NaN wins no comparison. By default (`max8-nan`) one among the first eight elements fills the slot that is empty
    when it arrives and is never displaced; the numbers share the other slots.
    Raises NotDefined if NaNs are skipped and fewer than eight numbers are left.
    """
    (values,) = inputs(choices, values)
    order = np.argsort(-values, axis=1, kind="stable")[:, :SLOTS]  # NaN last
    numbers: F32 = np.take_along_axis(values, order, axis=1)
    early = np.isnan(values[:, :SLOTS])
    if not early.any():
        return numbers
    if choices["max8-nan"] == "skipped":
        if np.isnan(numbers).any():
            raise NotDefined("fewer than eight numbers: no source says what an empty slot holds (max8-nan)")
        return numbers
    rank = np.maximum(np.cumsum(~early, axis=1) - 1, 0)
    return np.where(early, values[:, :SLOTS], np.take_along_axis(numbers, rank, axis=1))


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
