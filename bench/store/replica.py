"""A service between two counting proxies, and what a piece of work takes there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import redis

from bench.store.proxy import Proxy
from dve_client import Client, connect
from dve_service.store.embedded import EmbeddedServer
from tests.service.running import Service

T = TypeVar("T")
_SETTLE_SECONDS = 0.05  # until the proxies have counted what the client has seen


@dataclass(frozen=True)
class Cost:
    """What one piece of work took. Bytes count both ways; commands are those of the store, in scripts included."""

    client_bytes: int
    store_bytes: int
    commands: int
    seconds: float


@dataclass(frozen=True)
class Replica:
    """One process of the service: nothing is in its caches when it starts."""

    client: Client
    _front: Proxy
    _back: Proxy
    _store: redis.Redis

    def cost(self, work: Callable[[], T]) -> tuple[T, Cost]:
        """Do the work and say what it took."""
        time.sleep(_SETTLE_SECONDS)
        before = (self._front.passed, self._back.passed, self._commands())
        begun = time.perf_counter()
        result = work()
        seconds = time.perf_counter() - begun
        time.sleep(_SETTLE_SECONDS)
        front, back, commands = (
            now - then
            for now, then in zip((self._front.passed, self._back.passed, self._commands()), before, strict=True)
        )
        return result, Cost(front, back, commands, seconds)

    def _commands(self) -> int:
        rows: dict[str, Any] = self._store.info("commandstats")  # type: ignore[assignment]
        return sum(row["calls"] for name, row in rows.items() if name != "cmdstat_info")


@contextmanager
def replica(store: EmbeddedServer) -> Iterator[Replica]:
    """Start a service on the store; it is stopped at the end."""
    with ExitStack() as parts:
        back = parts.enter_context(Proxy(store.url.removeprefix("unix://")))
        service = Service(DVESIM_REDIS_URL=f"redis://{back.address}")
        parts.callback(service.stop)
        front = parts.enter_context(Proxy(service.http_address))
        client = parts.enter_context(connect(f"http://{front.address}"))
        straight = parts.enter_context(redis.Redis.from_url(store.url))
        yield Replica(client, front, back, straight)
