"""The TENSOR_SCALAR_IMM_LD and TENSOR_SCALAR_PTR_MULTI stubs. Expected values from isa/06 section 5.12, by hand."""

import numpy as np
import pytest

from dve_engine import Choices, ExecutionError, NotModelled, generation_named, validate
from tests.unit.instructions.support import (
    BF16,
    FP32,
    INT32,
    UINT8,
    UINT16,
    UINT32,
    at,
    bf16,
    f32,
    failures,
    fresh,
    get,
    pattern,
    put,
    record,
    run,
)

LOOP = {"stub_opcodes": "documented-loop"}
ADD, SUBTRACT, DIVIDE, AND, CRC32, SHL = 0x04, 0x05, 0x07, 0x0A, 0x1C, 0x10


def load(opcode=0x70, count=2, dtype=FP32, lanes=1, **fields):
    base = {"src_mem_pattern": pattern(0x800, count, dims=2), "dtype": dtype, "num_active_channels": lanes}
    return record(opcode, **(base | fields))


def multi(opcode=0x4F, op=ADD, slices=2, inner=3, source=FP32, target=FP32, lanes=1, reverse=0, **fields):
    base = {
        "src_mem_pattern": pattern(0, inner, 1, 1, slices, dims=4),
        "dst_mem_pattern": pattern(0x100, inner * slices, dims=4),
        "in_dtype": source,
        "out_dtype": target,
        "num_active_channels": lanes,
        "op": op,
        "op_dim": 4,
        "reverse_operands": reverse,
    }
    return record(opcode, **(base | fields))


def ready():
    state = fresh()
    put(state, 0, 0, f32(1, 2, 3, 4, 5, 6))
    put(state, 0, 0x800, f32(10, 100))
    return state


@pytest.mark.parametrize("program", [load(), load(0x71, dtype=UINT32), multi(), multi(0x5F, AND, 2, 3, UINT32, UINT32)])
def test_not_wired_by_default(program):
    """Legal, and a run says that the device's worker does nothing; nothing is written."""
    verdict = validate(program, generation_named("CAYMAN"), Choices()).verdicts[0]
    assert verdict.valid and not verdict.executable and "not wired" in verdict.reason
    state = ready()
    with pytest.raises(NotModelled, match="not wired"):
        run(program, state)
    assert not get(state, 0, 0x100, 6).any()


def test_documented_loop_gives_each_slice_its_scalar():
    state = ready()
    result = run(load() + multi(), state, **LOOP)
    assert get(state, 0, 0x100, 6).tolist() == [11, 12, 13, 104, 105, 106]
    assert result.assumptions["stub-opcodes"] == "documented-loop"


@pytest.mark.parametrize(("reverse", "want"), [(0, [-9, -8, -7, -96, -95, -94]), (3, [9, 8, 7, 96, 95, 94])])
def test_both_operands_reversed(reverse, want):
    state = ready()
    run(load() + multi(op=SUBTRACT, reverse=reverse), state, **LOOP)
    assert get(state, 0, 0x100, 6).tolist() == want


def test_arith_scalars_are_converted_and_bitvec_ones_zero_extended():
    state = fresh()
    put(state, 0, 0x800, bf16(1.5, -2))
    run(load(dtype=BF16), state, **LOOP)
    assert state.banks["scalar_registers"][0, :3].tolist() == [0x3FC00000, 0xC0000000, 0]
    assert state.banks["scalar_count"][:2].tolist() == [2, 0]
    put(state, 0, 0x800, np.array([0xFF, 0x80], "u1"))
    run(load(0x71, dtype=UINT8), state, **LOOP)
    assert state.banks["scalar_registers"][0, :2].tolist() == [0xFF, 0x80]


def test_bitvec_loop():
    state = fresh()
    put(state, 0, 0, np.array([0xF0F0, 0x1234, 0xFFFF, 3], "<u2"))
    put(state, 0, 0x800, np.array([0xFF00, 0x0003], "<u2"))
    both = load(0x71, dtype=UINT16) + multi(0x5F, AND, 2, 2, UINT16, UINT16)
    run(both, state, **LOOP)
    assert get(state, 0, 0x100, 4, "<u2").tolist() == [0xF000, 0x1200, 3, 3]
    with pytest.raises(NotModelled):
        run(load(0x71, dtype=UINT16) + multi(0x5F, CRC32, 2, 2, UINT16, UINT16), state, **LOOP)


def test_as_many_scalars_as_slices():
    """Found when the record's turn comes; what earlier records wrote is undone."""
    state = ready()
    with pytest.raises(ExecutionError, match="3 slices, but 2"):
        run(load() + multi() + multi(slices=3, inner=2), state, **LOOP)
    assert not get(state, 0, 0x100, 6).any()
    assert not state.banks["scalar_count"].any()


def test_no_channel_rule_in_either_list():
    """No lane does nothing; more lanes than partitions leave memory."""
    state = ready()
    result = run(load(lanes=0) + multi(lanes=0), state, **LOOP)
    assert result.written == () and not state.banks["scalar_count"].any()
    with pytest.raises(ExecutionError):
        run(load(lanes=129), state, **LOOP)


@pytest.mark.parametrize(
    ("program", "rules"),
    [
        (load(), []),
        (load(count=8), []),
        (load(count=9), ["IML-V2"]),
        (load(count=0), ["IML-V2"]),
        (load(imm0_src=1), ["IML-V3"]),
        (load(imm1=1.0), ["IML-V3"]),
        (load(dtype=0x0B), ["IML-V4"]),
        (load(dtype=INT32), []),
        (load(0x71, dtype=INT32), []),
        (load(0x71, dtype=FP32), ["IML-V4"]),
        (load(0x71, dtype=0x02), ["IML-V4"]),
        (multi(), []),
        (multi(op_dim=3), ["PM-V1"]),
        (multi(reverse=1), ["PM-V2"]),
        (multi(slices=9), ["PM-V3"]),
        (multi(op=DIVIDE), ["PM-V4"]),
        (multi(op=AND), ["PM-V4"]),
        (multi(op=0xC4), ["PM-V4"]),
        (multi(0x5F, ADD, 2, 3, UINT32, UINT32), ["PM-V4"]),
        (multi(0x5F, CRC32, 2, 3, UINT32, UINT32), []),
        (multi(source=0x0B), ["PM-V5"]),
        (multi(target=0x0B), []),
        (multi(0x5F, AND), ["PM-V5"]),
        (multi(0x5F, AND, 2, 3, UINT32, INT32), ["PM-V5"]),
        (multi(dst_mem_pattern=pattern(0x100, 5, dims=4)), ["PM-V6"]),
        (multi(src_mem_pattern=pattern(2, 3, 1, 1, 2, dims=4)), ["PM-V7a"]),
        (multi(dst_mem_pattern=pattern(0x102, 6, dims=4)), ["PM-V7b"]),
        (multi(src_mem_pattern=pattern(at(5), 3, 1, 1, 2, dims=4)), []),  # no start rule
    ],
)
def test_breaks(program, rules):
    assert failures(program) == rules
