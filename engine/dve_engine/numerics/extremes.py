"""The most extreme elements of groups, with their places: what the sparsity instructions keep.

Source: isa/06 section 7.4 [direction, order of output H; ties, NaN, sign of ABS winners by `sparsity-ranking` L].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..isa.assumptions import Choices
from ..isa.codes import CompressOp
from .arrays import F32, U32, Bools, clear_sign

_ABS = (CompressOp.ABS_MIN, CompressOp.ABS_MAX)
_LARGEST = (CompressOp.MAX, CompressOp.ABS_MAX)


class Winners(NamedTuple):
    """Values and indices inside the group, least extreme first."""

    values: F32
    tags: U32


def extremes(op: CompressOp, groups: F32, count: int, choices: Choices) -> Winners:
    """The `count` most extreme elements of each group.

    groups: float32 (lanes, groups, elements). Returns arrays (lanes, groups, count).
    Of two equal elements the earlier is the more extreme, and among equal winners it is written first;
    `sparsity-ranking` may turn both around, and may write the magnitude of an ABS winner. A NaN is less extreme than
    any number. The zeros are equal.
    """
    key = clear_sign(groups) if op in _ABS else groups
    key = -key if op in _LARGEST else key  # the more extreme, the smaller
    nan = np.isnan(groups)
    key = np.where(nan, np.float32(0), key)
    place = np.broadcast_to(np.arange(groups.shape[-1]), groups.shape)
    order = np.lexsort((place, key, nan), axis=-1)
    if _tied(key, nan, order[..., : count + 1]) and choices["sparsity-ranking"].startswith("later-index"):
        place = -place
        order = np.lexsort((place, key, nan), axis=-1)
    tags = order[..., :count]
    place, key, nan = (np.take_along_axis(x, tags, axis=-1) for x in (place, key, nan))
    tags = np.take_along_axis(tags, np.lexsort((place, -key, ~nan), axis=-1), axis=-1)
    values = np.take_along_axis(groups, tags, axis=-1)
    if op in _ABS and np.signbit(values).any() and choices["sparsity-ranking"].endswith("magnitude"):
        values = clear_sign(values)
    return Winners(values, tags.astype(np.uint32))


def _tied(key: F32, nan: Bools, order: npt.NDArray[np.intp]) -> bool:
    """Whether two of the elements named by `order`, neighbours in it, rank alike."""
    keys, nans = np.take_along_axis(key, order, axis=-1), np.take_along_axis(nan, order, axis=-1)
    return bool(((keys[..., 1:] == keys[..., :-1]) & (nans[..., 1:] == nans[..., :-1])).any())
