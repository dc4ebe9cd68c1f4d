"""Values in the store that are not what their names say: refused, removed, counted, and never served."""

from __future__ import annotations

import asyncio
import os
import tracemalloc
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np
import pytest
import redis
import zstandard

from dve_engine import GENERATIONS, Space
from dve_service.blocks import BLOCK_BYTES, MANIFEST_BYTES, Manifest, Place, block_id, exists, image_id
from dve_service.metrics import STORE_CORRUPT
from dve_service.store.cache import BlockCache, BlockMemory
from dve_service.store.connect import connect
from dve_service.store.embedded import EmbeddedServer
from dve_service.store.packing import BLOCK
from dve_service.store.redis_store import RedisStore
from tests.service.running import Service
from tests.service.servers import cluster
from tests.service.test_requests import refused
from tests.service.test_state import region

NOISE, PLAIN = os.urandom(BLOCK_BYTES), bytes(range(256)) * (BLOCK_BYTES // 256)
MANIFEST = Manifest(GENERATIONS[1], {Place("sbuf", 0, tile): block_id(NOISE) for tile in range(100)}).canonical


def _zstd(data: bytes) -> bytes:
    return b"\1" + zstandard.compress(data)


def _endless(stored: bytes) -> bytes:
    """A frame that does not say how long its contents are."""
    packer = zstandard.ZstdCompressor(write_content_size=False)
    return b"\1" + packer.compress(bytes(64 << 20))


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "a-bit": lambda stored: stored[:99] + bytes([stored[99] ^ 1]) + stored[100:],
    "first-byte": lambda stored: b"\2" + stored[1:],
    "cut": lambda stored: stored[:-1],
    "nothing": lambda stored: b"",
    "mark-alone": lambda stored: stored[:1],
    "other-value": lambda stored: b"\0" + bytes(BLOCK_BYTES),
    "longer": lambda stored: b"\0" + os.urandom(64 << 20),
    "bomb": lambda stored: _zstd(bytes(64 << 20)),
    "bomb-of-unknown-size": _endless,
    "no-frame": lambda stored: b"\1" + os.urandom(100),
}


@pytest.fixture(scope="module", params=["valkey", "cluster"])
def url(request: pytest.FixtureRequest, valkey: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory):
    if request.param == "valkey":
        yield valkey.url
    else:
        with cluster(tmp_path_factory.mktemp("cluster")) as (made, _):
            yield made


def _counted(kind: str) -> float:
    value: float = STORE_CORRUPT.labels(kind)._value.get()
    return value


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_found_and_removed(url: str, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    prefix = f"test-{os.urandom(4).hex()}"

    async def test() -> None:
        client = connect(url, timeout_seconds=5, connections=4)
        redis_store = RedisStore(client, prefix, 4)
        store = BlockCache(redis_store, BlockMemory(1 << 20), "tenant")
        blocks = {block_id(data): data for data in (NOISE, PLAIN)}
        image = image_id(MANIFEST)
        await redis_store.put_blocks(blocks, 100)  # not by way of the cache
        await store.put_image(image, MANIFEST, 100)
        assert await redis_store.get_blocks(list(blocks)) == blocks
        keys = [f"{prefix}:b:{{{block}}}" for block in blocks] + [f"{prefix}:i:{{{image}}}"]
        for key in keys:
            await client.set(key, DAMAGE[damage](await client.get(key)))
        before = _counted("block"), _counted("image")
        tracemalloc.start()
        for _ in range(2):  # the second time they are simply not there
            assert await store.get_blocks(list(blocks)) == {}
            assert await store.get_image(image, 100) is None
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 16 << 20
        assert (_counted("block") - before[0], _counted("image") - before[1]) == (2, 1)
        assert caplog.text.count("was corrupt and has been removed") == 3
        assert await store.missing_blocks(list(blocks), 100) == list(blocks)
        await store.put_blocks(blocks, 100)  # the way back
        assert await redis_store.get_blocks(list(blocks)) == blocks
        await store.close()

    asyncio.run(test())


def test_a_value_that_was_replaced_meanwhile_stays(valkey: EmbeddedServer) -> None:
    async def test() -> None:
        client = connect(valkey.url, timeout_seconds=5, connections=4)
        store = RedisStore(client, "replaced", 4)
        name = block_id(NOISE)
        await store.put_blocks({name: NOISE}, 100)
        seen: dict[str, bytes] = {name: b"\0what a reader saw before"}

        async def ask(request: Callable[[], Awaitable[object]]) -> object:
            return await request()

        assert await store._verified(ask, BLOCK, seen) == {}
        assert await store.get_blocks([name]) == {name: NOISE}
        await store.close()

    asyncio.run(test())


@pytest.mark.parametrize("generation", GENERATIONS, ids=lambda generation: generation.name)
def test_the_largest_manifest_is_within_its_bound(generation) -> None:
    places = [
        place
        for space in Space
        for quadrant in range(4)
        for tile in range(4096)
        if exists(place := Place(space.value, quadrant, tile), generation)
    ]
    assert len(places) >= 4 * 128
    assert len(Manifest(generation, dict.fromkeys(places, "f" * 64)).canonical) <= MANIFEST_BYTES


def test_callers_learn_which_blocks_to_upload(valkey: EmbeddedServer, tmp_path: Path) -> None:
    service = Service(DVESIM_REDIS_URL=valkey.url, DVESIM_KEY_PREFIX="damaged", DVESIM_BLOCK_CACHE_BYTES="0")
    try:
        noise = np.frombuffer(NOISE, np.uint8).tobytes()
        whole = region(noise, partitions=32)
        made = service.http.post("/v1/sessions", json={"generation": "cayman", "memory": [whole]}).json()
        key = f"damaged:public:b:{{{block_id(NOISE)}}}"
        store = redis.Redis.from_url(valkey.url)
        store.set(key, b"\0" + NOISE[::-1])
        path = f"/v1/sessions/{made['session']}"
        place = {name: value for name, value in whole.items() if not name.startswith("data")}
        run = {"instructions": [], "read": [place]}  # a run fetches what it touches or reads back
        problem = refused(service.http.post(f"{path}/run", json=run), 409, "blocks_missing")
        assert problem["blocks"] == [block_id(NOISE)]
        assert service.http.get(path).json()["version"] == 1
        assert 'dvesim_store_corrupt_total{kind="block"} 1.0' in service.http.get("/metrics").text
        assert service.http.put(f"/v1/blocks/{block_id(NOISE)}", content=NOISE).status_code == 200
        assert service.http.post(f"{path}/run", json=run).json()["version"] == 2
        store.set(f"damaged:public:i:{{{made['image']}}}", b"\0{}")
        refused(service.http.get(path), 404, "image_not_found")
        store.close()
    finally:
        assert service.stop() == 0
