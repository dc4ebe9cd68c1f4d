"""One-bit predicates from a 32-bit scalar. They feed a select. Source: isa/07 section 7.2 [H]."""

from __future__ import annotations

import numpy as np

from .formats import Mask, as_word
from .operation import RESULT_BIT, Operand, Operation

_WORD = np.uint64(0xFFFF_FFFF)


def bitkill_moveqz(x: Mask) -> Mask:
    """1 if x is zero."""
    return as_word((x & _WORD) == 0)


def bitkill_movnez(x: Mask) -> Mask:
    """1 if x is not zero."""
    return as_word((x & _WORD) != 0)


def bitkill_movgez(x: Mask) -> Mask:
    """1 if bit 31 is clear."""
    return bitkill_movltz(x) ^ np.uint64(1)


def bitkill_movltz(x: Mask) -> Mask:
    """1 if bit 31 is set."""
    return (x >> np.uint64(31)) & np.uint64(1)


_X = (Operand("x", "ar", 32),)
OPERATIONS = tuple(
    Operation(rule.__name__, rule, _X, (RESULT_BIT,), said, "7.2")
    for rule, said in (
        (bitkill_moveqz, "x == 0"),
        (bitkill_movnez, "x != 0"),
        (bitkill_movgez, "bit 31 of x is 0"),
        (bitkill_movltz, "bit 31 of x is 1"),
    )
)
