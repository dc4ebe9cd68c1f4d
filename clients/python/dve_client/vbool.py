"""The predicate unit: what is asked, what is answered, and the client's two calls.

Values are spelled as in docs/isa/vectors/vbool.json; integers, 64 bytes and lists of integers are spelled for the
caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .answers import Document
from .errors import BadInput
from .retry import Retry
from .transports.port import Transport
from .vbool_requests import VboolEvalRequest, VboolRunRequest
from .verdicts import AssumptionUse

Value = str | int | bytes | npt.NDArray[Any] | Sequence[int | str]
Operation = tuple[str, Mapping[str, Value]]
_VECTOR_BYTES = 64


@dataclass(frozen=True)
class VboolEvaluation:
    """Outputs in the order asked: one value, or an object of several."""

    outputs: tuple[Any, ...]
    assumptions: tuple[AssumptionUse, ...]
    engine_version: str
    isa_version: str


@dataclass(frozen=True)
class VboolStep:
    """One operation of a program: its line, when it issued, how long it waited and for which register."""

    line: int
    op: str
    text: str
    slot: str
    issue: int
    stalls: int
    waits_for: str | None


@dataclass(frozen=True)
class VboolRun:
    """Registers by name, the sticky Invalid bit, and the schedule."""

    registers: Mapping[str, str]
    invalid: bool
    steps: tuple[VboolStep, ...]
    cycles: int
    assumptions: tuple[AssumptionUse, ...]
    engine_version: str
    isa_version: str


def spelled(value: Value) -> str | list[str]:
    """A value as the wire has it: text as it is.

    Raises BadInput for what is no value of the unit.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray):
        value = np.frombuffer(value, np.uint8)
    if isinstance(value, np.ndarray) and value.dtype == np.uint8 and value.shape == (_VECTOR_BYTES,):
        return value.tobytes().hex()
    if isinstance(value, int | np.integer):
        if value < 0:
            raise BadInput(f"{value} is negative; registers hold unsigned numbers")
        return f"0x{int(value):x}"
    if isinstance(value, np.ndarray) and value.ndim > 1:
        raise BadInput(f"a vector register is uint8 ({_VECTOR_BYTES},), got {value.dtype} {value.shape}")
    return [one if isinstance(one, str) else str(spelled(int(one))) for one in value]


def evaluation(document: Document) -> VboolEvaluation:
    """The answer to an evaluation."""
    return VboolEvaluation(tuple(one["output"] for one in document["results"]), _uses(document), *_versions(document))


def run(document: Document) -> VboolRun:
    """The answer to a run."""
    steps = tuple(VboolStep(**{"waits_for": None, **step}) for step in document["steps"])
    invalid = bool(document["flags"]["invalid"])
    return VboolRun(
        dict(document["registers"]), invalid, steps, document["cycles"], _uses(document), *_versions(document)
    )


def _uses(document: Document) -> tuple[AssumptionUse, ...]:
    return tuple(AssumptionUse(one["id"], one["value"], one["confidence"]) for one in document["assumptions"])


def _versions(document: Document) -> tuple[str, str]:
    return document["engine_version"], document["isa_version"]


class VboolCalls:
    """The part of AsyncClient that asks the predicate unit."""

    _transport: Transport
    _retry: Retry

    async def vbool_eval(
        self,
        ops: Iterable[Operation],
        *,
        profile: str | None = None,
        assumptions: Mapping[str, str] | None = None,
    ) -> VboolEvaluation:
        """Evaluate operations, each a mnemonic and its inputs by name.

        Raises UnknownOperation, InvalidField and NotModelled, whose `field` says which operation and input.
        """
        given = tuple((op, {name: spelled(value) for name, value in inputs.items()}) for op, inputs in ops)
        request = VboolEvalRequest(given, profile, dict(assumptions or {}))
        return evaluation(await self._retry.call(lambda: self._transport.vbool_eval(request)))

    async def vbool_run(
        self,
        program: str,
        *,
        registers: Mapping[str, Value] | None = None,
        invalid: bool = False,
        read: Iterable[str] = (),
        profile: str | None = None,
        assumptions: Mapping[str, str] | None = None,
    ) -> VboolRun:
        """Run a text program on registers by name; the others are zero.

        read: registers wanted back; empty for those the program writes. Raises ProgramText with line and column.
        """
        given = {name: str(spelled(value)) for name, value in (registers or {}).items()}
        request = VboolRunRequest(program, given, invalid, tuple(read), profile, dict(assumptions or {}))
        return run(await self._retry.call(lambda: self._transport.vbool_run(request)))
