"""A DVE stream as text, one line per record. For people; it is not read back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..instructions.catalog import INSTRUCTIONS
from ..isa.generation import Generation
from ..isa.opcodes import CATALOG
from ..text import line, mnemonic


def lines(records: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], generation: Generation) -> Iterator[str]:
    """The lines of records, uint8 (n, 64); opcodes that the generation does not have as hex digits."""
    for row in range(len(records)):
        yield _line(records[row : row + 1], generation)


def _line(record: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], generation: Generation) -> str:
    opcode = int(record[0, 0])
    info, family = CATALOG.get(opcode), INSTRUCTIONS.get(opcode)
    if info is None or not info.is_member(generation):
        return f"0x{record.tobytes().hex()}"
    if family is None or info.engine_check_leaf(generation):
        rest = record.tobytes().rstrip(b"\0")[2:].hex()
        return f"{mnemonic(opcode)} 0x{rest}" if rest else mnemonic(opcode)
    return line(family.struct.view(record)[0], family)
