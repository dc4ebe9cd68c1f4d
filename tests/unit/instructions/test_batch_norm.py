"""The batch-norm instructions. Expected values from isa/06 section 6 and its vectors, the rest by hand."""

import math

import numpy as np
import pytest

from dve_engine import ExecutionError
from tests.unit.instructions.support import (
    BF16,
    FP16,
    FP32,
    INT32,
    UINT32,
    at,
    bf16,
    bits,
    f32,
    failures,
    fresh,
    get,
    pattern,
    put,
    record,
    run,
)

QNAN = 0x7FC00000
STATS = {0x60: 3, 0x61: 6, 0x82: 6}
ACCUMULATIONS = ("pairwise-update", "sum-and-square")


# -- statistics --------------------------------------------------------------------------------------------------------


def stats(count, opcode=0x61, lanes=1, source=FP32, target=FP32, even=0.0, odd=0.0, **fields):
    base = {
        "src_mem_pattern": pattern(0, count, dims=4),
        "dst_mem_pattern": pattern(0x4000, STATS[opcode], dims=2),
        "num_active_channels": lanes,
        "in_dtype": source,
        "out_dtype": target,
        "even_count": float(even),
        "odd_count": float(odd),
    }
    return record(opcode, **(base | fields))


def of(values, opcode=0x61, **choices):
    """The result row of one lane."""
    state = fresh()
    put(state, 0, 0, f32(*values))
    counts = {"even": math.ceil(len(values) / 2), "odd": len(values) // 2}
    run(stats(len(values), opcode, **counts), state, **choices)
    return get(state, 0, 0x4000, STATS[opcode])


@pytest.mark.parametrize("accumulation", ACCUMULATIONS)
def test_even_and_odd_elements_are_separate(accumulation):
    """Not first half and second half, and not one population: elements 0, 2, 4 against 1, 3."""
    assert of([1, 100, 3, 104, 5], bn_accumulation=accumulation).tolist() == [3, 3, 8, 2, 102, 8]


def test_even_and_odd_follow_the_stream_not_the_address():
    """A walk that visits 0, 2, 1, 3 pairs by position in the walk."""
    state = fresh()
    put(state, 0, 0, f32(1, 10, 2, 20))
    run(stats(4, src_mem_pattern=pattern(0, 2, 2, dims=4, steps=[2, 1]), even=2, odd=2), state)
    # stream 1, 2, 10, 20: even 1 and 10, odd 2 and 20
    assert get(state, 0, 0x4000, 6).tolist() == [2, 5.5, 40.5, 2, 11, 162]


def test_counts_are_copied_not_counted():
    state = fresh()
    put(state, 0, 0, f32(1, 2, 3, 4))
    run(stats(4, even=-0.0, odd=7.5), state)
    assert bits(get(state, 0, 0x4000, 6))[0::3] == bits([-0.0, 7.5])


def test_single_element_leaves_the_odd_half_zero():
    assert bits(of([-5.0])) == bits([1, -5, 0, 0, 0, 0])


def test_0x60_is_one_population_with_the_even_count():
    state = fresh()
    put(state, 0, 0, f32(1, 2, 3, 6))
    run(stats(4, 0x60, even=4, odd=9), state)
    assert get(state, 0, 0x4000, 3).tolist() == [4, 3, 14]


def test_results_are_narrowed_once_counts_included():
    state = fresh()
    put(state, 0, 0, bf16(1, 10, 2, 20, 6))
    run(stats(5, source=BF16, target=BF16, even=257.0, odd=2.0), state)
    assert get(state, 0, 0x4000, 6, "<u2").tolist() == bf16(256, 3, 14, 2, 15, 50).tolist()  # 257 ties to even


def test_0x82_transposes_tiles_first():
    """Output lane p gets element p of every source lane of its block."""
    state = fresh()
    rows = [f32(*(100 * lane + k for k in range(32))) for lane in range(32)]
    put(state, 0, 0, *rows)
    run(stats(32, 0x82, lanes=32, even=16, odd=16), state)
    for lane in (0, 7, 31):
        got = get(state, lane, 0x4000, 6)
        assert got[[0, 3]].tolist() == [16, 16]
        np.testing.assert_allclose(got[[1, 4]], [1500 + lane, 1600 + lane], rtol=1e-6)
        np.testing.assert_allclose(got[[2, 5]], [sum((200 * k - 1500) ** 2 for k in range(16))] * 2, rtol=1e-5)


def reference(values):
    """06 section 6.2's recurrence on Python floats rounded to fp32, one half."""
    one = np.float32
    mean = spread = one(0)
    for k, x in enumerate(values, 1):
        r, before = one(one(1) / one(k)), mean
        mean = one(one(one(1) - r) * before) + one(r * x)
        spread = one(spread + one(one(x - mean) * one(x - before)))
    return mean, spread


def test_default_accumulation_bit_for_bit():
    values = np.random.default_rng(6).normal(3, 40, 512).astype(np.float32)
    got = of(values)
    assert bits(got[1:3]) == bits(reference(values[0::2]))
    assert bits(got[4:6]) == bits(reference(values[1::2]))


@pytest.mark.parametrize("tiny", [1e-39, -3e-45])
def test_subnormals_take_the_other_path_with_the_same_bits(tiny):
    values = f32(1, tiny, tiny, 2, tiny, tiny, 5, 7)
    got = of(values)
    assert bits(got[1:3]) == bits(reference(values[0::2]))
    assert bits(got[4:6]) == bits(reference(values[1::2]))


@pytest.mark.parametrize("accumulation", ACCUMULATIONS)
def test_nan_and_infinity_stay_in_their_half(accumulation):
    got = of([1, np.inf, 3, 4, np.nan, 6], bn_accumulation=accumulation)
    assert np.isnan(got[[1, 2]]).all() and got[4] == np.inf and bits(got[[5]]) == (QNAN,)


def test_an_input_nan_keeps_its_payload_made_quiet():
    state = fresh()
    put(state, 0, 0, np.array([0xFF800001, 0, 0, 0], "<u4"))
    run(stats(4, even=2, odd=2), state)
    assert bits(get(state, 0, 0x4000, 3))[1:] == (0xFFC00001, 0xFFC00001)


def test_sum_and_square_by_hand():
    """Sum 1 + 2 + 2 = 5, squares 9; 5 * fp32(1/3) and 9 - 3 * mean**2, each step rounded."""
    one = np.float32
    got = of([1, 0, 2, 0, 2, 0], bn_accumulation="sum-and-square")
    mean = one(one(5) * one(one(1) / one(3)))
    assert bits(got[1:3]) == bits([mean, one(one(9) - one(one(3) * one(mean * mean)))])


def test_the_answer_names_the_accumulation():
    state = fresh()
    assert "bn-accumulation" in run(stats(4), state).assumptions


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"out_dtype": INT32}, "V3"),
        ({"in_dtype": 0x0B}, "V2"),
        ({"num_active_channels": 0}, "V4"),
        ({"src_mem_pattern": pattern(0x40000, 4, dims=4)}, "V5a"),
        ({"src_mem_pattern": pattern(2, 4, dims=4)}, "V6a"),
        ({"src_mem_pattern": pattern(0, 513, dims=4)}, "V7"),
        ({"dst_mem_pattern": pattern(0x4000, 5, dims=2)}, "V8"),
        ({"even_count": math.nan}, "V9"),
        ({"odd_count": -math.inf}, "V10"),
        ({"reserved1": [0, 0, 0, 1]}, "V1"),
    ],
)
def test_0x61_breaks(fields, rule):
    assert failures(stats(4)) == []
    assert failures(stats(4, **fields))[0] == f"BNS2-{rule}"


