"""Records as text. Every record has one, legal or not, and it assembles to the same 64 bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from ..isa.generation import Generation
from ..isa.opcodes import CATALOG
from ..isa.struct import decode
from . import events
from .fields import Reading
from .notation import notation
from .words import mnemonic

RAW = ".raw"


def text_of(record: bytes, generation: Generation) -> str:
    """One record as one line of text.

    An opcode that the generation does not have is `.raw` and hex digits. Bits that no field says, reserved bytes and
    what no source describes, are `byte[n]=0x..` or `byte[m..n]=0x..`, in the order they lie.
    """
    opcode = record[0]
    if opcode not in CATALOG or not CATALOG[opcode].is_member(generation):
        return f"{RAW} {record.hex()}"
    form = notation(opcode)
    reading = Reading(form.layout, record)
    reading.say("header.opcode")
    found = events.write(reading, generation)
    tokens = (token.write(reading, generation) for token in form.tokens)
    found += [token for token in tokens if token is not None]
    return " ".join([mnemonic(opcode), *found, *(_bytes(at, data) for at, data in reading.unsaid())])


def disassemble(
    program: bytes | npt.NDArray[np.uint8], generation: Generation, *, check: Callable[[], None] | None = None
) -> list[str]:
    """The lines of a program, one per record.

    check: called before each record; whatever it raises ends the work. Raises ProgramLengthError.
    """
    return list(_lines(decode(program), generation, check))


def _lines(records: npt.NDArray[np.uint8], generation: Generation, check: Callable[[], None] | None) -> Iterator[str]:
    for record in records:
        if check is not None:
            check()
        yield text_of(record.tobytes(), generation)


def _bytes(offset: int, data: bytes) -> str:
    place = str(offset) if len(data) == 1 else f"{offset}..{offset + len(data) - 1}"
    return f"byte[{place}]=0x{data.hex()}"
