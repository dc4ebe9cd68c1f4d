"""One story told through a client of any transport and colour: what it answered, without ids drawn by chance."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from dve_client import AsyncClient, Client, MemoryRegion, ServiceError, region
from dve_client.demo.stage import END, LANES, inputs, stage
from dve_engine import CAYMAN
from tests.service.programs import COPY, FAR, ILLEGAL, NO_OPCODE, REGISTER, REGISTER_MOVE

PREDICATE = MemoryRegion.of("sbuf", 0, 256, np.tile(np.array([0, 1, 0, 200], np.uint8), (32, 1)))
OUTPUT = region("sbuf", 32, 512, 16, 32)
WINDOW = region("sbuf", 0, 0, END, LANES)


class Awaited:
    """A synchronous client with awaitable methods, so that one story serves both."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        async def call(*args: Any, **kwargs: Any) -> Any:
            answer = method(*args, **kwargs)
            assert not inspect.isawaitable(answer)
            return answer

        return call


async def told(client: AsyncClient | Awaited) -> dict[str, Any]:
    """Every answer by a name."""
    answers: dict[str, Any] = {}
    answers["version"] = await client.version()
    answers["limits"] = await client.limits()
    answers["describe"] = [
        await client.describe(),
        await client.describe("trn2"),
        await client.describe("maverick", "instructions"),
        await client.describe("cayman", "instructions", "SELECT_REDUCE"),
        await client.describe("mariana", "dtypes"),
        await client.describe("sunda", "aluops"),
        await client.describe("sunda", "coverage"),
        await client.describe(topic="assumptions"),
    ]
    answers |= await verdicts_and_runs(client)
    answers |= await images(client)
    answers |= await sessions(client)
    answers["errors"] = await errors(client)
    return answers


async def verdicts_and_runs(client: AsyncClient | Awaited) -> dict[str, Any]:
    mixed = COPY + ILLEGAL + NO_OPCODE + REGISTER_MOVE
    given = inputs()
    stateful = {
        "registers": {5: 0x0080_0200},
        "accumulators": np.arange(128, dtype=np.uint32) | np.uint32(0x7FC0_0000),  # NaNs with payloads
        "tainted": [lane % 2 == 0 for lane in range(128)],
        "banks": {"match_values": np.arange(1024, dtype=np.uint32), "lane_mask": bytes(32)},
    }
    with pytest.raises(TypeError):
        await client.run(COPY, "cayman", memroy=[])  # type: ignore[call-arg]
    return {
        "validate": await client.validate(mixed, "cayman"),
        "validate first": await client.validate(mixed, "cayman", all_failures=False, verdicts="invalid"),
        "validate array": await client.validate(np.frombuffer(mixed, np.uint8).reshape(-1, 64), CAYMAN),
        "run": await client.run(stage(CAYMAN), CAYMAN, memory=given.memory(), read=[WINDOW], trace="full"),
        "run nki": await client.run(
            stage(CAYMAN),
            CAYMAN,
            memory=given.memory(),
            read="written",
            profile="nki",
            assumptions={"max-nan": "maxnum"},
        ),
        "run state": await client.run(
            REGISTER, "cayman", memory=[PREDICATE], read=[OUTPUT], verdicts="all", **stateful
        ),
        "run skip": await client.run(ILLEGAL + COPY, "cayman", memory=[PREDICATE], read=[OUTPUT], on_invalid="skip"),
        "run stop": await client.run(COPY + ILLEGAL + COPY, "cayman", on_invalid="stop", trace="summary"),
        "run nothing": await client.run(b"", "cayman"),
    }


async def images(client: AsyncClient | Awaited) -> dict[str, Any]:
    stored = await client.put_image([PREDICATE], "cayman")
    again = await client.put_image([PREDICATE], "cayman", incremental=True)
    assert again == stored
    described = await client.image(stored.image)
    blocks = [place.id for place in described.blocks]
    ran = await client.run(COPY, "cayman", image=stored.image, read=[OUTPUT], store_image=True)
    assert ran.state.image is not None
    return {
        "stored": stored,
        "image": described,
        "missing": await client.missing_blocks([*blocks, "0" * 64], "cayman"),
        "read": await client.read_image(stored.image, [PREDICATE.region, OUTPUT]),
        "ran": ran,
        "read result": await client.read_image(ran.state.image, [OUTPUT, PREDICATE.region]),
    }


