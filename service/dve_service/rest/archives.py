"""NumPy archives as request bodies: parsed without trust in anything they say of themselves."""

from __future__ import annotations

import math
import tempfile
import zipfile
from collections.abc import AsyncIterator, Mapping
from functools import partial

from fastapi import Request

from dve_engine import Generation, Region, Space

from ..errors import InvalidField, MalformedRequest, PayloadTooLarge, ServiceError, UnknownField
from ..limits import Limits
from ..orders import Write
from ..reading import PIECE_BYTES
from ..work import Work
from .bodies import OCTETS, arriving
from .uploads import Source, npy_shape, region_writes

NPZ = ("application/x-npz", "application/zip", "application/x-zip-compressed", OCTETS)
_SPOOLED = 1 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what NumPy writes


async def npz_writes(request: Request, generation: Generation) -> AsyncIterator[Write]:
    """The regions of a body that is an .npz archive: arrays `sbuf` and `psum`, uint8 (128, n).

    A zip archive is read from its end, so it is put into a file first, beyond 1 MiB on disk. Raises MalformedRequest,
    UnknownField, InvalidField, InvalidRegion, PayloadTooLarge.
    """
    work: Work = request.app.state.work
    with tempfile.SpooledTemporaryFile(_SPOOLED) as file:
        async for piece in arriving(request, "stream_bytes"):
            await work.helper(file.write, piece)
        try:
            with zipfile.ZipFile(file) as archive:
                for name, info in _members(archive, request.app.state.limits).items():
                    with archive.open(info) as member:
                        source = Source(work.each(iter(partial(member.read, PIECE_BYTES), b"")))
                        async for write in _npy_writes(name, info.file_size, source, generation):
                            yield write
        except ServiceError:
            raise
        except Exception as error:  # zipfile raises whatever its input makes it meet
            raise MalformedRequest(f"the body is not an .npz archive: {str(error)[:200]}") from error


def _members(archive: zipfile.ZipFile, limits: Limits) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if name in members:
            raise InvalidField(name[:80], "stands in the archive twice")
        if info.compress_type not in _METHODS:
            raise InvalidField(name[:80], "is compressed in a way that NumPy does not write")
        members[name] = info
    size = sum(info.file_size for info in members.values())
    if size > limits.decompressed_body_bytes:
        raise PayloadTooLarge("decompressed_body_bytes", limits.decompressed_body_bytes, size)
    return members


async def _npy_writes(name: str, size: int, source: Source, generation: Generation) -> AsyncIterator[Write]:
    known: Mapping[str, Space] = {space.value: space for space in Space}
    if name not in known:
        raise UnknownField(name[:80], known)
    shape, fortran = await npy_shape(name, source)
    if shape[0] != 128 or math.prod(shape) > size:
        raise InvalidField(name, f"takes uint8 of shape (128, n), got shape {shape} in {size} bytes")
    async for write in region_writes(name, Region(known[name], 0, 128, 0, shape[1]), source, generation, fortran):
        yield write
