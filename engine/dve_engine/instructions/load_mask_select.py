"""LOAD_MASK_SELECT (0x69): load the lane mask that STREAM_SHUFFLE and STREAM_TRANSPOSE use, one table of 32 bytes for
the engine.

Byte i names the source lane of lane i of every 32-lane block; 255 keeps the lane. 32 to 63 pass the rules without a
documented meaning (`mask-byte-32-63`). Source: isa/06 section 5.6 [H rules; effect M].
"""

from __future__ import annotations

import numpy as np

from ..banks import Bank
from ..isa.assumptions import Choices
from ..isa.layout import CTRL_IM
from ..isa.opcodes import Opcode
from ..memory.tiles import TILE
from ..rules.batch import Batch, Bools
from ..rules.fields import reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.rule import Part, Rule, numbered
from .bound import Binding
from .errors import ExecutionError
from .instruction import Instruction
from .operation import Operation

KEEP = 255


def _mask_bytes(batch: Batch) -> Bools:
    mask = batch.column("immediate")
    return np.asarray(((mask < 2 * TILE) | (mask == KEEP)).all(axis=1))


RULES = numbered(
    "LMS",
    ("P1", has_valid_neuron_header),
    ("P2", has_valid_neuron_events),
    ("P3", opcode_in("has_load_mask_select_opcode", 0x69, named_by_us=True)),
    ("V1", reserved_zero("has_zero_pram_offset", "param_ram_offset")),
    (
        "V2",
        Rule("has_valid_masksel_data", (Part(_mask_bytes, "immediate", "bytes below 64, or 255"),), ("immediate",)),
    ),
    ("V3", reserved_zero("ctrl_im_reserved_zero", "reserved0")),
    ("V4", reserved_zero("ctrl_imm_ptr_select_zero", "imm_ptr_select")),
)


def refuse_reserved(mask: Bank, choices: Choices) -> None:
    """Raise ExecutionError for bytes 32 to 63 where `mask-byte-32-63` asks for it."""
    reserved = (mask >= TILE) & (mask < 2 * TILE)
    if reserved.any() and choices["mask-byte-32-63"] == "error":
        lane = int(np.argmax(reserved))
        raise ExecutionError(f"mask byte {int(mask[lane])} of lane {lane} has no meaning", lane=lane)


def check(record: np.void, binding: Binding, choices: Choices) -> None:
    """Bytes that the rules admit without a meaning."""
    refuse_reserved(record["immediate"], choices)


def execute(op: Operation) -> None:
    """Replace the lane mask."""
    # WRITE
    op.state.banks.replace("lane_mask", op.record["immediate"].copy())


INSTRUCTION = Instruction(
    family="load_mask_select",
    opcodes=(Opcode.LOAD_MASK_SELECT,),
    struct=CTRL_IM,
    rules=RULES,
    execute=execute,
    check=check,
    source="isa/06 section 5.6",
)
