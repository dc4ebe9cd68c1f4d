"""Request bodies: bounded, decompressed (decompression.py), parsed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar, get_args

from fastapi import Request
from pydantic import BaseModel, ValidationError

from ..errors import InvalidField, MalformedRequest, PayloadTooLarge, ServiceError, UnknownField, UnsupportedMediaType
from ..limits import Limits
from ..work import Work
from .decompression import decompress
from .query import BYTES, query

OCTETS = "application/octet-stream"
_JSON = ("application/json", "")
_LONG = 1 << 18  # bytes from which parsing leaves the event loop
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
    for encoding in reversed(request.headers.get("content-encoding", "").lower().split(",")):
        if encoding.strip() not in ("identity", ""):
            body = await work.helper(decompress, encoding.strip(), body, limits.decompressed_body_bytes)
    return body


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
