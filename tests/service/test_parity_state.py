"""State over HTTP, gRPC and in process: the same ids, digests, versions and bytes; only what is new travels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from dve_client import AsyncClient, BlockPlace, MemoryRegion, region
from dve_client.blocks import cut
from dve_client.retry import NEVER
from dve_client.transports.http import HttpTransport
from dve_client.transports.inproc import InprocTransport
from dve_client.transports.rpc import GrpcTransport
from dve_service.store.embedded import EmbeddedServer
from tests.service.programs import COPY
from tests.service.running import Service

COLUMNS = 48 * 1024  # 6 MiB in all
RANDOM = np.random.default_rng(11)
NUMBERS = MemoryRegion.of("sbuf", 0, 0, RANDOM.integers(1, 256, (128, COLUMNS), np.uint8))
PREDICATE = MemoryRegion.of("sbuf", 0, 256, np.tile(np.array([0, 1, 0, 200], np.uint8), (32, 1)))
CROOKED = MemoryRegion.of("psum", 30, 1000, RANDOM.integers(1, 256, (70, 3000), np.uint8))
OUTPUT = region("sbuf", 32, 512, 16, 32)
MEMORY = (NUMBERS, PREDICATE, CROOKED)
READ = (OUTPUT, CROOKED.region, region("sbuf", 17, 999, COLUMNS, 60))


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    return {}


def transport(kind: str, service: Service) -> Any:
    match kind:
        case "http":
            return HttpTransport(f"http://{service.http_address}", 60)
        case "grpc":
            return GrpcTransport(service.grpc_address, 60, tls=False)
    return InprocTransport(60)


async def story(client: AsyncClient) -> dict[str, Any]:
    from_regions = await client.put_image(MEMORY, "cayman", incremental=False)
    from_blocks = await client.put_image(MEMORY, "cayman", incremental=True)
    assert from_blocks == from_regions
    ran = await client.run(COPY, "cayman", image=from_regions.image, read=READ, store_image=True)
    assert ran.state.image is not None
    session = await client.create_session("cayman", memory=MEMORY)
    assert session.image == from_regions.image
    session_ran = await client.run_session(session.id, COPY, read=READ)
    assert session_ran.state.image == ran.state.image
    one = await client.write_session(session.id, [CROOKED, MemoryRegion(NUMBERS.region, NUMBERS.data[::-1].copy())])
    two = await client.write_session(session.id, [CROOKED], if_match=one.version)
    fork = await client.fork_session(session.id)
    alone = await client.write_session(fork.id, [MemoryRegion.of("sbuf", 5, 7, np.full((3, 2000), 9, np.uint8))])
    return {
        "image": from_regions,
        "manifest": await client.image(from_regions.image),
        "ran": ran,
        "read": await client.read_image(ran.state.image, READ),
        "session": (session.image, session.version, session.state),
        "session ran": (session_ran.digest, session_ran.version, session_ran.state, session_ran.memory),
        "writes": [(seen.image, seen.version, seen.state) for seen in (one, two, fork, alone)],
        "memory": await client.read_session(session.id, READ),
        "fork": await client.read_session(fork.id, [*READ, region("sbuf", 4, 0, 4096, 6)]),
    }


@pytest.mark.parametrize("kind", ["http", "grpc", "inproc"])
async def test_the_same_state(
    kind: str, service: Service, valkey: EmbeddedServer, told: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DVESIM_REDIS_URL", valkey.url)
    async with AsyncClient(transport(kind, service), NEVER) as client:
        answers = await story(client)
    assert len(answers) == 9
    if not told:
        told.update(answers)
    for name, answer in answers.items():
        assert answer == told[name], name
    under = np.zeros((128, COLUMNS), np.uint8)
    under[:] = NUMBERS.data
    under[:32, 256:260] = PREDICATE.data
    keep = under[0:32, 256:260] != 0
    under[32:64, 512:528] = np.where(np.repeat(keep, 4, 1), under[32:64, 512:528], np.tile([0, 0, 0x80, 0xFF], (32, 4)))
    assert np.array_equal(answers["read"][0].data, under[32:64, 512:528])
    assert answers["read"][1] == CROOKED
    assert np.array_equal(answers["read"][2].data[:, : COLUMNS - 999], under[17:77, 999:])
    assert [version for _, version, _ in answers["writes"]] == [3, 4, 1, 2]
    assert answers["memory"].version == 4
    assert np.array_equal(answers["memory"].memory[2].data[:, : COLUMNS - 999], NUMBERS.data[::-1][17:77, 999:])
    assert (answers["fork"].memory[-1].data[1:4, 7:2007] == 9).all()


@pytest.mark.parametrize("kind", ["http", "grpc", "inproc"])
async def test_one_changed_block_is_one_block_sent(
    kind: str, service: Service, valkey: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DVESIM_REDIS_URL", valkey.url)
    sent: list[Mapping[str, bytes]] = []
    spoken = transport(kind, service)
    put_blocks = spoken.put_blocks

    async def counting(generation: str, blocks: Mapping[str, bytes], places: Sequence[BlockPlace]) -> Any:
        sent.append(blocks)
        return await put_blocks(generation, blocks, places)

    monkeypatch.setattr(spoken, "put_blocks", counting)
    values = np.random.default_rng([ord(kind[0]), 3]).integers(1, 256, (128, 16 * 1024), np.uint8)
    async with AsyncClient(spoken, NEVER) as client:
        await client.put_image([MemoryRegion.of("sbuf", 0, 0, values)], "cayman")
        values[77, 5000] ^= 0xFF
        changed = MemoryRegion.of("sbuf", 0, 0, values)
        again = await client.put_image([changed], "cayman")
        session = await client.create_session("cayman", memory=[changed])
        assert session.image == again.image
        assert (await client.read_image(again.image, [changed.region])) == (changed,)
    assert [len(blocks) for blocks in sent] == [64, 1, 0]
    places, blocks = cut("cayman", [changed])
    assert sent[1] == {block: blocks[block] for block in sent[1]}
    [place] = [place for place in places if place.id in sent[1]]
    assert (place.quadrant, place.tile) == (2, 4)
