"""A machine that runs short programs of the predicate unit: values on the register files, and when operations issue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..isa.assumptions import Choices
from .errors import ProgramError, VboolError
from .formats import VECTOR_BYTES, Format, lanes, vector
from .moves import BANKS
from .operation import Array, Operand
from .program import Binding, Line, parse
from .registers import Name, Registers
from .timing import Access, Issue, Scoreboard
from .timing import row as schedule

# Text names fields, the table names meanings: the sources of these are swapped under a choice.
_SWAPPED = {"ivp_joinb": ("vbool-joinb-order", "vbr-low", {"hi": "lo", "lo": "hi"})}
_MASKS = ("pred", "vb")  # names of the operand that is a predicated operation's mask


@dataclass(frozen=True)
class Step:
    """One operation as it ran."""

    line: int
    text: str
    mnemonic: str
    slot: str
    issue: Issue


@dataclass(frozen=True)
class RunResult:
    """The registers after a run, those it wrote in order, its operations, and the open questions it depended on."""

    registers: Registers
    written: tuple[Name, ...]
    steps: tuple[Step, ...]
    cycles: int
    assumptions: Mapping[str, str]


class VboolMachine:
    """Runs programs under one set of choices; keeps nothing between runs."""

    def __init__(self, choices: Choices | None = None) -> None:
        self._choices = choices or Choices()

    def run(
        self,
        program: str | Sequence[Line],
        registers: Registers | None = None,
        check: Callable[[], None] | None = None,
    ) -> RunResult:
        """Run a program on a copy of the registers (zero if None).

        check: called before each operation; may raise to stop. Raises ProgramError.
        """
        lines = parse(program) if isinstance(program, str) else program
        state, choices = Registers() if registers is None else registers.copy(), self._choices.fresh()
        scoreboard, steps, written = Scoreboard(), [], dict[Name, None]()
        for line in lines:
            if check is not None:
                check()
            try:
                values = _inputs(line, state, choices)
                results = line.operation(*values, choices=choices)
            except VboolError as error:
                raise ProgramError(line.number, 1, str(error)) from error
            for name, value in _outputs(line, results, state):
                state[name] = value
                written[name] = None
            steps.append(_step(line, scoreboard, choices))
        return RunResult(state, tuple(written), tuple(steps), scoreboard.cycles, choices.used)


# --- values ------------------------------------------------------------------------------------------------


def _inputs(line: Line, state: Registers, choices: Choices) -> list[Array]:
    swapped: Mapping[str, str] = {}
    if line.operation.mnemonic in _SWAPPED:
        identifier, value, exchanged = _SWAPPED[line.operation.mnemonic]
        swapped = exchanged if choices[identifier] == value else {}
    return [_read(operand, _bound(line, operand, swapped), state) for operand in line.operation.inputs]


def _bound(line: Line, operand: Operand, swapped: Mapping[str, str]) -> Binding | None:
    if operand.tied:
        return line.outputs[operand.tied]
    return line.inputs.get(swapped.get(operand.name, operand.name))


def _read(operand: Operand, bound: Binding | None, state: Registers) -> Array:
    if isinstance(bound, int):
        return np.full(state.cases, bound, np.uint64)
    if bound is None:  # the FS bank
        return state.bank
    value = state[bound]
    if operand.kind == "scalar":
        return np.asarray(lanes(value, _format(operand))[..., 0].astype(np.uint64))
    return value & np.uint64(1) if operand.kind == "bit" else value


def _format(operand: Operand) -> Format:
    return Format("", operand.bits)


def _outputs(line: Line, results: Any, state: Registers) -> list[tuple[Name, Array]]:
    found: list[tuple[Name, Array]] = []
    columns = results if isinstance(results, tuple) else (results,)
    for operand, value in zip(line.operation.outputs, columns, strict=True):
        if operand.kind == "flag":
            state.invalid = state.invalid | value  # sticky
        elif operand.kind == "fs":
            found += [(Name("fs", bank), value[..., bank]) for bank in range(BANKS)]
        elif operand.bank is not None:
            found.append((Name("fs", operand.bank), value))
        else:
            bound = line.outputs[operand.name]
            assert isinstance(bound, Name)
            found.append((bound, _spread(operand, value) if operand.kind == "scalar" else value))
    return found


def _spread(operand: Operand, value: Array) -> Array:
    """A reduced value in every lane of its width.

    One page puts it in lane 0 and leaves the others open, another broadcasts it; this is both.
    """
    fmt = _format(operand)
    return vector(np.repeat(np.asarray(value)[..., None], 8 * VECTOR_BYTES // fmt.bits, axis=-1), fmt)


# --- schedule ----------------------------------------------------------------------------------------------


def _step(line: Line, scoreboard: Scoreboard, choices: Choices) -> Step:
    row = schedule(line.operation.mnemonic, choices)
    reads = []
    for operand in line.operation.inputs:
        for name in _names(operand, _bound(line, operand, {})):
            stages = row.reads.get(name.prefix)
            if stages:
                stage = max(stages) if operand.name in _MASKS and not operand.tied else min(stages)
                reads.append(Access((name.prefix, name.index), stage))
    writes = []
    for operand in line.operation.outputs:
        for name in _names(operand, line.outputs.get(operand.name)):
            writes.append(Access((name.prefix, name.index), row.results[name.prefix]))
    issue = scoreboard.issue(reads, writes)
    return Step(line.number, line.text, line.operation.mnemonic, row.slot, issue)


def _names(operand: Operand, bound: Binding | None) -> list[Name]:
    if isinstance(bound, Name):
        return [bound]
    if operand.bank is not None:
        return [Name("fs", operand.bank)]
    return [Name("fs", bank) for bank in range(BANKS)] if operand.kind == "fs" else []
