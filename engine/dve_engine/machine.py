"""Machine: run a program on a machine state.

The machine binds every record before it executes the first, so that whatever can be wrong is found while nothing has
been written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from .instructions.binding import Binder, Binding
from .instructions.catalog import INSTRUCTIONS
from .instructions.errors import EngineError, ExecutionError, NotModelled
from .instructions.operation import Operation
from .isa.assumptions import REGISTRY, Choices
from .isa.generation import Generation
from .isa.opcodes import CATALOG
from .isa.struct import decode
from .memory.footprint import Band, union
from .memory.journal import Journal
from .memory.region import Region
from .numerics import AccumulatorUnseeded, NotDefined
from .state import MachineState
from .timing import cost, work_of
from .trace import TraceLevel, event
from .validator import Program, Validation, Verdict, validate

OnInvalid = Literal["reject", "stop", "skip"]
DEFAULT_MAX_ELEMENTS = 1 << 26  # element visits of one operand; a walk may legally repeat one element 65,535^3 times


class InvalidInstructions(EngineError):
    """Records that are not legal, in a run that was asked to refuse them."""

    def __init__(self, verdicts: tuple[Verdict, ...]) -> None:
        bad = [v for v in verdicts if not v.valid]
        first = bad[0]
        super().__init__(
            f"{len(bad)} of {len(verdicts)} records are not legal; {first.index}: {first.failures[0].message}"
        )
        self.verdicts = verdicts


@dataclass(frozen=True)
class RunResult:
    """What a run did.

    executed: records carried out, control records included. written: maximal rectangles of bytes the program's
    destinations cover.
    assumptions: id -> value of every open question the answer depended on. estimated_cycles: isa/08, never part of the
    result.
    """

    executed: int
    verdicts: tuple[Verdict, ...]
    written: tuple[Region, ...]
    assumptions: dict[str, str]
    estimated_cycles: int
    diagnostics: list[dict[str, Any]] = field(default_factory=list)
    trace: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class _Step:
    """One record that will be carried out."""

    index: int
    record: np.void
    binding: Binding | None  # None for a control record


class Machine:
    """Runs programs of one generation under one set of choices. Holds no state of its own."""

    def __init__(self, generation: Generation, choices: Choices, *, max_elements: int = DEFAULT_MAX_ELEMENTS) -> None:
        self.generation, self.choices, self.max_elements = generation, choices, max_elements

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
        records = decode(program)
        choices = self.choices.fresh()
        validation = validate(records, self.generation, choices, legal_on=legal_on)
        if not validation.valid and not legal_on:  # only what is illegal is worth asking the other generations about
            validation = validate(records, self.generation, choices)
        if on_invalid == "reject" and not validation.valid:
            raise InvalidInstructions(validation.verdicts)
        steps = self._bind(records, validation, on_invalid, choices, state.registers)
        run = _Run(state, choices, trace, check, atomic)
        run.carry_out(steps)
        return RunResult(
            executed=len(steps),
            verdicts=validation.verdicts,
            written=union(run.written),
            assumptions=_in_registry_order({**validation.assumptions, **choices.used}),
            estimated_cycles=run.cycles,
            diagnostics=run.diagnostics,
            trace=run.events,
        )

    def _bind(
        self,
        records: Program,
        validation: Validation,
        on_invalid: OnInvalid,
        choices: Choices,
        registers: Mapping[int, int],
    ) -> list[_Step]:
        """Resolve the records that will be carried out, up to a halt or, under `stop`, the first illegal one."""
        binder = Binder(self.generation, choices, registers, self.max_elements)
        steps = []
        for verdict in validation.verdicts:
            if not verdict.valid:
                if on_invalid == "stop":
                    break
                continue
            if verdict.record_class == "pseudo":  # legal under `pseudo-records` = skip only
                continue
            try:
                step = self._step(records, verdict, binder, choices)
            except EngineError as error:
                raise error.at(verdict.index) from None
            steps.append(step)
            if CATALOG[verdict.opcode].control == "halt" and choices["control-halt"] == "ends-run":
                break
        return steps

    def _step(self, records: Program, verdict: Verdict, binder: Binder, choices: Choices) -> _Step:
        if verdict.reason is not None:
            raise NotModelled(verdict.reason)
        for identifier in verdict.asked:
            choices[identifier]
        family = INSTRUCTIONS[verdict.opcode]
        record = family.struct.view(records[verdict.index : verdict.index + 1])[0]
        if family.execute is None:
            return _Step(verdict.index, record, None)
        binding = binder.bind(family, record)
        return _Step(verdict.index, record, binding)


class _Run:
    """The execution of bound steps on a state."""

    def __init__(
        self,
        state: MachineState,
        choices: Choices,
        trace: TraceLevel,
        check: Callable[[], None] | None,
        atomic: bool,
    ) -> None:
        self.state, self.choices, self.trace = state, choices, trace
        self.check, self.atomic = check, atomic
        self.written: list[Band] = []
        self.diagnostics: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.cycles = 0

    def carry_out(self, steps: list[_Step]) -> None:
        """Execute in order; put everything back if a step fails after the first write."""
        accumulators, banks = self.state.accumulators.copy(), self.state.banks.copy()
        journal = Journal(self.state.memory) if self.atomic and sum(map(_writes, steps)) > 1 else None
        try:
            for step in steps:
                if self.check is not None:
                    self.check()
                self._execute(step, journal)
        except BaseException:
            if journal is not None:
                journal.undo()
            self.state.accumulators, self.state.banks = accumulators, banks
            raise

    def _execute(self, step: _Step, journal: Journal | None) -> None:
        opcode = int(step.record["header"]["opcode"])
        family = INSTRUCTIONS[opcode]
        found: list[dict[str, Any]] = []
        operation = None
        if step.binding is not None and family.execute is not None:
            try:
                operation = Operation(family, step.record, step.binding, self.state, self.choices, found, journal)
                family.execute(operation)
            except EngineError as error:
                raise error.at(step.index) from None
            except NotDefined as error:
                raise NotModelled(str(error)).at(step.index) from None
            except AccumulatorUnseeded as error:
                raise ExecutionError(str(error), lane=error.lanes[0]).at(step.index) from None
            self.written += operation.written
        elif opcode in _OUTSIDE:
            found.append({"kind": "acts_outside", "message": f"{CATALOG[opcode].name} acts outside SBUF and PSUM"})
        cycles = cost(
            work_of(step.record, self.state.generation, self.state.registers), self.state.generation
        ).issue_cycles
        self.cycles += cycles
        self.diagnostics += [{"instruction": step.index, **d} for d in found]
        if self.trace != "none":
            self.events.append(event(step.index, step.record, family, operation, cycles, found, self.trace))


def _writes(step: _Step) -> int:
    """How many operands a step writes. Behind the only write of a run nothing fails: it needs no journal."""
    return sum(t.operand.write for t in step.binding.tensors.values()) if step.binding is not None else 0


_OUTSIDE = (0xA5, 0xA6)  # WRITE and NOTIFY


def _in_registry_order(used: dict[str, str]) -> dict[str, str]:
    return {identifier: used[identifier] for identifier in REGISTRY if identifier in used}
