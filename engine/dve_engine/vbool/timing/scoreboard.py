"""In-order issue of one operation per bundle, one bundle per cycle, stalled by true dependences.

An operation issued in cycle c that writes a register at stage w can feed one that reads it at stage r in cycle
c + max(1, w - r): nothing is forwarded inside a bundle. The pages give no rule for two writes to one register; readers
wait for the later one.
Source: isa/07 section 11 [M].
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Register = tuple[str, int]  # file prefix, index


@dataclass(frozen=True)
class Access:
    """A register and the stage at which it is read or written."""

    register: Register
    stage: int


@dataclass(frozen=True)
class Issue:
    """When an operation issues, how many cycles it waited, and for which register."""

    cycle: int
    stalls: int
    waits_for: Register | None


class Scoreboard:
    """What has been issued so far."""

    def __init__(self) -> None:
        self._next = 0
        self._written: dict[Register, Access] = {}
        self._issued: dict[Register, int] = {}

    @property
    def cycles(self) -> int:
        """Issue cycles used so far, stalls included."""
        return self._next

    def issue(self, reads: Iterable[Access], writes: Iterable[Access]) -> Issue:
        """Issue one operation at the earliest cycle."""
        earliest, cycle, waits_for = self._next, self._next, None
        for read in reads:
            made = self._written.get(read.register)
            if made is None:
                continue
            ready = self._issued[read.register] + max(1, made.stage - read.stage)
            if ready > cycle:
                cycle, waits_for = ready, read.register
        for write in writes:
            self._written[write.register], self._issued[write.register] = write, cycle
        self._next = cycle + 1
        return Issue(cycle, cycle - earliest, waits_for)
