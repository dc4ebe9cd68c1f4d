"""gRPC stubs and errors for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from dve_proto.v1 import common_pb2, description_pb2_grpc, images_pb2_grpc, sessions_pb2_grpc, simulation_pb2_grpc


class Stubs:
    """The four services on one channel."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.simulation: Any = simulation_pb2_grpc.SimulationStub(channel)
        self.images: Any = images_pb2_grpc.ImagesStub(channel)
        self.sessions: Any = sessions_pb2_grpc.SessionsStub(channel)
        self.description: Any = description_pb2_grpc.DescriptionStub(channel)


def refused(call: Callable[[], Any], code: str, status: grpc.StatusCode) -> common_pb2.Problem:
    """The problem a call ends with; checks code, status and the standard details."""
    with pytest.raises(grpc.RpcError) as caught:
        call()
    error: Any = caught.value
    assert error.code() is status, error
    details = {type(detail).__name__: detail for detail in unpacked(error)}
    assert details["ErrorInfo"].reason == code.upper()
    assert details["ErrorInfo"].domain == "dvesim"
    problem: common_pb2.Problem = details["Problem"]
    assert problem.code == code
    assert problem.engine_version
    assert ("BadRequest" in details) == (status is grpc.StatusCode.INVALID_ARGUMENT and problem.status == 400)
    return problem


def unpacked(error: Any) -> list[Any]:
    """The messages of google.rpc.Status.details."""
    found = []
    for packed in rpc_status.from_call(error).details:
        for kind in (
            common_pb2.Problem,
            error_details_pb2.ErrorInfo,
            error_details_pb2.BadRequest,
            error_details_pb2.RetryInfo,
        ):
            if packed.Is(kind.DESCRIPTOR):
                found.append(kind())
                packed.Unpack(found[-1])
    return found
