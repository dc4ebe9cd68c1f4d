"""1/x in fp32. Source: isa/06 section 5.4 [M], NaN bits isa/02 section 11.1 row 3 [M]."""

from __future__ import annotations

import numpy as np

from ..isa.assumptions import Choices
from .alu_fp32 import inputs, output, quiet_own_nans
from .arrays import F32


def reciprocal(x: F32, choices: Choices) -> F32:
    """1/x, correctly rounded (`reciprocal-accuracy`); 1/+-0 is +-Inf, 1/+-Inf is +-0, a NaN is made quiet.

    x: float32 of at least one dimension. Returns a new array.
    """
    choices["reciprocal-accuracy"]
    with np.errstate(all="ignore"):
        (x,) = inputs(choices, x)
        r: F32 = np.divide(np.float32(1), x, order="C")
        return output(quiet_own_nans(r, x), choices)
