"""COPY_PREDICATED (0x72) and CAST_PREDICATED (0x99): write data elements where a predicate is true.

Element k of lane c is written  <=>  pred != 0; the others keep their bytes. 0x72 moves bits; 0x99 converts through fp32
unless both dtypes are equal. Source: isa/04 section 3 [H; indirect forms of predicate and destination M].
"""

from __future__ import annotations

import numpy as np

from ..isa.aluops import AluOp
from ..isa.layout import S3S3D3_TT
from ..isa.opcodes import Opcode
from ..rules.batch import Batch, Bools
from ..rules.channels import check_active_channels, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import field_in
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import Indirection, TensorOperand
from ..rules.patterns import pattern_valid, same_element_count
from ..rules.placement import indirect_quadrant_check_src3d, indirect_quadrant_check_src3d_dst3d, tt_valid_partitions
from ..rules.predicates import predicate_dtype_in
from ..rules.rule import Part, Rule, numbered
from .instruction import Instruction
from .operation import Operation
from .unmodelled import unconvertible

PRED = TensorOperand("pred", "src0_mem_pattern", "in0_in1_dtype.dtype_lo", indirection=Indirection.S3S3D3_OUTER)
DATA = TensorOperand("data", "src1_mem_pattern", "in0_in1_dtype.dtype_hi", indirection=Indirection.S3S3D3_SRC1)
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, indirection=Indirection.S3S3D3_OUTER)


def _copy_keeps_dtype(batch: Batch) -> Bools:
    cast = batch.column("header.opcode") == Opcode.CAST_PREDICATED
    same: Bools = batch.column("in0_in1_dtype.dtype_hi") == batch.column("out_dtype")
    return np.asarray(same | cast)


_copy_dtype = Rule(
    "s3s3d3_copy_cast_pred_src1_dst_dtype",
    (Part(_copy_keeps_dtype, "out_dtype", "the dtype of the data (only CAST_PREDICATED converts)"),),
    ("header.opcode", "in0_in1_dtype.dtype_hi", "out_dtype"),
)

RULES = numbered(
    "CP",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_copy_cast_predicated_opcode", 0x72, 0x99)),
    ("V4", is_valid_dtype("out_dtype")),
    ("V5", is_valid_dtype("in0_in1_dtype.dtype_lo")),
    ("V6", is_valid_dtype("in0_in1_dtype.dtype_hi")),
    (
        "V7",
        predicate_dtype_in("s3s3d3_copy_pred_src0_dtype", "in0_in1_dtype.dtype_lo", nki=("UINT8", "UINT16", "UINT32")),
    ),
    ("V8", _copy_dtype),
    ("V9", field_in("s3s3d3_tt_is_zero_op", "op", (AluOp.BYPASS,), "0x00 (BYPASS)")),
    ("V10", check_active_channels),
    ("V11", start_addr_active_channels(PRED)),
    ("V12", start_addr_active_channels(DATA)),
    ("V13", start_addr_active_channels(DST)),
    ("V14", pattern_valid(PRED)),
    ("V15", pattern_valid(DATA)),
    ("V16", pattern_valid(DST)),
    ("V17", same_element_count("s3s3d3_tt_src_element_cnt_check", PRED, DATA)),
    ("V18", same_element_count("s3s3d3_tt_dst_element_cnt_check", PRED, DST)),
    ("V19", tt_valid_partitions(PRED, DATA)),
    ("V20a", indirect_quadrant_check_src3d(PRED, confidence="M")),
    ("V20b", indirect_quadrant_check_src3d_dst3d(PRED, DST, confidence="M")),
)


def execute(op: Operation) -> None:
    """Write data where the predicate is true."""
    # READ
    selected = op.read("pred") != 0
    data = op.read("data")
    # COMPUTE
    source, target = op.dtype("data"), op.dtype("dst")
    values = data if op.opcode == Opcode.COPY_PREDICATED else op.convert(data, source, target)
    # WRITE
    op.write_selected("dst", values, selected)


INSTRUCTION = Instruction(
    family="copy_predicated",
    opcodes=(Opcode.COPY_PREDICATED, Opcode.CAST_PREDICATED),
    struct=S3S3D3_TT,
    rules=RULES,
    tensors=(PRED, DATA, DST),
    execute=execute,
    lanewise=lambda record: True,
    unmodelled=unconvertible("out_dtype"),  # of 0x99; 0x72 has no equal dtype among those of its data
    paired=("pred", "data", "dst"),
    two_sources=("pred", "data"),
    source="isa/04 section 3",
)
