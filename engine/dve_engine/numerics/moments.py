"""Means and summed squared deviations, the way batch-norm statistics make and merge them.

Every step is one rounded fp32 operation with the NaN bits of isa/02 section 11.1 row 2. The plain NumPy loop gives the
same bits as long as no NaN and no subnormal is met; its intermediate results are kept to find out, and where one is
met the `alu_fp32` steps decide.
Source: isa/06 sections 6.2 and 6.3 [functional reference; accumulation order M].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..isa.aluops import AluOp
from ..isa.assumptions import Choices
from .alu_fp32 import ADD, MULT, SUBTRACT, inputs, output, quiet_own_nans
from .arrays import F32, has_nan, has_subnormal
from .fold import sequential

_ONE = np.ones(1, np.float32)


class Moments(NamedTuple):
    """Of each lane, float32 (lanes,): the mean, and the sum of squared deviations from it."""

    mean: F32
    spread: F32


def moments(values: F32, choices: Choices) -> Moments:
    """The moments of float32 (lanes, elements), zero where there are no elements. Asks for `bn-accumulation`."""
    if not values.shape[1]:
        zero = np.zeros(len(values), np.float32)
        return Moments(zero, zero.copy())
    with np.errstate(all="ignore"):
        if choices["bn-accumulation"] == "sum-and-square":
            return _by_sums(values, choices)
        quick, steps = _by_updates_plain(values)
        if has_nan(steps) or has_subnormal(steps) or has_subnormal(values):
            return _by_updates(values, choices)
    return quick


def _by_updates(values: F32, choices: Choices) -> Moments:
    """The definition: mean' = (1 - r) mean + r x with r = 1 / k, spread += (x - mean') (x - mean)."""
    mean, spread = (np.zeros(len(values), np.float32) for _ in range(2))
    for k in range(1, values.shape[1] + 1):
        x, before = np.ascontiguousarray(values[:, k - 1]), mean
        r = _ONE / np.float32(k)
        mean = ADD(MULT(_ONE - r, before, choices), MULT(r, x, choices), choices)
        step = MULT(SUBTRACT(x, mean, choices), SUBTRACT(x, before, choices), choices)
        spread = ADD(spread, step, choices)
    return Moments(mean, spread)


def _by_updates_plain(values: F32) -> tuple[Moments, F32]:
    """The same without special cases, and every intermediate result."""
    lanes, count = values.shape
    steps = np.empty((count, 7, lanes), np.float32)
    stream = np.ascontiguousarray(values.T)
    mean, spread = (np.zeros(lanes, np.float32) for _ in range(2))
    one = np.float32(1)
    for k in range(count):
        x, (old, new, after, to_mean, to_before, product, total) = stream[k], steps[k]
        r = one / np.float32(k + 1)
        np.multiply(one - r, mean, out=old)
        np.multiply(r, x, out=new)
        np.add(old, new, out=after)
        np.subtract(x, after, out=to_mean)
        np.subtract(x, mean, out=to_before)
        np.multiply(to_mean, to_before, out=product)
        np.add(spread, product, out=total)
        mean, spread = after, total
    return Moments(mean.copy(), spread.copy()), steps


def _by_sums(values: F32, choices: Choices) -> Moments:
    """mean = sum * (1 / N), spread = sum of squares - N * mean**2; 1 / N is computed, not read from the RAM."""
    count = np.full(1, values.shape[1], np.float32)
    zero = np.zeros(len(values), np.float32)
    total = sequential(AluOp.ADD, zero, values, choices, element_first=False)
    squares = sequential(AluOp.ADD, zero, MULT(values, values, choices), choices, element_first=False)
    mean = MULT(total, _ONE / count, choices)
    return Moments(mean, SUBTRACT(squares, MULT(count, MULT(mean, mean, choices), choices), choices))


def merge(counts: F32, means: F32, spreads: F32, choices: Choices) -> tuple[F32, F32]:
    """Merge parts into the mean and the population variance of the whole, float32 (lanes,) each.

    counts, means, spreads: float32 (lanes, parts). Parts without elements make NaN, as in the reference [OPEN].
    """
    n, mean, variance = (np.zeros(len(counts), np.float32) for _ in range(3))
    with np.errstate(all="ignore"):
        for k in range(counts.shape[1]):
            count, part, spread = (np.ascontiguousarray(column[:, k]) for column in (counts, means, spreads))
            total = ADD(count, n, choices)
            r = _inverse(total, choices)
            apart = SUBTRACT(mean, part, choices)
            weighted = ADD(MULT(mean, n, choices), MULT(count, part, choices), choices)
            between = MULT(MULT(count, n, choices), MULT(apart, apart, choices), choices)
            within = MULT(ADD(MULT(variance, n, choices), spread, choices), r, choices)
            mean = MULT(weighted, r, choices)
            variance = ADD(within, MULT(MULT(between, r, choices), r, choices), choices)
            n = total
    return mean, variance


def _inverse(x: F32, choices: Choices) -> F32:
    (x,) = inputs(choices, x)
    return quiet_own_nans(output(_ONE / x, choices), x)
