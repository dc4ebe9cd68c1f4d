"""HTTP, gRPC and in-process, synchronous and asynchronous: the same story gives the same answers."""

from __future__ import annotations

from typing import Any

import pytest

from dve_client import aconnect, connect
from dve_service.store.embedded import EmbeddedServer
from tests.service.client.scenario import Awaited, told
from tests.service.running import Service

TARGETS = ("http", "grpc", "inproc")


@pytest.fixture(autouse=True)
def _in_process_store(valkey: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DVESIM_REDIS_URL", valkey.url)


@pytest.fixture(scope="module")
def reference() -> dict[str, Any]:
    return {}


def target(service: Service, transport: str) -> str:
    addresses = {"http": f"http://{service.http_address}", "grpc": f"grpc://{service.grpc_address}"}
    return addresses.get(transport, transport)


@pytest.mark.parametrize("colour", ["async", "sync"])
@pytest.mark.parametrize("transport", TARGETS)
async def test_the_same_answers(service: Service, reference: dict[str, Any], transport: str, colour: str) -> None:
    where = target(service, transport)
    if colour == "async":
        async with aconnect(where) as client:
            answers = await told(client)
    else:
        with connect(where) as blocking:
            answers = await told(Awaited(blocking))
    if not reference:
        reference.update(answers)
    assert answers.keys() == reference.keys()
    for name, answer in answers.items():
        for index, part in enumerate(answer if isinstance(answer, list) else ()):
            assert part == reference[name][index], (name, index)
        assert answer == reference[name], name
