"""BATCH_NORM_BACK_PROP (0x65): the gradient of the normalised input.

With x = src0, dy = src1 and the lane's N, mean, A, B, C of the last parameter load, in fp32 and rounded at each step:
dst = (dy N - ((x - mean) C + B)) A.
Source: isa/06 section 6.7 [rules H; operand order M; formula: functional reference].
"""

from __future__ import annotations

import numpy as np

from ..isa.aluops import AluOp
from ..isa.layout import S3S3D3_TT
from ..isa.opcodes import Opcode
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import field_in
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import TensorOperand
from ..rules.patterns import pattern_valid, same_element_count
from ..rules.placement import tt_valid_partitions
from ..rules.rule import changed, numbered
from .instruction import Instruction
from .operation import Operation

X = TensorOperand("src0", "src0_mem_pattern", "in0_in1_dtype.dtype_lo")
DY = TensorOperand("src1", "src1_mem_pattern", "in0_in1_dtype.dtype_hi")
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True)

RULES = numbered(
    "BNBP",
    ("P1", has_valid_neuron_header),
    ("P2", has_valid_neuron_events),
    ("P3", opcode_in("has_batch_norm_back_prop_opcode", 0x65, named_by_us=True)),
    ("V1", is_valid_dtype("in0_in1_dtype.dtype_lo")),
    ("V2", is_valid_dtype("in0_in1_dtype.dtype_hi")),
    ("V3", is_valid_dtype("out_dtype", fp32r=True)),
    ("V4", field_in("s3s3d3_tt_is_zero_op", "op", (AluOp.BYPASS,), "0x00 (BYPASS)")),
    *(
        (f"V{5 + k}", start_addr_active_channels(operand, union_name="check_m3d_active_channels"))
        for k, operand in enumerate((X, DY, DST))
    ),
    *((f"V{8 + k}", pattern_valid(operand, union_name="mem3d_valid")) for k, operand in enumerate((X, DY, DST))),
    ("V11", changed(same_element_count("s3s3d3_tt_src_element_cnt_check", X, DY), named_by_us=True)),
    ("V12", changed(same_element_count("s3s3d3_tt_dst_element_cnt_check", X, DST), named_by_us=True)),
    ("V13", has_valid_active_channel_range),
    ("V14", tt_valid_partitions(X, DY)),
)


def execute(op: Operation) -> None:
    """(dy N - ((x - mean) C + B)) A."""
    # READ
    x, dy = (op.widen(op.read(name), op.dtype(name), arithmetic=False) for name in ("src0", "src1"))
    n, mean, a, b, c = op.state.banks["batch_norm"][: op.lanes].view(np.float32).T[..., None]  # (lanes, 1) each
    # COMPUTE
    correction = op.alu_f32(AluOp.MULT, op.alu_f32(AluOp.SUBTRACT, x, mean), c)
    correction = op.alu_f32(AluOp.ADD, correction, b)
    gradient = op.alu_f32(AluOp.SUBTRACT, op.alu_f32(AluOp.MULT, dy, n), correction)
    result = op.alu_f32(AluOp.MULT, gradient, a)
    # WRITE
    op.write("dst", op.narrow(result, op.dtype("dst")))


INSTRUCTION = Instruction(
    family="batch_norm_back_prop",
    opcodes=(Opcode.BATCH_NORM_BACK_PROP,),
    struct=S3S3D3_TT,
    rules=RULES,
    tensors=(X, DY, DST),
    execute=execute,
    converts=True,
    paired=("src0", "src1", "dst"),
    two_sources=("src0", "src1"),
    source="isa/06 section 6.7",
)
