"""COPY (0x46) and CAST (0x47): move elements, or convert them.

COPY moves bits whatever the dtype. CAST goes through fp32, INT32 to UINT32 included, and rounds once on the way out;
between equal dtypes it moves bits, too. The shapes may differ as long as the counts agree. Source: isa/06 sections
5.2 and 5.3 [H; place of V11a, equal dtypes of CAST M].
"""

from __future__ import annotations

import numpy as np

from ..isa.layout import S4D4_TR
from ..isa.opcodes import Opcode
from ..rules.batch import Batch, Bools
from ..rules.header import opcode_in
from ..rules.rule import Rule, numbered
from ..rules.s4d4_tr import DST, SRC, copy_rules
from .instruction import Instruction
from .operation import Operation
from .unmodelled import Unmodelled, unconvertible

COPY_RULES = numbered("COPY", *copy_rules(opcode_in("has_copy_opcode", 0x46, named_by_us=True), same_dtype=True))
CAST_RULES = numbered("CAST", *copy_rules(opcode_in("has_cast_opcode", 0x47, named_by_us=True), same_dtype=False))


def execute(op: Operation) -> None:
    """Move or convert every element."""
    # READ
    elements = op.read("src")
    # COMPUTE
    if op.opcode == Opcode.CAST:
        elements = op.convert(elements, op.dtype("src"), op.dtype("dst"))
    # WRITE
    op.write("dst", elements)


def _equal(batch: Batch) -> Bools:
    return np.asarray(batch.column("in_dtype") == batch.column("out_dtype"))


_CONVERSIONS = (
    *unconvertible("in_dtype", "out_dtype", where=lambda batch: ~_equal(batch)),
    *unconvertible("in_dtype", where=_equal, under=(("equal-dtype-conversion", "via-fp32"),)),
)


def _instruction(
    opcode: int, rules: tuple[Rule, ...], source: str, unmodelled: tuple[Unmodelled, ...] = ()
) -> Instruction:
    return Instruction(
        family="copy_cast",
        opcodes=(opcode,),
        struct=S4D4_TR,
        rules=rules,
        tensors=(SRC, DST),
        execute=execute,
        lanewise=lambda record: True,
        paired=("src", "dst"),
        unmodelled=unmodelled,
        source=source,
    )


INSTRUCTIONS = (
    _instruction(Opcode.COPY, COPY_RULES, "isa/06 section 5.2"),
    _instruction(Opcode.CAST, CAST_RULES, "isa/06 section 5.3", _CONVERSIONS),
)
