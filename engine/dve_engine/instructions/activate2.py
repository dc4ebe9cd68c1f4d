"""ACTIVATE2 (0x25) on MAVERICK's Vector Engine: decoded and judged, not executed.

Only the decoder's arming is known there, no handler; the function tables are outside the Vector Engine.
Source: isa/06 section 8.2 [layout and contents of the rules H, order L].
"""

from __future__ import annotations

import numpy as np

from ..isa.aluops import AluOp
from ..isa.codes import AccumCmd
from ..isa.generation import MARIANA, since
from ..isa.layout import S2D2_AC
from ..isa.opcodes import Opcode
from ..rules.batch import Batch, Bools
from ..rules.dtypes import dtype_parts
from ..rules.header import check_core_version, has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import TensorOperand
from ..rules.rule import Part, Rule, changed, numbered
from .instruction import Instruction
from .unmodelled import Unmodelled, every

SRC = TensorOperand("src", "src_mem_pattern", "in_dtype", dims=2, pattern_rule=False, start_rule=False)
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, dims=2, pattern_rule=False, start_rule=False)

_PAIRS = (
    (AluOp.MULT, AluOp.ADD),
    (AluOp.MULT, AluOp.SUBTRACT),
    (AluOp.MULT, AluOp.BYPASS),
    (AluOp.ADD, AluOp.BYPASS),
    (AluOp.SUBTRACT, AluOp.BYPASS),
    (AluOp.BYPASS, AluOp.BYPASS),
)


def _pair(batch: Batch) -> Bools:
    pairs = batch.column("op0").astype(np.uint16) << 8 | batch.column("op1")
    return np.isin(pairs, [first << 8 | second for first, second in _PAIRS])


def _reduce(batch: Batch) -> Bools:
    return np.asarray((batch.column("reduce_cmd") == AccumCmd.IDLE) == (batch.column("reduce_op") == 0))


RULES = tuple(
    changed(rule, generations=since(MARIANA))
    for rule in numbered(
        "AC2",
        ("P1", has_valid_neuron_header),
        ("P2", has_valid_neuron_events),
        ("P3", opcode_in("has_activate2_opcode", 0x25, named_by_us=True)),
        ("V1", changed(check_core_version, named_by_us=True)),
        (
            "V2",
            Rule(
                "activate2_dtypes",
                (*dtype_parts("in_dtype"), *dtype_parts("imm_dtype"), *dtype_parts("out_dtype", "fp32r")),
                ("in_dtype", "imm_dtype", "out_dtype"),
                named_by_us=True,
            ),
        ),
        (
            "V3",
            Rule(
                "activate2_ops",
                (
                    Part(
                        _pair,
                        "op0",
                        "with op1 one of MULT-ADD, MULT-SUBTRACT, or MULT, ADD, SUBTRACT or BYPASS with BYPASS",
                    ),
                ),
                ("op0", "op1"),
                named_by_us=True,
            ),
        ),
        (
            "V4",
            Rule(
                "activate2_reduce_cmd",
                (Part(_reduce, "reduce_cmd", "0 (IDLE) if and only if reduce_op is 0"),),
                ("reduce_cmd", "reduce_op"),
                named_by_us=True,
            ),
        ),
    )
)

INSTRUCTION = Instruction(
    family="activate2",
    opcodes=(Opcode.ACTIVATE2,),
    struct=S2D2_AC,
    rules=RULES,
    tensors=(SRC, DST),
    order_confidence="L",
    source="isa/06 section 8.2",
    unmodelled=(
        Unmodelled(
            every,
            "the activation function tables are outside the Vector Engine, and no source describes a handler there",
        ),
    ),
)
