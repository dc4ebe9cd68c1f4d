"""What a run costs follows the bytes it touches: blocks fetched are counted by the store itself."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import numpy as np
import pytest
import redis.asyncio

from dve_engine import CAYMAN, MARIANA, Band, Choices, Generation, Machine, Region, Space
from dve_service.blocks import Place, places_at, places_of, tiles_under
from dve_service.machine_state import fresh
from dve_service.orders import Input, Program, Run, Write
from dve_service.settings import Settings
from dve_service.simulator import Simulator
from dve_service.store.embedded import EmbeddedServer
from dve_service.wiring import wire
from tests.service.programs import COPY
from tests.unit.records import gather, pattern, tensor_scalar

OUTPUT = Region(Space.SBUF, 32, 32, 512, 16)


@asynccontextmanager
async def simulator(url: str, **settings: object) -> AsyncIterator[Simulator]:
    """A service without transports and without a block cache, under a prefix of its own."""
    chosen = Settings(key_prefix=f"lazy-{os.urandom(4).hex()}", block_cache_bytes=0, **settings)  # type: ignore[arg-type]
    made = wire(chosen, url).simulator
    try:
        yield made
    finally:
        await made.close()


async def reads(url: str) -> int:
    """Blocks and manifests the server has been asked for."""
    async with redis.asyncio.Redis.from_url(url) as client:
        found = await client.info("commandstats")
    return int(found.get("cmdstat_getrange", {"calls": 0})["calls"])


async def fetched(url: str, call: Callable[[], Awaitable[object]]) -> int:
    before = await reads(url)
    await call()
    return await reads(url) - before


def everything(generation: Generation) -> Write:
    """SBUF full of bytes of which no two blocks are alike."""
    width = generation.sbuf.active_bytes
    data = np.random.default_rng(1).integers(0, 255, (128, width), np.uint8).tobytes()
    return Write(Region(Space.SBUF, 0, 128, 0, width), data)


def order(generation: Generation, code: bytes, image: str, **change: object) -> Run:
    run = Run(Program(generation, code, Choices()), Input(image=image), cache=False)
    return dataclasses.replace(run, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "blocks"),
    [
        ({}, 2),  # predicates in quadrant 0, destination in quadrant 1
        ({"read": None}, 2),
        ({"read": (OUTPUT,)}, 2),
        ({"read": (Region(Space.SBUF, 96, 1, 2047, 2),)}, 4),  # across a tile's edge
        ({"store_image": True}, 2),
        ({"trace": "full"}, 2),
    ],
    ids=str,
)
def test_a_run_on_a_large_image_fetches_what_it_touches(
    valkey: EmbeddedServer, change: dict[str, object], blocks: int
) -> None:
    async def test() -> None:
        async with simulator(valkey.url) as one:
            image = await one.images.create(CAYMAN, [everything(CAYMAN)])
            assert len(image.manifest.blocks) == 4 * CAYMAN.sbuf.active_bytes // 1024
            assert await fetched(valkey.url, lambda: one.run(order(CAYMAN, COPY, image.id, **change))) == blocks + 1
            session = await one.sessions.create(CAYMAN, image.id, (), None)
            made = order(CAYMAN, COPY, image.id, **change)
            asked = dataclasses.replace(made, start=Input(), store_image=True)
            assert await fetched(valkey.url, lambda: one.sessions.run(session.id, lambda _: asked, None)) == blocks + 1

    asyncio.run(test())


def test_memory_given_with_a_run_counts(valkey: EmbeddedServer) -> None:
    async def test() -> None:
        async with simulator(valkey.url) as one:
            image = await one.images.create(CAYMAN, [everything(CAYMAN)])
            given = Write(Region(Space.SBUF, 64, 64, 100 * 1024, 1), bytes(64))  # two quadrants, one tile
            run = order(CAYMAN, COPY, image.id, start=Input(image=image.id, writes=(given,)), store_image=True)
            assert await fetched(valkey.url, lambda: one.run(run)) == 4 + 1

    asyncio.run(test())


def test_the_answer_is_that_of_a_run_on_all_of_memory(valkey: EmbeddedServer) -> None:
    """Written bytes, kept bytes of unselected elements, digest, and the image that is stored."""

    async def test() -> None:
        async with simulator(valkey.url) as one:
            image = await one.images.create(CAYMAN, [everything(CAYMAN)])
            ran = await one.run(order(CAYMAN, COPY, image.id, read=None, store_image=True))
            state = fresh(CAYMAN, await one.images.load(image.manifest, image.manifest.blocks))
            result = Machine(CAYMAN, Choices()).run(COPY, state)
            assert tuple(ran.written) == result.written == (OUTPUT,)
            assert [w.data for w in ran.memory] == [state.memory.read(OUTPUT).tobytes()]
            assert ran.image is not None
            stored = await one.images.get(ran.image)
            full = await one.images.load(stored.manifest, stored.manifest.blocks)
            assert all(np.array_equal(full.arrays[s], state.memory.arrays[s]) for s in Space)
            again = [Write(everything(CAYMAN).region, full.arrays[Space.SBUF].tobytes())]
            assert (await one.images.create(CAYMAN, again)).id == ran.image

    asyncio.run(test())


def test_an_index_list_is_not_read_ahead(valkey: EmbeddedServer) -> None:
    """A gather fetches the list and all that any list could lead to: one quadrant from the data's tile on."""

    async def test() -> None:
        async with simulator(valkey.url) as one:
            image = await one.images.create(MARIANA, [everything(MARIANA)])
            code = tensor_scalar(0, src=gather(0x2000_0000 | 0x200, 100 * 1024, 1), dst=pattern(0x800))
            listed = Write(Region(Space.SBUF, 0, 16, 0x200, 2), struct.pack("<16H", *range(16)))
            run = order(MARIANA, code, image.id, start=Input(image=image.id, writes=(listed,)), read=None)
            reach = MARIANA.sbuf.active_bytes // 1024 - 100
            assert await fetched(valkey.url, lambda: one.run(run)) == 2 + reach + 1

    asyncio.run(test())


def test_tiles_of_bands_are_those_of_their_regions() -> None:
    rng, compared = np.random.default_rng(3), 0
    for _ in range(300):
        partition = int(rng.integers(0, 128))
        edges = np.sort(rng.choice(CAYMAN.psum.active_bytes, 2 * int(rng.integers(1, 6)), replace=False))
        band = Band(Space.PSUM, partition, int(rng.integers(1, 129 - partition)), edges.reshape(-1, 2))
        found: set[Place] = places_at(tiles_under([band], CAYMAN))
        assert found == places_of(band.regions())
        compared += len(found)
    assert compared > 300
