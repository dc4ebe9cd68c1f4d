"""Images and blocks under /v1."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Request, Response

from .. import documents, words
from ..errors import InvalidField
from ..orders import Image
from ..simulator import Simulator
from .answers import json, octets
from .archives import NPZ, npz_writes
from .bodies import NPY, OCTETS, content, media_type, parsed
from .common import MaybeRegion, QueryRegion, Uses, takes
from .memory import memory
from .models import ImageBody, MissingBody, writes
from .query import NO_QUERY, query
from .uploads import UPLOADS, Writes

router = APIRouter(prefix="/v1", tags=["images"])


@router.post("/images", status_code=201, openapi_extra=takes(ImageBody, "application/x-npz", NPY, OCTETS))
async def create(request: Request, region: MaybeRegion, simulator: Uses) -> Response:
    """Store an image: regions, a manifest of stored blocks, or (with `?generation=`) an .npz of `sbuf` and `psum`.

    Raw bytes and .npy go to the region that the query names beside the generation.
    """
    kind = media_type(request)
    if kind in UPLOADS and (kind not in NPZ or "space" in request.query_params):
        image = await _collected(request, UPLOADS[kind](request, region, "generation"), simulator)
    elif kind in NPZ:
        query(request, ("generation",))
        image = await _collected(request, partial(npz_writes, request), simulator)
    else:
        image = await _from_body(await parsed(request, ImageBody), simulator)
    return json(documents.stored(image), 201, {"location": f"/v1/images/{image.id}"})


async def _collected(request: Request, writes: Writes, simulator: Simulator) -> Image:
    generation = words.generation(request.query_params.get("generation"))
    return await simulator.images.collect(generation, writes(generation))


async def _from_body(body: ImageBody, simulator: Simulator) -> Image:
    if (body.memory is None) == (body.manifest is None):
        raise InvalidField("memory", "takes exactly one of memory and manifest")
    if body.manifest is None:
        simulator.limits.check("regions", len(body.memory or []))
        return await simulator.images.create(words.generation(body.generation), writes(body.memory or []))
    generation = words.generation(body.generation or body.manifest.generation)
    if body.manifest.generation and words.generation(body.manifest.generation) is not generation:
        raise InvalidField("manifest.generation", f"is not {generation.name}, the generation of the request")
    return await simulator.images.create_from_manifest(generation, body.manifest.places())


@router.post("/images:missing", openapi_extra=takes(MissingBody))
async def missing(request: Request, simulator: Uses) -> Response:
    """Which of these blocks are not stored. The others live on."""
    body = await parsed(request, MissingBody)
    words.generation(body.generation)
    return json({"missing": await simulator.images.missing(body.blocks), **documents.VERSIONS})


@router.get("/images/{image}", dependencies=[NO_QUERY])
async def get(image: str, simulator: Uses) -> Response:
    """The manifest of an image."""
    return json(documents.image(await simulator.images.get(image)))


@router.get("/images/{image}/memory")
async def read(request: Request, image: str, region: QueryRegion, simulator: Uses) -> Response:
    """One region of an image, as JSON, application/octet-stream (also a Range of it) or application/x-npy."""
    found = await simulator.images.get(image)
    return await memory(request, simulator.images, found.manifest, region, f'"{found.id}"', {})


@router.put("/blocks/{block}", dependencies=[NO_QUERY], openapi_extra={"requestBody": {"content": {OCTETS: {}}}})
async def put_block(request: Request, block: str, simulator: Uses) -> Response:
    """Store one block: 32 KiB whose BLAKE3 digest is the id."""
    await simulator.images.put_block(block, await content(request))
    return json({"block": block, **documents.VERSIONS})


@router.get("/blocks/{block}", dependencies=[NO_QUERY])
async def get_block(block: str, simulator: Uses) -> Response:
    """The bytes of one block."""
    return octets(await simulator.images.block(block))
