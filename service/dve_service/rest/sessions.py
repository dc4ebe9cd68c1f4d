"""Sessions under /v1/sessions. Answers carry the version in ETag; If-Match takes it back."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from .. import documents, words
from ..orders import SessionView
from .answers import answer, memory, size_of
from .bodies import OCTETS, content, media_type, parsed, parsed_or_octets
from .common import MaybeRegion, QueryRegion, Uses, etag, if_match, takes
from .models import ForkBody, SessionBody, SessionRunBody, WriteBody, writes
from .query import NO_QUERY, ONLY_BYTES

router = APIRouter(prefix="/v1/sessions", tags=["sessions"])


async def _described(request: Request, view: SessionView, status: int = 200) -> Response:
    return await answer(request, lambda: documents.session(view), 0, status, etag(view.version))


@router.post("", status_code=201, openapi_extra=takes(SessionBody))
async def create(request: Request, simulator: Uses) -> Response:
    """Start a session from an image (zero memory if absent) with regions on top."""
    body = await parsed(request, SessionBody)
    simulator.limits.check("regions", len(body.memory))
    view = await simulator.sessions.create(
        words.generation(body.generation), body.image, writes(body.memory), body.ttl_seconds
    )
    return await _described(request, view, 201)


@router.get("/{session}", dependencies=[ONLY_BYTES])
async def get(request: Request, session: str, simulator: Uses) -> Response:
    """The session as it is now."""
    return await _described(request, await simulator.sessions.get(session))


@router.post("/{session}/run", openapi_extra=takes(SessionRunBody, OCTETS))
async def run(request: Request, session: str, simulator: Uses) -> Response:
    """Run on the session's state and keep what it leaves."""
    body, code = await parsed_or_octets(request, SessionRunBody)
    ran = await simulator.sessions.run(session, body.order(code), if_match(request))
    size = size_of(ran.verdicts, ran.memory, ran.trace)
    return await answer(request, lambda: documents.ran(ran), size, headers=etag(ran.version))


@router.post("/{session}/fork", status_code=201, openapi_extra=takes(ForkBody))
async def fork(request: Request, session: str, simulator: Uses) -> Response:
    """A second session with the same state. No memory is copied."""
    body = await parsed(request, ForkBody)
    return await _described(request, await simulator.sessions.fork(session, body.ttl_seconds), 201)


@router.delete("/{session}", status_code=204, dependencies=[NO_QUERY])
async def delete(session: str, simulator: Uses) -> Response:
    """Forget a session."""
    await simulator.sessions.delete(session)
    return Response(status_code=204)


@router.get("/{session}/memory")
async def read(request: Request, session: str, region: QueryRegion, simulator: Uses) -> Response:
    """One region, as JSON, application/octet-stream or application/x-npy."""
    found = await simulator.sessions.read(session, [region])
    return memory(request, found.memory[0], etag(found.version))


@router.put("/{session}/memory", openapi_extra=takes(WriteBody, OCTETS))
async def write(request: Request, session: str, region: MaybeRegion, simulator: Uses) -> Response:
    """Write regions in order as one change; a raw body goes to the region of the query."""
    if media_type(request) == OCTETS:
        changes = [words.write("body", region(), await content(request))]
    else:
        changes = writes((await parsed(request, WriteBody)).memory)
    return await _described(request, await simulator.sessions.write(session, changes, if_match(request)))
