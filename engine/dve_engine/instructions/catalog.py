"""The explicit list of instruction families."""

from __future__ import annotations

from collections.abc import Mapping

from ..isa.assumptions import REGISTRY, restrict_to
from ..isa.opcodes import CATALOG

from . import (
    control,
    copy_predicated,
    copy_predicated_scalar,
    dropout,
    match,
    max8,
    range_select,
    read_accumulator,
    read_indices,
    select_reduce,
    tensor_scalar,
    tensor_scalar_select,
    tensor_tensor,
)
from .instruction import Instruction

FAMILIES: tuple[Instruction, ...] = (
    copy_predicated.INSTRUCTION,
    copy_predicated_scalar.INSTRUCTION,
    select_reduce.INSTRUCTION,
    *tensor_scalar.INSTRUCTIONS,
    *tensor_tensor.INSTRUCTIONS,
    read_accumulator.INSTRUCTION,
    tensor_scalar_select.INSTRUCTION,
    range_select.INSTRUCTION,
    max8.INSTRUCTION,
    *match.INSTRUCTIONS,
    read_indices.INSTRUCTION,
    dropout.INSTRUCTION,
    *control.INSTRUCTIONS,
)

INSTRUCTIONS: Mapping[int, Instruction] = {opcode: family for family in FAMILIES for opcode in family.opcodes}
restrict_to([CATALOG[opcode].name for opcode in INSTRUCTIONS], REGISTRY.values())

NOT_BUILT = "this opcode is legal on the Vector Engine, but the emulator does not execute it yet"
