"""JSON members: read within bounds, duplicate keys and numbers that are none refused. Source: isa/09 sections 7, 11."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from .errors import NeffError, NeffLimitExceeded, shown
from .limits import NeffLimits
from .source import Source
from .tar import Member

_MARK = b"\xef\xbb\xbf"  # a byte-order mark may come first


def load(archive: Source, member: Member, limits: NeffLimits) -> Mapping[str, Any]:
    """A member that holds one JSON object.

    Raises NeffError, NeffLimitExceeded.
    """
    limits.check("json", member.size)
    data = archive.at(member.offset, member.size)
    start = len(_MARK) if data.startswith(_MARK) else 0
    try:
        document = json.loads(data[start:].decode("utf-8"), object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        refuse(member.name, f"not JSON: {error.msg}", "JSON", start + len(error.doc[: error.pos].encode()))
    except UnicodeDecodeError as error:
        refuse(member.name, "not UTF-8", "JSON in UTF-8", start + error.start)
    except RecursionError:
        raise NeffLimitExceeded("json_depth", limits.json_depth) from None
    except ValueError as error:  # of the hooks, and of integers beyond what Python reads
        refuse(member.name, shown(str(error)), "JSON")
    if not isinstance(document, dict):
        refuse(member.name, f"holds {type(document).__name__}", "a JSON object")
    _check_depth(document, limits)
    return document


def _check_depth(document: object, limits: NeffLimits) -> None:
    level, depth = [document], 0
    while level:
        depth += 1
        limits.check("json_depth", depth)
        inner = (item for one in level for item in (one.values() if isinstance(one, dict) else one))  # type: ignore[attr-defined]
        level = [item for item in inner if isinstance(item, dict | list)]


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen = set[str]()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twice} stands in one object twice")
    return made


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")


def refuse(member: str, reason: str, expected: str, offset: int = 0) -> NoReturn:
    """Raise NeffError for what a member says."""
    raise NeffError(reason, offset=offset, expected=expected, within=f"member {member}")
