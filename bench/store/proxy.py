"""A TCP proxy that counts what passes."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from types import TracebackType


class Proxy:
    """Listens on a free port of 127.0.0.1 while used with `with`, and passes everything on.

    target: host:port, or the path of a Unix socket. passed: bytes so far, both ways.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.passed = self.port = 0

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> Proxy:
        self._thread.start()
        starting = asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(starting, self._loop).result()
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._hang_up(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _hang_up(self) -> None:
        self._server.close()
        talking = asyncio.all_tasks() - {asyncio.current_task()}
        for task in talking:
            task.cancel()
        await asyncio.gather(*talking, return_exceptions=True)

    async def _serve(self, near: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        host, _, port = self._target.rpartition(":")
        opening = asyncio.open_connection(host, int(port)) if host else asyncio.open_unix_connection(self._target)
        far, ask = await opening
        with contextlib.suppress(asyncio.CancelledError):  # by _hang_up
            await asyncio.gather(self._pass(near, ask), self._pass(far, answer), return_exceptions=True)

    async def _pass(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(1 << 16):
                self.passed += len(data)
                sink.write(data)
                await sink.drain()
        finally:
            sink.close()
