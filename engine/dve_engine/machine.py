"""Machine: run a program on a machine state.

A run is a plan (plan.py) and its execution. The plan binds every record before the first is executed, so that whatever
can be wrong is found while nothing has been written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cache
from operator import is_
from typing import Any

import numpy as np

from .instructions.catalog import INSTRUCTIONS
from .instructions.errors import EngineError, ExecutionError, NotModelled
from .instructions.fused import FusedChain
from .instructions.lane_blocks import LaneBlock
from .instructions.operation import Operation
from .isa.assumptions import Choices, in_registry_order
from .isa.generation import Generation
from .isa.opcodes import CATALOG
from .memory.footprint import Band, union
from .memory.journal import Journal
from .memory.region import Region
from .numerics import AccumulatorUnseeded, NotDefined
from .plan import OnInvalid, Plan, Step, plan
from .state import MachineState
from .trace import TraceLevel, event
from .validator import Program
from .verdicts import Verdicts

DEFAULT_MAX_ELEMENTS = 1 << 26  # element visits of one operand; a walk may legally repeat one element 65,535^3 times


@dataclass(frozen=True)
class RunResult:
    """What a run did.

    executed: records carried out, control records included. written: maximal rectangles of bytes the program's
    destinations cover.
    assumptions: id -> value of every open question the answer depended on. estimated_cycles: isa/08, never part of the
    result.
    """

    executed: int
    verdicts: Verdicts
    written: tuple[Region, ...]
    assumptions: dict[str, str]
    estimated_cycles: int
    diagnostics: list[dict[str, Any]] = field(default_factory=list)
    trace: list[dict[str, Any]] = field(default_factory=list)


class Machine:
    """Runs programs of one generation under one set of choices. Holds no state of its own."""

    def __init__(
        self,
        generation: Generation,
        choices: Choices,
        *,
        max_elements: int = DEFAULT_MAX_ELEMENTS,
        threads: int = 1,
    ) -> None:
        """threads: how many share the lane blocks of a large tile; the results are the same bits."""
        self.generation, self.choices, self.max_elements, self.threads = generation, choices, max_elements, threads

    def run(
        self,
        program: bytes | Program,
        state: MachineState,
        *,
        on_invalid: OnInvalid = "reject",
        trace: TraceLevel = "none",
        legal_on: bool = False,
        check: Callable[[], None] | None = None,
        atomic: bool = True,
    ) -> RunResult:
        """Carry out a program on `state`, which changes only if the whole run succeeds.

        legal_on: let the verdicts of legal records, too, name the generations they are legal on.
        check: called before each record; whatever it raises ends the run with the state as it was.
        atomic: False for a caller that throws the state away when the run fails: nothing is copied to put it back.
        Raises InvalidInstructions, ExecutionError, NotModelled, LimitExceeded, ProgramLengthError.
        """
        ready = self.plan(program, state.registers, on_invalid=on_invalid, legal_on=legal_on)
        return self.execute(ready, state, trace=trace, check=check, atomic=atomic)

    def plan(
        self,
        program: bytes | Program,
        registers: Mapping[int, int],
        *,
        on_invalid: OnInvalid = "reject",
        legal_on: bool = False,
    ) -> Plan:
        """Everything of a run that needs no memory; options and errors as for `run`."""
        return plan(
            program,
            self.generation,
            self.choices,
            registers,
            on_invalid=on_invalid,
            legal_on=legal_on,
            max_elements=self.max_elements,
        )

    def execute(
        self,
        ready: Plan,
        state: MachineState,
        *,
        trace: TraceLevel = "none",
        check: Callable[[], None] | None = None,
        atomic: bool = True,
    ) -> RunResult:
        """Carry out a plan of this machine on `state`, as `run` does. Of its memory only `ready.reads` and
        `ready.writes` matter.

        Raises ExecutionError, NotModelled; ValueError for a state whose registers are not those of the plan.
        """
        if not ready.holds_for(state.registers):
            raise ValueError("the plan was made for other address registers")
        run = _Run(state, ready.choices.fresh(), trace, check, atomic, self.threads)
        run.carry_out(ready.steps)
        return RunResult(
            executed=len(ready.steps),
            verdicts=ready.verdicts,
            written=ready.covered if run.as_planned else union(run.written),
            assumptions=in_registry_order({**ready.assumptions, **run.choices.used}),
            estimated_cycles=sum(step.cycles for step in ready.steps),
            diagnostics=run.diagnostics,
            trace=run.events,
        )


class _Run:
    """The execution of bound steps on a state."""

    def __init__(
        self,
        state: MachineState,
        choices: Choices,
        trace: TraceLevel,
        check: Callable[[], None] | None,
        atomic: bool,
        threads: int,
    ) -> None:
        self.state, self.choices, self.trace = state, choices, trace
        self.check, self.atomic, self.threads = check, atomic, threads
        self.written: list[Band] = []
        self.as_planned = True  # whether that is what the plan says
        self.diagnostics: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []

    def carry_out(self, steps: Sequence[Step]) -> None:
        """Execute in order; put everything back if a step fails after the first write."""
        accumulators, banks = self.state.accumulators.copy(), self.state.banks.copy()
        journal = Journal(self.state.memory) if self.atomic and sum(map(_writes, steps)) > 1 else None
        try:
            with np.errstate(all="ignore"):
                for step in steps:
                    if self.check is not None:
                        self.check()
                    if step.fused is None or self.trace != "none" or not self._fused(step, step.fused, journal):
                        self._execute(step, journal)
        except BaseException:
            if journal is not None:
                journal.undo()
            self.state.accumulators, self.state.banks = accumulators, banks
            raise

    def _fused(self, step: Step, fused: FusedChain, journal: Journal | None) -> bool:
        if journal is not None:
            journal.save(fused.target)
        done = fused(self.state.memory)
        if done:
            self.written += step.writes
        return done

    def _execute(self, step: Step, journal: Journal | None) -> None:
        opcode = int(step.record["header"]["opcode"])
        family = INSTRUCTIONS[opcode]
        found: list[dict[str, Any]] = []
        operation = None
        if step.binding is not None and family.execute is not None:
            try:
                operation = Operation(family, step.record, step.binding, self.state, self.choices, found, journal)
                if step.blocks:
                    self._execute_blocks(family.execute, operation, step.blocks)
                else:
                    family.execute(operation)
            except EngineError as error:
                raise error.at(step.index) from None
            except NotDefined as error:
                raise NotModelled(str(error)).at(step.index) from None
            except AccumulatorUnseeded as error:
                raise ExecutionError(str(error), lane=error.lanes[0]).at(step.index) from None
            self.written += operation.written
            self.as_planned = self.as_planned and _same(operation.written, step.writes)
        elif opcode in _OUTSIDE:
            found.append({"kind": "acts_outside", "message": f"{CATALOG[opcode].name} acts outside SBUF and PSUM"})
        self.diagnostics += [{"instruction": step.index, **d} for d in found]
        if self.trace != "none":
            entry = event(step.index, step.record, self.state.generation, operation, step.cycles, found, self.trace)
            self.events.append(entry)

    def _execute_blocks(
        self, execute: Callable[[Operation], None], whole: Operation, blocks: Sequence[LaneBlock]
    ) -> None:
        """Carry out a record block by block; what it covers is noted once, for the whole of it."""
        whole.save()

        def carry_out(block: LaneBlock) -> bool:
            with np.errstate(all="ignore"):  # of the thread
                if block.fused is not None and block.fused(self.state.memory):
                    return True
            part = whole.part(block.first, block.binding)
            execute(part)
            return bool(part.written)

        if self.threads == 1:
            wrote = [carry_out(block) for block in blocks]
        else:
            running = [_pool(self.threads).submit(carry_out, block) for block in blocks]
            wait(running)  # nobody writes any more when a failure puts the memory back
            wrote = [one.result() for one in running]
        if any(wrote):
            whole.covers()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "dve-lanes")


def _same(some: Sequence[Band], others: Sequence[Band]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))


def _writes(step: Step) -> int:
    """How many operands a step writes. Behind the only write of a run nothing fails: it needs no journal."""
    return sum(t.operand.write for t in step.binding.tensors.values()) if step.binding is not None else 0


_OUTSIDE = (0xA5, 0xA6)  # WRITE and NOTIFY
