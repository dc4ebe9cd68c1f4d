"""Programs as text: one operation per line, destinations first, `#` starts a comment.

    ivp_oltn_2xf32  vb0, v0, v1     # the flag and a predicated destination's old value are not written
    ivp_notb        vb1, vb0
    ivp_mov2nx8t    v3, v2, vb1
    ivp_ltrni       vb2, 5          # a number where the operation takes one

Source of operand orders: isa/07 sections 10.2 and 10.8; where those print none, outputs and inputs in the order of the
table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .catalog import named
from .errors import BadInput, ProgramError, UnknownOperation
from .operation import Kind, Operand, Operation
from .registers import Name

Binding = Name | int
_FILES: Mapping[Kind, tuple[str, ...]] = MappingProxyType({
    "vec": ("v",), "scalar": ("v",), "vbool": ("vb",), "pr": ("pr",), "ar": ("a",), "bit": ("vb", "b"),
    "index": ("a",), "imm": (),
})  # fmt: skip
_IMMEDIATE = ("index", "imm")
_WORD = re.compile(r"[^\s,]+")


@dataclass(frozen=True)
class Line:
    """One operation with its registers: what is bound to each explicit output and input, by the operand's name."""

    number: int
    text: str
    operation: Operation
    outputs: Mapping[str, Binding]
    inputs: Mapping[str, Binding]


def explicit(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """The operands that text names."""
    return tuple(operand for operand in operands if not operand.implicit)


def syntax(row: Operation) -> str:
    """How a line of an operation looks."""
    words = [_placeholder(operand) for operand in (*explicit(row.outputs), *explicit(row.inputs))]
    return f"{row.mnemonic} {', '.join(words)}".rstrip()


def _placeholder(operand: Operand) -> str:
    kinds = [f"{prefix}#" for prefix in _FILES[operand.kind]] + ["number"] * (operand.kind in _IMMEDIATE)
    return "|".join(kinds)


def parse(text: str) -> list[Line]:
    """The lines of a program; blank lines and comments are left out.

    Raises ProgramError with the line and column of the first thing that cannot be read.
    """
    return [
        _line(number, line.partition("#")[0])
        for number, line in enumerate(text.split("\n"), 1)
        if line.partition("#")[0].strip()
    ]


def _line(number: int, text: str) -> Line:
    column = len(text) - len(text.lstrip()) + 1
    found = _WORD.match(text, column - 1)
    if found is None:
        raise ProgramError(number, column, "expected an operation")
    try:
        row = named(found[0])
    except UnknownOperation as error:
        raise ProgramError(number, column, str(error)) from error
    if row.routine:
        reason = f"{row.mnemonic} is a value routine and names no registers; evaluate it instead"
        raise ProgramError(number, column, reason)
    outputs, inputs = explicit(row.outputs), explicit(row.inputs)
    wanted = (*outputs, *inputs)
    words = _operands(number, text, found.end())
    for place, word in words:
        if not word:
            raise ProgramError(number, place, f"an operand is missing: {syntax(row)}")
    if len(words) != len(wanted):
        place = words[len(wanted)][0] if len(words) > len(wanted) else len(text.rstrip()) + 1
        reason = f"takes {len(wanted)} operands, got {len(words)}: {syntax(row)}"
        raise ProgramError(number, place, reason)
    bound = [_bound(number, place, word, operand) for (place, word), operand in zip(words, wanted, strict=True)]
    names = [operand.name for operand in wanted]
    return Line(
        number,
        text.strip(),
        row,
        dict(zip(names[: len(outputs)], bound[: len(outputs)], strict=True)),
        dict(zip(names[len(outputs) :], bound[len(outputs) :], strict=True)),
    )


def _operands(number: int, text: str, start: int) -> list[tuple[int, str]]:
    """(column, word) of each operand."""
    words: list[tuple[int, str]] = []
    rest = text[start:].rstrip()
    position = start + len(rest) - len(rest.lstrip())
    rest = rest.lstrip()
    if not rest:
        return words
    for part in rest.split(","):
        stripped = part.strip()
        inside = _WORD.search(stripped)
        column = position + len(part) - len(part.lstrip()) + 1
        if inside is not None and inside.end() != len(stripped):
            raise ProgramError(number, column + inside.end(), "expected a comma between operands")
        words.append((column, stripped))
        position += len(part) + 1
    return words


def _bound(number: int, column: int, word: str, operand: Operand) -> Binding:
    prefixes = _FILES[operand.kind]
    if operand.kind in _IMMEDIATE and word[:1].isdigit():
        try:
            value = int(word, 0)
        except ValueError:
            raise ProgramError(number, column, f"{word[:40]!r} is no number") from None
        if value >> operand.bits:
            raise ProgramError(number, column, f"{word[:40]} does not fit into {operand.bits} bits")
        return value
    try:
        name = Name.of(word)
    except BadInput as error:
        raise ProgramError(number, column, f"{operand.name}: {error}") from error
    if name.prefix not in prefixes:
        takes = [f"a register {prefix}#" for prefix in prefixes] + ["a number"] * (operand.kind in _IMMEDIATE)
        raise ProgramError(number, column, f"{operand.name} takes {' or '.join(takes)}, got {name}")
    return name
