"""Streamed calls: what a sequence of messages means."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace

from dve_engine import Generation
from dve_proto.v1 import images_pb2, sessions_pb2, simulation_pb2

from .. import words
from ..errors import InvalidField, MalformedRequest
from ..images import check_block
from ..limits import Limits
from ..orders import Image, Ran, Write
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
    """A generation, then regions, or blocks and a manifest."""
    generation: Generation | None = None
    manifest: images_pb2.Manifest | None = None
    writes: list[Write] = []
    blocks: dict[str, bytes] = {}
    total = sent = 0
    async for part in stream:
        kind = part.WhichOneof("part")
        if generation is None and kind != "generation":
            raise MalformedRequest("the first message names the generation", field="generation")
        if (kind == "generation" and generation) or (kind == "manifest" and manifest is not None):
            raise InvalidField(kind, "stands in the stream twice")
        if kind == "generation":
            generation = words.generation(part.generation)
        elif kind == "memory":
            writes.append(requests.write(f"memory.{len(writes)}", part.memory))
            total += len(part.memory.data)
            simulator.limits.check("image_bytes", total)
            simulator.limits.check("regions", len(writes))
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
        return await simulator.images.create(generation, writes)
    if writes:
        raise InvalidField("manifest", "excludes memory")
    return await simulator.images.create_from_manifest(generation, requests.places(manifest))


async def write_memory(
    limits: Limits, stream: AsyncIterator[sessions_pb2.WriteMemoryRequest]
) -> tuple[sessions_pb2.WriteMemoryHeader, list[Write]]:
    """A header, then regions."""
    header: sessions_pb2.WriteMemoryHeader | None = None
    writes: list[Write] = []
    total = 0
    async for part in stream:
        kind = part.WhichOneof("part")
        if header is None and kind != "header":
            break
        if kind == "header":
            header = part.header
        elif kind == "memory":
            writes.append(requests.write(f"memory.{len(writes)}", part.memory))
            total += len(part.memory.data)
            limits.check("image_bytes", total)
            limits.check("regions", len(writes))
    if header is None:
        raise MalformedRequest("the first message is the header", field="header")
    return header, writes
