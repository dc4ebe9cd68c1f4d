"""Tenants: none sees anything of another, over any transport; and how much each may hold."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import numpy as np
import pytest

from dve_client import AsyncClient, BadInput, MemoryRegion, aconnect, region
from dve_client.errors import (
    DvesimError,
    ImageNotFound,
    InvalidField,
    QuotaExceeded,
    SessionNotFound,
)
from dve_service.blocks import BLOCK_BYTES
from dve_service.store.embedded import EmbeddedServer
from dve_service.tenants import Tenants
from tests.service.programs import COPY
from tests.service.running import Service

TARGETS = ("http", "grpc", "inproc")
SESSIONS, BLOCKS = 5, 8
Asked = Callable[..., AsyncClient]


def tiles(count: int) -> MemoryRegion:
    """So many blocks, like no others."""
    return MemoryRegion.of("sbuf", 0, 0, np.frombuffer(os.urandom(BLOCK_BYTES * count), np.uint8).reshape(32, -1))


@pytest.fixture(scope="module")
def prefix() -> str:
    return f"tenants-{os.urandom(4).hex()}"


@pytest.fixture(scope="module")
def shared(valkey: EmbeddedServer, prefix: str) -> Iterator[Service]:
    running = Service(
        DVESIM_REDIS_URL=valkey.url,
        DVESIM_KEY_PREFIX=prefix,
        DVESIM_LIMIT_TENANT_SESSIONS=str(SESSIONS),
        DVESIM_LIMIT_TENANT_BYTES=str(BLOCKS * BLOCK_BYTES),
        DVESIM_SESSION_TTL_SECONDS="60",
    )
    yield running
    assert running.stop() == 0


@pytest.fixture(params=TARGETS)
def asked(
    request: pytest.FixtureRequest,
    shared: Service,
    valkey: EmbeddedServer,
    prefix: str,
    monkeypatch: pytest.MonkeyPatch,
) -> Asked:
    """Make a client for a tenant, over each transport."""
    monkeypatch.setenv("DVESIM_REDIS_URL", valkey.url)
    monkeypatch.setenv("DVESIM_KEY_PREFIX", prefix)
    monkeypatch.setenv("DVESIM_LIMIT_TENANT_SESSIONS", str(SESSIONS))
    monkeypatch.setenv("DVESIM_LIMIT_TENANT_BYTES", str(BLOCKS * BLOCK_BYTES))
    addresses = {"http": f"http://{shared.http_address}", "grpc": f"grpc://{shared.grpc_address}"}
    target = addresses.get(request.param, request.param)
    return lambda tenant=None: aconnect(target, tenant=tenant)


@pytest.fixture
def name() -> str:
    """A tenant that nobody has been before."""
    return f"t-{os.urandom(6).hex()}"


async def refused(kind: type[DvesimError], call: Awaitable[Any]) -> Any:
    with pytest.raises(kind) as caught:
        await call
    return caught.value


async def test_a_tenant_sees_nothing_of_another(asked: Asked, name: str) -> None:
    """All that can be asked for by a name, asked by its owner, by another tenant and by the public."""
    async with asked(name) as owner, asked(f"{name}-x") as other, asked() as public:
        data = tiles(1)
        image = (await owner.put_image([data], "cayman")).image
        session = (await owner.create_session("cayman", image=image)).id
        block = (await owner.image(image)).blocks[0].id
        assert await owner.missing_blocks([block], "cayman") == []
        program: dict[str, Any] = {"read": "written"}
        assert not (await owner.run(COPY, "cayman", image=image, **program)).cached
        assert (await owner.run(COPY, "cayman", image=image, **program)).cached
        for stranger in (other, public):
            assert await stranger.missing_blocks([block], "cayman") == [block]
            place = region("sbuf", 0, 0, 4)
            calls: list[tuple[type[DvesimError], Awaitable[Any]]] = [
                (ImageNotFound, stranger.image(image)),
                (ImageNotFound, stranger.read_image(image, [place])),
                (ImageNotFound, stranger.run(COPY, "cayman", image=image, **program)),
                (ImageNotFound, stranger.create_session("cayman", image=image)),
                (SessionNotFound, stranger.session(session)),
                (SessionNotFound, stranger.session(session, version=1)),
                (SessionNotFound, stranger.versions(session)),
                (SessionNotFound, stranger.read_session(session, [place])),
                (SessionNotFound, stranger.write_session(session, [data])),
                (SessionNotFound, stranger.run_session(session, COPY)),
                (SessionNotFound, stranger.run_session(session, COPY, at_version=1)),
                (SessionNotFound, stranger.fork_session(session)),
                (SessionNotFound, stranger.delete_session(session)),
            ]
            for kind, call in calls:
                await refused(kind, call)
        assert not (await other.run(COPY, "cayman", memory=[data], **program)).cached
        assert (await owner.session(session)).version == 1
        await other.put_image([data], "cayman")  # equal contents are no secret, and stored once more
        assert await other.missing_blocks([block], "cayman") == []
        assert (await other.run(COPY, "cayman", image=image, **program)).cached is False


async def test_another_tenants_blocks_make_no_image(shared: Service, name: str) -> None:
    """Over the wire: the manifest of another's blocks is refused, though a process has them at hand."""
    async with aconnect(f"http://{shared.http_address}", tenant=name) as owner:
        image = await owner.image((await owner.put_image([tiles(1)], "cayman")).image)
    manifest = {"blocks": [vars(one) for one in image.blocks]}
    body = {"generation": "cayman", "manifest": manifest}
    [block] = image.blocks
    headers = {"dvesim-tenant": f"{name}-x"}
    answer = shared.http.post("/v1/images", json=body, headers=headers)
    assert (answer.status_code, answer.json()["blocks"]) == (409, [block.id])
    assert shared.http.get(f"/v1/blocks/{block.id}", headers=headers).status_code == 404
    assert shared.http.get(f"/v1/blocks/{block.id}").status_code == 404
    assert shared.http.get(f"/v1/blocks/{block.id}", headers={"Dvesim-Tenant": name}).status_code == 200


