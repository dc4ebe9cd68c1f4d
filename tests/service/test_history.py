"""Versions a session keeps: read, run on and forked, over three transports; how long they live, and what they cost."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from typing import Any

import numpy as np
import pytest
import redis

from dve_client import AsyncClient, MemoryRegion, ServiceError, aconnect, region
from dve_client.errors import InvalidField, VersionConflict, VersionNotFound
from dve_service.store.embedded import EmbeddedServer
from tests.service.programs import COPY
from tests.service.running import Service

TARGETS = ("http", "grpc", "inproc")
KEPT = 16
BYTE = region("sbuf", 0, 0, 1)
OUTPUT = region("sbuf", 32, 512, 16, 32)


def byte(value: int) -> MemoryRegion:
    return MemoryRegion.of("sbuf", 0, 0, np.array([[value]], np.uint8))


def noise(seed: int, tiles: int = 1) -> MemoryRegion:
    """One block for each tile, like no other."""
    data = np.random.default_rng(seed).integers(0, 256, (32, 1024 * tiles), np.uint8)
    return MemoryRegion.of("sbuf", 0, 2048, data)


@pytest.fixture(scope="module")
def prefix() -> str:
    return f"history-{os.urandom(4).hex()}"


@pytest.fixture(scope="module")
def kept(valkey: EmbeddedServer, prefix: str) -> Iterator[Service]:
    """A service of its own, whose keys and commands can be told from others."""
    running = Service(DVESIM_REDIS_URL=valkey.url, DVESIM_KEY_PREFIX=prefix, DVESIM_BLOCK_CACHE_BYTES="0")
    yield running
    assert running.stop() == 0


@pytest.fixture(params=TARGETS)
def client(
    request: pytest.FixtureRequest, kept: Service, valkey: EmbeddedServer, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], Any]:
    monkeypatch.setenv("DVESIM_REDIS_URL", valkey.url)
    monkeypatch.setenv("DVESIM_KEY_PREFIX", prefix)
    addresses = {"http": f"http://{kept.http_address}", "grpc": f"grpc://{kept.grpc_address}"}
    return lambda: aconnect(addresses.get(request.param, request.param))


@asynccontextmanager
async def session_at(client: AsyncClient, version: int) -> AsyncIterator[str]:
    """A session at a version, byte 0 of which has been every version's number."""
    session = (await client.create_session("cayman", memory=[byte(1)])).id
    for number in range(2, version + 1):
        assert (await client.write_session(session, [byte(number)])).version == number
    yield session
    await client.delete_session(session)


async def test_the_newest_versions_are_kept_without_gaps(client: Callable[[], Any]) -> None:
    async with client() as asked, session_at(asked, 1) as session:
        assert (await asked.limits())["session_history"] == KEPT
        for newest in range(1, 2 * KEPT + 3):
            if newest > 1:
                await asked.write_session(session, [byte(newest)])
            listed = await asked.versions(session)
            assert [one.version for one in listed] == list(range(newest, max(0, newest - KEPT), -1))
        times = [datetime.fromisoformat(one.created_at).timestamp() for one in listed]
        assert times == sorted(times, reverse=True)
        assert abs(times[0] - time.time()) < 60
        for one in listed:
            seen = await asked.session(session, version=one.version)
            assert (seen.version, seen.image) == (one.version, one.image)
            read = await asked.read_session(session, [BYTE], version=one.version)
            assert (read.version, read.memory[0].tobytes()) == (one.version, bytes([one.version]))
        oldest = listed[-1].version
        for gone in (0, oldest - 1, newest + 1, 1 << 31):
            calls = [
                asked.session(session, version=gone),
                asked.read_session(session, [BYTE], version=gone),
                asked.fork_session(session, version=gone),
                asked.run_session(session, COPY, at_version=gone),
            ]
            for call in calls:
                with pytest.raises(VersionNotFound, match=f"{oldest} to {newest}") as caught:
                    await call
                assert (caught.value.oldest, caught.value.version) == (oldest, newest)
                assert (caught.value.status, caught.value.code) == (404, "version_not_found")


