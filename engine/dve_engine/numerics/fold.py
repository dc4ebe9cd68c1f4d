"""Strictly sequential folds and scans along the last axis, bit-equal to one `alu_f32` step per element.

The loop is the definition: for every element, one step over all lanes. ADD, SUBTRACT, MULT, MAX and MIN have faster
forms that give the same bits as long as nothing special is met; lanes where something special is met go through the
loop. NumPy adds sequentially in `accumulate` and in a `reduce` over the slow axis, but pairwise over the fast one.
Source: isa/05 section 3.3 (accumulator folds), section 10.2 (reductions), section 11 (scans).
"""

from __future__ import annotations

import numpy as np

from ..isa.aluops import AluOp
from ..isa.assumptions import Choices
from .alu_fp32 import alu_f32
from .arrays import F32, NO_SUBNORMAL_SUMS, SIGN, Bools, bits, has_below, has_minus_zero, has_nan, has_subnormal

UFUNC = {
    AluOp.ADD: np.add,
    AluOp.SUBTRACT: np.subtract,
    AluOp.MULT: np.multiply,
    AluOp.MAX: np.maximum,
    AluOp.MIN: np.minimum,
}
CHOOSING = (AluOp.MAX, AluOp.MIN)
ADDITIVE = (AluOp.ADD, AluOp.SUBTRACT)

_NOTHING = np.float32(-0.0)  # the one number that no sum shows; NumPy's own +0 would make a sum of -0 positive
_FEW_LANES = 16  # below, the slow axis is hardly one
_MANY_LANES = 4096  # from here on one vector step per element is the faster form anyway


def fold(op: int, seed: F32, values: F32, choices: Choices, *, element_first: bool) -> F32:
    """Fold `values` onto `seed`, element by element in stream order.

    seed: float32, broadcasts to the leading shape of values. values: float32 (lanes, elements) or (..., elements).
    element_first: each step is op(element, running), else op(running, element).
    Returns float32 (...), a new array; the seed where there are no elements.
    Asks for `fold-association` if the grouping of the additions could show.
    Raises AluOpNotDefined.
    Source: isa/05 section 3.3 [operand order H, rounding M].
    """
    _association(op, seed, values, choices)
    return sequential(op, seed, values, choices, element_first=element_first)


def sequential(op: int, seed: F32, values: F32, choices: Choices, *, element_first: bool) -> F32:
    """`fold` where the order of the additions is not in question."""
    running = np.array(np.broadcast_to(seed, values.shape[:-1]), np.float32, order="C")
    if op in UFUNC and values.size:
        with np.errstate(all="ignore"):
            if op in CHOOSING:
                return _fold_choosing(AluOp(op), running, values, choices, element_first)
            if op in ADDITIVE and running.size >= _FEW_LANES and not _near_subnormal(running, values):
                return _fold_sums(AluOp(op), running, values, choices, element_first)
            if running.size < _MANY_LANES:
                return np.array(_scan_fast(AluOp(op), running, values, choices, element_first)[..., -1], order="C")
    return _fold_loop(op, running, values, choices, element_first)


def fold_all(op: int, seed: F32, values: F32, choices: Choices, *, element_first: bool) -> F32:
    """Like `fold`, but every intermediate result: float32 of values' shape, element k after k + 1 steps."""
    _association(op, seed, values, choices)
    running = np.array(np.broadcast_to(seed, values.shape[:-1]), np.float32, order="C")
    if op in UFUNC and running.size < _MANY_LANES:
        with np.errstate(all="ignore"):
            return _scan_fast(AluOp(op), running, values, choices, element_first)
    return _scan_loop(op, running, values, choices, element_first)


# -- the definition --------------------------------------------------------------------------------------------------


def _step(op: int, running: F32, element: F32, choices: Choices, element_first: bool) -> F32:
    return alu_f32(op, element, running, choices) if element_first else alu_f32(op, running, element, choices)


def _fold_loop(op: int, running: F32, values: F32, choices: Choices, element_first: bool) -> F32:
    shape = running.shape
    running = np.atleast_1d(running)
    for k in range(values.shape[-1]):
        running = _step(op, running, np.atleast_1d(values[..., k]), choices, element_first)
    return np.array(running).reshape(shape)


def _scan_loop(op: int, running: F32, values: F32, choices: Choices, element_first: bool) -> F32:
    results = np.empty(values.shape, np.float32)
    running = np.atleast_1d(running)
    for k in range(values.shape[-1]):
        running = _step(op, running, np.atleast_1d(values[..., k]), choices, element_first)
        bits(results)[..., k] = bits(running).reshape(results.shape[:-1])
    return results


