"""TENSOR_CUMULATIVE (0x4E, 0x5E) against the specification, isa/05 section 11 and isa/06 section 5.5."""

import numpy as np
import pytest

from dve_engine import NotModelled
from tests.unit.instructions.support import (
    BF16,
    FP32,
    INT8,
    INT16,
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

OUT = 0x4000
NOT, ADD, SUBTRACT, MULT, MAX, XOR, SHIFT_LEFT, IS_GT, ABS, RSQRT, CRC32 = (
    0x01, 0x04, 0x05, 0x06, 0x08, 0x0C, 0x10, 0x13, 0x19, 0x1D, 0x1C,
)  # fmt: skip
ADD_INT, SUBTRACT_INT, DIVIDE_INT, MAX_INT = 0xC4, 0xC6, 0xC7, 0xCF
X, XY, XYZW = 2, 3, 5


def scan_record(opcode, op, counts, *, subdim=X, source=FP32, target=None, **fields):
    target = source if target is None else target
    patterns = {"src_mem_pattern": pattern(0, *counts), "dst_mem_pattern": pattern(OUT, *counts)}
    fields = {"op": op, "op_dim": subdim, "in_dtype": source, "out_dtype": target, "num_active_channels": 1} | fields
    return record(opcode, **patterns | fields)


def scanned(opcode, op, values, counts, *, subdim=X, source=FP32, target=None, generation="CAYMAN", **assumptions):
    state = fresh(generation)
    put(state, 0, 0, values)
    program = scan_record(opcode, op, counts, subdim=subdim, source=source, target=target)
    assert failures(program, generation) == []
    answer = run(program, state, **assumptions)
    return get(state, 0, OUT, int(np.prod(counts)), source if target is None else target), answer


def test_restart_in_every_group():
    values = np.ones(24, "<f4")
    for subdim, size in ((X, 2), (XY, 6), (XYZW, 24)):
        got, _ = scanned(0x4E, ADD, values, (2, 3, 4), subdim=subdim)
        assert got.tolist() == (np.arange(24) % size + 1).tolist()


def test_running_value_is_on_the_left():
    assert scanned(0x4E, SUBTRACT, np.array([10, 3, 2], "<f4"), (3,))[0].tolist() == [10, 7, 5]
    assert scanned(0x4E, IS_GT, np.array([10, 3, 2, 0.5], "<f4"), (4,))[0].tolist() == [10, 1, 0, 0]


def test_running_value_stays_fp32():
    values = np.array([0x3F80, 0x3B80, 0x3B80], "<u2")  # half bf16 steps: the second sum is a tie, the third is exact
    assert scanned(0x4E, ADD, values, (3,), source=BF16)[0].tolist() == [0x3F80, 0x3F80, 0x3F81]


def test_uint8_results_saturate_one_by_one():
    values = np.array([200, 100, 5, 7], "u1")
    assert scanned(0x4E, ADD, values, (4,), source=UINT8)[0].tolist() == [200, 255, 255, 255]
    assert scanned(0x4E, SUBTRACT, values, (4,), source=UINT8)[0].tolist() == [200, 100, 95, 88]


def test_sequential_association():
    values = np.array([1e8, 1, 1, -1e8], "<f4")
    got, answer = scanned(0x4E, ADD, values, (4,))
    assert got.tolist() == [1e8, 1e8, 1e8, 0]
    assert answer.assumptions["fold-association"] == "sequential"


def test_int32_goes_through_fp32():
    got, answer = scanned(0x4E, ADD, np.array([16777217, 1], "<i4"), (2,), source=INT32)
    assert got.tolist() == [16777216, 16777216]
    assert answer.assumptions["int32-arithmetic"] == "via-fp32"


def test_unary_codes():
    values = np.array([-3, -4, 5], "<f4")
    got, answer = scanned(0x4E, ABS, values, (3,))
    assert got.tolist() == [-3, 3, 3]
    assert answer.assumptions["unary-op-in-fold"] == "running-value"
    assert scanned(0x4E, ABS, values, (3,), unary_op_in_fold="element")[0].tolist() == [-3, 4, 5]
    bytes_ = np.array([1, 2, 3], "u1")
    assert scanned(0x5E, NOT, bytes_, (3,), source=UINT8)[0].tolist() == [1, 254, 1]
    assert scanned(0x5E, NOT, bytes_, (3,), source=UINT8, unary_op_in_fold="element")[0].tolist() == [1, 253, 252]


def test_raw_bits():
    values = np.array([0x80, 0x01, 0xFF, 0x0F], "u1")
    assert scanned(0x5E, XOR, values, (2, 2), source=UINT8)[0].tolist() == [0x80, 0x81, 0xFF, 0xF0]
    shifts = np.array([0x41, 1, 1, 1], "u1")
    assert scanned(0x5E, SHIFT_LEFT, shifts, (4,), source=UINT8)[0].tolist() == [0x41, 0x82, 0x04, 0x08]


def test_one_element_per_group():
    values = np.array([1, -2, 3], "<f4")
    got, answer = scanned(0x4E, ABS, values, (1, 3))
    assert got.tolist() == values.tolist()
    assert answer.assumptions == {}


def test_nan_passes_through_the_sum():
    values = np.array([0x3F800000, 0x7F800001, 0x3F800000], "<u4")
    assert scanned(0x4E, ADD, values, (3,))[0].view("<u4").tolist() == [0x3F800000, 0x7FC00001, 0x7FC00001]
    assert scanned(0x4E, MAX, values, (3,))[0].view("<u4").tolist() == [0x3F800000] * 3


@pytest.mark.parametrize("op", [RSQRT, ADD_INT, DIVIDE_INT])
def test_codes_without_a_meaning_here(op):
    program = scan_record(0x4E, op, (2,), source=INT32)
    assert failures(program) == []
    with pytest.raises(NotModelled):
        run(program, fresh())


def test_integer_codes_where_asked_for():
    values = np.array([2**31 - 1, 1, -5], "<i4")
    how = {"undefined_alu_codes": "compute-where-defined"}
    assert scanned(0x4E, ADD_INT, values, (3,), source=INT32, **how)[0].tolist() == [2**31 - 1, -(2**31), 2**31 - 5]
    narrow = np.array([-100, 100], "i1")
    assert scanned(0x4E, SUBTRACT_INT, narrow, (2,), source=INT8, target=INT16, **how)[0].tolist() == [-100, -200]
    assert scanned(0x4E, RSQRT, np.array([16, 0], "<f4"), (2,), **how)[0].tolist() == [16, 0.25]
    with pytest.raises(NotModelled):
        scanned(0x4E, ADD_INT, np.ones(2, "<f4"), (2,), **how)
    with pytest.raises(NotModelled):
        scanned(0x5E, CRC32, np.ones(2, "<u4"), (2,), source=UINT32, **how)


def test_which_codes_are_legal():
    assert failures(scan_record(0x4E, MAX_INT, (2,), source=INT32)) == ["TC-V14"]
    assert failures(scan_record(0x4E, DIVIDE_INT, (2,), source=INT32), "SUNDA") == ["TC-V5", "TC-V14"]
    assert failures(scan_record(0x4E, 0x24, (2,)), "MAVERICK") == ["TC-V14"]  # SYMMETRIC_CLAMP, whatever its row says
    assert failures(scan_record(0x5E, XOR, (2,), source=UINT16)) == []
    assert failures(scan_record(0x5E, XOR, (2,), source=INT16)) == ["TC-V15"]
    assert failures(scan_record(0x5E, 0x11, (2,), source=UINT32)) == ["TC-V15"]
    assert failures(scan_record(0x4E, ADD, (2,), subdim=1)) == ["TC-V6"]