async def test_a_run_on_a_version_is_the_run_that_was_and_changes_nothing(client: Callable[[], Any]) -> None:
    """Each version is run on again after all others were made: digest, memory and registers are those of the replay."""
    async with client() as asked, session_at(asked, 1) as session:
        runs = []
        for number in range(5):
            given = MemoryRegion.of("sbuf", number, 256, np.array([[1, 0, 1, 0]], np.uint8))
            options: dict[str, Any] = {"memory": [given], "registers": {number: 7 + number}, "read": [OUTPUT]}
            runs.append((options, await asked.run_session(session, COPY, cache=False, **options)))
        before = await asked.session(session)
        assert before.version == 6
        for at, (options, first) in enumerate(runs, start=1):
            for store_image in (False, True):
                again = await asked.run_session(
                    session, COPY, at_version=at, store_image=store_image, cache=False, **options
                )
                assert (again.digest, again.memory, again.version) == (first.digest, first.memory, at)
                assert again.state.registers == first.state.registers
                assert again.state.image == (first.state.image if store_image else None)
        assert await asked.session(session) == before
        with pytest.raises(InvalidField) as caught:
            await asked.run_session(session, COPY, at_version=1, if_match=6)
        assert caught.value.field == "at_version"
        with pytest.raises(VersionConflict):
            await asked.run_session(session, COPY, if_match=1)
        assert [one.version for one in await asked.versions(session)] == [6, 5, 4, 3, 2, 1]


async def test_forks_say_where_they_come_from_and_begin_anew(client: Callable[[], Any]) -> None:
    async with client() as asked, session_at(asked, KEPT + 4) as session:
        for version in (None, 5, KEPT):
            fork = await asked.fork_session(session, version=version)
            origin = version or KEPT + 4
            assert (fork.version, fork.forked_from) == (1, (session, origin))
            assert [one.version for one in await asked.versions(fork.id)] == [1]
            assert (await asked.read_session(fork.id, [BYTE])).memory[0].tobytes() == bytes([origin])
            written = await asked.write_session(fork.id, [byte(99)])
            assert (written.version, written.forked_from) == (2, (session, origin))
            assert (await asked.session(fork.id)).forked_from == (session, origin)
        assert (await asked.session(session)).forked_from is None
        with pytest.raises(ServiceError, match="session_ttl_seconds"):
            await asked.fork_session(session, version=5, ttl_seconds=10**8)


@contextmanager
def commands(valkey: EmbeddedServer) -> Iterator[dict[str, int]]:
    """How often the server was asked for what, in the end."""
    counted: dict[str, int] = {}
    with redis.Redis.from_url(valkey.url) as store:
        store.config_resetstat()
        yield counted
        counted |= {name.removeprefix("cmdstat_"): row["calls"] for name, row in store.info("commandstats").items()}


async def test_a_thousand_forks_cost_the_same_few_commands_and_no_block(
    valkey: EmbeddedServer, kept: Service, prefix: str
) -> None:
    async with aconnect(f"grpc://{kept.grpc_address}") as asked:
        memory = noise(1, tiles=40)
        session = (await asked.create_session("cayman", memory=[memory])).id
        await asked.write_session(session, [noise(2)])
        with redis.Redis.from_url(valkey.url) as store:
            blocks = len(list(store.scan_iter(f"{prefix}:public:b:*", 10_000)))
            with commands(valkey) as counted:
                forks = []
                for _ in range(20):
                    forks += await asyncio.gather(*(asked.fork_session(session, version=1) for _ in range(50)))
            assert len({fork.id for fork in forks}) == 1000
            assert len(list(store.scan_iter(f"{prefix}:public:b:*", 10_000))) == blocks
        scripts = counted["evalsha"] + counted.get("eval", 0)
        few = 100  # what a busy server is asked twice; one more command per fork would be 1,000
        assert 4 * 1000 <= scripts <= 4 * 1000 + few  # read and renew the parent, claim and create the fork
        assert 1000 <= counted["getrange"] <= 1000 + few  # the manifest
        assert counted["exists"] <= 2 * 1000 + few  # no renewal: once by a client, once inside CREATE
        assert counted.get("set", 0) <= few
        assert counted.get("expire", 0) <= 3 * 1000 + few
        assert (await asked.read_session(forks[-1].id, [memory.region])).memory[0] == memory


async def test_a_life_is_renewed_at_most_once_in_most_of_it(valkey: EmbeddedServer, kept: Service) -> None:
    """Uses of a session with a long history look for nothing beyond the version they need."""
    async with aconnect(f"grpc://{kept.grpc_address}") as asked, session_at(asked, KEPT) as session:
        with commands(valkey) as counted:
            for _ in range(50):
                await asked.session(session)
        assert counted["exists"] <= 50 + 5
        assert 50 <= counted["getrange"] <= 50 + 5
        assert counted.get("set", 0) <= 5


