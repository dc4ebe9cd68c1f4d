"""BATCH_NORM_GRAD_ACCUMULATE2 (0x94) and its older form (0x63): the three sums of the backward pass.

With x = src0, dy = src1, the lane's mean m (imm0) and inverse deviation v (imm1), the destination receives
[sum dy, sum (x - m) dy v v, sum (x - m) dy v], each a sequential fp32 sum from 0; it is overwritten, not accumulated.
0x63 takes both scalars through pointers and reads dtype 0 as FP32. 0x94 names its dtype and allows registers.
Source: isa/06 section 6.5 [0x63 H; order of 0x94 M; identity and order of the sums from the functional reference].
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from ..isa.aluops import AluOp
from ..isa.codes import ImmSrc
from ..isa.dtypes import Dtype
from ..isa.layout import S3S3D1_BN, S3S3D1_BN2
from ..isa.opcodes import Opcode
from ..isa.struct import Struct
from ..memory.address import shape_from_register
from ..numerics.fold import sequential
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import among, dtype_in
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.immediates import pointer_parts, register_part, source_is
from ..rules.operands import ImmediateOperand, TensorOperand, pattern_columns
from ..rules.patterns import pattern_valid, same_element_count
from ..rules.placement import tt_valid_partitions
from ..rules.rule import Part, Rule, changed, numbered
from .instruction import Instruction
from .operation import Float32, Operation

X = TensorOperand("src0", "src0_mem_pattern", "in0_in1_dtype.dtype_lo")
DY = TensorOperand("src1", "src1_mem_pattern", "in0_in1_dtype.dtype_hi")
SUMS = 3

_REALS = (Dtype.FP16, Dtype.BFLOAT16, Dtype.FP32)
_INPUTS = (*_REALS, Dtype.INT32)


def _dst(dtype: str) -> TensorOperand:
    return TensorOperand("dst", "dst_mem_pattern", dtype, write=True, dims=1)


DST, DST2 = _dst("out_dtype"), _dst("immediate_out_dtype.dtype_hi")
SCALARS = tuple(ImmediateOperand(n, n, None, "immediate_dtype", zero_means=int(Dtype.FP32)) for n in ("imm0", "imm1"))
SCALARS2 = tuple(
    ImmediateOperand(n, n, f"imm0_imm1_src.{n}_src", "immediate_out_dtype.dtype_lo", inline=False)
    for n in ("imm0", "imm1")
)


def _three_walked(dst: TensorOperand) -> Callable[[Batch], Bools]:
    def holds(batch: Batch) -> Bools:
        columns = pattern_columns(batch, dst)
        return np.asarray((columns.num[:, 0] == SUMS) | shape_from_register(columns.first, batch.generation))

    return holds


_inputs = Rule(
    "bnga_valid_input_type",
    tuple(Part(among(o.dtype, _INPUTS), o.dtype, "FP16, BFLOAT16, FP32 or INT32") for o in (X, DY)),
    ("in0_in1_dtype",),
)
_counts = changed(same_element_count("same_element_count_t3d", X, DY), named_by_us=True)


def _dst_count(dst: TensorOperand) -> Rule:
    path = "dst_mem_pattern.num_elem"
    part = Part(_three_walked(dst), path, "3 elements")
    return Rule("batch_norm_grad_accumulate_dst_element_cnt_3", (part,), (path,), named_by_us=True)


def _pointer(operand: ImmediateOperand) -> Rule:
    """Both scalars of 0x63 are pointers."""
    parts = pointer_parts(operand, source_is(operand, ImmSrc.POINTER_IMMEDIATE))
    return Rule("bnga_imm_check", parts, (operand.field, "immediate_dtype"))


def _pointer_or_register(operand: ImmediateOperand) -> Rule:
    """Those of 0x94 are pointers or registers; a value in the record is not offered."""
    path = operand.source or ""
    by_pointer, by_register = (1,), (2,)
    parts = (
        Part(among(path, by_pointer + by_register), path, "1 (pointer) or 2 (register pointer)"),
        *pointer_parts(operand, among(path, by_pointer)),
        register_part(operand, among(path, by_register)),
    )
    return Rule("bnga2_imm_check", parts, (operand.field, "imm0_imm1_src", "immediate_out_dtype"))


def _rules(
    prefix: str, name: str, opcode: int, dst: TensorOperand, immediate: Rule, *scalars: Rule
) -> tuple[Rule, ...]:
    """The list both forms share; dst says where the output dtype stands."""
    return numbered(
        prefix,
        ("P1", has_valid_neuron_header),
        ("P2", has_valid_neuron_events),
        ("P3", opcode_in(f"has_{name}_opcode", opcode, named_by_us=True)),
        ("V1", is_valid_dtype(dst.dtype, fp32r=True)),
        ("V2", is_valid_dtype(X.dtype)),
        ("V3", is_valid_dtype(DY.dtype)),
        ("V4a", start_addr_active_channels(X)),
        ("V4b", start_addr_active_channels(DY)),
        ("V4c", start_addr_active_channels(dst)),
        ("V5", has_valid_active_channel_range),
        ("V6", pattern_valid(X)),
        ("V7", pattern_valid(DY)),
        ("V8", pattern_valid(dst)),
        ("V9", _inputs),
        ("V10", dtype_in("bnga_valid_output_type", dst.dtype, _REALS)),
        ("V11", immediate),
        ("V12", _counts),
        ("V13", _dst_count(dst)),
        ("V14", scalars[0]),
        ("V15", scalars[1]),
        ("V16", tt_valid_partitions(X, DY)),
    )


RULES = _rules(
    "BNGA", "batch_norm_grad_accumulate", 0x63, DST,
    dtype_in("bnga_valid_immediate_type", "immediate_dtype", (Dtype.INVALID, *_INPUTS)),
    *(_pointer(s) for s in SCALARS),
)  # fmt: skip
RULES2 = _rules(
    "BNGA2", "batch_norm_grad_accumulate2", 0x94, DST2,
    dtype_in("bnga2_immediate_dtype", "immediate_out_dtype.dtype_lo", _INPUTS, named_by_us=True),
    *(_pointer_or_register(s) for s in SCALARS2),
)  # fmt: skip


def execute(op: Operation) -> None:
    """Write the three sums of each lane."""
    # READ
    x, dy = (op.widen(op.read(name), op.dtype(name), arithmetic=False) for name in ("src0", "src1"))
    mean, inverse = (op.widen(op.scalar(name), op.scalar_dtype(name), arithmetic=False) for name in ("imm0", "imm1"))
    # COMPUTE
    once = _product(op, op.alu_f32(AluOp.SUBTRACT, x, mean), dy, inverse)
    streams = (dy, _product(op, once, inverse), once)
    seed = np.zeros(op.lanes, np.float32)
    sums = [sequential(AluOp.ADD, seed, stream, op.choices, element_first=False) for stream in streams]
    # WRITE
    op.write("dst", op.narrow(np.stack(sums, axis=1), op.dtype("dst")))


def _product(op: Operation, *factors: Float32) -> Float32:
    """The product, rounded after each factor from the left."""
    return reduce(lambda a, b: op.alu_f32(AluOp.MULT, a, b), factors)


def _instruction(
    opcode: int,
    layout: Struct,
    rules: tuple[Rule, ...],
    dst: TensorOperand,
    scalars: tuple[ImmediateOperand, ...],
    order: str,
) -> Instruction:
    return Instruction(
        family="batch_norm_grad_accumulate",
        opcodes=(opcode,),
        struct=layout,
        rules=rules,
        tensors=(X, DY, dst),
        immediates=scalars,
        execute=execute,
        paired=("src0", "src1"),
        counts=(("dst", SUMS, SUMS),),
        two_sources=("src0", "src1"),
        order_confidence=order,
        source="isa/06 section 6.5",
    )


INSTRUCTIONS = (
    _instruction(Opcode.BATCH_NORM_GRAD_ACCUMULATE2, S3S3D1_BN2, RULES2, DST2, SCALARS2, "M"),
    _instruction(Opcode.BATCH_NORM_GRAD_ACCUMULATE, S3S3D1_BN, RULES, DST, SCALARS, "H"),
)
