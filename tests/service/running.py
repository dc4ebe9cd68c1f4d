"""A service process of its own, and ways to talk to it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
import httpx2

UNLIMITED = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))
READY = re.compile(r"dvesim ready http=(\S+):(\d+) grpc=(\S+):(\d+) store=(\S+)")


class Service:
    """A service process and ways to talk to it."""

    def __init__(self, **environment: str) -> None:
        chosen = {"DVESIM_PORT": "0", "DVESIM_GRPC_PORT": "0", "DVESIM_LOG_LEVEL": "warning", **environment}
        clean = {name: value for name, value in os.environ.items() if not name.startswith("DVESIM_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dve_service"], env=clean | chosen, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline().strip()
        match = READY.fullmatch(self.line)
        assert match, f"no ready line: {self.line!r}"
        self.http_address, self.grpc_address = f"{match[1]}:{match[2]}", f"{match[3]}:{match[4]}"
        self.http = httpx2.Client(base_url=f"http://{self.http_address}", timeout=60)
        self.channel = grpc.insecure_channel(self.grpc_address, options=UNLIMITED)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.http.close()
        self.channel.close()
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(30)


def together(count: int, **environment: str) -> list[Service]:
    """Several services, started at the same time."""
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(lambda _: Service(**environment), range(count)))
