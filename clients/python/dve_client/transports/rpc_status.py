"""gRPC statuses as errors: the Problem in google.rpc.Status where the service spoke, else what the library says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from google.rpc import status_pb2

from dve_proto.v1 import common_pb2

from .. import documents
from ..errors import DvesimError, TimedOut, UnexpectedAnswer, Unreachable, error_of
from ..problem import Problem
from . import messages

_DETAILS = "grpc-status-details-bin"


@contextmanager
def translated(target: str) -> Iterator[None]:
    """Let what gRPC raises inside leave as a DvesimError."""
    try:
        yield
    except grpc.aio.AioRpcError as error:
        raise error_from(error, target) from error


def error_from(error: grpc.aio.AioRpcError, target: str) -> DvesimError:
    """The error a status stands for."""
    found = _problem(error.trailing_metadata() or ())
    if found is not None:
        return error_of(documents.problem(messages.problem(found)))
    code, detail = error.code(), error.details() or ""
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
        return Unreachable(f"{target}: {detail}")
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return TimedOut(f"{target}: no answer within the timeout")
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:  # the server's own bound on one message
        return error_of(
            Problem("payload_too_large", "The request is too large", 413, detail, limit="grpc_message_bytes")
        )
    return UnexpectedAnswer(f"{target}: {code.name} without details ({detail}); is this dvesim?")


def _problem(trailers: Any) -> common_pb2.Problem | None:
    for key, value in trailers:
        if key != _DETAILS:
            continue
        try:
            status = status_pb2.Status.FromString(value)
        except DecodeError:
            return None
        for detail in status.details:
            message = common_pb2.Problem()
            if detail.Unpack(message):
                return message
    return None
