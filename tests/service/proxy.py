"""A connection to a store that can be slow, cut, or lose an answer; with a certificate it speaks TLS."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from pathlib import Path


class Proxy:
    """Passes bytes on between callers and a port of this machine, in a thread of its own.

    delay_s: how long each piece of an answer is held back. lose: the answer to the next request that holds these bytes
    is read and thrown away, and the connection cut. lost: how often that happened.
    """

    def __init__(self, port: int, tls: tuple[Path, Path] | None = None) -> None:
        """tls: key and certificate."""
        self._target, self._tls = port, tls
        self.delay_s = 0.0
        self.lose: bytes | None = None
        self.lost = 0
        self._connections: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)
        self.port: int = self._server.sockets[0].getsockname()[1]

    async def _listen(self) -> asyncio.Server:
        context = None
        if self._tls is not None:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(self._tls[1], self._tls[0])
        return await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=context)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        losing = asyncio.Event()
        self._connections |= {writer, back}
        with contextlib.suppress(OSError):
            await asyncio.gather(self._ask(reader, back, losing), self._answer(there, writer, losing))
        for one in (writer, back):
            one.close()
        self._connections -= {writer, back}

    async def _ask(self, reader: asyncio.StreamReader, back: asyncio.StreamWriter, losing: asyncio.Event) -> None:
        while data := await reader.read(1 << 16):
            if self.lose is not None and self.lose in data:
                self.lose = None
                losing.set()
            back.write(data)
            await back.drain()
        back.close()

    async def _answer(self, there: asyncio.StreamReader, writer: asyncio.StreamWriter, losing: asyncio.Event) -> None:
        while data := await there.read(1 << 16):
            if losing.is_set():
                self.lost += 1
                break
            await asyncio.sleep(self.delay_s)
            writer.write(data)
            await writer.drain()
        writer.close()

    def cut(self) -> None:
        """End all connections; new ones are accepted."""
        self._loop.call_soon_threadsafe(lambda: [one.transport.abort() for one in self._connections])

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _close(self) -> None:
        self._server.close()
        serving = asyncio.all_tasks() - {asyncio.current_task()}
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
