"""A container as messages of dve.v1, and the answer as plain dictionaries."""

from __future__ import annotations

from collections.abc import AsyncIterator

from dve_proto.v1 import neff_pb2

from ..neff_requests import NeffRequest
from . import messages
from .messages import Plain


async def parts(request: NeffRequest) -> AsyncIterator[neff_pb2.ValidateNeffRequest]:
    """The options, then the file in pieces."""
    yield neff_pb2.ValidateNeffRequest(options=neff_pb2.NeffOptions(**request.options()))
    async for piece in request.pieces():
        yield neff_pb2.ValidateNeffRequest(data=piece)


def validated(message: neff_pb2.ValidateNeffResponse) -> Plain:
    """The answer to a validation."""
    return {
        **messages.plain_message(message),
        "container": _container(message.container),
        "summary": _summary(message.summary),
        "cores": [_core(core) for core in message.cores],
        "assumptions": [messages.plain_message(item) for item in message.assumptions],
    }


def _container(message: neff_pb2.NeffContainer) -> Plain:
    document = {
        **messages.plain_message(message),
        "metadata": dict(message.metadata),
        "members": [messages.plain_message(member) for member in message.members],
        "warnings": list(message.warnings),
    }
    if message.HasField("header"):
        header = messages.plain_message(message.header)
        lists = {"tpb_per_node": list(message.header.tpb_per_node), "features": list(message.header.features)}
        document["header"] = header | lists
    if message.HasField("payload"):
        document["payload"] = messages.plain_message(message.payload)
    return document


def _core(message: neff_pb2.NeffCore) -> Plain:
    document = messages.plain_message(message)
    if message.HasField("stream"):
        document["stream"] = messages.plain_message(message.stream)
    verdicts = [{**messages.plain_message(one), "verdict": messages.verdict(one.verdict)} for one in message.verdicts]
    return document | {
        "summary": _summary(message.summary),
        "verdicts": verdicts,
        "warnings": list(message.warnings),
    }


def _summary(message: neff_pb2.NeffSummary) -> Plain:
    rows = [messages.plain_message(row) for row in message.by_opcode]
    return {
        **messages.plain_message(message),
        "by_class": dict(message.by_class),
        "by_rule": dict(message.by_rule),
        "by_opcode": [{"class": row.pop("record_class"), **row} for row in rows],
    }
