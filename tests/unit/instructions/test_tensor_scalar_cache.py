"""TENSOR_SCALAR_CACHE_REDUCE and _CUMULATIVE: the vectors of isa/05, their rules, and the edges of its section 6."""

import numpy as np
import pytest

from dve_engine import Choices, ExecutionError
from dve_engine.isa.assumptions import AlternativeNotOffered
from dve_engine.numerics import alu_f32
from tests.unit.instructions.scan_support import (
    ABSOLUTE_VALUE,
    ACCUMULATE,
    ADD,
    BF16,
    BYPASS,
    DST,
    INLINE,
    INT8,
    INT16,
    LOAD_ACCUMULATE,
    MAX,
    MIN,
    MULT,
    POINTER,
    PTR,
    PTR1,
    REGISTER,
    SQUARE,
    SRC,
    SUBTRACT,
    UINT8,
    UINT16,
    Bench,
    bits,
    pattern3,
    rule_of,
    ts,
)

REDUCE, CUMULATIVE = 0x9A, 0xE6
both = pytest.mark.parametrize("opcode", [REDUCE, CUMULATIVE])


# -- traps -----------------------------------------------------------------------------------------------------------


@both
def test_folds_are_strictly_sequential(opcode):
    """2**24, then ones: each is lost. NumPy's own sum would group them."""
    n, lanes = 33, 20
    values = np.ones((lanes, n))
    bench = Bench().put(SRC, values).run(ts(opcode, BYPASS, ADD, n=n, lanes=lanes, cmd=LOAD_ACCUMULATE, imm1=2.0**24))
    assert set(bench.acc[:lanes].tolist()) == {2.0**24}
    assert bench.used["fold-association"] == "sequential"
    bench = Bench().put(SRC, [1e8, 1, -1e8, 1]).run(ts(opcode, BYPASS, ADD, n=4))
    assert bench.acc[0] == 1
    bench = Bench().put(SRC, [65535] * 257, np.uint16).run(ts(opcode, BYPASS, ADD, n=257, dtype=UINT16))
    assert bench.acc[0] == 16842496


def test_subtract_takes_the_element_on_the_left():
    element_first = Bench().put(SRC, [1, 2, 3]).run(ts(CUMULATIVE, BYPASS, SUBTRACT, n=3))
    assert element_first.get(3).tolist() == [[1, 1, 2]]
    assert element_first.used["fold-operand-order"] == "element-first"
    other = Bench(fold_operand_order="accumulator-first").put(SRC, [1, 2, 3]).run(ts(CUMULATIVE, BYPASS, SUBTRACT, n=3))
    assert other.get(3).tolist() == [[-1, -3, -6]]
    reduce = Bench().put(SRC, [1, 2, 3]).run(ts(REDUCE, BYPASS, SUBTRACT, n=3))
    assert reduce.get(3).tolist() == [[1, 2, 3]]
    assert reduce.acc[0] == 2
    assert "fold-operand-order" not in Bench().put(SRC, [1, 2, 3]).run(ts(REDUCE, BYPASS, ADD, n=3)).used


def test_of_two_nans_the_left_operand_stays():
    nans = np.uint32([0x7FC00001, 0x7FC00002])
    first = Bench().put(SRC, nans, np.uint32).run(ts(REDUCE, BYPASS, ADD, n=2))
    assert bits(first.acc[:1]) == [0x7FC00002]
    assert first.used["fold-operand-order"] == "element-first"
    other = Bench(fold_operand_order="accumulator-first").put(SRC, nans, np.uint32).run(ts(REDUCE, BYPASS, ADD, n=2))
    assert bits(other.acc[:1]) == [0x7FC00001]