LIFE = 2  # seconds


async def test_no_live_session_has_lost_a_block_of_any_version(valkey: EmbeddedServer) -> None:
    """Each version is of blocks of its own, written once; only uses of the newest keep them alive, for five lives."""
    service = Service(DVESIM_REDIS_URL=valkey.url, DVESIM_KEY_PREFIX="brief", DVESIM_BLOCK_CACHE_BYTES="0",
                      DVESIM_IMAGE_TTL_SECONDS="1")  # fmt: skip
    try:
        async with aconnect(f"http://{service.http_address}") as asked:
            session = (await asked.create_session("cayman", memory=[noise(1)], ttl_seconds=LIFE)).id
            begun = time.monotonic()
            for seed in range(2, KEPT + 6):
                await asked.write_session(session, [noise(seed)])
                if seed % 4 == 0:  # the last moment that uses of some lives would leave it
                    await asyncio.sleep(0.8 * LIFE)
            while time.monotonic() - begun < 5 * LIFE:
                await asyncio.sleep(0.8 * LIFE)
                await asked.session(session)
            await asyncio.sleep(0.8 * LIFE)
            versions = [one.version for one in await asked.versions(session)]
            assert versions == list(range(KEPT + 5, 5, -1))
            for version in versions:
                expected = noise(version)
                read = await asked.read_session(session, [expected.region], version=version)
                assert read.memory[0] == expected
            fork = await asked.fork_session(session, version=6, ttl_seconds=8 * LIFE)
            await asyncio.sleep(3 * LIFE)  # the parent is gone, and so are its blocks but for those of the fork
            assert (await asked.read_session(fork.id, [noise(6).region])).memory[0] == noise(6)
            with pytest.raises(ServiceError, match="there is no session"):
                await asked.session(session)
    finally:
        assert service.stop() == 0


async def test_writers_of_several_processes_leave_no_gap(valkey: EmbeddedServer, kept: Service, prefix: str) -> None:
    other = Service(DVESIM_REDIS_URL=valkey.url, DVESIM_KEY_PREFIX=prefix)
    try:
        clients = [aconnect(f"{kind}://{address}") for kind, address in (
            ("http", kept.http_address), ("grpc", kept.grpc_address), ("http", other.http_address))]  # fmt: skip
        session = (await clients[0].create_session("cayman")).id

        async def write(asked: AsyncClient, column: int) -> list[int]:
            made = []
            while len(made) < 8:
                try:
                    place = MemoryRegion.of("sbuf", 0, column, np.array([[len(made) + 1]], np.uint8))
                    made.append((await asked.write_session(session, [place])).version)
                except ServiceError as error:
                    assert error.code == "concurrent_writes"  # noqa: PT017 - others may not stop the test
            return made

        made = await asyncio.gather(*(write(asked, column) for column, asked in enumerate(clients)))
        assert sorted(version for versions in made for version in versions) == list(range(2, 26))
        listed = [one.version for one in await clients[0].versions(session)]
        assert listed == list(range(25, 9, -1))
        rows = [await clients[1].read_session(session, [region("sbuf", 0, 0, 3)], version=v) for v in reversed(listed)]
        totals = [sum(row.memory[0].tobytes()) for row in rows]
        assert totals == [version - 1 for version in reversed(listed)]  # each write adds one to one of three bytes
        for asked in clients:
            await asked.aclose()
    finally:
        assert other.stop() == 0


async def test_a_kept_answer_of_a_run_that_changes_nothing_gives_its_image_a_whole_life(
    valkey: EmbeddedServer, kept: Service, prefix: str
) -> None:
    """The image is that of the version, whose manifest may have no longer to live than its session needs."""
    async with aconnect(f"http://{kept.http_address}") as asked:
        session = await asked.create_session("cayman", memory=[noise(77)], ttl_seconds=60)
        first = await asked.run_session(session.id, b"", at_version=1, store_image=True)
        assert first.state.image == session.image
        with redis.Redis.from_url(valkey.url) as store:
            key = f"{prefix}:public:i:{{{session.image}}}"
            life = store.ttl(key)
            assert store.expire(key, 120)
            again = await asked.run_session(session.id, b"", at_version=1, store_image=True)
            assert again.cached and again.state.image == session.image
            assert store.ttl(key) > life - 60
