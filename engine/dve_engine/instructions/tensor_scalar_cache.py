"""TENSOR_SCALAR_CACHE_REDUCE (0x9A), TENSOR_SCALAR_CACHE_CUMULATIVE (0xE6): t = src op0 imm0, folded by op1 per lane.

The fold runs through the whole pattern, one rounded fp32 step per element, element on the left, and ends in the lane
accumulator. 0x9A stores every t, 0xE6 every running value. The accumulator command seeds the fold: identity of op1,
imm1, or what the accumulator holds. Source: isa/05 section 6 [H; op0 ignoring the scalar of unary codes M].
"""

from __future__ import annotations

import numpy as np

from ..isa.aluops import IS_CACHE_REDUCE, AluOp
from ..isa.codes import AccumCmd, ImmSrc, ReverseOps
from ..isa.dtypes import FP_DATAPATH, INT6, INT_32B, Dtype, dtype_name
from ..isa.layout import S3D3_TS
from ..isa.opcodes import Opcode
from ..numerics import fold, fold_all
from ..numerics.arrays import has_minus_zero, has_nan
from ..rules import tensor_scalar as ts
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import alu_op_part, among, field_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.immediates import immediate_parts, pointer_parts, register_part
from ..rules.operands import ImmediateOperand, Indirection, TensorOperand
from ..rules.patterns import pattern_valid
from ..rules.rule import Part, Rule, changed, numbered
from ..rules.scalar_tensor_tensor import general_arith_part
from .accumulation import folded_values, leave, seed_of
from .instruction import Instruction
from .operation import Float32, Operation
from .stages import stage

SRC = TensorOperand("src", "src_mem_pattern", "in_dtype", indirection=Indirection.UNION)
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, indirection=Indirection.UNION)
SCALAR = ImmediateOperand("imm0", "imm0", "imm0_src", int(Dtype.FP32))
SEED = ImmediateOperand("imm1", "imm1", "imm1_src", int(Dtype.FP32))

_INPUTS = FP_DATAPATH | (INT6 - INT_32B)
_COMMANDS = (AccumCmd.ACCUMULATE, AccumCmd.ZERO_ACCUMULATE, AccumCmd.LOAD_ACCUMULATE)


def _loads(batch: Batch) -> Bools:
    return np.asarray(batch.column("accumulator_cmd") == AccumCmd.LOAD_ACCUMULATE)


def _narrow_output(batch: Batch) -> Bools:
    wide = batch.among("out_dtype", INT_32B)
    return ~wide if batch.depends("cache-int32-output", wide) == "reject" else batch.all_true()


def _seed_source(batch: Batch) -> Bools:
    source = batch.column("imm1_src")
    either = source <= ImmSrc.REG_PTR_IMMEDIATE
    return np.asarray(np.where(_loads(batch), either, source == ImmSrc.INSTRUCTION_IMMEDIATE))


def _seed_from(source: ImmSrc, batch: Batch) -> Bools:
    return np.asarray(_loads(batch) & (batch.column("imm1_src") == source))


_ops = Rule(
    "tensor_scalar_cache_reduce_valid_ops",
    (
        alu_op_part("op0", "is_valid_aluop"),
        alu_op_part("op1", "is_valid_aluop"),
        general_arith_part("op0"),
        Part(among("op1", IS_CACHE_REDUCE), "op1", "ADD, SUBTRACT, MULT, MAX or MIN", "is_valid_cache_reduce_op"),
    ),
    ("op0", "op1"),
)
_types = Rule(
    "tensor_scalar_cache_reduce_valid_types",
    (
        Part(among("in_dtype", _INPUTS), "in_dtype", f"one of {', '.join(map(dtype_name, sorted(_INPUTS)))}"),
        Part(_narrow_output, "out_dtype", "no 32-bit integer"),
    ),
    ("in_dtype", "out_dtype"),
)
_scalar = Rule("tensor_scalar_cache_reduce_immediates_check", immediate_parts(SCALAR), ("imm0", "imm0_src"))
_seed = Rule(
    "tensor_scalar_cache_reduce_immediates_check",
    (
        Part(_seed_source, "imm1_src", "0, with LOAD_ACCUMULATE also 1 (pointer) or 2 (register pointer)"),
        Part(lambda b: _loads(b) | (b.column("imm1") == 0), "imm1", "zero without LOAD_ACCUMULATE"),
        *pointer_parts(SEED, lambda batch: _seed_from(ImmSrc.POINTER_IMMEDIATE, batch)),
        register_part(SEED, lambda batch: _seed_from(ImmSrc.REG_PTR_IMMEDIATE, batch)),
    ),
    ("imm1", "imm1_src", "accumulator_cmd"),
)
_command = field_in(
    "has_valid_tensor_scalar_cache_reduce_accum_cmd",
    "accumulator_cmd",
    _COMMANDS,
    "2 (ACCUMULATE), 3 (ZERO_ACCUMULATE) or 4 (LOAD_ACCUMULATE)",
)
_reverse = field_in("tensor_scalar_cache_reduce_reverse_chk", "reverse_operands", (ReverseOps.NONE,), "0 (NONE)")


