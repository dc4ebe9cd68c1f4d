"""TENSOR_SCALAR_SELECT. Expected values from isa/04 section 6 by hand."""

import numpy as np
import pytest

from dve_engine import ExecutionError
from tests.unit.instructions.search_support import (
    ALL_GENERATIONS,
    BF16,
    FP32,
    INT8,
    UINT8,
    UINT16,
    UINT32,
    Done,
    bits,
    first_failure,
    pattern,
    prepared,
    record,
    run,
    sbuf,
)


def select(**fields):
    base = {
        "src0_mem_pattern": pattern(0x100, 4),
        "dst_mem_pattern": pattern(0x200, 4),
        "num_active_channels": 1,
        "dtype": FP32,
        "pred_imm_dtype": UINT32,
        "src1_imm": 0x3F800000,
        "pred_imm": 1,
    }
    return record("S3D3_TS_SELECT", 0x98, **(base | fields))


DATA = bits(0x7F800001, 0x80000000, 0x00000001, 0xFF7FFFFF)  # signalling NaN, -0, subnormal, lowest
SCALAR = bits(*[0x3F800000] * 4)


@pytest.mark.parametrize(
    ("pred", "reversed_pred", "expected"), [(1, 0, DATA), (0, 0, SCALAR), (1, 1, SCALAR), (0, 1, DATA)]
)
@pytest.mark.parametrize("generation", ALL_GENERATIONS)
def test_both_sides_move_bits(generation, pred, reversed_pred, expected):
    done = run(select(pred_imm=pred, reversed_pred=reversed_pred), generation, [(sbuf(0, 0x100), DATA)])
    assert done.elements(sbuf(0, 0x200), "<u4", 4).tolist() == expected.tolist()


def test_predicate_and_scalar_per_lane():
    """Predicates 0x0100 (true: the whole width counts) and 0 behind a pointer, scalars behind another."""
    program = select(
        num_active_channels=2,
        dtype=BF16,
        pred_imm_dtype=UINT16,
        pred_imm_src=1,
        pred_imm=0x40,
        src1_imm_src=1,
        src1_imm=0x50,
    )
    data = bits(1, 2, 3, 0x7FC1, kind="<u2")
    memory = [(sbuf(lane, 0x100), data) for lane in (0, 1)]
    memory += [(sbuf(0, 0x40), bits(0x0100, kind="<u2")), (sbuf(1, 0x50), bits(0xFF80, kind="<u2"))]
    done = run(program, memory=memory)
    assert done.elements(sbuf(0, 0x200), "<u2", 4).tolist() == data.tolist()
    assert done.elements(sbuf(1, 0x200), "<u2", 4).tolist() == [0xFF80] * 4


def test_register_predicate_negative_int8_is_true():
    program = select(dtype=UINT8, pred_imm_dtype=INT8, pred_imm_src=2, pred_imm=5, src1_imm=0xAB)
    memory = [(sbuf(0, 0x100), bits(1, 2, 3, 4, kind="u1")), (sbuf(0, 0x43), bits(0x80, kind="u1"))]
    done = run(program, memory=memory, registers={5: 0x43})
    assert done.elements(sbuf(0, 0x200), "u1", 4).tolist() == [1, 2, 3, 4]
    with pytest.raises(ExecutionError, match="register 5 is not set"):
        run(program, memory=memory)


def test_every_element_is_written_in_place():
    program = select(dst_mem_pattern=pattern(0x100, 4), pred_imm=0)
    done = run(program, memory=[(sbuf(0, 0x100), DATA)])
    assert done.elements(sbuf(0, 0x100), "<u4", 4).tolist() == SCALAR.tolist()


def test_reversed_overlap_reads_before_it_writes():
    program = select(dst_mem_pattern=pattern(0x10C, 4, steps=[-1]))
    done = run(program, memory=[(sbuf(0, 0x100), bits(1, 2, 3, 4))])
    assert done.elements(sbuf(0, 0x100), "<u4", 4).tolist() == [4, 3, 2, 1]
    with pytest.raises(ExecutionError, match="overlaps"):
        run(program, memory=[(sbuf(0, 0x100), bits(1, 2, 3, 4))], partial_overlap="error")


def test_a_late_failure_takes_back_the_records_before_it():
    program = select(pred_imm=0) + select(dst_mem_pattern=pattern(0x104, 4))
    state = prepared("CAYMAN")
    with pytest.raises(ExecutionError, match="instruction 1: dst overlaps"):
        run(program, state=state, partial_overlap="error")
    assert Done(state, {}).elements(sbuf(0, 0x200), "<u4", 4).tolist() == [0] * 4


IN_REGISTERS = {"src0_mem_pattern": pattern(0x80000001, 4), "dst_mem_pattern": pattern(0x80000002, 4)}


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"pred_imm": 2}, "TSS-V7"),
        ({"pred_imm": 0x100}, "TSS-V7"),
        ({"pred_imm": 0x40, "pred_imm_src": 1}, None),
        ({"pred_imm_dtype": UINT8}, "TSS-V14"),
        ({"pred_imm_dtype": FP32}, "TSS-V13"),
        ({"dtype": 0x0B}, "TSS-V12"),
        ({"reversed_pred": 2}, "TSS-V14b"),
        ({"src1_imm_src": 3}, "TSS-V5"),
        ({"src1_imm_src": 2, "src1_imm": 64}, "TSS-V5"),
        ({"num_active_channels": 0}, "TSS-V10a"),
        ({**IN_REGISTERS, "num_active_channels": 129}, "TSS-V15"),
        ({"dst_mem_pattern": pattern(0x200, 5)}, "TSS-V11"),
    ],
)  # fmt: skip
def test_first_broken_rule(change, rule):
    failure = first_failure(select(**change))
    assert (failure and failure[0]) == rule


def test_upper_bytes_of_a_narrow_scalar_are_ignored():
    """No rule of the list looks at them, and the assumption on them speaks of 0xE8 only."""
    program = select(dtype=UINT8, pred_imm_dtype=UINT8, pred_imm=0, src1_imm=0x12345678)
    done = run(program)
    assert done.elements(sbuf(0, 0x200), "u1", 4).tolist() == [0x78] * 4
    assert "narrow-immediate-high-bytes" not in done.assumptions


def test_maverick_extra_dtype_moves_bytes():
    program = select(dtype=0x11, pred_imm_dtype=UINT8)
    assert first_failure(program, "MARIANA") == ("TSS-V8", "src0_mem_pattern.start_addr")
    done = run(program, "MAVERICK", [(sbuf(0, 0x100), np.arange(4, dtype="u1"))])
    assert done.elements(sbuf(0, 0x200), "u1", 4).tolist() == [0, 1, 2, 3]