@both
def test_load_accumulate_from_a_pointer_takes_one_seed_per_lane(opcode):
    bench = Bench().put(SRC, [[1, 2]] * 3).put(PTR, [[10], [20], [30]]).put(PTR1, [[2], [3], [4]])
    record = ts(
        opcode, MULT, ADD, n=2, lanes=3, cmd=LOAD_ACCUMULATE, imm0=PTR1, imm1=PTR, sources=(POINTER, POINTER)
    )  # fmt: skip
    bench.run(record)
    assert bench.acc[:4].tolist() == [16, 29, 42, 0]
    assert not bench.state.accumulators.tainted[:3].any()
    assert bench.state.accumulators.tainted[3]


def test_load_accumulate_from_a_register_and_inline():
    register = ts(REDUCE, BYPASS, ADD, n=1, cmd=LOAD_ACCUMULATE, imm1=5, sources=(INLINE, REGISTER))
    bench = Bench(registers={5: PTR}).put(SRC, [1]).put(PTR, [10])
    assert bench.run(register).acc[0] == 11
    with pytest.raises(ExecutionError):
        Bench().run(register)
    assert Bench().put(SRC, [1]).run(ts(REDUCE, BYPASS, ADD, n=1, cmd=LOAD_ACCUMULATE, imm1=-4.0)).acc[0] == -3


@both
def test_the_fold_runs_through_all_rows(opcode):
    """2 x 2 x 2 of a padded source: no reset at a row's end."""
    source = np.arange(1, 17)
    src = pattern3(SRC, (2, 2, 2), (1, 4, 8))  # 1 2 5 6 9 10 13 14
    bench = Bench().put(SRC, source).run(ts(opcode, BYPASS, ADD, n=8, src=src))
    assert bench.acc[0] == 60
    expected = [1, 3, 8, 14, 23, 33, 46, 60] if opcode == CUMULATIVE else [1, 2, 5, 6, 9, 10, 13, 14]
    assert bench.get(8).tolist() == [expected]


# -- what is stored --------------------------------------------------------------------------------------------------


def test_reduce_stores_every_element_and_cumulative_every_running_value():
    reduce = Bench().put(SRC, [1, -2, 3]).run(ts(REDUCE, MULT, MAX, n=3, imm0=2.0))
    assert reduce.get(3).tolist() == [[2, -4, 6]]
    assert reduce.acc[0] == 6
    assert reduce.used["cache-reduce-destination"] == "elementwise-result"
    cumulative = Bench().put(SRC, [1, -2, 3]).run(ts(CUMULATIVE, MULT, MAX, n=3, imm0=2.0))
    assert cumulative.get(3).tolist() == [[2, 2, 6]]
    assert cumulative.acc[0] == 6
    with pytest.raises(AlternativeNotOffered):
        Choices("notes", {"cache-reduce-destination": "final-value-only"})


@pytest.mark.parametrize(("op", "seed"), [(ADD, 0), (SUBTRACT, 0), (MULT, 1), (MAX, -np.inf), (MIN, np.inf)])
def test_identities(op, seed):
    bench = Bench().put(SRC, [5]).run(ts(CUMULATIVE, BYPASS, op, n=1))
    assert bench.get(1) == alu_f32(op, np.float32([5]), np.float32([seed]), Choices())
    assert ("accumulator-reset-value" in bench.used) == (op not in (ADD, SUBTRACT))


def test_other_reset_values():
    zero = Bench(accumulator_reset_value="zero").put(SRC, [-5]).run(ts(REDUCE, BYPASS, MAX, n=1))
    assert zero.acc[0] == 0
    lowest = Bench(accumulator_reset_value="fp32-lowest-for-max").put(SRC, [-np.inf]).run(ts(REDUCE, BYPASS, MAX, n=1))
    assert lowest.acc[0] == np.finfo(np.float32).min


