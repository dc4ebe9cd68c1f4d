"""MAX8 (0x6C): the eight largest elements of each lane, smallest of them first.

Compared in fp32, equal elements in the order of arrival. A destination with step -1 holds them in descending order.
Source: isa/06 section 5.10 [contents of the rules H, order M; NaN L].
"""

from __future__ import annotations

import numpy as np

from ..isa.layout import S4D2_BN
from ..isa.opcodes import Opcode
from ..numerics.search import SLOTS, eight_largest
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import TensorOperand
from ..rules.patterns import element_count_in, pattern_valid
from ..rules.rule import numbered
from ..rules.search import MOST_ELEMENTS, s4d2_bn_zero_counts
from .instruction import Instruction
from .operation import Operation

SRC = TensorOperand("src", "src_mem_pattern", "in_dtype", dims=4)
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, dims=2)

RULES = numbered(
    "M8",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_max8_opcode", 0x6C, named_by_us=True)),
    ("V4", reserved_zero("s4d2_bn_reserved_zero", "reserved0", "reserved1", named_by_us=True)),
    ("V5", is_valid_dtype("in_dtype")),
    ("V6", is_valid_dtype("out_dtype", fp32r=True)),
    ("V7", has_valid_active_channel_range),
    ("V8a", start_addr_active_channels(SRC)),
    ("V8b", start_addr_active_channels(DST)),
    ("V9a", pattern_valid(SRC)),
    ("V9b", pattern_valid(DST)),
    ("V10", element_count_in("max8_src_element_cnt", SRC, SLOTS, MOST_ELEMENTS)),
    ("V11", element_count_in("max8_dst_element_cnt_8", DST, SLOTS, SLOTS)),
    ("V12", s4d2_bn_zero_counts),
)


def execute(op: Operation) -> None:
    """Store the eight largest elements in ascending order."""
    # READ
    values = op.widen(op.read("src"), op.dtype("src"), arithmetic=False)
    # COMPUTE
    ascending = np.ascontiguousarray(eight_largest(values, op.choices)[:, ::-1])
    # WRITE
    op.write("dst", op.narrow(ascending, op.dtype("dst")))


INSTRUCTION = Instruction(
    family="max8",
    opcodes=(Opcode.MAX8,),
    struct=S4D2_BN,
    rules=RULES,
    tensors=(SRC, DST),
    execute=execute,
    converts=True,
    counts=(("src", SLOTS, MOST_ELEMENTS), ("dst", SLOTS, SLOTS)),
    order_confidence="M",
    source="isa/06 section 5.10",
)
