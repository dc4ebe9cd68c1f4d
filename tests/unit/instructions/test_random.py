"""RNG, RAND2 and the generator states. Known answers from isa/06 sections 7.1 to 7.3 and its vectors."""

import numpy as np
import pytest

from dve_engine import AlternativeNotOffered, Choices, ExecutionError, NotModelled
from dve_engine.numerics.lfsr import lfsr_draws
from dve_engine.numerics.xorwow import unit_interval, xorwow_draws, xorwow_step
from tests.unit.instructions.support import (
    BF16,
    COMPONENTS,
    FP32,
    INT32,
    UINT8,
    UINT16,
    UINT32,
    at,
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

XORWOW = COMPONENTS["06-W11-xorwow"]
RAW = [int(word, 16) for word in XORWOW["raw"]]


# -- the generators ----------------------------------------------------------------------------------------------------


def test_lfsr_component():
    sequence = [int(word, 16) for word in COMPONENTS["06-W11-lfsr"]["sequence"]]
    assert lfsr_draws(np.array(sequence[:1], np.uint32), 3)[0].tolist() == sequence[1:]


def test_xorwow_component():
    state = np.array([XORWOW["state_in"]], np.uint32)
    raw = np.array([int(xorwow_step(state)[0]) for _ in RAW], np.uint32)
    assert raw.tolist() == RAW
    np.testing.assert_allclose(-1 + 2 * unit_interval(raw), XORWOW["values"], rtol=1e-6)


def test_each_generator_advances_by_the_draws_it_gave():
    """Six draws from four generators: two steps of the first two, one of the others."""
    state = np.ones((1, 4, 6), np.uint32)
    assert xorwow_draws(state, 6)[0].tolist() == [RAW[0]] * 4 + [RAW[1]] * 2
    assert state[0, :, 5].tolist() == [1 + 2 * 362437, 1 + 2 * 362437, 1 + 362437, 1 + 362437]


# -- RAND2 -------------------------------------------------------------------------------------------------------------


def rand2(count=8, dtype=FP32, low=-1.0, high=1.0, lanes=1, **fields):
    base = {
        "rand_algorithm": 3,
        "post_process": 1,
        "dtype": dtype,
        "num_active_channels": lanes,
        "min": low,
        "max": high,
        "dst_mem_pattern": pattern(0x100, count, dims=3),
    }
    return record(0xE2, **(base | fields))


def test_element_i_takes_generator_i_mod_4():
    """All generators start alike, so each draw of the sequence appears four times in a row."""
    state = fresh("MARIANA")
    result = run(rand2(24), state)
    want = np.repeat(f32(*XORWOW["values"]), 4)
    np.testing.assert_allclose(get(state, 0, 0x100, 24), want, rtol=1e-6)
    assert result.assumptions["rand2-lane-map"] == "i-mod-4"


def test_generators_go_on_where_they_stopped_and_inactive_channels_rest():
    state = fresh("MARIANA")
    run(rand2(4) + rand2(4, dst_mem_pattern=pattern(0x200, 4, dims=3)), state)
    whole = fresh("MARIANA")
    run(rand2(8), whole)
    assert bits(np.r_[get(state, 0, 0x100, 4), get(state, 0, 0x200, 4)]) == bits(get(whole, 0, 0x100, 8))
    assert (state.banks["xorwow"][1:] == 1).all()


def test_bounds_per_lane_through_pointers():
    state = fresh("MARIANA")
    put(state, 0, 0x400, f32(0, 16), f32(5, 5))
    run(rand2(4, lanes=2, min_src=1, min=0x400, max_src=1, max=0x404), state)
    low = np.float32(XORWOW["values"][0] / 2 + 0.5) * 16
    np.testing.assert_allclose(get(state, 0, 0x100, 4), [low] * 4, rtol=1e-5)
    assert get(state, 1, 0x100, 4).tolist() == [5] * 4


def test_formula_applies_to_reversed_and_nan_bounds():
    state = fresh("MARIANA")
    run(rand2(4, low=1.0, high=-1.0), state)
    np.testing.assert_allclose(get(state, 0, 0x100, 4), [-XORWOW["values"][0]] * 4, rtol=1e-6)
    run(rand2(4, low=float("nan")), state)
    assert np.isnan(get(state, 0, 0x100, 4)).all()


def test_integers_are_rounded_and_saturated():
    state = fresh("MARIANA")
    run(rand2(4, dtype=UINT8, low=-300.0, high=-299.0), state)
    assert get(state, 0, 0x100, 4, "u1").tolist() == [0] * 4


def test_rand2_dtypes():
    assert failures(rand2(dtype=INT32), "MARIANA") == []
    assert failures(rand2(dtype=INT32), "MARIANA", rand2_dtypes="floats-only") == ["R2-V4"]
    assert failures(rand2(dtype=BF16), "MARIANA", rand2_dtypes="floats-only") == []
    assert failures(rand2(dtype=0x0C), "MARIANA")[0] == "R2-V4"


def test_rand2_rules():
    assert failures(rand2(), "MARIANA") == failures(rand2(), "MAVERICK") == []
    assert failures(rand2(min_src=3), "MARIANA") == ["R2-V6"]
    assert failures(rand2(max_src=2, max=64), "MARIANA") == ["R2-V6"]
    assert failures(rand2(min_src=1, min=0x402), "MARIANA") == ["R2-V6"]
    assert failures(rand2(reserved2=1), "MARIANA") == ["R2-V1"]
    assert failures(rand2(), "SUNDA") == ["H1"]


def test_column_mode_is_not_offered():
    with pytest.raises(AlternativeNotOffered):
        Choices("notes", {"rand2-lane-map": "column-mode"})


# -- RNG ---------------------------------------------------------------------------------------------------------------


def rng(count=3, dtype=UINT32, lanes=2, **fields):
    base = {"dtype": dtype, "num_active_channels": lanes, "dst_mem_pattern": pattern(0x100, count, dims=4)}
    return record(0x4D, **(base | fields))


def test_rng_steps_the_first_lfsr_word():
    state = fresh()
    state.banks["lfsr"][0, 0] = 0x12345678
    run(rng(), state)
    assert get(state, 0, 0x100, 3, "<u4").tolist() == [0x2468ACF1, 0x48D159E2, 0x91A2B3C5]
    assert state.banks["lfsr"][0].tolist() == [0x91A2B3C5, 1, 1, 1]
    assert state.banks["lfsr"][2, 0] == 1


@pytest.mark.parametrize(
    ("dtype", "kind", "want"),
    [(UINT16, "<u2", [0xACF1, 0x59E2, 0xB3C5]), (UINT8, "u1", [0xF1, 0xE2, 0xC5])],
)
def test_rng_keeps_the_low_bits(dtype, kind, want):
    state = fresh()
    state.banks["lfsr"][0, 0] = 0x12345678
    run(rng(dtype=dtype), state)
    assert get(state, 0, 0x100, 3, kind).tolist() == want


def test_rng_takes_given_draws_first():
    state = fresh()
    state.banks["lfsr"][:2, 0] = 0x12345678
    draws = np.zeros((128, 2), "<u4")
    draws[0], draws[1] = (7, 8), (9, 10)
    state.banks.load("random_draws", draws.tobytes())
    result = run(rng(), state)
    assert get(state, 0, 0x100, 3, "<u4").tolist() == [7, 8, 0x2468ACF1]
    assert get(state, 1, 0x100, 3, "<u4").tolist() == [9, 10, 0x2468ACF1]
    assert "lfsr-generator" in result.assumptions


def test_rng_without_a_generator_refuses_and_changes_nothing():
    state = fresh()
    program = rng(dst_mem_pattern=pattern(0x200, 1, dims=4)) + rng()
    state.banks.load("random_draws", np.full((128, 2), 5, "<u4").tobytes())
    with pytest.raises(NotModelled):
        run(program, state, lfsr_generator="injected-only")
    assert get(state, 0, 0x200, 1, "<u4").tolist() == [0]
    assert state.banks["random_draws"].shape == (128, 2)
    run(rng(2), state, lfsr_generator="injected-only")
    assert get(state, 0, 0x100, 2, "<u4").tolist() == [5, 5]


def test_rng_rules():
    assert failures(rng()) == []
    assert failures(rng(dtype=FP32)) == ["RNG-V4a"]
    assert failures(rng(set_value=1)) == ["RNG-V5"]
    assert failures(rng(reserved3=[0, 0, 1])) == ["RNG-V1"]
    assert failures(rng(lanes=129))[0] == "RNG-V2"


# -- states ------------------------------------------------------------------------------------------------------------

COMBINATIONS = {(1, 3): ("xorwow", 24), (0, 0): ("lfsr", 4), (3, 0): ("output_lfsr", 4)}


def get_state(generator=1, algorithm=3, words=24, lanes=2, **fields):
    base = {
        "rand_algorithm": algorithm,
        "rand_generator": generator,
        "dtype": UINT32,
        "num_active_channels": lanes,
        "dst_mem_pattern": pattern(0x100, words, dims=4),
    }
    return record(0x77, **(base | fields))


def set_state(generator=1, algorithm=3, words=24, lanes=2, **fields):
    base = {
        "rand_algorithm": algorithm,
        "rand_generator": generator,
        "in_dtype": UINT32,
        "num_active_channels": lanes,
        "src_mem_pattern": pattern(0x100, words, dims=1),
    }
    return record(0x78, **(base | fields))


def test_combinations():
    for generator in range(5):
        for algorithm in range(5):
            for words in (4, 6, 7, 24):
                legal = COMBINATIONS.get((generator, algorithm), (None, None))[1] == words
                want = [] if legal else ["RGS-V6"]
                assert failures(get_state(generator, algorithm, words), "MARIANA") == want
                want = [] if legal else ["RSS-V6"]
                assert failures(set_state(generator, algorithm, words), "MAVERICK") == want


@pytest.mark.parametrize("generation", ["SUNDA", "CAYMAN"])
def test_not_on_the_early_engines(generation):
    assert failures(get_state(), generation) == failures(set_state(), generation) == ["X1"]


@pytest.mark.parametrize(
    ("order", "place"), [("word-major", lambda g, w: 4 * w + g), ("lane-major", lambda g, w: 6 * g + w)]
)
def test_order_of_the_24_words(order, place):
    state = fresh("MARIANA")
    words = np.arange(24, dtype="<u4") + 100
    put(state, 0, 0x100, words, words + 50)
    run(set_state(), state, xorwow_word_order=order)
    for lane in range(2):
        for generator in range(4):
            want = [100 + 50 * lane + place(generator, w) for w in range(6)]
            assert state.banks["xorwow"][lane, generator].tolist() == want
    put(state, 0, 0x100, bytes(96), bytes(96))
    run(get_state(), state, xorwow_word_order=order)
    assert get(state, 1, 0x100, 24, "<u4").tolist() == (words + 50).tolist()


@pytest.mark.parametrize(("generator", "bank"), [(0, "lfsr"), (3, "output_lfsr")])
def test_lfsr_states_come_and_go(generator, bank):
    state = fresh("MARIANA")
    put(state, 0, 0x100, np.array([1, 2, 3, 4], "<u4"))
    run(set_state(generator, 0, 4, lanes=1), state)
    assert state.banks[bank][:2].tolist() == [[1, 2, 3, 4], [1, 1, 1, 1]]
    run(get_state(generator, 0, 4, lanes=2), state)
    assert get(state, 1, 0x100, 4, "<u4").tolist() == [1] * 4


def test_zero_guard():
    """Words 0 to 4 of a generator all zero: word 4 becomes 1; the counter is left as it is."""
    state = fresh("MARIANA")
    words = np.zeros((4, 6), "<u4")
    words[1, 2], words[2, 5] = 9, 77
    put(state, 0, 0x100, words.T.ravel())
    run(set_state(lanes=1), state)
    assert state.banks["xorwow"][0].tolist() == [
        [0, 0, 0, 0, 1, 0], [0, 0, 9, 0, 0, 0], [0, 0, 0, 0, 1, 77], [0, 0, 0, 0, 1, 0],
    ]  # fmt: skip


def test_save_draw_restore_draw():
    state = fresh("MARIANA")
    state.banks["xorwow"][...] = np.arange(128 * 24, dtype=np.uint32).reshape(128, 4, 6) + 5
    save, restore = get_state(lanes=128), set_state(lanes=128)
    first = rand2(7, lanes=128, dst_mem_pattern=pattern(0x1000, 7, dims=3))
    again = rand2(7, lanes=128, dst_mem_pattern=pattern(0x2000, 7, dims=3))
    run(save + first + restore + again, state)
    assert bits(get(state, 90, 0x1000, 7)) == bits(get(state, 90, 0x2000, 7))


def test_state_rules():
    assert failures(set_state(src_mem_pattern=pattern(0x200_0000, 24, dims=1)), "MARIANA") == ["RSS-V3"]
    assert failures(get_state(dst_mem_pattern=pattern(0x200_0000, 24, dims=4)), "MARIANA") == []
    assert failures(get_state(dtype=INT32), "MARIANA") == ["RGS-V2"]
    assert failures(get_state(lanes=0), "MARIANA") == ["RGS-V4"]
    assert failures(set_state(in_dtype=INT32), "MARIANA") == ["RSS-V2"]
    philox = set_state(2, 2, 7, update_state=1, imm_state=[1, 0, 0, 0, 0, 0, 0, 0])
    assert failures(philox, "MARIANA") == ["RSS-V6"]  # the other engine's state
    assert failures(set_state(update_state=2), "MARIANA") == ["RSS-V5", "RSS-V6"]


def test_no_start_rule_but_bounds():
    """The state moves have no start-partition rule; 0x78 has no channel rule either."""
    state = fresh("MARIANA")
    run(set_state(0, 0, 4, lanes=1, src_mem_pattern=pattern(at(5), 4, dims=1)), state)
    run(set_state(0, 0, 4, lanes=0), state)
    with pytest.raises(ExecutionError):
        run(set_state(0, 0, 4, lanes=129), state)
