"""Containers over gRPC: a stream of pieces as a file, and documents as messages by the same field names."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc

from dve_proto.v1 import neff_pb2 as n
from dve_proto.v1 import neff_pb2_grpc

from .. import containers
from ..containers import ValidateNeff
from ..documents import Document
from ..errors import InvalidField
from . import replies
from .serving import Serving
from .status import answering

Context = grpc.aio.ServicerContext[Any, Any]


class Neff(Serving, neff_pb2_grpc.NeffServicer):
    """Verdicts of containers."""

    async def ValidateNeff(
        self, request_iterator: AsyncIterator[n.ValidateNeffRequest], context: Context
    ) -> n.ValidateNeffResponse:
        async with answering(context, "ValidateNeff"):
            upload = _Upload(request_iterator)
            order = await upload.order()
            async with self._use(context).neff.received(upload.pieces()) as file:
                return _validated(containers.validated(await self._use(context).neff.validate(order, file)))
        raise AssertionError


class _Upload:
    """A stream of requests: options, then pieces."""

    def __init__(self, requests: AsyncIterator[n.ValidateNeffRequest]) -> None:
        self._requests, self._first = requests, b""

    async def order(self) -> ValidateNeff:
        """What the first message asks for."""
        first = await anext(aiter(self._requests), n.ValidateNeffRequest())
        self._first, o = first.data, first.options
        return containers.order(o.generation, o.profile, o.verdicts, o.lenient, o.override_target)

    async def pieces(self) -> AsyncIterator[bytes]:
        """The file."""
        yield self._first
        async for request in self._requests:
            if request.WhichOneof("part") == "options":
                raise InvalidField("options", "stand in the stream after its first message")
            yield request.data


def _validated(document: Document) -> n.ValidateNeffResponse:
    cores = [_core(core) for core in document.pop("cores")]
    return n.ValidateNeffResponse(**document, cores=cores)


def _core(document: Document) -> n.NeffCore:
    summary = dict(document.pop("summary"))
    counts = [n.NeffOpcodeCount(record_class=row.pop("class"), **row) for row in summary.pop("by_opcode")]
    verdicts = [n.NeffVerdict(verdict=replies.verdict(one.pop("verdict")), **one) for one in document.pop("verdicts")]
    return n.NeffCore(**document, summary=n.NeffSummary(**summary, by_opcode=counts), verdicts=verdicts)
