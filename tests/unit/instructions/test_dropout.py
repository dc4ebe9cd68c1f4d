"""DROPOUT. Expected values from isa/04 section 10, isa/06 section 7.1 and isa/07 section 14.8."""

import numpy as np
import pytest

from dve_engine import AlternativeNotOffered, Choices, ExecutionError, Machine, NotModelled
from tests.unit.instructions.search_support import (
    ALL_GENERATIONS,
    BF16,
    EXP4,
    FP16,
    FP32,
    FP32R,
    INT16,
    UINT8,
    Done,
    bits,
    f32,
    first_failure,
    pattern,
    prepared,
    record,
    run,
    sbuf,
)

DROP_RATE, KEEP_RATE = 0, 1


def dropout(count=4, threshold=0.25, kind=DROP_RATE, **fields):
    base = {
        "src_mem_pattern": pattern(0x100, count),
        "dst_mem_pattern": pattern(0x2000, count),
        "num_active_channels": 1,
        "in_dtype": FP32,
        "out_dtype": FP32,
        "threshold_dtype": FP32,
        "threshold": threshold,
        "threshold_type": kind,
    }
    return record("S3D3_DROPOUT", 0x7F, **(base | fields))


def draws(*words, lanes=1):
    """The same draws for the first lanes; the other rows are never reached."""
    array = np.zeros((128, len(words)), np.uint32)
    array[:lanes] = words
    return {"random_draws": array}


def survivors(program, words, count, generation="CAYMAN", **choices):
    """Which of the elements 1, 2, 3, ... survive."""
    data = np.arange(1, count + 1).astype("<f4")
    done = run(program, generation, [(sbuf(0, 0x100), data)], banks=draws(*words), **choices)
    got = done.elements(sbuf(0, 0x2000), "<f4", count)
    assert all(value in (0, number) for value, number in zip(got, data, strict=True))
    return np.flatnonzero(got).tolist()


def steps(state, count):
    """Section 7.1's step, one at a time."""
    words = []
    for _ in range(count):
        bit = (state >> 31 ^ state >> 21 ^ state >> 1 ^ state) & 1
        state = (state << 1 | bit) & 0xFFFFFFFF
        words.append(state)
    return words


WORDS = bytes.fromhex(
    "00000000 ffffffff 40000000 3fffffff 80000000 12345678 deadbeef 3ffffe00"
    "400001ff c0000000 7fffffff 00000200 0badf00d fedcba98 20000000 a5a5a5a5"
)
WORDS = np.frombuffer(WORDS, ">u4").tolist()


@pytest.mark.parametrize("generation", ALL_GENERATIONS)
def test_sixteen_lanes_of_section_14_8(generation):
    kept = [1, 2, 4, 6, 8, 9, 10, 13, 15]
    assert survivors(dropout(16), WORDS, 16, generation) == kept
    assert survivors(dropout(16, kind=KEEP_RATE), WORDS, 16, generation) == [k for k in range(16) if k not in kept]
    strict = survivors(dropout(16), WORDS, 16, generation, dropout_tie="strict-both")
    assert strict == [k for k in kept if k not in (2, 8)]


NAN_OR_TIE = [
    ("rate-rule", DROP_RATE, True),
    ("rate-rule", KEEP_RATE, False),
    ("strict-both", DROP_RATE, False),
    ("strict-both", KEEP_RATE, False),
    ("keep-both", DROP_RATE, True),
    ("keep-both", KEEP_RATE, True),
]


@pytest.mark.parametrize(("rule", "kind", "kept"), NAN_OR_TIE)
@pytest.mark.parametrize("threshold", [0.25, float("nan")])
def test_dropout_with_a_nan_threshold_or_a_tie(rule, kind, kept, threshold):
    """By default a NaN threshold keeps all under DROP_RATE and zeroes all under KEEP_RATE."""
    words = [0x40000000] if threshold == 0.25 else [0, 0x40000000, 0xFFFFFFFF]
    expected = list(range(len(words))) if kept else []
    program = dropout(len(words), threshold, kind)
    assert survivors(program, words, len(words), dropout_tie=rule) == expected


