"""Range requests (RFC 9110, 14): one range of bytes."""

from __future__ import annotations

import re

from fastapi import Request

from ..errors import RangeNotSatisfiable

_RANGE = re.compile(r"([0-9]{0,19})-([0-9]{0,19})")


def asked_range(request: Request, size_bytes: int, tag: str) -> tuple[int, int] | None:
    """The first byte and the one after the last that a request asks for; None for all of them.

    tag: the strong validator of the representation; where If-Range names another, the range does not count. Neither
    does one in another unit. Raises RangeNotSatisfiable for more than one range, one that ends before it begins, and
    one that lies behind the end.
    """
    text = request.headers.get("range", "").strip()
    unit, equals, ranges = text.partition("=")
    if unit.strip().lower() != "bytes" or not equals or request.headers.get("if-range", tag).strip() != tag:
        return None
    found = _RANGE.fullmatch(ranges.strip())
    first, last = found.groups() if found else ("", "")
    if not (first or last):
        raise RangeNotSatisfiable(text, size_bytes)
    start = int(first) if first else max(0, size_bytes - int(last))
    stop = min(size_bytes, int(last) + 1) if first and last else size_bytes
    if start >= stop:
        raise RangeNotSatisfiable(text, size_bytes)
    return start, stop
