"""Random words for the instructions that draw one per element: a caller's draws first, then the lane's generator.

Each lane has a queue of its own (`random_draws`, `random_draws_used`); inactive lanes do not advance. Which of a lane's
four LFSR words an instruction advances is not known: word 0. Source: isa/04 section 10.3, isa/06 section 7.1 [L].
"""

from __future__ import annotations

import numpy as np

from ..numerics.lfsr import lfsr_draws
from .errors import NotModelled
from .operation import Operation, Words

_WORD = 0


def draw(op: Operation, count: int) -> Words:
    """The next `count` words of every active lane, uint32 (lanes, count); advances their queues and generators.

    Raises NotModelled where the queue of a lane is too short and `lfsr-generator` is injected-only.
    """
    queue, used = op.state.banks["random_draws"], op.state.banks["random_draws_used"]
    length, active = queue.shape[1], slice(0, op.lanes)
    taken = np.minimum(used[active], length).astype(np.int64)[:, None]  # (lanes, 1)
    left = np.minimum(length - taken, count)
    step = np.arange(count)
    words = np.zeros((op.lanes, count), np.uint32)
    if left.any():
        words = np.take_along_axis(queue[active], np.minimum(taken + step, length - 1), axis=1).astype(np.uint32)
        _advance(op, used[active] + left[:, 0].astype(np.uint32))
    needed = count - left
    if needed.any():
        _fill(op, words, step - left, needed)
    return words


def _advance(op: Operation, used: Words) -> None:
    """Note how far the active lanes have come in their queues; draws that all lanes have used are dropped."""
    banks = op.state.banks
    banks["random_draws_used"][: op.lanes] = used
    passed = int(banks["random_draws_used"].min())
    if passed:
        banks.replace("random_draws", banks["random_draws"][:, passed:].copy())
        banks["random_draws_used"][:] -= np.uint32(passed)


def _fill(op: Operation, words: Words, position: np.ndarray, needed: np.ndarray) -> None:
    """Take what the queues could not give from the generators.

    position: of each draw among its lane's generated ones, negative for one from the queue. needed: (lanes, 1).
    """
    if op.choices["lfsr-generator"] == "injected-only":
        raise NotModelled("the draws given are used up and the device's generator is not known (lfsr-generator)")
    state = op.state.banks["lfsr"][: op.lanes, _WORD]
    generated = lfsr_draws(state.astype(np.uint32), int(needed.max()))
    drawn = position >= 0
    words[drawn] = np.take_along_axis(generated, np.maximum(position, 0), axis=1)[drawn]
    last = np.take_along_axis(generated, np.maximum(needed - 1, 0), axis=1)[:, 0]
    state[:] = np.where(needed[:, 0] > 0, last, state)
