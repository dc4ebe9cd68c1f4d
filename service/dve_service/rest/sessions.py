"""Sessions under /v1/sessions. Answers carry the version in ETag; If-Match takes it back."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from .. import documents, words
from ..orders import SessionView
from .answers import answer, json, size_of
from .bodies import OCTETS, media_type, parsed, parsed_or_octets
from .common import MaybeRegion, QueryVersion, Uses, etag, if_match, takes
from .memory import memory
from .models import ForkBody, SessionBody, SessionRunBody, WriteBody, writes
from .query import BYTES_AND_VERSION, NO_QUERY
from .uploads import UPLOADS

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


@router.get("/{session}", dependencies=[BYTES_AND_VERSION])
async def get(request: Request, session: str, version: QueryVersion, simulator: Uses) -> Response:
    """The session as it is now, or was at a version it keeps."""
    return await _described(request, await simulator.sessions.get(session, version))


@router.get("/{session}/versions", dependencies=[NO_QUERY])
async def versions(session: str, simulator: Uses) -> Response:
    """The versions the session keeps, newest first."""
    found = await simulator.sessions.versions(session)
    return json(documents.history(found), headers=etag(found.versions[0].version))


@router.post("/{session}/run", openapi_extra=takes(SessionRunBody, OCTETS))
async def run(request: Request, session: str, simulator: Uses) -> Response:
    """Run on the session's state and keep what it leaves; or run on a version it keeps, and change nothing."""
    body, code = await parsed_or_octets(request, SessionRunBody)
    ran = await simulator.sessions.run(session, body.order(code), if_match(request), at_version=body.at_version)
    size = size_of(ran.verdicts, ran.memory, ran.trace)
    return await answer(request, lambda: documents.ran(ran), size, headers=etag(ran.version))


@router.post("/{session}/fork", status_code=201, openapi_extra=takes(ForkBody))
async def fork(request: Request, session: str, simulator: Uses) -> Response:
    """A second session with the same state, or that of a version it keeps. No memory is copied."""
    body = await parsed(request, ForkBody)
    return await _described(request, await simulator.sessions.fork(session, body.ttl_seconds, body.version), 201)


@router.delete("/{session}", status_code=204, dependencies=[NO_QUERY])
async def delete(session: str, simulator: Uses) -> Response:
    """Forget a session."""
    await simulator.sessions.delete(session)
    return Response(status_code=204)


@router.get("/{session}/memory")
async def read(
    request: Request, session: str, region: MaybeRegion, version: QueryVersion, simulator: Uses
) -> Response:
    """One region, as JSON, application/octet-stream (also a Range of it) or application/x-npy.

    Of the newest version, or another that the session keeps.
    """
    place = region(None, "version")
    seen, manifest = await simulator.sessions.memory(session, version)
    headers = etag(seen)
    return await memory(request, simulator.images, manifest, place, headers["etag"], headers)


@router.put("/{session}/memory", openapi_extra=takes(WriteBody, *UPLOADS))
async def write(request: Request, session: str, region: MaybeRegion, simulator: Uses) -> Response:
    """Write regions in order as one change; raw bytes and .npy go to the region of the query."""
    kind, version = media_type(request), if_match(request)
    if kind in UPLOADS:
        view = await simulator.sessions.write_stream(session, UPLOADS[kind](request, region), version)
    else:
        changes = writes((await parsed(request, WriteBody)).memory)
        view = await simulator.sessions.write(session, changes, version)
    return await _described(request, view)
