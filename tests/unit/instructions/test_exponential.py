"""EXPONENTIAL: the specification's vectors, its rules, and the edges of isa/05 section 13."""

from decimal import Context, Decimal

import numpy as np
import pytest

from dve_engine import Choices, ExecutionError
from dve_engine.isa.assumptions import AlternativeNotOffered
from dve_engine.numerics.exponential import exp_f32
from tests.unit.instructions.scan_support import (
    ACCUMULATE,
    ADD,
    BF16,
    BYPASS,
    DST,
    IDLE,
    INLINE,
    INT8,
    INT32,
    LOAD_ACCUMULATE,
    POINTER,
    PTR,
    PTR1,
    SRC,
    ZERO,
    ZERO_ACCUMULATE,
    Bench,
    bits,
    first_failure,
    patched,
    pattern3,
    rule_of,
    ts,
)

EXP = 0x30
FP32R = 0xB


def exp(*, n, cmd=IDLE, **fields):
    return ts(EXP, BYPASS, BYPASS, n=n, cmd=cmd, **fields)


def run(values, generation="MARIANA", **assumptions):
    values = np.atleast_1d(np.asarray(values, np.float32))
    return Bench(generation, **assumptions).put(SRC, values), len(values)


# -- traps -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "maximum", "expected"),
    [
        (-np.inf, 0.0, 0x00000000),
        (np.inf, 0.0, 0x7F800000),
        (0.0, 0.0, 0x3F800000),
        (-0.0, 0.0, 0x3F800000),
        (-np.inf, -np.inf, 0x7FC00000),
        (np.inf, np.inf, 0x7FC00000),
        (5.0, np.inf, 0x00000000),
        (88.0, 0.0, 0x7EF882B7),
        (89.0, 0.0, 0x7F800000),
        (-87.5, 0.0, 0x006CB2BC),  # subnormal results are kept
        (-104.0, 0.0, 0x00000000),
        (-103.0, 0.0, 0x00000001),
    ],
)
def test_special_values(value, maximum, expected):
    bench, n = run(value)
    assert bits(bench.run(exp(n=n, imm0=float(maximum))).get(n)[0]) == [expected]


def test_nans_are_made_quiet():
    bench = Bench("MARIANA").put(SRC, [0x7F800001, 0xFFC00002], np.uint32).run(exp(n=2))
    assert bits(bench.get(2)[0]) == [0x7FC00001, 0xFFC00002]
    assert "exponential-accuracy" not in bench.used


def test_flushed_subnormals():
    bench, n = run([-87.5], fp32_subnormals="flush")
    assert bits(bench.run(exp(n=n)).get(n)[0]) == [0]
    assert bench.used["fp32-subnormals"] == "flush"


def test_the_table_of_the_device_is_not_offered():
    with pytest.raises(AlternativeNotOffered):
        Choices("notes", {"exponential-accuracy": "table-model"})
    bench, n = run([1.0])
    assert bench.run(exp(n=n)).used["exponential-accuracy"] == "correctly-rounded"


def nearest(x):
    """exp(x) rounded to fp32, by 80 decimal digits."""
    exact = Decimal(float(x)).exp(Context(prec=80))
    guess = np.float32(float(exact))
    around = (np.nextafter(guess, np.float32(-1)), guess, np.nextafter(guess, np.float32(np.inf)))
    return min((c for c in around if np.isfinite(c)), key=lambda c: abs(Decimal(float(c)) - exact))


# The eight fp32 arguments from 2**-30 up whose exp lies within 2**-50 of the middle of two fp32 numbers.
HARDEST = np.uint32(
    [0x377EFF81, 0x39C6BE5B, 0x4001B249, 0x40315B33, 0xB3000000, 0xBAE0E25C, 0xBBF0EDF1, 0xC16912CD]
).view(np.float32)  # fmt: skip


def test_correctly_rounded():
    random = np.random.default_rng(4)
    values = np.concatenate((HARDEST, random.uniform(-104, 88.7, 400), random.normal(0, 1e-4, 100))).astype(np.float32)
    assert bits(exp_f32(values, Choices())) == bits([nearest(x) for x in values])


