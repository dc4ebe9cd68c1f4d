"""Instruction: what a family declares about itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..isa.assumptions import Choices
from ..isa.generation import Generation
from ..isa.struct import Struct
from ..rules.operands import ImmediateOperand, MxOperand, TensorOperand
from ..rules.rule import Rule

if TYPE_CHECKING:
    from .bound import Binding
    from .operation import Operation

Check = Callable[[np.void, "Binding", Choices], None]


@dataclass(frozen=True)
class Instruction:
    """One instruction family.

    opcodes: every code that shares rules and meaning. tensors, mx, immediates: its operands. rules: in header order.
    paired: names of the operands that are walked in lockstep, so that their element counts must be equal at run time.
    counts: (operand, least, most) elements the rules ask of one operand alone; what they waive, the run compares.
    two_sources: names of the two sources that the placement rule V25 ties together, if it applies.
    check: asked once the operands are bound and before anything is written; raises ExecutionError or NotModelled.
    refused_under: (assumption, value, why): a run refuses the legal record under that value.
    execute: None where a record is legal but what it does is in no source; `reason` then says so.
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
    paired: tuple[str, ...] = ()
    counts: tuple[tuple[str, int, int], ...] = ()
    two_sources: tuple[str, str] | None = None
    check: Check | None = None
    refused_under: tuple[str, str, str] | None = None
    lanewise: Callable[[np.void], bool] | None = None
    order_confidence: str = "H"
    source: str = ""
    reason: str | None = None

    def rules_on(self, generation: Generation, opcode: int) -> tuple[Rule, ...]:
        """The list of one opcode on one generation, in header order."""
        return tuple(rule for rule in self.rules if rule.applies(generation, opcode))

    @property
    def description(self) -> str:
        """What the family does, as its module says it."""
        module = sys.modules[self.execute.__module__] if self.execute is not None else None
        return (
            (module.__doc__ or "").strip()
            if module
            else (self.reason or "a sequencer control record, without effect on data")
        )
