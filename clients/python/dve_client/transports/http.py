"""REST over HTTP: JSON, base64 for bytes, problem documents for errors."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import httpx2

from dve_engine import Region

from .. import documents
from ..answers import BlockPlace, Document
from ..errors import BadInput, NoAnswer, ServiceError, TimedOut, UnexpectedAnswer, Unreachable, error_of
from ..memory import Filling, MemoryRegion, pieces
from ..neff_requests import NeffRequest
from ..problem import Problem
from ..requests import RunRequest, ValidateRequest
from ..vbool_requests import VboolEvalRequest, VboolRunRequest
from . import json_bodies as bodies

_OCTETS = "application/octet-stream"
_GATEWAY = (502, 503, 504)  # a load balancer, where no problem document came with it
_UPLOADS = 16  # blocks on their way at a time
_READ_ATTEMPTS = 8  # of several regions, until all are of one version


class HttpTransport:
    """Calls to one base URL, over a pool of connections. tenant: its name, or nothing for the public."""

    def __init__(self, url: str, timeout_seconds: float, tenant: Sequence[str] = ()) -> None:
        self._timeout_seconds = timeout_seconds
        # gzip costs four times what it saves on the loopback and in a rack; whoever has a slow line takes gRPC
        headers = [("accept-encoding", "identity"), *(("dvesim-tenant", name) for name in tenant)]
        try:
            self._http = httpx2.AsyncClient(base_url=url, timeout=timeout_seconds, headers=headers)
        except httpx2.InvalidURL as error:
            raise BadInput(f"target {url!r} cannot be read: {error}") from error

    async def validate(self, request: ValidateRequest) -> Document:
        return await self._json("POST", "/v1/validate", bodies.validate(request))

    async def run(self, request: RunRequest) -> Document:
        return bodies.with_bytes(await self._json("POST", "/v1/run", bodies.run(request)))

    async def put_image(self, generation: str, memory: Sequence[MemoryRegion]) -> Document:
        if len(memory) == 1:
            query = {**bodies.region(memory[0].region), "generation": generation}
            return _object(await self._send("POST", "/v1/images", memory[0], query))
        return await self._json("POST", "/v1/images", {"generation": generation, "memory": bodies.writes(memory)})

    async def put_blocks(self, generation: str, blocks: Mapping[str, bytes], places: Sequence[BlockPlace]) -> Document:
        gate = asyncio.Semaphore(_UPLOADS)

        async def put(block: str, data: bytes) -> None:
            async with gate:
                await self._call("PUT", f"/v1/blocks/{_part(block)}", content=data, headers={"content-type": _OCTETS})

        await _all(put(block, data) for block, data in blocks.items())
        manifest = {"blocks": [vars(place) for place in places]}
        return await self._json("POST", "/v1/images", {"generation": generation, "manifest": manifest})

    async def missing_blocks(self, generation: str, blocks: Sequence[str]) -> list[str]:
        body = {"generation": generation, "blocks": list(blocks)}
        return list((await self._json("POST", "/v1/images:missing", body))["missing"])

    async def image(self, image: str) -> Document:
        return await self._json("GET", f"/v1/images/{_part(image)}")

    async def read_image(self, image: str, regions: Sequence[Region]) -> tuple[MemoryRegion, ...]:
        return tuple([(await self._region(f"/v1/images/{_part(image)}/memory", place))[0] for place in regions])

    async def create_session(
        self, generation: str, image: str | None, memory: Sequence[MemoryRegion], ttl_seconds: int | None
    ) -> Document:
        body = {"generation": generation, "image": image, "memory": bodies.writes(memory), "ttl_seconds": ttl_seconds}
        return bodies.with_bytes(await self._json("POST", "/v1/sessions", body))

    async def session(self, session: str, version: int | None) -> Document:
        response = await self._call("GET", f"/v1/sessions/{_part(session)}", params=_version(version))
        return bodies.with_bytes(_object(response))

    async def versions(self, session: str) -> Document:
        return await self._json("GET", f"/v1/sessions/{_part(session)}/versions")

    async def run_session(
        self, session: str, request: RunRequest, if_match: int | None, at_version: int | None
    ) -> Document:
        path = f"/v1/sessions/{_part(session)}/run"
        body = {**bodies.session_run(request), "at_version": at_version, "store_image": request.store_image}
        return bodies.with_bytes(await self._json("POST", path, body, _if_match(if_match)))

    async def fork_session(self, session: str, ttl_seconds: int | None, version: int | None) -> Document:
        body = {"ttl_seconds": ttl_seconds, "version": version}
        return bodies.with_bytes(await self._json("POST", f"/v1/sessions/{_part(session)}/fork", body))

    async def delete_session(self, session: str) -> None:
        await self._call("DELETE", f"/v1/sessions/{_part(session)}")

    async def read_session(self, session: str, regions: Sequence[Region], version: int | None) -> Document:
        """One request reads one region, so several are read anew until the session stands still."""
        path = f"/v1/sessions/{_part(session)}/memory"
        versions: set[int] = set()
        for _ in range(_READ_ATTEMPTS):
            read = [await self._region(path, place, _version(version)) for place in regions]
            versions = {version for _, version in read if version is not None}
            if len(versions) <= 1:
                seen = versions.pop() if versions else (await self.session(session, version))["version"]
                return {"version": seen, "memory": [_as_document(contents) for contents, _ in read]}
        raise error_of(
            Problem("concurrent_writes", detail="the session kept changing while it was read", version=max(versions))
        )

    async def write_session(self, session: str, memory: Sequence[MemoryRegion], if_match: int | None) -> Document:
        path, expected = f"/v1/sessions/{_part(session)}/memory", _if_match(if_match)
        if len(memory) == 1:
            response = await self._send("PUT", path, memory[0], bodies.region(memory[0].region), expected)
            return bodies.with_bytes(_object(response))
        return bodies.with_bytes(await self._json("PUT", path, {"memory": bodies.writes(memory)}, expected))

    async def assemble(self, generation: str, text: str) -> bytes:
        answer = await self._json("POST", "/v1/assemble", {"generation": generation, "text": text})
        return bytes.fromhex("".join(answer["instructions"]))

    async def disassemble(self, generation: str, program: bytes) -> list[str]:
        body = {"generation": generation, "program_base64": b64encode(program).decode()}
        return list((await self._json("POST", "/v1/disassemble", body))["lines"])

    async def vbool_eval(self, request: VboolEvalRequest) -> Document:
        return await self._json("POST", "/v1/vbool/eval", bodies.vbool_eval(request))

    async def vbool_run(self, request: VboolRunRequest) -> Document:
        return await self._json("POST", "/v1/vbool/run", vars(request))

    async def validate_neff(self, request: NeffRequest) -> Document:
        headers = {"content-type": _OCTETS, "content-length": str(request.size)}
        options = {name: value for name, value in request.options().items() if value}
        sent = {"params": options, "headers": headers, "content": request.pieces()}
        return _object(await self._call("POST", "/v1/neff:validate", **sent))

    async def describe(self, topic: str, generation: str, mnemonic: str) -> Document:
        if topic == "assumptions":
            return await self._json("GET", "/v1/assumptions")
        if topic == "vbool":
            return await self._json("GET", "/".join(["/v1/vbool/operations", *([_part(mnemonic)] if mnemonic else [])]))
        parts = [part for part in (generation, topic, mnemonic) if part]
        return await self._json("GET", "/".join(["/v1/isa", *map(_part, parts)]))

    async def version(self) -> Document:
        return await self._json("GET", "/version")

    async def limits(self) -> Document:
        limits: Document = (await self._json("GET", "/v1/limits"))["limits"]
        return limits

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _region(
        self, path: str, place: Region, also: Mapping[str, int] | None = None
    ) -> tuple[MemoryRegion, int | None]:
        """A region and the version it is of, filled as it comes."""
        filling = Filling([place])
        query, headers = {**bodies.region(place), **(also or {})}, {"accept": _OCTETS}
        async with self._answering("GET", path), self._http.stream("GET", path, params=query, headers=headers) as said:
            if not said.is_success:
                await said.aread()
                raise error_from(said)
            async for piece in said.aiter_bytes():
                filling.add(piece)
        [contents] = filling.done()
        etag = said.headers.get("etag", "").strip('"')
        return contents, int(etag) if etag.isdigit() else None

    async def _send(
        self,
        method: str,
        path: str,
        contents: MemoryRegion,
        query: Mapping[str, Any],
        headers: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
        """Send the bytes of a region piece by piece."""

        async def body() -> AsyncIterator[bytes]:
            for piece in pieces(contents):
                yield piece.tobytes()

        length = str(contents.region.total_bytes)
        sent = {"content-type": _OCTETS, "content-length": length, **(headers or {})}
        return await self._call(method, path, params=query, content=body(), headers=sent)

    async def _json(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        sent = None if body is None else {name: value for name, value in body.items() if value is not None}
        response = await self._call(method, path, json=sent, headers=headers)
        return _object(response)

    async def _call(self, method: str, path: str, **options: Any) -> httpx2.Response:
        async with self._answering(method, path):
            response = await self._http.request(method, path, **options)
        if response.is_success:
            return response
        raise error_from(response)

    @asynccontextmanager
    async def _answering(self, method: str, path: str) -> AsyncIterator[None]:
        """Bound the time of a call, and turn failures to reach the service into ours."""
        try:
            async with asyncio.timeout(self._timeout_seconds):
                yield
        except (httpx2.TimeoutException, TimeoutError) as error:
            raise TimedOut(f"{method} {path}: no answer within {self._timeout_seconds:g} s") from error
        except httpx2.HTTPError as error:
            raise Unreachable(f"{self._http.base_url}: {str(error) or type(error).__name__}") from error


def error_from(response: httpx2.Response) -> ServiceError | NoAnswer:
    """The problem document of a response; without one it was not the service that spoke."""
    kind = response.headers.get("content-type", "").partition(";")[0]
    if kind == "application/problem+json":
        document = _object(response)
        if "code" in document:
            retry = response.headers.get("retry-after", "")
            return error_of(
                documents.problem({"retry_after_seconds": int(retry) if retry.isdigit() else None, **document})
            )
    where = f"{response.request.method} {response.request.url.path}"
    if response.status_code in _GATEWAY:
        return Unreachable(f"{where}: status {response.status_code} from something in between")
    return UnexpectedAnswer(f"{where}: status {response.status_code} without a problem document; is this dvesim?")


def _object(response: httpx2.Response) -> dict[str, Any]:
    try:
        document = response.json()
    except ValueError as error:
        raise UnexpectedAnswer(f"{response.request.url.path}: the answer is not JSON; is this dvesim?") from error
    if not isinstance(document, dict):
        raise UnexpectedAnswer(f"{response.request.url.path}: the answer is not a JSON object; is this dvesim?")
    return document


def _part(text: str) -> str:
    return quote(text, safe="")


def _if_match(version: int | None) -> dict[str, str]:
    return {} if version is None else {"if-match": f'"{version}"'}


def _version(version: int | None) -> dict[str, int]:
    return {} if version is None else {"version": version}


def _as_document(contents: MemoryRegion) -> dict[str, Any]:
    return {**bodies.region(contents.region), "data": contents.tobytes()}


async def _all(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Wait for all, and stop the others where one fails."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
