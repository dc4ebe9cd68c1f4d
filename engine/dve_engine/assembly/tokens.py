"""The tokens of a line: how each field is written and read. Operands are in operands.py, events in events.py.

A token is written from a `Reading` (None where there is nothing to say) and read from a `Cursor` into a `Draft`. No
token knows an opcode; what differs between instructions is the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ..isa.dtypes import Dtype
from ..isa.generation import INST_WORD_LEN, Generation
from .cursor import Cursor, number
from .errors import Unreadable, unknown
from .fields import LENGTH_PATH, Draft, Reading, Slot
from .words import bits_of, codes, enumerated, scalar, words

_DECIMAL = 0xFFFF  # greater ones are rather bits than counts


@dataclass
class Line:
    """The line being read. later: what has to wait until every dtype of the line is known."""

    draft: Draft
    generation: Generation
    later: list[Callable[[], None]]


class Token(Protocol):
    """One kind of token of an instruction. key: what stands before `=`."""

    @property
    def key(self) -> str: ...

    def write(self, reading: Reading, generation: Generation) -> str | None:
        """The token, or None where it says nothing."""

    def read(self, cursor: Cursor, line: Line) -> None:
        """Read what stands behind `key=`. Raises Unreadable and ValueError."""


# --- words of a code -----------------------------------------------------------------------------------------


def code_word(code: int, kind: str, generation: Generation) -> str:
    """A code as its word, or as a number where the generation has none."""
    return words(kind, generation).get(code, f"0x{code:02x}")


def read_code(cursor: Cursor, kind: str, generation: Generation) -> int:
    """A code from its word or a number."""
    begin, word = cursor.position, cursor.word()
    if word is None:
        return cursor.integer()
    known = codes(kind, generation)
    if word.upper() not in known:
        raise unknown(f"{generation.name} has no {kind}", begin, word, words(kind, generation).values())
    return known[word.upper()]


# --- plain fields --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plain:
    """One field: a word of its code, an exact float, or integers. Left out where it is zero, unless `always`."""

    key: str
    slot: Slot
    always: bool = False

    def write(self, reading: Reading, generation: Generation) -> str | None:
        path, values = self.slot.path, reading.values(self.slot.path)
        if reading.said(path):
            return None
        default = INST_WORD_LEN if path == LENGTH_PATH else 0
        reading.say(path)
        if not self.always and path not in reading.forced and all(value == default for value in values):
            return None
        return f"{self.key}={','.join(self._word(value, generation) for value in values)}"

    def _word(self, value: int, generation: Generation) -> str:
        if enumerated(self.slot.kind):
            return code_word(value, self.slot.kind, generation)
        if self.slot.kind == "f32":
            return scalar(value, Dtype.FP32)
        return f"0x{value:x}" if value > _DECIMAL else str(value)

    def read(self, cursor: Cursor, line: Line) -> None:
        if enumerated(self.slot.kind):
            line.draft.give(self.slot.path, read_code(cursor, self.slot.kind, line.generation))
        elif self.slot.kind == "f32":
            begin, word = cursor.position, cursor.literal()
            if word is None:
                raise cursor.wrong("a number", "0x and the bits of an fp32")
            line.draft.give(self.slot.path, scalar_bits(word, Dtype.FP32, begin))
        else:
            line.draft.give(self.slot.path, *cursor.integers())


@dataclass(frozen=True)
class Ops:
    """`ops=OP0,OP1`: two ALU codes in the order they are applied."""

    key: str
    slots: tuple[Slot, ...]

    def write(self, reading: Reading, generation: Generation) -> str | None:
        paths = [slot.path for slot in self.slots]
        reading.say(*paths)
        return f"{self.key}={','.join(code_word(reading.peek(path), 'ALU_OP', generation) for path in paths)}"

    def read(self, cursor: Cursor, line: Line) -> None:
        for position, slot in enumerate(self.slots):
            if position:
                cursor.expect(",")
            line.draft.give(slot.path, read_code(cursor, slot.kind, line.generation))


def is_hex(word: str) -> bool:
    """Whether a literal is hex digits."""
    return word.lower().lstrip("+-").startswith("0x")


def scalar_bits(word: str, dtype: int, begin: int) -> int:
    """A literal as the bits of a scalar. Raises Unreadable at `begin`."""
    if is_hex(word):
        if word[0] in "+-":
            raise Unreadable(begin, word, "bits have no sign", ("0x and hex digits",))
        return number(word)
    try:
        value = int(word) if word.lstrip("+-").isdigit() and len(word) < 32 else float(word)
        return bits_of(value, dtype)
    except (ValueError, OverflowError) as error:
        raise Unreadable(begin, word, str(error), ("a value of the dtype", "0x and its bits")) from error