def _rules(prefix: str, function: str, opcode: int) -> tuple[Rule, ...]:
    """The two lists differ in the opcode rule only."""
    start, valid = "check_m3d_active_channels", "mem3d_valid"
    return numbered(
        prefix,
        ("V1", has_valid_neuron_header),
        ("V2", has_valid_neuron_events),
        ("V3", opcode_in(function, opcode)),
        ("V4", _ops),
        ("V5", _types),
        ("V6a", _scalar),
        ("V6b", _seed),
        ("V7", ts.tensor_scalar_tensor_chk(SRC, DST)),
        ("V8", _reverse),
        ("V9", reserved_zero("s3d3_ts_reserved_zero", "reserved0")),
        ("V10", _command),
        ("V11a", changed(is_valid_dtype("in_dtype"), shadowed_by=f"{prefix}-V5")),
        ("V11b", is_valid_dtype("out_dtype", fp32r=True)),
        ("V12", changed(ts.is_valid_aluop, shadowed_by=f"{prefix}-V4")),
        ("V13", has_valid_active_channel_range),
        ("V14a", start_addr_active_channels(SRC, union_name=start)),
        ("V14b", start_addr_active_channels(DST, union_name=start)),
        ("V15a", changed(pattern_valid(SRC, union_name=valid), shadowed_by=f"{prefix}-V7")),
        ("V15b", changed(pattern_valid(DST, union_name=valid), shadowed_by=f"{prefix}-V7")),
    )


def execute(op: Operation) -> None:
    """Apply op0, fold by op1, store the elements (0x9A) or the running values (0xE6)."""
    # READ
    values = op.widen(op.read("src"), op.dtype("src"))
    scalar, load = (op.scalar(name).view(np.float32) for name in ("imm0", "imm1"))
    lanes, operator = op.accumulator_lanes("src"), op.code("op1")
    seed = seed_of(op, lanes, operator, load)
    # COMPUTE
    elements: Float32 = stage(op, op.code("op0"), values, scalar, False, op.alu_f32)
    if op.opcode == Opcode.TENSOR_SCALAR_CACHE_REDUCE:
        op.choices["cache-reduce-destination"]  # elementwise-result: the other reading is not offered
        stored = op.narrow(elements, op.dtype("dst"))
        folded = folded_values(op, elements, stored)
        element_first = _element_first(op, operator, seed, folded)
        last = fold(operator, seed, folded, op.choices, element_first=element_first)
    else:
        folded = folded_values(op, elements)
        element_first = _element_first(op, operator, seed, folded)
        running = fold_all(operator, seed, folded, op.choices, element_first=element_first)
        stored, last = op.narrow(running, op.dtype("dst")), running[:, -1]
    # WRITE
    op.write("dst", stored)
    leave(op, lanes, last)


def _element_first(op: Operation, operator: int, seed: Float32, values: Float32) -> bool:
    """Operand order of a step (`fold-operand-order`), asked where it shows: SUBTRACT, NaN, zeros that order decides."""
    shows = operator == AluOp.SUBTRACT or has_nan(seed) or has_nan(values)
    if operator in (AluOp.MAX, AluOp.MIN) and (has_minus_zero(seed) or has_minus_zero(values)):
        ordered = op.choices.peek("max-nan") == "select" or op.choices.peek("max-signed-zero") == "right-operand"
        shows = shows or ordered
    return not shows or op.choices["fold-operand-order"] == "element-first"


def _instruction(prefix: str, function: str, opcode: int) -> Instruction:
    return Instruction(
        family="tensor_scalar_cache",
        opcodes=(opcode,),
        struct=S3D3_TS,
        rules=_rules(prefix, function, opcode),
        tensors=(SRC, DST),
        immediates=(SCALAR, SEED),
        execute=execute,
        converts=True,
        paired=("src", "dst"),
        source="isa/05 section 6",
    )


INSTRUCTIONS = (
    _instruction("TSCR", "has_tensor_cache_reduce_opcode", Opcode.TENSOR_SCALAR_CACHE_REDUCE),
    _instruction("TSCC", "has_tensor_cache_cumulative_opcode", Opcode.TENSOR_SCALAR_CACHE_CUMULATIVE),
)
