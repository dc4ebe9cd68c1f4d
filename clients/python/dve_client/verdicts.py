"""Verdicts as the service gives them: which records are legal, which rules the others break."""

from __future__ import annotations

from dataclasses import dataclass


def opcode_title(opcode: int, mnemonic: str | None) -> str:
    """An opcode as a number and by name."""
    return f"0x{opcode:02X} {mnemonic or '?'}"


@dataclass(frozen=True)
class Failure:
    """One broken rule. offset and size: the bytes of `field` in the record; `value` is what stands there.

    leaf: the elementary check of a composite rule. not_modelled: neither legal nor illegal, for `reason`.
    """

    rule: str
    field: str
    offset: int
    size: int
    value: int | str | list[int]
    expected: str
    message: str
    confidence: str
    leaf: str | None = None
    not_modelled: bool = False
    reason: str | None = None
    named_by_us: bool = False

    @property
    def title(self) -> str:
        """The rule and, of a composite one, the elementary check."""
        return f"{self.rule} ({self.leaf})" if self.leaf else self.rule


@dataclass(frozen=True)
class Verdict:
    """The legality of one record.

    `failures` is in header order; the first is what the reference validator would report.

    record_class: "data", "control", "pseudo" or "unknown". legal_on: generations on which the same 64 bytes are legal.
    executable: whether a run carries it out; `reason` says why not.
    """

    index: int
    opcode: int
    mnemonic: str | None
    struct: str | None
    record_class: str
    valid: bool
    failures: tuple[Failure, ...] = ()
    legal_on: tuple[str, ...] = ()
    executable: bool = True
    reason: str | None = None

    @property
    def title(self) -> str:
        """The opcode, as a number and by name."""
        return opcode_title(self.opcode, self.mnemonic)


@dataclass(frozen=True)
class AssumptionUse:
    """An open question an answer depended on, and the answer it was given."""

    id: str
    value: str
    confidence: str


@dataclass(frozen=True)
class Validation:
    """The answer to validate. `verdicts` has one entry per record, or the invalid ones only if that was asked for."""

    generation: str
    valid: bool
    total: int
    invalid: int
    verdicts: tuple[Verdict, ...]
    assumptions: tuple[AssumptionUse, ...]
    engine_version: str
    isa_version: str
