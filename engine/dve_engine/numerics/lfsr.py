"""The linear-feedback shift register behind DROPOUT when no draws are given.

One step: the new low bit is s31 ^ s21 ^ s1 ^ s0 of the old word, which moves up by one; the new word is the draw.
Source: isa/06 section 7.1, `lfsr-generator` [L: taps from a functional reference of an older opcode].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .arrays import U32

_WORD = 32
_LAGS = (1, 2, 22, 32)  # bit t of the stream is the sum of the bits this far back


def lfsr_draws(state: U32, count: int) -> U32:
    """The next `count` words of each register.

    state: uint32 (lanes,). Returns uint32 (lanes, count); the last column is the new state.
    """
    bits = np.empty((len(state), _WORD + count), np.uint8)
    bits[:, :_WORD] = state[:, None] >> np.arange(_WORD - 1, -1, -1, dtype=np.uint32) & 1
    _extend(bits)
    words: U32 = bits.astype(np.uint32)
    for width in (1, 2, 4, 8, 16):  # words[t]: the bits t - width + 1 .. t, newest lowest
        words[:, width:] |= words[:, :-width] << np.uint32(width)
    return words[:, _WORD:]


def _extend(bits: npt.NDArray[np.uint8]) -> None:
    """Fill in the stream after its first 32 bits, in place.

    Squaring the feedback polynomial over GF(2) doubles its lags, so the lags times `stride`, a power of two, hold too,
    and from 32 * stride known bits the next `stride` follow at once.
    """
    known, stride = _WORD, 1
    while known < bits.shape[1]:
        while known >= 2 * stride * _WORD:
            stride *= 2
        stop = min(known + stride, bits.shape[1])
        target = bits[:, known:stop]
        target[...] = 0
        for lag in _LAGS:
            target ^= bits[:, known - lag * stride : stop - lag * stride]
        known = stop
