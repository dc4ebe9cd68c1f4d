"""SCALAR_TENSOR_TENSOR: the specification's vectors, its rules, and the edges of isa/05 section 4."""

import numpy as np
import pytest

from dve_engine import ExecutionError, NotModelled
from tests.unit.instructions.scan_support import (
    ABSOLUTE_VALUE,
    ACCUMULATE,
    ADD,
    BF16,
    BOTH,
    BYPASS,
    DST,
    FIRST,
    FP32,
    INT8,
    INT32,
    IS_GT,
    MULT,
    NONE,
    POINTER,
    PTR,
    REGISTER,
    SECOND,
    SRC,
    SRC1,
    SUBTRACT,
    UINT8,
    UINT16,
    UINT32,
    ZERO_ACCUMULATE,
    Bench,
    bits,
    pattern2,
    stt,
)

NOT, ARITH_LEFT, ARITH_RIGHT, AND, OR, LOGICAL_RIGHT = 1, 2, 3, 0xA, 0xB, 0x11
ARITH, BITVEC = 0x9D, 0x9E


# -- traps -----------------------------------------------------------------------------------------------------------


def test_accumulation_is_strictly_sequential():
    """2**24 + 1 + 1 + ... stays 2**24: no wider register, no tree."""
    n, lanes = 9, 33
    values = np.tile(np.float32([2.0**24] + [1.0] * (n - 1)), (lanes, 1))
    bench = Bench().put(SRC, values).run(stt(ARITH, BYPASS, BYPASS, n=n, lanes=lanes, cmd=ZERO_ACCUMULATE))
    assert set(bench.acc[:lanes].tolist()) == {2.0**24}
    assert bench.acc[lanes:].tolist() == [0.0] * (128 - lanes)
    assert bench.used["fold-association"] == "sequential"
    bench = Bench().put(SRC, values[:, ::-1]).run(stt(ARITH, BYPASS, BYPASS, n=n, lanes=lanes, cmd=ZERO_ACCUMULATE))
    assert set(bench.acc[:lanes].tolist()) == {2.0**24 + 8}  # the ones first: they add up before they meet it


def test_accumulating_stores_too():
    bench = Bench().put(SRC, [1, 2, 3]).put(SRC1, [10, 20, 30])
    bench.run(stt(ARITH, MULT, ADD, n=3, imm=2.0, cmd=ZERO_ACCUMULATE))
    assert bench.get(3).tolist() == [[12, 24, 36]]
    assert bench.acc[0] == 72
    assert bench.used["stt-accumulate-and-store"] == "both"
    only = Bench(stt_accumulate_and_store="accumulate-only").put(SRC, [1, 2, 3]).put(SRC1, [10, 20, 30])
    only.run(stt(ARITH, MULT, ADD, n=3, imm=2.0, cmd=ZERO_ACCUMULATE))
    assert only.get(3).tolist() == [[0, 0, 0]]
    assert only.acc[0] == 72
    assert only.result.written == ()


def test_the_fold_adds_whatever_op1_is():
    data = {"n": 3, "imm": 1.0, "cmd": ZERO_ACCUMULATE}
    add = Bench().put(SRC, [2, 3, 4]).put(SRC1, [5, 5, 5]).run(stt(ARITH, MULT, MULT, **data))
    assert add.acc[0] == 45
    assert add.used["stt-fold-operator"] == "add"
    op1 = Bench(stt_fold_operator="op1").put(SRC, [2, 3, 4]).put(SRC1, [5, 5, 5]).run(stt(ARITH, MULT, MULT, **data))
    assert op1.acc[0] == 10 * 15 * 20
    plain = Bench().put(SRC, [2, 3, 4]).put(SRC1, [5, 5, 5]).run(stt(ARITH, MULT, ADD, **data))
    assert "stt-fold-operator" not in plain.used


