"""What a program or a container was found to be: broken rules and totals, whichever of the two was asked about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from dve_engine import RECORD_BYTES

from ..neff import NeffCore, NeffValidation, Outcome
from ..verdicts import Validation, Verdict, opcode_title


@dataclass(frozen=True)
class Finding:
    """One broken rule of one record.

    part: the core of a container; empty for a program. index, offset: the record and its first byte in its stream.
    file_offset: that byte in the file; None where the file does not hold the record as it is (text, hex digits, a
    compressed archive). field_offset, field_bytes: of the blamed field in the record.
    """

    part: str
    index: int
    offset: int
    file_offset: int | None
    opcode: str
    rule: str
    rule_title: str
    field: str
    field_offset: int
    field_bytes: int
    message: str
    confidence: str
    not_modelled: bool
    legal_on: tuple[str, ...]

    @property
    def place(self) -> str:
        """Where the record stands, for people."""
        return f"{f'{self.part}, ' if self.part else ''}record {self.index} (byte {self.offset})"

    @property
    def told(self) -> str:
        """The finding as one line."""
        legal = ", ".join(self.legal_on) or "no generation"
        return f"{self.place} {self.opcode}: {self.rule_title}: {self.message} [{self.confidence}]; legal on: {legal}"


@dataclass(frozen=True)
class Group:
    """The records of one opcode in one part.

    unchecked: why none of them was looked at; empty where all were. hinders: whether that is why the outcome of the
    whole is that there was nothing to check.
    """

    part: str
    opcode: str
    records: int
    invalid: int
    unchecked: str = ""
    hinders: bool = False


@dataclass(frozen=True)
class Note:
    """What else is to be known of a part."""

    part: str
    message: str

    @property
    def told(self) -> str:
        """The note as one line."""
        return f"{self.part}: {self.message}" if self.part else self.message


@dataclass(frozen=True)
class Report:
    """What every format tells. omitted: records that are not legal and counted, but not among the findings."""

    file: str
    generation: str
    outcome: Outcome
    total: int
    checked: int
    invalid: int
    omitted: int
    groups: tuple[Group, ...]
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]
    engine_version: str
    isa_version: str
    answer: Validation | NeffValidation

    @property
    def hindrances(self) -> list[Note]:
        """Why not everything could be checked, where that is the outcome."""
        return [Note(one.part, one.unchecked) for one in self.groups if one.hinders]

    @property
    def sum(self) -> str:
        """The totals as one line."""
        said = {
            "legal": f"{self.checked} records checked, all legal on {self.generation}",
            "illegal": f"{self.invalid} of {self.checked} records checked are not legal on {self.generation}",
            "nothing_to_check": f"nothing to check, or not everything: {self.checked} of {self.total} records checked",
        }
        return f"{self.file}: {said[self.outcome]}"


def outcome_of(answer: Validation) -> Outcome:
    """The outcome of a program, by the rule of containers: what has no record is not legal."""
    if not answer.total:
        return "nothing_to_check"
    return "legal" if answer.valid else "illegal"


def of_program(answer: Validation, file: str, *, as_it_is: bool) -> Report:
    """The report of a program.

    answer: with the verdicts of all records. as_it_is: whether the file holds the records themselves, so that their
    bytes have places in it.
    """
    records = Counter(one.title for one in answer.verdicts)
    invalid = Counter(one.title for one in answer.verdicts if not one.valid)
    placed = ((one, one.index * RECORD_BYTES) for one in answer.verdicts)
    return Report(
        file=file,
        generation=answer.generation,
        outcome=outcome_of(answer),
        total=answer.total,
        checked=answer.total,
        invalid=answer.invalid,
        omitted=0,
        groups=tuple(Group("", opcode, count, invalid[opcode]) for opcode, count in records.items()),
        findings=tuple(found for one, at in placed for found in _findings("", one, at, at if as_it_is else None)),
        notes=(),
        engine_version=answer.engine_version,
        isa_version=answer.isa_version,
        answer=answer,
    )


def of_container(answer: NeffValidation, file: str) -> Report:
    """The report of a container; a part of it is a core."""
    return Report(
        file=file,
        generation=answer.generation,
        outcome=answer.outcome,
        total=answer.summary.total,
        checked=answer.summary.checked,
        invalid=answer.summary.invalid,
        omitted=sum(core.omitted for core in answer.cores),
        groups=tuple(group for core in answer.cores for group in _groups(core, answer.outcome)),
        findings=tuple(
            found
            for core in answer.cores
            for one in core.verdicts
            for found in _findings(_part(core), one.verdict, one.offset, one.file_offset)
        ),
        notes=tuple(
            [Note("", text) for text in answer.container["warnings"]]
            + [Note(_part(core), text) for core in answer.cores for text in core.warnings]
        ),
        engine_version=answer.engine_version,
        isa_version=answer.isa_version,
        answer=answer,
    )


def _part(core: NeffCore) -> str:
    return f"core {core.index} {core.subgraph}".rstrip()


def _groups(core: NeffCore, outcome: Outcome) -> Iterator[Group]:
    part, nothing = _part(core), core.outcome == "nothing_to_check"
    hinders = nothing and outcome == "nothing_to_check"
    if not core.summary.by_opcode:
        yield Group(part, "", 0, 0, core.reason or "no record", hinders)
    for row in core.summary.by_opcode:
        skipped = "the loader rewrites these records" if row.record_class == "pseudo" else ""
        why = (core.reason or skipped) if nothing else skipped
        yield Group(part, opcode_title(row.opcode, row.mnemonic), row.records, row.invalid, why, hinders)


def _findings(part: str, verdict: Verdict, offset: int, file_offset: int | None) -> Iterator[Finding]:
    for failure in verdict.failures:
        yield Finding(
            part=part,
            index=verdict.index,
            offset=offset,
            file_offset=file_offset,
            opcode=verdict.title,
            rule=failure.rule,
            rule_title=failure.title,
            field=failure.field,
            field_offset=failure.offset,
            field_bytes=failure.size,
            message=f"not modelled: {failure.reason}" if failure.not_modelled else failure.message,
            confidence=failure.confidence,
            not_modelled=failure.not_modelled,
            legal_on=verdict.legal_on,
        )