def test_limits_of_the_three_forms():
    assert failures(stats(512)) == failures(stats(256, 0x60)) == []
    assert failures(stats(257, 0x60)) == ["BNS-V7"]
    assert failures(stats(4, 0x60, even=math.inf)) == []  # no finite rule there
    assert failures(stats(32, 0x82, lanes=64)) == []
    assert failures(stats(33, 0x82, lanes=32)) == ["TBNS2-V12"]
    assert failures(stats(32, 0x82, lanes=48)) == ["TBNS2-V11"]
    assert failures(stats(4, dst_mem_pattern=pattern(0x200_0000, 6, dims=2), target=BF16)) == ["BNS2-V6b"]


def test_a_waived_count_is_compared_at_run_time():
    shape = pattern(0x4000_4000, 5, dims=2)
    program = stats(4, dst_mem_pattern=shape)
    assert failures(program) == []
    with pytest.raises(ExecutionError, match="5 elements"):
        run(program, fresh(), shape_register="treat-as-static")
    tiles = stats(33, 0x82, lanes=32, src_mem_pattern=pattern(0x4000_0000, 33, dims=4))
    with pytest.raises(ExecutionError, match="multiple of 32"):
        run(tiles, fresh(), shape_register="treat-as-static")


# -- aggregate ---------------------------------------------------------------------------------------------------------