def test_an_operator_without_identity_cannot_be_seeded():
    record = stt(ARITH, BYPASS, IS_GT, n=2, cmd=ZERO_ACCUMULATE)
    bench = Bench(stt_fold_operator="op1").put(SRC, [1, 2]).put(DST, [7, 7])
    with pytest.raises(NotModelled):
        bench.run(record)
    assert bench.get(2).tolist() == [[7, 7]]
    bench.accumulators([0.5]).run(stt(ARITH, BYPASS, IS_GT, n=2, cmd=ACCUMULATE))
    assert bench.get(2).tolist() == [[1, 1]]
    assert bench.acc[0] == 0  # 1 > 0.5 gives 1, then 1 > 1 gives 0
    assert Bench().put(SRC, [1, 2]).run(record).acc[0] == 2


@pytest.mark.parametrize(("reverse", "expected"), [(NONE, -8), (FIRST, -12), (SECOND, 8), (BOTH, 12)])
def test_reversal(reverse, expected):
    bench = Bench().put(SRC, [5]).put(SRC1, [10]).run(stt(ARITH, SUBTRACT, SUBTRACT, n=1, imm=3.0, reverse=reverse))
    assert bench.get(1) == expected


def test_a_reversed_unary_code_takes_the_other_operand():
    left = Bench().put(SRC, [5, 6]).put(SRC1, [10, 20]).run(stt(ARITH, BYPASS, BYPASS, n=2, imm=3.0, reverse=BOTH))
    assert left.get(2).tolist() == [[10, 20]]
    assert left.used["reversed-unary-op"] == "left-operand"
    scalar = Bench().put(SRC, [5, 6]).run(stt(ARITH, ABSOLUTE_VALUE, BYPASS, n=2, imm=-3.0, reverse=FIRST))
    assert scalar.get(2).tolist() == [[3, 3]]
    stream = Bench(reversed_unary_op="stream-operand").put(SRC, [-5, 6]).put(SRC1, [10, 20])
    stream.run(stt(ARITH, ABSOLUTE_VALUE, BYPASS, n=2, imm=3.0, reverse=BOTH))
    assert stream.get(2).tolist() == [[5, 6]]


def test_two_steps_each_rounded():
    """(1 + 2**-12)**2 - 1: a fused step would keep 2**-24."""
    a = np.float32(1 + 2.0**-12)
    bench = Bench().put(SRC, [a]).put(SRC1, [-1]).run(stt(ARITH, MULT, ADD, n=1, imm=float(a)))
    assert bench.get(1) == np.float32(2.0**-11)


# -- operands --------------------------------------------------------------------------------------------------------


def test_scalar_per_lane_from_a_bf16_pointer():
    bench = Bench().put(SRC, [[1, 2], [1, 2]]).put(SRC1, [[0, 0], [0, 0]])
    bench.put(PTR, [[0x4000], [0x4040]], np.uint16)
    bench.run(stt(ARITH, MULT, ADD, n=2, lanes=2, imm=PTR, source=POINTER, imm_dtype=BF16))
    assert bench.get(2, lanes=2).tolist() == [[2, 4], [3, 6]]


def test_scalar_behind_a_register():
    bench = Bench(registers={9: PTR}).put(SRC, [4]).put(PTR, [2]).run(
        stt(ARITH, MULT, ADD, n=1, imm=9, source=REGISTER)
    )  # fmt: skip
    assert bench.get(1) == 8
    with pytest.raises(ExecutionError):
        Bench().run(stt(ARITH, MULT, ADD, n=1, imm=9, source=REGISTER))


def test_32_bit_integers_lose_bits_on_the_way_in():
    bench = Bench().put(SRC, [2**24 + 1], np.int32).put(SRC1, [0], np.int32)
    bench.run(stt(ARITH, BYPASS, ADD, n=1, dtypes=(INT32, INT32), out=INT32))
    assert bench.get(1, dtype=np.int32) == 2**24
    assert bench.used["int32-arithmetic"] == "via-fp32"


