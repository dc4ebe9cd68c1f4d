"""Where the maximum of a window stands. Source: isa/05 section 12 [H; ties and NaN M]."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..isa.assumptions import Choices
from .alu_fp32 import inputs
from .arrays import F32, has_nan


def position_of_maximum(windows: F32, choices: Choices) -> npt.NDArray[np.int64]:
    """The position of the maximum of each window: the first of equal ones, +0 and -0 counting as equal.

    windows: float32 (..., size). Returns int64 (...). A NaN takes part by `max-nan`, the maximum so far on the left.
    """
    if not has_nan(windows):
        (plain,) = inputs(choices, windows)
        first: npt.NDArray[np.int64] = np.argmax(plain, axis=-1)
        return first
    best = windows[..., 0]
    position = np.zeros(best.shape, np.int64)
    for k in range(1, windows.shape[-1]):
        element = windows[..., k]
        won = _wins(best, element, choices["max-nan"])
        best = np.where(won, element, best)
        position[won] = k
    return position


def _wins(best: F32, element: F32, policy: str) -> npt.NDArray[Any]:
    """Whether MAX takes the element over the best so far."""
    best_nan, element_nan = np.isnan(best), np.isnan(element)
    if policy == "maxnum":
        return (element > best) | (best_nan & ~element_nan)
    if policy == "propagate":
        return ((element > best) | element_nan) & ~best_nan
    return (element > best) | best_nan | element_nan
