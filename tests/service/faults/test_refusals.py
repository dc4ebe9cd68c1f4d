"""What servers refuse, connections that break, answers that get lost: the error of the catalogue, and what is tried
again.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from dve_service.blocks import block_id
from dve_service.errors import StoreFull, StoreUnavailable
from dve_service.metrics import STORE_RETRIES
from dve_service.ports import Replaced
from dve_service.store.connect import connect
from dve_service.store.redis_store import RedisStore
from tests.service.proxy import Proxy
from tests.service.servers import Server, certificate, cluster, free_port, required, running, sentinel, until

BLOCK = os.urandom(32768)


def on(url: str, test: Callable[[RedisStore], Awaitable[None]], seconds: float = 5.0) -> None:
    async def whole() -> None:
        store = RedisStore(connect(url, timeout_seconds=seconds, connections=8), "test", 8, seconds)
        try:
            await test(store)
        finally:
            await store.close()

    asyncio.run(whole())


def retries(operation: str) -> float:
    value: float = STORE_RETRIES.labels(operation)._value.get()
    return value


@pytest.mark.parametrize("binary", ["valkey", "redis-server"])
@pytest.mark.parametrize(
    ("options", "kind", "repeated"),
    [
        ({"replicaof": "127.0.0.1 1"}, StoreUnavailable, True),  # READONLY
        ({"replicaof": "127.0.0.1 1", "replica-serve-stale-data": "no"}, StoreUnavailable, True),  # MASTERDOWN
        ({"min-replicas-to-write": "1"}, StoreUnavailable, True),  # NOREPLICAS
        ({"cluster-enabled": "yes"}, StoreUnavailable, True),  # CLUSTERDOWN, or not a single server at all
        ({"requirepass": "secret"}, StoreUnavailable, False),  # NOAUTH
        ({"maxmemory": "1"}, StoreFull, False),  # OOM
    ],
    ids=["readonly", "masterdown", "noreplicas", "clusterdown", "noauth", "oom"],
)
def test_refused_writes(
    tmp_path: Path, binary: str, options: dict[str, str], kind: type[StoreUnavailable], repeated: bool
) -> None:
    path = {} if binary == "valkey" else {"binary": required(binary)}
    extra = {"cluster-port": str(free_port())} if "cluster-enabled" in options else {}

    async def a_pipeline(store: RedisStore) -> None:
        await store.put_blocks({block_id(BLOCK): BLOCK}, 9)

    async def a_script(store: RedisStore) -> None:
        await store.create_session("s", b"record", 9)

    with running(Server(tmp_path, **path, **options, **extra)) as (server,):
        for operation, call in {"put_blocks": a_pipeline, "create_session": a_script}.items():
            before = retries(operation)
            with pytest.raises(StoreUnavailable) as caught:
                on(server.url, call)
            assert type(caught.value) is kind
            assert caught.value.retry_after_seconds
            assert (retries(operation) > before) == repeated


def test_a_store_that_is_away_is_tried_once_until_it_answers(tmp_path: Path) -> None:
    with running(Server(tmp_path)) as (server,):

        async def test(store: RedisStore) -> None:
            server.kill()
            for tries in (6, 0, 0):
                before = retries("get_session")
                with pytest.raises(StoreUnavailable):
                    await store.get_session("s")
                assert retries("get_session") - before == tries
            server.start()
            assert await store.get_session("s") is None
            server.kill()
            threading.Timer(0.1, server.start).start()
            assert await store.get_session("s") is None

        on(server.url, test)


def test_a_certificate_that_nobody_vouches_for(tmp_path: Path) -> None:
    with running(Server(tmp_path)) as (server,), Proxy(server.port, certificate(tmp_path)) as proxy:

        async def test(store: RedisStore) -> None:
            with pytest.raises(StoreUnavailable):
                await store.ping()

        on(f"rediss://127.0.0.1:{proxy.port}", test)


def test_an_answer_that_gets_lost_counts_once(tmp_path: Path) -> None:
    with running(Server(tmp_path)) as (server,), Proxy(server.port) as proxy:

        async def test(store: RedisStore) -> None:
            proxy.lose = b"first record"
            assert await store.create_session("s", b"first record", 100)
            for version in range(1, 6):
                token = f"token {version}"
                proxy.lose = token.encode()
                assert await store.replace_session("s", version, b"record", token) == Replaced(True, version + 1)
            proxy.lose = BLOCK[:64]
            await store.put_blocks({block_id(BLOCK): BLOCK}, 100)
            assert proxy.lost == 7
            found = await store.get_session("s")
            assert found is not None
            assert found.version == 6

        on(f"redis://127.0.0.1:{proxy.port}", test)


def test_broken_connections_are_made_again(tmp_path: Path) -> None:
    with running(Server(tmp_path)) as (server,), Proxy(server.port) as proxy:

        async def test(store: RedisStore) -> None:
            await store.create_session("s", b"", 100)
            for _ in range(20):
                found = await asyncio.gather(*(store.get_session("s") for _ in range(8)))
                assert all(found)
                proxy.cut()

        on(f"redis://127.0.0.1:{proxy.port}", test)


def test_a_slow_store_is_waited_for_and_a_hung_one_is_not(tmp_path: Path) -> None:
    with running(Server(tmp_path)) as (server,), Proxy(server.port) as proxy:

        async def test(store: RedisStore) -> None:
            await store.put_blocks({block_id(BLOCK): BLOCK}, 100)
            proxy.delay_s = 0.2
            assert await store.get_blocks([block_id(BLOCK)]) == {block_id(BLOCK): BLOCK}
            proxy.delay_s = 5.0
            begun = time.monotonic()
            with pytest.raises(StoreUnavailable, match="Timeout"):
                await store.get_blocks([block_id(BLOCK)])
            assert time.monotonic() - begun < 2.0
            proxy.delay_s = 0.0
            assert await store.get_blocks([block_id(BLOCK)]) == {block_id(BLOCK): BLOCK}

        on(f"redis://127.0.0.1:{proxy.port}", test, 1.0)


def test_a_failover_by_sentinel(tmp_path: Path) -> None:
    with sentinel(tmp_path) as (url, primary, replica):

        async def test(store: RedisStore) -> None:
            assert await store.create_session("s", b"", 100)
            until(lambda: replica.client.exists("test:s:{s}"))
            primary.kill()
            failed, end = 0, time.monotonic() + 20
            while True:
                try:
                    assert await store.replace_session("s", 1, b"after", "token") == Replaced(True, 2)
                    break
                except StoreUnavailable:
                    failed += 1
                    assert time.monotonic() < end
                    await asyncio.sleep(0.1)
            assert replica.client.info("replication")["role"] == "master"
            assert replica.client.hget("test:s:{s}", "record:2") == b"after"

        on(url, test)


def test_slots_that_move_from_node_to_node(tmp_path: Path) -> None:
    """ASK while a slot is on its way, MOVED afterwards, with keys on both sides."""
    with cluster(tmp_path) as (url, nodes):
        source, target = nodes[0], nodes[2]
        ids = {node: node.client.execute_command("CLUSTER MYID").decode() for node in nodes}

        async def test(store: RedisStore) -> None:
            names = [f"{k}" for k in range(400)]
            here = [name for name in names if source.client.execute_command("CLUSTER KEYSLOT", name) < 5461][:3]
            assert len(here) == 3
            for name in names[:20] + here:
                await store.create_session(name, name.encode(), 100)
            for name in here:
                slot = source.client.execute_command("CLUSTER KEYSLOT", name)
                target.client.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", ids[source])
                source.client.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", ids[target])
                key = f"test:s:{{{name}}}"
                source.client.execute_command("MIGRATE", "127.0.0.1", target.port, key, 0, 5000)
                assert await store.replace_session(name, 1, b"asked", f"a{name}") == Replaced(True, 2)
                for node in (target, source, nodes[1]):
                    node.client.execute_command("CLUSTER SETSLOT", slot, "NODE", ids[target])
                assert await store.replace_session(name, 2, b"moved", f"m{name}") == Replaced(True, 3)
            for name in here:
                found = await store.get_session(name)
                assert found is not None
                assert (found.version, found.record) == (3, b"moved")

        on(url, test)
