"""STREAM_SHUFFLE (0x6A) and the mask of LOAD_MASK_SELECT (0x69), isa/06 sections 5.6 and 5.7."""

import numpy as np
import pytest

from dve_engine import AlternativeNotOffered, ExecutionError, NotModelled
from tests.unit.instructions.support import (
    BF16,
    FP32,
    UINT8,
    UINT16,
    at,
    failures,
    fresh,
    get,
    pattern,
    put,
    record,
    run,
)

OUT = 0x400
IDENTITY = np.arange(32, dtype="u1")


def shuffle(channels=32, dtype=UINT8, count=2, **fields):
    patterns = {"src_mem_pattern": pattern(0, count), "dst_mem_pattern": pattern(OUT, count)}
    fields = {"in_dtype": dtype, "out_dtype": dtype, "num_active_channels": channels} | fields
    return record(0x6A, **patterns | fields)


def load_mask(mask, **fields):
    return record(0x69, immediate=np.asarray(mask, "u1"), **fields)


def numbered_lanes(channels=32, dtype="u1"):
    state = fresh()
    put(state, 0, 0, np.stack([np.arange(channels), np.arange(channels) + 100], axis=1).astype(dtype))
    return state


def test_same_mask_in_every_block():
    mask = IDENTITY[::-1].copy()
    state = numbered_lanes(64)
    run(load_mask(mask) + shuffle(64), state)
    assert [get(state, lane, OUT, 1, UINT8)[0] for lane in (0, 31, 32, 63)] == [31, 0, 63, 32]


def test_255_keeps_the_destination():
    mask = IDENTITY.copy()
    mask[3] = 255
    mask[4] = 3
    state = numbered_lanes()
    put(state, 0, OUT, np.full((32, 2), 77, "u1"))
    run(load_mask(mask) + shuffle(), state)
    assert get(state, 3, OUT, 2, UINT8).tolist() == [77, 77]  # not zero, not the source lane
    assert get(state, 4, OUT, 2, UINT8).tolist() == [3, 103]
    assert get(state, 5, OUT, 2, UINT8).tolist() == [5, 105]


def test_in_place_shuffle_reads_everything_first():
    state = numbered_lanes()
    run(load_mask(np.roll(IDENTITY, 1)) + shuffle(dst_mem_pattern=pattern(0, 2)), state)
    assert [get(state, lane, 0, 1, UINT8)[0] for lane in range(32)] == np.roll(np.arange(32), 1).tolist()


def test_one_lane_to_all():
    state = numbered_lanes()
    run(load_mask(np.full(32, 9)) + shuffle(), state)
    assert {int(get(state, lane, OUT, 1, UINT8)[0]) for lane in range(32)} == {9}


def test_reset_mask_is_the_identity():
    state = numbered_lanes()
    run(shuffle(), state)
    assert [get(state, lane, OUT, 1, UINT8)[0] for lane in (0, 17, 31)] == [0, 17, 31]


def test_the_mask_outlives_the_program():
    state = numbered_lanes()
    run(load_mask(np.roll(IDENTITY, -1)), state)
    run(shuffle(), state)
    assert get(state, 0, OUT, 1, UINT8)[0] == 1


def test_bits_move_and_quadrants_may_differ():
    state = fresh()
    put(state, 32, 0, np.full((32, 2), 0x7F81, "<u2"))  # signalling BF16 NaNs
    program = shuffle(dtype=BF16, src_mem_pattern=pattern(at(32), 2), dst_mem_pattern=pattern(at(96, OUT), 2))
    assert failures(program) == []
    run(program, state)
    assert get(state, 96, OUT, 2, UINT16).tolist() == [0x7F81, 0x7F81]


def test_bytes_32_to_63():
    mask = IDENTITY.copy()
    mask[0] = 40
    state = numbered_lanes()
    put(state, 0, OUT, np.full((1, 2), 77, "u1"))
    program = load_mask(mask) + shuffle()
    answer = run(program, state)
    assert get(state, 0, OUT, 2, UINT8).tolist() == [77, 77]
    assert answer.assumptions["mask-byte-32-63"] == "lane-unmodified"
    assert [d["kind"] for d in answer.diagnostics] == ["reserved_mask_byte"]
    with pytest.raises(ExecutionError):
        run(program, numbered_lanes(), mask_byte_32_63="error")
    with pytest.raises(AlternativeNotOffered):
        run(program, numbered_lanes(), mask_byte_32_63="neighbour-block")


@pytest.mark.parametrize(("byte", "error"), [(40, ExecutionError), (64, NotModelled), (200, NotModelled)])
def test_a_mask_of_the_state_is_refused_before_anything_is_written(byte, error):
    mask = IDENTITY.copy()
    mask[7] = byte
    state = numbered_lanes()
    state.banks.load("lane_mask", mask)
    moves = record(
        0x46, src_mem_pattern=pattern(0, 2), dst_mem_pattern=pattern(0x800, 2), in_dtype=UINT8, out_dtype=UINT8,
        num_active_channels=32,
    )  # fmt: skip
    with pytest.raises(error):
        run(moves + shuffle(), state, mask_byte_32_63="error")
    assert get(state, 1, 0x800, 2, UINT8).tolist() == [0, 0]
    assert get(state, 1, OUT, 2, UINT8).tolist() == [0, 0]


def test_load_mask_rules():
    assert failures(load_mask(np.full(32, 63))) == []
    assert failures(load_mask(np.full(32, 64))) == ["LMS-V2"]
    assert failures(load_mask(np.full(32, 254))) == ["LMS-V2"]
    assert failures(load_mask(np.full(32, 255))) == []
    assert failures(load_mask(IDENTITY, param_ram_offset=8)) == ["LMS-V1"]


def test_channels():
    for channels, legal in ((32, True), (64, True), (96, True), (128, True), (16, False), (48, False)):
        assert (failures(shuffle(channels)) == []) is legal
    assert failures(shuffle(dtype=FP32, out_dtype=0x0B)) == ["SSH-V14"]
