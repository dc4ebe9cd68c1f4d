"""gRPC: dve.v1. Large memory travels as streams of pieces, both ways."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import grpc

from dve_engine import Region
from dve_proto.v1 import description_pb2 as d
from dve_proto.v1 import (
    description_pb2_grpc,
    images_pb2_grpc,
    neff_pb2_grpc,
    sessions_pb2_grpc,
    simulation_pb2_grpc,
    text_pb2,
    text_pb2_grpc,
    vbool_pb2_grpc,
)
from dve_proto.v1 import images_pb2 as i
from dve_proto.v1 import sessions_pb2 as s
from dve_proto.v1 import simulation_pb2 as m

from ..answers import BlockPlace, Document
from ..memory import Filling, MemoryRegion, pieces
from ..neff_requests import NeffRequest
from ..requests import RunRequest, ValidateRequest
from ..vbool_requests import VboolEvalRequest, VboolRunRequest
from . import messages, neff_messages, vbool_messages
from .rpc_status import translated

_STREAM_FROM_BYTES = 4 << 20  # of memory read back, from which a run answers in pieces
_TRAILERS_BYTES = 64 << 10
_OPTIONS = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_metadata_size", _TRAILERS_BYTES),
)


class GrpcTransport:
    """Calls over one channel. tenant: its name, or nothing for the public."""

    def __init__(self, target: str, timeout_seconds: float, tenant: Sequence[str] = (), *, tls: bool) -> None:
        self._target, self._tls = target, tls
        metadata = tuple(("dvesim-tenant", name) for name in tenant)
        self._options: Mapping[str, Any] = {"timeout": timeout_seconds, "metadata": metadata}
        self._channel: grpc.aio.Channel | None = None

    @property
    def _open(self) -> grpc.aio.Channel:
        """The channel, which belongs to the event loop that first uses it."""
        if self._channel is None:
            if self._tls:
                self._channel = grpc.aio.secure_channel(self._target, grpc.ssl_channel_credentials(), _OPTIONS)
            else:
                self._channel = grpc.aio.insecure_channel(self._target, _OPTIONS)
        return self._channel

    @property
    def _simulation(self) -> simulation_pb2_grpc.SimulationAsyncStub:
        return simulation_pb2_grpc.SimulationStub(self._open)

    @property
    def _images(self) -> images_pb2_grpc.ImagesAsyncStub:
        return images_pb2_grpc.ImagesStub(self._open)

    @property
    def _sessions(self) -> sessions_pb2_grpc.SessionsAsyncStub:
        return sessions_pb2_grpc.SessionsStub(self._open)

    @property
    def _text(self) -> text_pb2_grpc.TextAsyncStub:
        return text_pb2_grpc.TextStub(self._open)

    @property
    def _vbool(self) -> vbool_pb2_grpc.VboolAsyncStub:
        return vbool_pb2_grpc.VboolStub(self._open)

    @property
    def _neff(self) -> neff_pb2_grpc.NeffAsyncStub:
        return neff_pb2_grpc.NeffStub(self._open)

    @property
    def _description(self) -> description_pb2_grpc.DescriptionAsyncStub:
        return description_pb2_grpc.DescriptionStub(self._open)

    async def validate(self, request: ValidateRequest) -> Document:
        with translated(self._target):
            return messages.validated(
                await self._simulation.Validate(messages.validate(request), **self._options)
            )

    async def run(self, request: RunRequest) -> Document:
        message = messages.run(request)
        if not _is_long(request):
            with translated(self._target):
                return messages.ran(await self._simulation.Run(message, **self._options))
        parts, trace, finished = [], [], m.RunResponse()
        with translated(self._target):
            async for event in self._simulation.RunStream(message, **self._options):
                kind = event.WhichOneof("event")
                if kind == "memory":
                    parts.append(event.memory.data)
                elif kind == "trace":
                    trace.append(messages.plain_struct(event.trace))
                elif kind == "finished":
                    finished = event.finished
        answer = messages.ran(finished)
        wanted = [messages.place(item) for item in finished.written] if request.read is None else request.read
        filling = Filling(wanted)
        for part in parts:
            filling.add(part)
        return {**answer, "trace": trace, "memory": messages.memory_documents(filling.done())}

    async def put_image(self, generation: str, memory: Sequence[MemoryRegion]) -> Document:
        async def parts() -> AsyncIterator[i.PutImageRequest]:
            yield i.PutImageRequest(generation=generation)
            for item in memory:
                for piece in pieces(item):
                    yield i.PutImageRequest(memory=messages.memory_region(piece))

        with translated(self._target):
            return messages.stored(await self._images.PutImage(parts(), **self._options))

    async def put_blocks(self, generation: str, blocks: Mapping[str, bytes], places: Sequence[BlockPlace]) -> Document:
        async def parts() -> AsyncIterator[i.PutImageRequest]:
            yield i.PutImageRequest(generation=generation)
            for block, data in blocks.items():
                yield i.PutImageRequest(block=i.Block(id=block, data=data))
            listed = [i.BlockPlace(**vars(place)) for place in places]
            yield i.PutImageRequest(manifest=i.Manifest(generation=generation, blocks=listed))

        with translated(self._target):
            return messages.stored(await self._images.PutImage(parts(), **self._options))

    async def missing_blocks(self, generation: str, blocks: Sequence[str]) -> list[str]:
        request = i.MissingBlocksRequest(generation=generation, blocks=blocks)
        with translated(self._target):
            return list((await self._images.MissingBlocks(request, **self._options)).missing)

    async def image(self, image: str) -> Document:
        with translated(self._target):
            async for part in self._images.GetImage(i.GetImageRequest(image=image), **self._options):
                return messages.image(part.image)
        raise AssertionError("a stream that ends well has a first message")

    async def read_image(self, image: str, regions: Sequence[Region]) -> tuple[MemoryRegion, ...]:
        request = i.ReadImageMemoryRequest(image=image, read=map(messages.region, regions))
        with translated(self._target):
            filling = Filling(regions)
            async for part in self._images.ReadImageMemory(request, **self._options):
                filling.add(part.memory.data)
        return filling.done()

    async def create_session(
        self, generation: str, image: str | None, memory: Sequence[MemoryRegion], ttl_seconds: int | None
    ) -> Document:
        request = s.CreateSessionRequest(
            generation=generation,
            image=image or "",
            memory=map(messages.memory_region, memory),
            ttl_seconds=ttl_seconds,
        )
        with translated(self._target):
            return messages.session(await self._sessions.CreateSession(request, **self._options))

    async def session(self, session: str, version: int | None) -> Document:
        request = s.GetSessionRequest(session=session, version=version)
        with translated(self._target):
            return messages.session(await self._sessions.GetSession(request, **self._options))

    async def versions(self, session: str) -> Document:
        request = s.ListVersionsRequest(session=session)
        with translated(self._target):
            return messages.versions(await self._sessions.ListVersions(request, **self._options))

    async def run_session(
        self, session: str, request: RunRequest, if_match: int | None, at_version: int | None
    ) -> Document:
        run = messages.run(request)
        message = s.RunSessionRequest(session=session, run=run, if_match=if_match, at_version=at_version)
        with translated(self._target):
            return messages.ran(await self._sessions.RunSession(message, **self._options))

    async def fork_session(self, session: str, ttl_seconds: int | None, version: int | None) -> Document:
        request = s.ForkSessionRequest(session=session, ttl_seconds=ttl_seconds, version=version)
        with translated(self._target):
            return messages.session(await self._sessions.ForkSession(request, **self._options))

    async def delete_session(self, session: str) -> None:
        with translated(self._target):
            await self._sessions.DeleteSession(s.DeleteSessionRequest(session=session), **self._options)

    async def read_session(self, session: str, regions: Sequence[Region], version: int | None) -> Document:
        request = s.ReadMemoryRequest(session=session, read=map(messages.region, regions), version=version)
        filling, seen = Filling(regions), 0
        with translated(self._target):
            async for part in self._sessions.ReadMemory(request, **self._options):
                filling.add(part.memory.data)
                seen = part.version
        return {"version": seen, "memory": messages.memory_documents(filling.done())}

    async def write_session(self, session: str, memory: Sequence[MemoryRegion], if_match: int | None) -> Document:
        async def parts() -> AsyncIterator[s.WriteMemoryRequest]:
            yield s.WriteMemoryRequest(header=s.WriteMemoryHeader(session=session, if_match=if_match))
            for item in memory:
                for piece in pieces(item):
                    yield s.WriteMemoryRequest(memory=messages.memory_region(piece))

        with translated(self._target):
            return messages.session(await self._sessions.WriteMemory(parts(), **self._options))

    async def assemble(self, generation: str, text: str) -> bytes:
        request = text_pb2.AssembleRequest(generation=generation, text=text)
        with translated(self._target):
            return (await self._text.Assemble(request, **self._options)).program

    async def disassemble(self, generation: str, program: bytes) -> list[str]:
        request = text_pb2.DisassembleRequest(generation=generation, program=program)
        with translated(self._target):
            return list((await self._text.Disassemble(request, **self._options)).lines)

    async def vbool_eval(self, request: VboolEvalRequest) -> Document:
        message = vbool_messages.evaluate(request)
        with translated(self._target):
            return vbool_messages.evaluated(await self._vbool.EvalVbool(message, **self._options))

    async def vbool_run(self, request: VboolRunRequest) -> Document:
        message = vbool_messages.run(request)
        with translated(self._target):
            return vbool_messages.ran(await self._vbool.RunVbool(message, **self._options))

    async def validate_neff(self, request: NeffRequest) -> Document:
        with translated(self._target):
            answer = await self._neff.ValidateNeff(neff_messages.parts(request), **self._options)
        return neff_messages.validated(answer)

    async def describe(self, topic: str, generation: str, mnemonic: str) -> Document:
        request = d.DescribeIsaRequest(generation=generation, topic=topic, mnemonic=mnemonic)
        with translated(self._target):
            answer = await self._description.DescribeIsa(request, **self._options)
        return messages.plain_struct(answer.document)

    async def version(self) -> Document:
        with translated(self._target):
            answer = await self._description.GetVersion(d.GetVersionRequest(), **self._options)
        return messages.plain_message(answer)

    async def limits(self) -> Document:
        with translated(self._target):
            answer = await self._description.GetLimits(d.GetLimitsRequest(), **self._options)
        limits: dict[str, Any] = {name: int(v) if v.is_integer() else v for name, v in answer.limits.items()}
        return limits

    async def aclose(self) -> None:
        if self._channel is not None:
            await self._channel.close()


def _is_long(request: RunRequest) -> bool:
    return request.read is None or sum(place.total_bytes for place in request.read) > _STREAM_FROM_BYTES
