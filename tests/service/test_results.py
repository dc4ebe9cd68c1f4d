"""Kept answers: what they are found by, that they are the same answers, and that nothing depends on them."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import logging
import os
import signal
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import numpy as np
import pytest
import redis.asyncio

from dve_client import RunAnswer, aconnect
from dve_client.memory import MemoryRegion
from dve_engine import CAYMAN, MARIANA, Choices, Region, Space
from dve_service.errors import IllegalInstructions, TimeLimitExceeded
from dve_service.metrics import RESULT_BYTES, RESULTS
from dve_service.orders import Input, Program, Ran, Run, Write
from dve_service.simulator import Simulator
from dve_service.store.embedded import EmbeddedServer
from dve_service.work import Watch
from tests.service.programs import COPY, FEW, ILLEGAL
from tests.service.running import Service
from tests.service.test_codec import kept_copy
from tests.service.test_lazy_runs import OUTPUT, simulator
from tests.service.test_plans import told

PREDICATES = Write(Region(Space.SBUF, 0, 32, 256, 4), bytes([0, 1, 0, 200] * 32))
BASE = Run(Program(CAYMAN, COPY, Choices()), Input(writes=(PREDICATES,)), (OUTPUT,))


def on(valkey: EmbeddedServer, test: Callable[[Simulator], Awaitable[None]], **settings: object) -> None:
    async def whole() -> None:
        async with simulator(valkey.url, **settings) as one:
            await test(one)

    asyncio.run(whole())


def count(outcome: str) -> float:
    return float(RESULTS.labels(outcome)._value.get())


def same(first: Ran, second: Ran) -> bool:
    rest = [told(dataclasses.replace(ran, cached=False, version=None)) for ran in (first, second)]
    return rest[0] == rest[1]


def starting(**change: Any) -> Run:
    return dataclasses.replace(BASE, start=dataclasses.replace(BASE.start, **change))


def reading(**change: Any) -> Run:
    return dataclasses.replace(BASE, program=dataclasses.replace(BASE.program, **change))


MARK = bytes(4 * 128)
OTHERS = {
    "program": reading(code=FEW),
    "generation": reading(generation=MARIANA),
    "profile": reading(choices=Choices("nki")),
    "assumptions": reading(choices=Choices(overrides={"merge-of-unselected": "zero"})),
    "on_invalid": dataclasses.replace(BASE, on_invalid="skip"),
    "bytes": starting(writes=(Write(PREDICATES.region, bytes(128)),)),
    "place": starting(writes=(Write(Region(Space.SBUF, 1, 32, 256, 4), PREDICATES.data),)),
    "registers": starting(registers={5: 1}),
    "accumulators": starting(accumulators=MARK),
    "taint": starting(tainted=(True,) * 127 + (False,)),
    "banks": starting(banks={"match_values": np.arange(1024, dtype="<u4").tobytes()}),
    "read": dataclasses.replace(BASE, read=()),
    "written": dataclasses.replace(BASE, read=None),
    "trace": dataclasses.replace(BASE, trace="summary"),
    "verdicts": dataclasses.replace(BASE, verdicts="all"),
    "store_image": dataclasses.replace(BASE, store_image=True),
}


def test_an_answer_is_found_by_all_it_depends_on(valkey: EmbeddedServer) -> None:
    async def test(one: Simulator) -> None:
        first = await one.run(BASE)
        for name, other in OTHERS.items():
            answer = await one.run(other)
            assert not answer.cached, name
            again = await one.run(other)
            assert again.cached and same(answer, again), name
        assert not first.cached and (await one.run(BASE)).cached
        with_image = starting(image=(await one.images.create(CAYMAN, [])).id)
        assert not (await one.run(with_image)).cached

    assert len(OTHERS) == 16
    on(valkey, test)


def test_a_run_that_asks_for_it_is_carried_out_and_not_kept(valkey: EmbeddedServer) -> None:
    async def test(one: Simulator) -> None:
        afresh, counted = dataclasses.replace(BASE, cache=False), [count(k) for k in ("hit", "miss", "stored")]
        assert [(await one.run(afresh)).cached for _ in range(2)] == [False, False]
        assert [count(k) for k in ("hit", "miss", "stored")] == counted
        assert not (await one.run(BASE)).cached
        assert not (await one.run(afresh)).cached
        assert [count(k) for k in ("hit", "miss", "stored")] == [counted[0], counted[1] + 1, counted[2] + 1]

    on(valkey, test)


def test_failures_are_not_kept(valkey: EmbeddedServer) -> None:
    async def test(one: Simulator) -> None:
        stored = count("stored")
        for _ in range(2):
            with pytest.raises(IllegalInstructions):
                await one.run(reading(code=ILLEGAL))
            with pytest.raises(TimeLimitExceeded):
                await one.run(dataclasses.replace(BASE, trace="full"), Watch(-1.0))
        assert count("stored") == stored

    on(valkey, test)


def test_settings_bound_what_is_kept(valkey: EmbeddedServer) -> None:
    async def off(one: Simulator) -> None:
        assert [(await one.run(BASE)).cached for _ in range(2)] == [False, False]

    async def small(one: Simulator) -> None:
        refused, sent = count("too_large"), RESULT_BYTES.labels("stored")._value.get()
        assert [(await one.run(BASE)).cached for _ in range(2)] == [False, False]
        assert count("too_large") == refused + 2
        assert RESULT_BYTES.labels("stored")._value.get() == sent

    async def brief(one: Simulator) -> None:
        await one.run(BASE)
        assert (await one.run(BASE)).cached
        await asyncio.sleep(1.1)
        assert not (await one.run(BASE)).cached

    on(valkey, off, result_ttl_seconds=0)
    on(valkey, small, result_cache_entry_bytes=512)
    on(valkey, brief, result_ttl_seconds=1)


def test_an_answer_that_cannot_be_kept_is_an_answer_all_the_same(
    valkey: EmbeddedServer, caplog: pytest.LogCaptureFixture
) -> None:
    """A value the codec does not know, and bytes that are no answer: counted, logged, and otherwise a miss."""

    async def test(one: Simulator) -> None:
        errors, stored = count("error"), count("stored")
        kept = kept_copy()
        unknown = dataclasses.replace(kept.answer, diagnostics=[{"set": {1}}])
        results = one._runs._results
        await results.put("k", dataclasses.replace(kept, answer=unknown))
        assert (count("error"), count("stored")) == (errors + 1, stored)
        await one._store.put_result("k", b"no answer", 10)
        assert await results.get("k") is None
        assert count("error") == errors + 2

    on(valkey, test)
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]


async def forget(url: str, pattern: str) -> int:
    """Delete keys as a store that lost them would."""
    async with redis.asyncio.Redis.from_url(url) as client:
        keys = [key async for key in client.scan_iter(pattern)]
        return int(await client.delete(*keys)) if keys else 0


@pytest.mark.parametrize("lost", ["b", "i"])
def test_an_answer_whose_image_is_gone_is_computed_again(valkey: EmbeddedServer, lost: str) -> None:
    async def test(one: Simulator) -> None:
        order = dataclasses.replace(BASE, store_image=True)
        first = await one.run(order)
        assert (await one.run(order)).cached
        prefix = one._store._store._redis._prefix  # type: ignore[attr-defined]
        assert await forget(valkey.url, f"{prefix}:{lost}:*") > 0
        again = await one.run(order)
        assert not again.cached and same(first, again)
        assert again.image is not None
        image = await one.images.get(again.image)
        assert [w.data for w in await one.images.read(image.manifest, [OUTPUT])] == [again.memory[0].data]

    on(valkey, test)


def test_a_kept_answer_gives_its_image_a_new_life(valkey: EmbeddedServer) -> None:
    """Lives are twice the setting, here 2 s. Asked for every second, the image outlives that."""

    async def test(one: Simulator) -> None:
        order = dataclasses.replace(BASE, store_image=True)
        first = await one.run(order)
        assert first.image is not None
        for _ in range(3):
            await asyncio.sleep(1.0)
            assert (await one.run(order)).cached
        image = await one.images.get(first.image)
        assert await one.images.read(image.manifest, [OUTPUT])

    on(valkey, test, image_ttl_seconds=1)


def test_sessions_answer_from_kept_answers_and_move_on(valkey: EmbeddedServer) -> None:
    """Two sessions with one history: the second computes nothing, and both hold the same state afterwards."""

    async def test(one: Simulator) -> None:
        asked = dataclasses.replace(BASE, start=Input(registers={7: 7}), store_image=True)
        views, answers = [], []
        for _ in range(2):
            session = await one.sessions.create(CAYMAN, None, (PREDICATES,), None)
            ran = [await one.sessions.run(session.id, lambda _: asked, None) for _ in range(3)]
            assert [one.version for one in ran] == [2, 3, 4]
            answers.append(ran)
            views.append(await one.sessions.get(session.id))
        assert [ran.cached for ran in answers[0]] == [False, False, True]  # the second run changes nothing
        assert [ran.cached for ran in answers[1]] == [True, True, True]
        assert all(same(a, b) for a, b in zip(*answers, strict=True))
        assert views[0].image == views[1].image and views[0].version == views[1].version
        assert views[0].registers.registers == views[1].registers.registers == {7: 7}
        assert views[0].registers.accumulators.tolist() == views[1].registers.accumulators.tolist()
        memory = [await one.sessions.read(view.id, [OUTPUT]) for view in views]
        assert memory[0] == memory[1] and memory[0].memory[0].data == answers[0][0].memory[0].data
        assert await one.sessions.fork(views[1].id, None)

    on(valkey, test)


def test_a_state_that_only_succeeds_differs_is_another_key(valkey: EmbeddedServer) -> None:
    """Unseeded accumulators look like seeded zeros; whether a run may read them is not the same."""

    async def test(one: Simulator) -> None:
        zeros = starting(accumulators=MARK, tainted=(True,) * 128)
        assert not (await one.run(BASE)).cached
        assert not (await one.run(zeros)).cached
        assert (await one.run(zeros)).cached

    on(valkey, test)


# --- all transports ----------------------------------------------------------------------------------------------


async def story(where: str, cache: bool) -> list[RunAnswer]:
    async with aconnect(where) as client:
        given = [MemoryRegion.of("sbuf", 0, 256, np.tile(np.array([0, 1, 0, 9], np.uint8), (32, 1)))]
        image = (await client.put_image(given, "cayman")).image
        options: dict[str, Any] = {"read": [OUTPUT], "cache": cache, "trace": "full"}
        session = await client.create_session("cayman", image=image)
        return [
            await client.run(COPY, "cayman", memory=given, **options),
            await client.run(COPY, "cayman", image=image, store_image=True, **options),
            await client.run(COPY + FEW, "cayman", image=image, read="written", cache=cache),
            await client.run_session(session.id, COPY, **options),
            await client.run_session(session.id, FEW, **options),
        ]


def test_transports_agree_with_and_without_cache(valkey: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids, digests, bytes and all else; whoever asks second gets what the first one left."""
    prefix = f"agree-{os.urandom(4).hex()}"
    monkeypatch.setenv("DVESIM_REDIS_URL", valkey.url)
    monkeypatch.setenv("DVESIM_KEY_PREFIX", prefix)
    service = Service(DVESIM_REDIS_URL=valkey.url, DVESIM_KEY_PREFIX=prefix)
    try:
        targets = [f"http://{service.http_address}", f"grpc://{service.grpc_address}", "inproc"]
        fresh = [asyncio.run(story(where, cache=False)) for where in targets]
        kept = [asyncio.run(story(where, cache=True)) for where in targets]
        assert all(answers == fresh[0] for answers in fresh + kept)
        cached = [[one.cached for one in answers] for answers in fresh + kept]
        first = [False, False, False, True, False]  # a session's run is that of its image where that was stored
        assert cached == [[False] * 5] * 3 + [first] + [[True] * 5] * 2
        octets = {"content-type": "application/octet-stream"}
        raw = service.http.post("/v1/run?generation=cayman&cache=false", content=COPY, headers=octets).json()
        assert raw["cached"] is False
        refused = service.http.post("/v1/run", json={"generation": "cayman", "instructions": [], "cache": "no"})
        assert refused.json()["field"] == "cache"
        metrics = service.http.get("/metrics").text
        assert 'dvesim_results_total{outcome="hit"}' in metrics
    finally:
        assert service.stop() == 0


