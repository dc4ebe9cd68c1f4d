"""The three ALU datapaths, one element at a time against the reference and against literal cases."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dve_engine.isa.aluops import ALU_OPS, AluOp
from dve_engine.isa.assumptions import Choices
from dve_engine.isa.dtypes import Dtype
from dve_engine.numerics import AluOpNotDefined, alu_bits, alu_f32, alu_int, between_bit_ops

from . import reference

SPECIAL = [
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x80800000, 0x33800000, 0x3F800000,
    0xBF800000, 0x3F800001, 0x40000000, 0xC0490FDB, 0x4B800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000,
    0x7F800001, 0xFF800001, 0x7FC00000, 0xFFC00002, 0x7FC00011,
]  # fmt: skip


def f32(values) -> np.ndarray:
    return np.array(values, np.uint32).view(np.float32)


def run(op: AluOp, a: int, b: int, choices: Choices | None = None) -> int:
    result = alu_f32(op, f32([a]), f32([b]), choices or Choices())
    return int(result.view(np.uint32)[0])


@pytest.mark.parametrize("name", reference.FP32_OPS)
def test_special_values_in_every_combination(name) -> None:
    pairs = np.array(list(itertools.product(SPECIAL, SPECIAL)), np.uint32)
    assert len(pairs) == 529
    a, b = pairs[:, 0], pairs[:, 1]
    got = alu_f32(AluOp[name], a.view(np.float32), b.view(np.float32), Choices()).view(np.uint32)
    wrong = [
        (hex(x), hex(y), hex(g), hex(w))
        for x, y, g in zip(a.tolist(), b.tolist(), got.tolist(), strict=True)
        if g != (w := reference.alu(name, x, y))
    ]
    assert not wrong, wrong[:5]


def test_every_code_is_computed_or_refused() -> None:
    computed = set(reference.FP32_OPS)
    for op in ALU_OPS:
        if op.name in computed:
            alu_f32(op, f32([1]), f32([2]), Choices())
        else:
            with pytest.raises(AluOpNotDefined):
                alu_f32(op, f32([1]), f32([2]), Choices())
    for op in (AluOp.CRC32, AluOp.ADD, AluOp.ADD_INT):
        with pytest.raises(AluOpNotDefined, match=op.name):
            alu_bits(op, np.zeros(1, np.uint32), np.zeros(1, np.uint32), Choices())
    for op in (AluOp.ADD, AluOp.AMAX_INT):
        with pytest.raises(AluOpNotDefined):
            alu_int(op, np.zeros(1, np.int32), np.zeros(1, np.int32))


def test_unary_operations_need_no_second_operand() -> None:
    a = f32([0xC0000000])
    for op in (AluOp.BYPASS, AluOp.ABSOLUTE_VALUE, AluOp.RSQRT, AluOp.RE_LU, AluOp.SQUARE):
        assert alu_f32(op, a, None, Choices()).shape == a.shape


@pytest.mark.parametrize("name", reference.FP32_OPS)
def test_one_scalar_per_lane(name) -> None:
    stream = f32(SPECIAL * 4).reshape(4, -1)
    scalar = f32([0x7FC00011, 0x80000000, 0x3F800000, 0xFF800000]).reshape(4, 1)
    wide = np.ascontiguousarray(np.broadcast_to(scalar, stream.shape))
    cases = (
        (stream, scalar, stream, wide),
        (scalar, stream, wide, stream),
        (stream.T, scalar.T, stream.T, wide.T),
    )
    for a, b, c, d in cases:
        got, want = (alu_f32(AluOp[name], x, y, Choices()) for x, y in ((a, b), (c, d)))
        assert np.array_equal(np.broadcast_to(got, want.shape).view(np.uint32), want.view(np.uint32))


def test_operands_are_left_alone() -> None:
    for name in reference.FP32_OPS:
        a, b = f32(SPECIAL), f32(SPECIAL[::-1])
        keep = a.copy(), b.copy()
        alu_f32(AluOp[name], a, b, Choices())
        assert np.array_equal(a.view(np.uint32), keep[0].view(np.uint32))
        assert np.array_equal(b.view(np.uint32), keep[1].view(np.uint32))


ASKED = [
    ("ADD", 0x3F800000, 0x80000000, ""),
    ("ADD", 0x3F800000, 0x7FC00000, "nan-results"),
    ("SUBTRACT", 0x7F800000, 0x7F800000, "nan-results"),
    ("ADD", 0x3F800000, 0x00000001, "fp32-subnormals"),
    ("SUBTRACT", 0x00800001, 0x00800000, "fp32-subnormals"),
    ("MULT", 0x1F800000, 0x1F800000, "fp32-subnormals"),
    ("MULT", 0x00800000, 0x00800000, ""),
    ("BYPASS", 0x00000001, 0x7FC00000, ""),
    ("MAX", 0x3F800000, 0x7FC00000, "max-nan"),
    ("MAX", 0x00000000, 0x80000000, "max-signed-zero"),
    ("MAX", 0x80000000, 0x80000000, ""),
    ("MAX", 0x80000000, 0x3F800000, ""),
    ("ABS_MAX", 0x00000000, 0x80000000, ""),
    ("LOGICAL_OR", 0x7FC00000, 0x00000000, "logical-nan-truth"),
    ("IS_GT", 0x7FC00000, 0x00000000, ""),
    ("RE_LU", 0x80000000, 0x00000000, "relu-edge"),
    ("RE_LU", 0x7FC00000, 0x00000000, "relu-edge"),
    ("RE_LU", 0xBF800000, 0x00000000, ""),
    ("RSQRT", 0x40800000, 0x00000000, "rsqrt-accuracy"),
]


@pytest.mark.parametrize(("name", "a", "b", "ids"), ASKED)
def test_asks_only_where_the_answer_depends(name, a, b, ids) -> None:
    choices = Choices()
    run(AluOp[name], a, b, choices)
    assert " ".join(choices.used) == ids


ALTERNATIVES = [
    ("max-nan", "select", "MAX", 0x7FC00011, 0x3F800000, 0x3F800000),
    ("max-nan", "select", "MAX", 0x3F800000, 0x7FC00011, 0x7FC00011),
    ("max-nan", "propagate", "MAX", 0x3F800000, 0x7F800011, 0x7F800011),
    ("max-nan", "propagate", "MIN", 0xFF800022, 0x7F800011, 0xFF800022),
    ("max-nan", "select", "MAX", 0x00000000, 0x80000000, 0x80000000),
    ("max-nan", "select", "ABS_MIN", 0x00000000, 0xFF800001, 0x7F800001),
    ("max-signed-zero", "right-operand", "MAX", 0x00000000, 0x80000000, 0x80000000),
    ("max-signed-zero", "right-operand", "MIN", 0x80000000, 0x00000000, 0x00000000),
    ("logical-nan-truth", "nan-is-false", "LOGICAL_OR", 0x7FC00000, 0x80000000, 0x00000000),
    ("logical-nan-truth", "nan-is-false", "LOGICAL_XOR", 0x7FC00000, 0x3F800000, 0x3F800000),
    ("relu-edge", "keep", "RE_LU", 0x80000000, 0x00000000, 0x80000000),
    ("relu-edge", "keep", "RE_LU", 0xFF800001, 0x00000000, 0xFF800001),
    ("nan-results", "always-canonical", "ADD", 0xFFC00002, 0x3F800000, 0x7FC00000),
    ("nan-results", "always-canonical", "SQUARE", 0xFFC00002, 0x3F800000, 0x7FC00000),
    ("fp32-subnormals", "flush", "ADD", 0x00000001, 0x80000001, 0x00000000),
    ("fp32-subnormals", "flush", "MULT", 0x9F800000, 0x1F800000, 0x80000000),
    ("fp32-subnormals", "flush", "MAX", 0x80000001, 0x80800000, 0x80000000),
    ("fp32-subnormals", "flush", "IS_GT", 0x00000001, 0x80000000, 0x00000000),
    ("symmetric-clamp", "accept-header-formula", "SYMMETRIC_CLAMP", 0xBF800000, 0x40000000, 0xC0000000),
    ("symmetric-clamp", "accept-clamp", "SYMMETRIC_CLAMP", 0xC0000000, 0x3F800000, 0xBF800000),
]


@pytest.mark.parametrize(("choice", "value", "name", "a", "b", "result"), ALTERNATIVES)
def test_alternatives(choice, value, name, a, b, result) -> None:
    choices = Choices(overrides={choice: value})
    assert run(AluOp[name], a, b, choices) == result
    assert choices.used[choice] == value


@pytest.mark.parametrize("policy", ["maxnum", "select", "propagate"])
@pytest.mark.parametrize("zeros", ["positive-above-negative", "right-operand"])
@pytest.mark.parametrize("name", ["MAX", "MIN"])
def test_max_policies_in_every_combination(policy, zeros, name) -> None:
    for a, b in itertools.product(SPECIAL, SPECIAL):
        choices = Choices(overrides={"max-nan": policy, "max-signed-zero": zeros})
        assert run(AluOp[name], a, b, choices) == reference.extreme(a, b, name == "MAX", policy, zeros)


def test_rsqrt_refused_where_not_modelled() -> None:
    with pytest.raises(AluOpNotDefined):
        run(AluOp.RSQRT, 0x3F800000, 0, Choices(overrides={"rsqrt-accuracy": "not-modelled"}))


def test_rsqrt_is_correctly_rounded_for_every_significand() -> None:
    """Two binades cover all significands and exponent parities. Close calls are settled by exact squares."""
    u = np.arange(0x3F800000, 0x40800000, dtype=np.uint32)
    assert len(u) == 1 << 24
    got = np.concatenate([alu_f32(AluOp.RSQRT, part.view(np.float32), None, Choices()) for part in np.split(u, 16)])
    exact = 1 / np.sqrt(u.view(np.float32).astype(np.longdouble))  # error below 2**-60
    distance = np.abs(exact - got.astype(np.longdouble))
    half_ulp = np.spacing(got).astype(np.longdouble) / 2
    close = np.nonzero(distance > half_ulp * (1 - 2.0**-20))[0]
    assert 0 < len(close) < 200
    for i in close.tolist():
        assert int(got.view(np.uint32)[i]) == reference.rsqrt(int(u[i]))


# -- lanes ------------------------------------------------------------------------------------------------------------


def lanes(op: AluOp, a: int, b: int, dtype: Dtype | None = None, **overrides: str) -> int:
    choices = Choices(overrides={key.replace("_", "-"): value for key, value in overrides.items()})
    return int(alu_bits(op, np.array([a], np.uint32), np.array([b], np.uint32), choices, dtype=dtype)[0])


@pytest.mark.parametrize(
    ("name", "a", "b", "result"),
    [
        ("BYPASS", 0xDEADBEEF, 1, 0xDEADBEEF),
        ("BITWISE_NOT", 0x000000FF, 0, 0xFFFFFF00),
        ("BITWISE_AND", 0xF0F0F0F0, 0xFF00FF00, 0xF000F000),
        ("BITWISE_OR", 0xF0F0F0F0, 0xFF00FF00, 0xFFF0FFF0),
        ("BITWISE_XOR", 0xF0F0F0F0, 0xFF00FF00, 0x0FF00FF0),
        ("LOGICAL_SHIFT_LEFT", 0x80000001, 31, 0x80000000),
        ("ARITH_SHIFT_LEFT", 0x80000001, 32, 0),
        ("LOGICAL_SHIFT_RIGHT", 0x80000001, 31, 1),
        ("LOGICAL_SHIFT_RIGHT", 0x80000001, 0xFFFFFFFF, 0),
        ("ARITH_SHIFT_RIGHT", 0x80000001, 1, 0xC0000000),
        ("ARITH_SHIFT_RIGHT", 0x80000001, 40, 0xFFFFFFFF),
        ("ARITH_SHIFT_RIGHT", 0x7FFFFFFF, 40, 0),
    ],
)
def test_bit_operations(name, a, b, result) -> None:
    assert lanes(AluOp[name], a, b) == result


def test_bit_alternatives() -> None:
    assert lanes(AluOp.LOGICAL_SHIFT_LEFT, 1, 33, shift_count_range="modulo-32") == 2
    assert lanes(AluOp.ARITH_SHIFT_RIGHT, 0x80000000, 33, shift_count_range="modulo-32") == 0xC0000000
    assert lanes(AluOp.ARITH_SHIFT_RIGHT, 0x80, 1, Dtype.INT8) == 0xFFFFFFC0
    assert lanes(AluOp.ARITH_SHIFT_RIGHT, 0x80, 1, Dtype.UINT8) == 0x40
    assert lanes(AluOp.ARITH_SHIFT_RIGHT, 0x80, 1, Dtype.INT8, arith_shift_right_narrow="32-bit-lane") == 0x40


def test_lane_width_between_two_operations() -> None:
    inverted = np.array([0xFFFFFF00], np.uint32)
    asked = Choices()
    assert between_bit_ops(inverted, AluOp.LOGICAL_SHIFT_RIGHT, Dtype.UINT16, asked)[0] == 0xFFFFFF00
    assert list(asked.used) == ["bitvec-lane-width"]
    narrow = Choices(overrides={"bitvec-lane-width": "dtype-width"})
    assert between_bit_ops(inverted, AluOp.LOGICAL_SHIFT_RIGHT, Dtype.UINT16, narrow)[0] == 0xFF00
    for op, dtype in ((AluOp.BITWISE_AND, Dtype.UINT16), (AluOp.LOGICAL_SHIFT_RIGHT, Dtype.UINT32)):
        quiet = Choices()
        assert between_bit_ops(inverted, op, dtype, quiet)[0] == 0xFFFFFF00
        assert not quiet.used


def wrap(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def toward_zero(a: int, b: int) -> int:
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


INT_FORMULAS = {
    "BYPASS": lambda a, b: a,
    "ADD_INT": lambda a, b: a + b,
    "SUBTRACT_INT": lambda a, b: a - b,
    "MULT_INT": lambda a, b: a * b,
    "MULT_UINT": lambda a, b: a * b,
    "DIVIDE_INT": toward_zero,
    "MOD_INT": lambda a, b: 0 if b == 0 else a - toward_zero(a, b) * b,
    "IS_EQUAL_INT": lambda a, b: a == b,
    "IS_NE_INT": lambda a, b: a != b,
    "ABS_MAX_INT": lambda a, b: max(abs(a), abs(b)),
    "ABS_MIN_INT": lambda a, b: min(abs(a), abs(b)),
    "ABS_DIFF_INT": lambda a, b: abs(a - b),
    "ABS_VALUE_INT": lambda a, b: abs(a),
    "MAX_INT": max,
    "MIN_INT": min,
    "IS_GT_INT": lambda a, b: a > b,
    "IS_GE_INT": lambda a, b: a >= b,
    "IS_LE_INT": lambda a, b: a <= b,
    "IS_LT_INT": lambda a, b: a < b,
}
UINT_FORMULAS = {
    "MAX_UINT": max,
    "MIN_UINT": min,
    "IS_GT_UINT": lambda a, b: a > b,
    "IS_GE_UINT": lambda a, b: a >= b,
    "IS_LE_UINT": lambda a, b: a <= b,
    "IS_LT_UINT": lambda a, b: a < b,
    "DIVIDE_UINT": lambda a, b: b and a // b,
    "MOD_UINT": lambda a, b: b and a % b,
}


@pytest.mark.parametrize("name", [*INT_FORMULAS, *UINT_FORMULAS])
def test_integer_operations(name) -> None:
    values = [0, 1, -1, 2, -2, 5, -7, 1000, 46341, -46341, 2**31 - 1, -(2**31), -(2**31) + 1, 0x55555555]
    pairs = list(itertools.product(values, values))
    a, b = (np.array(column, np.int32) for column in zip(*pairs, strict=True))
    got = alu_int(AluOp[name], a, b)
    assert got.dtype == np.int32
    for (x, y), g in zip(pairs, got.tolist(), strict=True):
        want = INT_FORMULAS[name](x, y) if name in INT_FORMULAS else UINT_FORMULAS[name](x % 2**32, y % 2**32)
        assert g == wrap(int(want)), (x, y)


def test_integer_scalar_per_lane() -> None:
    a = np.arange(12, dtype=np.int32).reshape(3, 4)
    b = np.array([[1], [5], [9]], np.int32)
    assert (alu_int(AluOp.ABS_DIFF_INT, a, b) == np.abs(a - b)).all()
    assert (alu_int(AluOp.IS_GT_INT, a, b) == (a > b)).all()
