"""COPY (0x46) and CAST (0x47) against the specification, isa/06 sections 5.2 and 5.3."""

import numpy as np
import pytest

from dve_engine import ExecutionError, Space
from tests.unit.instructions.support import (
    BF16,
    FP16,
    FP32,
    INT8,
    INT16,
    INT32,
    UINT8,
    UINT32,
    at,
    failures,
    fresh,
    get,
    indirect,
    pattern,
    put,
    record,
    run,
)

OUT = 0x400
FP32R = 0x0B


def moved(opcode, count, source, target=None, *, channels=1, **fields):
    target = source if target is None else target
    fields = {"src_mem_pattern": pattern(0, count), "dst_mem_pattern": pattern(OUT, count)} | fields
    return record(opcode, in_dtype=source, out_dtype=target, num_active_channels=channels, **fields)


def cast(values, source, target, **assumptions):
    """The stored codes and the answer of one cast of a row."""
    state = fresh()
    put(state, 0, 0, values)
    answer = run(moved(0x47, len(values), source, target), state, **assumptions)
    return get(state, 0, OUT, len(values), target), answer


def test_int32_copy_is_exact_where_cast_is_not():
    values = np.array([16777217, -16777217, 2**31 - 1, 33554433], "<i4")
    state = fresh()
    put(state, 0, 0, values)
    run(moved(0x46, 4, INT32), state)
    assert get(state, 0, OUT, 4, INT32).tolist() == values.tolist()
    got, answer = cast(values, INT32, UINT32)  # through fp32, RNE: 2**24 + 1 is a tie to 2**24, 2**25 + 1 goes down
    assert got.tolist() == [16777216, 0, 2147483648, 33554432]
    assert "int32-arithmetic" not in answer.assumptions


def test_cast_between_equal_dtypes_moves_bits():
    signalling = np.array([0x7F800001, 0xFFC12345, 0x80000000, 0x00000001], "<u4")
    got, answer = cast(signalling, FP32, FP32)
    assert got.view("<u4").tolist() == signalling.tolist()
    assert answer.assumptions["equal-dtype-conversion"] == "raw-bits"
    through, _ = cast(np.array([0x7F01, 0xFF81], "<u2"), BF16, BF16, equal_dtype_conversion="via-fp32")
    assert through.tolist() == [0x7F01, 0xFFC0]  # a signalling NaN is made quiet by the conversion


def test_copy_moves_bits_of_every_width():
    for dtype, words in ((INT8, "u1"), (FP16, "<u2"), (FP32, "<u4")):
        bits = np.arange(200, 208).astype(words) << (8 * np.dtype(words).itemsize - 8)
        state = fresh()
        put(state, 0, 0, bits)
        assert run(moved(0x46, 8, dtype), state).assumptions == {}
        assert get(state, 0, OUT, 8, words).tolist() == bits.tolist()


@pytest.mark.parametrize(
    ("values", "source", "target", "expected"),
    [
        (np.array([0.5, 1.5, 2.5, -0.5], "<f4"), FP32, INT8, [0, 2, 2, 0]),  # nearest even
        (np.array([300, -1, 254.5, 255.5], "<f4"), FP32, UINT8, [255, 0, 254, 255]),  # saturated
        (np.array([-200, 127.5, 1e30, -1e30], "<f4"), FP32, INT8, [-128, 127, 127, -128]),
        (np.array([-5, 100, -128, 127], "i1"), INT8, INT16, [-5, 100, -128, 127]),
        (np.array([3e9, 4294967040, 5e9, -1], "<f4"), FP32, UINT32, [3000000000, 4294967040, 4294967295, 0]),
    ],
)
def test_cast_to_integers(values, source, target, expected):
    assert cast(values, source, target)[0].tolist() == expected


def test_cast_to_fp32r_drops_mantissa_bits():
    value = np.array([0x3F800FFF], "<u4")  # 12 bits are dropped: more than half of the last kept bit
    state = fresh()
    put(state, 0, 0, value)
    answer = run(moved(0x47, 1, FP32, FP32R), state)
    assert get(state, 0, OUT, 1, "<u4").tolist() == [0x3F801000]
    assert answer.assumptions["fp32r-mantissa-bits"] == "11"


