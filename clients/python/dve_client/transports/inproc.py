"""The service's use cases in this process: no network, the same answers. Needs the extra `dvesim[service]`.

The store is the one of DVESIM_REDIS_URL, or a private server that starts when an image or a session is first needed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from dve_engine import Generation, Region
from dve_service import containers, predicates, words
from dve_service import documents as said
from dve_service.blocks import Place
from dve_service.errors import ServiceError
from dve_service.limits import Limits
from dve_service.orders import Program, Run, Validate, Write
from dve_service.ports import Store
from dve_service.settings import Settings
from dve_service.simulator import Simulator
from dve_service.store.embedded import EmbeddedServer
from dve_service.store.quotas import Quotas
from dve_service.texts import Assemble
from dve_service.version import SERVICE_VERSION
from dve_service.wiring import redis_store, wire

from .. import documents
from ..answers import BlockPlace, Document
from ..errors import TimedOut, error_of
from ..memory import MemoryRegion
from ..neff_requests import NeffRequest
from ..requests import RunRequest, ValidateRequest
from ..vbool_requests import VboolEvalRequest, VboolRunRequest

T = TypeVar("T")


class InprocTransport:
    """Calls to a simulator of its own. tenant: its name, or nothing for the public."""

    def __init__(
        self, timeout_seconds: float, tenant: Sequence[str] = (), settings: Settings | None = None
    ) -> None:
        self._timeout, self._tenant = timeout_seconds, tenant
        self._settings = settings or Settings()
        self._made: Simulator | None = None

    @property
    def _simulator(self) -> Simulator:
        if self._made is None:
            settings, limits = self._settings, Limits()

            def store(tenant: str) -> Store:
                return cast(Store, _OnDemand(settings, limits, tenant))

            self._made = wire(settings, "", limits=limits, stores=store).tenants.of(self._tenant)
        return self._made

    async def validate(self, request: ValidateRequest) -> Document:
        with _translated():
            program = words.program(request.generation, request.program, request.profile, request.assumptions)
            order = Validate(program, request.all_failures, words.which(request.verdicts, "all"))
            return said.validated(await self._in_time(self._simulator.validate(order)))

    async def run(self, request: RunRequest) -> Document:
        with _translated():
            program = words.program(request.generation, request.program, request.profile, request.assumptions)
            order = _order(request, program, request.store_image)
            return said.ran(await self._in_time(self._simulator.run(order)))

    async def put_image(self, generation: str, memory: Sequence[MemoryRegion]) -> Document:
        with _translated():
            made = self._simulator.images.create(words.generation(generation), _writes("memory", memory))
            return said.stored(await self._in_time(made))

    async def put_blocks(self, generation: str, blocks: Mapping[str, bytes], places: Sequence[BlockPlace]) -> Document:
        with _translated():
            images, chosen = self._simulator.images, words.generation(generation)
            await self._in_time(images.put_blocks(blocks))
            manifest = {Place(place.space, place.quadrant, place.tile): place.id for place in places}
            return said.stored(await self._in_time(images.create_from_manifest(chosen, manifest)))

    async def missing_blocks(self, generation: str, blocks: Sequence[str]) -> list[str]:
        with _translated():
            words.generation(generation)
            return await self._in_time(self._simulator.images.missing(blocks))

    async def image(self, image: str) -> Document:
        with _translated():
            return said.image(await self._in_time(self._simulator.images.get(image)))

    async def read_image(self, image: str, regions: Sequence[Region]) -> tuple[MemoryRegion, ...]:
        with _translated():
            found = await self._in_time(self._simulator.images.get(image))
            return _contents(await self._in_time(self._simulator.images.read(found.manifest, regions)))

    async def create_session(
        self, generation: str, image: str | None, memory: Sequence[MemoryRegion], ttl_seconds: int | None
    ) -> Document:
        with _translated():
            self._simulator.limits.check("regions", len(memory))
            chosen, writes = words.generation(generation), _writes("memory", memory)
            made = self._simulator.sessions.create(chosen, image or None, writes, ttl_seconds)
            return said.session(await self._in_time(made))

    async def session(self, session: str, version: int | None) -> Document:
        with _translated():
            return said.session(await self._in_time(self._simulator.sessions.get(session, version)))

    async def versions(self, session: str) -> Document:
        with _translated():
            return said.history(await self._in_time(self._simulator.sessions.versions(session)))

    async def run_session(
        self, session: str, request: RunRequest, if_match: int | None, at_version: int | None
    ) -> Document:
        def order(generation: Generation) -> Run:
            program = words.program(
                generation.name.lower(), request.program, request.profile, request.assumptions
            )
            return _order(request, program, request.store_image)

        with _translated():
            run = self._simulator.sessions.run(session, order, if_match, at_version=at_version)
            return said.ran(await self._in_time(run))

    async def fork_session(self, session: str, ttl_seconds: int | None, version: int | None) -> Document:
        with _translated():
            return said.session(await self._in_time(self._simulator.sessions.fork(session, ttl_seconds, version)))

    async def delete_session(self, session: str) -> None:
        with _translated():
            await self._in_time(self._simulator.sessions.delete(session))

    async def read_session(self, session: str, regions: Sequence[Region], version: int | None) -> Document:
        with _translated():
            found = await self._in_time(self._simulator.sessions.read(session, regions, version))
            return {"version": found.version, "memory": [said.write(one) for one in found.memory]}

    async def write_session(self, session: str, memory: Sequence[MemoryRegion], if_match: int | None) -> Document:
        with _translated():
            written = self._simulator.sessions.write(session, _writes("memory", memory), if_match)
            return said.session(await self._in_time(written))

    async def assemble(self, generation: str, text: str) -> bytes:
        with _translated():
            order = Assemble(words.generation(generation), text)
            return (await self._in_time(self._simulator.texts.assemble(order))).code

    async def disassemble(self, generation: str, program: bytes) -> list[str]:
        with _translated():
            order = words.program(generation, program, None, {})
            return list((await self._in_time(self._simulator.texts.disassemble(order))).lines)

    async def vbool_eval(self, request: VboolEvalRequest) -> Document:
        with _translated():
            order = predicates.Evaluate(request.ops, words.choices(request.profile, request.assumptions))
            return predicates.evaluated(await self._in_time(self._simulator.vbool.evaluate(order)))

    async def vbool_run(self, request: VboolRunRequest) -> Document:
        with _translated():
            choices = words.choices(request.profile, request.assumptions)
            order = predicates.RunText(request.program, request.registers, request.invalid, request.read, choices)
            return predicates.ran(await self._in_time(self._simulator.vbool.run(order)))

    async def validate_neff(self, request: NeffRequest) -> Document:
        with _translated():
            order = containers.order(**request.options())
            use = self._simulator.neff
            async with use.received(request.pieces()) as file:
                return containers.validated(await self._in_time(use.validate(order, file)))

    async def describe(self, topic: str, generation: str, mnemonic: str) -> Document:
        with _translated():
            return said.described(self._simulator.describe(topic, generation, mnemonic))

    async def version(self) -> Document:
        return {"service_version": SERVICE_VERSION, **said.VERSIONS}

    async def limits(self) -> Document:
        with _translated():
            return self._simulator.limits.model_dump()

    async def aclose(self) -> None:
        if self._made is not None:
            await self._made.close()

    async def _in_time(self, work: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(self._timeout):
                return await work
        except TimeoutError as error:
            raise TimedOut(f"no answer within {self._timeout:g} s") from error


def _order(request: RunRequest, program: Program, store_image: bool) -> Run:
    return Run(
        program,
        words.start(
            request.image,
            _writes("state.memory", request.memory),
            request.registers,
            request.accumulators,
            request.tainted,
            request.banks,
        ),
        None if request.read is None else tuple(_checked(f"read.{n}", r) for n, r in enumerate(request.read)),
        words.on_invalid(request.on_invalid),
        words.trace(request.trace),
        store_image,
        words.which(request.verdicts, "invalid"),
        request.cache,
    )


def _checked(field: str, place: Region) -> Region:
    return words.region(field, place.space.value, place.partition, place.partitions, place.byte, place.size)


def _writes(field: str, memory: Sequence[MemoryRegion]) -> list[Write]:
    return [
        words.write(f"{field}.{n}", _checked(f"{field}.{n}", item.region), item.tobytes())
        for n, item in enumerate(memory)
    ]


def _contents(writes: Sequence[Write]) -> tuple[MemoryRegion, ...]:
    return tuple(MemoryRegion.from_bytes(one.region, one.data) for one in writes)


@contextmanager
def _translated() -> Iterator[None]:
    """Let the service's errors leave as ours."""
    try:
        yield
    except ServiceError as error:
        details = {**error.details}
        if "verdicts" in details:
            details["verdicts"] = [said.verdict(one) for one in details["verdicts"]]
        document = {
            "title": error.title,
            "status": error.http_status,
            "detail": error.detail,
            "code": error.code,
            "retry_after_seconds": error.retry_after_seconds,
            **details,
            **said.VERSIONS,
        }
        raise error_of(documents.problem(document)) from error


