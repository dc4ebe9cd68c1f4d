"""Plans: all of a run that needs no memory. Decoding, verdicts and binding, done once for any number of executions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from .instructions.binding import Binder
from .instructions.bound import Binding
from .instructions.catalog import INSTRUCTIONS
from .instructions.errors import EngineError, NotModelled
from .instructions.fused import FusedChain
from .instructions.lane_blocks import LaneBlock, lane_blocks
from .isa.assumptions import Choices
from .isa.generation import Generation
from .isa.opcodes import CATALOG
from .isa.struct import decode
from .memory.footprint import Band, union
from .memory.region import Region
from .timing import cost, work_of
from .validator import Program, validate
from .verdicts import Validation, Verdict, Verdicts

OnInvalid = Literal["reject", "stop", "skip"]


class InvalidInstructions(EngineError):
    """Records that are not legal, in a run that was asked to refuse them."""

    def __init__(self, verdicts: Verdicts) -> None:
        bad = verdicts.invalid
        first = bad[0]
        super().__init__(
            f"{len(bad)} of {len(verdicts)} records are not legal; {first.index}: {first.failures[0].message}"
        )
        self.verdicts = verdicts


@dataclass(frozen=True)
class Step:
    """One record that will be carried out."""

    index: int
    record: np.void
    binding: Binding | None  # None for a control record
    cycles: int
    blocks: tuple[LaneBlock, ...] = ()  # where the record is carried out a few lanes at a time
    fused: FusedChain | None = None  # the usual case, where it is not

    @cached_property
    def writes(self) -> tuple[Band, ...]:
        """The bytes that its destinations may cover."""
        return tuple(self.binding.writes()) if self.binding is not None else ()

    @property
    def elements(self) -> int:
        """Lanes x elements of the largest walk."""
        return max((t.visits for t in self.binding.tensors.values()), default=0) if self.binding is not None else 0


@dataclass(frozen=True)
class Plan:
    """A program made ready. It never changes: executing it again, or in several threads at once, is the same run.

    steps: the records that will be carried out. assumptions: id -> value of every open question the plan depended on.
    registers: the address registers it looked at, None for one that was not set; it holds for these values only.
    """

    generation: Generation
    choices: Choices
    steps: tuple[Step, ...]
    verdicts: Verdicts
    assumptions: Mapping[str, str]
    registers: Mapping[int, int | None]

    def holds_for(self, registers: Mapping[int, int]) -> bool:
        """Whether planning under these registers gives this plan."""
        return all(registers.get(number) == value for number, value in self.registers.items())

    @property
    def reads(self) -> tuple[Band, ...]:
        """The bytes of sources, index lists and scalars behind pointers. Together with `writes`, whose old bytes count
        where elements are not selected, all of memory that the run can depend on. Exact, except for gathered operands:
        the bytes that any index list could lead to.
        """
        return tuple(band for binding in self._bindings() for band in binding.reads())

    @property
    def writes(self) -> tuple[Band, ...]:
        """The bytes that destinations may cover. Exact, except for scattered operands."""
        return tuple(band for step in self.steps for band in step.writes)

    @cached_property
    def covered(self) -> tuple[Region, ...]:
        """`writes` as disjoint rectangles."""
        return union(self.writes)

    @cached_property
    def elements(self) -> int:
        """Lanes x elements of the largest walk of each step, summed: a bound on the work."""
        return sum(step.elements for step in self.steps)

    def _bindings(self) -> Iterator[Binding]:
        return (step.binding for step in self.steps if step.binding is not None)


def plan(
    program: bytes | Program,
    generation: Generation,
    choices: Choices,
    registers: Mapping[int, int],
    *,
    on_invalid: OnInvalid,
    legal_on: bool,
    max_elements: int,
) -> Plan:
    """Decode, judge and bind a program.

    legal_on: let the verdicts of legal records, too, name the generations they are legal on.
    Raises InvalidInstructions, ExecutionError, NotModelled, LimitExceeded, ProgramLengthError.
    """
    records = decode(program)
    if records.flags.writeable:  # the caller's to change
        records = records.copy()
    choices = choices.fresh()
    validation = validate(records, generation, choices, legal_on=legal_on)
    if not validation.valid and not legal_on:  # only what is illegal is worth asking the other generations about
        validation = validate(records, generation, choices)
    if on_invalid == "reject" and not validation.valid:
        raise InvalidInstructions(validation.verdicts)
    looked_at = _LookedAt(registers)
    planner = _Planner(records, generation, choices, looked_at, max_elements)
    steps = tuple(planner.steps(validation, on_invalid))
    used = {**validation.assumptions, **choices.used}
    return Plan(generation, choices, steps, validation.verdicts, used, looked_at.seen)


class _LookedAt(Mapping[int, int]):
    """Registers, and which of them were looked at."""

    def __init__(self, registers: Mapping[int, int]) -> None:
        self._registers = registers
        self.seen: dict[int, int | None] = {}

    def __getitem__(self, number: int) -> int:
        self.seen[number] = self._registers.get(number)
        return self._registers[number]

    def __iter__(self) -> Iterator[int]:
        return iter(self._registers)

    def __len__(self) -> int:
        return len(self._registers)

    def __bool__(self) -> bool:
        return True  # looking into an empty file is looking, too


class _Planner:
    """Resolves records to steps."""

    def __init__(
        self,
        records: Program,
        generation: Generation,
        choices: Choices,
        registers: Mapping[int, int],
        max_elements: int,
    ) -> None:
        self.records, self.generation, self.choices, self.registers = records, generation, choices, registers
        self.binder = Binder(generation, choices, registers, max_elements)

    def steps(self, validation: Validation, on_invalid: OnInvalid) -> Iterator[Step]:
        """The records that will be carried out, up to a halt or, under `stop`, the first illegal one."""
        for verdict in validation.verdicts:
            if not verdict.valid:
                if on_invalid == "stop":
                    break
                continue
            if verdict.record_class == "pseudo":  # legal under `pseudo-records` = skip only
                continue
            try:
                yield self._step(verdict)
            except EngineError as error:
                raise error.at(verdict.index) from None
            if CATALOG[verdict.opcode].control == "halt" and self.choices["control-halt"] == "ends-run":
                break

    def _step(self, verdict: Verdict) -> Step:
        if verdict.reason is not None:
            raise NotModelled(verdict.reason)
        for identifier in verdict.asked:
            self.choices[identifier]
        family, raw = INSTRUCTIONS[verdict.opcode], self.records[verdict.index : verdict.index + 1]
        record = family.struct.view(raw)[0]
        binding: Binding | None = None
        blocks: tuple[LaneBlock, ...] = ()
        fused = None
        if family.execute is not None:
            binding = self.binder.bind(family, record)
            blocks = lane_blocks(family, record, binding)
            fused = family.fuse(record, binding) if family.fuse is not None and not blocks else None
        cycles = cost(work_of(record, self.generation, self.registers), self.generation).issue_cycles
        return Step(verdict.index, record, binding, cycles, blocks, fused)
