"""The synchronous client: each method runs the asynchronous one on a private event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from .core import AsyncClient

P = ParamSpec("P")
T = TypeVar("T")


class _LoopThread:
    """An event loop in a daemon thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="dve-client", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            self._loop.close()

    def result(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for work; an interrupt cancels it."""
        if not self._thread.is_alive():
            work.close()
            raise RuntimeError("the client is closed")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """End the thread. Safe to call twice."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()


def _blocking(
    method: Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Client, P], T]:
    @wraps(method)
    def call(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._thread.result(method(self._client, *args, **kwargs))

    return call


class Client:
    """Calls to one service; AsyncClient documents them. Make it with `connect`; use it with `with`, or call `close`.

    May be shared between threads.
    """

    def __init__(self, client: AsyncClient) -> None:
        self._client, self._thread, self._closed = client, _LoopThread(), False

    validate = _blocking(AsyncClient.validate)
    run = _blocking(AsyncClient.run)
    put_image = _blocking(AsyncClient.put_image)
    missing_blocks = _blocking(AsyncClient.missing_blocks)
    image = _blocking(AsyncClient.image)
    read_image = _blocking(AsyncClient.read_image)
    create_session = _blocking(AsyncClient.create_session)
    session = _blocking(AsyncClient.session)
    versions = _blocking(AsyncClient.versions)
    run_session = _blocking(AsyncClient.run_session)
    fork_session = _blocking(AsyncClient.fork_session)
    delete_session = _blocking(AsyncClient.delete_session)
    read_session = _blocking(AsyncClient.read_session)
    write_session = _blocking(AsyncClient.write_session)
    assemble = _blocking(AsyncClient.assemble)
    disassemble = _blocking(AsyncClient.disassemble)
    vbool_eval = _blocking(AsyncClient.vbool_eval)
    vbool_run = _blocking(AsyncClient.vbool_run)
    validate_neff = _blocking(AsyncClient.validate_neff)
    describe = _blocking(AsyncClient.describe)
    version = _blocking(AsyncClient.version)
    limits = _blocking(AsyncClient.limits)
    _aclose = _blocking(AsyncClient.aclose)

    def close(self) -> None:
        """Let go of connections and of the thread. Safe to call twice."""
        if not self._closed:
            self._closed = True
            try:
                self._aclose()
            finally:
                self._thread.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
