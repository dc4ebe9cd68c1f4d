"""Request bodies: bounded, decompressed (decompression.py), parsed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, TypeVar, get_args

from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect

from ..errors import InvalidField, MalformedRequest, PayloadTooLarge, ServiceError, UnknownField, UnsupportedMediaType
from ..limits import Limits
from ..work import Work
from .decompression import Decompression
from .query import BYTES, query

OCTETS, NPY = "application/octet-stream", "application/x-npy"
_JSON = ("application/json", "")
_LONG = 1 << 18  # bytes from which parsing leaves the event loop
Model = TypeVar("Model", bound=BaseModel)


def media_type(request: Request) -> str:
    """The content type without parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def arriving(request: Request, limit: str) -> AsyncIterator[bytes]:
    """The body as it arrives, decompressed; no more than a few MiB of it are held.

    limit: of its bytes before decompression. Raises PayloadTooLarge, UnsupportedMediaType for an unknown encoding,
    MalformedRequest for data that is not what the encoding says or that ends early.
    """
    encodings = [name.strip() for name in request.headers.get("content-encoding", "").lower().split(",")]
    body = _received(request, limit)
    for encoding in reversed(encodings):
        if encoding not in ("identity", ""):
            body = _decompressed(request.app.state.work, Decompression(encoding), body)
    async for piece in body:
        yield piece


async def _received(request: Request, limit: str) -> AsyncIterator[bytes]:
    limits: Limits = request.app.state.limits
    allowed, size = getattr(limits, limit), 0
    declared = request.headers.get("content-length", "0")
    if declared.isdigit() and int(declared) > allowed:
        raise PayloadTooLarge(limit, allowed, int(declared))
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > allowed:
                raise PayloadTooLarge(limit, allowed)
            yield piece
    except ClientDisconnect as error:
        raise MalformedRequest("the body ends early: the caller went away") from error


async def _decompressed(work: Work, encoding: Decompression, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    async for data in body:
        async for piece in work.each(encoding.pieces(data)):
            yield piece
    encoding.end()


async def content(request: Request) -> bytes:
    """The whole body, decompressed. Raises what `arriving` does, and PayloadTooLarge before more than that is held."""
    limits: Limits = request.app.state.limits
    allowed, size, pieces = limits.decompressed_body_bytes, 0, []
    async for piece in arriving(request, "body_bytes"):
        size += len(piece)
        if size > allowed:
            raise PayloadTooLarge("decompressed_body_bytes", allowed)
        pieces.append(piece)
    return b"".join(pieces)


async def parsed(request: Request, model: type[Model]) -> Model:
    """A JSON body as a model; it is the whole request, so the query says no more than how the answer spells bytes.

    Raises MalformedRequest, UnknownField, InvalidField, UnsupportedMediaType.
    """
    query(request, BYTES)
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
    filled = from_query(request, model)
    return filled, await content(request)


def from_query(request: Request, model: type[Model]) -> Model:
    """The query as the fields of a model."""
    fields = query(request, (*model.model_fields, *BYTES))
    fields.pop("bytes", None)
    try:
        return model.model_validate(fields, strict=False)
    except ValidationError as error:
        raise refused(error, model) from error


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
