"""The conformance runner's targets, each asked the same questions."""

import pytest

from tests.conformance.targets import EngineTarget, GrpcTarget, HttpTarget
from tests.service.conftest import service, valkey

__all__ = ["service", "target", "valkey"]


@pytest.fixture(scope="session", params=["engine", "http", "grpc"])
def target(request):
    if request.param == "engine":
        return EngineTarget()
    running = request.getfixturevalue("service")
    return HttpTarget(running.http) if request.param == "http" else GrpcTarget(running.channel)
