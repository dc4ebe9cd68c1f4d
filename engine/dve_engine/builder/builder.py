"""ProgramBuilder: programs from typed calls, checked as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..assembly import disassemble
from ..assembly.errors import unknown
from ..assembly.words import opcodes
from ..isa.assumptions import Choices
from ..isa.generation import GENERATIONS, RECORD_BYTES, Generation, generation_named
from ..validator import legality, validate
from .encode import encode
from .errors import BuildError, IllegalInstruction
from .instructions import Instructions

Record = bytes  # inside the class, `bytes` is the program


class ProgramBuilder(Instructions):
    """Writes a program for one generation, one method per instruction.

    choices: how open questions are answered when records are judged; profile `notes` by default. check: False takes
    records that are not legal, to test a validator with. Each method returns the 64 bytes it appended.
    """

    def __init__(self, generation: str | Generation, *, choices: Choices | None = None, check: bool = True) -> None:
        self.generation = generation_named(generation)
        self._choices, self._check = choices or Choices(), check
        self._records: list[Record] = []

    @property
    def bytes(self) -> Record:
        """The program: n x 64 bytes."""
        return b"".join(self._records)

    @property
    def lines(self) -> list[str]:
        """The program as text, a line per record."""
        return disassemble(self.bytes, self.generation)

    @property
    def text(self) -> str:
        """The program as text."""
        return "".join(f"{line}\n" for line in self.lines)

    def __len__(self) -> int:
        return len(self._records)

    def add(self, mnemonic: str, **arguments: Any) -> Record:
        """Append an instruction by its mnemonic; the arguments are those of the method.

        Raises BuildError and IllegalInstruction.
        """
        known = {word: code for generation in GENERATIONS for word, code in opcodes(generation).items()}
        if mnemonic.upper() not in known:
            raise BuildError(unknown("no generation has a mnemonic", 0, mnemonic, known).message)
        return self._append(known[mnemonic.upper()], arguments)

    def raw(self, record: Record) -> Record:
        """Append a record as it is. Raises BuildError for another length, IllegalInstruction."""
        if len(record) != RECORD_BYTES:
            raise BuildError(f"a record has {RECORD_BYTES} bytes, not {len(record)}")
        if self._check and not legality(record, self.generation, self._choices)[0]:
            verdict = validate(record, self.generation, self._choices).verdicts[0]
            raise IllegalInstruction(record, verdict, self.generation)
        self._records.append(record)
        return record

    def _append(self, opcode: int, arguments: Mapping[str, Any]) -> Record:
        own = {name: value for name, value in arguments.items() if name not in ("self", "common")}
        return self.raw(encode(opcode, self.generation, {**own, **arguments.get("common", {})}))
