"""STREAM_TRANSPOSE (0x6B) against the specification, isa/06 section 5.8."""

import numpy as np
import pytest

from dve_engine import ExecutionError
from tests.unit.instructions.support import (
    FP32,
    UINT8,
    UINT16,
    failures,
    fresh,
    get,
    pattern,
    put,
    record,
    run,
)

OUT = 0x400


def transpose(count, taken=None, *, channels=32, dtype=UINT16, **fields):
    taken = count if taken is None else taken
    patterns = {"src_mem_pattern": pattern(0, count), "dst_mem_pattern": pattern(OUT, taken)}
    fields = {"in_dtype": dtype, "out_dtype": dtype, "num_active_channels": channels} | fields
    return record(0x6B, **patterns | fields)


def filled(channels, count, kind="<u2"):
    state, values = fresh(), np.arange(channels * count).reshape(channels, count).astype(kind)
    put(state, 0, 0, values)
    return state, values


def test_tiles_are_transposed_where_they_stand():
    state, values = filled(64, 96)
    run(transpose(96, channels=64), state)
    for lane, element in ((0, 1), (31, 64), (33, 0), (63, 95), (40, 50)):
        expected = values[(lane & ~31) | (element & 31), (element & ~31) | (lane & 31)]
        assert get(state, lane, OUT, 96, UINT16)[element] == expected
    assert get(state, 0, OUT, 96, UINT16)[32] == values[0, 32]  # tiles keep their places


@pytest.mark.parametrize(("dtype", "kind"), [(UINT8, "u1"), (UINT16, "<u2"), (FP32, "<u4")])
def test_every_width_and_in_place(dtype, kind):
    state, values = filled(32, 32, kind)
    run(transpose(32, dtype=dtype, dst_mem_pattern=pattern(0, 32)), state)
    got = np.stack([get(state, lane, 0, 32, kind) for lane in range(32)])
    assert got.tolist() == values.T.tolist()


def test_short_destination():
    state, values = filled(32, 64)
    answer = run(transpose(64, 3), state)
    assert get(state, 5, OUT, 4, UINT16).tolist() == [*values[:3, 5], 0]
    assert answer.assumptions["transpose-short-destination"] == "truncate"
    with pytest.raises(ExecutionError):
        run(transpose(64, 3), state, transpose_short_destination="error")
    assert "transpose-short-destination" not in run(transpose(64), state).assumptions


def test_mask_keeps_lanes():
    mask = np.arange(32, dtype="u1")[::-1].copy()  # which lane a byte names does not matter here
    mask[2], mask[3] = 255, 40
    state, values = filled(64, 32)
    put(state, 0, OUT, np.full((64, 32), 7, "<u2"))
    state.banks.load("lane_mask", mask)
    answer = run(transpose(32, channels=64, mask_enable=1), state)
    for lane in (2, 3, 34, 35):
        assert get(state, lane, OUT, 2, UINT16).tolist() == [7, 7]
    assert get(state, 36, OUT, 2, UINT16).tolist() == values[32:34, 4].tolist()
    assert answer.assumptions["transpose-mask-enable"] == "keep-masked-lanes"
    run(transpose(32, channels=64, mask_enable=1), state, transpose_mask_enable="no-effect")
    assert get(state, 2, OUT, 2, UINT16).tolist() == values[:2, 2].tolist()


def test_without_mask_enable_the_mask_does_not_matter():
    state, values = filled(32, 32)
    state.banks.load("lane_mask", np.full(32, 255, "u1"))
    assert run(transpose(32), state).assumptions == {}
    assert get(state, 1, OUT, 2, UINT16).tolist() == values[:2, 1].tolist()


def test_identity_mask_is_no_question():
    state, _ = filled(32, 32)
    assert "transpose-mask-enable" not in run(transpose(32, mask_enable=1), state).assumptions


def test_counts():
    assert failures(transpose(48)) == ["STR-V15"]
    assert failures(transpose(64, 65)) == ["STR-V12"]
    assert failures(transpose(32, channels=40)) == ["STR-V14"]
    assert failures(transpose(32, out_dtype=UINT8)) == ["STR-V5"]


def test_counts_behind_a_waiver_are_met_at_run_time():
    for program in (
        transpose(48, 32, src_mem_pattern=pattern(0x4000_0000, 48)),
        transpose(32, 33, dst_mem_pattern=pattern(0x4000_0000 | OUT, 33)),
    ):
        assert failures(program) == []
        with pytest.raises(ExecutionError):
            run(program, fresh(), shape_register="treat-as-static")


def test_tensor_scalar_transposed_meets_its_counts_too():
    patterns = {"src_mem_pattern": pattern(0x4000_0000, 48, dims=3), "dst_mem_pattern": pattern(OUT, 48, dims=3)}
    program = record(0x93, in_dtype=FP32, out_dtype=FP32, num_active_channels=32, **patterns)
    assert failures(program) == []
    with pytest.raises(ExecutionError):
        run(program, fresh(), shape_register="treat-as-static")
