"""STREAM_SHUFFLE (0x6A): move whole lanes inside every block of 32, as the mask loaded by LOAD_MASK_SELECT says.

Lane i of a block receives lane mask[i] of the same block, bit for bit; 255 leaves the destination lane as it is. All
sources are read before anything is written, so source and destination may be the same. Source: isa/06 section 5.7 [H;
bytes 32..63 L].
"""

from __future__ import annotations

import numpy as np

from ..isa.layout import S4D4_TR
from ..isa.opcodes import Opcode
from ..memory.tiles import TILE
from ..rules.header import opcode_in
from ..rules.rule import numbered
from ..rules.s4d4_tr import DST, SRC, copy_rules, has_multiple_32_channels
from .errors import NotModelled
from .instruction import Instruction
from .load_mask_select import KEEP, refuse_reserved
from .operation import Operation

RULES = numbered(
    "SSH",
    *copy_rules(opcode_in("has_stream_shuffle_opcode", 0x6A, named_by_us=True), same_dtype=True),
    ("V16", has_multiple_32_channels),
)


def execute(op: Operation) -> None:
    """Move the lanes."""
    # READ
    elements = op.read("src")
    mask = op.state.banks["lane_mask"]
    # COMPUTE
    if ((mask >= 2 * TILE) & (mask != KEEP)).any():
        raise NotModelled(f"lane mask bytes {2 * TILE} to {KEEP - 1} have no meaning")
    refuse_reserved(mask, op.choices)
    if ((mask >= TILE) & (mask != KEEP)).any():
        op.diagnose("reserved_mask_byte", f"mask bytes {TILE} to {2 * TILE - 1} leave their lanes as they are")
    moved = np.tile(mask < TILE, op.lanes // TILE)
    source = np.arange(op.lanes) // TILE * TILE + np.tile(np.where(mask < TILE, mask, 0), op.lanes // TILE)
    # WRITE
    op.write("dst", elements[source], None if moved.all() else np.broadcast_to(moved[:, None], elements.shape))


INSTRUCTION = Instruction(
    family="stream_shuffle",
    opcodes=(Opcode.STREAM_SHUFFLE,),
    struct=S4D4_TR,
    rules=RULES,
    tensors=(SRC, DST),
    execute=execute,
    paired=("src", "dst"),
    source="isa/06 section 5.7",
)
