"""Streamed calls: what a sequence of messages means."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace

from dve_engine import Generation
from dve_proto.v1 import common_pb2, images_pb2, sessions_pb2, simulation_pb2

from .. import words
from ..drafts import Draft
from ..errors import InvalidField, MalformedRequest
from ..images import check_block
from ..limits import Limits
from ..orders import Image, Ran, SessionView, Write
from ..simulator import Simulator
from . import replies, requests

_BATCH = 64  # blocks


def batches(identifiers: Sequence[str]) -> Iterator[Sequence[str]]:
    """Block ids, 64 at a time."""
    return (identifiers[first : first + _BATCH] for first in range(0, len(identifiers), _BATCH))


async def carried_over(
    stream: AsyncIterator[simulation_pb2.ValidateRequest],
) -> AsyncIterator[simulation_pb2.ValidateRequest]:
    """Requests whose empty fields have the values of the ones before."""
    kept = simulation_pb2.ValidateRequest()
    async for request in stream:
        if request.assumptions:
            kept.ClearField("assumptions")
        kept.ClearField("program")
        kept.MergeFrom(request)
        yield kept


def run_events(answer: Ran) -> Iterator[simulation_pb2.RunEvent]:
    """A finished run as events: memory, trace, then the rest."""
    for contents in answer.memory:
        for piece in replies.pieces(contents):
            yield simulation_pb2.RunEvent(memory=piece)
    whole = replies.ran(replace(answer, memory=()))
    for entry in whole.trace:
        yield simulation_pb2.RunEvent(trace=entry)
    del whole.trace[:]
    yield simulation_pb2.RunEvent(finished=whole)


async def put_image(simulator: Simulator, stream: AsyncIterator[images_pb2.PutImageRequest]) -> Image:
    """A generation, then regions, or blocks and a manifest. What comes is stored as it comes."""
    generation: Generation | None = None
    manifest: images_pb2.Manifest | None = None
    draft: Draft | None = None
    blocks: dict[str, bytes] = {}
    bound = _Bound(simulator.limits)
    sent = 0
    async for part in stream:
        kind = part.WhichOneof("part")
        if generation is None and kind != "generation":
            raise MalformedRequest("the first message names the generation", field="generation")
        if (kind == "generation" and generation) or (kind == "manifest" and manifest is not None):
            raise InvalidField(kind, "stands in the stream twice")
        if kind == "generation":
            generation = words.generation(part.generation)
        elif kind == "memory" and generation is not None:
            draft = draft or simulator.images.draft(generation)
            await draft.write(bound.write(part.memory))
        elif kind == "block":
            sent += 1
            simulator.limits.check("blocks", sent)
            check_block(part.block.id, part.block.data)  # before it is held
            blocks[part.block.id] = part.block.data
            if len(blocks) >= _BATCH:
                await simulator.images.put_blocks(blocks)
                blocks = {}
        elif kind == "manifest":
            manifest = part.manifest
    if generation is None:
        raise MalformedRequest("the first message names the generation", field="generation")
    await simulator.images.put_blocks(blocks)
    if manifest is None:
        return await simulator.images.keep(draft or simulator.images.draft(generation))
    if draft is not None:
        raise InvalidField("manifest", "excludes memory")
    return await simulator.images.create_from_manifest(generation, requests.places(manifest))


async def write_memory(simulator: Simulator, stream: AsyncIterator[sessions_pb2.WriteMemoryRequest]) -> SessionView:
    """A header, then regions."""
    parts = aiter(stream)
    first = await anext(parts, None)
    if first is None or first.WhichOneof("part") != "header":
        raise MalformedRequest("the first message is the header", field="header")
    header = first.header
    bound = _Bound(simulator.limits)

    async def writes(_: Generation) -> AsyncIterator[Write]:
        async for part in parts:
            if part.WhichOneof("part") == "header":
                raise InvalidField("header", "stands in the stream twice")
            if part.HasField("memory"):
                yield bound.write(part.memory)

    return await simulator.sessions.write_stream(header.session, writes, requests.if_match(header))


class _Bound:
    """Counts the regions of a stream and their bytes."""

    def __init__(self, limits: Limits) -> None:
        self._limits, self._regions, self._bytes = limits, 0, 0

    def write(self, message: common_pb2.MemoryRegion) -> Write:
        """The next region. Raises LimitExceeded."""
        write = requests.write(f"memory.{self._regions}", message)
        self._regions, self._bytes = self._regions + 1, self._bytes + len(write.data)
        self._limits.check("image_bytes", self._bytes)
        self._limits.check("regions", self._regions)
        return write
