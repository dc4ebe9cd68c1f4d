"""What can go wrong when legal records run.

    EngineError
    ├── ExecutionError     the run itself fails: a walk out of bounds, a register that is not set, a misplaced address
    ├── NotModelled        the emulator knows the record but not what it does
    ├── LimitExceeded      more work than the caller allows
    └── InvalidInstructions  (machine.py) records that are not legal

Illegal is not an error but a value, the verdict.
"""

from __future__ import annotations


class EngineError(Exception):
    """Anything a run can end with. `instruction` is the record's index once the machine knows it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.instruction: int | None = None

    def at(self, instruction: int) -> EngineError:
        """The same error, naming the record."""
        self.instruction = instruction
        return self

    def __str__(self) -> str:
        where = "" if self.instruction is None else f"instruction {self.instruction}: "
        return where + self.message


class ExecutionError(EngineError):
    """A legal record that cannot be carried out. Names operand, lane and address as far as there are any."""

    def __init__(
        self, message: str, *, operand: str | None = None, lane: int | None = None, address: int | None = None
    ) -> None:
        super().__init__(message)
        self.operand, self.lane, self.address = operand, lane, address


class NotModelled(EngineError):
    """Known, but what it does is in no source, or not built yet. `reason` says which."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"not modelled: {reason}")
        self.reason = reason


class LimitExceeded(EngineError):
    """More elements than the run may touch."""

    def __init__(self, limit: str, allowed: int, asked: int) -> None:
        super().__init__(f"{limit}: {asked} asked, {allowed} allowed")
        self.limit, self.allowed, self.asked = limit, allowed, asked
