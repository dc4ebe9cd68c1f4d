"""Request bodies: bounded, decompressed, parsed."""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, get_args

import numpy as np
import zstandard
from fastapi import Request
from pydantic import BaseModel, ValidationError

from dve_engine import Region, Space

from ..errors import InvalidField, MalformedRequest, PayloadTooLarge, ServiceError, UnknownField, UnsupportedMediaType
from ..limits import Limits
from ..orders import Write
from ..work import Work

OCTETS = "application/octet-stream"
NPZ = ("application/x-npz", "application/zip", "application/x-zip-compressed", OCTETS)
_JSON = ("application/json", "")
_LONG = 1 << 18  # bytes from which parsing leaves the event loop
_WINDOW = 1 << 27  # the largest zstd window accepted
Model = TypeVar("Model", bound=BaseModel)


def media_type(request: Request) -> str:
    """The content type without parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def content(request: Request) -> bytes:
    """The body, decompressed.

    Raises PayloadTooLarge before more than the limit is held, UnsupportedMediaType for an unknown encoding,
    MalformedRequest for data that is not what the encoding says.
    """
    limits: Limits = request.app.state.simulator.limits
    work: Work = request.app.state.work
    allowed = limits.body_bytes
    declared = request.headers.get("content-length", "0")
    if declared.isdigit() and int(declared) > allowed:
        raise PayloadTooLarge("body_bytes", allowed, int(declared))
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > allowed:
            raise PayloadTooLarge("body_bytes", allowed)
        pieces.append(piece)
    body = b"".join(pieces)
    for encoding in reversed(request.headers.get("content-encoding", "identity").lower().split(",")):
        body = await work.helper(decompress, encoding.strip(), body, limits.decompressed_body_bytes)
    return body


def decompress(encoding: str, body: bytes, allowed: int) -> bytes:
    """Undo a content encoding, never holding more than `allowed` bytes and one more."""
    if encoding in ("identity", ""):
        return body
    try:
        if encoding in ("gzip", "x-gzip"):
            plain = _gunzip(body, allowed)
        elif encoding == "zstd":
            stream = zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(body, read_across_frames=True)
            plain = stream.read(allowed + 1)
        else:
            raise UnsupportedMediaType(f"content encoding {encoding[:80]!r} is not one of gzip, zstd, identity")
    except (zlib.error, zstandard.ZstdError, EOFError) as error:
        raise MalformedRequest(f"the body is not {encoding}: {error}") from error
    if len(plain) > allowed:
        raise PayloadTooLarge("decompressed_body_bytes", allowed)
    return plain


def _gunzip(body: bytes, allowed: int) -> bytes:
    pieces, room = [], allowed + 1
    while body and room:
        member = zlib.decompressobj(31)
        pieces.append(member.decompress(body, room))
        room -= len(pieces[-1])
        if not member.eof and room:
            raise EOFError("it ends early")
        body = member.unused_data
    return b"".join(pieces)


async def parsed(request: Request, model: type[Model]) -> Model:
    """A JSON body as a model.

    Raises MalformedRequest, UnknownField, InvalidField, UnsupportedMediaType.
    """
    kind = media_type(request)
    if kind not in _JSON and not kind.endswith("+json"):
        raise UnsupportedMediaType(f"content type {kind[:80]!r}; send application/json")
    body = await content(request)
    if len(body) > _LONG:
        work: Work = request.app.state.work
        return await work.helper(_validated, model, body)
    return _validated(model, body)


async def parsed_or_octets(request: Request, model: type[Model]) -> tuple[Model, bytes | None]:
    """A JSON body as a model, or a raw program with the query as the model's fields."""
    if media_type(request) != OCTETS:
        return await parsed(request, model), None
    fields = {name: value for name, value in request.query_params.items() if name != "bytes"}
    try:
        filled = model.model_validate(fields, strict=False)
    except ValidationError as error:
        raise refused(error, model) from error
    return filled, await content(request)


def _validated(model: type[Model], body: bytes) -> Model:
    try:
        return model.model_validate_json(body or b"{}")
    except ValidationError as error:
        raise refused(error, model) from error


def refused(error: ValidationError, model: type[BaseModel] | None = None) -> ServiceError:
    """The first thing pydantic has against a request, as an error of the catalogue."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    path = [str(part) for part in first["loc"] if str(part) not in ("written", "regions")]
    field = ".".join(path)
    if first["type"] == "json_invalid":
        return MalformedRequest(first["msg"])
    if first["type"] == "extra_forbidden" and model is not None:
        return UnknownField(field, _known(model, path[:-1]))
    return InvalidField(field or "body", first["msg"][:1].lower() + first["msg"][1:])


def _known(model: type[BaseModel], path: list[str]) -> list[str]:
    """The fields of the model a path leads to."""
    for part in path:
        if part in model.model_fields:
            model = next(iter(_models(model.model_fields[part].annotation)), model)
    return list(model.model_fields)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


def npz_writes(body: bytes, limits: Limits) -> list[Write]:
    """The regions of an .npz archive: arrays `sbuf` and `psum`, uint8 (128, n).

    Raises MalformedRequest, UnknownField, InvalidField, PayloadTooLarge.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            names = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            size = sum(info.file_size for info in names.values())
            if size > limits.decompressed_body_bytes:
                raise PayloadTooLarge("decompressed_body_bytes", limits.decompressed_body_bytes, size)
            return [_npy_write(name, archive.read(info)) for name, info in names.items()]
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise MalformedRequest(f"the body is not an .npz archive: {error}") from error


def _npy_write(name: str, data: bytes) -> Write:
    known: Mapping[str, Space] = {space.value: space for space in Space}
    if name not in known:
        raise UnknownField(name[:80], known)
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = header(stream)
    except ValueError as error:
        raise InvalidField(name, f"is not an .npy array: {error}") from error
    raw = data[stream.tell() :]
    if dtype != np.uint8 or len(shape) != 2 or shape[0] != 128 or math.prod(shape) != len(raw) or not raw:
        raise InvalidField(name, f"takes uint8 of shape (128, n), got {dtype} of shape {shape} with {len(raw)} bytes")
    if fortran:
        raw = np.frombuffer(raw, np.uint8).reshape(shape, order="F").tobytes()
    return Write(Region(known[name], 0, 128, 0, shape[1]), raw)
