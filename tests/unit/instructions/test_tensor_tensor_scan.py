"""TENSOR_TENSOR_SCAN: the specification's vectors, its rules, and the edges of isa/05 section 5."""

import itertools

import numpy as np
import pytest

from dve_engine import Choices
from dve_engine.isa.assumptions import AlternativeNotOffered
from dve_engine.numerics import alu_f32
from dve_engine.numerics.recurrence import Recurrence
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
    IDLE,
    INT8,
    INT32,
    IS_GT,
    MAX,
    MIN,
    MULT,
    NONE,
    POINTER,
    SECOND,
    SQUARE,
    SRC,
    SRC1,
    SUBTRACT,
    ZERO_ACCUMULATE,
    Bench,
    bits,
    pattern2,
    rule_of,
    stt,
)

SCAN = 0xE5
RSQRT, ADD_INT, CLAMP, INT64 = 0x1D, 0xC4, 0x24, 0xC


def scan(op0, op1, *, n, imm=0.0, **fields):
    return stt(SCAN, op0, op1, n=n, imm=imm, **fields)


# -- traps -----------------------------------------------------------------------------------------------------------


def test_imm0_is_only_the_initial_state():
    bench = Bench().put(SRC, [1, 2, 3, 4]).put(SRC1, [10, 20, 30, 40]).run(scan(MULT, ADD, n=4, imm=0.5))
    assert bench.get(4).tolist() == [[10.5, 41, 153, 652]]
    assert bench.used["scan-recurrence"] == "state-recurrence"


def test_the_rejected_reading_is_not_offered():
    with pytest.raises(AlternativeNotOffered):
        Choices("notes", {"scan-recurrence": "combine-then-scan"})


def test_the_state_runs_on_over_several_rows():
    """2 rows of 3, read from a padded source: a running sum without a reset at the row's end."""
    bench = Bench().put(SRC, [1, 1, 1, 99, 1, 1, 1]).put(SRC1, [1, 2, 3, 99, 4, 5, 6])
    src0, src1 = pattern2(SRC, (3, 2), (1, 4)), pattern2(SRC1, (3, 2), (1, 4))
    bench.run(scan(MULT, ADD, n=6, src0=src0, src1=src1))
    assert bench.get(6).tolist() == [[1, 3, 6, 10, 15, 21]]


def test_every_lane_has_its_own_state():
    lanes, n = 40, 5
    a, b = np.full((lanes, n), 2.0), np.arange(lanes * n).reshape(lanes, n)
    initial = np.arange(lanes)[:, None] + 0.5
    bench = Bench().put(SRC, a).put(SRC1, b).put(0xC000, initial)
    bench.run(scan(MULT, ADD, n=n, lanes=lanes, imm=0xC000, source=POINTER))
    state, expected = initial[:, 0].copy(), []
    for k in range(n):
        state = 2 * state + b[:, k]
        expected.append(state)
    assert np.array_equal(bench.get(n, lanes), np.transpose(expected))


def test_the_carried_state_is_fp32():
    bench = Bench().put(SRC, [1] * 4).put(SRC1, [1] * 4).run(scan(MULT, ADD, n=4, imm=256.0, out=BF16))
    assert bench.get(4, dtype=np.uint16).tolist() == [[0x4380, 0x4381, 0x4382, 0x4382]]
    assert bench.used["scan-state-precision"] == "fp32"
    rounded = Bench(scan_state_precision="dst-dtype").put(SRC, [1] * 4).put(SRC1, [1] * 4)
    rounded.run(scan(MULT, ADD, n=4, imm=256.0, out=BF16))
    assert rounded.get(4, dtype=np.uint16).tolist() == [[0x4380] * 4]
    exact = Bench().put(SRC, [1] * 4).put(SRC1, [1] * 4).run(scan(MULT, ADD, n=4, out=BF16))
    assert "scan-state-precision" not in exact.used
    free = Bench().put(SRC, [1.001] * 4).put(SRC1, [1] * 4).run(scan(BYPASS, MULT, n=4, out=BF16))
    assert "scan-state-precision" not in free.used  # no state is used


def test_sums_are_sequential():
    bench = Bench().put(SRC, [1] * 4).put(SRC1, [1] * 4).run(scan(MULT, ADD, n=4, imm=2.0**24))
    assert bench.get(4).tolist() == [[2.0**24] * 4]
    assert bench.used["fold-association"] == "sequential"
    small = Bench().put(SRC, [1] * 4).put(SRC1, [1] * 4).run(scan(MULT, ADD, n=4))
    assert "fold-association" not in small.used


