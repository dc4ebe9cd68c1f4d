"""Answers: documents as JSON, blocks as raw bytes, errors as problem documents. Memory is in memory.py."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import orjson
from fastapi import Request, Response

from ..documents import VERSIONS, Document, verdict
from ..errors import InvalidField, NotAcceptable, RangeNotSatisfiable, ServiceError
from ..orders import Write
from ..work import Work

_LONG = 1 << 16  # bytes, or verdicts and trace entries times 256, from which rendering leaves the event loop
VERSION_HEADERS = {f"dvesim-{name.replace('_', '-')}": value for name, value in VERSIONS.items()}
_WEIGHT = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?")


def wants_hex(request: Request) -> bool:
    """Whether bytes travel as hex (`?bytes=hex`) instead of base64."""
    chosen = request.query_params.get("bytes", "base64")
    if chosen not in ("hex", "base64"):
        raise InvalidField("bytes", f"{chosen[:80]!r} is not one of base64, hex")
    return chosen == "hex"


def spell(document: Document, as_hex: bool) -> Document:
    """Say bytes in JSON: `data` as data_base64 or data_hex, accumulators as hex and as numbers."""
    spelled = dict(document)
    if "memory" in spelled:
        spelled["memory"] = [_data(item, as_hex) for item in spelled["memory"]]
    if "state" in spelled:
        spelled["state"] = _state(spelled["state"], as_hex)
    return spelled


def _data(item: Document, as_hex: bool) -> Document:
    rest = {name: value for name, value in item.items() if name != "data"}
    data: bytes = item["data"]
    if as_hex:
        return {**rest, "data_hex": data.hex()}
    return {**rest, "data_base64": base64.b64encode(data).decode()}


def _state(state: Document, as_hex: bool) -> Document:
    words: bytes = state["accumulators"]
    numbers = [_number(value) for value in np.frombuffer(words, "<f4").tolist()]
    registers = {str(number): value for number, value in state["registers"].items()}
    rest = {name: value for name, value in state.items() if name != "banks"}
    banks = {name: bank.hex() if as_hex else base64.b64encode(bank).decode() for name, bank in state["banks"].items()}
    named = {"banks_hex" if as_hex else "banks_base64": banks}
    return {**rest, "accumulators_hex": words.hex(), "accumulators": numbers, "registers": registers, **named}


def _number(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def json(document: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON response."""
    return Response(orjson.dumps(document), status, dict(headers or {}), "application/json")


async def answer(
    request: Request,
    make: Callable[[], Document],
    size: int,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A document with its bytes spelled out; where `size` says it is much work, that is done off the event loop."""
    as_hex = wants_hex(request)

    def rendered() -> Response:
        return json(spell(make(), as_hex), status, headers)

    work: Work = request.app.state.work
    return await work.helper(rendered) if size > _LONG else rendered()


def size_of(verdicts: Sequence[object], memory: Sequence[Write] = (), trace: Sequence[object] = ()) -> int:
    """The estimate that `answer` takes."""
    return 256 * (len(verdicts) + len(trace)) + sum(len(item.data) for item in memory)


def octets(data: bytes) -> Response:
    """Raw bytes; the versions are in headers."""
    return Response(data, 200, VERSION_HEADERS, "application/octet-stream")


def accepted(request: Request, kinds: Sequence[str]) -> str:
    """The first of our types with the highest quality that Accept gives; an empty header is as good as none."""
    header = ",".join(request.headers.getlist("accept"))
    qualities = dict(_quality(item) for item in (header.strip(" ,") or "*/*").split(","))

    def quality(kind: str) -> float:
        return next((qualities[name] for name in (kind, "application/*", "*/*") if name in qualities), 0.0)

    best = max(kinds, key=quality)
    if not quality(best):
        raise NotAcceptable(f"Accept {header[:80]!r} names none of {', '.join(kinds)}")
    return best


def _quality(item: str) -> tuple[str, float]:
    """A media range and its weight; 0 for a weight that is none (RFC 9110, 12.4.2)."""
    name, *parameters = (part.strip().lower() for part in item.split(";"))
    text = next((p[2:] for p in parameters if p.startswith("q=")), "1")
    return name, float(text) if _WEIGHT.fullmatch(text) else 0.0


def problem(error: ServiceError) -> Response:
    """An error as a problem document (RFC 9457)."""
    details = dict(error.details)
    if "verdicts" in details:
        details["verdicts"] = [verdict(one) for one in details["verdicts"]]
    document = {
        "type": f"urn:dvesim:problem:{error.code}",
        "title": error.title,
        "status": error.http_status,
        "detail": error.detail,
        "code": error.code,
        **details,
        **VERSIONS,
    }
    headers = {} if error.retry_after_seconds is None else {"retry-after": str(error.retry_after_seconds)}
    if isinstance(error, RangeNotSatisfiable):
        headers["content-range"] = f"bytes */{error.size_bytes}"
    return Response(orjson.dumps(document), error.http_status, headers, "application/problem+json")
