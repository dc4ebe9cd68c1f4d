"""What the transports add to the engine, on loopback, and what a second worker brings."""

from __future__ import annotations

import base64
import concurrent.futures
import time
from collections.abc import Callable

import httpx2
import numpy as np

from dve_client.demo.stage import inputs, stage
from dve_engine import CAYMAN, Choices, Machine, MachineState
from dve_proto.v1 import description_pb2, simulation_pb2
from dve_service.orders import Program, Run
from dve_service.plans import Plans
from tests.service.rpc import Stubs
from tests.service.running import Service

from .engine_rows import FP32, OUT, A, Bench, normal, tensor_scalar_record
from .measure import Measured, Row, Target, alternately


def grpc_validate() -> Measured:
    """Validate of one record against an RPC of the same server that does nothing."""
    service = Service(DVESIM_LOG_LEVEL="error")
    try:
        stubs = Stubs(service.channel)
        request = simulation_pb2.ValidateRequest(generation="cayman", program=tensor_scalar_record(512, FP32))
        empty = description_pb2.GetVersionRequest()
        assert stubs.simulation.Validate(request).valid
        ours, theirs = alternately(
            lambda: stubs.simulation.Validate(request), lambda: stubs.description.GetVersion(empty), rounds=200
        )
        return Measured(ours / theirs, ours, theirs)
    finally:
        service.stop()


def demo_body() -> dict:
    regions = [
        {
            "space": one.region.space.value, "partition": one.region.partition, "partitions": one.region.partitions,
            "byte": one.region.byte, "size": one.region.size, "data_base64": base64.b64encode(one.data).decode(),
        }
        for one in inputs().memory()
    ]  # fmt: skip
    program = base64.b64encode(stage(CAYMAN)).decode()
    return {"generation": "cayman", "program_base64": program, "state": {"memory": regions}, "cache": False}


def http_run() -> Measured:
    """POST /v1/run of the demo's batch against the same run in process plus GET /version."""
    service = Service(DVESIM_LOG_LEVEL="error")
    try:
        body, order = demo_body(), Run(Program(CAYMAN, stage(CAYMAN), Choices()))
        machine, plans = Machine(CAYMAN, Choices()), Plans(1 << 26)
        given = inputs().memory()

        def over_http() -> None:
            assert service.http.post("/v1/run", json=body).json()["valid"]

        def by_itself() -> None:
            state = MachineState.fresh(CAYMAN)
            for one in given:
                state.memory.write(one.region, one.data)
            machine.execute(plans.of(machine, order, {}).plan, state, atomic=False)
            assert service.http.get("/version").status_code == 200

        ours, theirs = alternately(over_http, by_itself, rounds=60)
        return Measured(ours / theirs, ours, theirs)
    finally:
        service.stop()


def throughput(workers: int, seconds: float = 6.0, callers: int = 8) -> float:
    """Runs of a 128x2048 instruction per second, from `callers` connections at once."""
    service = Service(DVESIM_WORKERS=str(workers), DVESIM_LOG_LEVEL="error", DVESIM_ENGINE_THREADS="1")
    try:
        body = {
            "generation": "cayman", "instructions": [tensor_scalar_record(2048, FP32).hex()] * 8, "cache": False,
            "state": {"memory": [{"space": "sbuf", "partition": 0, "partitions": 128, "byte": A, "size": 8192,
                                  "data_base64": base64.b64encode(normal(2048).tobytes()).decode()}]},
            "read": [{"space": "sbuf", "partition": 0, "byte": OUT, "size": 64}],
        }  # fmt: skip
        image = service.http.post("/v1/images", json={"generation": "cayman", "memory": body["state"]["memory"]}).json()
        body["state"] = {"image": image["image"]}
        end = time.perf_counter() + seconds

        def calls(_: int) -> int:
            done = 0
            with httpx2.Client(base_url=f"http://{service.http_address}", timeout=60) as client:
                while time.perf_counter() < end:
                    assert client.post("/v1/run", json=body).status_code == 200
                    done += 1
            return done

        with concurrent.futures.ThreadPoolExecutor(callers) as pool:
            return sum(pool.map(calls, range(callers))) / seconds
    finally:
        service.stop()


def two_workers() -> Measured:
    one, two = throughput(1), throughput(2)
    return Measured(two / one, 1 / two, 1 / one)


# -- growth ----------------------------------------------------------------------------------------------------------


def growth(cost: Callable[[int], float], sizes: tuple[int, ...]) -> Measured:
    """A straight line through (size, seconds): the ratio is its worst relative distance from a measured point."""
    seconds = np.array([cost(size) for size in sizes])
    slope, start = np.polyfit(sizes, seconds, 1)
    line = slope * np.array(sizes) + start
    worst = float(np.max(np.abs(line - seconds) / seconds))
    return Measured(1 + worst, float(slope), max(float(start), 0.0))


def of_elements(columns: int) -> float:
    bench = Bench(tensor_scalar_record(columns, FP32), (OUT, 4 * columns), (A, normal(columns)))
    return alternately(bench.run, lambda: None, rounds=15)[0]


def of_instructions(count: int) -> float:
    bench = Bench(tensor_scalar_record(16, FP32) * count, (OUT, 64), (A, normal(16)))
    return alternately(bench.run, lambda: None, rounds=7)[0]


ROWS = (
    Row("gRPC Validate of one record, against an empty call", Target(3.0), grpc_validate),
    Row("POST /v1/run of the demo, against in process + empty request", Target(1.5), http_run),
    Row("two workers over one, runs of 128x2048", Target(1.8, at_least=True), two_workers),
    Row("straight line through elements: 128 x 2048 to 8192, worst point", None,
        lambda: growth(of_elements, (2048, 4096, 6144, 8192))),
    Row("straight line through instructions: 100 to 1600, worst point", None,
        lambda: growth(of_instructions, (100, 400, 800, 1600))),
)  # fmt: skip
