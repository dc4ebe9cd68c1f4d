"""RECIPROCAL (0x48) against the specification, isa/06 section 5.4."""

import numpy as np
import pytest

from dve_engine import AlternativeNotOffered
from tests.unit.instructions.support import (
    BF16,
    FP32,
    INT8,
    UINT8,
    failures,
    fresh,
    get,
    pattern,
    put,
    record,
    run,
)


def of(values, source=FP32, target=FP32, **assumptions):
    """1/x of a row: the stored bits and the answer."""
    state = fresh()
    put(state, 0, 0, values)
    program = record(
        0x48,
        src_mem_pattern=pattern(0, len(values)),
        dst_mem_pattern=pattern(0x400, len(values)),
        in_dtype=source,
        out_dtype=target,
        num_active_channels=1,
    )
    answer = run(program, state, **assumptions)
    return get(state, 0, 0x400, len(values), "<u4" if target == FP32 else target), answer


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        (0x00000000, 0x7F800000),  # 1/+0
        (0x80000000, 0xFF800000),
        (0x7F800000, 0x00000000),  # 1/+Inf
        (0xFF800000, 0x80000000),
        (0x40400000, 0x3EAAAAAB),  # 1/3, rounded up
        (0xC0000000, 0xBF000000),
        (0x7F800001, 0x7FC00001),  # NaN: its own bits, made quiet
        (0xFFC12345, 0xFFC12345),
        (0x00000001, 0x7F800000),  # a subnormal too small for its reciprocal
        (0x00400000, 0x7F000000),  # 2**-127: 2**127
        (0x7F7FFFFF, 0x00200000),  # the largest number: a subnormal result
    ],
)
def test_values(bits, expected):
    got, answer = of(np.array([bits], "<u4"))
    assert f"{got[0]:08X}" == f"{expected:08X}"
    assert answer.assumptions["reciprocal-accuracy"] == "correctly-rounded"


def test_flushed_subnormals():
    got, _ = of(np.array([0x00400000, 0x807FFFFF, 0x7F7FFFFF], "<u4"), fp32_subnormals="flush")
    assert got.tolist() == [0x7F800000, 0xFF800000, 0]


def test_every_result_is_the_nearest_fp32():
    x = np.random.default_rng(1).uniform(1, 2, 2000).astype("<f4")
    exact = 1.0 / x.astype(np.longdouble)
    assert of(x)[0].view("<f4").tolist() == exact.astype("<f4").tolist()


def test_integers_are_widened_and_results_converted():
    assert of(np.array([1, 2, 0, -1], "i1"), INT8, INT8)[0].tolist() == [1, 0, 127, -1]  # 0.5 ties to 0; Inf saturates
    assert of(np.array([3], "u1"), UINT8, BF16)[0].tolist() == [0x3EAB]


def test_int32_input_is_no_arithmetic_question():
    assert "int32-arithmetic" not in of(np.array([16777217], "<i4"), 0x08)[1].assumptions


def test_the_table_model_is_not_offered():
    with pytest.raises(AlternativeNotOffered):
        of(np.ones(1, "<f4"), reciprocal_accuracy="table-model")


def test_the_alu_is_never_used():
    program = record(
        0x48, src_mem_pattern=pattern(0, 1), dst_mem_pattern=pattern(4, 1), in_dtype=FP32, out_dtype=FP32, op=6,
        num_active_channels=1,
    )  # fmt: skip
    assert failures(program) == ["RECIP-V13"]
