"""RNG (0x4D): fill the destination with random bits.

Every element takes one 32-bit draw and keeps its low bytes. A caller's draws come first (`random_draws`), then the
lane's LFSR. Source: isa/06 section 7.1 [dtypes M; generator and rules beyond the shared ones L].
"""

from __future__ import annotations

from ..isa.dtypes import INT6, raw_type
from ..isa.layout import D4_MR
from ..isa.opcodes import Opcode
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.fields import dtype_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import TensorOperand
from ..rules.patterns import pattern_valid
from ..rules.rule import changed, numbered
from .draws import draw
from .instruction import Instruction
from .operation import Operation

DST = TensorOperand("dst", "dst_mem_pattern", "dtype", write=True, dims=4)

_reserved = reserved_zero("d4_mr_reserved_zero", "reserved0", "reserved1", "reserved2", "reserved3")

RULES = numbered(
    "RNG",
    ("P1", has_valid_neuron_header),
    ("P2", has_valid_neuron_events),
    ("P3", opcode_in("has_rng_opcode", 0x4D, named_by_us=True)),
    ("V1", changed(_reserved, confidence="L")),
    ("V2", changed(has_valid_active_channel_range, confidence="L")),
    ("V3", start_addr_active_channels(DST, confidence="L")),
    ("V4", pattern_valid(DST, confidence="L")),
    ("V4a", changed(dtype_in("is_valid_int_dtype_datapath", "dtype", INT6), confidence="M")),
    ("V5", changed(reserved_zero("rng_set_value_zero", "set_value", named_by_us=True), confidence="L")),
)


def execute(op: Operation) -> None:
    """Write the low bytes of one draw per element."""
    # COMPUTE
    words = draw(op, op.place("dst").elements)
    # WRITE
    op.write("dst", words.astype(raw_type(op.dtype("dst"))))


INSTRUCTION = Instruction(
    family="rng",
    opcodes=(Opcode.RNG,),
    struct=D4_MR,
    rules=RULES,
    tensors=(DST,),
    execute=execute,
    order_confidence="L",
    source="isa/06 section 7.1",
)
