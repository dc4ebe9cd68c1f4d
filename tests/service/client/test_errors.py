"""Every code of the service's catalogue has its class in the client; both transports lead to it in the same words."""

from __future__ import annotations

import asyncio
import dataclasses

import grpc
import httpx2
import pytest

import dve_client.errors as errors
from dve_client import ServiceError, aconnect
from dve_client.documents import problem
from dve_client.errors import BY_CODE, TimedOut, UnexpectedAnswer, Unreachable, error_of
from dve_client.problem import Problem
from dve_client.retry import NEVER
from dve_client.transports.http import error_from as http_error
from dve_client.transports.rpc_status import error_from as grpc_error
from dve_service.errors import ServiceError as Served
from dve_service.errors import catalogue
from dve_service.rest.answers import problem as rest_problem
from dve_service.rpc.status import status
from tests.service.test_catalogue import example

CLASSES = list(catalogue())
DRAWN = [line.split() for line in (errors.__doc__ or "").splitlines() if "──" in line]


def over_http(error: Served) -> Exception:
    said = rest_problem(error)
    request = httpx2.Request("POST", "http://dvesim/v1/run")
    return http_error(httpx2.Response(said.status_code, headers=dict(said.headers), content=said.body, request=request))


def over_grpc(error: Served) -> Exception:
    trailers = grpc.aio.Metadata(("grpc-status-details-bin", status(error).SerializeToString()))
    raised = grpc.aio.AioRpcError(grpc.StatusCode[error.grpc_status], grpc.aio.Metadata(), trailers, "details")
    return grpc_error(raised, "dvesim")


def test_the_codes_are_those_of_the_catalogue() -> None:
    assert len(CLASSES) > 25
    assert {kind.code for kind in CLASSES} == set(BY_CODE)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.code)
def test_both_transports_lead_to_the_class(kind: type[Served]) -> None:
    http, rpc = over_http(example(kind)), over_grpc(example(kind))
    assert isinstance(http, ServiceError)
    assert isinstance(rpc, ServiceError)
    assert type(http) is type(rpc) is BY_CODE[kind.code]
    assert http.code == rpc.code == kind.code
    assert http.status == rpc.status == kind.http_status
    assert http.retry_after_seconds == rpc.retry_after_seconds == kind.retry_after_seconds
    # trailers are small: gRPC cuts long texts and lists, and counts what it cut
    cut = ("detail", "verdicts", "blocks", "mistakes", "omitted")
    http_said, rpc_said = (dataclasses.asdict(error.problem) for error in (http, rpc))
    assert {n: v for n, v in http_said.items() if n not in cut} == {n: v for n, v in rpc_said.items() if n not in cut}
    assert http.detail.startswith(rpc.detail)
    lists = ("verdicts", "blocks", "mistakes")
    assert sum(len(getattr(rpc, n)) for n in lists) + rpc.omitted == sum(len(getattr(http, n)) for n in lists)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.code)
def test_the_parents_are_those_of_the_catalogue(kind: type[Served]) -> None:
    mine, theirs = BY_CODE[kind.code].__mro__, kind.__mro__
    codes = [parent.stable_code for parent in mine if getattr(parent, "stable_code", None)]
    assert codes == [parent.code for parent in theirs if "code" in vars(parent)]


def test_the_drawing_is_true() -> None:
    drawn = {line[line.index("├──") + 1 if "├──" in line else line.index("└──") + 1] for line in DRAWN}
    assert drawn == {kind.__name__ for kind in _below(errors.DvesimError)}
    codes = {code: kind.__name__ for code, kind in BY_CODE.items() if code}
    for code, name in codes.items():
        assert any(name in line and code in line for line in DRAWN), code


def _below(parent: type[Exception]) -> set[type[Exception]]:
    return {kind for child in parent.__subclasses__() for kind in {child} | _below(child)}


def test_a_code_of_a_later_service_keeps_its_code() -> None:
    error = error_of(
        problem({"code": "brand_new", "detail": "what", "status": 418, "later_member": 1, "verdicts": None})
    )
    assert type(error) is ServiceError
    assert (error.code, error.status, str(error)) == ("brand_new", 418, "what")
    assert error_of(Problem("internal", "a title")).args == ("a title",)


# --- answers that are not of the service -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (httpx2.Response(502, html="<h1>Bad gateway</h1>"), Unreachable),
        (httpx2.Response(404, html="<h1>nginx</h1>"), UnexpectedAnswer),
        (httpx2.Response(500, json={"detail": "some framework"}), UnexpectedAnswer),
        (httpx2.Response(400, content=b"[]", headers={"content-type": "application/problem+json"}), UnexpectedAnswer),
        (httpx2.Response(400, content=b"{", headers={"content-type": "application/problem+json"}), UnexpectedAnswer),
    ],
    ids=["gateway", "other-server", "no-problem", "problem-is-a-list", "problem-is-cut"],
)
def test_something_in_between_answers_http(response: httpx2.Response, kind: type[Exception]) -> None:
    response.request = httpx2.Request("GET", "http://dvesim/version")
    with pytest.raises(kind):
        raise http_error(response)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.UNAVAILABLE, Unreachable),
        (grpc.StatusCode.DEADLINE_EXCEEDED, TimedOut),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, errors.PayloadTooLarge),
        (grpc.StatusCode.UNIMPLEMENTED, UnexpectedAnswer),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_the_library_or_something_in_between_answers_grpc(code: grpc.StatusCode, kind: type[Exception]) -> None:
    trailers = grpc.aio.Metadata(("grpc-status-details-bin", b"\xff not a status"))
    assert type(grpc_error(grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailers, "x"), "dvesim")) is kind


@pytest.mark.parametrize("scheme", ["http", "grpc"])
async def test_nobody_listens(scheme: str) -> None:
    async with aconnect(f"{scheme}://127.0.0.1:1", timeout_seconds=20, retry=NEVER) as client:
        with pytest.raises(Unreachable):
            await client.version()


@pytest.mark.parametrize("scheme", ["http", "grpc"])
async def test_nobody_answers(scheme: str) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with aconnect(f"{scheme}://127.0.0.1:{port}", timeout_seconds=0.5, retry=NEVER) as client:
        with pytest.raises((TimedOut, Unreachable)):
            await client.version()
    server.close()
