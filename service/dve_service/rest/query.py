"""The query of a request: only names the endpoint knows, each once."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import Depends, Request

from ..errors import InvalidField, UnknownField

BYTES = ("bytes",)  # how an answer spells bytes; see answers.wants_hex


def query(request: Request, known: Iterable[str]) -> dict[str, str]:
    """The query as a dictionary.

    Raises UnknownField, and InvalidField for a name that stands in it twice.
    """
    names, found = tuple(known), dict[str, str]()
    for name, value in request.query_params.multi_items():
        if name not in names:
            raise UnknownField(f"query.{name}", names)
        if name in found:
            raise InvalidField(f"query.{name}", "stands in the query twice")
        found[name] = value
    return found


def _no_query(request: Request) -> None:
    query(request, ())


def _bytes_and_version(request: Request) -> None:
    query(request, (*BYTES, "version"))


NO_QUERY, BYTES_AND_VERSION = Depends(_no_query), Depends(_bytes_and_version)