class _OnDemand:
    """The Store of a tenant that comes into being with the first method that is asked of it."""

    def __init__(self, settings: Settings, limits: Limits, tenant: str) -> None:
        self._settings, self._limits, self._tenant = settings, limits, tenant
        self._server: EmbeddedServer | None = None
        self._store: Quotas | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real(), name)

    async def get_result(self, key: str, most_bytes: int) -> bytes | None:
        """The kept answer of a run; no private server is started to look for one."""
        return await self._real().get_result(key, most_bytes) if self._wanted else None

    async def put_result(self, key: str, data: bytes, ttl_seconds: int) -> bool:
        """Keep the answer of a run; no private server is started for it."""
        return await self._real().put_result(key, data, ttl_seconds) if self._wanted else False

    @property
    def _wanted(self) -> bool:
        return self._store is not None or self._settings.redis_url is not None

    def _real(self) -> Quotas:
        if self._store is None:
            url = self._settings.redis_url
            if url is None:
                self._server = EmbeddedServer(self._settings.embedded_max_memory)
                self._server.start()
                url = self._server.url
            server = redis_store(self._settings, self._limits, url)
            self._store = Quotas(server.of(self._tenant), self._limits)
        return self._store

    async def close(self) -> None:
        """Let go of what was started."""
        if self._store is not None:
            await self._store.close()
        if self._server is not None:
            self._server.stop()