# -- the same bits, faster -------------------------------------------------------------------------------------------


def _fold_choosing(op: AluOp, running: F32, values: F32, choices: Choices, element_first: bool) -> F32:
    if (has_subnormal(values) or has_subnormal(running)) and choices["fp32-subnormals"] == "flush":
        return _fold_loop(op, running, values, choices, element_first)
    final: F32 = np.asarray(UFUNC[op](UFUNC[op].reduce(values, axis=-1), running))
    special: Bools = np.asarray(np.isnan(final))  # sticky in NumPy's maximum and minimum
    if has_minus_zero(values) or has_minus_zero(running):
        special |= final == 0
    return _settled(op, final, special, running, values, choices, element_first)


def _near_subnormal(*operands: F32) -> bool:
    return any(has_below(x, NO_SUBNORMAL_SUMS) for x in operands)


def _fold_sums(op: AluOp, running: F32, values: F32, choices: Choices, element_first: bool) -> F32:
    """Sums without subnormals, all lanes at once: the elements become the slow axis."""
    elements = values.shape[-1]
    rows = np.empty((elements + 1, running.size), np.float32)
    rows[0] = running.reshape(-1)
    rows[1:] = np.moveaxis(values, -1, 0).reshape(elements, -1)
    final, special = _reduced(op, rows, element_first)
    shape = running.shape
    return _settled(op, final.reshape(shape), special.reshape(shape), running, values, choices, element_first)


def _reduced(op: AluOp, rows: F32, element_first: bool) -> tuple[F32, Bools]:
    if op == AluOp.SUBTRACT and element_first:
        _alternate(rows[1:])
        final: F32 = np.add.reduce(rows, axis=0)
        if len(rows) % 2 == 0:
            bits(final)[:] ^= SIGN
        return final, np.isnan(final) | (final == 0)
    if op == AluOp.SUBTRACT:
        final = np.subtract.reduce(rows, axis=0)
    else:
        final = np.add.reduce(rows, axis=0, initial=_NOTHING)
    return final, np.isnan(final)


def _scan_fast(op: AluOp, running: F32, values: F32, choices: Choices, element_first: bool) -> F32:
    stream = np.concatenate((running[..., np.newaxis], values), axis=-1)
    alternating = op == AluOp.SUBTRACT and element_first
    if alternating:
        _alternate(np.moveaxis(stream[..., 1:], -1, 0))
    partial: F32 = (np.add if alternating else UFUNC[op]).accumulate(stream, axis=-1)
    if alternating:
        bits(partial)[..., 1::2] ^= SIGN
    subnormal = has_subnormal(partial) or has_subnormal(values) or has_subnormal(running)
    if subnormal and choices["fp32-subnormals"] == "flush":
        return _scan_loop(op, running, values, choices, element_first)
    results = np.array(partial[..., 1:], order="C")
    special: Bools = np.zeros(running.shape, np.bool_)
    if has_nan(partial):
        special |= np.isnan(partial).any(axis=-1)
    if alternating or (op in CHOOSING and (has_minus_zero(values) or has_minus_zero(running))):
        special |= (results == 0).any(axis=-1)
    if special.any():
        results[special] = _scan_loop(op, running[special], values[special], choices, element_first)
    return results


def _alternate(rows: F32) -> None:
    """Flip the sign of every other row, the first one included.

    e[k] - (e[k-1] - (...)) is an alternating sum: with the signs of every other step flipped each step is an addition
    that rounds alike. Only the sign of a zero may differ.
    """
    odd = bits(rows)[::2]
    odd ^= SIGN


def _settled(
    op: AluOp, final: F32, special: Bools, running: F32, values: F32, choices: Choices, element_first: bool
) -> F32:
    if special.any():
        final[special] = _fold_loop(op, running[special], values[special], choices, element_first)
    return final


def _association(op: int, seed: F32, values: F32, choices: Choices) -> None:
    """Ask for `fold-association` unless the sum is exact in any order: integers that stay below 2**24."""
    if op not in ADDITIVE or values.shape[-1] < 2 or not values.size:
        return
    with np.errstate(all="ignore"):
        largest = max(-float(x.min()) for x in (seed, values)), max(float(x.max()) for x in (seed, values))
        if not max(largest) * (values.shape[-1] + 1) <= 2.0**24 or any((np.rint(x) != x).any() for x in (seed, values)):
            choices["fold-association"]