# --- a store that is away ----------------------------------------------------------------------------------------


def test_runs_go_on_without_a_store(caplog: pytest.LogCaptureFixture) -> None:
    """Nobody listens: runs are computed, the outage is logged once, and hardly any run asks again."""

    async def test() -> None:
        async with simulator("unix:///nowhere/socket") as one:
            errors, begun = count("error"), time.monotonic()
            answers = [await one.run(BASE) for _ in range(50)]
            assert time.monotonic() - begun < 5
            assert not any(answer.cached for answer in answers)
            assert 1 <= count("error") - errors <= 2

    with caplog.at_level(logging.WARNING, "dve_service"):
        asyncio.run(test())
    assert [record.message.partition(":")[0] for record in caplog.records] == ["result cache"]


def test_a_stalled_store_costs_one_run_a_moment() -> None:
    with EmbeddedServer("64mb") as server:
        service = Service(DVESIM_REDIS_URL=server.url)
        try:
            data = base64.b64encode(COPY).decode()
            body = {"generation": "cayman", "program_base64": data}

            def timed(client: httpx2.Client) -> tuple[float, bool]:
                begun = time.monotonic()
                answer = client.post("/v1/run", json=body).json()
                return time.monotonic() - begun, answer["cached"]

            assert [timed(service.http)[1] for _ in range(2)] == [False, True]
            os.kill(server.pid, signal.SIGSTOP)
            try:
                during = [timed(service.http) for _ in range(10)]
            finally:
                os.kill(server.pid, signal.SIGCONT)
            assert not any(cached for _, cached in during)
            assert sum(seconds > 0.4 for seconds, _ in during) == 1
            end = time.monotonic() + 20
            while not timed(service.http)[1]:
                assert time.monotonic() < end
                time.sleep(0.2)
        finally:
            assert service.stop() == 0
