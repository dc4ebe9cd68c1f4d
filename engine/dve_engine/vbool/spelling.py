"""Values as vectors/vbool.json spells them, and evaluation in those words.

Numbers are "0x" and hex digits, most significant first; a vector register is 128 hex digits without it, byte 0 first;
lists are lists. One output is the value alone where the operation is `bare`, else an object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..isa.assumptions import Choices
from .catalog import named
from .errors import BadInput, UnknownOperation, VboolError
from .moves import BANKS
from .operation import Array, Operand, Operation

Spelled = Mapping[str, Any]
_VECTOR_DIGITS = 128


def number(text: Any, bits: int, name: str = "") -> int:
    """A number of at most `bits` bits.

    Raises BadInput.
    """
    if not isinstance(text, str) or not text.startswith("0x") or not 2 < len(text) <= 18:
        raise BadInput(name, f"{_shown(text)} is not '0x' and 1 to 16 hex digits")
    try:
        value = int(text[2:].encode("ascii"), 16) if text[2:].isalnum() else -1
    except ValueError:
        value = -1
    if value < 0:
        raise BadInput(name, f"{_shown(text)} is not '0x' and 1 to 16 hex digits")
    if value >> bits:
        raise BadInput(name, f"{text} does not fit into {bits} bits")
    return value


def register(text: Any, name: str = "") -> Array:
    """A vector register, uint8 (64,)."""
    if isinstance(text, str) and len(text) == _VECTOR_DIGITS and text.isalnum() and text.isascii():
        try:
            return np.frombuffer(bytes.fromhex(text), np.uint8)
        except ValueError:
            pass
    raise BadInput(name, f"{_shown(text)} is not {_VECTOR_DIGITS} hex digits")


def _shown(text: Any) -> str:
    said = repr(text)
    return said if len(said) <= 40 else said[:37] + "..."


def read(operand: Operand, given: Any) -> Array:
    """One input."""
    if operand.kind == "vec":
        return register(given, operand.name)
    if operand.kind not in ("fs", "list"):
        return np.uint64(number(given, operand.bits, operand.name))  # type: ignore[return-value]
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise BadInput(operand.name, f"{_shown(given)} is not a list")
    if operand.kind == "fs" and len(given) != BANKS:
        raise BadInput(operand.name, f"takes {BANKS} words, got {len(given)}")
    return np.array([number(item, operand.bits, f"{operand.name}.{n}") for n, item in enumerate(given)], np.uint64)


def hexadecimal(value: int, bits: int, *, counted: bool = False) -> str:
    """A number with all its digits, or without leading zeros."""
    return f"0x{value:x}" if counted else f"0x{value:0{-(-bits // 4)}x}"


def write(operand: Operand, value: Any) -> Any:
    """One output of one case."""
    if operand.kind == "vec":
        return np.asarray(value, np.uint8).tobytes().hex()
    if operand.kind in ("fs", "list"):
        return [hexadecimal(int(item), operand.bits) for item in value]
    return hexadecimal(int(value), operand.bits, counted=operand.counted)


def inputs_of(row: Operation, given: Spelled) -> list[Array | None]:
    """The inputs in order, None for one that is left out and may be.

    Raises BadInput for a value that cannot be, a name that is not an input's, or one that is missing.
    """
    names = [operand.name for operand in row.inputs]
    for name in given:
        if name not in names:
            raise BadInput(str(name)[:80], f"{row.mnemonic} takes {', '.join(names)}")
    found: list[Array | None] = []
    for operand in row.inputs:
        if operand.name in given:
            found.append(read(operand, given[operand.name]))
        elif operand.optional:
            found.append(None)
        else:
            raise BadInput(operand.name, f"{row.mnemonic} needs it")
    return found


def answers(row: Operation, results: Any, cases: int) -> list[Any]:
    """The outputs of an evaluation over `cases` cases, spelled."""
    columns = results if isinstance(results, tuple) else (results,)
    outputs = zip(row.outputs, columns, strict=True)
    spelled = [[write(operand, column[n]) for n in range(cases)] for operand, column in outputs]
    if row.bare:
        return spelled[0]
    names = [operand.name for operand in row.outputs]
    return [dict(zip(names, case, strict=True)) for case in zip(*spelled, strict=True)]


class EvaluationError(VboolError):
    """An operation of a list that cannot be evaluated: its place, the input at fault or None, and the error itself."""

    def __init__(self, position: int, cause: VboolError) -> None:
        self.position, self.cause = position, cause
        super().__init__(f"operation {position}: {cause}")


def evaluate(mnemonic: str, inputs: Spelled, choices: Choices | None = None) -> Any:
    """One operation on spelled inputs.

    Raises UnknownOperation and BadInput.
    """
    row = named(mnemonic)
    arrays = [None if one is None else np.asarray(one)[None] for one in inputs_of(row, inputs)]
    return answers(row, row(*arrays, choices=choices), 1)[0]


def evaluate_all(
    ops: Sequence[tuple[str, Spelled]], choices: Choices, check: Callable[[], None] | None = None
) -> list[Any]:
    """Many operations; those with the same mnemonic, inputs and list lengths are evaluated in one call.

    check: called before each call; may raise to stop. Raises EvaluationError for an operation that cannot be evaluated.
    """
    groups: dict[tuple[Any, ...], list[tuple[int, list[Array | None]]]] = {}
    for position, (mnemonic, given) in enumerate(ops):
        try:
            row = named(mnemonic)
            arrays = inputs_of(row, given)
        except VboolError as error:
            raise EvaluationError(position, error) from error
        shape = (mnemonic, *(None if one is None else one.shape for one in arrays))
        groups.setdefault(shape, []).append((position, arrays))
    found: list[Any] = [None] * len(ops)
    for (mnemonic, *_), members in groups.items():
        if check is not None:
            check()
        row = named(mnemonic)
        columns = zip(*(arrays for _, arrays in members), strict=True)
        stacked = [None if column[0] is None else np.stack(column) for column in columns]
        try:
            results = row(*stacked, choices=choices)
        except (BadInput, UnknownOperation) as error:
            raise EvaluationError(members[0][0], error) from error
        for (position, _), answer in zip(members, answers(row, results, len(members)), strict=True):
            found[position] = answer
    return found
