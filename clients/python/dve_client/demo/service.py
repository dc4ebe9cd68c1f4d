"""A private service in a child process, for as long as it is needed."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

READY = "dvesim ready "
START_SECONDS, STOP_SECONDS = 60.0, 30.0


class ServiceDidNotStart(RuntimeError):
    """The child process ended, or said nothing in time."""


@dataclass(frozen=True)
class Endpoints:
    """Where a service answers."""

    http: str
    grpc: str
    store: str


def endpoints_of(ready_line: str) -> Endpoints:
    """Read the line that `dvesim serve` prints when it is ready."""
    words = dict(word.split("=", 1) for word in ready_line.removeprefix(READY).split())
    return Endpoints(f"http://{words['http']}", f"grpc://{words['grpc']}", words["store"])


@contextmanager
def private_service() -> Iterator[Endpoints]:
    """Run `dvesim serve` on free ports with a store of its own, whatever the environment says; SIGTERM at the end.

    Raises ServiceDidNotStart, also where its exit code is not 0.
    """
    command = [sys.executable, "-m", "dve_client", "serve", "--port", "0", "--grpc-port", "0"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DVESIM_")}
    pipe = subprocess.PIPE
    child = subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)
    lines: queue.Queue[str] = queue.Queue()
    log: list[str] = []
    assert child.stdout is not None
    assert child.stderr is not None
    readers = [
        threading.Thread(target=_copy, args=(child.stdout, lines.put), daemon=True),
        threading.Thread(target=_copy, args=(child.stderr, log.append), daemon=True),
    ]
    for reader in readers:
        reader.start()
    try:
        yield _ready(lines, log)
    finally:
        child.terminate()
        try:
            code = child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            code = child.wait()
        for reader in readers:
            reader.join(1.0)
        child.stdout.close()
        child.stderr.close()
    if code != 0:
        raise ServiceDidNotStart(f"the service ended with {code}:\n{''.join(log)}")


def _copy(stream: IO[str], put: Callable[[str], None]) -> None:
    for line in stream:
        put(line)
    put("")


def _ready(lines: queue.Queue[str], log: list[str]) -> Endpoints:
    try:
        line = lines.get(timeout=START_SECONDS)
    except queue.Empty:
        line = ""
    if not line.startswith(READY):
        raise ServiceDidNotStart(f"the service did not start:\n{''.join(log)}")
    return endpoints_of(line)
