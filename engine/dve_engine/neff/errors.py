"""What can be wrong with a container. Anything else that leaves this package is a fault of ours.

    NeffError               bytes that are no container, or a broken one; where, and what was expected there
    └── NeffTargetError     the generation is not known, or not the one the caller named
    NeffLimitExceeded       more than the limits allow; says nothing about whether the container is sound
"""

from __future__ import annotations

_SHOWN = 200  # characters of a text from the container


def shown(value: object) -> str:
    """A value from a container as one short printable line."""
    text = value if isinstance(value, str) else repr(value)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:_SHOWN])


class NeffError(ValueError):
    """A malformed container.

    offset: byte where it shows. within: what the offset counts in: "file", "archive" (the tar, inflated) or
    "member <name>". expected: what should stand there.
    """

    def __init__(self, reason: str, *, offset: int, expected: str, within: str = "file") -> None:
        self.reason, self.offset, self.expected, self.within = reason, offset, expected, within
        super().__init__(f"{within}, byte {offset}: {reason}; expected {expected}")


class NeffTargetError(NeffError):
    """The target is absent, not modelled, or another generation than the caller's."""


class NeffLimitExceeded(ValueError):
    """A container that needs more than a limit allows. limit: its name in NeffLimits."""

    def __init__(self, limit: str, allowed: int, asked: int | None = None) -> None:
        self.limit, self.allowed, self.asked = limit, allowed, asked
        super().__init__(f"{limit} is limited to {allowed}" + (f", the container needs {asked}" if asked else ""))
