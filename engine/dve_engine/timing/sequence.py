"""In-order issue of several instructions on one Vector Engine.

Source: isa/08 sections 7.3, 7.4 and 11. Other engines appear only as the time at which they finished what an
instruction waits for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..isa.generation import Generation
from .model import Cost, cost
from .parameters import PARAMETERS
from .work import Work


@dataclass(frozen=True)
class Step:
    """One instruction of a sequence.

    depends_on: positions of earlier steps whose output in SBUF or PSUM it reads; write-after-read and write-after-write
    need no entry, nor does the accumulator. waits: whether `wait_mode` is not NONE. after_ns: completion on another
    engine that it waits for, if any.
    """

    work: Work
    depends_on: tuple[int, ...] = ()
    waits: bool = False
    after_ns: float | None = None


@dataclass(frozen=True)
class Slot:
    """When one instruction ran. Cycles are exact unless a wait or a control record, given in ns, came before."""

    start_cycles: float
    next_cycles: float  # first start of an independent successor
    visible_cycles: float  # results visible, completion semaphore fires
    start_ns: float
    duration_ns: float
    evt_wait_time_ns: float
    cost: Cost


@dataclass(frozen=True)
class Timeline:
    """A sequence with the profiler's aggregates."""

    slots: tuple[Slot, ...]

    @property
    def issue_cycles(self) -> float:
        """Start of the first instruction to the first start of an independent successor of the last."""
        return self.slots[-1].next_cycles if self.slots else 0.0

    @property
    def total_cycles(self) -> float:
        """Until the results of every instruction are visible."""
        return max((slot.visible_cycles for slot in self.slots), default=0.0)

    @property
    def instruction_ns(self) -> float:
        """Sum of the durations; durations overlap."""
        return sum(slot.duration_ns for slot in self.slots)

    @property
    def active_ns(self) -> float:
        """Union of [start, start + duration); waits lie before the start."""
        active, end = 0.0, 0.0
        for slot in self.slots:  # starts never decrease
            finish = slot.start_ns + slot.duration_ns
            active += max(0.0, finish - max(end, slot.start_ns))
            end = max(end, finish)
        return active


def timeline(steps: Iterable[Step], generation: Generation, performance_mode: bool = True) -> Timeline:
    """Schedule instructions in order from cycle 0.

    A start is the latest of the previous issue slot's end, the completion of what the step depends on, and its wait.
    Raises BadOpcode; ValueError if a step depends on itself or a later one.
    Source: isa/08 sections 7.3 (b: engine-enforced dependence, the open candidate) and 7.4.
    """
    row = PARAMETERS[generation]
    ghz = row.clock_ghz
    slots: list[Slot] = []
    free = 0.0
    for position, step in enumerate(steps):
        if not all(0 <= d < position for d in step.depends_on):
            raise ValueError(f"step {position} depends on {step.depends_on}; only earlier steps are possible")
        one = cost(step.work, generation, performance_mode)
        ready = max([free, *(slots[d].visible_cycles for d in step.depends_on)])
        start = ready
        if step.after_ns is not None:
            start = max(start, (step.after_ns + row.hand_off_ns) * ghz)
        if step.waits:
            start += row.satisfied_wait_ns * ghz
        free = start + (one.issue_cycles or one.issue_ns * ghz)
        visible = start + (one.latency_cycles or one.latency_ns * ghz)
        slots.append(Slot(start, free, visible, start / ghz, one.latency_ns, (start - ready) / ghz, one))
    return Timeline(tuple(slots))
