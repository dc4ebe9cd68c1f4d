"""LOAD_PARAMETER_RAM (0x66): load eight fp32 words into the parameter RAM, one table of 256 words for the engine.

Word offset + i takes word i of the immediate. The unit and range of the offset are in no source: it is taken as an
element index, a multiple of 8 up to 248, and other values are not modelled. Source: isa/06 section 6.1 [H layout;
effect M, offset and order L].
"""

from __future__ import annotations

import numpy as np

from ..isa.layout import CTRL_IM
from ..isa.opcodes import Opcode
from ..rules.batch import Batch, Bools
from ..rules.fields import reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.rule import numbered
from .instruction import Instruction
from .operation import Operation
from .unmodelled import Unmodelled

WORDS, RAM_WORDS = 8, 256

RULES = numbered(
    "LPR",
    ("P1", has_valid_neuron_header),
    ("P2", has_valid_neuron_events),
    ("P3", opcode_in("has_load_parameter_ram_opcode", 0x66, named_by_us=True)),
    ("V1", reserved_zero("ctrl_imm_ptr_select_zero", "imm_ptr_select", named_by_us=True)),
    ("V2", reserved_zero("ctrl_im_reserved_zero", "reserved0", named_by_us=True)),
)


def _open_offset(batch: Batch) -> Bools:
    offset = batch.column("param_ram_offset")
    return np.asarray((offset % WORDS != 0) | (offset > RAM_WORDS - WORDS))


def _open_offset_reason(batch: Batch, row: int) -> str:
    offset = int(batch.column("param_ram_offset")[row])
    return f"param_ram_offset {offset}: only multiples of 8 up to 248 have a likely meaning"


def execute(op: Operation) -> None:
    """Store the eight words."""
    # READ
    words = op.record["immediate"].view("<u4")
    offset = op.code("param_ram_offset")
    # WRITE
    op.state.banks["parameter_ram"][offset : offset + WORDS] = words


INSTRUCTION = Instruction(
    family="load_parameter_ram",
    opcodes=(Opcode.LOAD_PARAMETER_RAM,),
    struct=CTRL_IM,
    rules=RULES,
    execute=execute,
    unmodelled=(Unmodelled(_open_offset, _open_offset_reason),),
    order_confidence="L",
    source="isa/06 section 6.1",
)
