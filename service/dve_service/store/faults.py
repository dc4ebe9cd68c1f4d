"""What goes wrong between this process and the store, and what is tried again.

    full      OOM: no room until something expires                          StoreFull, at once
    passing   connection lost or refused, no answer in time, restart        tried again, then StoreUnavailable
              (LOADING), failover (READONLY, MASTERDOWN, no master known),
              Cluster in motion (CLUSTERDOWN, TRYAGAIN, MOVED, ASK, slots
              not covered), too few replicas (NOREPLICAS), a long script (BUSY)
    lasting   wrong password, a full disk (MISCONF), anything else          StoreUnavailable, at once

Every operation of the store may be repeated without knowing what became of the try before, because the same again
leaves the same: reads; lives that only grow (EXPIRE GT); values named by their digest (SET NX); marks; DEL; CREATE,
whose id is drawn at random, so that an equal record under it is ours; REPLACE, which knows its token again.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable
from typing import TypeVar

from redis.exceptions import (
    AskError,
    AuthenticationError,
    AuthorizationError,
    ClusterError,
    ConnectionError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    ResponseError,
    TimeoutError,
    TryAgainError,
)

from ..errors import StoreFull, StoreUnavailable
from ..metrics import STORE_RETRIES

T = TypeVar("T")
FAILURES = (RedisError, RedisClusterException, OSError)  # all that the client library raises; OSError covers time-outs
_PASSING = (
    ConnectionError,  # LOADING and an unknown master are kinds of it
    TimeoutError,
    OSError,
    ReadOnlyError,
    ClusterError,  # CLUSTERDOWN, MASTERDOWN, redirected too often
    TryAgainError,
    AskError,  # MOVED is a kind of it
    RedisClusterException,  # slots not covered, no node reachable
    NoScriptError,  # forgotten by a server that restarted, and not loaded again on all
)
# What the client raises by mistake when one task closes a connection that another has just begun to use, or when a
# Cluster points to a node it does not know yet.
_RACES = (AttributeError, RuntimeError)
_LASTING = (AuthenticationError, AuthorizationError)  # kinds of ConnectionError
# Codes for which the client has no class, where they stand in the text of one command and of a pipeline.
_PASSING_CODES = re.compile(r"(?:^|caused error: \(['\"])(?:NOREPLICAS|BUSY) ")
_CEILINGS_S = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6)  # of the pauses between tries, whose length is drawn: 0.7 s on average


def kind_of(error: BaseException) -> type[StoreUnavailable]:
    """The error of the catalogue for a failure."""
    return StoreFull if isinstance(error, OutOfMemoryError) else StoreUnavailable


def passing(error: BaseException) -> bool:
    """Whether the same request may soon succeed."""
    if isinstance(error, _LASTING):
        return False
    return isinstance(error, _PASSING) or (isinstance(error, ResponseError) and bool(_PASSING_CODES.search(str(error))))


class Tries:
    """Ask until there is an answer, a bounded number of times in a bounded time, with pauses of random length.

    While the store is away, each request tries once: that ends the wait of all others soon after it is noticed, and
    work that needs no store keeps its engine threads.
    """

    def __init__(self, seconds: float, refresh: Callable[[], Awaitable[None]]) -> None:
        """seconds: of all tries together. refresh: learn anew who serves what, before another try; may fail."""
        self._seconds, self._refresh = seconds, refresh
        self._away = False

    async def answer(self, operation: str, ask: Callable[[], Awaitable[T]]) -> T:
        """What `ask` returns.

        Raises one of FAILURES: that of the last try, or TimeoutError when the time is up.
        """
        try:
            async with asyncio.timeout(self._seconds):
                result = await self._ask(operation, ask)
        except FAILURES as error:
            self._away = passing(error)
            raise
        self._away = False
        return result

    async def _ask(self, operation: str, ask: Callable[[], Awaitable[T]]) -> T:
        for ceiling in () if self._away else _CEILINGS_S:
            try:
                return await _once(ask)
            except FAILURES as error:
                if not passing(error):
                    raise
            STORE_RETRIES.labels(operation).inc()
            await asyncio.sleep(random.uniform(0, ceiling))
            await self._refreshed()
        try:
            return await _once(ask)
        except FAILURES:
            await self._refreshed()
            raise

    async def _refreshed(self) -> None:
        try:
            await _once(self._refresh)
        except FAILURES:
            return  # the next try says why


async def _once(ask: Callable[[], Awaitable[T]]) -> T:
    try:
        return await ask()
    except _RACES as error:
        raise ConnectionError(f"{type(error).__name__}: {error}") from error
