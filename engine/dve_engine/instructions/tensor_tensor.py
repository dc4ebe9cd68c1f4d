"""TENSOR_TENSOR (0x41 arith, 0x51 bitvec): src0 op src1, element by element.

Arithmetic runs in fp32, bit-vector codes on the raw bits in 32-bit lanes; src0 is always the left operand. Integer-band
codes, POW and 64-bit dtypes belong to another engine and are refused by the Vector Engine's own rule. Source: isa/03
section 5 [order of V4 to V10 H, the others M].
"""

from __future__ import annotations

import numpy as np

from ..isa.aluops import (
    IS_GENERAL_ARITH,
    IS_GENERAL_BITVEC,
    IS_SHIFT,
    IS_SIGNED,
    IS_UNSIGNED,
    IS_VALID_INT,
    IS_VALID_INT_DVE,
    AluOp,
    present,
)
from ..isa.dtypes import INT8SET, INT_64B, SIGNED_INT, UNSIGNED_INT, Dtype, raw_type
from ..isa.layout import S3S3D3_TT
from ..isa.opcodes import Opcode
from ..numerics.alu import alu_bits
from ..rules.batch import Batch, Bools
from ..rules.channels import TILED, has_valid_active_channel_range, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype_64
from ..rules.fields import alu_op_part, among, dtype_in, general_arith
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import Indirection, TensorOperand
from ..rules.patterns import pattern_valid, same_element_count
from ..rules.placement import indirect_quadrant_check_src3d, indirect_quadrant_check_src3d_dst3d, tt_valid_partitions
from ..rules.rule import Part, Rule, changed, numbered
from .instruction import Instruction
from .operation import Operation
from .unmodelled import Unmodelled

SRC0 = TensorOperand("src0", "src0_mem_pattern", "in0_in1_dtype.dtype_lo", indirection=Indirection.S3S3D3_OUTER)
SRC1 = TensorOperand("src1", "src1_mem_pattern", "in0_in1_dtype.dtype_hi", indirection=Indirection.S3S3D3_SRC1)
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, indirection=Indirection.S3S3D3_OUTER)
_DTYPES = (SRC0.dtype, SRC1.dtype, DST.dtype)
_ARITH_OPS, _BITVEC_OPS = present(IS_GENERAL_ARITH | IS_VALID_INT | {AluOp.POW}), present(IS_GENERAL_BITVEC)
_INT_OPS = present(IS_VALID_INT)


def _is_bitvec(batch: Batch) -> Bools:
    return np.asarray(batch.column("header.opcode") == Opcode.TENSOR_TENSOR_BITVEC_OP)


def _valid_op(batch: Batch) -> Bools:
    bitvec = _is_bitvec(batch)
    arith = batch.among("op", _ARITH_OPS) | general_arith(batch, "op", ~bitvec)
    return np.where(bitvec, batch.among("op", _BITVEC_OPS), arith)


def _one_dtype(batch: Batch) -> Bools:
    """0x51: all three dtypes equal, or a 64-bit shift by a UINT32 where the generation has that leg."""
    lo, hi, out = (batch.column(path) for path in _DTYPES)
    good = ~_is_bitvec(batch) | ((lo == out) & (hi == out))
    if batch.generation.features.tensor_tensor_64bit_shift_exception:
        good |= batch.among("op", IS_SHIFT) & np.isin(lo, list(INT_64B)) & (hi == Dtype.UINT32)
    return np.asarray(good)


def _signedness(batch: Batch) -> Bools:
    """Integer-band codes: all three dtypes of the signedness the code works on."""
    integer = batch.among("op", _INT_OPS)
    good = ~integer
    for ops, dtypes in ((IS_SIGNED, SIGNED_INT), (IS_UNSIGNED, UNSIGNED_INT)):
        good |= batch.among("op", ops) & np.logical_and.reduce(
            [np.isin(batch.column(p), list(dtypes)) for p in _DTYPES]
        )
    return np.asarray(good)


def _dve_op(batch: Batch) -> Bools:
    refused = batch.among("op", _INT_OPS)
    subset = refused & batch.among("op", IS_VALID_INT_DVE)
    open_here = subset.any() and batch.generation.features.int_aluop_dve
    if open_here and batch.depends("int-tensor-tensor-on-dve", subset) == "accept-dve-subset":
        refused = refused & ~subset
    return np.asarray(~refused & (batch.column("op") != AluOp.POW))


def _not_64b(path: str) -> Part:
    narrow = among(path, frozenset(range(256)) - INT_64B)
    return Part(narrow, path, "at most 32 bits wide: 64-bit integers belong to another engine")


_dve_split = Rule(
    "is_valid_tensor_tensor_arith_dve",
    (
        Part(_dve_op, "op", "an ALU code of the Vector Engine: integer-band codes, MOD and POW run elsewhere"),
        *(_not_64b(path) for path in _DTYPES),
    ),
    ("op", "in0_in1_dtype", "out_dtype"),
)