def test_the_tie_question_is_named_only_for_a_tie_or_a_nan():
    def named(threshold):
        return "dropout-tie" in run(dropout(2, threshold), banks=draws(0x40000000, 1)).assumptions

    assert [named(t) for t in (0.3, 0.25, float("nan"))] == [False, True, True]


def test_probabilities_0_and_1():
    words = [0, 0xFFFFFFFF, 0x80000000]
    assert survivors(dropout(3, 0.0), words, 3) == [0, 1, 2]
    assert survivors(dropout(3, 1.0), words, 3) == []
    assert survivors(dropout(3, 0.0, KEEP_RATE), words, 3) == []
    assert survivors(dropout(3, 1.0, KEEP_RATE), words, 3) == [0, 1, 2]


def test_draw_map():
    """Under mantissa-fill the low nine bits do not count; scaled-convert rounds the largest draw up to 1.0."""
    program = dropout(3, 1e-7, KEEP_RATE)
    assert survivors(program, [0x1FF, 0x200, 0x100], 3) == [0, 2]
    around = [0x1FF, 0x1AD, 0x1AE]  # 429 and 430 beside 1e-7 * 2**32 = 429.5
    assert survivors(program, around, 3, dropout_draw_map="scaled-convert") == [1]
    assert survivors(dropout(1, 1.0, KEEP_RATE), [0xFFFFFFFF], 1) == [0]
    assert survivors(dropout(1, 1.0, KEEP_RATE), [0xFFFFFFFF], 1, dropout_draw_map="scaled-convert") == []


def test_survivors_keep_their_bits_and_nothing_is_scaled():
    data = bits(0x7F800001, 0x80000000, 1, 0xFFC12345)
    done = run(dropout(), memory=[(sbuf(0, 0x100), data)], banks=draws(*[0x80000000] * 4))
    assert done.elements(sbuf(0, 0x2000), "<u4", 4).tolist() == data.tolist()
    with pytest.raises(AlternativeNotOffered):
        run(dropout(), dropout_scale="scale-survivors")


def test_integers_drop_to_zero():
    data = np.array([-1, 2, -3, 4], "<i2")
    program = dropout(in_dtype=INT16, out_dtype=INT16)
    done = run(program, memory=[(sbuf(0, 0x100), data)], banks=draws(0, 0x80000000, 0, 0x80000000))
    assert done.elements(sbuf(0, 0x2000), "<i2", 4).tolist() == [0, 2, 0, 4]


def test_threshold_per_lane_in_bf16():
    program = dropout(1, num_active_channels=2, threshold_src=1, threshold_dtype=BF16, threshold=0x42)
    memory = [(sbuf(0, 0x100), f32(5)), (sbuf(1, 0x100), f32(6))]
    memory += [(sbuf(0, 0x42), bits(0x3F00, kind="<u2")), (sbuf(1, 0x42), bits(0x3F40, kind="<u2"))]  # 0.5, 0.75
    done = run(program, memory=memory, banks=draws(0xA0000000, lanes=2))  # 0.625
    assert [done.elements(sbuf(lane, 0x2000), "<f4", 1)[0] for lane in (0, 1)] == [5, 0]


def test_threshold_dtype_0_is_fp32_behind_a_register():
    program = dropout(1, threshold_src=2, threshold_dtype=0, threshold=9)
    memory = [(sbuf(0, 0x100), f32(5)), (sbuf(0, 0x44), f32(0.75))]
    done = run(program, memory=memory, banks=draws(0xA0000000), registers={9: 0x44})
    assert done.elements(sbuf(0, 0x2000), "<f4", 1)[0] == 0
    with pytest.raises(ExecutionError, match="not aligned to FP32"):
        run(program, memory=memory, registers={9: 0x42})


