"""STREAM_TRANSPOSE (0x6B): transpose every aligned 32 x 32 tile of lanes and elements, bit for bit.

Tiles stay where they are, so with more than one tile it is no transpose of the whole. mask_enable = 1 keeps the
destination lanes that the lane mask marks as unmodified (`transpose-mask-enable`); a shorter destination takes the
first elements of each lane (`transpose-short-destination`). Source: isa/06 section 5.8 [H; mask and short destination
L].
"""

from __future__ import annotations

import numpy as np

from ..isa.assumptions import Choices
from ..isa.layout import S4D4_TR
from ..isa.opcodes import Opcode
from ..memory.tiles import TILE, transpose32
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range
from ..rules.dtypes import is_valid_dtype
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import element_count, pattern_columns
from ..rules.patterns import count_waived
from ..rules.rule import Part, Rule, numbered
from ..rules.s4d4_tr import (
    DST,
    SRC,
    START_AND_PATTERN,
    has_multiple_32_channels,
    has_zero_negated_field,
    is_zero_subdim,
    mask_enable_valid,
    s4d4_tr_op_bypass,
    s4d4_tr_reserved_zero,
    s4d4_tr_same_src_dst_type,
    transpose_src_element_cnt_32,
)
from .bound import Binding
from .errors import ExecutionError
from .groups import require_tiles
from .instruction import Instruction
from .operation import Operation


def _not_longer(batch: Batch) -> Bools:
    src, dst = pattern_columns(batch, SRC), pattern_columns(batch, DST)
    return np.asarray((element_count(dst) <= element_count(src)) | count_waived(batch, src, dst))


_count = Rule(
    "s4d4_tr_transpose_src_dst_count",
    (Part(_not_longer, f"{DST.field}.num_elem", f"no more elements than {SRC.field}"),),
    (SRC.field, DST.field),
)

RULES = numbered(
    "STR",
    ("P1", has_valid_neuron_header),
    ("P2", has_valid_neuron_events),
    ("P3", opcode_in("has_stream_transpose_opcode", 0x6B, named_by_us=True)),
    ("V1", s4d4_tr_reserved_zero),
    ("V2", mask_enable_valid),
    ("V3", is_valid_dtype("in_dtype")),
    ("V4", is_valid_dtype("out_dtype", fp32r=True)),
    ("V5", s4d4_tr_same_src_dst_type),
    ("V6", is_zero_subdim),
    ("V7", has_valid_active_channel_range),
    *zip(("V8", "V9", "V10", "V11"), START_AND_PATTERN, strict=True),
    ("V12", _count),
    ("V13", s4d4_tr_op_bypass),
    ("V14", has_multiple_32_channels),
    ("V15", transpose_src_element_cnt_32),
    ("V16", has_zero_negated_field),
)


def check(record: np.void, binding: Binding, choices: Choices) -> None:
    """Counts that a waiver let pass, and a destination that is too short."""
    require_tiles(binding)
    src, dst = (binding.tensors[name].elements for name in ("src", "dst"))
    if dst > src:
        raise ExecutionError(f"element counts differ: src {src}, dst {dst}", operand="dst")
    if dst < src and choices["transpose-short-destination"] == "error":
        raise ExecutionError(f"dst takes {dst} of {src} elements (transpose-short-destination)", operand="dst")


def execute(op: Operation) -> None:
    """Transpose the tiles."""
    # READ
    elements = op.read("src")
    # COMPUTE
    result = transpose32(elements)[:, : op.place("dst").elements]
    kept = _kept_lanes(op)
    # WRITE
    op.write("dst", result, np.broadcast_to(~kept[:, None], result.shape) if kept.any() else None)


def _kept_lanes(op: Operation) -> Bools:
    """The destination lanes that the mask keeps from being written, bool (lanes,)."""
    marked: Bools = np.tile(op.state.banks["lane_mask"] >= TILE, op.lanes // TILE)
    if not op.code("mask_enable") or not marked.any():
        return np.zeros(op.lanes, bool)
    return marked & (op.choices["transpose-mask-enable"] == "keep-masked-lanes")


INSTRUCTION = Instruction(
    family="stream_transpose",
    opcodes=(Opcode.STREAM_TRANSPOSE,),
    struct=S4D4_TR,
    rules=RULES,
    tensors=(SRC, DST),
    execute=execute,
    check=check,
    source="isa/06 section 5.8",
)
