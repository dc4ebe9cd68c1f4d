"""Start the service: HTTP and gRPC in one process, the store beside it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator

import uvicorn

from .rest.app import create_app
from .rest.protocol import Protocol
from .rpc.server import RpcServer
from .settings import Settings
from .store.connect import shown
from .store.embedded import EmbeddedServer
from .wiring import Parts, wire

log = logging.getLogger(__name__)
WORKER = "DVESIM_IS_WORKER"
_HEALTH_SECONDS = 1.0  # between two looks at what gRPC health checks are told


def serve(settings: Settings | None = None) -> int:
    """Serve until SIGTERM or SIGINT; the exit code. Prints the ready line to standard output."""
    chosen = settings or Settings()
    logging.basicConfig(level=chosen.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s %(message)s")
    if chosen.workers > 1:
        from .supervisor import supervise

        return supervise(chosen)
    try:
        with store_url(chosen) as url, asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(_serve(chosen, url))
    except OSError as error:
        log.error("cannot start: %s", error)
        return 1
    return 0


def ready_line(settings: Settings, http_port: int, grpc_port: int) -> str:
    """What is printed when everything is up."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    store = shown(settings.redis_url) if settings.redis_url else "embedded"
    return f"dvesim ready http={host}:{http_port} grpc={host}:{grpc_port} store={store}"


@contextlib.contextmanager
def store_url(settings: Settings) -> Iterator[str]:
    """Where the store is; a private server is started for it if none is set."""
    if settings.redis_url:
        yield settings.redis_url
        return
    with EmbeddedServer(settings.embedded_max_memory) as server:
        yield server.url


class _Http(uvicorn.Server):
    """uvicorn, stopped by us: its own signal handling would end the process with the signal."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _serve(settings: Settings, url: str) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    worker = bool(os.environ.get(WORKER))
    if worker:  # the supervisor holds the other end of our standard input; when it is gone, so are we
        loop.add_reader(sys.stdin.fileno(), stop.set)
    parts = wire(settings, url)
    try:
        await _serve_until(stop, parts, share_ports=worker)
    finally:
        await parts.simulator.close()


async def _serve_until(stop: asyncio.Event, parts: Parts, *, share_ports: bool) -> None:
    settings = parts.settings
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.create_server((settings.host, settings.port), family=family, backlog=2048, reuse_port=share_ports)
    http_port: int = listener.getsockname()[1]
    rpc = RpcServer(parts.tenants, share_port=share_ports)
    host = f"[{settings.host}]" if family == socket.AF_INET6 else settings.host
    grpc_port = await rpc.start(f"{host}:{settings.grpc_port}")
    http = _Http(
        uvicorn.Config(
            create_app(parts.tenants, parts.work),
            http=Protocol,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=max(1, int(settings.drain_seconds)),
        )
    )
    serving = asyncio.create_task(http.serve(sockets=[listener]))
    while not http.started and not serving.done():
        await asyncio.sleep(0.005)
    await rpc.report(serving=not await parts.simulator.not_ready())
    reporting = asyncio.create_task(_keep_reporting(parts, rpc))
    sys.stdout.write(ready_line(settings, http_port, grpc_port) + "\n")
    sys.stdout.flush()
    await asyncio.wait([serving, asyncio.create_task(stop.wait())], return_when=asyncio.FIRST_COMPLETED)
    log.info("draining")
    reporting.cancel()
    http.should_exit = True
    await asyncio.gather(rpc.stop(settings.drain_seconds), serving)


async def _keep_reporting(parts: Parts, rpc: RpcServer) -> None:
    """Tell gRPC health checks what /healthz/ready says."""
    while True:
        await asyncio.sleep(_HEALTH_SECONDS)
        await rpc.report(serving=not await parts.simulator.not_ready())


def _loop_factory() -> type[asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.Loop
