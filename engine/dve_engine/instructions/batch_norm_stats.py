"""BATCH_NORM_STATS2 (0x61), its transposed form (0x82) and BATCH_NORM_STATS (0x60): counts, means, summed deviations.

0x61 writes [count, mean, spread] of the even and then of the odd elements of the stream, 0x60 one such triple over all
of them. A spread is the population variance times the number of elements. The counts are copied from the record, not
counted; an empty half has mean and spread 0. 0x82 transposes 32 x 32 tiles first.
Source: isa/06 sections 6.2 and 6.4 [outputs and rules H, order M; accumulation order M; 0x60's count field L].
"""

from __future__ import annotations

import numpy as np

from ..isa.dtypes import Dtype
from ..isa.layout import S4D2_BN
from ..isa.opcodes import Opcode
from ..memory.tiles import TILE, transpose32
from ..numerics.moments import Moments, moments
from ..rules.channels import has_valid_active_channel_range, multiple_of_32_part, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import dtype_in, float_finite_part, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import TensorOperand
from ..rules.patterns import element_count_in, multiple_of_32_count_part, pattern_valid
from ..rules.rule import Rule, changed, numbered
from .bound import Binding
from .errors import ExecutionError
from .instruction import Instruction
from .operation import Float32, Operation

SRC = TensorOperand("src", "src_mem_pattern", "in_dtype", dims=4)
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, dims=2)
REALS = (Dtype.FP32, Dtype.BFLOAT16, Dtype.FP16)
MOST, MOST_OF_0X60 = 512, 256


def _rules(prefix: str, name: str, opcode: int, *own: Rule) -> tuple[Rule, ...]:
    """The list of one opcode: the shared rules, then its own."""
    shared = (
        ("P1", has_valid_neuron_header),
        ("P2", has_valid_neuron_events),
        ("P3", opcode_in(f"has_{name}_opcode", opcode, named_by_us=True)),
        ("V1", reserved_zero("s4d2_bn_reserved_zero", "reserved0", "reserved1", named_by_us=True)),
        ("V2", is_valid_dtype("in_dtype")),
        ("V3", dtype_in("s4d2_bn_stats_out_type", "out_dtype", REALS)),
        ("V4", has_valid_active_channel_range),
        ("V5a", start_addr_active_channels(SRC)),
        ("V5b", start_addr_active_channels(DST)),
        ("V6a", pattern_valid(SRC)),
        ("V6b", pattern_valid(DST)),
    )
    return numbered(prefix, *shared, *((f"V{7 + k}", rule) for k, rule in enumerate(own)))


_halves = (
    changed(element_count_in("has_bnstats2_src_element_cnt", SRC, 0, MOST), named_by_us=False),
    element_count_in("batch_norm_stats2_dst_element_cnt_6", DST, 6, 6),
    Rule("has_bns_finite_even_count", (float_finite_part("even_count"),), ("even_count",)),
    Rule("has_bns_finite_odd_count", (float_finite_part("odd_count"),), ("odd_count",)),
)
_transposed = (
    Rule("has_multiple_32_channels", (multiple_of_32_part(),), ("num_active_channels",)),
    Rule("transpose_src_element_cnt_32", (multiple_of_32_count_part(SRC),), ("src_mem_pattern",), named_by_us=True),
)
_all_elements = (
    element_count_in("batch_norm_stats_src_element_cnt", SRC, 0, MOST_OF_0X60),
    element_count_in("batch_norm_stats_dst_element_cnt_3", DST, 3, 3),
)

RULES = _rules("BNS2", "batch_norm_stats2", 0x61, *_halves)
TRANSPOSE_RULES = _rules("TBNS2", "transpose_batch_norm_stats2", 0x82, *_halves, *_transposed)
STATS_RULES = _rules("BNS", "batch_norm_stats", 0x60, *_all_elements)


def whole_tiles(record: np.void, binding: Binding, _: object) -> None:
    """Raise ExecutionError where a waived rule let a count through that is no whole number of tiles."""
    count = binding.tensors["src"].elements
    if count % TILE:
        raise ExecutionError(f"src: {count} elements; expected a multiple of {TILE}", operand="src")


def execute(op: Operation) -> None:
    """Write count, mean and spread of the even and of the odd elements."""
    # READ
    values = _values(op)
    # COMPUTE
    even, odd = (moments(values[:, half::2], op.choices) for half in (0, 1))
    result = np.stack((*_triple(op, "even_count", even), *_triple(op, "odd_count", odd)), axis=1)
    # WRITE
    op.write("dst", op.narrow(result, op.dtype("dst")))


def execute_stats(op: Operation) -> None:
    """Write count, mean and spread of all elements."""
    # READ
    values = _values(op)
    # COMPUTE
    result = np.stack(_triple(op, "even_count", moments(values, op.choices)), axis=1)
    # WRITE
    op.write("dst", op.narrow(result, op.dtype("dst")))


def _values(op: Operation) -> Float32:
    elements = op.read("src")
    if op.opcode == Opcode.TRANSPOSE_BATCH_NORM_STATS2:
        elements = transpose32(elements)
    return op.widen(elements, op.dtype("src"), arithmetic=False)


def _triple(op: Operation, count: str, found: Moments) -> tuple[Float32, Float32, Float32]:
    copied = np.full(op.lanes, op.code(count), np.uint32).view(np.float32)
    return copied, found.mean, found.spread


INSTRUCTIONS = (
    Instruction(
        family="batch_norm_stats2",
        opcodes=(Opcode.BATCH_NORM_STATS2,),
        struct=S4D2_BN,
        rules=RULES,
        tensors=(SRC, DST),
        execute=execute,
        converts=True,
        counts=(("dst", 6, 6),),
        order_confidence="M",
        source="isa/06 section 6.2",
    ),
    Instruction(
        family="transpose_batch_norm_stats2",
        opcodes=(Opcode.TRANSPOSE_BATCH_NORM_STATS2,),
        struct=S4D2_BN,
        rules=TRANSPOSE_RULES,
        tensors=(SRC, DST),
        execute=execute,
        converts=True,
        counts=(("dst", 6, 6),),
        check=whole_tiles,
        order_confidence="M",
        source="isa/06 section 6.4",
    ),
    Instruction(
        family="batch_norm_stats",
        opcodes=(Opcode.BATCH_NORM_STATS,),
        struct=S4D2_BN,
        rules=STATS_RULES,
        tensors=(SRC, DST),
        execute=execute_stats,
        converts=True,
        counts=(("dst", 3, 3),),
        order_confidence="M",
        source="isa/06 section 6.2",
    ),
)
