"""Every row of docs/isa/vectors/conversions.json through the numerics."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from dve_engine.isa.aluops import AluOp
from dve_engine.isa.assumptions import Choices
from dve_engine.isa.dtypes import Dtype, raw_type, size_bytes
from dve_engine.isa.generation import Fp8Mode
from dve_engine.numerics import alu_bits, alu_f32, alu_int, between_bit_ops, convert, narrow, scalar_to_int32, widen
from dve_engine.numerics.stochastic import round_stochastic

VECTORS = Path(__file__).parents[3] / "docs" / "isa" / "vectors" / "conversions.json"
GROUPS = {group["id"]: group["rows"] for group in json.loads(VECTORS.read_text())["groups"]}

ROWS = {
    "fp32_to_float": 67, "fp32_to_int": 41, "int_to_fp32_to_float": 28, "int_to_int_cast": 19, "other_pairs": 44,
    "other_pairs_ocp": 6, "fp32r": 18, "stochastic_rounding": 7, "integer_tensor_arithmetic": 17, "alu_scalar": 19,
    "nan_widening": 12, "nan_fp32_operations": 11, "fp8_e4m3_variant": 5, "alu_int_lanes": 10,
    "int_scalar_from_fp32": 6,
}  # fmt: skip

LEGACY = Fp8Mode()
MODES = {
    "": LEGACY, "legacy": LEGACY, "ocp=0": LEGACY, "ocp": Fp8Mode(ocp=True), "ocp sat=0": Fp8Mode(ocp=True),
    "ocp sat=1": Fp8Mode(ocp=True, sat=True),
}  # fmt: skip


def named(text: str) -> tuple[Dtype, Fp8Mode]:
    """A column such as "FP8_EXP4 ocp sat=1"."""
    name, _, mode = text.partition(" ")
    return Dtype[name], MODES[mode]


def raw(value: int | str, dtype: Dtype) -> np.ndarray:
    number = int(value, 16) if isinstance(value, str) else value
    return np.array([number & ((1 << 8 * size_bytes(dtype)) - 1)], raw_type(dtype))


def f32(code: str | int | float) -> np.ndarray:
    if isinstance(code, str):
        return np.array([int(code, 16)], np.uint32).view(np.float32)
    return np.array([code], np.float32)


def u32(x: np.ndarray) -> int:
    (value,) = x.view(np.uint32)
    return int(value)


def choices(**overrides: str) -> Choices:
    return Choices(overrides={key.replace("_", "-"): value for key, value in overrides.items()})


def label(row: dict) -> str:
    return row.get("id") or row.get("case") or "-".join(map(str, row.values()))


def rows(group: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", GROUPS[group], ids=label)


def test_every_group_is_covered() -> None:
    assert {name: len(group) for name, group in GROUPS.items()} == ROWS
    assert sum(ROWS.values()) == 310


@rows("fp32_to_float")
def test_fp32_to_float(row: dict) -> None:
    assert len(row["out"]) == 8
    for column, code in row["out"].items():
        dtype, mode = named(column)
        assert int(narrow(f32(row["fp32"]), dtype, mode, choices())[0]) == int(code, 16), column


@rows("fp32_to_int")
def test_fp32_to_int(row: dict) -> None:
    assert len(row["out"]) == 6
    for name, value in row["out"].items():
        asked = choices()
        assert narrow(f32(row["fp32"]), Dtype[name], LEGACY, asked) == raw(value, Dtype[name]), name
        assert ("float-to-int-nan" in asked.used) == (row.get("assumption") == "float-to-int-nan")


@rows("int_to_fp32_to_float")
def test_int_to_fp32_to_float(row: dict) -> None:
    dtype = Dtype[row["source_dtype"]]
    x = widen(raw(row["value"], dtype), dtype, LEGACY, choices())
    assert u32(x) == int(row["fp32"], 16)
    assert float(x[0]) == row["fp32_value"]
    assert len(row["out"]) == 5
    for column, code in row["out"].items():
        dst, mode = named(column)
        assert int(convert(raw(row["value"], dtype), dtype, dst, mode, choices())[0]) == int(code, 16), column


@rows("int_to_int_cast")
def test_int_to_int_cast(row: dict) -> None:
    src, dst = Dtype[row["from_dtype"]], Dtype[row["to_dtype"]]
    source = raw(row["value"], src)
    assert u32(widen(source, src, LEGACY, choices())) == int(row["fp32"], 16)
    assert convert(source, src, dst, LEGACY, choices()) == raw(row["result"], dst)


@rows("other_pairs")
def test_other_pairs(row: dict) -> None:
    (src, mode), (dst, _) = named(row["from_dtype"]), named(row["to_dtype"])
    source = raw(row["code"], src)
    assert u32(widen(source, src, mode, choices())) == int(row["fp32"], 16)
    assert convert(source, src, dst, mode, choices()) == raw(row["result"], dst)


@rows("other_pairs_ocp")
def test_other_pairs_ocp(row: dict) -> None:
    (src, _), (dst, _) = named(row["from_dtype"]), named(row["to_dtype"])
    cases = {"result": Fp8Mode(ocp=True), "sat0": Fp8Mode(ocp=True), "sat1": Fp8Mode(ocp=True, sat=True)}
    got = {key: convert(raw(row["code"], src), src, dst, mode, choices()) for key, mode in cases.items()}
    if row.get("nan"):
        assert got["result"] == 0x7FC0
    else:
        wanted = {key: row[key] for key in cases if key in row}
        assert wanted
        assert {key: int(got[key][0]) for key in wanted} == {key: int(code, 16) for key, code in wanted.items()}


@rows("fp32r")
def test_fp32r(row: dict) -> None:
    for kept in ("10", "11", "13"):
        code = narrow(f32(row["fp32"]), Dtype.FP32R, LEGACY, choices(fp32r_mantissa_bits=kept))
        assert int(code[0]) == int(row["bits" + kept], 16)


@rows("stochastic_rounding")
def test_stochastic_rounding(row: dict) -> None:
    assert u32(round_stochastic(f32(row["fp32"]), Dtype[row["to_dtype"]], [int(row["draw"], 16)])) == int(
        row["result_fp32"], 16
    )


ADD, SUB, MULT = AluOp.ADD, AluOp.SUBTRACT, AluOp.MULT
INTEGER_ROWS = {  # row -> dtype of the elements, operation, elements, scalar or second element, output dtype
    "A1": ("INT32", ADD, 16777217, 1.0, "INT32"),
    "A2": ("INT32", ADD, 16777219, 0.0, "INT32"),
    "A3": ("INT32", ADD, 2147483647, 0.0, "INT32"),
    "A4": ("INT32", SUB, -2147483648, 1.0, "INT32"),
    "A5": ("UINT32", ADD, 4294967295, 0.0, "UINT32"),
    "A6": ("UINT32", SUB, 5, 10.0, "UINT32"),
    "A7": ("INT32", MULT, 46341, 46341, "INT32"),
    "A8": ("UINT8", ADD, 200, 100, "UINT8"),
    "A9": ("INT8", ADD, -100, -100, "INT8"),
    "A10": ("INT8", ADD, -100, -100, "FP32"),
    "A11": ("UINT16", MULT, 65535, 65535, "UINT16"),
    "A12": ("INT16", MULT, 32767, 32767, "INT32"),
    "A13": ("UINT8", MULT, 7, 0.5, "UINT8"),
    "A14": ("UINT8", MULT, 5, 0.5, "UINT8"),
    "A15": ("INT8", MULT, -5, 0.5, "INT8"),
    "A16": ("INT16", AluOp.IS_GT, 2, 1, "UINT8"),
}


@rows("integer_tensor_arithmetic")
def test_integer_tensor_arithmetic(row: dict) -> None:
    stored = row["stored"].split()[0]
    if row["id"] == "A17":
        lanes = alu_bits(AluOp.BITWISE_AND, raw(16777217, Dtype.INT32), raw(-1, Dtype.INT32), choices())
        assert lanes == int(stored)
        return
    name, op, left, right, out_name = INTEGER_ROWS[row["id"]]
    dtype, out = Dtype[name], Dtype[out_name]
    a = widen(raw(left, dtype), dtype, LEGACY, choices())
    b = f32(right) if isinstance(right, float) else widen(raw(right, dtype), dtype, LEGACY, choices())
    result = alu_f32(op, a, b, choices())
    fp32 = re.findall(r"[−-]?\d+(?:\.\d+)?", row["fp32_result"].split("→")[-1].split("(")[0])[0]
    assert float(result[0]) == float(fp32.replace("−", "-"))
    expected = int(stored, 16) if out == Dtype.FP32 else int(stored.replace("−", "-"))
    assert narrow(result, out, LEGACY, choices()) == raw(expected, out)


def bits_of(op: AluOp, a: str, b: str, **overrides: str) -> str:
    return f"{u32(alu_f32(op, f32(a), f32(b), choices(**overrides))):08x}"


def shifted(op: AluOp, dtype: Dtype, code: int, counts: tuple[int, ...]) -> str:
    size = size_bytes(dtype)
    lanes = [
        alu_bits(op, np.array([code], np.uint32), np.array([n], np.uint32), choices(), dtype=dtype) for n in counts
    ]
    return ", ".join(f"{int(x[0]) & ((1 << 8 * size) - 1):0{2 * size}x}" for x in lanes)


def both(op: AluOp, **overrides: str) -> str:
    zero, minus_zero = "0", "80000000"
    return f"{bits_of(op, zero, minus_zero, **overrides)} / {bits_of(op, minus_zero, zero, **overrides)}"


def read_int32(value: int) -> str:
    return f"fp32 {u32(widen(raw(value, Dtype.INT32), Dtype.INT32, LEGACY, choices())):08x} ({{}})"


def pair(op0: AluOp, code: int, count0: int, op1: AluOp, count1: int, dtype: Dtype) -> str:
    lanes = alu_bits(op0, np.array([code], np.uint32), np.array([count0], np.uint32), choices())
    lanes = between_bit_ops(lanes, op1, dtype, choices())
    lanes = alu_bits(op1, lanes, np.array([count1], np.uint32), choices())
    return f"{int(lanes[0]) & ((1 << 8 * size_bytes(dtype)) - 1):0{2 * size_bytes(dtype)}x}"


ONE, TWO, THREE, INF, MINUS_ZERO = "3f800000", "40000000", "40400000", "7f800000", "80000000"
TRUTH = {"00000000": "0.0", "3f800000": "1.0"}
ALU_ROWS = {  # case -> the result column as these functions give it
    "INT32 16777217 as an arith input": lambda: read_int32(16777217).format(16777216),
    "INT32 2147483647 as an arith input": lambda: read_int32(2147483647).format(2147483648),
    "MAX(NaN 7fc00011, 3.0)": lambda: (
        f"{bits_of(AluOp.MAX, '7fc00011', THREE)} (`maxnum` and `select`)"
        if bits_of(AluOp.MAX, "7fc00011", THREE, max_nan="select") == THREE
        else "select differs"
    ),
    "MAX(3.0, NaN 7fc00011)": lambda: (
        f"{bits_of(AluOp.MAX, THREE, '7fc00011')} "
        f"(policy `select`: {bits_of(AluOp.MAX, THREE, '7fc00011', max_nan='select')})"
    ),
    "MAX(+0, -0) / MAX(-0, +0)": lambda: f"{both(AluOp.MAX)} (policy `select`: {both(AluOp.MAX, max_nan='select')})",
    "MIN(+0, -0) / MIN(-0, +0)": lambda: f"{both(AluOp.MIN)} (policy `select`: {both(AluOp.MIN, max_nan='select')})",
    "ADD(+0, -0), ADD(-0, -0), ADD(2, -2)": lambda: ", ".join(
        bits_of(ADD, a, b) for a, b in (("0", MINUS_ZERO), (MINUS_ZERO, MINUS_ZERO), (TWO, "c0000000"))
    ),
    "SUBTRACT(+inf, +inf), MULT(0, inf)": lambda: (
        f"{bits_of(SUB, INF, INF)} (canonical; hosts may show ffc00000)"
        if bits_of(MULT, "0", INF) == "7fc00000"
        else "MULT differs"
    ),
    "SUBTRACT(1.0, NaN ffc00002), MULT(NaN 7fc00001, NaN ffc00003), ADD(NaN ff800001, 1.0)": lambda: (
        f"{bits_of(SUB, ONE, 'ffc00002')}, {bits_of(MULT, '7fc00001', 'ffc00003')}, {bits_of(ADD, 'ff800001', ONE)} "
        "(02 §11.1)"
    ),
    "RSQRT(NaN ff800001)": lambda: bits_of(AluOp.RSQRT, "ff800001", "0"),
    "ABSOLUTE_DIFF(3e38, -3e38)": lambda: bits_of(AluOp.ABSOLUTE_DIFF, "7f61b1e6", "ff61b1e6"),
    "IS_EQ(NaN, NaN), IS_NE(NaN, NaN)": lambda: ", ".join(
        TRUTH[bits_of(op, "7fc00000", "7fc00000")] for op in (AluOp.IS_EQ, AluOp.IS_NE)
    ),
    "LOGICAL_AND(-0, 1), LOGICAL_AND(NaN, 1)": lambda: (
        ", ".join(TRUTH[bits_of(AluOp.LOGICAL_AND, a, ONE)] for a in (MINUS_ZERO, "7fc00000")) + " (OPEN-4)"
    ),
    "UINT8 0x81 << 1, << 7, << 8": lambda: shifted(AluOp.LOGICAL_SHIFT_LEFT, Dtype.UINT8, 0x81, (1, 7, 8)),
    "UINT16 0x8000 >> 4, >> 15, >> 16 (logical)": lambda: shifted(
        AluOp.LOGICAL_SHIFT_RIGHT, Dtype.UINT16, 0x8000, (4, 15, 16)
    ),
    "INT8 0x80 >> 1 (logical)": lambda: shifted(AluOp.LOGICAL_SHIFT_RIGHT, Dtype.INT8, 0x80, (1,)),
    "INT32 80000000 arithmetic >> 4, >> 31, >> 32": lambda: shifted(
        AluOp.ARITH_SHIFT_RIGHT, Dtype.INT32, 0x80000000, (4, 31, 32)
    ),
    "UINT32 (deadbeef << 8) >> 16 (logical pair)": lambda: pair(
        AluOp.LOGICAL_SHIFT_LEFT, 0xDEADBEEF, 8, AluOp.LOGICAL_SHIFT_RIGHT, 16, Dtype.UINT32
    ),
    "UINT16 NOT 00ff then logical >> 4": lambda: (
        pair(AluOp.BITWISE_NOT, 0x00FF, 0, AluOp.LOGICAL_SHIFT_RIGHT, 4, Dtype.UINT16) + " (OPEN-10 default)"
    ),
}


@rows("alu_scalar")
def test_alu_scalar(row: dict) -> None:
    assert ALU_ROWS[row["case"]]() == row["result"]


@rows("nan_widening")
def test_nan_widening(row: dict) -> None:
    dtype, mode = named(row["from_dtype"])
    assert u32(widen(raw(row["code"], dtype), dtype, mode, choices())) == int(row["fp32"], 16)


@rows("nan_fp32_operations")
def test_nan_fp32_operations(row: dict) -> None:
    result = alu_f32(AluOp[row["op"]], f32(row["a"]), f32(row["b"]), choices())
    assert u32(result) == int(row["fp32"], 16)
    for name in ("INT8", "FP16", "FP32R"):
        assert int(narrow(result, Dtype[name], LEGACY, choices())[0]) == int(row[name], 16)


@rows("fp8_e4m3_variant")
def test_fp8_e4m3_variant(row: dict) -> None:
    mode = Fp8Mode(ocp=bool(row["ocp"]), sat=bool(row["sat"]))
    code = narrow(f32(row["fp32"]), Dtype.FP8_EXP4, mode, choices(fp8_e4m3_variant=row["variant"]))
    assert int(code[0]) == int(row["result"], 16)


@rows("alu_int_lanes")
def test_alu_int_lanes(row: dict) -> None:
    a, b = (raw(row[key], Dtype.UINT32).view(np.int32) for key in "ab")
    assert alu_int(AluOp[row["op"]], a, b).view(np.uint32) == int(row["result"], 16)


@rows("int_scalar_from_fp32")
def test_int_scalar_from_fp32(row: dict) -> None:
    assert scalar_to_int32(f32(row["fp32"])).view(np.uint32) == int(row["lane"], 16)
