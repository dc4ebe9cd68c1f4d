"""RECIPROCAL (0x48): 1/x, element by element, in fp32.

Integers are widened first and the result is rounded once to the output dtype. The device refines a table seed;
correctly rounded division is assumed (`reciprocal-accuracy`). Source: isa/06 section 5.4 [H; last bit, subnormals and
place of V11a M].
"""

from __future__ import annotations

from ..isa.layout import S4D4_TR
from ..isa.opcodes import Opcode
from ..numerics.reciprocal import reciprocal
from ..rules.header import opcode_in
from ..rules.rule import numbered
from ..rules.s4d4_tr import DST, SRC, copy_rules
from .instruction import Instruction
from .operation import Operation

RULES = numbered("RECIP", *copy_rules(opcode_in("has_reciprocal_opcode", 0x48, named_by_us=True), same_dtype=False))


def execute(op: Operation) -> None:
    """Store 1/x."""
    # READ
    elements = op.read("src")
    # COMPUTE
    values = op.widen(elements, op.dtype("src"), arithmetic=False)
    result = op.narrow(reciprocal(values, op.choices), op.dtype("dst"))
    # WRITE
    op.write("dst", result)


INSTRUCTION = Instruction(
    family="reciprocal",
    opcodes=(Opcode.RECIPROCAL,),
    struct=S4D4_TR,
    rules=RULES,
    tensors=(SRC, DST),
    execute=execute,
    lanewise=lambda record: True,
    converts=True,
    paired=("src", "dst"),
    source="isa/06 section 5.4",
)
