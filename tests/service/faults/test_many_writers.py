"""Sixty-four writers on one session, through three processes and both transports."""

from __future__ import annotations

from functools import partial

from dve_service.store.embedded import EmbeddedServer
from tests.service.faults.history import History, by_grpc, by_http, create, in_parallel
from tests.service.running import together

WRITERS, RUNS = 64, 3


def test_versions_have_no_gaps_and_the_memory_is_that_of_a_serial_replay(valkey: EmbeddedServer) -> None:
    services = together(3, DVESIM_REDIS_URL=valkey.url, DVESIM_KEY_PREFIX="writers")
    try:
        session, history = create(services[0].http), History()

        def write(writer: int) -> None:
            call = (by_http, by_grpc)[writer % 2](services[writer % 3], session)
            for k in range(RUNS):
                history.run(writer * RUNS + k + 1, [call])

        for thread in in_parallel(*(partial(write, writer) for writer in range(WRITERS))):
            thread.join()
        assert not history.unknown
        assert sorted(history.answered) == list(range(2, WRITERS * RUNS + 2))
        order = history.check(services[1].http, session)
        assert sorted(order) == list(range(1, WRITERS * RUNS + 1))
    finally:
        assert [service.stop() for service in services] == [0, 0, 0]
