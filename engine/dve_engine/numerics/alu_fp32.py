"""The fp32 datapath: every base-band operation with a formula.

A table maps the code to a function of (a, b, choices); a is the left operand. The plain ufunc comes first, and only a
result (or operand) that holds a NaN, a negative zero or a subnormal is looked at again. NaN bits follow isa/02 section
11.1 on every host: an x86 makes FFC00000 out of an invalid operation, and NumPy's loops may swap operands.
Source: isa/03 section 2.2, isa/02 sections 11 and 11.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..isa.aluops import AluOp
from ..isa.assumptions import Choices
from .arrays import (
    F32,
    NO_SUBNORMAL_PRODUCTS,
    NO_SUBNORMAL_SUMS,
    QNAN,
    QUIET,
    SIGN,
    Bools,
    at,
    bits,
    clear_sign,
    floats,
    flush_subnormals,
    has_below,
    has_minus_zero,
    has_nan,
    has_subnormal,
)
from .errors import AluOpNotDefined

Fp32Function = Callable[[F32, F32, Choices], F32]


def alu_f32(op: int, a: F32, b: F32 | None, choices: Choices) -> F32:
    """One fp32 step, rounded to nearest even.

    a, b: float32 of at least one dimension that broadcast, (lanes, 1) against (lanes, n) for instance. b is ignored by
    the unary operations and may be None there; their result has a's shape.
    Returns float32; for BYPASS `a` itself, otherwise a new array. Comparisons and logical operations give 1.0 or 0.0.
    Raises AluOpNotDefined for a code without a formula here.
    Source: isa/03 section 2.2 [tags there], isa/02 section 11.1 [M].
    """
    function = FP32_FUNCTIONS.get(op)
    if function is None:
        raise AluOpNotDefined(op, "fp32")
    with np.errstate(all="ignore"):
        return function(a, a if b is None else b, choices)


# -- operands and results --------------------------------------------------------------------------------------------


def inputs(choices: Choices, *operands: F32) -> tuple[F32, ...]:
    """The operands as the ALU sees them: `fp32-subnormals` is asked for if one holds a subnormal."""
    if any(has_subnormal(x) for x in operands) and choices["fp32-subnormals"] == "flush":
        return tuple(flush_subnormals(x) for x in operands)
    return operands


def output(r: F32, choices: Choices) -> F32:
    """A result that an operation may have made subnormal."""
    if has_subnormal(r) and choices["fp32-subnormals"] == "flush":
        return flush_subnormals(r)
    return r


def settle_nans(r: F32, a: F32, b: F32, choices: Choices) -> F32:
    """Write the NaN bits of r = a op b: the first NaN operand made quiet, else 7FC00000. In place.

    Source: isa/02 section 11.1 row 2 [M], `nan-results`.
    """
    if not has_nan(r):
        return r
    where = np.nonzero(np.isnan(r))
    nan = np.full(where[0].shape, QNAN)
    if choices["nan-results"] != "always-canonical":
        for operand in (b, a):  # the left one has the last word
            u = at(operand, where, r.shape)
            nan = np.where(_nan_bits(u), u | QUIET, nan)
    bits(r)[where] = nan
    return r


def _nan_bits(u: Any) -> Bools:
    masked: Bools = (u & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
    return masked


def quiet_own_nans(r: F32, a: F32) -> F32:
    """For a unary operation: a NaN operand made quiet, any other NaN 7FC00000. Source: isa/02 section 11.1 row 3."""
    nan = np.isnan(r)
    if nan.any():
        u = bits(a)[nan]
        bits(r)[nan] = np.where(_nan_bits(u), u | QUIET, QNAN)
    return r


def _one(mask: Bools) -> F32:
    return mask.view(np.uint8).astype(np.float32)


# -- the operations --------------------------------------------------------------------------------------------------


def _bypass(a: F32, b: F32, choices: Choices) -> F32:
    return a


def _rounded(ufunc: np.ufunc, ordinary: int) -> Fp32Function:
    """ADD, SUBTRACT, MULT: SUBTRACT of a NaN keeps the NaN's sign.

    ordinary: bits of a magnitude. Operands that are zero or at least as large give no subnormal result.
    """

    def step(a: F32, b: F32, choices: Choices) -> F32:
        if has_below(a, ordinary) or has_below(b, ordinary):
            a, b = inputs(choices, a, b)
            r: F32 = output(ufunc(a, b, order="C"), choices)
        else:
            r = ufunc(a, b, order="C")
        return settle_nans(r, a, b, choices)

    return step


ADD, SUBTRACT = (_rounded(ufunc, NO_SUBNORMAL_SUMS) for ufunc in (np.add, np.subtract))
MULT = _rounded(np.multiply, NO_SUBNORMAL_PRODUCTS)


def _choosing(ufunc: np.ufunc, winning_zero: int, prepare: Callable[[F32], F32] | None = None) -> Fp32Function:
    """MAX, MIN and their ABS forms: one operand's bits, never made quiet.

    winning_zero: bits of the zero that wins against the other one. prepare: applied to both operands first.
    Source: isa/03 section 2.2, OPEN-3.
    """

    def step(a: F32, b: F32, choices: Choices) -> F32:
        a, b = inputs(choices, a, b)
        if prepare is not None:
            a, b = prepare(a), prepare(b)
        r: F32 = ufunc(a, b, order="C")
        if has_nan(r):
            _choose_nan(r, a, b, choices["max-nan"])
        if has_minus_zero(a) or has_minus_zero(b):
            _choose_zero(r, a, b, winning_zero, choices)
        return r

    return step


def _choose_nan(r: F32, a: F32, b: F32, policy: str) -> None:
    where = np.nonzero(np.isnan(r))
    left, right = at(a, where, r.shape), at(b, where, r.shape)
    left_is_nan = _nan_bits(left)
    if policy == "maxnum":
        chosen = np.where(left_is_nan, right, left)
    elif policy == "propagate":
        chosen = np.where(left_is_nan, left, right)
    else:  # select: neither a > b nor a < b, so b
        chosen = right
    bits(r)[where] = chosen


def _choose_zero(r: F32, a: F32, b: F32, winning_zero: int, choices: Choices) -> None:
    opposite = np.bitwise_xor(bits(a), bits(b)) == SIGN
    opposite &= r == 0
    if not opposite.any():
        return
    by_compare = choices.peek("max-nan") == "select"  # whose plain compare settles ties, too
    choice = choices["max-nan" if by_compare else "max-signed-zero"]
    if choice == "positive-above-negative":
        bits(r)[opposite] = winning_zero
    else:
        bits(r)[opposite] = np.broadcast_to(bits(b), r.shape)[opposite]


MAX, MIN = _choosing(np.maximum, 0), _choosing(np.minimum, int(SIGN))
_ABS_MAX, _ABS_MIN = _choosing(np.maximum, 0, clear_sign), _choosing(np.minimum, int(SIGN), clear_sign)


def _comparing(ufunc: np.ufunc) -> Fp32Function:
    """Ordered compares; IS_NE is true for a NaN, the others false. +0 equals -0."""

    def step(a: F32, b: F32, choices: Choices) -> F32:
        a, b = inputs(choices, a, b)
        return _one(ufunc(a, b, order="C"))

    return step


def _logical(ufunc: np.ufunc) -> Fp32Function:
    """1.0 or 0.0 of two truth values: -0 is false, a NaN by `logical-nan-truth`."""

    def step(a: F32, b: F32, choices: Choices) -> F32:
        a, b = inputs(choices, a, b)
        truth = [x != 0 for x in (a, b)]
        nan = [has_nan(x) for x in (a, b)]
        if any(nan) and choices["logical-nan-truth"] == "nan-is-false":
            truth = [t & ~np.isnan(x) if n else t for t, x, n in zip(truth, (a, b), nan, strict=True)]
        return _one(ufunc(*truth, order="C"))

    return step


def _absolute_diff(a: F32, b: F32, choices: Choices) -> F32:
    return clear_sign(SUBTRACT(a, b, choices))


def _absolute_value(a: F32, b: F32, choices: Choices) -> F32:
    (a,) = inputs(choices, a)
    return clear_sign(a)


def _relu(a: F32, b: F32, choices: Choices) -> F32:
    (a,) = inputs(choices, a)
    r: F32 = np.maximum(a, np.float32(0), order="C")
    r += np.float32(0)  # -0 becomes +0
    if has_minus_zero(a) or has_nan(a):
        keep = choices["relu-edge"] == "keep"
        nan = np.isnan(a)
        bits(r)[nan] = bits(a)[nan] if keep else 0
        if keep:
            bits(r)[bits(a) == SIGN] = SIGN
    return r


def _square(a: F32, b: F32, choices: Choices) -> F32:
    (a,) = inputs(choices, a)
    r: F32 = np.multiply(a, a, order="C")
    return settle_nans(output(r, choices), a, a, choices)


def _rsqrt(a: F32, b: F32, choices: Choices) -> F32:
    """Correctly rounded: float64 leaves every significand on the right side of the fp32 midpoints (tested for all)."""
    if choices["rsqrt-accuracy"] == "not-modelled":
        raise AluOpNotDefined(AluOp.RSQRT, "fp32")
    (a,) = inputs(choices, a)
    r = (1.0 / np.sqrt(a, dtype=np.float64)).astype(np.float32, order="C")
    return quiet_own_nans(r, a)


def _symmetric_clamp(a: F32, b: F32, choices: Choices) -> F32:
    """copysign(max or min of the magnitudes, a). Source: isa/03 OPEN-7."""
    choice = choices["symmetric-clamp"]
    if choice == "reject":
        raise AluOpNotDefined(AluOp.SYMMETRIC_CLAMP, "fp32")
    magnitude = (_ABS_MAX if choice == "accept-header-formula" else _ABS_MIN)(a, b, choices)
    return floats(np.bitwise_or(bits(magnitude), bits(a) & SIGN))


FP32_FUNCTIONS: Mapping[int, Fp32Function] = {
    AluOp.BYPASS: _bypass,
    AluOp.ADD: ADD,
    AluOp.SUBTRACT: SUBTRACT,
    AluOp.MULT: MULT,
    AluOp.MAX: MAX,
    AluOp.MIN: MIN,
    AluOp.LOGICAL_AND: _logical(np.logical_and),
    AluOp.LOGICAL_OR: _logical(np.logical_or),
    AluOp.LOGICAL_XOR: _logical(np.logical_xor),
    AluOp.IS_EQ: _comparing(np.equal),
    AluOp.IS_GT: _comparing(np.greater),
    AluOp.IS_GE: _comparing(np.greater_equal),
    AluOp.IS_LE: _comparing(np.less_equal),
    AluOp.IS_LT: _comparing(np.less),
    AluOp.IS_NE: _comparing(np.not_equal),
    AluOp.ABSOLUTE_DIFF: _absolute_diff,
    AluOp.ABSOLUTE_VALUE: _absolute_value,
    AluOp.RSQRT: _rsqrt,
    AluOp.ABS_MAX: _ABS_MAX,
    AluOp.ABS_MIN: _ABS_MIN,
    AluOp.RE_LU: _relu,
    AluOp.SQUARE: _square,
    AluOp.SYMMETRIC_CLAMP: _symmetric_clamp,
}
