"""The 32-bit lane datapaths: raw bits, and MAVERICK's signed integers.

Source: isa/03 section 2.3 (bits), section 2.4 (integers).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..isa.aluops import IS_SHIFT, AluOp
from ..isa.assumptions import Choices
from ..isa.dtypes import SIGNED_INT, size_bytes
from .arrays import I32, U32
from .errors import AluOpNotDefined

BitFunction = Callable[[U32, U32, Choices, int | None], U32]
IntFunction = Callable[[I32, I32], Any]


def alu_bits(op: int, a: U32, b: U32 | None, choices: Choices, *, dtype: int | None = None) -> U32:
    """One raw-bit step on 32-bit lanes.

    a, b: uint32 of at least one dimension that broadcast, elements and scalars zero-extended. b is ignored by the unary
    operations and may be None there.
    dtype: the elements' dtype where ARITH_SHIFT_RIGHT can meet a 1- or 2-byte one (`arith-shift-right-narrow`).
    Returns uint32; for BYPASS `a` itself. The write keeps the low bytes.
    Raises AluOpNotDefined for a code without a formula here, CRC32 among them.
    Source: isa/03 section 2.3 [tags there].
    """
    function = BIT_FUNCTIONS.get(op)
    if function is None:
        raise AluOpNotDefined(op, "raw-bit")
    return function(a, a if b is None else b, choices, dtype)


def between_bit_ops(lanes: U32, next_op: int, dtype: int, choices: Choices) -> U32:
    """The lanes as the second operation of a bitvec pair sees them.

    `bitvec-lane-width` is asked for if a 1- or 2-byte element has bits above its width and a shift follows; no other
    operation lets them reach the low bytes.
    Source: isa/03 section 2.3, OPEN-10 [M].
    """
    size = size_bytes(dtype)
    if size >= 4 or next_op not in IS_SHIFT or not lanes.size:
        return lanes
    mask = np.uint32((1 << 8 * size) - 1)
    if int(lanes.max()) <= int(mask) or choices["bitvec-lane-width"] == "32-bit":
        return lanes
    return lanes & mask


def _shift_counts(b: U32, choices: Choices) -> tuple[U32, Any]:
    """Counts within 0..31, and where they were larger (None: nowhere). Counts are unsigned. Source: OPEN-8 [L]."""
    if not b.size or int(b.max()) < 32:
        return b, None
    large = b >= np.uint32(32)
    counts = b & np.uint32(31)
    return counts, None if choices["shift-count-range"] == "modulo-32" else large


def _shift_left(a: U32, b: U32, choices: Choices, dtype: int | None) -> U32:
    counts, large = _shift_counts(b, choices)
    r: U32 = np.left_shift(a, counts)
    return r if large is None else np.where(large, np.uint32(0), r)


def _shift_right(a: U32, b: U32, choices: Choices, dtype: int | None) -> U32:
    counts, large = _shift_counts(b, choices)
    r: U32 = np.right_shift(a, counts)
    return r if large is None else np.where(large, np.uint32(0), r)


def _arith_shift_right(a: U32, b: U32, choices: Choices, dtype: int | None) -> U32:
    signed = _sign_extended(a, choices, dtype)
    counts, large = _shift_counts(b, choices)
    if large is not None:
        counts = np.where(large, np.uint32(31), counts)
    r: I32 = np.right_shift(signed, counts.astype(np.int32))
    return r.view(np.uint32)


def _sign_extended(a: U32, choices: Choices, dtype: int | None) -> I32:
    """Source: isa/03 OPEN-11 [L]."""
    size = 4 if dtype is None else size_bytes(dtype)
    if size < 4 and dtype in SIGNED_INT:
        narrow = a.astype(f"u{size}").view(f"i{size}")
        if (narrow < 0).any() and choices["arith-shift-right-narrow"] == "sign-extend-signed":
            return narrow.astype(np.int32)
    return a.view(np.int32)


BIT_FUNCTIONS: Mapping[int, BitFunction] = {
    AluOp.BYPASS: lambda a, b, choices, dtype: a,
    AluOp.BITWISE_NOT: lambda a, b, choices, dtype: np.invert(a),
    AluOp.BITWISE_AND: lambda a, b, choices, dtype: np.bitwise_and(a, b),
    AluOp.BITWISE_OR: lambda a, b, choices, dtype: np.bitwise_or(a, b),
    AluOp.BITWISE_XOR: lambda a, b, choices, dtype: np.bitwise_xor(a, b),
    AluOp.ARITH_SHIFT_LEFT: _shift_left,
    AluOp.LOGICAL_SHIFT_LEFT: _shift_left,
    AluOp.LOGICAL_SHIFT_RIGHT: _shift_right,
    AluOp.ARITH_SHIFT_RIGHT: _arith_shift_right,
}


def alu_int(op: int, a: I32, b: I32 | None) -> I32:
    """One native-integer step on signed 32-bit lanes; every result keeps the low 32 bits.

    a, b: int32 of at least one dimension that broadcast. b may be None for the unary operations.
    Returns int32; for BYPASS `a` itself. Comparisons give 1 or 0. A division by zero gives 0.
    Raises AluOpNotDefined for a code without a formula here, the argmax family among them.
    Source: isa/03 section 2.4 [tags there].
    """
    function = INT_FUNCTIONS.get(op)
    if function is None:
        raise AluOpNotDefined(op, "integer")
    if op == AluOp.BYPASS:
        return a
    with np.errstate(all="ignore"):
        r = np.asarray(function(a, a if b is None else b))
    return r.view(np.int32) if r.dtype.itemsize == 4 else r.astype(np.int32)


def _u(x: I32) -> U32:
    return x.view(np.uint32)


def _magnitude(x: I32) -> U32:
    """|x| with -2**31 as 2**31, which a uint32 holds."""
    return np.where(x < 0, np.uint32(0) - _u(x), _u(x))


def _quotient(a: I32, b: I32) -> I32:
    """Toward zero; -2**31 / -1 wraps."""
    size = np.floor_divide(_magnitude(a), np.maximum(_magnitude(b), np.uint32(1)))
    size = np.where((a < 0) ^ (b < 0), np.uint32(0) - size, size)
    return np.where(b == 0, np.int32(0), size.view(np.int32))


def _remainder(a: I32, b: I32) -> I32:
    """With the sign of the dividend."""
    return np.where(b == 0, np.int32(0), a - _quotient(a, b) * b)


def _unsigned(function: Callable[[U32, U32], Any]) -> IntFunction:
    return lambda a, b: function(_u(a), _u(b))


INT_FUNCTIONS: Mapping[int, IntFunction] = {
    AluOp.BYPASS: lambda a, b: a,
    AluOp.ADD_INT: np.add,
    AluOp.SUBTRACT_INT: np.subtract,
    AluOp.MULT_INT: np.multiply,
    AluOp.MULT_UINT: np.multiply,
    AluOp.DIVIDE_INT: _quotient,
    AluOp.MOD_INT: _remainder,
    AluOp.DIVIDE_UINT: _unsigned(np.floor_divide),
    AluOp.MOD_UINT: _unsigned(np.remainder),
    AluOp.IS_EQUAL_INT: np.equal,
    AluOp.IS_NE_INT: np.not_equal,
    AluOp.IS_GT_INT: np.greater,
    AluOp.IS_GE_INT: np.greater_equal,
    AluOp.IS_LE_INT: np.less_equal,
    AluOp.IS_LT_INT: np.less,
    AluOp.IS_GT_UINT: _unsigned(np.greater),
    AluOp.IS_GE_UINT: _unsigned(np.greater_equal),
    AluOp.IS_LE_UINT: _unsigned(np.less_equal),
    AluOp.IS_LT_UINT: _unsigned(np.less),
    AluOp.MAX_INT: np.maximum,
    AluOp.MIN_INT: np.minimum,
    AluOp.MAX_UINT: _unsigned(np.maximum),
    AluOp.MIN_UINT: _unsigned(np.minimum),
    AluOp.ABS_VALUE_INT: lambda a, b: _magnitude(a),
    AluOp.ABS_MAX_INT: lambda a, b: np.maximum(_magnitude(a), _magnitude(b)),
    AluOp.ABS_MIN_INT: lambda a, b: np.minimum(_magnitude(a), _magnitude(b)),
    AluOp.ABS_DIFF_INT: lambda a, b: np.where(a > b, _u(a) - _u(b), _u(b) - _u(a)),
}