def test_mixed_dtypes_and_shapes():
    """src0 is 2 x 3, src1 re-reads one value, dst is a column: only the products of the counts must agree."""
    bench = Bench().put(SRC, np.arange(6), np.uint8).put(SRC1, [10.0])
    record = stt(
        ARITH, MULT, ADD, n=6, imm=2.0, dtypes=(UINT8, FP32), out=BF16,
        src0=pattern2(SRC, (3, 2)), src1=pattern2(SRC1, (6,), (0, 0)), dst=pattern2(DST, (6,), (2, 0)),
    )  # fmt: skip
    got = bench.run(record).get(12, dtype=np.uint16)[0, ::2]
    assert (got.astype(np.uint32) << 16).view(np.float32).tolist() == [10, 12, 14, 16, 18, 20]


def test_in_place():
    bench = Bench().put(SRC, [1, 2, 3]).put(SRC1, [1, 1, 1])
    bench.run(stt(ARITH, BYPASS, ADD, n=3, dst=pattern2(SRC, (3,))))
    assert bench.get(3, byte=SRC).tolist() == [[2, 3, 4]]
    back = pattern2(SRC + 8, (3,), (-1, 0))
    assert bench.run(stt(ARITH, BYPASS, BYPASS, n=3, dst=back)).get(3, byte=SRC).tolist() == [[4, 3, 2]]


# -- the accumulator -------------------------------------------------------------------------------------------------


def test_idle_taints_and_keeps():
    bench = Bench().accumulators([5.0, 6.0]).put(SRC, [1]).run(stt(ARITH, BYPASS, ADD, n=1))
    assert bench.acc[:2].tolist() == [5, 6]
    assert bench.state.accumulators.tainted[:2].tolist() == [True, False]
    assert bench.used["accumulator-idle"] == "keep-tainted"
    assert (
        not Bench(accumulator_idle="keep")
        .accumulators([5.0])
        .run(stt(ARITH, BYPASS, ADD, n=1))
        .state.accumulators.tainted[0]
    )
    bitvec = (
        Bench()
        .accumulators([5.0])
        .run(stt(BITVEC, BYPASS, AND, n=1, dtypes=(UINT8, UINT8), out=UINT8, imm_dtype=UINT8))
    )
    assert not bitvec.state.accumulators.tainted[0]


def test_accumulating_onto_a_lane_nobody_seeded():
    record = stt(ARITH, BYPASS, ADD, n=1, cmd=ACCUMULATE)
    bench = Bench().put(SRC, [3]).run(record)
    assert bench.acc[0] == 3
    assert [d["kind"] for d in bench.result.diagnostics] == ["tainted_accumulator"]
    assert bench.state.accumulators.tainted[0]
    strict = Bench(accumulator_initial="error").put(SRC, [3]).put(DST, [7])
    with pytest.raises(ExecutionError):
        strict.run(record)
    assert strict.get(1) == 7


def test_cast_point():
    """1 + 2**-8 is 1 in BF16."""
    data = {"n": 2, "out": BF16, "cmd": ZERO_ACCUMULATE}
    values = np.float32([1 + 2.0**-8, 2])
    before = Bench().put(SRC, values).run(stt(ARITH, BYPASS, ADD, **data))
    assert before.acc[0] == 3 + 2.0**-8
    assert before.used["fold-cast-point"] == "before-conversion"
    after = Bench(fold_cast_point="after-conversion").put(SRC, values).run(stt(ARITH, BYPASS, ADD, **data))
    assert after.acc[0] == 3
    exact = Bench().put(SRC, [1.0, 2.0]).run(stt(ARITH, BYPASS, ADD, **data))
    assert "fold-cast-point" not in exact.used


def test_which_lane():
    """32 channels from partition 32: lanes 0.., or 32.. under the other reading."""
    start = 32 << 18
    record = stt(
        ARITH, BYPASS, ADD, n=1, lanes=32, cmd=ZERO_ACCUMULATE, src0=pattern2(start + SRC, (1,)),
        src1=pattern2(start + SRC1, (1,)), dst=pattern2(start + DST, (1,)),
    )  # fmt: skip
    rows = np.vstack([np.zeros((32, 1)), np.full((32, 1), 2.0)])
    bench = Bench().put(SRC, rows).run(record)
    assert bench.acc[[0, 31, 32, 63]].tolist() == [2, 2, 0, 0]
    assert bench.used["accumulator-lane"] == "channel-index"
    other = Bench(accumulator_lane="absolute-partition").put(SRC, rows).run(record)
    assert other.acc[[0, 31, 32, 63]].tolist() == [0, 0, 2, 2]


