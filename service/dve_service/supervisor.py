"""Several worker processes that share both ports (SO_REUSEPORT) and one store.

The parent holds the ports (bound, not listening), starts the private store if one is needed, and replaces workers that
die.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

from .main import WORKER, ready_line, store_url
from .settings import Settings

log = logging.getLogger(__name__)
_PAUSE_SECONDS = 1.0  # before a worker that died is replaced


def supervise(settings: Settings) -> int:
    """Run workers until SIGTERM or SIGINT; the exit code."""
    stopping = False

    def stop(*_: object) -> None:
        nonlocal stopping
        stopping = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    try:
        http, grpc = _reserve(settings.host, settings.port), _reserve(settings.host, settings.grpc_port)
    except OSError as error:
        log.error("cannot start: %s", error)
        return 1
    ports = (int(http.getsockname()[1]), int(grpc.getsockname()[1]))
    with http, grpc, store_url(settings) as url, tempfile.TemporaryDirectory(prefix="dvesim-metrics-") as folder:
        environment = {
            **os.environ,
            **_variables(settings, url, ports),
            WORKER: "1",
            "PROMETHEUS_MULTIPROC_DIR": folder,
        }
        workers = [_start(environment) for _ in range(settings.workers)]
        if not all(_is_ready(worker) for worker in workers):
            _end(workers, 0.0)
            return 1
        sys.stdout.write(ready_line(settings, *ports) + "\n")
        sys.stdout.flush()
        while not stopping:
            time.sleep(0.1)
            workers = [worker if worker.poll() is None else _replace(worker, environment) for worker in workers]
        _end(workers, settings.drain_seconds)
    return 0


def _reserve(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    held = socket.socket(family, socket.SOCK_STREAM)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    held.bind((host, port))
    return held


def _variables(settings: Settings, url: str, ports: tuple[int, int]) -> dict[str, str]:
    chosen = {**settings.model_dump(), "workers": 1, "redis_url": url, "port": ports[0], "grpc_port": ports[1]}
    chosen["engine_threads"] = max(1, settings.engine_threads // settings.workers)
    return {f"DVESIM_{name.upper()}": str(value) for name, value in chosen.items()}


def _start(environment: dict[str, str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "dve_service"]
    return subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )


def _is_ready(worker: subprocess.Popen[bytes]) -> bool:
    assert worker.stdout is not None
    return worker.stdout.readline().startswith(b"dvesim ready")


def _replace(worker: subprocess.Popen[bytes], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    log.error("worker %d ended with %s; starting another", worker.pid, worker.returncode)
    time.sleep(_PAUSE_SECONDS)
    return _start(environment)


def _end(workers: list[subprocess.Popen[bytes]], grace_seconds: float) -> None:
    for worker in workers:
        worker.terminate()
    end = time.monotonic() + grace_seconds + 5.0
    for worker in workers:
        try:
            worker.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()
