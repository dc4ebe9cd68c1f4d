"""TENSOR_TENSOR_ADD_BF16 (0x8A), MULT (0x8B) and SUB (0x8F): SUNDA's packed forms of src0 op src1 on BF16 sources.

The same values as 0x41 with BF16 sources. Their list has neither channel, start nor count rules; what it lets pass is
met at run time. Source: isa/03 section 6, isa/06 section 8.8 [H contents; order, engine and values L].
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..isa.aluops import AluOp
from ..isa.dtypes import Dtype
from ..isa.generation import SUNDA
from ..isa.layout import S3S3D3_TT
from ..isa.opcodes import Opcode
from ..rules.batch import Batch, Bools
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import among
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import TensorOperand
from ..rules.packed_bf16 import access_pattern_parts
from ..rules.patterns import pattern_parts
from ..rules.rule import Part, Rule, changed, numbered
from .instruction import Instruction
from .operation import Operation

SRC0 = TensorOperand(
    "src0", "src0_mem_pattern", "in0_in1_dtype.dtype_lo", checked_dtype=int(Dtype.UINT32), start_rule=False
)
SRC1 = replace(SRC0, name="src1", field="src1_mem_pattern", dtype="in0_in1_dtype.dtype_hi")
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, start_rule=False)
OPS = {
    Opcode.TENSOR_TENSOR_ADD_BF16: AluOp.ADD,
    Opcode.TENSOR_TENSOR_MULT_BF16: AluOp.MULT,
    Opcode.TENSOR_TENSOR_SUB_BF16: AluOp.SUBTRACT,
}


def _op_of_opcode(batch: Batch) -> Bools:
    opcodes, good = batch.column("header.opcode"), batch.all_true()
    for opcode, op in OPS.items():
        good &= (opcodes != opcode) | (batch.column("op") == op)
    return good


def _expected_op(batch: Batch, row: int) -> str:
    op = OPS[Opcode(int(batch.column("header.opcode")[row]))]
    return f"0x{int(op):02X} ({op.name}), the opcode's own"


_dtypes = tuple(Part(among(o.dtype, (Dtype.BFLOAT16,)), o.dtype, "BFLOAT16") for o in (SRC0, SRC1))

_ALL_RULES = numbered(
    "TTB",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_tensor_tensor_bf16_opcode", 0x8A, 0x8B, 0x8F, named_by_us=True)),
    ("V4", Rule("has_valid_tensor_tensor_bf16_op", (Part(_op_of_opcode, "op", _expected_op),), ("op",))),
    ("V5", Rule("has_valid_tensor_tensor_bf16_in_dtype", _dtypes, ("in0_in1_dtype",))),
    ("V6", is_valid_dtype("out_dtype", fp32r=True)),
    (
        "V7",
        Rule(
            "tensor_tensor_bf16_access_pattern_check",
            (*access_pattern_parts(SRC0), *access_pattern_parts(SRC1)),
            (SRC0.field, SRC1.field),
        ),
    ),
    (
        "V8",
        Rule(
            "tensor3d_valid",
            (*pattern_parts(SRC0), *pattern_parts(SRC1), *pattern_parts(DST)),
            (SRC0.field, SRC1.field, DST.field),
        ),
    ),
)
RULES = tuple(changed(rule, generations=frozenset((SUNDA,))) for rule in _ALL_RULES)


def execute(op: Operation) -> None:
    """src0 op src1 in fp32."""
    # READ
    a, b = op.read("src0"), op.read("src1")
    # COMPUTE
    code = OPS[Opcode(op.opcode)]
    result = op.alu_f32(code, op.widen(a, Dtype.BFLOAT16), op.widen(b, Dtype.BFLOAT16))
    # WRITE
    op.write("dst", op.narrow(np.asarray(result), op.dtype("dst")))


INSTRUCTION = Instruction(
    family="tensor_tensor_bf16",
    opcodes=tuple(OPS),
    struct=S3S3D3_TT,
    rules=RULES,
    tensors=(SRC0, SRC1, DST),
    execute=execute,
    paired=("src0", "src1", "dst"),
    order_confidence="L",
    source="isa/03 section 6",
)
