"""The fast paths of the numerics against slow definitions, bit for bit, on arbitrary patterns."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dve_engine.isa.aluops import AluOp
from dve_engine.isa.assumptions import Choices
from dve_engine.isa.dtypes import Dtype, raw_type
from dve_engine.isa.generation import Fp8Mode
from dve_engine.numerics import alu_f32, convert, fold, fold_all, narrow, widen

from ..unit.numerics import reference

# Patterns near the borders of all formats, short mantissas (ties), and anything at all.
EXPONENT = st.integers(0, 255)
PATTERN = st.one_of(
    st.integers(0, 2**32 - 1),
    st.builds(lambda s, e, m: s << 31 | e << 23 | m, st.integers(0, 1), EXPONENT, st.sampled_from((0, 1, 0x7FFFFF))),
    st.builds(lambda s, e, m: s << 31 | e << 23 | m << 15, st.integers(0, 1), EXPONENT, st.integers(0, 255)),
    st.builds(
        lambda s, e, m: s << 31 | (112 + e) << 23 | m << 11, st.integers(0, 1), st.integers(0, 31), st.integers(0, 4095)
    ),
    st.sampled_from((0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFF800001)),
)
PATTERNS = st.lists(PATTERN, min_size=1, max_size=40)
LEGACY, OCP, OCP_SAT = Fp8Mode(), Fp8Mode(ocp=True), Fp8Mode(ocp=True, sat=True)
FLOATS = [
    (Dtype.BFLOAT16, LEGACY, "BF16", False), (Dtype.FP16, LEGACY, "FP16", False), (Dtype.FP8_EXP3, OCP, "E3M4", False),
    (Dtype.FP8_EXP4, LEGACY, "E4M3", False), (Dtype.FP8_EXP4, OCP, "E4M3FN", False),
    (Dtype.FP8_EXP4, OCP_SAT, "E4M3FN", True), (Dtype.FP8_EXP5, LEGACY, "E5M2", False),
    (Dtype.FP8_EXP5, OCP_SAT, "E5M2", True), (Dtype.FP8_EXP2, OCP, "E2M5", False),
]  # fmt: skip


def f32(patterns: list[int]) -> np.ndarray:
    return np.array(patterns, np.uint32).view(np.float32)


@settings(max_examples=200)
@given(PATTERNS)
def test_narrowing_to_floats(patterns) -> None:
    for dtype, mode, name, clamp in FLOATS:
        got = narrow(f32(patterns), dtype, mode, Choices())
        assert got.tolist() == [reference.narrow(u, name, clamp) for u in patterns], name


@settings(max_examples=200)
@given(PATTERNS)
def test_narrowing_to_integers(patterns) -> None:
    for name in reference.INTEGERS:
        got = narrow(f32(patterns), Dtype[name], LEGACY, Choices())
        wide = 1 << 8 * got.dtype.itemsize
        assert got.tolist() == [reference.narrow_integer(u, name) % wide for u in patterns], name


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=40))
def test_widening_integers(values) -> None:
    for name in reference.INTEGERS:
        dtype = Dtype[name]
        bits = 8 * raw_type(dtype).itemsize
        low, _ = reference.INTEGERS[name]
        codes = [v % (1 << bits) for v in values]
        signed = [c - (1 << bits) if low and c >> (bits - 1) else c for c in codes]
        got = widen(np.array(codes, raw_type(dtype)), dtype, LEGACY, Choices()).view(np.uint32)
        assert got.tolist() == [reference.widen_integer(v) for v in signed], name


@pytest.mark.parametrize(
    ("dtype", "mode", "type"),
    [
        (Dtype.BFLOAT16, LEGACY, ml_dtypes.bfloat16),
        (Dtype.FP16, LEGACY, np.float16),
        (Dtype.FP8_EXP3, LEGACY, ml_dtypes.float8_e3m4),
        (Dtype.FP8_EXP4, LEGACY, ml_dtypes.float8_e4m3),
        (Dtype.FP8_EXP4, OCP, ml_dtypes.float8_e4m3fn),
        (Dtype.FP8_EXP5, LEGACY, ml_dtypes.float8_e5m2),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_large_arrays_equal_the_element_types_of_numpy_and_ml_dtypes(dtype, mode, type) -> None:
    """Two million random patterns: sizes where the pair table and the block forms are in use."""
    u = np.random.default_rng(int(dtype)).integers(0, 2**32, 1 << 21, dtype=np.uint32)
    x = u.view(np.float32)
    number = ~np.isnan(x)
    with np.errstate(all="ignore"):
        want = x.astype(type).view(raw_type(dtype))
    assert np.array_equal(narrow(x, dtype, mode, Choices())[number], want[number])
    wide, plain = widen(want, dtype, mode, Choices()), want.view(type).astype(np.float32)
    number = ~np.isnan(plain)
    assert np.array_equal(wide.view(np.uint32)[number], plain.view(np.uint32)[number])
    assert np.isnan(wide[~number]).all()


@settings(max_examples=200)
@given(st.lists(st.tuples(PATTERN, PATTERN), min_size=1, max_size=12))
def test_fp32_operations(pairs) -> None:
    a, b = f32([x for x, _ in pairs]), f32([y for _, y in pairs])
    for name in reference.FP32_OPS:
        got = alu_f32(AluOp[name], a, b, Choices()).view(np.uint32)
        assert got.tolist() == [reference.alu(name, x, y) for x, y in pairs], name


@settings(max_examples=100)
@given(
    name=st.sampled_from(("ADD", "SUBTRACT", "MULT", "MAX", "MIN")),
    values=hnp.arrays(np.uint32, hnp.array_shapes(min_dims=2, max_dims=2, max_side=24), elements=PATTERN),
    seed=PATTERN,
    element_first=st.booleans(),
)
def test_folds(name, values, seed, element_first) -> None:
    """Also: one lane at a time equals all lanes at once, and so does a fold cut in two."""
    op, x = AluOp[name], values.view(np.float32)
    start = np.full(len(x), np.uint32(seed)).view(np.float32)
    every = fold_all(op, start, x, Choices(), element_first=element_first).view(np.uint32)
    for lane, row in zip(values.tolist(), every.tolist(), strict=True):
        running = seed
        for element, result in zip(lane, row, strict=True):
            running = reference.alu(name, *((element, running) if element_first else (running, element)))
            assert running == result
    final = fold(op, start, x, Choices(), element_first=element_first)
    assert np.array_equal(final.view(np.uint32), every[:, -1])
    cut = x.shape[1] // 2
    half = fold(op, start, x[:, :cut], Choices(), element_first=element_first)
    both = fold(op, half, x[:, cut:], Choices(), element_first=element_first)
    assert np.array_equal(both.view(np.uint32), every[:, -1])


@given(PATTERNS, st.sampled_from((1, 7, 4095, 4096, 5001)))
def test_a_large_array_converts_like_its_elements(patterns, size) -> None:
    x = np.resize(f32(patterns), size)
    for dtype, mode, _, _ in FLOATS:
        codes = narrow(x, dtype, mode, Choices())
        few = narrow(f32(patterns), dtype, mode, Choices())
        assert np.array_equal(codes, np.resize(few, size))
        wide, little = widen(codes, dtype, mode, Choices()), widen(few, dtype, mode, Choices())
        assert np.array_equal(wide.view(np.uint32), np.resize(little, size).view(np.uint32))
        assert np.array_equal(convert(codes, dtype, dtype, mode, Choices()), narrow(wide, dtype, mode, Choices()))
