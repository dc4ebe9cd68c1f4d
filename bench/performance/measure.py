"""Measuring: work and baseline in turns, so that whatever slows the machine slows both; medians; ratios."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

Action = Callable[[], object]
_LEAST_SECONDS = 0.5  # of one comparison


@dataclass(frozen=True)
class Target:
    """What a ratio should be: at most `value`, or at least."""

    value: float
    at_least: bool = False

    def met(self, ratio: float) -> bool:
        return ratio >= self.value if self.at_least else ratio <= self.value

    def __str__(self) -> str:
        return f"{'>=' if self.at_least else '<='} {self.value:g}"


@dataclass(frozen=True)
class Row:
    """One line of the table. measure: gives the ratio and both medians in seconds."""

    name: str
    target: Target | None
    measure: Callable[[], Measured]


@dataclass(frozen=True)
class Measured:
    """work, baseline: medians in seconds, per unit of the row. ratio: what the target speaks of."""

    ratio: float
    work: float
    baseline: float
    notes: dict[str, float] = field(default_factory=dict)


def alternately(work: Action, baseline: Action, rounds: int = 41, warm_up: int = 3) -> tuple[float, float]:
    """Medians in seconds of both, over `rounds` or, where they are short, as many as fill _LEAST_SECONDS."""
    taken: tuple[list[float], list[float]] = ([], [])
    number, end = 0, time.perf_counter() + _LEAST_SECONDS
    while number < warm_up + rounds or time.perf_counter() < end:
        for action, times in zip((work, baseline), taken, strict=True):
            begun = time.perf_counter()
            action()
            if number >= warm_up:
                times.append(time.perf_counter() - begun)
        number += 1
    return statistics.median(taken[0]), statistics.median(taken[1])


def slower(work: Action, baseline: Action, *, scale: float = 1, rounds: int = 41) -> Measured:
    """How many times longer the work takes than `scale` baselines."""
    ours, theirs = alternately(work, baseline, rounds)
    return Measured(ours / (theirs * scale), ours, theirs)


def faster(work: Action, baseline: Action, *, rounds: int = 41) -> Measured:
    """How many times longer the baseline takes."""
    ours, theirs = alternately(work, baseline, rounds)
    return Measured(theirs / ours, ours, theirs)
