"""Every class of the catalogue, over both transports: status, code and the standard details."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import httpx2
import pytest

import dve_service.errors as errors
from dve_engine import Choices, generation_named, validate
from dve_proto.v1 import simulation_pb2, simulation_pb2_grpc
from dve_service.errors import ServiceError, catalogue
from dve_service.limits import Limits
from dve_service.rest.app import create_app
from dve_service.rpc.server import RpcServer
from dve_service.rpc.status import status
from dve_service.work import Work
from tests.service.programs import COPY, ILLEGAL
from tests.service.rpc import unpacked

EXAMPLES: dict[str, ServiceError] = {
    "UnknownField": errors.UnknownField("stat", ["state", "read"]),
    "InvalidField": errors.InvalidField("trace", "is loud"),
    "IllegalInstructions": errors.IllegalInstructions(
        validate(ILLEGAL, generation_named("cayman"), Choices()).verdicts
    ),
    "UnknownOperation": errors.UnknownOperation("ops.0.op", "there is no operation 'ivp_anbd'", "ivp_andb"),
    "ProgramText": errors.ProgramText(
        "line 3, column 7: expected a comma", 3, 7,
        [{"line": 3, "column": k, "found": "x" * 60, "expected": ["a", "b"], "message": "m" * 90} for k in range(100)],
    ),
    "MalformedNeff": errors.MalformedNeff("cut short", 1100, "member sg00/def.json", "a member of the archive"),
    "BlocksMissing": errors.BlocksMissing([f"{k:064x}" for k in range(1000)]),
    "VersionConflict": errors.VersionConflict(1, 2),
    "ConcurrentWrites": errors.ConcurrentWrites(8, 9),
    "LimitExceeded": errors.LimitExceeded("regions", 4, 5, instruction=7),
    "PayloadTooLarge": errors.PayloadTooLarge("body_bytes", 4, 5),
    "TimeLimitExceeded": errors.TimeLimitExceeded("run_seconds", 30.0),
    "RangeNotSatisfiable": errors.RangeNotSatisfiable("bytes=9-", 4),
    "VersionNotFound": errors.VersionNotFound(3, 7, 22),
    "QuotaExceeded": errors.QuotaExceeded("tenant_bytes", 65536, 32768, 65536),
    "Overloaded": errors.Overloaded("queued_runs", 64),
    "ExecutionFailed": errors.ExecutionFailed(
        "ran away", instruction=3, operand="dst", lane=4, address=5, space="sbuf"
    ),
}
CLASSES = list(catalogue())
PLACES = ("instruction", "operand", "lane", "address", "field", "limit", "version", "oldest", "used", "asked", "space",
          "line", "column", "offset", "within", "expected")  # fmt: skip
DRAWN = [line.split()[-3:] for line in (errors.__doc__ or "").splitlines() if "──" in line]


class Failing:
    """Use cases that always fail in the same way."""

    def __init__(self, error: Exception) -> None:
        self.limits, self.error = Limits(), error

    def of(self, given: object) -> Failing:
        return self

    async def validate(self, order: object) -> object:
        raise self.error


def example(kind: type[ServiceError]) -> ServiceError:
    return EXAMPLES.get(kind.__name__) or kind("what happened: \N{SNOWMAN} " + "x" * 1000)


async def ask_http(error: Exception) -> httpx2.Response:
    simulator: Any = Failing(error)
    transport = httpx2.ASGITransport(create_app(simulator, Work(1, 1)), raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://dvesim") as client:
        return await client.post("/v1/validate", json={"generation": "cayman", "instructions": [COPY.hex()]})


async def ask_grpc(error: Exception) -> grpc.aio.AioRpcError:
    simulator: Any = Failing(error)
    server = RpcServer(simulator, share_port=False)
    port = await server.start("127.0.0.1:0")
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await simulation_pb2_grpc.SimulationStub(channel).Validate(
                simulation_pb2.ValidateRequest(generation="cayman", program=COPY)
            )
    await server.stop(0)
    return caught.value


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.code)
def test_every_class_over_both(kind: type[ServiceError]) -> None:
    error = example(kind)
    rest = asyncio.run(ask_http(error))
    problem = rest.json()
    assert rest.status_code == problem["status"] == kind.http_status
    assert (problem["code"], problem["title"], problem["detail"]) == (kind.code, kind.title, error.detail)
    assert ("retry-after" in rest.headers) == (kind.retry_after_seconds is not None)

    rpc = asyncio.run(ask_grpc(error))
    assert rpc.code().name == kind.grpc_status
    details: dict[str, Any] = {type(detail).__name__: detail for detail in unpacked_aio(rpc)}
    assert details["ErrorInfo"].reason == kind.code.upper()
    assert details["Problem"].code == kind.code
    assert details["Problem"].status == kind.http_status
    assert ("RetryInfo" in details) == (kind.retry_after_seconds is not None)
    for name in PLACES:
        assert details["Problem"].HasField(name) == (name in problem), name
    lists = ("verdicts", "blocks", "mistakes")
    listed = sum(len(getattr(details["Problem"], name)) for name in lists) + details["Problem"].omitted
    assert listed == sum(len(problem.get(name, [])) for name in lists)


LONG = "\N{GRINNING FACE}" * 5000
TEXTS = ("operand", "field", "limit", "space", "nearest", "reason", "within", "expected")
WORST = [
    errors.MalformedRequest(LONG, **dict.fromkeys(TEXTS, LONG)),
    errors.InvalidField("\t%" * 3000, "\u00e9" * 3000),
    errors.UnknownField(LONG, [LONG]),
    errors.IllegalInstructions(validate(bytes(64 * 200), generation_named("cayman"), Choices()).verdicts),
    errors.ProgramText(LONG, 1, 1, [{"line": 1, "column": 1, "found": LONG, "expected": [], "message": LONG}] * 50),
]


@pytest.mark.parametrize("error", WORST, ids=["every-text", "escapes", "unknown-field", "verdicts", "mistakes"])
def test_trailers_stay_below_what_clients_take(error: ServiceError) -> None:
    rpc = asyncio.run(ask_grpc(error))  # with the default of 8 KiB
    assert rpc.code().name == error.grpc_status
    details: dict[str, Any] = {type(detail).__name__: detail for detail in unpacked_aio(rpc)}
    assert error.detail.startswith(details["Problem"].detail)
    assert len(status(error).SerializeToString()) * 4 / 3 + 3 * len(rpc.details() or "") < 7800


def unpacked_aio(error: grpc.aio.AioRpcError) -> list[Any]:
    class Call:
        def trailing_metadata(self) -> Any:
            return error.trailing_metadata()

        def code(self) -> Any:
            return error.code()

        def details(self) -> Any:
            return error.details()

    return unpacked(Call())


def test_faults_of_ours_are_500_and_say_nothing() -> None:
    rest = asyncio.run(ask_http(ZeroDivisionError("secret")))
    assert (rest.status_code, rest.json()["code"]) == (500, "internal")
    assert "secret" not in rest.text
    rpc = asyncio.run(ask_grpc(ZeroDivisionError("secret")))
    assert rpc.code() is grpc.StatusCode.INTERNAL
    assert "secret" not in str(rpc.details())


def test_codes_are_unique_and_the_drawing_is_true() -> None:
    codes = [kind.code for kind in CLASSES]
    assert len(set(codes)) == len(codes)
    assert [[kind.code, str(kind.http_status), kind.grpc_status] for kind in CLASSES] == DRAWN
