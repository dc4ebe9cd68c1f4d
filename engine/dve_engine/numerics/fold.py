"""Strictly sequential folds and scans along the last axis, bit-equal to one `alu_f32` step per element.

The loop is the definition: for every element, one step over all lanes. Three operations have a faster form that gives
the same bits as long as nothing special is met (NumPy's `accumulate` is sequential, its `add.reduce` is pairwise and
unusable); the lanes where something special is met go through the loop.
Source: isa/05 section 3.3 (accumulator folds), section 10.2 (reductions), section 11 (scans).
"""

from __future__ import annotations

import numpy as np

from ..isa.aluops import AluOp
from ..isa.assumptions import Choices
from .alu_fp32 import alu_f32
from .arrays import F32, Bools, bits, has_minus_zero, has_nan, has_subnormal

_COMMUTATIVE = {AluOp.ADD: np.add, AluOp.MULT: np.multiply, AluOp.MAX: np.maximum, AluOp.MIN: np.minimum}
_CHOOSING = (AluOp.MAX, AluOp.MIN)
_MANY_LANES = 8  # lanes per element from which one vector step per element is the faster form anyway


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
    running = _start(seed, values)
    if op in _COMMUTATIVE and not _prefers_loop(running, values, choices):
        return _fold_fast(op, running, values, choices, element_first)
    return _fold_loop(op, running, values, choices, element_first)


def fold_all(op: int, seed: F32, values: F32, choices: Choices, *, element_first: bool) -> F32:
    """Like `fold`, but every intermediate result: float32 of values' shape, element k after k + 1 steps."""
    _association(op, seed, values, choices)
    running = _start(seed, values)
    if op in _COMMUTATIVE and not _prefers_loop(running, values, choices):
        return _scan_fast(op, running, values, choices, element_first)
    return _scan_loop(op, running, values, choices, element_first)


def _start(seed: F32, values: F32) -> F32:
    return np.array(np.broadcast_to(seed, values.shape[:-1]), np.float32, order="C")


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


def _prefers_loop(running: F32, values: F32, choices: Choices) -> bool:
    if running.size >= _MANY_LANES * values.shape[-1]:
        return True
    return choices.peek("fp32-subnormals") == "flush" and (has_subnormal(running) or has_subnormal(values))


def _fold_fast(op: int, running: F32, values: F32, choices: Choices, element_first: bool) -> F32:
    special: Bools
    with np.errstate(all="ignore"):
        if op in _CHOOSING:
            ufunc = _COMMUTATIVE[AluOp(op)]
            final: F32 = np.asarray(ufunc(ufunc.reduce(values, axis=-1), running))
            if has_subnormal(values) or has_subnormal(running):
                choices["fp32-subnormals"]
            special = np.asarray(np.isnan(final))  # sticky in NumPy's maximum and minimum
            if has_minus_zero(values) or has_minus_zero(running):
                special |= final == 0
        else:
            partial = _partial_results(op, running, values)
            if _meets_subnormal(running, values, partial) and choices["fp32-subnormals"] == "flush":
                return _fold_loop(op, running, values, choices, element_first)
            final = np.array(partial[..., -1], order="C")
            special = np.asarray(np.isnan(final))  # sticky in a sum or a product
    if special.any():
        final[special] = _fold_loop(op, running[special], values[special], choices, element_first)
    return final


def _scan_fast(op: int, running: F32, values: F32, choices: Choices, element_first: bool) -> F32:
    with np.errstate(all="ignore"):
        partial = _partial_results(op, running, values)
        if _meets_subnormal(running, values, partial) and choices["fp32-subnormals"] == "flush":
            return _scan_loop(op, running, values, choices, element_first)
        special: Bools = np.zeros(running.shape, np.bool_)
        if has_nan(partial):
            special = np.asarray(np.isnan(partial).any(axis=-1))
        if op in _CHOOSING and (has_minus_zero(values) or has_minus_zero(running)):
            special |= (partial == 0).any(axis=-1)
    results = np.array(partial[..., 1:], order="C")
    if special.any():
        results[special] = _scan_loop(op, running[special], values[special], choices, element_first)
    return results


def _partial_results(op: int, running: F32, values: F32) -> F32:
    """float32 (..., elements + 1): the seed, then every intermediate result."""
    stream = np.concatenate((running[..., np.newaxis], values), axis=-1)
    partial: F32 = _COMMUTATIVE[AluOp(op)].accumulate(stream, axis=-1)
    return partial


def _meets_subnormal(running: F32, values: F32, partial: F32) -> bool:
    return has_subnormal(partial) or has_subnormal(values) or has_subnormal(running)


def _association(op: int, seed: F32, values: F32, choices: Choices) -> None:
    """Ask for `fold-association` unless the sum is exact in any order: integers that stay below 2**24."""
    if op not in (AluOp.ADD, AluOp.SUBTRACT) or values.shape[-1] < 2:
        return
    with np.errstate(all="ignore"):
        largest = max(float(np.abs(x).max(initial=0.0)) for x in (seed, values))
        small = largest * (values.shape[-1] + 1) <= 2.0**24
        if not small or any((np.rint(x) != x).any() for x in (seed, values)):
            choices["fold-association"]
