"""What is emulated: /v1/isa, /v1/assumptions, /v1/limits."""

from __future__ import annotations

from fastapi import APIRouter, Response

from ..documents import VERSIONS, described
from .answers import json
from .common import Uses
from .query import NO_QUERY

router = APIRouter(prefix="/v1", tags=["isa"], dependencies=[NO_QUERY])


@router.get("/isa")
async def generations(simulator: Uses) -> Response:
    """All generations."""
    return json(described(simulator.describe()))


@router.get("/isa/{generation}")
async def generation(generation: str, simulator: Uses) -> Response:
    """One generation: geometry, features, aliases."""
    return json(described(simulator.describe("", generation)))


@router.get("/isa/{generation}/instructions")
async def instructions(generation: str, simulator: Uses) -> Response:
    """The instructions of a generation."""
    return json(described(simulator.describe("instructions", generation)))


@router.get("/isa/{generation}/instructions/{mnemonic}")
async def instruction(generation: str, mnemonic: str, simulator: Uses) -> Response:
    """One instruction: layout, rules, semantics, confidence."""
    return json(described(simulator.describe("instructions", generation, mnemonic)))


@router.get("/isa/{generation}/dtypes")
async def dtypes(generation: str, simulator: Uses) -> Response:
    """The dtypes of a generation."""
    return json(described(simulator.describe("dtypes", generation)))


@router.get("/isa/{generation}/aluops")
async def aluops(generation: str, simulator: Uses) -> Response:
    """The ALU codes of a generation."""
    return json(described(simulator.describe("aluops", generation)))


@router.get("/isa/{generation}/coverage")
async def coverage(generation: str, simulator: Uses) -> Response:
    """What becomes of every opcode, and the evidence: rules proved, vectors, model, dtypes."""
    return json(described(simulator.describe("coverage", generation)))


@router.get("/assumptions")
async def assumptions(simulator: Uses) -> Response:
    """The open questions: alternatives, defaults, confidence, evidence."""
    return json(described(simulator.describe("assumptions")))


@router.get("/limits")
async def limits(simulator: Uses) -> Response:
    """How much one request may ask for, by the names that errors use in `limit`."""
    return json({"limits": simulator.limits.model_dump(), **VERSIONS})
