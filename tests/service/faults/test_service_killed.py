"""kill -9 of service processes, between runs and while they run, with two of them on one store."""

from __future__ import annotations

import itertools
import signal
from functools import cache, partial
from pathlib import Path

from tests.service.faults.history import History, by_grpc, by_http, create, in_parallel
from tests.service.running import together
from tests.service.servers import PERSISTENT, Server, running, until

KILLS = 2  # while runs are under way


def test_sessions_outlive_the_processes_that_served_them(tmp_path: Path) -> None:
    with running(Server(tmp_path, **PERSISTENT)) as (store,):
        services = together(2 + KILLS, DVESIM_REDIS_URL=store.url)
        try:
            session, history, done = create(services[0].http), History(), False
            history.run(1, [by_http(services[0], session)])
            services[0].stop(signal.SIGKILL)  # between runs
            alive = services[1:3]

            def write(first: int) -> None:
                ways = cache(lambda service: [by_http(service, session), by_grpc(service, session)])
                for k in itertools.count(first, 8):
                    if done:
                        return
                    history.go_on(k, [way for service in tuple(alive) for way in ways(service)])

            threads = in_parallel(*(partial(write, 10 + writer) for writer in range(8)))
            for spare in [*services[3:], None]:
                before = len(history.answered)
                until(lambda: len(history.answered) >= before + 4)  # noqa: B023 - at once
                alive[0].stop(signal.SIGKILL)  # while they run
                alive[:] = alive[1:] + ([spare] if spare else [])
            until(lambda: len(history.answered) >= before + 8)
            done = True
            for thread in threads:
                thread.join()
            assert history.unknown  # some were cut off
            history.check(alive[0].http, session)
        finally:
            for service in services:
                service.stop()
