"""Programs as text: assemble and disassemble. Knows no transport."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dve_engine import RECORD_BYTES, AssemblyError, Generation, assemble, disassemble

from .documents import VERSIONS, Document
from .errors import ProgramText
from .limits import Limits
from .orders import Program
from .work import Watch, Work

_EXPECTED = 32  # legal words told with one mistake


@dataclass(frozen=True)
class Assemble:
    """A text and the generation it is written for."""

    generation: Generation
    text: str


@dataclass(frozen=True)
class Assembled:
    """The answer to Assemble: n x 64 bytes."""

    generation: Generation
    code: bytes


@dataclass(frozen=True)
class Disassembled:
    """Lines, one per record."""

    generation: Generation
    lines: Sequence[str]


class Texts:
    """The use cases of text. No state is kept."""

    def __init__(self, work: Work, limits: Limits) -> None:
        self._work, self._limits = work, limits

    async def assemble(self, order: Assemble) -> Assembled:
        """Read a text. Raises ProgramText with every mistake up to a bound, LimitExceeded, Overloaded."""
        self._limits.check("text_bytes", len(order.text))
        watch = Watch(self._limits.run_seconds)
        async with self._work.slot():
            code = await self._work.engine(watch, _assembled, order, watch)
        self._limits.check("instructions", len(code) // RECORD_BYTES)
        return Assembled(order.generation, code)

    async def disassemble(self, order: Program) -> Disassembled:
        """Write records down. Raises LimitExceeded and Overloaded."""
        self._limits.check("instructions", len(order.code) // RECORD_BYTES)
        watch = Watch(self._limits.run_seconds)
        async with self._work.slot():
            lines = await self._work.engine(watch, disassemble, order.code, order.generation, check=watch)
        return Disassembled(order.generation, lines)


def _assembled(order: Assemble, watch: Watch) -> bytes:
    try:
        return assemble(order.text, order.generation, check=watch)
    except AssemblyError as error:
        first = error.mistakes[0]
        mistakes = [{**vars(one), "expected": list(one.expected[:_EXPECTED])} for one in error.mistakes]
        raise ProgramText(str(error), first.line, first.column, mistakes) from error


# --- documents ---------------------------------------------------------------------------------------------


def assembled(answer: Assembled) -> Document:
    """The answer to Assemble."""
    ends = range(0, len(answer.code), RECORD_BYTES)
    records = [answer.code[at : at + RECORD_BYTES].hex() for at in ends]
    return {"generation": answer.generation.name.lower(), "instructions": records, **VERSIONS}


def disassembled(answer: Disassembled) -> Document:
    """The answer to disassembling."""
    text = "".join(f"{line}\n" for line in answer.lines)
    return {"generation": answer.generation.name.lower(), "text": text, "lines": list(answer.lines), **VERSIONS}