def test_infinities_cancel_to_the_canonical_nan():
    bench = Bench().put(SRC, [np.inf, -np.inf, 1]).run(stt(ARITH, BYPASS, ADD, n=3, cmd=ZERO_ACCUMULATE))
    assert bits(bench.acc[:1]) == [0x7FC00000]


def test_minus_zero_onto_plus_zero():
    bench = Bench().put(SRC, [-0.0, -0.0]).put(SRC1, [-0.0, -0.0])
    bench.run(stt(ARITH, BYPASS, ADD, n=2, cmd=ZERO_ACCUMULATE))
    assert bits(bench.acc[:1]) == [0]
    assert bits(bench.get(2)[0]) == [0x80000000, 0x80000000]


# -- bit vectors -----------------------------------------------------------------------------------------------------


def bitvec(op0, op1, a, b, imm, dtype, numpy_type, reverse=NONE, **assumptions):
    bench = Bench(**assumptions).put(SRC, [a], numpy_type).put(SRC1, [b], numpy_type)
    bench.run(stt(BITVEC, op0, op1, n=1, imm=imm, dtypes=(dtype, dtype), out=dtype, imm_dtype=dtype, reverse=reverse))
    return int(bench.get(1, dtype=numpy_type)[0, 0]), bench.used


def test_the_lane_between_the_operations_is_32_bits_wide():
    assert bitvec(NOT, LOGICAL_RIGHT, 0x00FF, 4, 0, UINT16, np.uint16)[0] == 0xFFF0
    assert bitvec(NOT, LOGICAL_RIGHT, 0x00FF, 4, 0, UINT16, np.uint16)[1]["bitvec-lane-width"] == "32-bit"
    narrow = bitvec(NOT, LOGICAL_RIGHT, 0x00FF, 4, 0, UINT16, np.uint16, bitvec_lane_width="dtype-width")
    assert narrow[0] == 0x0FF0
    assert bitvec(ARITH_LEFT, LOGICAL_RIGHT, 0x81, 4, 4, UINT8, np.uint8)[0] == 0x81  # bits above the dtype survive
    assert "bitvec-lane-width" not in bitvec(AND, OR, 0x12F4, 0x8001, 0xFF, UINT16, np.uint16)[1]


def test_an_arithmetic_right_shift_takes_the_sign_of_an_element_only():
    assert bitvec(ARITH_RIGHT, AND, 0x80, 0xFF, 1, INT8, np.uint8) == (
        0xC0,
        {"arith-shift-right-narrow": "sign-extend-signed"},
    )
    assert bitvec(ARITH_RIGHT, AND, 0x80, 0xFF, 1, UINT8, np.uint8)[0] == 0x40
    assert bitvec(BYPASS, ARITH_RIGHT, 0x80, 1, 0, INT8, np.uint8)[0] == 0x40  # the intermediate is a full lane
    assert bitvec(BYPASS, ARITH_RIGHT, 0x80, 1, 0, INT8, np.uint8, bitvec_lane_width="dtype-width")[0] == 0xC0
    assert bitvec(BYPASS, ARITH_RIGHT, 1, 0x80, 0, INT8, np.uint8, reverse=SECOND)[0] == 0xC0  # src1 is an element
    assert bitvec(ARITH_RIGHT, BYPASS, 1, 0, 0x80, INT8, np.uint8, reverse=FIRST)[0] == 0xC0  # so is the scalar
    assert bitvec(ARITH_RIGHT, AND, 0x80, 0xFF, 1, INT8, np.uint8, arith_shift_right_narrow="32-bit-lane")[0] == 0x40
    assert bitvec(BYPASS, ARITH_RIGHT, 0x80000000, 4, 0, UINT32, np.uint32)[0] == 0xF8000000


def test_only_the_low_bytes_of_an_inline_scalar_count():
    assert bitvec(AND, BYPASS, 0xFF, 0, 0x12345681, UINT8, np.uint8)[0] == 0x81
