"""Where the engine runs: a bounded number of threads, a bounded queue, and a watch that stops what takes too long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar
from weakref import WeakValueDictionary

from .errors import Overloaded, TimeLimitExceeded
from .metrics import RUNS_ACTIVE, RUNS_QUEUED

P = ParamSpec("P")
T = TypeVar("T")


class Cancelled(Exception):
    """The caller went away; nobody waits for the answer."""


class Watch:
    """Called by the engine before each instruction: stops a run whose time is up or whose caller has gone."""

    def __init__(self, seconds: float) -> None:
        self._seconds = self._left = seconds
        self._end = time.monotonic() + seconds
        self._cancelled = False
        self.instructions = 0

    def start(self) -> None:
        """Count the time from now: waiting for a thread does not count."""
        self._end = time.monotonic() + self._left

    def pause(self) -> None:
        """Count no time until the next start."""
        self._left = self._end - time.monotonic()

    def cancel(self) -> None:
        """Stop the run at its next instruction."""
        self._cancelled = True

    def __call__(self, *_: object) -> None:
        """Raise TimeLimitExceeded or Cancelled where the run must stop."""
        self.instructions += 1
        if self._cancelled:
            raise Cancelled
        if time.monotonic() > self._end:
            raise TimeLimitExceeded("run_seconds", self._seconds)


class Turns:
    """One caller at a time for each name, in the order they came, within this process."""

    def __init__(self, queued: int) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._queued_limit, self._queued = queued, 0

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[None]:
        """Wait for the others.

        Raises Overloaded if too many are waiting already.
        """
        lock = self._locks.setdefault(name, asyncio.Lock())
        if lock.locked() and self._queued >= self._queued_limit:
            raise Overloaded("queued_runs", self._queued_limit)
        self._queued += 1
        try:
            await lock.acquire()
        finally:
            self._queued -= 1
        try:
            yield
        finally:
            lock.release()


class Work:
    """Threads for engine work and for hashing, compressing and parsing."""

    def __init__(self, threads: int, queued: int) -> None:
        self._engine = ThreadPoolExecutor(threads, "dve-engine")
        self._helpers = ThreadPoolExecutor(max(2, threads), "dve-helper")
        self._free = asyncio.Semaphore(threads)
        self._queued_limit = queued
        self._queued = 0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Hold one of the places for running programs; memory and time are spent only inside.

        Raises Overloaded if too many are waiting already.
        """
        if self._free.locked() and self._queued >= self._queued_limit:
            raise Overloaded("queued_runs", self._queued_limit)
        self._queued += 1
        RUNS_QUEUED.inc()
        try:
            await self._free.acquire()
        finally:
            self._queued -= 1
            RUNS_QUEUED.dec()
        RUNS_ACTIVE.inc()
        try:
            yield
        finally:
            RUNS_ACTIVE.dec()
            self._free.release()

    async def engine(self, watch: Watch, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do engine work off the event loop. If the caller is cancelled, the work is told and awaited."""
        watch.start()
        future = asyncio.get_running_loop().run_in_executor(self._engine, lambda: work(*args, **kwargs))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            watch.cancel()
            await asyncio.wait([future])
            future.exception()
            raise
        finally:
            watch.pause()

    async def helper(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do other long work off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._helpers, lambda: work(*args, **kwargs))

    def close(self) -> None:
        """Let the threads go."""
        self._engine.shutdown(wait=False, cancel_futures=True)
        self._helpers.shutdown(wait=False, cancel_futures=True)
