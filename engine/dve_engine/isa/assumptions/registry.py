"""The registry of open questions, and `Choices`: one request's answers to them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from . import accumulator, alu, dtypes, memory, predicated, records, search_and_random, vbool
from .model import PROFILES, AlternativeNotOffered, Assumption, Profile, UnknownAssumption
from .not_offered import NOT_OFFERED

_SECTIONS = (records, memory, dtypes, alu, predicated, accumulator, search_and_random, vbool)
REGISTRY: Mapping[str, Assumption] = {row.id: row for section in _SECTIONS for row in section.ROWS}
_PLACE = {identifier: place for place, identifier in enumerate(REGISTRY)}


def in_registry_order(used: Mapping[str, str]) -> dict[str, str]:
    """The same entries, in the order of the registry."""
    return {identifier: used[identifier] for identifier in sorted(used, key=_PLACE.__getitem__)}


class Choices:
    """The value of every assumption for one request, and which of them its answer depended on.

    Looking a value up is what records the dependence, so code asks for a row only where the answer hangs on it.
    """

    __slots__ = ("_overrides", "_used", "profile")

    def __init__(self, profile: str = "notes", overrides: Mapping[str, str] | None = None) -> None:
        """Check the profile and every override.

        Raises UnknownAssumption for a profile, id or value that does not exist, AlternativeNotOffered for one that is
        known but not implemented.
        """
        if profile not in PROFILES:
            raise UnknownAssumption(f"unknown profile {profile[:80]!r}; expected one of {', '.join(PROFILES)}")
        self.profile: Profile = profile
        self._overrides = dict(overrides or {})
        self._used: dict[str, str] = {}
        for identifier, value in self._overrides.items():
            _check(identifier, value)

    def __getitem__(self, identifier: str) -> str:
        value = self._used.get(identifier)
        if value is None:
            value = self._used[identifier] = self.peek(identifier)
        return value

    def peek(self, identifier: str) -> str:
        """The value without recording a dependence; for code that decides whether the question arises at all."""
        return self._overrides.get(identifier) or REGISTRY[identifier].under(self.profile)

    def fresh(self) -> Choices:
        """The same choices with nothing recorded yet."""
        twin = Choices(self.profile)
        twin._overrides = self._overrides
        return twin

    @property
    def overrides(self) -> Mapping[str, str]:
        """What the caller set against the profile."""
        return self._overrides

    @property
    def used(self) -> dict[str, str]:
        """id -> value of every row an answer depended on so far, in registry order."""
        return in_registry_order(self._used)


def _check(identifier: str, value: str) -> None:
    row = REGISTRY.get(identifier)
    if row is None:
        identifier = identifier[:80]  # neither searched nor reflected at full length
        near = difflib.get_close_matches(identifier, REGISTRY, 1)
        raise UnknownAssumption(f"unknown assumption {identifier!r}" + (f"; nearest is {near[0]}" if near else ""))
    if value not in row.alternatives:
        known = ", ".join(row.alternatives)
        raise UnknownAssumption(f"{identifier} has no value {value[:80]!r}; expected one of {known}")
    reason = NOT_OFFERED.get((identifier, value))
    if reason is not None:
        raise AlternativeNotOffered(identifier, value, reason)