def aggregate(count, **fields):
    base = {
        "src_mem_pattern": pattern(0, count, dims=4),
        "dst_mem_pattern": pattern(0x4000, 2, dims=2),
        "num_active_channels": 1,
        "in_dtype": FP32,
        "out_dtype": FP32,
    }
    return record(0x62, **(base | fields))


def merged(*values):
    state = fresh()
    put(state, 0, 0, f32(*values))
    run(aggregate(len(values)), state)
    return get(state, 0, 0x4000, 2)


def test_one_triple_gives_its_mean_and_spread_over_count():
    assert merged(4, 3, 14).tolist() == [3, 3.5]


def test_statistics_then_aggregate_give_the_population():
    values = np.random.default_rng(9).normal(-2, 3, 96).astype(np.float32)
    first, second = of(values[:40]), of(values[40:])
    got = merged(*first, *second)
    np.testing.assert_allclose(got, [values.mean(dtype=np.float64), values.var(dtype=np.float64)], rtol=1e-5)


def test_no_element_at_all_is_nan():
    assert bits(merged(0, 0, 0)) == (QNAN, QNAN)


def test_merge_step_by_step():
    """06 section 6.3's formula with every operation rounded to fp32."""
    one = np.float32
    triples = [(3, 1.1, 0.7), (5, -2.3, 4.9), (2, 0.3, 0.01)]
    n = m = v = one(0)
    for triple in triples:
        nt, mt, qt = map(one, triple)
        total = one(nt + n)
        r, d = one(one(1) / total), one(m - mt)
        between = one(one(one(one(nt * n) * one(d * d)) * r) * r)
        v = one(one(one(one(v * n) + qt) * r) + between)
        m = one(one(one(m * n) + one(nt * mt)) * r)
        n = total
    assert bits(merged(*(x for triple in triples for x in triple))) == bits([m, v])


def test_aggregate_rules():
    assert failures(aggregate(3)) == failures(aggregate(9, even_count=-0.0)) == []
    assert failures(aggregate(4)) == ["BNA-V3"]
    assert failures(aggregate(3, odd_count=1.0)) == ["BNA-V2"]
    assert failures(aggregate(3, in_dtype=INT32)) == ["BNA-V5"]
    assert failures(aggregate(3, out_dtype=UINT32)) == ["BNA-V6"]
    assert failures(aggregate(3, dst_mem_pattern=pattern(0x4000, 3, dims=2))) == ["BNA-V4"]


# -- gradient ----------------------------------------------------------------------------------------------------------


def gradient(opcode=0x94, count=4, lanes=1, source=FP32, target=FP32, scalar=FP32, **fields):
    base = {
        "imm0": 0x3000,
        "imm1": 0x3004,
        "src0_mem_pattern": pattern(0, count, dims=3),
        "src1_mem_pattern": pattern(0x100, count, dims=3),
        "dst_mem_pattern": pattern(0x200, 3, dims=1),
        "in0_in1_dtype": source | source << 4,
        "num_active_channels": lanes,
    }
    if opcode == 0x94:
        base |= {"immediate_out_dtype": scalar | target << 4, "imm0_imm1_src": 0x11}
    else:
        base |= {"immediate_dtype": scalar, "out_dtype": target}
    return record(opcode, **(base | fields))


def loaded(generation="CAYMAN"):
    """x 1 2 3 6, dy .5 -1 2 1, mean 3, inverse deviation .5: sums 2.5, .75, 1.5 (W9)."""
    state = fresh(generation)
    put(state, 0, 0, f32(1, 2, 3, 6))
    put(state, 0, 0x100, f32(0.5, -1, 2, 1))
    put(state, 0, 0x3000, f32(3, 0.5))
    return state


@pytest.mark.parametrize("program", [gradient(), gradient(0x63), gradient(0x63, scalar=0)], ids=["94", "63", "63-0"])
def test_gradient_sums(program):
    """0x63 reads immediate dtype 0 as FP32."""
    state = loaded()
    put(state, 0, 0x200, f32(9, 9, 9))
    run(program, state)
    assert get(state, 0, 0x200, 3).tolist() == [2.5, 0.75, 1.5]  # overwritten, not accumulated into


