"""kill -9 and restart of a store that persists, and of one node of a Cluster, while sessions are written."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from grpc_health.v1 import health_pb2, health_pb2_grpc

from dve_client import MemoryRegion, connect
from tests.service.faults.history import History, by_grpc, by_http, create, in_parallel
from tests.service.running import Service
from tests.service.servers import PERSISTENT, Server, cluster, cluster_is_ok, running, until

WRITERS = 4


class Writing:
    """Writers of a few sessions, who go on whatever happens until they are told to stop."""

    def __init__(self, service: Service, sessions: int) -> None:
        self.service, self._done = service, False
        self.histories = {create(service.http): History() for _ in range(sessions)}
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Writing:
        self._threads = in_parallel(*(partial(self._write, writer) for writer in range(WRITERS)))
        return self

    def _write(self, writer: int) -> None:
        calls = {session: (by_http, by_grpc)[writer % 2](self.service, session) for session in self.histories}
        for k in itertools.count(1 + writer, WRITERS):
            for session, history in self.histories.items():
                if self._done:
                    return
                history.go_on(k, [calls[session]])

    def answered(self) -> int:
        return sum(len(history.answered) for history in self.histories.values())

    def wait_for(self, more: int) -> None:
        before = self.answered()
        until(lambda: self.answered() >= before + more)

    def __exit__(self, *_: object) -> None:
        self._done = True
        for thread in self._threads:
            thread.join()


def readiness(service: Service) -> tuple[int, int]:
    """What HTTP and gRPC say."""
    stub = health_pb2_grpc.HealthStub(service.channel)
    return service.http.get("/healthz/ready").status_code, stub.Check(health_pb2.HealthCheckRequest()).status


def outage(service: Service, writing: Writing, stop: Callable[[], None], start: Callable[[], None]) -> None:
    """Stop the store while it is written to, see that this is told, start it, see that all goes on."""
    writing.wait_for(5)
    stop()
    until(lambda: readiness(service) == (503, health_pb2.HealthCheckResponse.NOT_SERVING))
    start()
    until(lambda: readiness(service) == (200, health_pb2.HealthCheckResponse.SERVING))
    writing.wait_for(5)


def test_a_persistent_store_is_killed_and_restarted(tmp_path: Path) -> None:
    with running(Server(tmp_path, **PERSISTENT)) as (store,):
        service = Service(DVESIM_REDIS_URL=store.url, DVESIM_LOG_LEVEL="error")
        try:
            with Writing(service, 1) as writing:
                writing.wait_for(5)
                store.kill()  # and at once again: the service waits for it
                store.start()
                writing.wait_for(5)
                outage(service, writing, store.kill, store.start)
            for session, history in writing.histories.items():
                assert len(history.check(service.http, session)) >= 20
        finally:
            assert service.stop() == 0


def test_a_node_of_a_cluster_is_killed_and_restarted(tmp_path: Path) -> None:
    with cluster(tmp_path, **PERSISTENT) as (url, nodes):
        service = Service(DVESIM_REDIS_URL=url, DVESIM_LOG_LEVEL="error", DVESIM_BLOCK_CACHE_BYTES="0")
        try:
            with Writing(service, 6) as writing:
                outage(service, writing, nodes[1].kill, nodes[1].start)
                until(lambda: all(cluster_is_ok(node, len(nodes)) for node in nodes))
                writing.wait_for(30)
            for session, history in writing.histories.items():
                history.check(service.http, session)
        finally:
            assert service.stop() == 0


def _put_image(target: str, stored: list[str]) -> None:
    """Store an image with the client, which tries again when the service says that it may."""
    with connect(target) as client:
        memory = [MemoryRegion.of("sbuf", 0, 0, np.full((32, 64), 7, np.uint8))]
        stored.append(client.put_image(memory, "cayman").image)


def test_service_and_clients_wait_for_the_store(tmp_path: Path) -> None:
    store = Server(tmp_path)
    store.kill()
    service = Service(DVESIM_REDIS_URL=store.url, DVESIM_LOG_LEVEL="error")
    try:
        assert readiness(service) == (503, health_pb2.HealthCheckResponse.NOT_SERVING)
        with running(store):
            stored: list[str] = []
            clients = in_parallel(
                *(
                    partial(_put_image, target, stored)
                    for target in (f"http://{service.http_address}", f"grpc://{service.grpc_address}")
                )
            )
            time.sleep(0.5)
            assert not stored
            store.start()
            for client in clients:
                client.join()
            assert len(stored) == 2
            assert len(set(stored)) == 1
            until(lambda: readiness(service) == (200, health_pb2.HealthCheckResponse.SERVING))
            session, history = create(service.http), History()
            begun = time.monotonic()
            history.run(1, [by_grpc(service, session)])
            assert time.monotonic() - begun < 5
            assert history.check(service.http, session) == [1]
    finally:
        assert service.stop() == 0
