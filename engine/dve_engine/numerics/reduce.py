"""Reductions and scans of groups, (lanes, groups, size): in fp32 and on raw bits.

Strictly sequential in stream order. What seeds a reduction, which operand is on the left and what a unary code acts
on are open questions, each asked only where its alternatives give different bits. Source: isa/05 sections 10.2 and
11, isa/06 section 5.5 [M unless marked].
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..isa.aluops import UNARY, AluOp
from ..isa.assumptions import Choices
from .alu_lanes import alu_bits, alu_int, between_bit_ops
from .arrays import F32, I32, U32, has_minus_zero, has_nan, has_subnormal
from .fold import fold, fold_all

_INF = np.float32(np.inf)
NEUTRAL: Mapping[int, np.float32] = {  # seeds under tensor-reduce-seed = identity
    AluOp.ADD: np.float32(0), AluOp.SUBTRACT: np.float32(0), AluOp.MULT: np.float32(1), AluOp.MAX: -_INF,
    AluOp.MIN: _INF, AluOp.LOGICAL_AND: np.float32(1), AluOp.LOGICAL_OR: np.float32(0),
    AluOp.LOGICAL_XOR: np.float32(0), AluOp.ABS_MAX: np.float32(0), AluOp.ABS_MIN: _INF,
}  # fmt: skip
_BIT_UFUNC = {AluOp.BITWISE_AND: np.bitwise_and, AluOp.BITWISE_OR: np.bitwise_or, AluOp.BITWISE_XOR: np.bitwise_xor}
NEUTRAL_BITS = frozenset(_BIT_UFUNC)  # their neutral seed cannot be told from the first element

_EXACT = (AluOp.ADD, AluOp.MULT, AluOp.MAX, AluOp.MIN)  # f(neutral, x) is x but for NaN, -0 and subnormals
_TRUTH = (AluOp.LOGICAL_AND, AluOp.LOGICAL_OR, AluOp.LOGICAL_XOR, AluOp.IS_EQ, AluOp.IS_NE)
_SYMMETRIC = (*_EXACT, AluOp.ABSOLUTE_DIFF, AluOp.ABS_MAX, AluOp.ABS_MIN)  # but for two NaN


# -- reductions ------------------------------------------------------------------------------------------------------


def reduce_f32(op: int, values: F32, choices: Choices) -> F32:
    """Fold every group in fp32: (lanes, groups, size) to (lanes, groups).

    Raises KeyError where `tensor-reduce-seed` asks for the identity of an operation that has none, AluOpNotDefined.
    """
    element_first = values.shape[-1] > 1 and _element_first(op, values, choices)
    seed, rest = values[..., 0], values[..., 1:]
    if _seed_shows(op, values, choices) and choices["tensor-reduce-seed"] == "identity":
        rest, element_first = values, _element_first(op, values, choices)
        seed = seed if op in UNARY else np.broadcast_to(NEUTRAL[op], seed.shape)
    return fold(op, seed, rest, choices, element_first=element_first)


def _seed_shows(op: int, values: F32, choices: Choices) -> bool:
    if op in _EXACT:
        zero = op == AluOp.ADD and has_minus_zero(values)
        flushed = choices.peek("fp32-subnormals") == "flush" and has_subnormal(values)
        return zero or flushed or has_nan(values)
    if op in NEUTRAL and op != AluOp.SUBTRACT:
        return values.shape[-1] == 1 or has_nan(values)
    return True


def _element_first(op: int, values: F32, choices: Choices) -> bool:
    if op in UNARY:
        return choices["unary-op-in-fold"] == "element"
    if op in _TRUTH:
        return False
    if op in _SYMMETRIC and not has_nan(values) and not _zero_order_shows(op, values, choices):
        return False
    return choices["tensor-reduce-operand-order"] == "element-first"


def _zero_order_shows(op: int, values: F32, choices: Choices) -> bool:
    if op not in (AluOp.MAX, AluOp.MIN):
        return False
    right_wins = choices.peek("max-signed-zero") == "right-operand" or choices.peek("max-nan") == "select"
    return right_wins and has_minus_zero(values)


def reduce_bits(op: int, values: U32, dtype: int, choices: Choices) -> U32:
    """Fold every group on its raw bits: (lanes, groups, size) to (lanes, groups).

    dtype: the elements'. Raises AluOpNotDefined.
    """
    if op in _BIT_UFUNC:
        whole: U32 = _BIT_UFUNC[AluOp(op)].reduce(values, axis=-1)
        return whole
    running, steps = values[..., 0], range(1, values.shape[-1])
    element_first = bool(steps) and _element_first_bits(op, choices)
    if choices["tensor-reduce-seed"] == "identity":  # left to unary codes that take the element
        steps = range(values.shape[-1])
        element_first = _element_first_bits(op, choices)
    for k in steps:
        left, right = running, values[..., k]
        if element_first:
            left, right = right, between_bit_ops(left, op, dtype, choices)
        running = alu_bits(op, left, right, choices, dtype=dtype)
    return running


def _element_first_bits(op: int, choices: Choices) -> bool:
    if op in UNARY:
        return choices["unary-op-in-fold"] == "element"
    return choices["tensor-reduce-operand-order"] == "element-first"


# -- scans -----------------------------------------------------------------------------------------------------------


def scan_f32(op: int, values: F32, choices: Choices) -> F32:
    """Inclusive scan of every group in fp32: element 0 as it is, then running op element. Shape kept.

    Raises AluOpNotDefined.
    """
    results = np.array(values, order="C")
    rest = values[..., 1:]
    if rest.size:
        on_element = op in UNARY and choices["unary-op-in-fold"] == "element"
        results[..., 1:] = fold_all(op, values[..., 0], rest, choices, element_first=on_element)
    return results


def scan_bits(op: int, values: U32, dtype: int, choices: Choices) -> U32:
    """Inclusive scan of every group on its raw bits. Raises AluOpNotDefined."""
    if op in _BIT_UFUNC:
        whole: U32 = _BIT_UFUNC[AluOp(op)].accumulate(values, axis=-1)
        return whole
    results = values.copy()
    for k in range(1, values.shape[-1]):
        left = _left(op, results[..., k - 1], values[..., k], choices)
        results[..., k] = alu_bits(op, left, values[..., k], choices, dtype=dtype)
    return results


def _left(op: int, running: U32, element: U32, choices: Choices) -> U32:
    return element if op in UNARY and choices["unary-op-in-fold"] == "element" else running


def scan_int(op: int, values: I32) -> I32:
    """Inclusive scan of every group in signed 32-bit integers that wrap. Raises AluOpNotDefined."""
    results = values.copy()
    for k in range(1, values.shape[-1]):
        results[..., k] = alu_int(op, results[..., k - 1], values[..., k])
    return results
