"""The result cache: answers of runs, kept in the store for whoever asks for the same run next.

It only ever saves work. What goes wrong with it is counted, logged once per outage and otherwise a miss, so a run that
needs no store goes on without one. A call waits for the store no longer than _PATIENCE_S; one failure closes the way
for _PAUSE_S, after which one call after the other tries again. So an outage costs a run at most _PATIENCE_S, and nearly
every run nothing.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from .codec import Kept, decode, encode
from .errors import StoreFull, StoreUnavailable
from .metrics import RESULT_BYTES, RESULTS
from .ports import Store
from .settings import Settings
from .work import Work

log = logging.getLogger(__name__)
T = TypeVar("T")
_PATIENCE_S, _PAUSE_S = 0.5, 5.0
_LONG = 1 << 15  # bytes from which coding leaves the event loop


class Results:
    """Kept answers by the key of their run (digest.py)."""

    def __init__(self, store: Store, work: Work, settings: Settings) -> None:
        self._store, self._work = store, work
        self._ttl_seconds, self._entry_bytes = settings.result_ttl_seconds, settings.result_cache_entry_bytes
        self._closed_until, self._away = 0.0, False

    @property
    def on(self) -> bool:
        """Whether any answer is kept."""
        return self._ttl_seconds > 0

    async def get(self, key: str) -> Kept | None:
        """The kept answer of a run; never raises."""
        data = await self._patiently("get_result", lambda: self._store.get_result(key, self._entry_bytes))
        if data is None:
            return None
        RESULT_BYTES.labels("fetched").inc(len(data))
        try:
            kept = await self._work.helper(decode, data) if len(data) > _LONG else decode(data)
        except ValueError as error:
            log.warning("result cache: %s: %s", key, error)
            RESULTS.labels("error").inc()
            return None
        return replace(kept, answer=replace(kept.answer, cached=True))

    async def put(self, key: str, kept: Kept) -> None:
        """Keep an answer, unless it is too large; never raises."""
        size = sum(len(one.data) for one in kept.answer.memory)
        if size <= self._entry_bytes:  # else there is nothing to find out
            try:
                data = await self._work.helper(encode, kept)
            except TypeError:  # a value that the codec was not taught
                log.exception("result cache: %s", key)
                RESULTS.labels("error").inc()
                return
            size = len(data)
        if size > self._entry_bytes:
            RESULTS.labels("too_large").inc()
            return
        ttl = self._ttl_seconds
        stored = await self._patiently("put_result", lambda: self._store.put_result(key, data, ttl))
        if stored is not None:
            RESULTS.labels("stored" if stored else "no_room").inc()
        if stored:
            RESULT_BYTES.labels("stored").inc(len(data))

    async def _patiently(self, operation: str, call: Callable[[], Awaitable[T]]) -> T | None:
        """What the store answers, None where it does not."""
        if time.monotonic() < self._closed_until:
            return None
        try:
            async with asyncio.timeout(_PATIENCE_S):
                answer = await call()
        except (StoreUnavailable, TimeoutError) as error:
            RESULTS.labels("error").inc()
            if isinstance(error, StoreFull):  # it still answers what it holds
                return None
            self._closed_until = time.monotonic() + _PAUSE_S
            if not self._away:
                log.warning("result cache: %s: %s; going on without it", operation, str(error) or "no answer in time")
            self._away = True
            return None
        self._away = False
        return answer
