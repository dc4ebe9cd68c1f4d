"""TENSOR_REDUCE_ADD_BF16 (0x8C) and TENSOR_REDUCE_MAX_BF16 (0x8D): SUNDA's twice-rate reductions of BF16.

The same values as 0x42 with ADD or MAX; the opcode decides, the op byte is not looked at. Their list has no pattern,
start or sub-dimension rule: what it lets pass is met at run time. Source: isa/05 section 10.3, isa/06 section 8.8 [H
contents; order L, values M].
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..isa.aluops import AluOp
from ..isa.assumptions import Choices
from ..isa.codes import SUBDIMS
from ..isa.dtypes import Dtype
from ..isa.generation import SUNDA
from ..isa.layout import S4D4_TR
from ..isa.opcodes import Opcode
from ..rules.channels import check_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import field_in
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import Indirection
from ..rules.packed_bf16 import access_pattern_parts, aligned_part
from ..rules.rule import Rule, changed, numbered
from ..rules.s4d4_tr import DST, SRC, mask_enable_zero, s4d4_tr_reserved_zero
from .bound import Binding
from .groups import require_one_per_group
from .instruction import Instruction
from .operation import Operation
from .tensor_reduce import fold_groups
from .unmodelled import Unmodelled

SOURCE = replace(SRC, indirection=Indirection.NEVER, checked_dtype=int(Dtype.UINT32), start_rule=False)
TARGET = replace(DST, indirection=Indirection.NEVER, start_rule=False)
_FOLDS = {Opcode.TENSOR_REDUCE_ADD_BF16: AluOp.ADD, Opcode.TENSOR_REDUCE_MAX_BF16: AluOp.MAX}

_ALL_RULES = numbered(
    "TRB",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_tensor_reduce_bf16_opcode", 0x8C, 0x8D, named_by_us=True)),
    ("V4", s4d4_tr_reserved_zero),
    ("V5", mask_enable_zero),
    ("V6", field_in("tensor_reduce_bf16_in_dtype", "in_dtype", (Dtype.BFLOAT16,), "BFLOAT16", named_by_us=True)),
    ("V7", is_valid_dtype("out_dtype", fp32r=True)),
    (
        "V8",
        Rule(
            "tensor_reduce_bf16_access_pattern_check",
            (aligned_part(SOURCE), *access_pattern_parts(SOURCE)),
            (SOURCE.field,),
        ),
    ),
    ("V9", changed(check_active_channels, function="has_valid_active_channel_range")),
)
RULES = tuple(changed(rule, generations=frozenset((SUNDA,))) for rule in _ALL_RULES)


def check(record: np.void, binding: Binding, choices: Choices) -> None:
    """What no rule of the list looks at."""
    require_one_per_group(binding, int(record["op_dim"]))


_UNMODELLED = (  # no rule of the list looks at these two fields
    Unmodelled(
        lambda batch: ~batch.among("op_dim", frozenset(SUBDIMS)),
        lambda batch, row: f"sub-dimension code {batch.column('op_dim')[row]} names no dimension",
    ),
    Unmodelled(
        lambda batch: batch.column("negated") > 1,
        lambda batch, row: f"negated is {batch.column('negated')[row]}; only 0 and 1 have a meaning",
    ),
)


def execute(op: Operation) -> None:
    """Sum or maximum of every group, in fp32."""
    # READ
    elements = op.read("src")
    # COMPUTE
    result = fold_groups(op, _FOLDS[Opcode(op.opcode)], op.widen(elements, Dtype.BFLOAT16))
    # WRITE
    op.write("dst", op.narrow(result, op.dtype("dst")))


INSTRUCTION = Instruction(
    family="tensor_reduce_bf16",
    opcodes=tuple(_FOLDS),
    struct=S4D4_TR,
    rules=RULES,
    tensors=(SOURCE, TARGET),
    execute=execute,
    check=check,
    unmodelled=_UNMODELLED,
    order_confidence="L",
    source="isa/05 section 10.3",
)
