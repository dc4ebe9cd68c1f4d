"""What an assumption is, and the choices one request makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Profile = Literal["notes", "nki"]
PROFILES: tuple[Profile, ...] = ("notes", "nki")


@dataclass(frozen=True)
class Assumption:
    """One open question. `default`: the value of profile `notes`; `nki`: the other profile's, None where the same.

    `instructions` and `generations` are space-separated names (`*`: all instructions; empty: all generations).
    """

    id: str
    question: str
    alternatives: tuple[str, ...]
    default: str
    confidence: str
    evidence: str
    nki: str | None = None
    instructions: str = "*"
    generations: str = ""

    def under(self, profile: Profile) -> str:
        """The value a profile takes."""
        return self.nki if profile == "nki" and self.nki is not None else self.default


class UnknownAssumption(ValueError):
    """An id, value or profile that the registry does not hold."""


class AlternativeNotOffered(ValueError):
    """A known alternative that this engine does not implement."""

    def __init__(self, identifier: str, value: str, reason: str) -> None:
        self.identifier, self.value, self.reason = identifier, value, reason
        super().__init__(f"{identifier} = {value} is known but not offered: {reason}")
