"""TENSOR_SCALAR_INT_WIDE. Known answers from isa/06 section 7.6 and W15, the rest by Python integers."""

import numpy as np
import pytest

from dve_engine import ExecutionError, NotModelled
from tests.unit.instructions.support import (
    COMPONENTS,
    FP32,
    INT32,
    UINT8,
    UINT16,
    UINT32,
    failures,
    fresh,
    get,
    pattern,
    put,
    record,
    run,
)

G = "MAVERICK"
INT8 = 0x02
ADD, SUBTRACT, MULT_INT, MULT_UINT = 0xC4, 0xC6, 0xC5, 0xDB
SHL_A, SHR_A, SHL, SHR = 0x02, 0x03, 0x10, 0x11
KINDS = {UINT32: "<u4", INT32: "<i4", UINT8: "u1", INT8: "i1", UINT16: "<u2"}


def wide(op, scalar, source=UINT32, immediate=UINT32, outputs=(UINT32, UINT32), count=1, **fields):
    base = {
        "in_imm_dtype": source | immediate << 4,
        "out0_out1_dtype": outputs[0] | outputs[1] << 4,
        "op": op,
        "num_active_channels": 1,
        "src_mem_pattern": pattern(0, count, dims=2),
        "dst0_mem_pattern": pattern(0x100, count, dims=2),
        "dst1_mem_pattern": pattern(0x200, count, dims=2),
        "imm": scalar % 2**32,
    }
    return record(0xF4, **(base | fields))


def result(op, values, scalar, source=UINT32, immediate=UINT32, outputs=(UINT32, UINT32)):
    state = fresh(G)
    put(state, 0, 0, np.array(values, KINDS[source]))
    run(wide(op, scalar, source, immediate, outputs, len(values)), state)
    low, high = (get(state, 0, byte, len(values), KINDS[o]) for byte, o in ((0x100, outputs[0]), (0x200, outputs[1])))
    return low.tolist(), high.tolist()


def test_signed_product_component():
    known = COMPONENTS["06-W15-multint"]
    low, high = result(MULT_INT, [known["a"]], known["b"], INT32, INT32)
    assert (low, high) == ([int(known["low"], 16)], [int(known["high"], 16)])


@pytest.mark.parametrize(
    ("op", "source", "immediate", "scalar", "formula"),
    [
        (ADD, UINT32, UINT32, 0xFFFFFFFF, lambda a, b: a + b),
        (ADD, UINT8, UINT16, 500, lambda a, b: a + b),
        (SUBTRACT, UINT32, UINT32, 7, lambda a, b: a - b),
        (MULT_UINT, UINT32, UINT32, 0xDEADBEEF, lambda a, b: a * b),
        (MULT_INT, INT32, INT32, -0x80000000, lambda a, b: a * b),
        (MULT_INT, INT8, INT32, -3, lambda a, b: a * b),
        (SHL, UINT32, UINT8, 31, lambda a, b: a << b),
        (SHL_A, INT32, UINT8, 5, lambda a, b: a << b),
        (SHR_A, INT32, UINT8, 4, lambda a, b: a >> b),
        (SHR, UINT32, UINT8, 4, lambda a, b: a >> b),
    ],
)
def test_64_bit_result_of_the_widened_operands(op, source, immediate, scalar, formula):
    info = np.iinfo(KINDS[source])
    values = [info.min, info.max, 0, 1, 100, info.min + 1]
    want = [formula(v, scalar) % 2**64 for v in values]
    low, high = result(op, values, scalar, source, immediate)
    assert low == [w % 2**32 for w in want]
    assert high == [w >> 32 for w in want]


def test_borrow_is_the_twos_complement_high_word():
    assert result(SUBTRACT, [5, 7, 9], 7) == ([0xFFFFFFFE, 0, 2], [0xFFFFFFFF, 0, 0])


def test_narrow_outputs_keep_the_low_bits():
    assert result(MULT_UINT, [0x12345678], 0x10000, outputs=(UINT16, UINT8)) == ([0], [0x34])
    assert result(ADD, [0x1FF], 1, outputs=(INT8, INT32)) == ([0], [0])


def test_scalar_per_lane_and_shift_amounts_from_memory():
    state = fresh(G)
    put(state, 0, 0, np.array([1], "<u4"), np.array([1], "<u4"))
    put(state, 0, 0x300, np.array([3], "u1"), np.array([31], "u1"))
    program = wide(SHL, 0x300, immediate=UINT8, imm_src=1, num_active_channels=2)
    run(program, state)
    assert [get(state, lane, 0x100, 1, "<u4")[0] for lane in (0, 1)] == [8, 1 << 31]
    put(state, 1, 0x300, np.array([32], "u1"))
    with pytest.raises(NotModelled, match="shift amount"):
        run(program, state)


def test_refused_overlap_of_the_second_destination_writes_neither():
    state = fresh(G)
    put(state, 0, 0, np.array([1, 2, 3], "<u4"))
    program = wide(ADD, 1, count=3, dst1_mem_pattern=pattern(4, 3, dims=2))
    with pytest.raises(ExecutionError, match="overlaps"):
        run(program, state, partial_overlap="error")
    assert not get(state, 0, 0x100, 3, "<u4").any()
    run(program, state)
    assert get(state, 0, 0x100, 3, "<u4").tolist() == [2, 3, 4]


@pytest.mark.parametrize(
    ("program", "rules"),
    [
        (wide(ADD, 1), []),
        (wide(ADD, 1, immediate=UINT8), []),
        (wide(ADD, 1, immediate=INT32), ["V3"]),
        (wide(MULT_INT, 1, INT32, UINT32), ["V3"]),
        (wide(MULT_UINT, 1, INT32, INT32), ["V3"]),
        (wide(SHL, 1, INT32, UINT8), []),
        (wide(SHL, 1, INT32, INT32), ["V3"]),
        (wide(SHL, 31), []),
        (wide(SHL, 32), ["V4"]),
        (wide(ADD, 32), []),
        (wide(SHL, 0x40, imm_src=1), []),
        (wide(ADD, 0x42, imm_src=1), ["V5"]),
        (wide(ADD, 64, imm_src=2), ["V5"]),
        (wide(ADD, 0, imm_src=3), ["V5"]),
        (wide(ADD, 1, source=FP32), ["V1", "V3"]),
        (wide(ADD, 1, outputs=(FP32, UINT32)), ["V1"]),
        (wide(0xC8, 1), ["V2"]),
        (wide(ADD, 1, src_mem_pattern=pattern(0x2000_0000, 1, dims=2)), ["V6"]),
        (wide(ADD, 1, src_mem_pattern=pattern(2, 1, dims=2)), ["V6"]),
        (wide(ADD, 1, dst1_mem_pattern=pattern(0x200, 2, dims=2)), ["V7"]),
        (wide(ADD, 1, reserved1=[0, 0, 0, 1]), ["V8"]),
        (wide(ADD, 1, num_active_channels=0), ["V9"]),
    ],
)
def test_breaks(program, rules):
    assert failures(program, G) == [f"TSIW-{r}" for r in rules]


def test_reachability_is_an_assumption():
    assert failures(wide(ADD, 1), G, int_wide_on_dve="bad-opcode") == ["X1"]
    assert failures(wide(ADD, 1), "MARIANA") == ["H1"]
    assert "int-wide-on-dve" in run(wide(ADD, 1), fresh(G)).assumptions
