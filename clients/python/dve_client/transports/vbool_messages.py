"""Requests to the predicate unit as messages of dve.v1, and its answers as plain dictionaries."""

from __future__ import annotations

from typing import Any

from google.protobuf.struct_pb2 import ListValue, Struct, Value

from dve_proto.v1 import vbool_pb2

from ..vbool_requests import Spelled, VboolEvalRequest, VboolRunRequest
from . import messages

Plain = dict[str, Any]


def evaluate(request: VboolEvalRequest) -> vbool_pb2.EvalVboolRequest:
    """An evaluation."""
    ops = [
        vbool_pb2.VboolOperation(op=op, inputs=Struct(fields={name: _value(given) for name, given in inputs.items()}))
        for op, inputs in request.ops
    ]
    return vbool_pb2.EvalVboolRequest(ops=ops, profile=request.profile or "", assumptions=request.assumptions)


def _value(given: Spelled) -> Value:
    if isinstance(given, str):
        return Value(string_value=given)
    return Value(list_value=ListValue(values=[Value(string_value=one) for one in given]))


def evaluated(message: vbool_pb2.EvalVboolResponse) -> Plain:
    """The answer to an evaluation."""
    return {
        **messages.plain_message(message),
        "results": [{"op": one.op, "output": messages.plain(one.output)} for one in message.results],
        "assumptions": [messages.plain_message(item) for item in message.assumptions],
    }


def run(request: VboolRunRequest) -> vbool_pb2.RunVboolRequest:
    """A run."""
    return vbool_pb2.RunVboolRequest(
        program=request.program,
        registers=request.registers,
        invalid=request.invalid,
        read=request.read,
        profile=request.profile or "",
        assumptions=request.assumptions,
    )


def ran(message: vbool_pb2.RunVboolResponse) -> Plain:
    """The answer to a run."""
    return {
        **messages.plain_message(message),
        "registers": dict(message.registers),
        "flags": messages.plain_message(message.flags),
        "steps": [messages.plain_message(step) for step in message.steps],
        "assumptions": [messages.plain_message(item) for item in message.assumptions],
    }