def test_gradient_through_registers_and_other_dtypes():
    state = fresh()
    put(state, 0, 0, np.array([1, 2, 3, 6], "<i4"))
    put(state, 0, 0x100, np.array([2, -4, 8, 4], "<i4"))
    put(state, 0, 0x3000, bf16(3, 0.5))
    state.registers = {5: 0x3000, 6: 0x3002}
    program = gradient(source=INT32, target=BF16, scalar=BF16, imm0=5, imm1=6, imm0_imm1_src=0x22)
    assert failures(program) == []
    run(program, state)
    assert get(state, 0, 0x200, 3, "<u2").tolist() == bf16(10, 3, 6).tolist()


def test_gradient_sums_are_sequential():
    state = fresh()
    put(state, 0, 0x100, f32(1e8, 1, 1, -1e8))
    put(state, 0, 0x3000, f32(0, 0))
    run(gradient(), state)
    assert get(state, 0, 0x200, 3)[0] == 0  # 1e8 swallows both ones


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"imm0_imm1_src": 0x10}, "V14"),
        ({"imm0_imm1_src": 0x31}, "V15"),
        ({"imm1": 0x3002}, "V15"),
        ({"imm0": 0x8000_3000}, "V14"),
        ({"imm0": 64, "imm0_imm1_src": 0x12}, "V14"),
        ({"scalar": 0}, "V11"),
        ({"target": INT32}, "V10"),
        ({"source": 0x05}, "V9"),
        ({"dst_mem_pattern": pattern(0x200, 4, dims=1)}, "V13"),
        ({"src1_mem_pattern": pattern(0x100, 3, dims=3)}, "V12"),
        ({"src1_mem_pattern": pattern(at(32, 0x100), 4, dims=3)}, "V16"),
    ],
)
def test_0x94_breaks(fields, rule):
    assert failures(gradient()) == []
    assert failures(gradient(**fields))[0] == f"BNGA2-{rule}"


def test_0x63_breaks():
    assert failures(gradient(0x63, scalar=UINT32)) == ["BNGA-V11"]
    assert failures(gradient(0x63, scalar=FP16, imm0=0x3001)) == ["BNGA-V14"]
    assert failures(gradient(0x63, scalar=0, imm0=0x3002)) == ["BNGA-V14"]  # aligned as FP32
    assert failures(gradient(0x63, imm1=0x30000001)) == ["BNGA-V15"]


# -- parameters and back propagation -----------------------------------------------------------------------------------


def load(opcode=0x64, count=3, **fields):
    base = {"src_mem_pattern": pattern(0, count, dims=2), "num_active_channels": 2, "imm0_ptr": 0x3000}
    if opcode == 0x64:
        base |= {"dtype": FP32, "imm1": 4.0}
    else:
        base |= {"src_dtype": FP32, "immediate_dtype": FP32, "imm1_ptr": 0x3004, "element_count": 4.0}
    return record(opcode, **(base | fields))


def ready():
    state = fresh()
    put(state, 0, 0, f32(0.25, 2.5, 0.75), f32(1, 2, 3))
    put(state, 0, 0x3000, f32(3, 0.25), f32(-1, 8))
    return state


@pytest.mark.parametrize("source", [0, 1])
def test_0x64_keeps_n_mean_a_b_c(source):
    """Immediate sources 0 and 1 both mean a pointer. Channels beyond the active ones keep their rows."""
    state = ready()
    state.banks["batch_norm"][2] = 7
    run(load(imm0_src=source), state)
    rows = state.banks["batch_norm"].view(np.float32)
    assert rows[:2].tolist() == [[4, 3, 0.25, 2.5, 0.75], [4, -1, 1, 2, 3]]
    assert state.banks["batch_norm"][2].tolist() == [7] * 5


def test_0x64_mean_through_a_register():
    state = ready()
    state.registers = {9: 0x3004}
    run(load(imm0_src=2, imm0_ptr=9, src_mem_pattern=pattern(0, 1, 3, dims=2)), state)
    assert state.banks["batch_norm"].view(np.float32)[0].tolist() == [4, 0.25, 0.25, 2.5, 0.75]