def test_a_subnormal_threshold():
    """The draw 0 is below it unless subnormals are flushed; then it is a tie."""
    program = dropout(1, 1e-40, KEEP_RATE)
    assert survivors(program, [0], 1) == [0]
    assert survivors(program, [0], 1, fp32_subnormals="flush") == []


# -- draws and the generator -----------------------------------------------------------------------------------------


def unit(words):
    return [(word >> 9) / 2**23 for word in words]


def test_the_generator_starts_from_word_0_and_leaves_its_state():
    """Section 10 W11: 12345678, 2468ACF1, 48D159E2, 91A2B3C5; the other three words and other lanes stand still."""
    assert steps(0x12345678, 3) == [0x2468ACF1, 0x48D159E2, 0x91A2B3C5]
    state = np.full((128, 4), 7, np.uint32)
    state[0, 0] = 0x12345678
    done = run(dropout(3, 0.25), memory=[(sbuf(0, 0x100), f32(1, 2, 3))], banks={"lfsr": state})
    assert done.elements(sbuf(0, 0x2000), "<f4", 3).tolist() == [0, 2, 3]  # 0.142, 0.284, 0.568
    assert done.state.banks["lfsr"][0].tolist() == [0x91A2B3C5, 7, 7, 7]
    assert (done.state.banks["lfsr"][1:] == 7).all()
    assert done.assumptions["lfsr-generator"] == "fibonacci-32-22-2-1"


def test_injected_draws_come_first_then_the_generator():
    program = dropout(5, 0.5, KEEP_RATE)
    words = [0xFFFFFFFF, 0, *steps(1, 3)]
    expected = [k for k, f in enumerate(unit(words)) if f < 0.5]
    done = run(program, memory=[(sbuf(0, 0x100), f32(1, 2, 3, 4, 5))], banks=draws(0xFFFFFFFF, 0))
    assert np.flatnonzero(done.elements(sbuf(0, 0x2000), "<f4", 5)).tolist() == expected
    assert done.state.banks["lfsr"][0, 0] == words[-1]


def test_draws_enough_ask_nothing_of_the_generator():
    done = run(dropout(2), banks=draws(1, 2))
    assert "lfsr-generator" not in done.assumptions
    assert done.state.banks["lfsr"][0, 0] == 1


def test_draws_are_used_up_across_instructions_lane_by_lane():
    """Lane 0 uses three, then both lanes two each: lane 0 gets draws 3 and 4, lane 1 its first two."""
    queue = np.zeros((128, 6), np.uint32)
    queue[0], queue[1] = [0, 0, 0, 1 << 31, 0, 9], [1 << 31, 1 << 31, 0, 0, 0, 0]
    program = dropout(3) + dropout(2, num_active_channels=2)
    memory = [(sbuf(0, 0x100), f32(1, 2)), (sbuf(1, 0x100), f32(3, 4))]
    done = run(program, memory=memory, banks={"random_draws": queue})
    assert done.elements(sbuf(0, 0x2000), "<f4", 2).tolist() == [1, 0]
    assert done.elements(sbuf(1, 0x2000), "<f4", 2).tolist() == [3, 4]
    assert done.state.banks["random_draws_used"][:3].tolist() == [5, 2, 0]


def test_a_queue_that_all_lanes_have_used_is_dropped():
    queue = np.arange(128 * 3, dtype=np.uint32).reshape(128, 3)
    done = run(dropout(2, num_active_channels=128), banks={"random_draws": queue})
    assert done.state.banks["random_draws"].tolist() == queue[:, 2:].tolist()
    assert not done.state.banks["random_draws_used"].any()
    done = run(dropout(3, num_active_channels=128), banks={"random_draws": queue})
    assert "random_draws" not in dict(done.state.banks.changed())


