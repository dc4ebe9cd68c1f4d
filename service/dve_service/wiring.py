"""The one place where parts are chosen and put together."""

from __future__ import annotations

from dataclasses import dataclass

from .limits import Limits
from .ports import Store
from .settings import Settings
from .simulator import Simulator
from .store.cache import BlockCache
from .store.connect import connect
from .store.redis_store import RedisStore
from .work import Work


@dataclass(frozen=True)
class Parts:
    """What the transports need."""

    simulator: Simulator
    work: Work
    settings: Settings


def wire(settings: Settings, url: str, *, limits: Limits | None = None, store: Store | None = None) -> Parts:
    """Put the use cases on a store. Nothing connects yet."""
    bounds = limits or Limits()
    if store is None:
        seconds, connections = settings.redis_timeout_seconds, settings.redis_connections
        client = connect(url, timeout_seconds=seconds, connections=connections)
        redis = RedisStore(client, settings.key_prefix, connections, seconds)
        store = BlockCache(redis, settings.block_cache_bytes)
    work = Work(settings.engine_threads, bounds.queued_runs)
    return Parts(Simulator(store, work, bounds, settings), work, settings)
