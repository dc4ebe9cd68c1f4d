"""The predicate unit: evaluate operations, run text programs, describe. Knows no transport."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dve_engine import Choices, vbool
from dve_engine.vbool import describe
from dve_engine.vbool.registers import loaded, spelled

from .documents import VERSIONS, Document, assumptions
from .errors import InvalidField, NotModelledByEngine, ProgramText, ServiceError, UnknownOperation
from .limits import Limits
from .work import Watch, Work


@dataclass(frozen=True)
class Evaluate:
    """Operations with their inputs, spelled as in docs/isa/vectors/vbool.json."""

    ops: Sequence[tuple[str, Mapping[str, Any]]]
    choices: Choices


@dataclass(frozen=True)
class Evaluated:
    """The answer to Evaluate, in order."""

    ops: Sequence[str]
    outputs: Sequence[Any]
    assumptions: Mapping[str, str]


@dataclass(frozen=True)
class RunText:
    """A text program on registers by name; the others are zero.

    read: the registers wanted back; empty for those it writes.
    """

    program: str
    registers: Mapping[str, str]
    invalid: bool
    read: Sequence[str]
    choices: Choices


@dataclass(frozen=True)
class RanText:
    """The answer to RunText."""

    registers: Mapping[str, str]
    result: vbool.RunResult


class Predicates:
    """The use cases of the predicate unit. No state is kept."""

    def __init__(self, work: Work, limits: Limits) -> None:
        self._work, self._limits = work, limits

    async def evaluate(self, order: Evaluate) -> Evaluated:
        """Evaluate operations.

        Raises UnknownOperation, InvalidField, NotModelledByEngine, LimitExceeded, Overloaded.
        """
        self._limits.check("vbool_operations", len(order.ops))
        lists = (value for _, given in order.ops for value in given.values() if isinstance(value, list))
        self._limits.check("vbool_words", sum(map(len, lists)))
        watch = Watch(self._limits.run_seconds)
        async with self._work.slot():
            return await self._work.engine(watch, _evaluated, order, watch)

    async def run(self, order: RunText) -> RanText:
        """Run a program.

        Raises ProgramText, InvalidField, LimitExceeded, Overloaded.
        """
        self._limits.check("vbool_text_bytes", len(order.program))
        self._limits.check("vbool_operations", order.program.count("\n") + 1)
        watch = Watch(self._limits.run_seconds)
        async with self._work.slot():
            return await self._work.engine(watch, _ran, order, watch)


def _evaluated(order: Evaluate, watch: Watch) -> Evaluated:
    choices = order.choices.fresh()
    with _translated():
        outputs = vbool.evaluate_all(order.ops, choices, watch)
    return Evaluated([op for op, _ in order.ops], outputs, choices.used)


def _ran(order: RunText, watch: Watch) -> RanText:
    with _translated("registers"):
        registers = loaded(order.registers)
    with _translated("read"):
        wanted = [vbool.Name.of(name) for name in order.read]
    registers.invalid = registers.invalid | order.invalid
    with _translated():
        result = vbool.VboolMachine(order.choices).run(order.program, registers, watch)
    return RanText({str(name): spelled(result.registers, name) for name in wanted or result.written}, result)


@contextmanager
def _translated(field: str = "") -> Iterator[None]:
    """Let what the engine raises inside leave as a ServiceError."""
    try:
        yield
    except vbool.EvaluationError as error:
        raise _evaluation(f"ops.{error.position}", error.cause) from error
    except vbool.ProgramError as error:
        raise ProgramText(str(error), error.line, error.column) from error
    except vbool.BadInput as error:
        raise InvalidField(f"{field}.{error.name}", error.reason) from error


def _evaluation(where: str, cause: vbool.VboolError) -> ServiceError:
    if isinstance(cause, vbool.UnknownOperation):
        if cause.reason:
            return NotModelledByEngine(f"{where}.op: {cause}", field=f"{where}.op", reason=cause.reason)
        return UnknownOperation(f"{where}.op", f"{where}.op: {cause}", cause.nearest)
    if isinstance(cause, vbool.BadInput):
        return InvalidField(f"{where}.inputs.{cause.name}", cause.reason)
    return InvalidField(where, str(cause))


# --- documents ---------------------------------------------------------------------------------------------


def described(mnemonic: str) -> Mapping[str, Any]:
    """The whole unit, or one operation.

    Raises UnknownOperation and NotModelledByEngine.
    """
    if not mnemonic:
        return {"vbool": describe.unit()}
    try:
        return describe.operation(mnemonic)
    except vbool.UnknownOperation as error:
        if error.reason:
            raise NotModelledByEngine(str(error), reason=error.reason) from error
        raise UnknownOperation("mnemonic", str(error), error.nearest) from error


def evaluated(answer: Evaluated) -> Document:
    """The answer to an evaluation."""
    results = [{"op": op, "output": output} for op, output in zip(answer.ops, answer.outputs, strict=True)]
    return {"results": results, "assumptions": assumptions(answer.assumptions), **VERSIONS}


def ran(answer: RanText) -> Document:
    """The answer to a run."""
    result = answer.result
    return {
        "registers": dict(answer.registers),
        "flags": {"invalid": bool(result.registers.invalid)},
        "steps": [_step(step) for step in result.steps],
        "cycles": result.cycles,
        "assumptions": assumptions(result.assumptions),
        **VERSIONS,
    }


def _step(step: vbool.Step) -> Document:
    issue = step.issue
    waits = None if issue.waits_for is None else "{}{}".format(*issue.waits_for)
    document: Document = {
        "line": step.line,
        "op": step.mnemonic,
        "text": step.text,
        "slot": step.slot,
        "issue": issue.cycle,
        "stalls": issue.stalls,
    }
    return document if waits is None else {**document, "waits_for": waits}
