"""NumPy archives as request bodies: parsed without trust in anything they say of themselves."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Mapping

import numpy as np

from dve_engine import Region, Space

from ..errors import InvalidField, MalformedRequest, PayloadTooLarge, ServiceError, UnknownField
from ..limits import Limits
from ..orders import Write
from .bodies import OCTETS

NPZ = ("application/x-npz", "application/zip", "application/x-zip-compressed", OCTETS)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what NumPy writes


def npz_writes(body: bytes, limits: Limits) -> list[Write]:
    """The regions of an .npz archive: arrays `sbuf` and `psum`, uint8 (128, n).

    Raises MalformedRequest, UnknownField, InvalidField, PayloadTooLarge.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return [_npy_write(name, archive.read(info)) for name, info in _members(archive, limits).items()]
    except ServiceError:
        raise
    except Exception as error:  # zipfile and the npy parser raise whatever their input makes them meet
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


def _npy_write(name: str, data: bytes) -> Write:
    known: Mapping[str, Space] = {space.value: space for space in Space}
    if name not in known:
        raise UnknownField(name[:80], known)
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = header(stream)
    except Exception as error:  # the header is Python source to its parser, which raises what that makes it meet
        raise InvalidField(name, f"is not an .npy array: {str(error)[:200]}") from error
    raw = data[stream.tell() :]
    whole = all(type(d) is int for d in shape) and len(shape) == 2 and shape[0] == 128
    if dtype != np.uint8 or not whole or math.prod(shape) != len(raw) or not raw:
        raise InvalidField(name, f"takes uint8 of shape (128, n), got {dtype} of shape {shape} with {len(raw)} bytes")
    if fortran:
        raw = np.frombuffer(raw, np.uint8).reshape(shape, order="F").tobytes()
    return Write(Region(known[name], 0, 128, 0, shape[1]), raw)
