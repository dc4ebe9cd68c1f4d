"""Starting, being ready, losing the store, being busy, stopping."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import grpc
import httpx2
import pytest

from dve_proto.v1 import sessions_pb2
from dve_service.store.embedded import EmbeddedServer
from tests.service.programs import COPY
from tests.service.rpc import Stubs
from tests.service.rpc import refused as refused_rpc
from tests.service.running import Service
from tests.service.test_requests import refused

RUN = {"generation": "cayman", "instructions": [COPY.hex()]}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_embedded_service_starts_and_stops_cleanly(number: int) -> None:
    service = Service()
    assert service.line.endswith("store=embedded")
    assert service.http.get("/healthz/ready").status_code == 200
    made = service.http.post("/v1/sessions", json={"generation": "cayman"})
    assert made.status_code == 201
    children = _children(service.process.pid)
    assert children
    assert service.stop(number) == 0
    assert not any(_alive(child) for child in children)


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")  # of all threads
    return [int(text) for task in tasks for text in task.read_text().split()]


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_private_store_does_not_outlive_a_killed_service() -> None:
    service = Service()
    [child] = _children(service.process.pid)
    service.stop(signal.SIGKILL)
    end = time.monotonic() + 10
    while _alive(child) and time.monotonic() < end:
        time.sleep(0.05)
    assert not _alive(child)


def test_requests_finish_when_the_service_stops() -> None:
    service = Service()
    answers: list[httpx2.Response] = []
    body = {"generation": "cayman", "instructions": [COPY.hex()] * 2000}
    client = httpx2.Client(base_url=service.http.base_url, timeout=60)
    caller = threading.Thread(target=lambda: answers.append(client.post("/v1/run", json=body)))
    caller.start()
    time.sleep(0.3)
    assert service.stop() == 0
    caller.join()
    assert [answer.status_code for answer in answers] == [200]


def test_store_away_is_a_typed_503_and_not_ready() -> None:
    with EmbeddedServer("100mb") as server:
        service = Service(DVESIM_REDIS_URL=server.url)
        try:
            session = service.http.post("/v1/sessions", json={"generation": "cayman"}).json()["session"]
            server.stop()
            answer = service.http.get(f"/v1/sessions/{session}")
            refused(answer, 503, "store_unavailable")
            assert int(answer.headers["retry-after"]) > 0
            ready = service.http.get("/healthz/ready")
            assert ready.status_code == 503
            assert "store" in ready.json()["reasons"]
            assert service.http.get("/healthz/live").status_code == 200
            assert service.http.post("/v1/run", json=RUN).status_code == 200  # needs no store
            refused(service.http.post("/v1/run", json={**RUN, "store_image": True}), 503, "store_unavailable")
            request = sessions_pb2.GetSessionRequest(session=session)
            stubs = Stubs(service.channel)
            problem = refused_rpc(
                lambda: stubs.sessions.GetSession(request), "store_unavailable", grpc.StatusCode.UNAVAILABLE
            )
            assert problem.retry_after_seconds > 0
        finally:
            assert service.stop() == 0


def test_a_private_store_that_dies_is_replaced_by_an_empty_one() -> None:
    service = Service(DVESIM_LOG_LEVEL="error")
    try:
        session = service.http.post("/v1/sessions", json={"generation": "cayman"}).json()["session"]
        [store] = _children(service.process.pid)
        os.kill(store, signal.SIGKILL)
        end = time.monotonic() + 30
        while (answer := service.http.get(f"/v1/sessions/{session}")).status_code != 404:
            assert time.monotonic() < end
            if answer.status_code == 503:
                assert "/" not in refused(answer, 503, "store_unavailable")["detail"]  # no path of a socket
            time.sleep(0.05)
        refused(answer, 404, "session_not_found")
        assert service.http.post("/v1/sessions", json={"generation": "cayman"}).status_code == 201
        assert service.http.get("/healthz/ready").status_code == 200
        assert "dvesim_store_restarts_total 1.0" in service.http.get("/metrics").text
        children = _children(service.process.pid)
        assert children and store not in children
    finally:
        assert service.stop() == 0
    assert not any(_alive(child) for child in children)


def test_a_stalled_store_is_told_in_time() -> None:
    with EmbeddedServer("100mb") as server:
        service = Service(DVESIM_REDIS_URL=server.url, DVESIM_REDIS_TIMEOUT_SECONDS="3")
        try:
            session = service.http.post("/v1/sessions", json={"generation": "cayman"}).json()["session"]
            os.kill(server.pid, signal.SIGSTOP)
            begun = time.monotonic()
            assert service.http.get("/healthz/ready").status_code == 503
            assert time.monotonic() - begun < 2.5
            begun = time.monotonic()
            problem = refused(service.http.get(f"/v1/sessions/{session}"), 503, "store_unavailable")
            assert time.monotonic() - begun < 4.5
            assert problem["detail"] == "get_session: TimeoutError"
            os.kill(server.pid, signal.SIGCONT)
            assert service.http.get("/healthz/ready").status_code == 200
            assert service.http.get(f"/v1/sessions/{session}").status_code == 200
        finally:
            os.kill(server.pid, signal.SIGCONT)
            assert service.stop() == 0


def test_full_store_is_a_typed_503() -> None:
    service = Service(DVESIM_EMBEDDED_MAX_MEMORY="3mb")
    try:
        noise = os.urandom(32 * 65536)
        region = {"space": "sbuf", "partition": 0, "partitions": 32, "byte": 0, "size": 65536, "data_hex": noise.hex()}
        for _ in range(3):
            region["data_hex"] = os.urandom(32 * 65536).hex()
            answer = service.http.post("/v1/images", json={"generation": "cayman", "memory": [region]})
        refused(answer, 503, "store_full")
    finally:
        assert service.stop() == 0


def test_overload_is_a_typed_429() -> None:
    service = Service(DVESIM_ENGINE_THREADS="1", DVESIM_LIMIT_QUEUED_RUNS="1")
    answers: list[httpx2.Response] = []

    def call() -> None:
        body = {"generation": "cayman", "instructions": [COPY.hex()] * 1000}
        answers.append(httpx2.post(f"http://{service.http_address}/v1/run", json=body, timeout=60))

    try:
        callers = [threading.Thread(target=call) for _ in range(8)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        busy = [answer for answer in answers if answer.status_code != 200]
        assert 0 < len(busy) < 8
        for answer in busy:
            assert refused(answer, 429, "overloaded")["limit"] == "queued_runs"
            assert "retry-after" in answer.headers
    finally:
        assert service.stop() == 0


def test_two_workers_share_ports_and_sessions() -> None:
    service = Service(DVESIM_WORKERS="2", DVESIM_ENGINE_THREADS="2")
    try:
        session = service.http.post("/v1/sessions", json={"generation": "cayman"}).json()["session"]
        for _ in range(8):  # new connections, so that both workers answer
            client = httpx2.Client(base_url=service.http.base_url)
            assert client.get(f"/v1/sessions/{session}").json()["version"] == 1
        assert "dvesim_requests_total" in service.http.get("/metrics").text
        request = sessions_pb2.GetSessionRequest(session=session)
        assert Stubs(service.channel).sessions.GetSession(request).version == 1
    finally:
        assert service.stop() == 0