def test_accumulate_goes_on_across_instructions():
    bench = Bench().put(SRC, [1, 2]).run(
        ts(REDUCE, BYPASS, ADD, n=2), ts(CUMULATIVE, BYPASS, MULT, n=2, cmd=ACCUMULATE),
        ts(REDUCE, BYPASS, MAX, n=2, cmd=ACCUMULATE),
    )  # fmt: skip
    assert bench.get(2).tolist() == [[1, 2]]
    assert bench.acc[0] == 6
    assert not bench.state.accumulators.tainted[0]


def test_the_state_is_fp32_whatever_is_stored():
    bench = Bench().put(SRC, [1] * 4).run(ts(CUMULATIVE, BYPASS, ADD, n=4, cmd=LOAD_ACCUMULATE, imm1=256.0, out=BF16))
    assert bench.get(4, dtype=np.uint16).tolist() == [[0x4380, 0x4381, 0x4382, 0x4382]]
    assert bench.acc[0] == 260
    assert "fold-cast-point" not in bench.used  # the folded ones are exact in BF16


@both
def test_cast_point(opcode):
    values = np.float32([1 + 2.0**-8, 2])
    before = Bench().put(SRC, values).run(ts(opcode, BYPASS, ADD, n=2, out=BF16))
    assert before.acc[0] == 3 + 2.0**-8
    assert before.used["fold-cast-point"] == "before-conversion"
    assert (
        Bench(fold_cast_point="after-conversion").put(SRC, values).run(ts(opcode, BYPASS, ADD, n=2, out=BF16)).acc[0]
        == 3
    )


def test_zeros_and_nans():
    assert bits(Bench().put(SRC, [-0.0] * 3).run(ts(REDUCE, BYPASS, ADD, n=3)).acc[:1]) == [0]
    assert bits(Bench().put(SRC, [-0.0] * 3).run(ts(REDUCE, BYPASS, MULT, n=3)).acc[:1]) == [0x80000000]
    assert bits(Bench().put(SRC, [0.0, -0.0]).run(ts(REDUCE, BYPASS, MAX, n=2)).acc[:1]) == [0]
    assert bits(Bench().put(SRC, [-0.0, 0.0]).run(ts(REDUCE, BYPASS, MIN, n=2)).acc[:1]) == [0x80000000]
    nan = Bench().put(SRC, [1, np.nan, 3]).run(ts(CUMULATIVE, BYPASS, MAX, n=3))
    assert nan.get(3).tolist() == [[1, 1, 3]]
    assert Bench().put(SRC, [np.nan] * 2).run(ts(REDUCE, BYPASS, MAX, n=2)).acc[0] == -np.inf
    select = Bench(max_nan="select").put(SRC, [1, np.nan, 3]).run(ts(CUMULATIVE, BYPASS, MAX, n=3))
    assert select.get(3).tolist() == [[1, 1, 3]]  # the accumulator is the right operand and survives
    first = Bench(max_nan="select", fold_operand_order="accumulator-first").put(SRC, [1, np.nan, 3])
    assert np.array_equal(first.run(ts(CUMULATIVE, BYPASS, MAX, n=3)).get(3), [[1, np.nan, 3]], equal_nan=True)


def test_zeros_that_the_order_decides():
    right = {"max_signed_zero": "right-operand"}
    bench = Bench(**right).put(SRC, [0.0]).run(ts(REDUCE, BYPASS, MAX, n=1, cmd=LOAD_ACCUMULATE, imm1=-0.0))
    assert bits(bench.acc[:1]) == [0x80000000]
    assert bench.used["fold-operand-order"] == "element-first"
    other = Bench(fold_operand_order="accumulator-first", **right).put(SRC, [0.0])
    assert bits(other.run(ts(REDUCE, BYPASS, MAX, n=1, cmd=LOAD_ACCUMULATE, imm1=-0.0)).acc[:1]) == [0]


