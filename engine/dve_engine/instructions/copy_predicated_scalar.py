"""COPY_PREDICATED_SCALAR (0xE8): write one scalar where a predicate selects it.

Element k of lane c is written  <=>  (pred != 0) == (reversed_pred != 0); the others keep their bytes. The scalar's bits
are stored as they are.
Source: isa/04 section 4. Layout, rules and polarity [H]; order of the reserved, immediate and pattern rules [M].
"""

from __future__ import annotations

import numpy as np

from ..isa.layout import S3D3_CP_PRED_SCALAR
from ..isa.opcodes import Opcode
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import equal_fields, field_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.immediates import has_valid_immediates, narrow_immediate_part
from ..rules.operands import ImmediateOperand, Indirection, TensorOperand
from ..rules.patterns import pattern_valid, same_element_count
from ..rules.placement import indirect_quadrant_check_src3d, indirect_quadrant_check_src3d_dst3d
from ..rules.predicates import predicate_dtype_in
from ..rules.rule import changed, numbered
from .instruction import Instruction
from .operation import Operation

PRED = TensorOperand("pred", "pred_mem_pattern", "pred_dtype", indirection=Indirection.UNION)
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, indirection=Indirection.UNION)
SCALAR = ImmediateOperand("src0_imm", "src0_imm", "src0_imm_src", "in_dtype")

_immediates = has_valid_immediates(SCALAR)

RULES = numbered(
    "CPS",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_copy_predicated_scalar_opcode", 0xE8)),
    ("V4", reserved_zero("s3d3_cp_pred_scalar_reserved_zero", "reserved0", "reserved1")),
    ("V5", changed(_immediates, parts=(*_immediates.parts, narrow_immediate_part(SCALAR)))),
    ("V6", pattern_valid(PRED, union_name="mem3d_valid")),
    ("V7", pattern_valid(DST, union_name="mem3d_valid")),
    ("V8", start_addr_active_channels(PRED, union_name="check_m3d_active_channels")),
    ("V9", start_addr_active_channels(DST, union_name="check_m3d_active_channels")),
    (
        "V10",
        same_element_count("same_element_count_t3d", PRED, DST, union_name="s3d3_cp_pred_scalar_src_dst_elements_same"),
    ),
    ("V10a", indirect_quadrant_check_src3d(PRED)),
    ("V10b", indirect_quadrant_check_src3d_dst3d(PRED, DST)),
    ("V11", predicate_dtype_in("is_valid_int_dtype_datapath", "pred_dtype", nki=("UINT8", "UINT16", "UINT32"))),
    ("V12", is_valid_dtype("in_dtype")),
    ("V13", is_valid_dtype("out_dtype")),
    ("V14", equal_fields("has_same_inout_dtype", "in_dtype", "out_dtype")),
    ("V15", field_in("has_valid_reversed_pred", "reversed_pred", (0, 1), "0 or 1")),
    ("V16", has_valid_active_channel_range),
)


def execute(op: Operation) -> None:
    """Write the scalar where the predicate selects it."""
    # READ
    true = op.read("pred") != 0
    scalar = op.scalar("src0_imm")
    # COMPUTE
    reversed_pred = op.code("reversed_pred") != 0
    if op.choices["cps-polarity"] == "write-where-true":
        reversed_pred = not reversed_pred
    # WRITE
    op.write_selected("dst", np.broadcast_to(scalar, true.shape), true if reversed_pred else ~true)


INSTRUCTION = Instruction(
    family="copy_predicated_scalar",
    opcodes=(Opcode.COPY_PREDICATED_SCALAR,),
    struct=S3D3_CP_PRED_SCALAR,
    rules=RULES,
    tensors=(PRED, DST),
    immediates=(SCALAR,),
    execute=execute,
    lanewise=lambda record: True,
    paired=("pred", "dst"),
    order_confidence="M",
    source="isa/04 section 4",
)
