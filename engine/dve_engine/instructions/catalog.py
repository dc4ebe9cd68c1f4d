"""The explicit list of instruction families."""

from __future__ import annotations

from collections.abc import Mapping

from . import (
    control,
    copy_predicated,
    copy_predicated_scalar,
    exponential,
    read_accumulator,
    scalar_tensor_tensor,
    select_reduce,
    tensor_scalar,
    tensor_scalar_cache,
    tensor_tensor,
    tensor_tensor_scan,
)
from .instruction import Instruction

FAMILIES: tuple[Instruction, ...] = (
    copy_predicated.INSTRUCTION,
    copy_predicated_scalar.INSTRUCTION,
    select_reduce.INSTRUCTION,
    *tensor_scalar.INSTRUCTIONS,
    *tensor_tensor.INSTRUCTIONS,
    *scalar_tensor_tensor.INSTRUCTIONS,
    tensor_tensor_scan.INSTRUCTION,
    *tensor_scalar_cache.INSTRUCTIONS,
    exponential.INSTRUCTION,
    read_accumulator.INSTRUCTION,
    *control.INSTRUCTIONS,
)

INSTRUCTIONS: Mapping[int, Instruction] = {opcode: family for family in FAMILIES for opcode in family.opcodes}

NOT_BUILT = "this opcode is legal on the Vector Engine, but the emulator does not execute it yet"
