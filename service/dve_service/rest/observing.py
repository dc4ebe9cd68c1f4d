"""Counts and times every HTTP request, by route and outcome."""

from __future__ import annotations

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..metrics import REQUESTS, SECONDS


class Observing:
    """ASGI middleware, outermost."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500

        async def watching(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, watching)
        finally:
            path = getattr(scope.get("route"), "path", "other")
            outcome = scope.get("state", {}).get("code", "ok" if status < 400 else str(status))
            operation = f"{scope['method'] if scope['method'] in _METHODS else 'other'} {path}"
            REQUESTS.labels("http", operation, outcome).inc()
            SECONDS.labels("http", operation).observe(time.perf_counter() - begun)


_METHODS = ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS")