@pytest.mark.parametrize(
    ("roles", "row"),
    [("imm0-mean", [4, 3, 0.25, 0.25, 2.5]), ("imm1-mean", [4, 0.25, 3, 0.25, 2.5])],
)
def test_0x8e_roles(roles, row):
    state = ready()
    result = run(load(0x8E, 2), state, bn_param_load2_roles=roles)
    assert state.banks["batch_norm"].view(np.float32)[0].tolist() == row
    assert result.assumptions["bn-param-load2-roles"] == roles


def test_load_rules():
    assert failures(load()) == failures(load(0x8E, 2)) == failures(load(0x8E, element_count=math.inf, count=2)) == []
    assert failures(load(imm1=math.inf)) == ["BNPL-V4"]
    assert failures(load(count=2)) == ["BNPL-V3"]
    assert failures(load(src_mem_pattern=pattern(0, 3, 3, dims=2))) == ["BNPL-V3"]
    assert failures(load(dtype=INT32)) == ["BNPL-V2"]
    assert failures(load(imm0_src=3)) == ["BNPL-V5"]
    assert failures(load(imm0_ptr=0x3002)) == ["BNPL-V5"]
    assert failures(load(0x8E, 2, immediate_dtype=BF16, imm0_ptr=0x3001)) == ["BNPL2-V4"]
    assert failures(load(0x8E, 3)) == ["BNPL2-V3"]
    assert failures(load(0x8E, 2, immediate_dtype=INT32)) == ["BNPL2-V2"]


def test_lists_without_pattern_rules_are_bounded_at_run_time():
    """0x64 has neither pattern nor start rule: an odd place is legal, leaving memory is not carried out."""
    state = ready()
    put(state, 3, 1, f32(0.25, 2.5, 0.75))
    run(load(src_mem_pattern=pattern(at(3, 1), 3, dims=2)), state)
    assert state.banks["batch_norm"].view(np.float32)[0, 2:].tolist() == [0.25, 2.5, 0.75]
    state.registers = {1: at(3, 1)}  # nor is an address from a register held to them
    run(load(src_mem_pattern=pattern(0x8000_0001, 3, dims=2)), state)
    with pytest.raises(ExecutionError):
        run(load(src_mem_pattern=pattern(at(127), 3, dims=2)), state)
    with pytest.raises(ExecutionError):
        run(load(src_mem_pattern=pattern(0x1FFF_FFFC, 3, dims=2)), state)


def back(**fields):
    base = {
        "in0_in1_dtype": FP32 | FP32 << 4,
        "out_dtype": FP32,
        "num_active_channels": 2,
        "src0_mem_pattern": pattern(0, 4, dims=3),
        "src1_mem_pattern": pattern(0x100, 4, dims=3),
        "dst_mem_pattern": pattern(0x200, 4, dims=3),
    }
    return record(0x65, **(base | fields))


def test_back_prop_uses_each_lanes_own_parameters():
    state = fresh()
    put(state, 0, 0, f32(1, 2, 3, 6), f32(1, 2, 3, 6))
    put(state, 0, 0x100, f32(0.5, -1, 2, 1), f32(0.5, -1, 2, 1))
    state.banks["batch_norm"][:2] = f32([4, 3, 0.25, 2.5, 0.75], [1, 0, 1, 0, 0]).view(np.uint32)
    run(back(), state)
    assert get(state, 0, 0x200, 4).tolist() == [0.25, -1.4375, 1.375, -0.1875]
    assert get(state, 1, 0x200, 4).tolist() == [0.5, -1, 2, 1]


def test_load_then_back_prop():
    state = loaded()
    put(state, 0, 0x3100, f32(0.25, 2.5, 0.75))
    program = load(src_mem_pattern=pattern(0x3100, 3, dims=2), num_active_channels=1)
    run(program + back(num_active_channels=1), state)
    assert get(state, 0, 0x200, 4).tolist() == [0.25, -1.4375, 1.375, -0.1875]


def test_back_prop_rules():
    assert failures(back()) == []
    assert failures(back(op=4)) == ["BNBP-V4"]
    assert failures(back(dst_mem_pattern=pattern(0x200, 5, dims=3))) == ["BNBP-V12"]
    marked = back(src0_mem_pattern=pattern(0x2000_0000, 4, dims=3))
    assert failures(marked, "MARIANA")[0] == "BNBP-V8"  # no index lists here
