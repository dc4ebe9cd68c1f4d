"""The one place where parts are chosen and put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .limits import Limits
from .plans import Plans
from .ports import Store
from .settings import Settings
from .simulator import Simulator
from .store.cache import BlockCache, BlockMemory
from .store.connect import connect
from .store.quotas import Quotas
from .store.redis_store import RedisStore
from .tenants import Tenants
from .work import Turns, Work


@dataclass(frozen=True)
class Parts:
    """What the transports need. simulator: that of the public tenant, for what has none."""

    simulator: Simulator
    tenants: Tenants
    work: Work
    settings: Settings


def wire(
    settings: Settings, url: str, *, limits: Limits | None = None, stores: Callable[[str], Store] | None = None
) -> Parts:
    """Put the use cases on a store. Nothing connects yet. stores: that of each tenant, instead of one at `url`."""
    bounds = limits or Limits()
    store = stores or _cached(settings, redis_store(settings, bounds, url), bounds)
    work, turns = Work(settings.engine_threads, bounds.queued_runs), Turns(bounds.queued_runs)
    plans = Plans(settings.plan_cache_bytes)
    tenants = Tenants(lambda tenant: Simulator(store(tenant), work, turns, plans, bounds, settings))
    return Parts(tenants.of(()), tenants, work, settings)


def redis_store(settings: Settings, limits: Limits, url: str) -> RedisStore:
    """The server's side of a store, for all tenants together."""
    seconds, connections = settings.redis_timeout_seconds, settings.redis_connections
    client = connect(url, timeout_seconds=seconds, connections=connections)
    return RedisStore(client, settings.key_prefix, connections, seconds, limits.session_history)


def _cached(settings: Settings, redis: RedisStore, limits: Limits) -> Callable[[str], Store]:
    memory = BlockMemory(settings.block_cache_bytes)
    return lambda tenant: BlockCache(Quotas(redis.of(tenant), limits), memory, tenant)
