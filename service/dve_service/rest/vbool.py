"""The predicate unit: /v1/vbool."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import Field

from .. import predicates, words
from ..documents import described
from ..predicates import Evaluate, RunText
from .answers import answer, json
from .bodies import parsed
from .common import Uses, takes
from .models import Body
from .query import NO_QUERY

router = APIRouter(prefix="/v1/vbool", tags=["vbool"])
_STEP_BYTES = 256  # of an answer, for each operation


class ChoicesBody(Body):
    """How open questions are answered."""

    profile: str | None = Field(None, json_schema_extra={"enum": ["notes", "nki"]})
    assumptions: dict[str, str] = Field({}, description="open questions by id; see /v1/assumptions")


class OperationBody(Body):
    """One operation; inputs by name: "0x" and hex digits, 128 digits for a vector register, or a list of the former."""

    op: str
    inputs: dict[str, str | list[str]] = Field({}, description="by the names of /v1/vbool/operations/{mnemonic}")


class EvaluateBody(ChoicesBody):
    """POST /v1/vbool/eval."""

    ops: list[OperationBody]

    def order(self) -> Evaluate:
        """The evaluation asked for."""
        return Evaluate([(one.op, one.inputs) for one in self.ops], words.choices(self.profile, self.assumptions))


class RunTextBody(ChoicesBody):
    """POST /v1/vbool/run."""

    program: str = Field(description="one operation per line, destinations first; # starts a comment")
    registers: dict[str, str] = Field({}, description="a0..15, b0..15, v0..31, vb0..15, pr0..15, fs0..7 -> value")
    invalid: bool = Field(False, description="the sticky Invalid bit before the run")
    read: list[str] = Field([], description="registers wanted back; those the program writes where it is empty")

    def order(self) -> RunText:
        """The run asked for."""
        choices = words.choices(self.profile, self.assumptions)
        return RunText(self.program, self.registers, self.invalid, self.read, choices)


@router.post("/eval", openapi_extra=takes(EvaluateBody))
async def evaluate(request: Request, simulator: Uses) -> Response:
    """Evaluate operations of the predicate unit, in the words of docs/isa/vectors/vbool.json."""
    body = await parsed(request, EvaluateBody)
    evaluated = await simulator.vbool.evaluate(body.order())
    return await answer(request, lambda: predicates.evaluated(evaluated), _STEP_BYTES * len(evaluated.ops))


@router.post("/run", openapi_extra=takes(RunTextBody))
async def run(request: Request, simulator: Uses) -> Response:
    """Run a text program on the register files: registers, flags, issue cycles and stalls."""
    body = await parsed(request, RunTextBody)
    ran = await simulator.vbool.run(body.order())
    return await answer(request, lambda: predicates.ran(ran), _STEP_BYTES * len(ran.result.steps))


@router.get("/operations", dependencies=[NO_QUERY])
async def operations(simulator: Uses) -> Response:
    """The register files and every operation."""
    return json(described(simulator.describe("vbool")))


@router.get("/operations/{mnemonic}", dependencies=[NO_QUERY])
async def operation(mnemonic: str, simulator: Uses) -> Response:
    """One operation: operands, meaning, text, instruction words, schedule."""
    return json(described(simulator.describe("vbool", "", mnemonic)))