@pytest.mark.parametrize(
    ("reverse", "expected"),
    [(NONE, [-109, -89, -208]), (FIRST, [-91, -293, -596]), (SECOND, [109, 307, 604]), (BOTH, [91, 111, 192])],
)
def test_reversal(reverse, expected):
    bench = Bench().put(SRC, [1, 2, 3]).put(SRC1, [100, 200, 300])
    assert bench.run(scan(SUBTRACT, SUBTRACT, n=3, imm=10.0, reverse=reverse)).get(3).tolist() == [expected]


def test_the_accumulator_is_left_alone():
    bench = Bench().accumulators([5.0]).put(SRC, [1]).put(SRC1, [1]).run(scan(MULT, ADD, n=1, imm=1.0))
    assert bench.acc[0] == 5
    assert not bench.state.accumulators.tainted[0]


def test_chaining_through_the_last_output():
    a, b = [2, 3, 4, 5], [1, 1, 1, 1]
    whole = Bench().put(SRC, a).put(SRC1, b).run(scan(MULT, ADD, n=4, imm=1.0)).get(4)
    second = scan(
        MULT, ADD, n=2, imm=DST + 4, source=POINTER, src0=pattern2(SRC + 8, (2,)), src1=pattern2(SRC1 + 8, (2,)),
        dst=pattern2(DST + 8, (2,)),
    )  # fmt: skip
    assert np.array_equal(Bench().put(SRC, a).put(SRC1, b).run(scan(MULT, ADD, n=2, imm=1.0), second).get(4), whole)


def test_running_maximum_reads_but_ignores_src1():
    bench = Bench().put(SRC, [3, 1, np.nan, 7, 5]).put(SRC1, [np.nan] * 5)
    assert bench.run(scan(MAX, BYPASS, n=5, imm=-np.inf)).get(5).tolist() == [[3, 3, 3, 7, 7]]
    assert bench.used["max-nan"] == "maxnum"


def test_dropping_the_state():
    bench = Bench().put(SRC, [1, 2, 3]).put(SRC1, [10, 20, 30])
    assert bench.run(scan(BYPASS, ADD, n=3, imm=99.0)).get(3).tolist() == [[11, 22, 33]]
    assert bench.run(scan(BYPASS, ADD, n=3, imm=99.0, reverse=FIRST)).get(3).tolist() == [[109, 129, 159]]
    assert bench.used["reversed-unary-op"] == "left-operand"
    stream = Bench(reversed_unary_op="stream-operand").put(SRC, [1, 2, 3]).put(SRC1, [10, 20, 30])
    assert stream.run(scan(BYPASS, ADD, n=3, imm=99.0, reverse=FIRST)).get(3).tolist() == [[11, 22, 33]]
    assert bench.run(scan(ADD, BYPASS, n=3, imm=1.0, reverse=SECOND)).get(3).tolist() == [[10, 20, 30]]


def test_integers_in_and_out():
    bench = Bench().put(SRC, [1, 1, 1], np.int8).put(SRC1, [100, 100, -100], np.int32)
    bench.run(scan(MULT, ADD, n=3, dtypes=(INT8, INT32), out=INT8))
    assert bench.get(3, dtype=np.int8).tolist() == [[100, 127, 100]]  # the state is 200 where 127 is stored


def test_in_place():
    bench = Bench().put(SRC, [1, 2, 3]).put(SRC1, [1, 1, 1]).run(scan(ADD, BYPASS, n=3, dst=pattern2(SRC, (3,))))
    assert bench.get(3, byte=SRC).tolist() == [[1, 3, 6]]
    shifted = (
        Bench().put(SRC, [1, 2, 3, 0]).put(SRC1, [1, 1, 1]).run(scan(ADD, BYPASS, n=3, dst=pattern2(SRC + 4, (3,))))
    )
    assert shifted.get(4, byte=SRC).tolist() == [[1, 1, 3, 6]]  # sources are read before anything is written


# -- the fast form is the definition ---------------------------------------------------------------------------------

OPS = (BYPASS, ADD, SUBTRACT, MULT, MAX, MIN, IS_GT, ABSOLUTE_VALUE, SQUARE)
SPECIAL = np.uint32(
    [0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00011, 0xFF800001, 1, 0x80000001, 0x00800000,
     0x7F7FFFFF, 0x4B800000]
)  # fmt: skip


def slow(recurrence, seed, a, b, choices):
    """One ALU step at a time, over all lanes."""
    states, state = np.empty(a.shape, np.float32), seed
    for k in range(a.shape[1]):
        middle = alu_f32(recurrence.op0, *((state, a[:, k]) if recurrence.state_first else (a[:, k], state)), choices)
        state = alu_f32(recurrence.op1, *((b[:, k], middle) if recurrence.b_first else (middle, b[:, k])), choices)
        states.view(np.uint32)[:, k] = state.view(np.uint32)
    return states


