"""BATCH_NORM_PARAM_LOAD (0x64) and BATCH_NORM_PARAM_LOAD2 (0x8E): load N, mean, A, B and C for BATCH_NORM_BACK_PROP.

No destination: each active lane keeps five fp32 numbers in the engine. 0x64 reads A, B, C from its source, N from the
record and the mean through imm0; 0x8E reads B, C from its source, N from the record, mean and A through imm0 and imm1
(which is which: `bn-param-load2-roles`). Immediate sources 0 and 1 both mean a pointer, 2 a register.
Source: isa/06 section 6.6 [layouts H; roles of A, B, C M; order of the rules L].
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..isa.dtypes import Dtype
from ..isa.layout import S2_BN, S2_BNPL2
from ..isa.opcodes import Opcode
from ..memory.address import shape_from_register
from ..rules.batch import Batch, Bools
from ..rules.fields import among, dtype_in, float_finite_part, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.immediates import immediate_parts
from ..rules.operands import ImmediateOperand, TensorOperand, pattern_columns
from ..rules.rule import Part, Rule, changed, numbered
from .instruction import Instruction
from .operation import Float32, Operation, Words

SRC = TensorOperand("src", "src_mem_pattern", "dtype", dims=2, pattern_rule=False, start_rule=False)
SRC2 = TensorOperand("src", "src_mem_pattern", "src_dtype", dims=2, pattern_rule=False, start_rule=False)
MEAN = ImmediateOperand("imm0", "imm0_ptr", "imm0_src", int(Dtype.FP32), inline=False)
IMM0, IMM1 = (ImmediateOperand(n, f"{n}_ptr", f"{n}_src", "immediate_dtype", inline=False) for n in ("imm0", "imm1"))

_REALS = (Dtype.FP32, Dtype.FP16, Dtype.BFLOAT16)
_REAL_NAMES = "FP32, FP16 or BFLOAT16"


def _in_one_row(operand: TensorOperand, count: int) -> Callable[[Batch], Bools]:
    """count x 1 or 1 x count; a rule on one pattern, waived by its shape marker."""

    def holds(batch: Batch) -> Bools:
        columns = pattern_columns(batch, operand)
        x, y = columns.num[:, 0], columns.num[:, 1]
        row = ((x == count) & (y == 1)) | ((x == 1) & (y == count))
        return np.asarray(row | shape_from_register(columns.first, batch.generation))

    return holds


def _src_count(name: str, operand: TensorOperand, count: int) -> Rule:
    part = Part(_in_one_row(operand, count), "src_mem_pattern.num_elem", f"{count} x 1 or 1 x {count} elements")
    return Rule(f"{name}_src_element_cnt_{count}", (part,), ("src_mem_pattern",), named_by_us=True)


RULES = numbered(
    "BNPL",
    ("P1", has_valid_neuron_header),
    ("P2", has_valid_neuron_events),
    ("P3", opcode_in("has_batch_norm_param_load_opcode", 0x64, named_by_us=True)),
    (
        "V1",
        changed(
            reserved_zero("s2_bn_reserved_zero", "reserved0", "reserved1", "reserved2", "reserved3", named_by_us=True),
            confidence="M",
        ),
    ),
    ("V2", dtype_in("batch_norm_param_load_dtype", "dtype", _REALS, named_by_us=True)),
    ("V3", _src_count("batch_norm_param_load", SRC, 3)),
    ("V4", Rule("batch_norm_param_load_finite_count", (float_finite_part("imm1"),), ("imm1",), named_by_us=True)),
    (
        "V5",
        Rule("batch_norm_param_load_immediate", immediate_parts(MEAN), ("imm0_ptr", "imm0_src"), named_by_us=True),
    ),
)

RULES2 = numbered(
    "BNPL2",
    ("P1", has_valid_neuron_header),
    ("P2", has_valid_neuron_events),
    ("P3", opcode_in("has_batch_norm_param_load2_opcode", 0x8E, named_by_us=True)),
    (
        "V1",
        changed(
            reserved_zero("s2_bnpl2_reserved_zero", "reserved0", "reserved1", "reserved2", named_by_us=True),
            confidence="M",
        ),
    ),
    (
        "V2",
        Rule(
            "batch_norm_param_load2_dtypes",
            tuple(Part(among(p, _REALS), p, _REAL_NAMES) for p in ("src_dtype", "immediate_dtype")),
            ("src_dtype", "immediate_dtype"),
            named_by_us=True,
        ),
    ),
    ("V3", _src_count("batch_norm_param_load2", SRC2, 2)),
    (
        "V4",
        Rule(
            "batch_norm_param_load2_immediates",
            (*immediate_parts(IMM0), *immediate_parts(IMM1)),
            ("imm0_ptr", "imm0_src", "imm1_ptr", "imm1_src"),
            named_by_us=True,
        ),
    ),
)


def execute(op: Operation) -> None:
    """Keep N from the record, the mean through its pointer, A, B and C from the source."""
    # READ
    abc = op.widen(op.read("src"), op.dtype("src"))
    mean = _scalar(op, "imm0")
    # WRITE
    _keep(op, op.code("imm1"), mean, abc[:, 0], abc[:, 1], abc[:, 2])


def execute2(op: Operation) -> None:
    """Keep N from the record, mean and A through their pointers, B and C from the source."""
    # READ
    bc = op.widen(op.read("src"), op.dtype("src"))
    mean, a = _scalar(op, "imm0"), _scalar(op, "imm1")
    # COMPUTE
    same = np.array_equal(_bits(mean), _bits(a))
    if not same and op.choices["bn-param-load2-roles"] == "imm1-mean":
        mean, a = a, mean
    # WRITE
    _keep(op, op.code("element_count"), mean, a, bc[:, 0], bc[:, 1])


def _scalar(op: Operation, name: str) -> Float32:
    """One fp32 number per lane."""
    return op.widen(op.scalar(name), op.scalar_dtype(name))[:, 0]


def _bits(values: Float32) -> Words:
    return np.ascontiguousarray(values).view(np.uint32)


def _keep(op: Operation, count: int, *parameters: Float32) -> None:
    """Store N (its fp32 bits), mean, A, B and C of the active lanes."""
    rows = op.state.banks["batch_norm"][: op.lanes]
    rows[:, 0] = count
    for column, values in enumerate(parameters, 1):
        rows[:, column] = _bits(values)


INSTRUCTIONS = (
    Instruction(
        family="batch_norm_param_load",
        opcodes=(Opcode.BATCH_NORM_PARAM_LOAD,),
        struct=S2_BN,
        rules=RULES,
        tensors=(SRC,),
        immediates=(MEAN,),
        execute=execute,
        counts=(("src", 3, 3),),
        order_confidence="L",
        source="isa/06 section 6.6",
    ),
    Instruction(
        family="batch_norm_param_load",
        opcodes=(Opcode.BATCH_NORM_PARAM_LOAD2,),
        struct=S2_BNPL2,
        rules=RULES2,
        tensors=(SRC2,),
        immediates=(IMM0, IMM1),
        execute=execute2,
        counts=(("src", 2, 2),),
        order_confidence="L",
        source="isa/06 section 6.6",
    ),
)
