"""What calls ask the predicate unit. Every transport spells these its own way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Spelled = str | list[str]


@dataclass(frozen=True)
class VboolEvalRequest:
    """Operations and their inputs, spelled."""

    ops: tuple[tuple[str, Mapping[str, Spelled]], ...]
    profile: str | None
    assumptions: Mapping[str, str]


@dataclass(frozen=True)
class VboolRunRequest:
    """A text program and its start. `read` empty: the registers it writes."""

    program: str
    registers: Mapping[str, str]
    invalid: bool
    read: tuple[str, ...]
    profile: str | None
    assumptions: Mapping[str, str]