def test_unary_codes_ignore_the_scalar():
    bench = Bench().put(SRC, [-1, 2]).run(ts(CUMULATIVE, ABSOLUTE_VALUE, ADD, n=2, imm0=99.0))
    assert bench.get(2).tolist() == [[1, 3]]
    square = Bench("MARIANA").put(SRC, [-1, 2]).run(ts(CUMULATIVE, SQUARE, ADD, n=2, imm0=99.0))
    assert square.get(2).tolist() == [[1, 5]]


def test_integers():
    bench = (
        Bench().put(SRC, [100, 100, -128], np.int8).run(ts(CUMULATIVE, ADD, ADD, n=3, imm0=0.5, dtype=INT8, out=INT16))
    )
    assert bench.get(3, dtype=np.int16).tolist() == [[100, 201, 74]]  # 100.5 and 73.5 round to even
    saturated = Bench().put(SRC, [200, 100], np.uint8).run(ts(CUMULATIVE, BYPASS, ADD, n=2, dtype=UINT8, out=UINT8))
    assert saturated.get(2, dtype=np.uint8).tolist() == [[200, 255]]
    assert saturated.acc[0] == 300


@both
def test_in_place(opcode):
    bench = Bench().put(SRC, [1, 2, 3]).run(ts(opcode, BYPASS, ADD, n=3, dst=pattern3(SRC, (3,))))
    assert bench.get(3, byte=SRC).tolist() == [[1, 3, 6] if opcode == CUMULATIVE else [1, 2, 3]]


def test_gather():
    """An indirect source on MARIANA: elements 2, 0, 1 of every row, one index per partition of the group of 16."""
    lanes, src = 16, (0x20000000 | 0x400).to_bytes(4, "little") + SRC.to_bytes(4, "little") + b"\x03\0" + bytes(6)
    bench = Bench("MARIANA").put(SRC, [[1, 2, 4]] * lanes).put(0x400, [[2], [0], [1]], np.uint16)
    bench.run(ts(CUMULATIVE, BYPASS, ADD, n=3, lanes=lanes, src=src))
    assert bench.get(3, lanes).tolist() == [[4, 5, 7]] * lanes
    assert rule_of(ts(CUMULATIVE, BYPASS, ADD, n=3, lanes=lanes, src=src), "CAYMAN") == "TSCC-V7"


def test_accumulating_onto_a_lane_nobody_seeded():
    record = ts(CUMULATIVE, BYPASS, ADD, n=1, cmd=ACCUMULATE)
    strict = Bench(accumulator_initial="error").put(SRC, [3]).put(DST, [7])
    with pytest.raises(ExecutionError):
        strict.run(record)
    assert strict.get(1) == 7
    lenient = Bench().put(SRC, [3]).run(record)
    assert [d["kind"] for d in lenient.result.diagnostics] == ["tainted_accumulator"]


@both
def test_random_folds_against_single_steps(opcode):
    """Every operator, element by element, NaN and zeros and subnormals among the values."""
    random = np.random.default_rng(9)
    n, lanes = 40, 32
    words = random.integers(0, 2**32, (lanes, n), np.uint32)
    words[::2] = random.choice(
        np.uint32([0, 0x80000000, 0x3F800000, 0x7FC00001, 1, 0xFF800000, 0x80000001]), (lanes // 2, n)
    )
    for op in (ADD, SUBTRACT, MULT, MAX, MIN):
        bench = Bench().put(SRC, words, np.uint32)
        bench.run(ts(opcode, MULT, op, n=n, lanes=lanes, cmd=LOAD_ACCUMULATE, imm0=-1.0, imm1=0.75))
        state, elements, running = np.full(lanes, np.float32(0.75)), [], []
        for k in range(n):
            element = alu_f32(MULT, words[:, k].copy().view(np.float32), np.float32([-1.0]), Choices())
            state = alu_f32(op, element, state, Choices())
            elements.append(element)
            running.append(state)
        stored = running if opcode == CUMULATIVE else elements
        assert bits(bench.get(n, lanes)) == bits(np.transpose(stored))
        assert bits(bench.acc[:lanes]) == bits(state)