def test_a_float64_exp_that_is_an_ulp_off_does_not_show(monkeypatch):
    """The results near the middle are settled in decimal, so the host's exp cannot change a bit."""
    original = np.exp
    for direction in (-np.inf, np.inf):
        with monkeypatch.context() as patch:
            patch.setattr(np, "exp", lambda x, d=direction, **kw: np.nextafter(original(x, **kw), d))
            assert bits(exp_f32(HARDEST, Choices())) == bits([nearest(x) for x in HARDEST])


def test_the_subtraction_is_an_fp32_step():
    """1 - 2**-30 is 1 in fp32."""
    bench, n = run([1.0])
    assert bits(bench.run(exp(n=n, imm0=2.0**-30)).get(n)[0]) == bits([nearest(np.float32(1))])


def test_sums_are_sequential_and_start_from_plus_zero():
    bench, n = run([0.0] * 9)
    bench.run(exp(n=n, cmd=LOAD_ACCUMULATE, imm1=2.0**24))
    assert bench.acc[0] == 2.0**24
    assert bench.used["fold-association"] == "sequential"
    bench.run(exp(n=n, cmd=ZERO_ACCUMULATE))
    assert bench.acc[0] == 9
    bench.run(exp(n=n, cmd=ACCUMULATE))
    assert bench.acc[0] == 18


def test_maximum_and_seed_per_lane():
    bench = Bench("MAVERICK").put(SRC, [[1, 2], [5, 5], [7, 6]]).put(PTR, [[1], [5], [7]]).put(PTR1, [[10], [20], [30]])
    record = exp(n=2, lanes=3, cmd=LOAD_ACCUMULATE, imm0=PTR, imm1=PTR1, sources=(POINTER, POINTER))
    bench.run(record)
    e, inverse = nearest(np.float32(1)), nearest(np.float32(-1))
    assert bench.get(2, lanes=3).tolist() == [[1, e], [1, 1], [1, inverse]]
    assert bench.acc[:3].tolist() == [np.float32(11) + e, 22, np.float32(31) + inverse]


def test_idle_taints_and_keeps():
    bench, n = run([0.0])
    bench.accumulators([5.0]).run(exp(n=n))
    assert bench.acc[0] == 5
    assert bench.state.accumulators.tainted[0]
    assert bench.used["accumulator-idle"] == "keep-tainted"


def test_cast_point():
    bench, n = run([1.0, 0.0])
    bench.run(exp(n=n, cmd=ZERO_ACCUMULATE, out=BF16))
    assert bench.acc[0] == nearest(np.float32(1)) + np.float32(1)
    after, n = run([1.0, 0.0], fold_cast_point="after-conversion")
    assert after.run(exp(n=n, cmd=ZERO_ACCUMULATE, out=BF16)).acc[0] == 3.71875  # e is 2.71875 in BF16


def test_integers():
    bench = Bench("MARIANA").put(SRC, [1, 0], np.int8).run(exp(n=2, dtype=INT8, out=INT32))
    assert bench.get(2, dtype=np.int32).tolist() == [[3, 1]]


def test_accumulating_onto_a_lane_nobody_seeded():
    strict, n = run([0.0], accumulator_initial="error")
    with pytest.raises(ExecutionError):
        strict.put(DST, [7]).run(exp(n=n, cmd=ACCUMULATE))
    assert strict.get(1) == 7


# -- verdicts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("generation", ["SUNDA", "CAYMAN"])
def test_refused_by_the_engine_check(generation):
    failure = first_failure(exp(n=1), generation)
    assert failure == ("X1", "instruction_engine_check", "header.opcode", "not_dispatched")


@pytest.mark.parametrize("generation", ["MARIANA", "MAVERICK"])
@pytest.mark.parametrize(
    ("record", "rule"),
    [
        (exp(n=1), None),
        (exp(n=1, dtype=INT32), None),
        (exp(n=1, dtype=FP32R), "EXP-V4"),
        (exp(n=1, out=FP32R), None),
        (exp(n=1, out=1), "EXP-V5"),
        (exp(n=1, imm0=PTR + 2, sources=(POINTER, INLINE)), "EXP-V6"),
        (exp(n=1, imm1=PTR + 2, sources=(INLINE, POINTER), cmd=LOAD_ACCUMULATE), "EXP-V6"),
        (exp(n=1, sources=(3, INLINE)), "EXP-V6"),
        (exp(n=1, imm1=1), "EXP-V7"),
        (exp(n=1, imm1=-0.0, cmd=ZERO_ACCUMULATE), "EXP-V7"),
        (exp(n=1, imm1=PTR, sources=(INLINE, POINTER)), "EXP-V7"),
        (exp(n=1, imm1=PTR, sources=(INLINE, POINTER), cmd=LOAD_ACCUMULATE), None),
        (exp(n=1, cmd=ZERO), "EXP-V7"),
        (exp(n=1, cmd=5), "EXP-V7"),
        (ts(EXP, BYPASS, ADD, n=1, cmd=IDLE), "EXP-V9"),
        (patched(exp(n=1), {38: 1}), "EXP-V9"),
        (patched(exp(n=1), {14: 1}), "EXP-V10"),
        (exp(n=1, dst=pattern3(DST, (2,))), "EXP-V11"),
        (exp(n=1, lanes=129), "EXP-V12"),
    ],
)
def test_rules(record, rule, generation):
    assert rule_of(record, generation) == rule


