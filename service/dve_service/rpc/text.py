"""Text over gRPC."""

from __future__ import annotations

from typing import Any

import grpc

from dve_proto.v1 import text_pb2 as t
from dve_proto.v1 import text_pb2_grpc

from .. import words
from ..documents import VERSIONS
from ..texts import Assemble
from .serving import Serving
from .status import answering

Context = grpc.aio.ServicerContext[Any, Any]


class Text(Serving, text_pb2_grpc.TextServicer):
    """Programs as text."""

    async def Assemble(self, request: t.AssembleRequest, context: Context) -> t.AssembleResponse:
        async with answering(context, "Assemble"):
            order = Assemble(words.generation(request.generation), request.text)
            answer = await self._use(context).texts.assemble(order)
            return t.AssembleResponse(generation=answer.generation.name.lower(), program=answer.code, **VERSIONS)
        raise AssertionError

    async def Disassemble(self, request: t.DisassembleRequest, context: Context) -> t.DisassembleResponse:
        async with answering(context, "Disassemble"):
            order = words.program(request.generation, request.program, None, {})
            answer = await self._use(context).texts.disassemble(order)
            return t.DisassembleResponse(generation=answer.generation.name.lower(), lines=answer.lines, **VERSIONS)
        raise AssertionError
