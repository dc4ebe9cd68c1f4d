"""Memory beyond one piece: streams over gRPC, uploads of missing blocks only, whole memories over both transports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from dve_client import AsyncClient, BlockPlace, Client, MemoryRegion, connect, region
from dve_client.retry import NEVER
from dve_client.transports.rpc import GrpcTransport
from dve_engine import CAYMAN
from dve_engine.builder import ProgramBuilder, sbuf
from tests.service.running import Service

HALF = 112 * 1024  # bytes of a CAYMAN partition
COPIED = 14 << 20  # bytes of all partitions
RANDOM = np.random.default_rng(3)
NUMBERS = MemoryRegion.of(
    "sbuf", 0, 0, RANDOM.integers(0, 1 << 32, (128, HALF // 4), np.uint32) & np.uint32(0x7F7F_FFFF)
)
_ROW = sbuf(0, 0, "fp32", (128, HALF // 2))
COPY = ProgramBuilder(CAYMAN).tensor_scalar(src=_ROW[:, : HALF // 4], dst=_ROW[:, HALF // 4 :])  # each FP32 as it is
TARGET = region("sbuf", 0, HALF, HALF, 128)


@pytest.fixture(scope="module", params=["http", "grpc"])
def client(service: Service, request: pytest.FixtureRequest) -> Iterator[Client]:
    address_of = {"http": service.http_address, "grpc": service.grpc_address}[request.param]
    with connect(f"{request.param}://{address_of}") as made:
        yield made


@pytest.mark.parametrize("read", ["written", [TARGET]], ids=["written", "regions"])
def test_a_run_with_megabytes_each_way(client: Client, read: Any) -> None:
    assert TARGET.total_bytes == COPIED
    answer = client.run(COPY, CAYMAN, memory=[NUMBERS], read=read, trace="summary")
    assert answer.written == (TARGET,)
    assert [part.region for part in answer.memory] == [TARGET]
    assert np.array_equal(answer.memory[0].data, NUMBERS.data)
    assert [entry["opcode"] for entry in answer.trace] == [0x43]


def test_a_session_with_megabytes(client: Client) -> None:
    session = client.create_session(CAYMAN)
    written = client.write_session(session.id, [NUMBERS], if_match=session.version)
    assert written.version == session.version + 1
    read = client.read_session(session.id, [NUMBERS.region, TARGET])
    assert read.version == written.version
    assert read.memory[0] == NUMBERS
    assert not read.memory[1].data.any()
    client.delete_session(session.id)


def test_an_image_has_one_id_however_it_is_stored(client: Client) -> None:
    whole = client.put_image([NUMBERS], CAYMAN, incremental=False)
    assert client.put_image([NUMBERS], CAYMAN, incremental=True) == whole
    assert client.put_image([NUMBERS], CAYMAN) == whole
    assert whole.blocks == COPIED // (32 * 1024)
    assert client.read_image(whole.image, [NUMBERS.region]) == (NUMBERS,)


async def test_only_missing_blocks_travel(service: Service) -> None:
    sent: list[set[str]] = []

    class Counting(GrpcTransport):
        async def put_blocks(
            self, generation: str, blocks: Mapping[str, bytes], places: Sequence[BlockPlace]
        ) -> Mapping[str, Any]:
            sent.append(set(blocks))
            return await super().put_blocks(generation, blocks, places)

    transport = Counting(service.grpc_address, 60, tls=False)
    async with AsyncClient(transport, NEVER) as client:
        values = np.random.default_rng(4).integers(1, 255, (64, 4096), np.uint8)
        first = await client.put_image([MemoryRegion.of("sbuf", 0, 0, values)], "cayman", incremental=True)
        values[40, 3000] ^= 0xFF
        second = await client.put_image([MemoryRegion.of("sbuf", 0, 0, values)], "cayman", incremental=True)
        assert first.image != second.image
        assert [len(blocks) for blocks in sent] == [8, 1]
        changed = {place.id for place in (await client.image(second.image)).blocks} - {
            place.id for place in (await client.image(first.image)).blocks
        }
        assert sent[1] == changed
