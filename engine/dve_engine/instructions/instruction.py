"""Instruction: what a family declares about itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from ..isa.assumptions import Choices
from ..isa.generation import Generation
from ..isa.struct import Struct
from ..rules.operands import ImmediateOperand, MxOperand, TensorOperand
from ..rules.rule import Rule
from .unmodelled import TILES, Unmodelled, every, of_conversions, of_immediate, of_mx, of_tensor

if TYPE_CHECKING:
    from .bound import Binding
    from .fused import FusedChain
    from .operation import Operation

Check = Callable[[np.void, "Binding", Choices], None]


@dataclass(frozen=True)
class Instruction:
    """One instruction family.

    opcodes: every code that shares rules and meaning. tensors, mx, immediates: its operands. rules: in header order.
    paired: names of the operands that are walked in lockstep, so that their element counts must be equal at run time.
    counts: (operand, least, most) elements the rules ask of one operand alone; what they waive, the run compares.
    two_sources: names of the two sources that the placement rule V25 ties together, if it applies.
    check: asked once the operands are bound and before anything is written; raises ExecutionError.
    converts: whether every element of every operand goes to or from fp32, whatever the record says.
    unmodelled: which of its legal records a run refuses, beside what follows from its operands.
    fuse: the usual case of a record, made ready (fused.py); None for a record that has none.
    execute: None where a record has no effect on data, or where every record is unmodelled.
    lanewise: whether a record may be carried out a few lanes at a time: its lanes have nothing to do with each other,
    and whether it fails depends on the record alone.
    order_confidence: how sure the sources are of the order of the rules.
    """

    family: str
    opcodes: tuple[int, ...]
    struct: Struct
    rules: tuple[Rule, ...]
    tensors: tuple[TensorOperand, ...] = ()
    mx: tuple[MxOperand, ...] = ()
    immediates: tuple[ImmediateOperand, ...] = ()
    execute: Callable[[Operation], None] | None = None
    fuse: Callable[[np.void, Binding], FusedChain | None] | None = None
    paired: tuple[str, ...] = ()
    counts: tuple[tuple[str, int, int], ...] = ()
    two_sources: tuple[str, str] | None = None
    check: Check | None = None
    converts: bool = False
    unmodelled: tuple[Unmodelled, ...] = ()
    lanewise: Callable[[np.void], bool] | None = None
    order_confidence: str = "H"
    source: str = ""

    def rules_on(self, generation: Generation, opcode: int) -> tuple[Rule, ...]:
        """The list of one opcode on one generation, in header order."""
        return tuple(rule for rule in self.rules if rule.applies(generation, opcode))

    def immediate(self, name: str) -> ImmediateOperand:
        """One of the immediates."""
        return self._immediates[name]

    @cached_property
    def _immediates(self) -> dict[str, ImmediateOperand]:
        return {operand.name: operand for operand in self.immediates}

    @cached_property
    def of_every_record(self) -> tuple[Unmodelled, ...]:
        """The entries that concern the opcode as such."""
        return tuple(entry for entry in self.unmodelled if entry.where is every)

    @cached_property
    def refused(self) -> tuple[Unmodelled, ...]:
        """Every entry its legal records are held against: the opcode as such, then its operands, then the rest."""
        if self.execute is None:
            return self.unmodelled
        operands = (*map(of_tensor, self.tensors), *map(of_mx, self.mx), *map(of_immediate, self.immediates))
        own = tuple(entry for entry in self.unmodelled if entry.where is not every)
        conversions = of_conversions(self.tensors, self.immediates) if self.converts else ()
        return (*self.of_every_record, *TILES, *chain.from_iterable(operands), *own, *conversions)

    @property
    def description(self) -> str:
        """What the family does, as its module says it."""
        if self.execute is not None:
            return (sys.modules[self.execute.__module__].__doc__ or "").strip()
        return next((str(e.reason) for e in self.of_every_record), "a sequencer control record, without effect on data")