def test_lanes_run_dry_at_different_times():
    used = np.zeros(128, np.uint32)
    used[1] = 1
    queue = np.zeros((128, 2), np.uint32)
    program = dropout(3, 0.5, KEEP_RATE, num_active_channels=2)
    memory = [(sbuf(0, 0x100), f32(1, 2, 3)), (sbuf(1, 0x100), f32(4, 5, 6))]
    lfsr = np.full((128, 4), 0x7FFFFFFF, np.uint32)
    done = run(program, memory=memory, banks={"random_draws": queue, "random_draws_used": used, "lfsr": lfsr})
    words = steps(0x7FFFFFFF, 2)
    for lane, (given, data) in enumerate((([0, 0], (1, 2, 3)), ([0], (4, 5, 6)))):
        mine = [*given, *words][:3]
        expected = [d if f < 0.5 else 0 for d, f in zip(data, unit(mine), strict=True)]
        assert done.elements(sbuf(lane, 0x2000), "<f4", 3).tolist() == expected
    assert done.state.banks["lfsr"][:3, 0].tolist() == [words[0], words[1], 0x7FFFFFFF]


def test_injected_only_refuses_to_invent_draws():
    """The first record of the program is taken back, in memory and in the queue."""
    state = prepared("CAYMAN", [(sbuf(0, 0x100), f32(1, 2))], draws(1 << 31, 1 << 31, 1 << 31))
    machine = Machine(state.generation, Choices("notes", {"lfsr-generator": "injected-only"}))
    with pytest.raises(NotModelled, match="lfsr-generator") as caught:
        machine.run(dropout(2) + dropout(2), state)
    assert caught.value.instruction == 1
    assert Done(state, {}).elements(sbuf(0, 0x2000), "<u4", 2).tolist() == [0, 0]
    assert not state.banks["random_draws_used"].any()
    machine.run(dropout(2), state)
    assert Done(state, {}).elements(sbuf(0, 0x2000), "<f4", 2).tolist() == [1, 2]


BYTES = {"in_dtype": UINT8, "out_dtype": UINT8}


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"threshold_dtype": 0}, None),
        ({"threshold_dtype": BF16}, "DO-V13"),
        ({"threshold_dtype": BF16, "threshold_src": 1, "threshold": 0x42}, None),
        ({"threshold_dtype": EXP4, "threshold_src": 1, "threshold": 0x43}, None),
        ({"threshold_dtype": BF16, "threshold_src": 1, "threshold": 0x41}, "DO-V12"),
        ({"threshold_dtype": 0, "threshold_src": 1, "threshold": 0x42}, "DO-V12"),  # aligned as FP32
        ({"threshold_dtype": 0, "threshold_src": 1, "threshold": 0x44}, None),
        ({"threshold_dtype": FP16, "threshold_src": 2, "threshold": 5}, None),
        ({"threshold_dtype": FP16, "threshold_src": 2, "threshold": 64}, "DO-V12"),
        ({"threshold_src": 3}, "DO-V12"),
        ({"threshold_dtype": FP32R, "threshold_src": 1, "threshold": 0x44}, "DO-V13"),
        ({"threshold_dtype": INT16, "threshold_src": 1, "threshold": 0x44}, "DO-V13"),
        ({"threshold_dtype": BF16, "threshold_src": 1, "threshold": 0x44, **BYTES}, "DO-V13"),
        ({"threshold_dtype": FP32, "threshold_src": 1, "threshold": 0x44, **BYTES}, None),
        ({"threshold_type": 2}, "DO-V11"),
        ({"out_dtype": BF16}, "DO-V7"),
        ({"in_dtype": FP32R, "out_dtype": FP32R}, "DO-V5"),
        ({"dst_mem_pattern": pattern(0x2000, 5)}, "DO-V8"),
        ({"num_active_channels": 129}, "DO-V9"),
        ({"dst_mem_pattern": pattern(0x02000000, 4)}, None),
        ({"dst_mem_pattern": pattern(0x02000000, 4), "in_dtype": BF16, "out_dtype": BF16}, "DO-V10d"),
    ],
)  # fmt: skip
def test_first_broken_rule(change, rule):
    failure = first_failure(dropout(**change))
    assert (failure and failure[0]) == rule
