"""TENSOR_SCALAR_CACHE_REDUCE and _CUMULATIVE: verdicts, by isa/05 section 6.3."""

import numpy as np
import pytest

from tests.unit.instructions.scan_support import (
    ADD,
    BYPASS,
    DST,
    IDLE,
    INLINE,
    INT16,
    INT32,
    IS_GT,
    LOAD_ACCUMULATE,
    MULT,
    POINTER,
    PTR,
    REGISTER,
    SQUARE,
    SRC,
    UINT32,
    ZERO,
    Bench,
    first_failure,
    patched,
    pattern3,
    rule_of,
    ts,
)

REDUCE, CUMULATIVE = 0x9A, 0xE6
CLAMP, DIVIDE, ADD_INT, FP32R, FP8_EXP4 = 0x24, 7, 0xC4, 0xB, 0xE
both = pytest.mark.parametrize("opcode", [REDUCE, CUMULATIVE])


def changed(opcode=REDUCE, op0=MULT, op1=ADD, n=1, **fields):
    return ts(opcode, op0, op1, n=n, **fields)


@both
@pytest.mark.parametrize(
    ("record", "number"),
    [
        (changed(), None),
        (changed(op0=0x1E), "V4"),
        (changed(op0=DIVIDE), "V4"),
        (changed(op0=ADD_INT), "V4"),
        (changed(op1=BYPASS), "V4"),
        (changed(op1=IS_GT), "V4"),
        (changed(dtype=INT32), "V5"),
        (changed(dtype=UINT32), "V5"),
        (changed(dtype=FP32R), "V5"),
        (changed(dtype=0), "V5"),
        (changed(dtype=FP8_EXP4), None),
        (changed(dtype=INT16), None),
        (changed(out=INT32), None),
        (changed(out=FP32R), None),
        (changed(imm0=PTR + 2, sources=(POINTER, INLINE)), "V6a"),
        (changed(imm0=64, sources=(REGISTER, INLINE)), "V6a"),
        (changed(sources=(3, INLINE)), "V6a"),
        (changed(imm1=1), "V6b"),
        (changed(sources=(INLINE, POINTER)), "V6b"),
        (changed(cmd=LOAD_ACCUMULATE), None),
        (changed(cmd=LOAD_ACCUMULATE, imm1=PTR + 2, sources=(INLINE, POINTER)), "V6b"),
        (changed(cmd=LOAD_ACCUMULATE, imm1=PTR, sources=(INLINE, POINTER)), None),
        (changed(cmd=LOAD_ACCUMULATE, imm1=64, sources=(INLINE, REGISTER)), "V6b"),
        (changed(cmd=LOAD_ACCUMULATE, sources=(INLINE, 3)), "V6b"),
        (changed(dst=pattern3(DST, (2,))), "V7"),
        (patched(changed(), {38: 2}), "V8"),
        (patched(changed(), {15: 1}), "V9"),
        (changed(cmd=IDLE), "V10"),
        (changed(cmd=ZERO), "V10"),
        (changed(cmd=5), "V10"),
        (changed(out=1), "V11b"),
        (changed(lanes=129), "V13"),
    ],
)
def test_rules(opcode, record, number):
    prefix = {REDUCE: "TSCR", CUMULATIVE: "TSCC"}[opcode]
    assert rule_of(patched(record, {0: opcode})) == (number and f"{prefix}-{number}")


def test_32_bit_integer_output_by_profile():
    record = changed(out=UINT32)
    assert rule_of(record) is None
    assert first_failure(record, profile="nki") == (
        "TSCR-V5", "tensor_scalar_cache_reduce_valid_types", "out_dtype", None,
    )  # fmt: skip
    assert rule_of(record, profile="nki", cache_int32_output="accept") is None
    assert rule_of(changed(out=INT16), profile="nki") is None
    assert Bench().put(SRC, [3]).run(ts(REDUCE, BYPASS, ADD, n=1, out=INT32)).get(1, dtype=np.int32) == 3


def test_codes_by_generation():
    assert rule_of(changed(op0=SQUARE), "CAYMAN") == "TSCR-V4"
    assert rule_of(changed(op0=SQUARE), "MARIANA") is None
    assert rule_of(changed(op0=CLAMP), "MAVERICK") == "TSCR-V4"
    assert rule_of(changed(op0=CLAMP), "MAVERICK", symmetric_clamp="accept-header-formula") is None
    assert rule_of(changed(op0=ADD_INT), "MAVERICK") == "TSCR-V4"  # no integer relaxation here
    assert rule_of(changed(), "SUNDA") is None
    assert rule_of(changed(), "SUNDA", sunda_dve_roster="default-tables") == "X1"
