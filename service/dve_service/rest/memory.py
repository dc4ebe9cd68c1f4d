"""Answers with memory: JSON, or raw bytes and npy arrays that are sent piece by piece."""

from __future__ import annotations

import io
import logging
from collections.abc import AsyncIterator

import numpy as np
from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from dve_engine import Region

from .. import words
from ..blocks import Manifest
from ..documents import VERSIONS, write
from ..errors import ServiceError
from ..images import Images
from ..orders import Write
from ..reading import rectangles
from .answers import VERSION_HEADERS, accepted, answer
from .bodies import NPY, OCTETS
from .ranges import asked_range

log = logging.getLogger(__name__)
_TYPES = ("application/json", OCTETS, NPY)


async def memory(
    request: Request, images: Images, manifest: Manifest, region: Region, tag: str, headers: dict[str, str]
) -> Response:
    """One region as the caller's Accept asks for it: JSON, raw bytes, or an .npy array (partitions, size).

    tag: the strong validator of the raw bytes, of which a range may be asked for. headers: of every representation.
    All that can be refused is refused here; if a block is lost later, the connection ends before all has been sent.
    """
    kind = accepted(request, _TYPES)
    headers = {**headers, "vary": "accept"}
    if kind == "application/json":
        [contents] = await images.read(manifest, [region])
        document = {"memory": [write(contents)], **VERSIONS}
        return await answer(request, lambda: document, len(contents.data), headers=headers)
    headers |= VERSION_HEADERS
    if kind == NPY:
        head = npy_head((region.partitions, region.size))
        parts = await images.stream(manifest, [region])
        headers["content-length"] = str(len(head) + region.total_bytes)
        return StreamingResponse(_sent(request, parts, head), 200, headers, kind)
    words.lies_in(region, manifest.generation)
    wanted = asked_range(request, region.total_bytes, tag)
    start, stop = wanted or (0, region.total_bytes)
    parts = await images.stream(manifest, rectangles(region, start, stop))
    headers |= {"etag": tag, "accept-ranges": "bytes", "content-length": str(stop - start)}
    if wanted:
        headers["content-range"] = f"bytes {start}-{stop - 1}/{region.total_bytes}"
    return StreamingResponse(_sent(request, parts), 206 if wanted else 200, headers, kind)


async def _sent(request: Request, parts: AsyncIterator[Write], head: bytes = b"") -> AsyncIterator[bytes]:
    if head:
        yield head
    try:
        async for part in parts:
            yield part.data
    except ServiceError as error:  # too late for a status: the server breaks the connection off
        request.state.code = error.code
        log.warning("broke off %s: %s", request.url.path, error)
        raise


def npy_head(shape: tuple[int, int]) -> bytes:
    """What an .npy file of uint8 of this shape, in C order, begins with."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "|u1", "fortran_order": False, "shape": shape})
    return stream.getvalue()
