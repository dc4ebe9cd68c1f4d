"""The predicate unit over gRPC: messages as orders and documents as messages, by the same field names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import grpc
from google.protobuf.struct_pb2 import Struct, Value

from dve_proto.v1 import vbool_pb2 as v
from dve_proto.v1 import vbool_pb2_grpc

from .. import predicates, words
from ..documents import Document
from ..errors import InvalidField
from ..predicates import Evaluate, RunText
from . import replies
from .serving import Serving
from .status import answering

Context = grpc.aio.ServicerContext[Any, Any]


class Vbool(Serving, vbool_pb2_grpc.VboolServicer):
    """Single operations and text programs."""

    async def EvalVbool(self, request: v.EvalVboolRequest, context: Context) -> v.EvalVboolResponse:
        async with answering(context, "EvalVbool"):
            return _evaluated(predicates.evaluated(await self._use(context).vbool.evaluate(_evaluation(request))))
        raise AssertionError

    async def RunVbool(self, request: v.RunVboolRequest, context: Context) -> v.RunVboolResponse:
        async with answering(context, "RunVbool"):
            return v.RunVboolResponse(**predicates.ran(await self._use(context).vbool.run(_run(request))))
        raise AssertionError


def _evaluation(request: v.EvalVboolRequest) -> Evaluate:
    ops = [(one.op, _inputs(n, one.inputs)) for n, one in enumerate(request.ops)]
    return Evaluate(ops, words.choices(request.profile, request.assumptions))


def _run(request: v.RunVboolRequest) -> RunText:
    choices = words.choices(request.profile, request.assumptions)
    return RunText(request.program, request.registers, request.invalid, request.read, choices)


def _inputs(number: int, given: Struct) -> Mapping[str, Any]:
    return {name: _text(f"ops.{number}.inputs.{name[:80]}", value) for name, value in given.fields.items()}


def _text(field: str, value: Value) -> Any:
    """A string, or a list of them."""
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return value.string_value
    if kind != "list_value" or any(item.WhichOneof("kind") != "string_value" for item in value.list_value.values):
        raise InvalidField(field, "takes a string or a list of strings")
    return [item.string_value for item in value.list_value.values]


def _evaluated(document: Document) -> v.EvalVboolResponse:
    results = [v.VboolResult(op=one["op"], output=replies.value(one["output"])) for one in document.pop("results")]
    return v.EvalVboolResponse(**document, results=results)
