"""The shift register against its definition, one step at a time."""

import numpy as np
import pytest

from dve_engine.numerics.lfsr import lfsr_draws


def steps(state, count):
    words = []
    for _ in range(count):
        bit = (state >> 31 ^ state >> 21 ^ state >> 1 ^ state) & 1
        state = (state << 1 | bit) & 0xFFFFFFFF
        words.append(state)
    return words


def test_published_sequence():
    assert lfsr_draws(np.array([0x12345678], np.uint32), 3).tolist() == [[0x2468ACF1, 0x48D159E2, 0x91A2B3C5]]


@pytest.mark.parametrize("count", [1, 2, 31, 32, 33, 63, 64, 65, 1000, 5000])
def test_same_words_as_single_steps(count):
    states = [0, 1, 0xFFFFFFFF, 0x80000000, 0x12345678]
    got = lfsr_draws(np.array(states, np.uint32), count)
    assert got.dtype == np.uint32
    assert got.tolist() == [steps(state, count) for state in states]


def test_no_draws():
    assert lfsr_draws(np.array([5, 6], np.uint32), 0).shape == (2, 0)
