"""The contract of ports.Store on every kind of server, and with the block cache: one suite for all."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from dve_service.blocks import BLOCK_BYTES, block_id, image_id
from dve_service.errors import QuotaExceeded, StoreUnavailable
from dve_service.limits import Limits
from dve_service.ports import Replaced, Store
from dve_service.store.cache import BlockCache, BlockMemory
from dve_service.store.connect import connect, shown
from dve_service.store.embedded import EmbeddedServer
from dve_service.store.quotas import Quotas
from dve_service.store.redis_store import RedisStore
from tests.service.proxy import Proxy
from tests.service.servers import Server, certificate, cluster, redis_with_tls, required, running, sentinel

IMG = image_id(b"manifest")
HISTORY = 4
LIMITS = Limits(tenant_sessions=20, tenant_bytes=200 * BLOCK_BYTES)
Test = Callable[[Store], Awaitable[None]]


def _valkey(folder: Path) -> Iterator[str]:
    with running(Server(folder)) as (server,):
        yield server.url


def _redis(folder: Path) -> Iterator[str]:
    with running(Server(folder, required("redis-server"))) as (server,):
        yield server.url


def _tls(folder: Path) -> Iterator[str]:
    made = certificate(folder)
    with running(Server(folder)) as (server,), Proxy(server.port, made) as proxy:
        yield f"rediss://127.0.0.1:{proxy.port}/0?ssl_ca_certs={made[1]}"


def _redis_tls(kind: str) -> Callable[[Path], Iterator[str]]:
    def made(folder: Path) -> Iterator[str]:
        with redis_with_tls(folder, kind) as url:
            yield url

    return made


def _sentinel(folder: Path) -> Iterator[str]:
    with sentinel(folder) as (url, _, _):
        yield url


def _cluster(folder: Path) -> Iterator[str]:
    with cluster(folder) as (url, _):
        yield url


KINDS = {
    "valkey": _valkey, "cached": _valkey, "redis": _redis, "sentinel": _sentinel, "cluster": _cluster,
    "tls": _tls, **{f"redis-tls-{kind or 'single'}": _redis_tls(kind) for kind in ("", "sentinel", "cluster")},
}  # fmt: skip


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A kind of store and its URL."""
    made = contextlib.contextmanager(KINDS[request.param])
    with made(tmp_path_factory.mktemp("store")) as url:
        yield request.param, url


@pytest.fixture
def on_store(kind: tuple[str, str]) -> Callable[[Test], None]:
    """Run a coroutine on a fresh store of its own."""
    name, url = kind

    def runner(test: Test) -> None:
        async def whole() -> None:
            client = connect(url, timeout_seconds=2, connections=8)
            redis = RedisStore(client, f"test-{os.urandom(4).hex()}", 8, history=HISTORY)
            store: Store = Quotas(redis.of("tenant"), LIMITS)
            if name == "cached":
                store = BlockCache(store, BlockMemory(1 << 20), "tenant")
            try:
                await test(store)
            finally:
                await store.close()

        asyncio.run(whole())

    return runner


def blocks(count: int) -> dict[str, bytes]:
    made = [os.urandom(32) * 1024 if k % 2 else os.urandom(32768) for k in range(count)]
    return {block_id(data): data for data in made}


def test_blocks(on_store: Callable[[Test], None]) -> None:
    async def test(store: Store) -> None:
        some = blocks(150)
        assert await store.missing_blocks(list(some), 10) == list(some)
        await store.put_blocks(some, 10)
        await store.put_blocks(some, 10)
        assert await store.missing_blocks(["0" * 64, *some], 10) == ["0" * 64]
        assert await store.get_blocks(["0" * 64, *some]) == some
        assert await store.get_blocks([]) == {}

    on_store(test)


def test_lives_are_only_ever_made_longer(on_store: Callable[[Test], None]) -> None:
    async def test(store: Store) -> None:
        long, short = blocks(1), blocks(1)
        await store.put_blocks(long, 100)
        await store.put_blocks(long | short, 1)
        await store.put_image(IMG, b"manifest", 100)
        await store.get_image(IMG, 1)
        await asyncio.sleep(1.2)
        assert await store.missing_blocks([*long, *short], 1) == list(short)
        assert await store.get_image(IMG, 1) == b"manifest"
        assert await store.get_image("none", 1) is None

    on_store(test)


