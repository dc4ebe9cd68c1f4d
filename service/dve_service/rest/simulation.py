"""POST /v1/validate and /v1/run."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from .. import documents
from .answers import answer, size_of
from .bodies import OCTETS, parsed_or_octets
from .common import Uses, takes
from .models import RunBody, ValidateBody

router = APIRouter(prefix="/v1", tags=["simulation"])


@router.post("/validate", openapi_extra=takes(ValidateBody, OCTETS))
async def validate(request: Request, simulator: Uses) -> Response:
    """Tell which records of a program are legal on a generation. Illegal records are an answer, not an error."""
    body, code = await parsed_or_octets(request, ValidateBody)
    validated = await simulator.validate(body.order(code))
    return await answer(request, lambda: documents.validated(validated), size_of(validated.verdicts))


@router.post("/run", openapi_extra=takes(RunBody, OCTETS))
async def run(request: Request, simulator: Uses) -> Response:
    """Run a program on the state the request describes; nothing is kept unless an image is asked for."""
    body, code = await parsed_or_octets(request, RunBody)
    ran = await simulator.run(body.order(code))
    return await answer(request, lambda: documents.ran(ran), size_of(ran.verdicts, ran.memory, ran.trace))
