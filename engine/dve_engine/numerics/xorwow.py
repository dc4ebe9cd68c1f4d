"""The XORWOW generator of RAND2: five words of shift register and one counter.

Source: isa/06 section 7.2 [functional reference].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .arrays import F32, U32, floats

_COUNTER_STEP = np.uint32(362437)
_ONE_BITS = np.uint32(0x3F80_0000)
_MANTISSA = np.uint32(0x007F_FFFF)


def xorwow_step(state: U32) -> U32:
    """Advance generators in place, uint32 (..., 6), and return their draws, uint32 (...)."""
    s0, s4 = state[..., 0], state[..., 4]
    t = s0 ^ (s0 >> np.uint32(2))
    new = (s4 ^ (s4 << np.uint32(4))) ^ (t ^ (t << np.uint32(1)))
    state[..., 0:4] = state[..., 1:5].copy()
    state[..., 4] = new
    state[..., 5] += _COUNTER_STEP
    draws: U32 = state[..., 5] + new
    return draws


def xorwow_draws(state: U32, count: int) -> U32:
    """Draw `count` words per channel, element i from generator i modulo the number of generators.

    state: uint32 (channels, generators, 6), advanced in place by as many draws as each generator gave.
    Returns uint32 (channels, count).
    """
    channels, generators = state.shape[:2]
    words = np.empty((channels, count), np.uint32)
    for first in range(0, count, generators):
        used = min(generators, count - first)
        words[:, first : first + used] = xorwow_step(state[:, :used])
    return words


def repaired(state: U32) -> npt.NDArray[np.uint32]:
    """A copy in which a shift register of five zero words, which would stay zero, has 1 in its last word."""
    good = state.copy()
    good[..., 4][(state[..., :5] == 0).all(axis=-1)] = 1
    return good


def unit_interval(words: U32) -> F32:
    """The low 23 bits as an fp32 number in [0, 1)."""
    unit: F32 = floats((words & _MANTISSA) | _ONE_BITS) - np.float32(1)
    return unit