async def sessions(client: AsyncClient | Awaited) -> dict[str, Any]:
    session = await client.create_session("cayman", memory=[PREDICATE], ttl_seconds=600)
    ran = await client.run_session(session.id, COPY, if_match=1, read=[OUTPUT])
    fork = await client.fork_session(session.id, ttl_seconds=60)
    other = MemoryRegion.of("sbuf", 32, 512, np.arange(8, dtype=np.float32))
    written = await client.write_session(fork.id, [other], if_match=1)
    answers = {
        "created": anonymous(session),
        "session ran": ran,
        "fork": anonymous(fork),
        "written": anonymous(written),
        "now": anonymous(await client.session(session.id)),
        "then": anonymous(await client.session(session.id, version=1)),
        "versions": [(one.version, one.image) for one in await client.versions(session.id)],
        "ran then": await client.run_session(session.id, COPY, at_version=1, read=[OUTPUT]),
        "memory then": await client.read_session(session.id, [OUTPUT, PREDICATE.region], version=1),
        "fork of then": anonymous(await client.fork_session(session.id, version=1)),
        "session memory": await client.read_session(session.id, [OUTPUT, PREDICATE.region]),
        "fork memory": await client.read_session(fork.id, [other.region]),
    }
    with pytest.raises(ServiceError) as stale:
        await client.run_session(session.id, COPY, if_match=1)
    answers["stale"] = (stale.value.code, stale.value.version)
    await client.delete_session(fork.id)
    with pytest.raises(ServiceError) as gone:
        await client.session(fork.id)
    answers["gone"] = gone.value.code
    return answers


def anonymous(session: Any) -> dict[str, Any]:
    """A session without the ids drawn for it and its parent."""
    kept = {name: value for name, value in vars(session).items() if name != "id"}
    return {**kept, "forked_from": session.forked_from and session.forked_from[1]}


async def errors(client: AsyncClient | Awaited) -> list[Any]:
    """What the service said, by code."""
    outside = MemoryRegion.of("sbuf", 100, 0, np.zeros((64, 1), np.uint8))
    nobody, nothing = "ses_" + "0" * 32, "img_" + "0" * 64
    calls = [
        client.validate(COPY, "pascal"),
        client.validate(COPY[:63], "cayman"),
        client.validate(COPY, "cayman", profile="mine"),
        client.run(COPY, "cayman", assumptions={"no-such": "thing"}),
        client.run(COPY + ILLEGAL, "cayman"),
        client.run(FAR, "cayman"),
        client.run(REGISTER, "cayman"),
        client.run(REGISTER_MOVE, "cayman"),
        client.run(COPY, "cayman", memory=[outside]),
        client.run(COPY, "cayman", read=[outside.region]),
        client.run(COPY, "cayman", trace="loud"),  # type: ignore[arg-type]
        client.run(COPY, "cayman", registers={64: 0}),
        client.run(COPY, "cayman", banks={"no_such_bank": b""}),
        client.run(COPY, "cayman", image=nothing),
        client.read_image(nothing, [OUTPUT]),
        client.session(nobody),
        client.run_session(nobody, COPY),
        client.delete_session(nobody),
        client.create_session("cayman", ttl_seconds=0),
        client.create_session("cayman", ttl_seconds=10**9),
        client.missing_blocks(["short"], "cayman"),
        client.put_image([outside], "cayman", incremental=True),
        client.describe("cayman", "instructions", "NO_SUCH"),
        client.describe("pascal"),
    ]
    said = []
    for call in calls:
        with pytest.raises(ServiceError) as caught:
            await call
        said.append((type(caught.value).__name__, caught.value.problem))
    return said
