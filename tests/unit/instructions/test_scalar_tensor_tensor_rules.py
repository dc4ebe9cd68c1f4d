"""SCALAR_TENSOR_TENSOR: verdicts, by isa/05 section 4.3."""

import pytest

from tests.unit.instructions.scan_support import (
    ACCUMULATE,
    ADD,
    BF16,
    BYPASS,
    DST,
    IDLE,
    INT8,
    LOAD_ACCUMULATE,
    MAX,
    MULT,
    POINTER,
    PTR,
    REGISTER,
    SRC,
    UINT8,
    UINT16,
    ZERO,
    ZERO_ACCUMULATE,
    Bench,
    first_failure,
    pattern2,
    rule_of,
    stt,
)

AND, OR, CRC32, CLAMP = 0xA, 0xB, 0x1C, 0x24
ARITH, BITVEC = 0x9D, 0x9E


@pytest.mark.parametrize(
    ("record", "rule"),
    [
        (stt(BITVEC, AND, OR, n=1, dtypes=(UINT8, UINT8), out=UINT8, imm_dtype=UINT8), None),
        (stt(BITVEC, AND, OR, n=1, dtypes=(UINT8, BF16), out=UINT8, imm_dtype=UINT8), "STT-V8"),
        (stt(BITVEC, AND, OR, n=1, dtypes=(UINT8, UINT16), out=UINT8, imm_dtype=UINT8), "STT-V9"),
        (stt(BITVEC, AND, OR, n=1, dtypes=(UINT8, UINT8), out=INT8, imm_dtype=UINT8), "STT-V9"),
        (stt(BITVEC, AND, OR, n=1, dtypes=(UINT8, UINT8), out=UINT8, imm_dtype=INT8), "STT-V9"),
        (stt(BITVEC, CRC32, OR, n=1, dtypes=(UINT8, UINT8), out=UINT8, imm_dtype=UINT8), "STT-V13"),
        (stt(BITVEC, AND, OR, n=1, dtypes=(UINT8, UINT8), out=UINT8, imm_dtype=UINT8, cmd=ACCUMULATE), "STT-V25"),
        (stt(ARITH, AND, ADD, n=1), "STT-V13"),
        (stt(ARITH, BYPASS, ADD, n=1), None),  # unlike tensor-scalar, a leading BYPASS is legal
        (stt(ARITH, MULT, ADD, n=1, imm_dtype=BF16), "STT-V10"),
        (stt(ARITH, MULT, ADD, n=1, imm_dtype=BF16, imm=PTR + 2, source=POINTER), None),
        (stt(ARITH, MULT, ADD, n=1, imm=PTR + 2, source=POINTER), "STT-V14"),
        (stt(ARITH, MULT, ADD, n=1, imm=64, source=REGISTER), "STT-V14"),
        (stt(ARITH, MULT, ADD, n=1, source=3), "STT-V14"),
        (stt(ARITH, MULT, ADD, n=1, source=3, imm_dtype=BF16), "STT-V10"),
        (stt(ARITH, MULT, ADD, n=1, cmd=ZERO), "STT-V25"),
        (stt(ARITH, MULT, ADD, n=1, cmd=LOAD_ACCUMULATE), "STT-V25"),
    ],
)  # fmt: skip
def test_rules(record, rule):
    assert rule_of(record) == rule


def test_symmetric_clamp_by_assumption():
    record = stt(ARITH, CLAMP, ADD, n=1, imm=2.0)
    assert rule_of(record, "MAVERICK") == "STT-V13"
    assert rule_of(record, "MARIANA", symmetric_clamp="accept-clamp") == "STT-V11"
    bench = Bench("MAVERICK", symmetric_clamp="accept-clamp").put(SRC, [-5]).run(record)
    assert bench.get(1) == -2
    assert Bench("MAVERICK", symmetric_clamp="accept-header-formula").put(SRC, [-5]).run(record).get(1) == -5


def test_quadrant_erratum():
    """dst in another quadrant than an SBUF source, with 32 channels: refused only in strict mode, only when summing."""
    quadrant = {"n": 1, "lanes": 32, "dst": pattern2((32 << 18) + DST, (1,))}
    assert rule_of(stt(ARITH, BYPASS, ADD, cmd=ZERO_ACCUMULATE, **quadrant)) is None
    strict = {"stt_quadrant_erratum": "strict"}
    assert first_failure(stt(ARITH, BYPASS, ADD, cmd=ZERO_ACCUMULATE, **quadrant), **strict)[:3] == (
        "STT-V28", "s2s2d2_stt_quadrant_check", "dst_mem_pattern.start_addr",
    )  # fmt: skip
    assert rule_of(stt(ARITH, BYPASS, ADD, cmd=IDLE, **quadrant), **strict) is None
    psum = quadrant | {"dst": pattern2(0x02000000, (1,))}
    assert rule_of(stt(ARITH, BYPASS, ADD, cmd=ZERO_ACCUMULATE, **psum), **strict) is None
    same = {"n": 1, "lanes": 32}
    assert rule_of(stt(ARITH, BYPASS, MAX, cmd=ZERO_ACCUMULATE, **same), **strict) is None
