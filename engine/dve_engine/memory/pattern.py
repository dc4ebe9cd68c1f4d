"""Walks: the order in which a direct pattern visits its elements.

Source: isa/01 section 10 [H]. Index 0 is the innermost dimension; steps and counts are in elements of the operand's
dtype.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Walk:
    """A direct pattern without its start: `steps` and `counts` in elements, innermost first, every count at least 1."""

    steps: tuple[int, ...]
    counts: tuple[int, ...]

    @cached_property
    def elements(self) -> int:
        """How many elements the walk visits, repeats included."""
        return prod(self.counts)

    @cached_property
    def extent(self) -> tuple[int, int]:
        """Lowest and highest element offset, relative to the start."""
        reach = [(count - 1) * step for step, count in zip(self.steps, self.counts, strict=True)]
        return sum(min(0, r) for r in reach), sum(max(0, r) for r in reach)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Counts, outermost first: the shape of the elements in C order."""
        return self.counts[::-1]

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Element offsets in walk order, (elements,)."""
        offsets = np.zeros(1, np.int64)
        for step, count in zip(self.steps, self.counts, strict=True):
            offsets = (np.arange(count, dtype=np.int64)[:, None] * step + offsets[None, :]).ravel()
        return offsets

    @property
    def distinct(self) -> npt.NDArray[np.int64]:
        """The element offsets the walk visits, each once, ascending; costs its extent, however often it repeats."""
        low, high = self.extent
        visited = np.zeros(high - low + 1, bool)
        visited[-low] = True
        for step, count in zip(self.steps, self.counts, strict=True):
            _repeat(visited, step, count)
        return np.flatnonzero(visited) + low

    @cached_property
    def visits_once(self) -> bool:
        """Whether no element is visited twice.

        Dimensions whose step is larger than everything inside them cannot collide; only other walks are counted out.
        """
        reach = 0
        for step, count in sorted((abs(s), c) for s, c in zip(self.steps, self.counts, strict=True) if c > 1):
            if step == 0:
                return False
            if step <= reach:
                return np.unique(self.offsets).size == self.elements
            reach += step * (count - 1)
        return True

    @cached_property
    def dense(self) -> bool:
        """Whether the walk visits every element between its lowest and highest."""
        covered = 1
        for step, count in sorted((abs(s), c) for s, c in zip(self.steps, self.counts, strict=True) if c > 1):
            if step > covered:
                return False
            covered += step * (count - 1)
        return True

    def first_outside(self, low: int, high: int) -> int:
        """The walk number of the first element below `low` or above `high`."""
        return int(np.argmax((self.offsets < low) | (self.offsets > high)))


def _repeat(visited: npt.NDArray[np.bool_], step: int, count: int) -> None:
    """Visit everything again `count - 1` times, `step` further each time; the repeats made so far double."""
    made = 1 if step else count
    while made < count:
        more = min(made, count - made)
        shift = step * more
        if shift > 0:
            visited[shift:] |= visited[:-shift]
        else:
            visited[:shift] |= visited[-shift:]
        made += more


def walk(steps: Sequence[int], counts: Sequence[int]) -> Walk:
    """Build a walk from the step and count arrays of a record."""
    return Walk(tuple(int(s) for s in steps), tuple(int(c) for c in counts))