def test_sessions_compare_and_set(on_store: Callable[[Test], None]) -> None:
    async def test(store: Store) -> None:
        assert await store.get_session("s") is None
        assert await store.replace_session("s", 1, b"x", "t0") == Replaced(False, 0)
        assert await store.create_session("s", b"one", 10)
        assert not await store.create_session("s", b"other", 10)
        assert await store.replace_session("s", 1, b"two", "t1") == Replaced(True, 2)
        assert await store.replace_session("s", 1, b"three", "t2") == Replaced(False, 2)
        found = await store.get_session("s")
        assert found is not None
        assert (found.version, found.record, found.ttl_seconds) == (2, b"two", 10)
        assert await store.delete_session("s")
        assert not await store.delete_session("s")

    on_store(test)


def test_the_newest_versions_are_kept_without_gaps(on_store: Callable[[Test], None]) -> None:
    async def test(store: Store) -> None:
        assert await store.get_history("s") == []
        await store.create_session("s", b"1", 10)
        for newest in range(1, 3 * HISTORY):
            oldest = max(1, newest - HISTORY + 1)
            kept = await store.get_history("s")
            assert [one.version for one in kept] == list(range(newest, oldest - 1, -1))
            assert [one.record for one in kept] == [b"%d" % version for version in range(newest, oldest - 1, -1)]
            assert [one.made_ms for one in kept] == sorted((one.made_ms for one in kept), reverse=True)
            for version in range(newest + 2):
                found = await store.get_session("s", version)
                assert found is not None
                expected = b"%d" % version if oldest <= version <= newest else None
                assert (found.version, found.record) == (version, expected)
                assert (found.oldest, found.newest, found.ttl_seconds) == (oldest, newest, 10)
            await store.replace_session("s", newest, b"%d" % (newest + 1), f"t{newest}")

    on_store(test)


def test_blocks_are_counted_and_refused_as_a_whole(on_store: Callable[[Test], None]) -> None:
    async def test(store: Store) -> None:
        first, second, third = blocks(120), blocks(80), blocks(1)
        await store.put_blocks(first, 10)
        with pytest.raises(QuotaExceeded) as caught:
            await store.put_blocks(second | third, 10)
        details = {"limit": "tenant_bytes", "used": 120 * BLOCK_BYTES, "asked": 81 * BLOCK_BYTES}
        assert caught.value.details == details
        assert await store.missing_blocks([*second, *third], 10) == [*second, *third]
        await store.put_blocks(second, 10)
        with pytest.raises(QuotaExceeded):
            await store.put_blocks(first | third, 10)
        await store.put_blocks(first | second, 10)  # adds nothing
        assert await store.missing_blocks([*first, *second, *third], 10) == list(third)

    on_store(test)


def test_sessions_are_counted_until_they_are_deleted(on_store: Callable[[Test], None]) -> None:
    async def test(store: Store) -> None:
        async def claim(k: int) -> bool:
            try:
                await store.claim_session(f"s{k}", 10)
            except QuotaExceeded:
                return False
            return True

        claimed = await asyncio.gather(*(claim(k) for k in range(40)))
        assert sum(claimed) == 20
        assert not await claim(99)
        await store.delete_session(f"s{claimed.index(True)}")
        assert await claim(99)
        with pytest.raises(QuotaExceeded) as caught:
            await store.claim_session("s100", 10)
        assert caught.value.details == {"limit": "tenant_sessions", "used": 20, "asked": 1}

    on_store(test)


def test_the_store_answers(on_store: Callable[[Test], None]) -> None:
    on_store(lambda store: store.ping())


def test_a_repeated_write_counts_once(on_store: Callable[[Test], None]) -> None:
    async def test(store: Store) -> None:
        await store.create_session("s", b"one", 10)
        for _ in range(2):
            assert await store.replace_session("s", 1, b"two", "same") == Replaced(True, 2)

    on_store(test)


def test_a_repeated_write_counts_once_also_when_others_have_gone_on(on_store: Callable[[Test], None]) -> None:
    async def test(store: Store) -> None:
        await store.create_session("s", b"0", 10)
        for version in range(1, 11):
            await store.replace_session("s", version, b"%d" % version, f"t{version}")
        for version in range(1, 11):
            assert await store.replace_session("s", version, b"again", f"t{version}") == Replaced(True, version + 1)
            assert await store.replace_session("s", version, b"other", "new") == Replaced(False, 11)
        found = await store.get_session("s")
        assert found is not None
        assert (found.version, found.record) == (11, b"10")

    on_store(test)


def test_a_repeated_creation_counts_once(on_store: Callable[[Test], None]) -> None:
    async def test(store: Store) -> None:
        for _ in range(2):
            assert await store.create_session("s", b"one", 10)
        assert not await store.create_session("s", b"other", 10)

    on_store(test)