POLICIES = (
    {},
    {"max-nan": "select"},
    {"max-nan": "propagate"},
    {"fp32-subnormals": "flush"},
    {"max-signed-zero": "right-operand"},
    {"nan-results": "always-canonical"},
)


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_special_values_bit_by_bit(policy):
    random = np.random.default_rng(5)
    shape = 24, 7
    ran = 0
    for op0, op1, state_first, b_first in itertools.product(OPS, OPS, (False, True), (False, True)):
        words = random.choice(SPECIAL, (2, *shape)) if ran % 2 else random.integers(0, 2**32, (2, *shape), np.uint32)
        a, b = words.astype(np.uint32).view(np.float32)
        seed = random.choice(SPECIAL, shape[0]).view(np.float32)
        recurrence = Recurrence(op0, op1, state_first, b_first)
        wanted, got = Choices("notes", policy), Choices("notes", policy)
        expected = slow(recurrence, seed, a, b, wanted)
        assert np.array_equal(
            recurrence.run(seed, a, b, got).view(np.uint32), expected.view(np.uint32)
        ), (op0, op1, state_first, b_first)  # fmt: skip
        ran += 1
    assert ran == 324


def test_ordinary_values_take_the_fast_form(monkeypatch):
    random = np.random.default_rng(6)
    a, b = random.standard_normal((2, 64, 300)).astype(np.float32)
    seed = random.standard_normal(64).astype(np.float32)
    for op0, op1 in itertools.product((ADD, SUBTRACT, MULT, MAX, MIN), (ADD, SUBTRACT, MAX, MIN)):
        recurrence = Recurrence(op0, op1)
        expected = slow(recurrence, seed[:3], a[:3], b[:3], Choices())
        with monkeypatch.context() as patch:
            patch.setattr(Recurrence, "_loop", None)
            got = recurrence.run(seed, a, b, Choices())
        assert np.array_equal(got[:3].view(np.uint32), expected.view(np.uint32))


def test_nan_bits():
    """Left operand's NaN first, made quiet; an invalid operation gives 7FC00000 on every host."""
    bench = Bench().put(SRC, [0x7F800001, 0x7F800000], np.uint32).put(SRC1, [0xFFC00002, 0xFF800000], np.uint32)
    assert bits(bench.run(scan(MULT, ADD, n=1, imm=1.0)).get(1)[0]) == [0x7FC00001]
    infinite = Bench().put(SRC, [np.inf]).put(SRC1, [-np.inf]).run(scan(MULT, ADD, n=1, imm=1.0))
    assert bits(infinite.get(1)[0]) == [0x7FC00000]


# -- verdicts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "rule"),
    [
        (scan(MULT, ADD, n=1), None),
        (scan(MULT, ADD, n=1, dtypes=(INT8, INT32), out=INT32), None),
        (scan(MULT, ADD, n=1, out=INT64), "TTS-V7"),
        (scan(MULT, ADD, n=1, imm_dtype=BF16), "TTS-V8"),
        (scan(MULT, ADD, n=1, imm_dtype=0), "TTS-V6"),
        (scan(RSQRT, ADD, n=1), "TTS-V11"),
        (scan(MULT, ADD_INT, n=1), "TTS-V11"),
        (scan(MULT, 0x1E, n=1), "TTS-V10"),
        (scan(MULT, ADD, n=1, imm=3, source=POINTER), "TTS-V12"),
        (scan(MULT, ADD, n=2, src1=pattern2(SRC1, (3,))), "TTS-V16"),
        (scan(MULT, ADD, n=2, dst=pattern2(DST, (3,))), "TTS-V17"),
        (scan(MULT, ADD, n=1, cmd=ZERO_ACCUMULATE), "TTS-V19"),
        (scan(MULT, ADD, n=1, cmd=ACCUMULATE), "TTS-V19"),
        (scan(MULT, ADD, n=1, cmd=IDLE, reverse=4), "TTS-V20"),
    ],
)
def test_rules(record, rule):
    assert rule_of(record) == rule


def test_codes_by_generation():
    assert rule_of(scan(SQUARE, ADD, n=1), "CAYMAN") == "TTS-V9"
    assert rule_of(scan(SQUARE, ADD, n=1), "MARIANA") is None
    assert rule_of(scan(CLAMP, ADD, n=1), "MAVERICK") == "TTS-V11"
    assert rule_of(scan(CLAMP, ADD, n=1), "MAVERICK", symmetric_clamp="accept-clamp") is None
    indirect = pattern2(0x20000000 | SRC, (1,))
    assert rule_of(scan(MULT, ADD, n=1, src0=indirect), "MARIANA") == "TTS-V14a"  # 2-D fields have no indirect form
    assert rule_of(scan(MULT, ADD, n=1, dtypes=(FP32, 0xB))) == "TTS-V5"