RULES = numbered(
    "TT",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_tensor_tensor_opcode", 0x41, 0x51, named_by_us=True)),
    ("V4", is_valid_dtype_64("out_dtype", fp32r=True)),
    ("V5", is_valid_dtype_64("in0_in1_dtype.dtype_lo")),
    ("V6", is_valid_dtype_64("in0_in1_dtype.dtype_hi")),
    ("V7", Rule("is_valid_enum", (alu_op_part("op"),), ("op",))),
    ("V8", Rule("s3s3d3_tt_valid_op", (Part(_valid_op, "op", "an ALU code of the opcode's class"),), ("op",))),
    ("V9", changed(dtype_in("s3s3d3_tt_dtype", "out_dtype", INT8SET), opcodes=frozenset((0x51,)))),
    (
        "V10",
        Rule(
            "s3s3d3_tt_src_dst_dtype",
            (Part(_one_dtype, "in0_in1_dtype", "both equal to out_dtype"),),
            ("in0_in1_dtype", "out_dtype", "op"),
        ),
    ),
    (
        "V11",
        Rule(
            "s3s3d3_tt_valid_int_signness",
            (Part(_signedness, "op", "an integer code of the signedness of all three dtypes"),),
            ("op", "in0_in1_dtype", "out_dtype"),
        ),
    ),
    ("V12", _dve_split),
    (
        "V13",
        changed(
            has_valid_active_channel_range,
            function="check_active_channels",
            renamed=dict.fromkeys(TILED, "has_valid_active_channel_range_with_tile"),
            confidence="M",
        ),
    ),
    ("V14a", start_addr_active_channels(SRC0, union_name="check_m3d_active_channels", confidence="M")),
    ("V14b", start_addr_active_channels(SRC1, confidence="M")),
    ("V14c", start_addr_active_channels(DST, union_name="check_m3d_active_channels", confidence="M")),
    ("V15a", pattern_valid(SRC0, union_name="mem3d_valid", confidence="M")),
    ("V15b", pattern_valid(SRC1, confidence="M")),
    ("V15c", pattern_valid(DST, union_name="mem3d_valid", confidence="M")),
    ("V16", same_element_count("s3s3d3_tt_src_element_cnt_check", SRC0, SRC1, confidence="M")),
    ("V17", same_element_count("s3s3d3_tt_dst_element_cnt_check", SRC0, DST, confidence="M")),
    ("V18", changed(tt_valid_partitions(SRC0, SRC1), confidence="M")),
    ("V19", indirect_quadrant_check_src3d(SRC0, confidence="M")),
    ("V20", indirect_quadrant_check_src3d_dst3d(SRC0, DST, confidence="M")),
)


def execute_arith(op: Operation) -> None:
    """src0 op src1 in fp32."""
    # READ
    a, b = op.read("src0"), op.read("src1")
    # COMPUTE
    code, source, target = op.code("op"), op.dtype("src0"), op.dtype("dst")
    if code == AluOp.BYPASS and source == target and op.choices["bypass-equal-dtypes"] == "raw-bits":
        result = a
    else:
        result = op.narrow(op.alu_f32(code, op.widen(a, source), op.widen(b, op.dtype("src1"))), target)
    # WRITE
    op.write("dst", result)


def execute_bitvec(op: Operation) -> None:
    """src0 op src1 on the raw bits in 32-bit lanes."""
    # READ
    a, b = (op.read(name).astype(np.uint32) for name in ("src0", "src1"))
    # COMPUTE
    result = alu_bits(op.code("op"), a, b, op.choices, dtype=op.dtype("src0"))
    # WRITE
    op.write("dst", result.astype(raw_type(op.dtype("dst"))))


_INTEGER_CODES = Unmodelled(  # legal under `int-tensor-tensor-on-dve` only
    among("op", IS_VALID_INT), "integer-band codes on two tensors (int-tensor-tensor-on-dve)"
)


def _instruction(opcode: int) -> Instruction:
    bitvec = opcode == Opcode.TENSOR_TENSOR_BITVEC_OP
    return Instruction(
        family="tensor_tensor",
        opcodes=(opcode,),
        struct=S3S3D3_TT,
        rules=RULES,
        tensors=(SRC0, SRC1, DST),
        execute=execute_bitvec if bitvec else execute_arith,
        paired=("src0", "src1", "dst"),
        two_sources=("src0", "src1"),
        lanewise=lambda record: True,
        unmodelled=() if bitvec else (_INTEGER_CODES,),
        converts=not bitvec,
        source="isa/03 section 5",
    )


INSTRUCTIONS = (_instruction(Opcode.TENSOR_TENSOR_ARITH_OP), _instruction(Opcode.TENSOR_TENSOR_BITVEC_OP))
