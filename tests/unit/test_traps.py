"""Where people expect something else of the elementwise core than what public documentation records.

The other traps are named where their family is tested: sums that saturate and trailing axes in test_tensor_reduce,
the fill of range_select in test_range_select, the published search examples in test_match, 255 in test_stream_shuffle.
"""

import numpy as np
import pytest

from dve_engine import Choices
from tests.unit.records import (
    FP32,
    INT8,
    INT32,
    SRC,
    SRC1,
    UINT8,
    copy_scalar,
    outcome,
    select_reduce,
    state_with,
    tensor_scalar,
    two_sources,
)

GENERATIONS = ["SUNDA", "CAYMAN", "MARIANA", "MAVERICK"]
BYPASS, ADD, LOGICAL_AND = 0x00, 0x04, 0x0D
ONE = 0x3F80_0000
NAN = float("nan")


def memory(at, dtype, *values):
    return (0, at, np.array(values, dtype).tobytes())


def stored(program, rows, dtype, count, *, generation="CAYMAN", profile="notes", before=None):
    """`count` elements at the destination, and the first accumulator."""
    destination = [(0, 0x400, np.array(before, dtype).tobytes())] if before else []
    state = state_with(generation, [*rows, *destination])
    size = np.dtype(dtype).itemsize * count
    text, _ = outcome(program, generation, Choices(profile), state, size)
    return np.frombuffer(bytes.fromhex(text), dtype).tolist(), float(state.accumulators.values[0])


@pytest.mark.parametrize("generation", GENERATIONS)
def test_int32_arithmetic_goes_through_fp32(generation):
    program = tensor_scalar(ADD, BYPASS, dtypes=(INT32, INT32), count=2, imm0=ONE)
    got, _ = stored(program, [memory(SRC, "<i4", 16777217, 16777215)], "<i4", 2, generation=generation)
    assert got == [16777216, 16777216]


@pytest.mark.parametrize("generation", GENERATIONS)
def test_float_to_int_rounds_to_even_and_saturates(generation):
    program = tensor_scalar(BYPASS, BYPASS, dtypes=(FP32, INT8), count=6)
    values = memory(SRC, "<f4", 0.5, 1.5, 2.5, -2.5, 300, -300)
    assert stored(program, [values], "i1", 6, generation=generation)[0] == [0, 2, 2, -2, 127, -128]


def test_uint8_sum_saturates_at_store():
    program = two_sources(0x41, (UINT8, UINT8, UINT8), op=ADD, count=2)
    assert stored(program, [memory(SRC, "u1", 200, 1), memory(SRC1, "u1", 100, 2)], "u1", 2)[0] == [255, 3]


def test_logical_and_on_fp32_gives_one_or_zero():
    program = two_sources(0x41, (FP32, FP32, FP32), op=LOGICAL_AND, count=4)
    rows = [memory(SRC, "<f4", 2, -0.0, NAN, 5), memory(SRC1, "<f4", 3, 1, 1, 0)]
    assert stored(program, rows, "<f4", 4)[0] == [1, 0, 1, 0]


@pytest.mark.parametrize(("flag", "predicate", "left"), [(0, 0, 7), (0, 1, 9), (1, 0, 9), (1, 1, 7)])
@pytest.mark.parametrize("generation", GENERATIONS)
def test_copy_predicated_scalar_writes_where_the_predicate_equals_the_flag(generation, flag, predicate, left):
    program = copy_scalar(UINT8, src0_imm=7, reversed_pred=flag)
    got, _ = stored(program, [memory(SRC, "u1", predicate)], "u1", 1, generation=generation, before=[9])
    assert got == [left]


FILL = -9984.0
SELECTIONS = [
    ("notes", 0, [2, 9, -3, 9], 2),
    ("notes", 1, [9, 50, 9, NAN], 50),
    ("nki", 0, [2, FILL, -3, FILL], 2),
    ("nki", 1, [FILL, 50, FILL, NAN], 50),
]


@pytest.mark.parametrize(("profile", "reverse", "left", "largest"), SELECTIONS)
def test_select_reduce_under_both_profiles_with_the_reversed_flag(profile, reverse, left, largest):
    program = select_reduce(count=4, imm0=0xC61C_0000, reverse_operands=reverse)
    rows = [memory(SRC, "u1", 1, 0, 255, 0), memory(SRC1, "<f4", 2, 50, -3, NAN)]
    got, accumulator = stored(program, rows, "<f4", 4, profile=profile, before=[9] * 4)
    assert np.array_equal(got, left, equal_nan=True)
    assert accumulator == largest
