"""The explicit list of instruction families."""

from __future__ import annotations

from collections.abc import Mapping

from ..isa.assumptions import REGISTRY, restrict_to
from ..isa.opcodes import CATALOG
from . import (
    activate2,
    batch_norm_aggregate,
    batch_norm_back_prop,
    batch_norm_gradient,
    batch_norm_params,
    batch_norm_stats,
    control,
    copy_cast,
    copy_predicated,
    copy_predicated_scalar,
    dropout,
    exponential,
    load_mask_select,
    load_parameter_ram,
    match,
    max8,
    memset,
    pool,
    quantize_mx,
    rand2,
    rand_state,
    range_select,
    read_accumulator,
    read_indices,
    reciprocal,
    rng,
    scalar_tensor_tensor,
    select_reduce,
    sparsity_compress,
    stream_shuffle,
    stream_transpose,
    tensor_cumulative,
    tensor_reduce,
    tensor_reduce_bf16,
    tensor_scalar,
    tensor_scalar_cache,
    tensor_scalar_int_wide,
    tensor_scalar_multi,
    tensor_scalar_select,
    tensor_tensor,
    tensor_tensor_bf16,
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
    tensor_scalar_select.INSTRUCTION,
    range_select.INSTRUCTION,
    max8.INSTRUCTION,
    *match.INSTRUCTIONS,
    read_indices.INSTRUCTION,
    dropout.INSTRUCTION,
    *batch_norm_stats.INSTRUCTIONS,
    batch_norm_aggregate.INSTRUCTION,
    *batch_norm_gradient.INSTRUCTIONS,
    *batch_norm_params.INSTRUCTIONS,
    batch_norm_back_prop.INSTRUCTION,
    rng.INSTRUCTION,
    rand2.INSTRUCTION,
    *rand_state.INSTRUCTIONS,
    *sparsity_compress.INSTRUCTIONS,
    quantize_mx.INSTRUCTION,
    tensor_scalar_int_wide.INSTRUCTION,
    *tensor_scalar_multi.INSTRUCTIONS,
    activate2.INSTRUCTION,
    *copy_cast.INSTRUCTIONS,
    reciprocal.INSTRUCTION,
    memset.INSTRUCTION,
    *tensor_reduce.INSTRUCTIONS,
    tensor_reduce_bf16.INSTRUCTION,
    *tensor_cumulative.INSTRUCTIONS,
    *pool.INSTRUCTIONS,
    stream_shuffle.INSTRUCTION,
    stream_transpose.INSTRUCTION,
    load_mask_select.INSTRUCTION,
    load_parameter_ram.INSTRUCTION,
    tensor_tensor_bf16.INSTRUCTION,
    *control.INSTRUCTIONS,
)

INSTRUCTIONS: Mapping[int, Instruction] = {opcode: family for family in FAMILIES for opcode in family.opcodes}
restrict_to([CATALOG[opcode].name for opcode in INSTRUCTIONS], REGISTRY.values())

NOT_BUILT_YET = "this opcode is legal on the Vector Engine, but the emulator does not execute it yet"
NOT_BUILT = {0x23: "no source describes the record and the effect of ACTIVATION_TABLE_LOAD on the Vector Engine"}
