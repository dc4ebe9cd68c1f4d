"""What endpoints share: the use cases, query regions, versions in If-Match and ETag."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from pydantic import BaseModel

from dve_engine import Region

from .. import words
from ..errors import InvalidField
from ..simulator import Simulator
from ..tenants import HEADER, Tenants
from .query import BYTES, query

_NUMBERS = ("partition", "partitions", "byte", "size")
_INTEGER = re.compile(r"-?[0-9]{1,20}")
_VERSION = re.compile(r"[0-9]{1,18}")


def _simulator(request: Request) -> Simulator:
    """The use cases for the tenant of a request: over HTTP, this is where it is decided."""
    tenants: Tenants = request.app.state.tenants
    return tenants.of(request.headers.getlist(HEADER))


def _maybe_region(
    request: Request,
    space: Annotated[str | None, Query(description="sbuf or psum")] = None,
    partition: int = 0,
    partitions: int = 1,
    byte: int = 0,
    size: Annotated[int | None, Query(description="bytes of each partition")] = None,
) -> Callable[..., Region]:
    def region(shape: tuple[int, int] | None = None, *also: str) -> Region:
        """The region of the query, which may name `also`. shape: (partitions, size) where the query says neither."""
        given = query(request, ("space", *_NUMBERS, *BYTES, *also))
        for name in _NUMBERS:
            if name in given and not _INTEGER.fullmatch(given[name]):
                raise InvalidField(f"query.{name}", f"{given[name][:80]!r} is not an integer")
        rows, columns = shape or (1, None)
        rows = partitions if "partitions" in given else rows
        columns = size if size is not None else columns
        if columns is None:
            raise InvalidField("query.size", "is required")
        if shape and shape != (rows, columns):
            raise InvalidField("query.size", f"says {rows} x {columns}, the array has {shape[0]} x {shape[1]}")
        return words.region("query", space, partition, rows, byte, columns)

    return region


MaybeRegion = Annotated[Callable[..., Region], Depends(_maybe_region)]


def _region(region: MaybeRegion) -> Region:
    return region()


Uses = Annotated[Simulator, Depends(_simulator)]
QueryRegion = Annotated[Region, Depends(_region)]


def _version(
    version: Annotated[str | None, Query(description="one that the session keeps; the newest if absent")] = None,
) -> int | None:
    if version is None:
        return None
    if not _VERSION.fullmatch(version):
        raise InvalidField("query.version", f"{version[:80]!r} is not a version such as 3")
    return int(version)


QueryVersion = Annotated[int | None, Depends(_version)]


def if_match(request: Request) -> int | None:
    """The version of If-Match; None if absent or `*`."""
    text = request.headers.get("if-match", "*").strip()
    if text == "*":
        return None
    digits = text.removeprefix("W/").strip('"')
    if not _VERSION.fullmatch(digits):
        raise InvalidField("If-Match", f'{text[:80]!r} is not a version such as "3"')
    return int(digits)


def etag(version: int | None) -> dict[str, str]:
    """A version as a header."""
    return {} if version is None else {"etag": f'"{version}"'}


def takes(model: type[BaseModel], *raw: str) -> dict[str, Any]:
    """What OpenAPI says about a body that the endpoint reads itself; `raw` are media types it takes instead of JSON."""
    content: dict[str, Any] = {"application/json": {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}}
    content |= {kind: {"schema": {"type": "string", "format": "binary"}} for kind in raw}
    BODIES.add(model)
    return {"requestBody": {"required": True, "content": content}}


BODIES: set[type[BaseModel]] = set()
