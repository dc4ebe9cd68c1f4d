"""TENSOR_SCALAR_SELECT (0x98): one predicate per lane takes the whole tensor or the scalar.

Every destination element is written, with the bits of the side the predicate names; reversed_pred swaps the sides.
Source: isa/04 section 6 [layout and contents of the rules H; order M].
"""

from __future__ import annotations

import numpy as np

from ..isa.codes import ImmSrc
from ..isa.dtypes import INT6, SIZE_BYTES
from ..isa.layout import S3D3_TS_SELECT
from ..isa.opcodes import Opcode
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import dtype_in, field_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.immediates import has_valid_immediates
from ..rules.operands import ImmediateOperand, TensorOperand
from ..rules.patterns import pattern_valid, same_element_count
from ..rules.rule import Part, Rule, numbered
from .instruction import Instruction
from .operation import Operation

SRC = TensorOperand("src0", "src0_mem_pattern", "dtype")
DST = TensorOperand("dst", "dst_mem_pattern", "dtype", write=True)
SCALAR = ImmediateOperand("src1_imm", "src1_imm", "src1_imm_src", "dtype")
PRED = ImmediateOperand("pred_imm", "pred_imm", "pred_imm_src", "pred_imm_dtype")


def _inline_is_0_or_1(batch: Batch) -> Bools:
    inline = batch.column("pred_imm_src") == ImmSrc.INSTRUCTION_IMMEDIATE
    return np.asarray(~inline | (batch.column("pred_imm") <= 1))


def _same_width(batch: Batch) -> Bools:
    return np.asarray(SIZE_BYTES[batch.column("pred_imm_dtype")] == SIZE_BYTES[batch.column("dtype")])


_pred_value = Rule(
    "has_valid_pred_inst_imm_value",
    (Part(_inline_is_0_or_1, "pred_imm", "0 or 1 where the predicate is in the record"),),
    ("pred_imm", "pred_imm_src"),
)
_widths = Rule(
    "has_same_imm_dtype_width",
    (Part(_same_width, "pred_imm_dtype", "an integer dtype of the same size as dtype"),),
    ("dtype", "pred_imm_dtype"),
)

RULES = numbered(
    "TSS",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_tensor_scalar_select_opcode", 0x98, named_by_us=True)),
    ("V4", reserved_zero("s3d3_ts_select_reserved_zero", "reserved0", "reserved1", named_by_us=True)),
    ("V5", has_valid_immediates(SCALAR)),
    ("V6", has_valid_immediates(PRED)),
    ("V7", _pred_value),
    ("V8", pattern_valid(SRC)),
    ("V9", pattern_valid(DST)),
    ("V10a", start_addr_active_channels(SRC)),
    ("V10b", start_addr_active_channels(DST)),
    ("V11", same_element_count("same_element_count_t3d", SRC, DST)),
    ("V12", is_valid_dtype("dtype")),
    ("V13", dtype_in("is_valid_int_dtype_datapath", "pred_imm_dtype", INT6)),
    ("V14", _widths),
    ("V14b", field_in("has_valid_reversed_pred", "reversed_pred", (0, 1), "0 or 1")),
    ("V15", has_valid_active_channel_range),
)


def execute(op: Operation) -> None:
    """Store the tensor's elements or the scalar, lane by lane."""
    # READ
    tensor, scalar = op.read("src0"), op.scalar("src1_imm")
    true = op.scalar("pred_imm") != 0  # (lanes, 1), or (1, 1) from the record
    # COMPUTE
    takes_tensor = true != (op.code("reversed_pred") == 1)
    # WRITE
    op.write("dst", np.where(takes_tensor, tensor, scalar))


INSTRUCTION = Instruction(
    family="tensor_scalar_select",
    opcodes=(Opcode.TENSOR_SCALAR_SELECT,),
    struct=S3D3_TS_SELECT,
    rules=RULES,
    tensors=(SRC, DST),
    immediates=(SCALAR, PRED),
    execute=execute,
    lanewise=lambda record: True,
    paired=("src0", "dst"),
    order_confidence="M",
    source="isa/04 section 6",
)
