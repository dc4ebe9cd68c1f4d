"""kill -9 of service processes, between runs and while they run, with two of them on one store."""

from __future__ import annotations

import signal
import time
from functools import partial
from pathlib import Path

from tests.service.faults.history import History, by_grpc, by_http, create, in_parallel
from tests.service.running import Service
from tests.service.servers import PERSISTENT, Server, running

KILLS = 2


def test_sessions_outlive_the_processes_that_served_them(tmp_path: Path) -> None:
    with running(Server(tmp_path, **PERSISTENT)) as (store,):
        pair = [Service(DVESIM_REDIS_URL=store.url) for _ in range(2)]
        try:
            session, history, done = create(pair[0].http), History(), False
            history.run(1, [by_http(pair[0], session)])  # between runs
            pair[0].stop(signal.SIGKILL)
            pair[0] = Service(DVESIM_REDIS_URL=store.url)

            def write(first: int) -> None:
                for k in range(first, 250, 8):
                    if done:
                        return
                    history.run(k, [make(service, session) for service in pair for make in (by_http, by_grpc)])

            threads = in_parallel(*(partial(write, 10 + writer) for writer in range(8)))
            for _ in range(KILLS):  # while they run
                before = len(history.answered)
                while len(history.answered) < before + 4:
                    time.sleep(0.005)
                victim = pair[0]
                pair.reverse()
                victim.stop(signal.SIGKILL)
                pair[1] = Service(DVESIM_REDIS_URL=store.url)
            done = True
            for thread in threads:
                thread.join()
            assert history.unknown  # some were cut off
            assert len(history.answered) >= 1 + 4 * KILLS
            history.check(pair[0].http, session)
            history.check(pair[1].http, session)
        finally:
            for service in pair:
                service.stop()
