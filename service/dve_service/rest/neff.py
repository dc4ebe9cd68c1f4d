"""POST /v1/neff:validate."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import Field

from .. import containers
from ..containers import ValidateNeff
from ..errors import UnsupportedMediaType
from .answers import answer, size_of
from .bodies import OCTETS, from_query, media_type
from .common import Uses
from .models import Body

router = APIRouter(prefix="/v1", tags=["neff"])


class NeffQuery(Body):
    """The query of POST /v1/neff:validate."""

    generation: str | None = Field(None, description="the recorded target, unless given")
    profile: str | None = None
    verdicts: str | None = None
    lenient: bool = Field(False, description="leave out an incomplete last record")
    override_target: bool = Field(False, description="judge for `generation` although another target is recorded")

    def order(self) -> ValidateNeff:
        """The validation asked for."""
        return containers.order(self.generation, self.profile, self.verdicts, self.lenient, self.override_target)


_PARAMETERS = [
    {"name": name, "in": "query", "required": False, "schema": schema}
    for name, schema in NeffQuery.model_json_schema()["properties"].items()
]
_OPENAPI = {"requestBody": {"required": True, "content": {OCTETS: {"schema": {"type": "string", "format": "binary"}}}}}


@router.post("/neff:validate", openapi_extra={**_OPENAPI, "parameters": _PARAMETERS})
async def validate(request: Request, simulator: Uses) -> Response:
    """Judge the DVE stream of every core of a NEFF container; illegal records are an answer, not an error."""
    order = from_query(request, NeffQuery).order()
    if media_type(request) != OCTETS or request.headers.get("content-encoding", "identity") != "identity":
        raise UnsupportedMediaType(f"send a container as {OCTETS}, without a content encoding")
    declared = request.headers.get("content-length", "0")
    simulator.neff.check_size(int(declared) if declared.isdigit() else 0)
    async with simulator.neff.received(request.stream()) as file:
        validated = await simulator.neff.validate(order, file)
    size = size_of(range(validated.listed + len(validated.container.members)))
    return await answer(request, lambda: containers.validated(validated), size)
