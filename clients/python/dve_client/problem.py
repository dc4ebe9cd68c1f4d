"""What the service says about an error: the problem document of HTTP and the Problem message of gRPC, as one value."""

from __future__ import annotations

from dataclasses import dataclass

from .verdicts import Verdict


@dataclass(frozen=True)
class Mistake:
    """One thing in a text that cannot be read.

    line, column: from 1. expected: the legal words or forms, the first of them where there are many.
    """

    line: int
    column: int
    found: str
    expected: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class Problem:
    """An error of the service. What does not apply is None or empty.

    status: the HTTP status, also when the error came by another transport. omitted: verdicts, blocks or mistakes that
    did not fit.
    """

    code: str
    title: str = ""
    status: int | None = None
    detail: str = ""
    instruction: int | None = None
    operand: str | None = None
    lane: int | None = None
    address: int | None = None
    space: str | None = None
    field: str | None = None
    nearest: str | None = None
    limit: str | None = None
    reason: str | None = None
    version: int | None = None
    oldest: int | None = None
    used: int | None = None
    asked: int | None = None
    line: int | None = None
    column: int | None = None
    offset: int | None = None
    within: str | None = None
    expected: str | None = None
    verdicts: tuple[Verdict, ...] = ()
    blocks: tuple[str, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    omitted: int = 0
    retry_after_seconds: float | None = None
    engine_version: str | None = None
    isa_version: str | None = None