@pytest.mark.parametrize("wrong", ["", "-a", "A", "a_b", "a:b", "a{b}", "x" * 33, "a b"])
async def test_names_that_cannot_be(asked: Asked, wrong: str) -> None:
    async with asked(wrong) as client:
        for call in (client.limits, lambda: client.missing_blocks([], "cayman"), lambda: client.session("ses_x")):
            error = await refused(InvalidField, call())
            assert (error.status, error.field) == (400, "dvesim-tenant")


async def test_names_that_can_be(asked: Asked) -> None:
    for good in ("0", "a", "a-", "x" * 32, "public"):
        async with asked(good) as client:
            assert (await client.limits())["tenant_sessions"] == SESSIONS
    for unsendable in ("a\n", "\u00e4"):
        with pytest.raises(BadInput):
            asked(unsendable)


def test_two_names_are_no_name(shared: Service) -> None:
    answer = shared.http.get("/v1/limits", headers=[("dvesim-tenant", "a"), ("dvesim-tenant", "b")])
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_field")


def test_only_so_many_tenants_are_remembered() -> None:
    made: list[str] = []

    def make(tenant: str) -> Any:
        made.append(tenant)
        return object()

    tenants = Tenants(make, most=2)
    first = tenants.of(["a"])
    assert tenants.of(["a"]) is first
    for tenant in ("b", "a", "c", "a"):
        tenants.of([tenant])
    assert tenants.of(["a"]) is first
    assert made == ["a", "b", "c"]
    tenants.of(["b"])
    assert made == ["a", "b", "c", "b"]


async def test_exactly_so_many_sessions_of_concurrent_ones(asked: Asked, name: str) -> None:
    async with asked(name) as client, asked(f"{name}-x") as other:
        made = await asyncio.gather(*(client.create_session("cayman") for _ in range(20)), return_exceptions=True)
        sessions = [one.id for one in made if not isinstance(one, BaseException)]
        errors = [one for one in made if isinstance(one, QuotaExceeded)]
        assert (len(sessions), len(errors)) == (SESSIONS, 20 - SESSIONS)
        said = {(one.code, one.status, one.limit, one.used, one.asked) for one in errors}
        assert said == {("quota_exceeded", 429, "tenant_sessions", SESSIONS, 1)}
        await refused(QuotaExceeded, client.fork_session(sessions[0]))
        await other.create_session("cayman")
        await client.delete_session(sessions[0])
        await client.fork_session(sessions[1])
        await refused(QuotaExceeded, client.create_session("cayman"))
        for session in sessions[1:]:  # those that are there go on
            assert (await client.run_session(session, COPY)).version == 2


async def test_bytes_are_refused_before_anything_is_written(asked: Asked, name: str) -> None:
    async with asked(name) as client, asked(f"{name}-x") as other:
        image = (await client.put_image([tiles(BLOCKS - 1)], "cayman", incremental=False)).image
        session = (await client.create_session("cayman", image=image)).id
        two = tiles(2)
        error = await refused(QuotaExceeded, client.put_image([two], "cayman", incremental=False))
        used, wanted = (BLOCKS - 1) * BLOCK_BYTES, 2 * BLOCK_BYTES
        assert (error.limit, error.used, error.asked, error.status) == ("tenant_bytes", used, wanted, 429)
        blocks = [one.id for one in (await other.image((await other.put_image([two], "cayman")).image)).blocks]
        assert await client.missing_blocks(blocks, "cayman") == blocks
        before = await client.session(session)
        await refused(QuotaExceeded, client.write_session(session, [two]))
        assert await client.session(session) == before
        for _ in range(2 * SESSIONS):  # a session that is refused for its bytes takes no place
            await refused(QuotaExceeded, client.create_session("cayman", memory=[two]))
        for _ in range(SESSIONS - 1):
            await client.create_session("cayman", image=image)
        await client.put_image([tiles(1)], "cayman", incremental=False)  # up to the limit
        assert await client.session(session) == before


async def test_lapsed_sessions_make_room_and_used_ones_do_not(shared: Service, name: str) -> None:
    """A claim lives ten seconds longer than what it is for."""
    async with aconnect(f"grpc://{shared.grpc_address}", tenant=name) as client:
        used = (await client.create_session("cayman", ttl_seconds=2)).id
        for _ in range(SESSIONS - 1):
            await client.create_session("cayman", ttl_seconds=1)
        await refused(QuotaExceeded, client.create_session("cayman"))
        for _ in range(13):
            await asyncio.sleep(1.0)
            await client.session(used)
        made = await asyncio.gather(
            *(client.create_session("cayman") for _ in range(SESSIONS + 3)), return_exceptions=True
        )
        assert sum(isinstance(one, QuotaExceeded) for one in made) == 4
        assert (await client.session(used)).version == 1
