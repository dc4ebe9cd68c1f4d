"""Responses as zstd or gzip, for callers that accept it and bodies worth it."""

from __future__ import annotations

import asyncio
import zlib

import zstandard
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_WORTH_IT = 1024
_OFF_LOOP = 1 << 16


class Compression:
    """ASGI middleware. Responses here have one body message; others pass as they are."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        encoding = _chosen(Headers(scope=scope).get("accept-encoding", "")) if scope["type"] == "http" else None
        if encoding is None:
            await self._app(scope, receive, send)
            return
        start: Message | None = None

        async def compressing(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            if start is not None:
                head, start = start, None
                whole = not message.get("more_body", False)
                if whole and len(message.get("body", b"")) >= _WORTH_IT:
                    message = await _compressed(head, message, encoding)
                await send(head)
            await send(message)

        await self._app(scope, receive, compressing)


async def _compressed(head: Message, message: Message, encoding: str) -> Message:
    headers = MutableHeaders(raw=head["headers"])
    if "content-encoding" in headers:
        return message
    body: bytes = message["body"]
    work = _zstd if encoding == "zstd" else _gzip
    small = await asyncio.to_thread(work, body) if len(body) > _OFF_LOOP else work(body)
    headers["content-encoding"] = encoding
    headers["content-length"] = str(len(small))
    headers.add_vary_header("accept-encoding")
    return {**message, "body": small}


def _zstd(body: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(body)


def _gzip(body: bytes) -> bytes:
    return zlib.compress(body, 1, 31)  # base64 of memory gains little from more, and costs seconds


def _chosen(header: str) -> str | None:
    offered = {}
    for item in header.lower().split(","):
        name, _, parameters = item.partition(";")
        offered[name.strip()] = parameters.replace(" ", "") not in ("q=0", "q=0.0")
    return next((name for name in ("zstd", "gzip") if offered.get(name)), None)
