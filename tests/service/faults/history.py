"""Runs whose order can be read from the memory they leave, and the proof that a session is one order of them.

Program k puts k at the front of a log (row A, after moving it on by one) and mixes k into row B, halving and moving
what is there. So row A lists all programs ever run on the session, the latest first, and row B agrees bit for bit only
with the same order.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc
import httpx2
import numpy as np
from grpc_status import rpc_status

from dve_engine import CAYMAN, DeviceMemory, Machine, MachineState, Region, Space
from dve_engine.builder import ProgramBuilder, sbuf
from dve_engine.isa.aluops import AluOp
from dve_proto.v1 import common_pb2, sessions_pb2, simulation_pb2
from dve_service import words
from tests.service.rpc import Stubs
from tests.service.running import UNLIMITED, Service

CELLS = 512  # of a row; one more than the programs it can list
_A, _B = 0, 4 * CELLS
WHOLE = Region(Space.SBUF, 0, 32, 0, 8 * CELLS)
NOTHING_DONE = ("concurrent_writes", "overloaded")
UNKNOWN = ("store_unavailable", "store_full", "unreachable")

Call = Callable[[bytes], int]


def program(k: int) -> bytes:
    """The records that put k into both rows."""

    made = ProgramBuilder(CAYMAN)

    def step(source: int, target: int, cells: int, times: float, plus: float) -> None:
        src, dst = (sbuf(0, byte, "fp32", (32, cells)) for byte in (source, target))
        made.tensor_scalar(src=src, dst=dst, op0=AluOp.MULT, op1=AluOp.ADD, imm0=times, imm1=plus)

    step(_A, _A + 4, CELLS - 1, 1.0, 0.0)
    step(_A, _A, 1, 0.0, float(k))
    step(_B, _B + 4, CELLS - 1, 0.5, float(k))
    return made.bytes


def replayed(numbers: Iterable[int]) -> bytes:
    """The memory that programs leave when one engine runs them one after the other."""
    machine, state = Machine(CAYMAN, words.choices(None, {})), MachineState(CAYMAN, DeviceMemory(CAYMAN))
    for k in numbers:
        machine.run(program(k), state)
    return bytes(state.memory.read(WHOLE).tobytes())


class Refused(Exception):
    """A call ended with an error of the catalogue, or with none at all: `unreachable`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def by_http(service: Service, session: str) -> Call:
    """Run programs on a session over a connection of its own; the answer is the version."""
    client = httpx2.Client(base_url=f"http://{service.http_address}", timeout=60)
    octets = {"content-type": "application/octet-stream"}

    def call(code: bytes) -> int:
        try:
            answer = client.post(f"/v1/sessions/{session}/run", content=code, headers=octets)
            document = answer.json()
        except (httpx2.HTTPError, json.JSONDecodeError):
            raise Refused("unreachable") from None
        if answer.status_code != 200:
            raise Refused(document["code"])
        return int(document["version"])

    return call


def by_grpc(service: Service, session: str) -> Call:
    """The same over a channel."""
    stubs = Stubs(grpc.insecure_channel(service.grpc_address, options=UNLIMITED))

    def call(code: bytes) -> int:
        run = simulation_pb2.RunRequest(program=code)
        try:
            return int(stubs.sessions.RunSession(sessions_pb2.RunSessionRequest(session=session, run=run)).version)
        except grpc.RpcError as error:
            raise Refused(_code(error)) from None

    return call


def _code(error: Any) -> str:
    """The code a call ended with; a process that died gives none."""
    status = rpc_status.from_call(error)
    problem = common_pb2.Problem()
    if status is not None and any(detail.Unpack(problem) for detail in status.details):
        return problem.code
    return "unreachable"


def create(http: httpx2.Client) -> str:
    answer = http.post("/v1/sessions", json={"generation": "cayman"})
    assert answer.status_code == 201, answer.text
    session: str = answer.json()["session"]
    return session


@dataclass
class History:
    """What callers of one session were told: version -> program of answered runs; programs whose fate is unknown."""

    answered: dict[int, int] = field(default_factory=dict)
    unknown: set[int] = field(default_factory=set)
    unexpected: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def go_on(self, k: int, calls: Sequence[Call]) -> None:
        """Run program k while there is room in the log; after a fault, wait a little."""
        if len(self.answered) > CELLS - 50 or not self.run(k, calls):
            time.sleep(0.05)

    def run(self, k: int, calls: Sequence[Call], seconds: float = 60.0) -> bool:
        """Run program k by the first of the calls; by the others in turn where nothing was done.

        Returns whether it was answered.
        """
        end = time.monotonic() + seconds
        for call in itertools.cycle(calls):
            try:
                version = call(program(k))
            except Refused as refused:
                if refused.code in NOTHING_DONE and time.monotonic() < end:
                    time.sleep(0.01)
                    continue
                with self._lock:
                    if refused.code in UNKNOWN:
                        self.unknown.add(k)
                    else:
                        self.unexpected.append(f"{k}: {refused.code}")
                return False
            with self._lock:
                if version in self.answered:
                    self.unexpected.append(f"{k}: version {version} again")
                self.answered[version] = k
            return True

    def check(self, http: httpx2.Client, session: str) -> list[int]:
        """Prove that every answered run is there at its version, and every other once as a whole, or not at all.

        Returns the programs in the order of their versions.
        """
        assert not self.unexpected
        query = {"space": "sbuf", "partition": 0, "partitions": 32, "byte": 0, "size": 8 * CELLS}
        answer = http.get(
            f"/v1/sessions/{session}/memory", params=query, headers={"accept": "application/octet-stream"}
        )
        assert answer.status_code == 200, answer.text
        version = int(answer.headers["etag"].strip('"'))
        log = np.frombuffer(answer.content, "<f4")[: CELLS - 1].astype(int).tolist()
        order = log[: version - 1][::-1]  # the session began at version 1
        assert not any(log[version - 1 :])
        assert len(set(order)) == len(order) == version - 1
        found = dict(enumerate(order, 2))
        assert {at: found.get(at) for at in self.answered} == self.answered
        assert {k for at, k in found.items() if at not in self.answered} <= self.unknown
        assert answer.content == replayed(order)
        return order


def in_parallel(*jobs: Callable[[], None]) -> list[threading.Thread]:
    """Start a thread for each job."""
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    return threads
