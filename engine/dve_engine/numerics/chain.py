"""A chain of fp32 steps with scalars: one look at the operand and one at the result stand for a look at each step.

ADD, SUBTRACT and MULT hand a NaN on, so a NaN anywhere shows at the end. And a lower bound on the magnitudes of the
operand keeps every later result away from the subnormals:

    MULT by s        a result of at least m needs an operand of at least m / |s|
    ADD s            operand and s are multiples of half a unit in the last place of s, and so is their sum: where it is
                     not zero it is at least |s| / 2**25, whatever the operand
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..isa.aluops import AluOp
from .arrays import F32, has_below, has_nan

_UFUNC = {AluOp.ADD: np.add, AluOp.SUBTRACT: np.subtract, AluOp.MULT: np.multiply}
_MIN_NORMAL = 2.0**-126
_SLACK = 1.0 + 2.0**-20  # for the rounding of the quotient
_LAST_PLACES = 2.0**25


@dataclass(frozen=True)
class Link:
    """One step: operand op scalar, or scalar op operand. scalar: float32 (), (1, 1) or (lanes, 1)."""

    op: int
    scalar: F32
    scalar_first: bool = False


class Chain:
    """Links made ready. least: the bits of the magnitude that every operand other than zero must reach."""

    def __init__(self, links: Sequence[Link], least: float) -> None:
        self.least = int(np.float32(least).view(np.uint32))
        self._steps = [(_UFUNC[AluOp(link.op)], link.scalar, link.scalar_first) for link in links]

    @classmethod
    def of(cls, links: Sequence[Link]) -> Chain | None:
        """None where a step or a scalar is special: a NaN, an infinity, a subnormal, another operation."""
        least = _least(links)
        return None if least is None else cls(links, least)

    def into(self, result: F32, values: F32) -> bool:
        """The links applied to `values`, float32 and none below `least`; each step rounded.

        result: of the shape of values, which it may be. Returns whether `result` is right: not where a NaN came up.
        """
        for ufunc, scalar, scalar_first in self._steps:
            if scalar_first:
                ufunc(scalar, values, result)
            else:
                ufunc(values, scalar, result)
            values = result
        return not has_nan(result)


def chain(values: F32, links: Sequence[Link]) -> F32 | None:
    """The links applied to `values`, float32 (lanes, elements), each step rounded; a new array.

    None where a step or a number is special: a NaN, a subnormal, another operation. What `alu_f32` would give is then
    for the caller to find out, step by step.
    """
    ready = Chain.of(links)
    if ready is None or has_below(values, ready.least):
        return None
    result = np.empty(values.shape, np.float32)
    with np.errstate(all="ignore"):
        return result if ready.into(result, values) else None


def _least(links: Sequence[Link]) -> float | None:
    """What every operand other than zero must reach for all results to be zero or normal; None if nothing is enough."""
    least = _MIN_NORMAL
    for link in reversed(links):
        magnitudes = [abs(value) for value in link.scalar.ravel().tolist()]
        smallest = min((value for value in magnitudes if value), default=math.inf)
        if link.op not in _UFUNC or smallest < _MIN_NORMAL or not all(value < math.inf for value in magnitudes):
            return None
        zeros = 0.0 in magnitudes
        if link.op == AluOp.MULT:
            least = max(_MIN_NORMAL, least / smallest * _SLACK)
        elif smallest < least * _LAST_PLACES:
            return None
        elif not zeros:
            least = _MIN_NORMAL
    return least if least < 2.0**127 else None