def test_many_writers_only_one_wins_each_version(on_store: Callable[[Test], None]) -> None:
    async def test(store: Store) -> None:
        await store.create_session("s", b"", 10)
        results = await asyncio.gather(*(store.replace_session("s", 1, b"%d" % k, f"t{k}") for k in range(20)))
        assert sum(result.done for result in results) == 1
        assert {result.version for result in results} == {2}

    on_store(test)


def test_callers_who_leave_do_not_mix_up_the_answers_of_others(on_store: Callable[[Test], None]) -> None:
    async def test(store: Store) -> None:
        some = blocks(10)
        names = dict(enumerate(some))
        await store.put_blocks(some, 10)
        for k in names:
            await store.create_session(f"s{k}", b"%d" % k, 10)

        async def read(k: int) -> bool:
            found = await store.get_session(f"s{k}")
            return found is not None and found.record == b"%d" % k

        async def fetch(k: int) -> bool:
            pair = [names[k], names[(k + 1) % 10]]
            return await store.get_blocks(pair) == {name: some[name] for name in pair}

        answered = 0
        for _ in range(50):
            tasks = [asyncio.create_task((read, fetch)[k % 2](k % 10)) for k in range(15)]
            await asyncio.sleep(random.uniform(0, 0.006))
            for task in tasks[::2]:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(result is True or isinstance(result, asyncio.CancelledError) for result in results)
            answered += results.count(True)
        assert answered >= 50 * 7

    on_store(test)


def test_renewal(on_store: Callable[[Test], None]) -> None:
    async def test(store: Store) -> None:
        assert await store.renewal_due("x")
        await store.renewed("x", 1000)
        assert not await store.renewal_due("x")
        await asyncio.sleep(1.2)
        assert await store.renewal_due("x")

    on_store(test)


def test_results(on_store: Callable[[Test], None]) -> None:
    async def test(store: Store) -> None:
        large = os.urandom(32) * 4096
        assert await store.get_result("r", 1 << 20) is None
        assert await store.put_result("r", b"answer", 1)
        assert await store.put_result("l", large, 10)
        assert [await store.get_result("r", 1 << 20), await store.get_result("l", 1 << 20)] == [b"answer", large]
        assert await store.get_result("l", len(large) - 1) is None
        await asyncio.sleep(1.2)
        assert [await store.get_result("r", 1 << 20), await store.get_result("l", 1 << 20)] == [None, large]

    on_store(test)


def test_results_leave_half_the_server_to_others() -> None:
    async def test(url: str) -> None:
        client = connect(url, timeout_seconds=2, connections=8)
        assert await RedisStore(client, "x", 8).put_result("r", b"answer", 10)
        half = {str(k): os.urandom(32768) for k in range((4 << 20) // 32768)}
        await RedisStore(client, "x", 8).put_blocks(half, 10)
        store = RedisStore(client, "x", 8)
        assert not await store.put_result("s", b"answer", 10)
        assert [await store.get_result("r", 1 << 20), await store.get_result("s", 1 << 20)] == [b"answer", None]
        await store.put_image("i", b"manifest", 10)
        await store.close()

    with EmbeddedServer("8mb") as server:
        asyncio.run(test(server.url))


def test_every_method_says_when_the_store_is_away() -> None:
    async def test() -> None:
        redis = RedisStore(connect("redis://127.0.0.1:1", timeout_seconds=0.2, connections=2), "x", 2)
        store: Store = Quotas(redis, LIMITS)
        calls: list[Awaitable[object]] = [
            store.ping(),
            store.missing_blocks(["aa"], 1),
            store.put_blocks({"aa": b"b"}, 1),
            store.get_blocks(["a"]),
            store.put_image("a", b"b", 1),
            store.get_image("a", 1),
            store.get_result("a", 9),
            store.put_result("a", b"b", 1),
            store.renewal_due("a"),
            store.renewed("a", 1),
            store.claim_session("a", 1),
            store.create_session("a", b"b", 1),
            store.get_session("a"),
            store.get_history("a"),
            store.replace_session("a", 1, b"b", "c"),
            store.delete_session("a"),
        ]
        for call in calls:
            with pytest.raises(StoreUnavailable):
                await call
        await store.close()

    asyncio.run(test())


def test_urls() -> None:
    assert shown("redis://user:secret@host:6379/0?x=y") == "redis://host:6379/0"
    for url in ("redis+sentinel://a:1,b/service/2", "rediss+sentinel://u:p@a/service", "rediss://u:p@h:1/0"):
        assert connect(url, timeout_seconds=1, connections=1)
    with pytest.raises(ValueError, match="names no Sentinel"):
        connect("redis+sentinel://a:1", timeout_seconds=1, connections=1)
