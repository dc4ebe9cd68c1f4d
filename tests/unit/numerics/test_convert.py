"""Exhaustive and boundary checks of the conversions against the integer-only reference."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dve_engine.isa.assumptions import Choices
from dve_engine.isa.dtypes import Dtype, raw_type
from dve_engine.isa.generation import Fp8Mode
from dve_engine.numerics import ConversionNotDefined, convert, narrow, widen

from . import reference

LEGACY, OCP, OCP_SAT = Fp8Mode(), Fp8Mode(ocp=True), Fp8Mode(ocp=True, sat=True)
FLOATS = [  # dtype, mode, format of the reference, overflow clamps
    pytest.param(Dtype.BFLOAT16, LEGACY, "BF16", False, id="bf16"),
    pytest.param(Dtype.FP16, LEGACY, "FP16", False, id="fp16"),
    pytest.param(Dtype.FP8_EXP3, LEGACY, "E3M4", False, id="e3m4"),
    pytest.param(Dtype.FP8_EXP3, OCP_SAT, "E3M4", False, id="e3m4-ocp-sat"),
    pytest.param(Dtype.FP8_EXP3, Fp8Mode(sis=True), "E3M4", True, id="e3m4-sis"),
    pytest.param(Dtype.FP8_EXP4, LEGACY, "E4M3", False, id="e4m3"),
    pytest.param(Dtype.FP8_EXP4, Fp8Mode(sis=True), "E4M3", True, id="e4m3-sis"),
    pytest.param(Dtype.FP8_EXP4, OCP, "E4M3FN", False, id="e4m3fn"),
    pytest.param(Dtype.FP8_EXP4, OCP_SAT, "E4M3FN", True, id="e4m3fn-sat"),
    pytest.param(Dtype.FP8_EXP5, LEGACY, "E5M2", False, id="e5m2"),
    pytest.param(Dtype.FP8_EXP5, OCP, "E5M2", False, id="e5m2-ocp"),
    pytest.param(Dtype.FP8_EXP5, OCP_SAT, "E5M2", True, id="e5m2-ocp-sat"),
    pytest.param(Dtype.FP8_EXP2, OCP_SAT, "E2M5", False, id="e2m5"),
]
INTEGERS = [Dtype[name] for name in reference.INTEGERS]


def u32(values) -> np.ndarray:
    return np.array(values, np.uint32)


def expect(got: np.ndarray, wanted: list[int]) -> None:
    """Compare as integers, whatever the width."""
    wrong = [(i, hex(int(g)), hex(w)) for i, (g, w) in enumerate(zip(got.ravel(), wanted, strict=True)) if int(g) != w]
    assert not wrong, wrong[:5]


@pytest.mark.parametrize(("dtype", "mode", "name", "clamp"), FLOATS)
def test_every_code_widens_and_narrows_back(dtype, mode, name, clamp) -> None:
    codes = np.arange(1 << reference.FORMATS[name].width, dtype=raw_type(dtype))
    wide = widen(codes, dtype, mode, Choices())
    assert wide.dtype == np.float32
    expected = [reference.widen(int(code), name) for code in codes]
    expect(wide.view(np.uint32), expected)
    back = narrow(wide, dtype, mode, Choices())
    assert back.dtype == raw_type(dtype)
    expect(back, [reference.narrow(u, name, clamp) for u in expected])
    identical = int((back == codes).sum())
    assert identical >= len(codes) - 2 * sum(reference.is_nan(u) for u in expected) - 2 * clamp


@pytest.mark.parametrize(("dtype", "mode", "name", "clamp"), FLOATS)
def test_every_midpoint_and_its_neighbours(dtype, mode, name, clamp) -> None:
    fmt = reference.FORMATS[name]
    step = 257 if fmt.width == 16 else 1
    patterns = set()
    for code in range(0, (1 << (fmt.width - 1)) - 1, step):
        a, b = (reference.decode(c, fmt) for c in (code, code + 1))
        if isinstance(a, str) or isinstance(b, str):
            continue
        middle = reference.encode((a + b) / 2, False, reference.FORMATS["FP32"])
        points = [middle, reference.encode(a, False, reference.FORMATS["FP32"])]
        patterns.update(p + d for p in points for d in (-1, 0, 1) if p + d >= 0)
    patterns.update(range(0x00000000, 0x7F800000, 0x00100001))
    patterns.update((0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF))
    both_signs = sorted(patterns | {p | reference.SIGN for p in patterns})
    assert len(both_signs) > 4000
    got = narrow(u32(both_signs).view(np.float32), dtype, mode, Choices())
    expect(got, [reference.narrow(u, name, clamp) for u in both_signs])


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda d: d.name)
def test_float_to_integer_at_its_boundaries(dtype) -> None:
    low, high = reference.INTEGERS[dtype.name]
    patterns = {0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x00000001, 0x00800000}
    for value in (0, 1, 2, 3, 126, 127, 128, 254, 255, -low, high, high + 1, 2**24, 2**63, 2**64):
        for half in (-1, 0, 1):
            exact = abs(value + reference.Fraction(half, 2))
            u = reference.encode(exact, False, reference.FORMATS["FP32"])
            patterns.update((u, max(u - 1, 0), u + 1))
    both_signs = sorted(patterns | {p | reference.SIGN for p in patterns})
    got = narrow(u32(both_signs).view(np.float32), dtype, LEGACY, Choices())
    wide = 1 << 8 * got.dtype.itemsize
    expect(got, [reference.narrow_integer(u, dtype.name) % wide for u in both_signs])


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda d: d.name)
def test_integer_to_float(dtype) -> None:
    low, high = reference.INTEGERS[dtype.name]
    bases = (0, 2**24, 2**25, 2**31, 2**32, 2**40, 2**63, low, high, -(2**24))
    around = {base + d for base in bases for d in range(-260, 261)}
    values = sorted(v for v in around if low <= v <= high)
    wide = 1 << 8 * raw_type(dtype).itemsize
    raw = np.array([v % wide for v in values], raw_type(dtype))
    expect(widen(raw, dtype, LEGACY, Choices()).view(np.uint32), [reference.widen_integer(v) for v in values])


def test_fp32_keeps_every_bit() -> None:
    raw = u32([0, 1, 0x80000000, 0x7F800001, 0xFFC12345, 0x3F800000])
    for src in (Dtype.FP32, Dtype.FP32R):
        assert (convert(raw, src, Dtype.FP32, LEGACY, Choices()) == raw).all()


@pytest.mark.parametrize("dtype", [Dtype.FP32, Dtype.BFLOAT16, Dtype.FP16, Dtype.FP8_EXP4, Dtype.INT8, Dtype.INT32])
def test_shapes_and_strides(dtype) -> None:
    whole = np.arange(64 * 256, dtype=np.uint64).reshape(64, 256).astype(raw_type(dtype))
    flat = widen(whole.ravel(), dtype, LEGACY, Choices()).reshape(whole.shape)
    views = [np.s_[:], np.s_[::2], np.s_[:, 3::7], np.s_[::-1, ::-3], np.s_[5], np.s_[5, 6], np.s_[:0], np.s_[:, 1:4]]
    for view in views:
        for raw, x in ((whole[view], flat[view]), (whole[view].T, flat[view].T)):
            got = widen(raw, dtype, LEGACY, Choices())
            assert got.shape == raw.shape
            assert got.flags.c_contiguous or dtype == Dtype.FP32  # a view of the codes
            assert np.array_equal(got.view(np.uint32), x.view(np.uint32))
            back = narrow(x, dtype, LEGACY, Choices())
            assert back.shape == x.shape
            assert back.flags.c_contiguous


def test_codes_without_a_value() -> None:
    for dtype in (Dtype.INVALID, Dtype.FP4_EXP2, Dtype.INT4, Dtype.CPTC3):
        with pytest.raises(ConversionNotDefined):
            widen(np.zeros(4, np.uint8), dtype, LEGACY, Choices())
    for dtype in (Dtype.SFP8_E8, Dtype.INT4):
        with pytest.raises(ConversionNotDefined):
            narrow(np.zeros(4, np.float32), dtype, LEGACY, Choices())
    with pytest.raises(ValueError, match="4 bytes"):
        widen(np.zeros(4, np.uint16), Dtype.FP32, LEGACY, Choices())


# -- open questions: the alternatives, and when they are asked for ----------------------------------------------------

ASKED = [  # fp32 bits, dtype, mode, the rows that are asked for
    (0x3F800000, Dtype.FP8_EXP4, OCP_SAT, ""),
    (0x4377FFFF, Dtype.FP8_EXP4, OCP_SAT, ""),
    (0x43780000, Dtype.FP8_EXP4, OCP_SAT, "fp8-e4m3-variant"),
    (0x3AC00000, Dtype.FP8_EXP4, OCP_SAT, "fp8-underflow-half-step"),
    (0x3A800000, Dtype.FP8_EXP4, OCP_SAT, ""),
    (0x3AC00000, Dtype.FP8_EXP4, LEGACY, ""),
    (0x37400000, Dtype.FP8_EXP5, LEGACY, "fp8-underflow-half-step"),
    (0xFFC00000, Dtype.FP8_EXP5, LEGACY, "nan-code-on-narrowing"),
    (0xFFC00000, Dtype.FP8_EXP5, Fp8Mode(sns=True), ""),
    (0xFFC00000, Dtype.FP8_EXP4, LEGACY, "fp8-e4m3-variant nan-code-on-narrowing"),
    (0x3F800000, Dtype.FP8_EXP2, OCP_SAT, "fp8-e2m5-format"),
    (0x7FC00000, Dtype.BFLOAT16, LEGACY, "nan-code-on-narrowing"),
    (0x7F7FFFFF, Dtype.BFLOAT16, LEGACY, ""),
    (0x7FC00000, Dtype.FP32R, LEGACY, "nan-code-on-narrowing"),
    (0x3F800800, Dtype.FP32R, LEGACY, "fp32r-mantissa-bits"),
    (0x3F802000, Dtype.FP32R, LEGACY, ""),
    (0x7FC00000, Dtype.FP32, LEGACY, ""),
    (0x40000000, Dtype.INT8, LEGACY, ""),
    (0x80000000, Dtype.INT8, LEGACY, ""),
    (0x3FC00000, Dtype.INT8, LEGACY, "float-to-int-rounding"),
    (0x43000000, Dtype.INT8, LEGACY, "float-to-int-rounding"),
    (0x7F800000, Dtype.INT8, LEGACY, "float-to-int-rounding"),
    (0x7FC00000, Dtype.INT8, LEGACY, "float-to-int-nan"),
    (0x4EFFFFFF, Dtype.INT32, LEGACY, ""),
    (0x4F000000, Dtype.INT32, LEGACY, "float-to-int-rounding"),
]


@pytest.mark.parametrize(("bits", "dtype", "mode", "ids"), ASKED)
def test_narrowing_asks_only_where_the_answer_depends(bits, dtype, mode, ids) -> None:
    choices = Choices()
    narrow(u32([0x3F800000, bits, 0]).view(np.float32), dtype, mode, choices)
    assert " ".join(sorted(choices.used)) == ids


@pytest.mark.parametrize(
    ("value", "dtype", "ids"),
    [
        (2**24, Dtype.INT32, ""),
        (2**24 + 1, Dtype.INT32, "int32-arithmetic"),
        (2**31, Dtype.INT32, ""),
        (2**32 - 1, Dtype.INT32, ""),
        (2**32 - 1, Dtype.UINT32, "int32-arithmetic"),
        (2**24 + 2, Dtype.UINT32, ""),
        (0x77, Dtype.FP8_EXP4, ""),
        (0xF8, Dtype.FP8_EXP4, "fp8-e4m3-variant"),
        (0x7E01, Dtype.FP16, ""),
    ],
)
def test_widening_asks_only_where_the_answer_depends(value, dtype, ids) -> None:
    choices = Choices()
    raw = np.array([0, value], raw_type(dtype))
    widen(raw, dtype, LEGACY, choices)
    assert " ".join(choices.used) == ids
    plain = Choices()
    convert(raw, dtype, Dtype.FP32, LEGACY, plain)
    assert "int32-arithmetic" not in plain.used


@pytest.mark.parametrize(
    ("choice", "value", "bits", "dtype", "mode", "code"),
    [
        ("nan-code-on-narrowing", "quiet-positive", 0xFFC00001, Dtype.BFLOAT16, LEGACY, 0x7FC0),
        ("nan-code-on-narrowing", "quiet-positive", 0xFFC00001, Dtype.FP16, LEGACY, 0x7E00),
        ("nan-code-on-narrowing", "quiet-positive", 0xFFC00001, Dtype.FP32R, LEGACY, 0x7FC00000),
        ("nan-code-on-narrowing", "quiet-positive", 0xFFC00001, Dtype.FP8_EXP4, OCP, 0x7F),
        ("fp8-underflow-half-step", "flush-to-zero", 0xBAC00000, Dtype.FP8_EXP4, OCP, 0x80),
        ("fp8-underflow-half-step", "flush-to-zero", 0x37400000, Dtype.FP8_EXP5, LEGACY, 0x00),
        ("fp8-e2m5-format", "inf-nan-at-top", 0x40800000, Dtype.FP8_EXP2, OCP, 0x60),
        ("fp8-e2m5-format", "inf-nan-at-top", 0xFFC00000, Dtype.FP8_EXP2, OCP, 0xF0),
        ("fp8-e2m5-format", "finite-only", 0xFFC00000, Dtype.FP8_EXP2, OCP, 0x7F),
        ("fp8-e2m5-format", "finite-only", 0xFF800000, Dtype.FP8_EXP2, OCP, 0xFF),
        ("float-to-int-rounding", "truncate-saturate", 0xBFF00000, Dtype.INT8, LEGACY, 0xFF),
        ("float-to-int-rounding", "truncate-saturate", 0x43961000, Dtype.INT8, LEGACY, 0x7F),
        ("float-to-int-rounding", "truncate-wrap", 0x43961000, Dtype.INT8, LEGACY, 300 % 256),
        ("float-to-int-rounding", "truncate-wrap", 0xC3961000, Dtype.INT8, LEGACY, -300 % 256),
        ("float-to-int-rounding", "truncate-wrap", 0xC3961000, Dtype.UINT64, LEGACY, -300 % 2**64),
        ("float-to-int-rounding", "truncate-wrap", 0x4F800001, Dtype.UINT32, LEGACY, 512),
        ("float-to-int-rounding", "truncate-wrap", 0x7F800000, Dtype.UINT32, LEGACY, 0),
        ("float-to-int-nan", "zero", 0xFFC00000, Dtype.INT16, LEGACY, 0),
        ("float-to-int-nan", "max", 0xFFC00000, Dtype.INT16, LEGACY, 0x7FFF),
        ("fp8-e4m3-variant", "fn-448", 0x7F800000, Dtype.FP8_EXP4, Fp8Mode(sis=True), 0x7E),
    ],
)
def test_alternatives(choice, value, bits, dtype, mode, code) -> None:
    choices = Choices(overrides={choice: value})
    assert int(narrow(u32([bits]).view(np.float32), dtype, mode, choices)[0]) == code
    assert choices.used[choice] == value


@pytest.mark.parametrize(("bits", "mode"), [(0x3B000000, OCP), (0x3AC00000, LEGACY)])
def test_half_step_flush_leaves_the_smallest_subnormal_and_the_other_reading(bits, mode) -> None:
    choices = Choices(overrides={"fp8-underflow-half-step": "flush-to-zero"})
    assert int(narrow(u32([bits]).view(np.float32), Dtype.FP8_EXP4, mode, choices)[0]) == 0x01
    assert not choices.used


def test_nan_becomes_a_signed_zero_under_sns() -> None:
    nans = u32([0x7FC00000, 0xFF800001]).view(np.float32)
    for dtype in (Dtype.FP8_EXP3, Dtype.FP8_EXP4, Dtype.FP8_EXP5):
        assert list(narrow(nans, dtype, Fp8Mode(sns=True), Choices())) == [0x00, 0x80]
        assert not (narrow(nans, dtype, Fp8Mode(ocp=True, sns=True), Choices()) & 0x7F == 0).any()


def test_e2m5_not_modelled() -> None:
    choices = Choices(overrides={"fp8-e2m5-format": "not-modelled"})
    with pytest.raises(ConversionNotDefined):
        widen(np.zeros(4, np.uint8), Dtype.FP8_EXP2, OCP, choices)


def test_every_pair_of_dtypes_converts() -> None:
    sources = [d for d in Dtype if d <= Dtype.FP8_EXP5 and d != Dtype.INVALID]
    pairs = list(itertools.product(sources, sources))
    for src, dst in pairs:
        raw = np.arange(256, dtype=np.uint64).astype(raw_type(src))
        assert convert(raw, src, dst, LEGACY, Choices()).dtype == raw_type(dst)
    assert len(pairs) == 225
