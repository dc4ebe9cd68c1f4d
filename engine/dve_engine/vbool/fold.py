"""Folding one mask to one bit, and counting.

`randb` and `rorb` are AND and OR over the lanes, not random numbers; only the low bit of each field counts.
Source: isa/07 sections 5.1 and 5.2; the N/2 forms and popc2nx8 are [M].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .formats import BYTES, HALVES, WORDS, Bools, Format, Mask, Vector, any_lane, as_word, vb_bits
from .operation import RESULT_BIT, VB, Operand, Operation, lane, vec

SUFFIXES = (("2n", BYTES), ("n", HALVES), ("n_2", WORDS))


def _fold(rule: Callable[[Bools], Bools], fmt: Format) -> Callable[[Mask], Mask]:
    def whole(vb: Mask) -> Mask:
        return as_word(rule(vb_bits(vb, fmt)))

    return whole


def _all(bits: Bools) -> Bools:
    return np.asarray(bits.all(axis=-1))


def popc64_7_64(vb: Mask) -> Mask:
    """The number of set bits, 0 to 64."""
    return as_word(np.bitwise_count(vb))


def ivp_popc2nx8(vec: Vector) -> Vector:
    """The number of set bits of every byte."""
    return np.asarray(np.bitwise_count(vec))


def _rows() -> Iterator[Operation]:
    for suffix, fmt in SUFFIXES:
        sure = "M" if fmt is WORDS else "H"
        every, some = f"1 if all {fmt.count} lanes are true", f"1 if any of {fmt.count} lanes is true"
        yield Operation(f"ivp_randb{suffix}", _fold(_all, fmt), (VB,), (RESULT_BIT,), every, "5.1", sure)
        yield Operation(f"ivp_rorb{suffix}", _fold(any_lane, fmt), (VB,), (RESULT_BIT,), some, "5.1", sure)


OPERATIONS = (
    *_rows(),
    Operation(
        "popc_8_8", popc64_7_64, (lane("x", 8),), (Operand("count", "lane", 4, counted=True),),
        "set bits of a byte", "5.2", routine=True,
    ),
    Operation(
        "popc64_7_64", popc64_7_64, (VB,), (Operand("count", "lane", 7, counted=True),), "set bits of a mask", "5.2",
        routine=True,
    ),
    Operation(
        "ivp_popc2nx8", ivp_popc2nx8, (vec("vec"),), (vec("result"),), "set bits of every byte", "5.2", "M",
        note="one page says it writes an AR; its routine is per byte lane",
    ),
)  # fmt: skip
