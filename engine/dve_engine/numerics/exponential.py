"""exp of fp32 values, correctly rounded and equal on every host.

float64 decides all but the few results next to the middle of two fp32 neighbours; those are settled in decimal.
Source: isa/05 section 13, isa/02 section 11.1 row 3; accuracy OPEN (`exponential-accuracy`).
"""

from __future__ import annotations

from decimal import Context, Decimal

import numpy as np

from ..isa.assumptions import Choices
from .alu_fp32 import output, quiet_own_nans
from .arrays import F32

_MARGIN = 2.0**-50  # above the relative error of any float64 exp in use
_DIGITS = Context(prec=60)
_OVERFLOW = 2.0**128


def exp_f32(x: F32, choices: Choices) -> F32:
    """e to the x. -inf gives +0, +inf gives +inf, zeros give 1, a NaN is made quiet; results may be subnormal.

    Returns float32 of x's shape.
    """
    if (np.isfinite(x) & (x != 0)).any():
        choices["exponential-accuracy"]
    with np.errstate(all="ignore"):
        wide = np.exp(x, dtype=np.float64)
        low, high = (wide * (1 + margin) for margin in (-_MARGIN, _MARGIN))
        r, below, above = (w.astype(np.float32, order="C") for w in (wide, low, high))
    undecided = below != above
    undecided &= ~np.isnan(x)
    if undecided.any():
        r[undecided] = [_nearest(*of) for of in zip(x[undecided], below[undecided], above[undecided], strict=True)]
    return output(quiet_own_nans(r, x), choices)


def _nearest(x: np.float32, below: np.float32, above: np.float32) -> np.float32:
    """Which of two neighbours is nearer to exp(x); it is never half-way, being transcendental."""
    exact = Decimal(float(x)).exp(_DIGITS)
    upper = Decimal(_OVERFLOW) if np.isinf(above) else Decimal(float(above))
    return above if 2 * exact > Decimal(float(below)) + upper else below