def test_shapes_differ_counts_agree():
    values = np.arange(6, dtype="<f4")
    state = fresh()
    put(state, 0, 0, values)
    program = moved(0x46, 6, FP32, src_mem_pattern=pattern(0, 2, 3, steps=(3, 1)), dst_mem_pattern=pattern(OUT, 3, 2))
    run(program, state)  # a transpose of 2 x 3
    assert get(state, 0, OUT, 6, FP32).tolist() == [0, 3, 1, 4, 2, 5]


def test_step_zero_broadcasts_and_the_last_duplicate_wins():
    values = np.arange(4, dtype="<f4")
    state = fresh()
    put(state, 0, 0, values)
    run(moved(0x46, 4, FP32, src_mem_pattern=pattern(4, 4, steps=(0,))), state)
    assert get(state, 0, OUT, 4, FP32).tolist() == [1, 1, 1, 1]
    answer = run(moved(0x46, 4, FP32, dst_mem_pattern=pattern(OUT, 4, steps=(0,))), state)
    assert get(state, 0, OUT, 2, FP32).tolist() == [3, 1]
    assert answer.assumptions["duplicate-destination"] == "last-wins"


def test_overlapping_copy_reads_everything_first():
    values = np.arange(6, dtype="<f4")
    state = fresh()
    put(state, 0, 0, values)
    run(moved(0x46, 5, FP32, dst_mem_pattern=pattern(4, 5)), state)
    assert get(state, 0, 0, 6, FP32).tolist() == [0, 0, 1, 2, 3, 4]


def test_lanes_beyond_the_count_are_untouched():
    state = fresh()
    put(state, 0, 0, np.ones((4, 1), "<f4"))
    put(state, 32, OUT, np.full((4, 1), 7, "<f4"))
    run(moved(0x46, 1, FP32, channels=3, dst_mem_pattern=pattern(at(32, OUT), 1)), state)
    assert [get(state, 32 + i, OUT, 1, FP32)[0] for i in range(4)] == [1, 1, 1, 7]


def test_psum_source_and_destination():
    state = fresh()
    put(state, 0, 0, np.array([1, 2], "<f4"), space=Space.PSUM)
    run(moved(0x46, 2, FP32, src_mem_pattern=pattern(at(0, space=Space.PSUM), 2)), state)
    assert get(state, 0, OUT, 2, FP32).tolist() == [1, 2]
    to_psum = {"dst_mem_pattern": pattern(at(0, space=Space.PSUM), 2)}
    assert failures(moved(0x47, 2, FP32, BF16, **to_psum)) == ["CAST-V11"]
    assert failures(moved(0x47, 2, BF16, FP32, **to_psum)) == []


def test_gather_on_mariana():
    state = fresh("MARIANA")
    put(state, 0, 0, np.array([[10, 11, 12, 13], [20, 21, 22, 23]], "<f4"))
    put(state, 0, 0x800, np.array([[3], [0], [1]], "<u2"))  # entry k of the list lies in partition k
    program = moved(0x46, 3, FP32, channels=2, src_mem_pattern=indirect(0x800, 0, 3), dst_mem_pattern=pattern(OUT, 3))
    assert failures(program, "MARIANA") == []
    run(program, state)
    assert get(state, 0, OUT, 3, FP32).tolist() == [13, 10, 11]
    assert get(state, 1, OUT, 3, FP32).tolist() == [23, 20, 21]
    assert failures(program, "CAYMAN")[0] == "COPY-V10"


def test_index_list_in_another_quadrant_is_illegal():
    program = moved(
        0x46,
        3,
        FP32,
        src_mem_pattern=indirect(at(32, 0x800, generation="MARIANA"), 0, 3),
        dst_mem_pattern=pattern(OUT, 3),
    )
    assert failures(program, "MARIANA") == ["COPY-V11a"]


def test_unequal_counts_behind_a_waiver_are_a_run_time_error():
    program = moved(0x46, 4, FP32, dst_mem_pattern=pattern(OUT | 0x4000_0000, 3))
    assert failures(program) == []
    state = fresh()
    with pytest.raises(ExecutionError):
        run(program, state, shape_register="treat-as-static")