def gather(address, index, num):
    return (0x20000000 | index).to_bytes(4, "little") + address.to_bytes(4, "little") + bytes((num, 0)) + bytes(6)


@pytest.mark.parametrize(
    ("record", "leaf"),
    [
        (exp(n=3, dtype=BF16, cmd=ZERO_ACCUMULATE), "exp_x_even_or_unpacked"),
        (exp(n=3, dtype=INT8, cmd=ZERO_ACCUMULATE), "exp_x_even_or_unpacked"),
        (exp(n=3, dtype=BF16, cmd=IDLE), None),
        (exp(n=4, dtype=BF16, cmd=ZERO_ACCUMULATE), None),
        (exp(n=3, cmd=ZERO_ACCUMULATE), None),
        (exp(n=3, dtype=INT32, cmd=ZERO_ACCUMULATE), None),
        (exp(n=3, dtype=BF16, cmd=ZERO_ACCUMULATE, src=pattern3(SRC, (3,), (2, 0, 0))), None),
        (exp(n=6, dtype=BF16, cmd=ZERO_ACCUMULATE, src=pattern3(SRC, (3, 2))), "exp_x_even_or_unpacked"),
        (exp(n=3, dtype=BF16, cmd=ZERO_ACCUMULATE, src=gather(SRC, 0x400, 3)), None),
        (exp(n=3, dtype=BF16, cmd=ZERO_ACCUMULATE, dst=gather(DST, 0x400, 3)), None),
        (exp(n=4, dtype=BF16, cmd=ZERO_ACCUMULATE, src=pattern3(0x40000000 | SRC, (3,))), None),  # shape in a register
    ],
)
def test_packed_sums_want_even_rows(record, leaf):
    failure = first_failure(record, "MARIANA")
    assert failure == (leaf and ("EXP-V8", "has_valid_exponential_num_elements", "src_mem_pattern.num_elem", leaf))


def test_upper_dims_in_strict_mode():
    strict = {"exponential_upper_dims": "strict"}
    odd = exp(n=8, dtype=BF16, cmd=ZERO_ACCUMULATE, src=pattern3(SRC, (4, 2), (1, 5, 0)))
    assert rule_of(odd, "MARIANA") is None
    assert first_failure(odd, "MARIANA", **strict)[3] == "exp_upper_src_dim_even"
    flat = exp(n=4, dtype=BF16, cmd=ZERO_ACCUMULATE, src=pattern3(SRC, (4,), (1, 5, 7)))
    assert rule_of(flat, "MARIANA", **strict) is None  # a dimension of one element has no second row
    even = exp(n=8, dtype=BF16, cmd=ZERO_ACCUMULATE, src=pattern3(SRC, (4, 2), (1, 6, 0)))
    assert rule_of(even, "MARIANA", **strict) is None
    unpacked = exp(n=8, cmd=ZERO_ACCUMULATE, src=pattern3(SRC, (4, 2), (1, 5, 0)))
    assert rule_of(unpacked, "MARIANA", **strict) is None


def test_indirect_quadrants():
    """The index list of a source must lie in the quadrant of its data."""
    lanes = {"lanes": 32, "n": 3}
    assert rule_of(exp(src=gather(SRC, 0x400, 3), **lanes), "MARIANA") is None
    assert rule_of(exp(src=gather(SRC, (32 << 18) + 0x400, 3), **lanes), "MARIANA") == "EXP-V15a"
    assert rule_of(exp(dst=gather(DST, (32 << 18) + 0x400, 3), **lanes), "MARIANA") == "EXP-V15b"
