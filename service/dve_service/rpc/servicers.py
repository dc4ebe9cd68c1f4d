"""The services of proto/dve/v1. Each method translates, calls one use case and translates back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc

from dve_engine import RECORD_BYTES
from dve_proto.v1 import description_pb2 as d
from dve_proto.v1 import description_pb2_grpc, images_pb2_grpc, sessions_pb2_grpc, simulation_pb2_grpc
from dve_proto.v1 import images_pb2 as i
from dve_proto.v1 import sessions_pb2 as s
from dve_proto.v1 import simulation_pb2 as m

from .. import words
from ..documents import VERSIONS, described
from ..version import SERVICE_VERSION
from ..work import Watch
from . import replies, requests, streams
from .serving import Serving
from .status import answering

Context = grpc.aio.ServicerContext[Any, Any]
_PROGRESS_SECONDS = 0.25


class Simulation(Serving, simulation_pb2_grpc.SimulationServicer):
    """Verdicts and stateless runs."""

    async def Validate(self, request: m.ValidateRequest, context: Context) -> m.ValidateResponse:
        async with answering(context, "Validate"):
            return replies.validated(await self._use(context).validate(requests.validate(request)))
        raise AssertionError

    async def ValidateStream(
        self, request_iterator: AsyncIterator[m.ValidateRequest], context: Context
    ) -> AsyncIterator[m.ValidateResponse]:
        async with answering(context, "ValidateStream"):
            done = 0
            async for request in streams.carried_over(request_iterator):
                total = done + len(request.program) // RECORD_BYTES
                self._use(context).limits.check("stream_instructions", total)
                yield replies.validated(await self._use(context).validate(requests.validate(request)), done)
                done = total

    async def Run(self, request: m.RunRequest, context: Context) -> m.RunResponse:
        async with answering(context, "Run"):
            return replies.ran(await self._use(context).run(requests.run(request)))
        raise AssertionError

    async def RunStream(self, request: m.RunRequest, context: Context) -> AsyncIterator[m.RunEvent]:
        async with answering(context, "RunStream"):
            order = requests.run(request)
            watch = Watch(self._use(context).limits.run_seconds)
            total = len(order.program.code) // RECORD_BYTES
            task = asyncio.ensure_future(self._use(context).run(order, watch))
            try:
                while not (await asyncio.wait([task], timeout=_PROGRESS_SECONDS))[0]:
                    yield m.RunEvent(progress=m.RunProgress(instructions=watch.instructions, total=total))
                answer = await task
            finally:
                task.cancel()
            for event in streams.run_events(answer):
                yield event


class Images(Serving, images_pb2_grpc.ImagesServicer):
    """Content-addressed snapshots."""

    async def PutImage(
        self, request_iterator: AsyncIterator[i.PutImageRequest], context: Context
    ) -> i.PutImageResponse:
        async with answering(context, "PutImage"):
            return replies.stored(await streams.put_image(self._use(context), request_iterator))
        raise AssertionError

    async def MissingBlocks(self, request: i.MissingBlocksRequest, context: Context) -> i.MissingBlocksResponse:
        async with answering(context, "MissingBlocks"):
            words.generation(request.generation)
            missing = await self._use(context).images.missing(request.blocks)
            return i.MissingBlocksResponse(missing=missing, **VERSIONS)
        raise AssertionError

    async def GetImage(self, request: i.GetImageRequest, context: Context) -> AsyncIterator[i.GetImageResponse]:
        async with answering(context, "GetImage"):
            found = await self._use(context).images.get(request.image)
            yield i.GetImageResponse(image=replies.image(found))
            for batch in streams.batches(found.manifest.distinct if request.blocks else ()):
                for identifier, data in (await self._use(context).images.blocks(batch)).items():
                    yield i.GetImageResponse(block=i.Block(id=identifier, data=data))

    async def ReadImageMemory(
        self, request: i.ReadImageMemoryRequest, context: Context
    ) -> AsyncIterator[i.ReadImageMemoryResponse]:
        async with answering(context, "ReadImageMemory"):
            images, regions = self._use(context).images, requests.regions("read", request.read)
            found = await images.get(request.image)
            async for part in await images.stream(found.manifest, regions):
                yield i.ReadImageMemoryResponse(memory=replies.region(part), **VERSIONS)


class Sessions(Serving, sessions_pb2_grpc.SessionsServicer):
    """Named, versioned machine states."""

    async def CreateSession(self, request: s.CreateSessionRequest, context: Context) -> s.Session:
        async with answering(context, "CreateSession"):
            use = self._use(context)
            use.limits.check("regions", len(request.memory))
            life = request.ttl_seconds if request.HasField("ttl_seconds") else None
            generation, writes = words.generation(request.generation), requests.writes("memory", request.memory)
            return replies.session(await use.sessions.create(generation, request.image or None, writes, life))
        raise AssertionError

    async def GetSession(self, request: s.GetSessionRequest, context: Context) -> s.Session:
        async with answering(context, "GetSession"):
            return replies.session(await self._use(context).sessions.get(request.session, requests.version(request)))
        raise AssertionError

    async def ListVersions(self, request: s.ListVersionsRequest, context: Context) -> s.ListVersionsResponse:
        async with answering(context, "ListVersions"):
            return replies.history(await self._use(context).sessions.versions(request.session))
        raise AssertionError

    async def RunSession(self, request: s.RunSessionRequest, context: Context) -> m.RunResponse:
        async with answering(context, "RunSession"):
            order, version = requests.session_run(request.run), requests.if_match(request)
            at = request.at_version if request.HasField("at_version") else None
            ran = await self._use(context).sessions.run(request.session, order, version, at_version=at)
            return replies.ran(ran)
        raise AssertionError

    async def ForkSession(self, request: s.ForkSessionRequest, context: Context) -> s.Session:
        async with answering(context, "ForkSession"):
            life = request.ttl_seconds if request.HasField("ttl_seconds") else None
            use, version = self._use(context), requests.version(request)
            return replies.session(await use.sessions.fork(request.session, life, version))
        raise AssertionError

    async def DeleteSession(self, request: s.DeleteSessionRequest, context: Context) -> s.DeleteSessionResponse:
        async with answering(context, "DeleteSession"):
            await self._use(context).sessions.delete(request.session)
            return s.DeleteSessionResponse(**VERSIONS)
        raise AssertionError

    async def ReadMemory(self, request: s.ReadMemoryRequest, context: Context) -> AsyncIterator[s.ReadMemoryResponse]:
        async with answering(context, "ReadMemory"):
            use, regions = self._use(context), requests.regions("read", request.read)
            version, manifest = await use.sessions.memory(request.session, requests.version(request))
            if not regions:  # nothing was asked for: the version alone
                yield s.ReadMemoryResponse(memory=None, version=version, **VERSIONS)
            async for part in await use.images.stream(manifest, regions):
                yield s.ReadMemoryResponse(memory=replies.region(part), version=version, **VERSIONS)

    async def WriteMemory(self, request_iterator: AsyncIterator[s.WriteMemoryRequest], context: Context) -> s.Session:
        async with answering(context, "WriteMemory"):
            return replies.session(await streams.write_memory(self._use(context), request_iterator))
        raise AssertionError


class Description(Serving, description_pb2_grpc.DescriptionServicer):
    """What is emulated and how much it takes."""

    async def DescribeIsa(self, request: d.DescribeIsaRequest, context: Context) -> d.DescribeIsaResponse:
        async with answering(context, "DescribeIsa"):
            document = described(self._use(context).describe(request.topic, request.generation, request.mnemonic))
            return d.DescribeIsaResponse(document=replies.struct(document), **VERSIONS)
        raise AssertionError

    async def GetVersion(self, request: d.GetVersionRequest, context: Context) -> d.GetVersionResponse:
        async with answering(context, "GetVersion"):
            return d.GetVersionResponse(service_version=SERVICE_VERSION, **VERSIONS)
        raise AssertionError

    async def GetLimits(self, request: d.GetLimitsRequest, context: Context) -> d.GetLimitsResponse:
        async with answering(context, "GetLimits"):
            limits = {name: float(value) for name, value in self._use(context).limits.model_dump().items()}
            return d.GetLimitsResponse(limits=limits, **VERSIONS)
        raise AssertionError
