"""Text as records: the grammar is in docs/assembly.md.

All mistakes of a text are found, not only the first, up to a bound. A mistake ends its token, not its line.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..isa.generation import GENERATIONS, RECORD_BYTES, Generation
from . import events
from .cursor import Cursor
from .disassembler import RAW
from .errors import MAX_MISTAKES, AssemblyError, Mistake, Unreadable, unknown
from .fields import Draft
from .notation import notation
from .tokens import Line
from .words import mnemonic, opcodes

_COMMENT = re.compile("[#;]")
_WORDS = re.compile(r"\$?S\[[^\]\s]*\][ \t]+\([^()\s]*\)\S*|\S+")  # a semaphore's name may stand apart
_BYTE = re.compile(r"byte\[([0-9]{1,3})(?:\.\.([0-9]{1,3}))?\]=0[xX]([0-9A-Fa-f]+)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_EQU = ".equ"
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*=")


def assemble(text: str, generation: Generation, *, check: Callable[[], None] | None = None) -> bytes:
    """The records of a text, one after the other.

    check: called before each line; whatever it raises ends the work.
    Raises AssemblyError with every mistake up to a bound.
    """
    return b"".join(_Assembler(generation).records(text, check))


class _Assembler:
    """One text: names defined so far and mistakes found so far."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._names: dict[str, int] = {}
        self._mistakes: list[Mistake] = []
        self._number = 0

    def records(self, text: str, check: Callable[[], None] | None) -> list[bytes]:
        found = []
        for self._number, line in enumerate(text.split("\n"), 1):
            if check is not None:
                check()
            record = self._line(_COMMENT.split(line.removesuffix("\r"), maxsplit=1)[0])
            if record is not None:
                found.append(record)
            if len(self._mistakes) > MAX_MISTAKES:
                raise AssemblyError(tuple(self._mistakes[:MAX_MISTAKES]), more=True)
        if self._mistakes:
            raise AssemblyError(tuple(self._mistakes))
        return found

    def _line(self, line: str) -> bytes | None:
        words = [(match.start(), match.end()) for match in _WORDS.finditer(line)]
        if not words:
            return None
        (begin, end), *rest = words
        head = line[begin:end]
        try:
            if head == _EQU:
                self._define(line, rest, end)
                return None
            if head == RAW:
                return _raw(line, rest, end)
            if head.startswith("."):
                raise unknown("there is no directive", begin, head, (_EQU, RAW))
            opcode = self._opcode(begin, head)
        except Unreadable as error:
            self._note(error)
            return None
        return self._instruction(opcode, line, rest)

    def _opcode(self, begin: int, word: str) -> int:
        known = opcodes(self._generation)
        if word.upper() in known:
            return known[word.upper()]
        elsewhere = [other.name for other in GENERATIONS if word.upper() in opcodes(other)]
        if elsewhere:
            text = f"{word} is an instruction of {', '.join(elsewhere)}, not of {self._generation.name}"
            raise Unreadable(begin, word, text, known)
        raise unknown(f"{self._generation.name} has no mnemonic", begin, word, known)

    def _instruction(self, opcode: int, line: str, words: list[tuple[int, int]]) -> bytes | None:
        before = len(self._mistakes)
        state = Line(Draft(opcode, notation(opcode).layout), self._generation, [])
        seen: set[str] = set()
        for begin, end in words:
            self._guarded(begin, line[begin:end], lambda b=begin, e=end: self._token(opcode, line, b, e, state, seen))  # type: ignore[misc]
        for job in state.later:
            self._guarded(0, line, job)
        return state.draft.record() if len(self._mistakes) == before else None

    def _token(self, opcode: int, line: str, begin: int, end: int, state: Line, seen: set[str]) -> None:
        cursor = Cursor(line, begin, end, self._names)
        if events.BEGIN.match(line, begin, end):
            events.read(cursor, state)
        elif cursor.sees("byte["):
            _overlay(cursor, state)
        else:
            by_key = notation(opcode).by_key
            named = cursor.take(_KEY)
            if named is None:
                raise cursor.wrong("key=value", "S[n] and a condition")
            if named[:-1] not in by_key:
                keys = [token.key for token in notation(opcode).tokens]
                raise unknown(f"{mnemonic(opcode)} has no field", begin, named[:-1], keys)
            token = by_key[named[:-1]]
            if token.key in seen:
                raise Unreadable(begin, named[:-1], f"{token.key} stands twice in this line", ("each key once",))
            seen.add(token.key)
            token.read(cursor, state)
        cursor.finish()

    def _define(self, line: str, words: list[tuple[int, int]], end: int) -> None:
        if len(words) != 2:
            begin = words[2][0] if len(words) > 2 else end
            raise Unreadable(begin, line[begin:], "expected a name and a value", (".equ NAME VALUE",))
        name = line[slice(*words[0])]
        if not _NAME.fullmatch(name):
            raise Unreadable(words[0][0], name, f"{name[:40]!r} is no name", ("letters, digits and _",))
        if name in self._names:
            raise Unreadable(words[0][0], name, f"{name[:40]} is defined already", ("a new name",))
        cursor = Cursor(line, *words[1], self._names)
        self._names[name] = 0  # so that a value that cannot be read is one mistake, not one at every use
        self._names[name] = cursor.integer()
        cursor.finish()

    def _guarded(self, begin: int, found: str, work: Callable[[], None]) -> None:
        try:
            work()
        except Unreadable as error:
            self._note(error)
        except ValueError as error:
            self._note(Unreadable(begin, found, str(error)))

    def _note(self, error: Unreadable) -> None:
        place = (self._number, error.position + 1)
        self._mistakes.append(Mistake(*place, error.found, error.expected, error.message))


def _raw(line: str, words: list[tuple[int, int]], end: int) -> bytes:
    digits = "".join(line[slice(*word)] for word in words)
    begin = words[0][0] if words else end
    if not re.fullmatch(f"[0-9A-Fa-f]{{{2 * RECORD_BYTES}}}", digits):
        text = f"expected {2 * RECORD_BYTES} hex digits, found {len(digits)} characters"
        raise Unreadable(begin, digits, text, (f"{2 * RECORD_BYTES} hex digits",))
    return bytes.fromhex(digits)


def _overlay(cursor: Cursor, line: Line) -> None:
    """`byte[n]=0x..` or `byte[m..n]=0x..`: bytes in the order they lie, over what the fields say."""
    match = _BYTE.match(cursor.text, cursor.position, cursor.end)
    if match is None:
        raise cursor.wrong("byte[n]=0x..", "byte[m..n]=0x..")
    first, last = int(match[1]), int(match[2] or match[1])
    if len(match[3]) != 2 * (last - first + 1):
        text = f"{len(match[3])} hex digits for {max(last - first + 1, 0)} bytes"
        raise Unreadable(match.start(3), match[3], text, ("two digits for each byte",))
    line.draft.overlay(first, bytes.fromhex(match[3]))
    cursor.position = match.end()
