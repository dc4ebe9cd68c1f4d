"""Stochastic rounding of fp32 to a shorter float, with draws from outside.

The device's generator, the bits it uses and their assignment to lanes are not known, so no instruction rounds this way
(`stochastic-rounding` offers nearest-even only). The arithmetic of one rounding is known well enough to have here.
Source: isa/02 section 14 [L].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..isa.dtypes import Dtype
from .arrays import F32, INFINITY, MAGNITUDE, SIGN, bits, floats

_SHAPE = {  # dtype -> explicit mantissa bits, smallest normal exponent
    Dtype.BFLOAT16: (7, -126),
    Dtype.FP16: (10, -14),
    Dtype.FP8_EXP3: (4, -2),
    Dtype.FP8_EXP4: (3, -6),
    Dtype.FP8_EXP5: (2, -14),
    Dtype.FP32R: (11, -126),
}


def round_stochastic(x: F32, dtype: int, draws: npt.ArrayLike) -> F32:
    """Round to the grid of `dtype`, up with the probability the draws give.

    draws: unsigned integers that broadcast to x; the low k bits are used where k mantissa bits are dropped.
    Returns float32 on the grid of the format, without its upper bound: `narrow` writes the code and handles overflow.
    Inf and NaN pass. Raises KeyError for a dtype that is not a shorter float.
    Source: isa/02 section 14 [L].
    """
    kept, lowest = _SHAPE[Dtype(dtype)]
    u = bits(x)
    magnitude = u & MAGNITUDE
    field = (magnitude >> np.uint32(23)).astype(np.int64)
    exponent = np.maximum(field, 1) - 127
    significand = (magnitude & np.uint32(0x7FFFFF)).astype(np.int64) | (field > 0).astype(np.int64) << 23
    dropped = np.minimum(23 - kept + np.maximum(lowest - exponent, 0), 40)
    draw = np.asarray(draws).astype(np.int64) & ((np.int64(1) << dropped) - 1)
    steps = (significand + draw) >> dropped
    rounded = np.ldexp(steps.astype(np.float32), exponent - 23 + dropped)
    signed = bits(rounded.astype(np.float32)) | u & SIGN
    return floats(np.where(magnitude < INFINITY, signed, u))
