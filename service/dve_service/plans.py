"""Programs this process has planned lately: decoded, judged and bound. A plan never changes, so it is always right."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

from blake3 import blake3

from dve_engine import Machine, Plan

from .blocks import Place, Tiles, places_at, tiles_under
from .metrics import PLANS
from .orders import Run

_OF_A_RECORD = 5_000  # bytes of memory that a planned record takes at most, its operands and verdict included
_OF_A_PLAN = 4_096  # and what a plan takes beside them
_VARIANTS = 8  # plans of one program, for different address registers


@dataclass(frozen=True)
class Planned:
    """A plan, and the blocks that its run can depend on."""

    plan: Plan

    @property
    def places(self) -> set[Place]:
        """Of everything it reads and writes."""
        return places_at(self._tiles)

    @cached_property
    def _tiles(self) -> Tiles:
        return tiles_under(self.plan.reads + self.plan.writes, self.plan.generation)

    @property
    def size_bytes(self) -> int:
        """About how much memory it takes."""
        return _OF_A_PLAN + _OF_A_RECORD * len(self.plan.verdicts)


class Plans:
    """Plans by program and choices, those used least recently first to go. Threads may share it."""

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity, self._held = capacity_bytes, 0
        self._plans: OrderedDict[Hashable, list[Planned]] = OrderedDict()
        self._lock = Lock()

    def of(self, machine: Machine, order: Run, registers: Mapping[int, int]) -> Planned:
        """The plan of an order under these address registers.

        Raises what Machine.plan raises; only plans that succeed are kept.
        """
        key = _key(machine, order)
        with self._lock:
            known = self._plans.get(key, [])
            found = next((one for one in known if one.plan.holds_for(registers)), None)
            if found is not None:
                self._plans.move_to_end(key)
        PLANS.labels("miss" if found is None else "hit").inc()
        if found is not None:
            return found
        everything = order.verdicts == "all"
        planned = Planned(machine.plan(order.program.code, registers, on_invalid=order.on_invalid, legal_on=everything))
        if planned.size_bytes <= self._capacity:
            self._keep(key, planned)
        return planned

    def _keep(self, key: Hashable, planned: Planned) -> None:
        with self._lock:
            variants = self._plans.setdefault(key, [])
            self._plans.move_to_end(key)
            variants.append(planned)
            self._held += planned.size_bytes
            if len(variants) > _VARIANTS:
                self._held -= variants.pop(0).size_bytes
            while self._held > self._capacity:
                _, gone = self._plans.popitem(last=False)
                self._held -= sum(one.size_bytes for one in gone)


def _key(machine: Machine, order: Run) -> Hashable:
    choices = order.program.choices
    chosen = (choices.profile, *sorted(choices.overrides.items()))
    which = (order.on_invalid, order.verdicts == "all", machine.max_elements)
    return (blake3(order.program.code).digest(), machine.generation.name, chosen, which)
