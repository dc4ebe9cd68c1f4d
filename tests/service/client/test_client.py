"""What the clients themselves do: targets, arguments, threads, closing, and memory as arrays."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from dve_client import BadInput, Client, MemoryRegion, Region, Space, aconnect, connect, memory, region
from dve_client.core import AsyncClient
from dve_client.errors import UnexpectedAnswer
from tests.service.programs import COPY
from tests.service.running import Service


@pytest.mark.parametrize(
    "target", ["", "localhost:8080", "ftp://x", "http://", "grpc://", "grpc://h:1/path", "in-process"]
)
def test_targets_that_mean_nothing(target: str) -> None:
    with pytest.raises(BadInput, match="means nothing"):
        connect(target)


BAD: list[Any] = [
    lambda c: c.run("e810", "cayman"),
    lambda c: c.run(np.zeros(64, np.int8), "cayman"),
    lambda c: c.run(COPY, "cayman", read="everything"),
    lambda c: c.run(COPY, "cayman", read=[Region(Space.SBUF, -1, 1, 0, 4)]),
    lambda c: c.run(COPY, "cayman", registers={5: -1}),
    lambda c: c.run(COPY, "cayman", registers={5: 1 << 32}),
    lambda c: c.run(COPY, "cayman", accumulators=np.zeros(3)),
    lambda c: c.run(COPY, "cayman", memory=[b"bytes"]),
    lambda c: c.create_session("cayman", ttl_seconds=-1),
    lambda c: c.fork_session("ses_", ttl_seconds=1 << 40),
    lambda c: c.run_session("ses_", COPY, if_match=-1),
    lambda c: c.write_session("ses_", [], if_match="1"),
    lambda c: c.describe("cayman", "registers"),
    lambda c: c.describe(topic="dtypes"),
    lambda c: c.describe("cayman", mnemonic="SELECT_REDUCE"),
]


@pytest.mark.parametrize("target", ["http://127.0.0.1:1", "grpc://127.0.0.1:1", "inproc"])
def test_what_cannot_be_sent_is_not(target: str) -> None:
    with connect(target) as client:
        for call in BAD:
            with pytest.raises(BadInput):
                call(client)


@pytest.mark.parametrize("scheme", ["http", "grpc"])
def test_one_client_serves_many_threads(service: Service, scheme: str) -> None:
    address = {"http": service.http_address, "grpc": service.grpc_address}[scheme]
    with connect(f"{scheme}://{address}") as client, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: client.validate(COPY, "cayman"), range(40)))
    assert all(answer == answers[0] for answer in answers)


async def test_one_client_serves_many_tasks(service: Service) -> None:
    async with aconnect(f"grpc://{service.grpc_address}") as client:
        answers = await asyncio.gather(*[client.run(COPY, "cayman", read="written") for _ in range(20)])
    assert all(answer == answers[0] for answer in answers)


def test_closing_ends_the_thread() -> None:
    client = connect("inproc")
    client.version()
    threads = {thread.name for thread in threading.enumerate()}
    assert "dve-client" in threads
    client.close()
    client.close()
    assert "dve-client" not in {thread.name for thread in threading.enumerate()}
    with pytest.raises(RuntimeError, match="closed"):
        client.version()


def test_both_colours_have_the_same_methods() -> None:
    def public(kind: type) -> set[str]:
        return {name for name in dir(kind) if not name.startswith("_")}

    assert public(Client) - {"close"} == public(AsyncClient) - {"aclose"}
    for name in public(Client) - {"close"}:
        assert getattr(Client, name).__doc__ == getattr(AsyncClient, name).__doc__


# --- memory ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", [np.uint8, np.int16, np.float32, np.dtype(">u4"), ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn]
)
def test_arrays_go_in_and_come_out_as_they_are(dtype: Any) -> None:
    values = np.arange(24).reshape(3, 8).astype(dtype)
    placed = MemoryRegion.of("psum", 4, 16, values[:, ::2])
    assert placed.region == region("psum", 4, 16, 4 * values.itemsize, 3)
    little = placed.view(values.dtype.newbyteorder("<") if values.dtype.byteorder == ">" else dtype)
    assert np.array_equal(little, values[:, ::2])
    assert MemoryRegion.from_bytes(placed.region, placed.tobytes()) == placed


@pytest.mark.parametrize(
    "values",
    [np.zeros((2, 2, 2)), np.zeros((0, 4)), np.array(3), np.array([object()])],
    ids=["3d", "empty", "0d", "object"],
)
def test_arrays_that_are_no_memory(values: Any) -> None:
    with pytest.raises(BadInput):
        MemoryRegion.of("sbuf", 0, 0, values)


def test_regions_and_sizes() -> None:
    with pytest.raises(BadInput, match="is no memory"):
        region("dram", 0, 0, 1)
    with pytest.raises(BadInput, match="takes 8 bytes, got 7"):
        MemoryRegion.from_bytes(region("sbuf", 0, 0, 4, 2), b"1234567")


@pytest.mark.parametrize("piece_bytes", [1, 7, 10, 25, 1000])
def test_pieces_fill_regions(piece_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "PIECE_BYTES", piece_bytes)
    whole = [MemoryRegion.of("sbuf", 3, 5, np.arange(n, dtype=np.uint8).reshape(5, -1)) for n in (50, 5)]
    parts = [part for item in whole for part in memory.pieces(item)]
    assert all(part.region.partitions == 1 or part.region.total_bytes <= piece_bytes for part in parts)
    sent = b"".join(part.tobytes() for part in parts)
    filling = memory.Filling(item.region for item in whole)
    for at in range(0, len(sent), piece_bytes):  # over the border between the regions, too
        with pytest.raises(UnexpectedAnswer, match="fewer"):
            filling.done()
        filling.add(sent[at : at + piece_bytes])
    assert filling.done() == tuple(whole)
    with pytest.raises(UnexpectedAnswer, match="more"):
        filling.add(b"x")


def test_an_answer_finds_bytes_in_what_was_read_back() -> None:
    with connect("inproc") as client:
        answer = client.run(COPY, "cayman", read=[region("sbuf", 32, 500, 40, 32)])
    inside = answer.bytes_at(region("sbuf", 33, 512, 4, 2))
    assert inside.tobytes() == bytes.fromhex("000080ff" * 2)
    with pytest.raises(BadInput, match="was not read back"):
        answer.bytes_at(region("sbuf", 33, 539, 4, 2))
