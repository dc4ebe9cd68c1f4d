"""The verdicts of a container: every core's DVE stream against the generation it was compiled for.

Pseudo records are counted and skipped, whatever the caller chose for `pseudo-records`. A container in which nothing
could be judged is not legal: that is an outcome of its own. Source: isa/09 sections 5, 6, 9; isa/06 section 9.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..isa.assumptions import Choices
from ..isa.generation import CAYMAN, MARIANA, MAVERICK, SUNDA, Generation
from ..isa.opcodes import CATALOG, Opcode
from ..isa.struct import decode
from ..validator import legality, validate
from ..verdicts import Verdict, record_class
from .container import Neff
from .errors import NeffError, NeffTargetError
from .kelf import RECORD_BYTES, Core, Stream

Outcome = Literal["legal", "illegal", "nothing_to_check"]
Which = Literal["all", "invalid"]
LISTED = 65_536  # verdicts
_CHUNK = 4096  # records judged at a time
TARGETS: Mapping[str, Generation] = {
    "sunda": SUNDA,
    "cayman": CAYMAN,
    "mariana": MARIANA,
    "core_v4": MARIANA,
    "maverick": MAVERICK,
    "core_v5": MAVERICK,
}
_OPCODE_TABLE = "default_opcode_table.bin"
_TABLE_BYTES: Mapping[Generation, int] = {SUNDA: 2048, CAYMAN: 1024}
_OLDER = ("tonga", "inferentia")
_ANY = "*"


@dataclass(frozen=True)
class OpcodeCount:
    """How often an opcode stands in a stream, and how many of its records are not legal."""

    opcode: int
    mnemonic: str | None
    record_class: str
    records: int
    invalid: int


@dataclass(frozen=True)
class Summary:
    """A stream in numbers. checked: records judged, so all but pseudo records. by_rule: failures of each rule."""

    total: int = 0
    checked: int = 0
    invalid: int = 0
    by_class: Mapping[str, int] = field(default_factory=dict)
    by_rule: Mapping[str, int] = field(default_factory=dict)
    by_opcode: tuple[OpcodeCount, ...] = ()


@dataclass(frozen=True)
class PlacedVerdict:
    """A verdict and where its record stands: byte of the stream (its member), of the archive, and of the file.

    file_offset: None where the archive is compressed.
    """

    offset: int
    archive_offset: int
    file_offset: int | None
    verdict: Verdict


@dataclass(frozen=True)
class Judged:
    """What is said of one core. reason: why there was nothing to check. omitted: verdicts beyond the bound."""

    core: Core
    outcome: Outcome
    reason: str | None
    summary: Summary
    verdicts: tuple[PlacedVerdict, ...]
    omitted: int
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Judgement:
    """What is said of a container, core by core."""

    generation: Generation
    outcome: Outcome
    cores: tuple[Judged, ...]
    assumptions: Mapping[str, str]


def generation_of(neff: Neff, given: Generation | None, *, override: bool = False) -> Generation:
    """The generation a container is for: the recorded one, or the caller's where none is or an override is asked for.

    Raises NeffTargetError.
    """
    told = neff.target.lower() if neff.target is not None else _ANY
    recorded = TARGETS.get(told)
    if recorded is None:
        if given is not None and (told not in _OLDER or override):
            return given
        what = "no target is recorded" if neff.target is None else f"the target is {neff.target!r}"
        reason = f"{what}, a first generation, which is not modelled" if told in _OLDER else what
        raise _target(f"{', '.join(TARGETS)}, or a generation from the caller", reason)
    if given is None or given is recorded:
        return recorded
    if override:
        return given
    raise _target(f"{given.name.lower()}, as the caller said, or an override", f"the target is {neff.target!r}")


def _target(expected: str, reason: str) -> NeffTargetError:
    return NeffTargetError(reason, offset=0, expected=expected, within="archive")


def judge(
    neff: Neff,
    generation: Generation,
    choices: Choices,
    *,
    verdicts: Which = "invalid",
    lenient: bool = False,
    listed: int = LISTED,
    watch: Callable[[], None] = lambda: None,
) -> Judgement:
    """Judge the DVE stream of every core.

    verdicts: which are listed, `listed` of them at most. lenient: leave out an incomplete last record, which is an
    error otherwise. watch: called before each piece of work; what it raises ends it. Raises NeffError.
    """
    chosen = Choices(choices.profile, {**choices.overrides, "pseudo-records": "skip"})
    cores, room = [], listed
    for core in neff.cores:
        judged = _judged(neff, core, generation, chosen, verdicts, lenient, room, watch)
        room -= len(judged.verdicts)
        cores.append(judged)
    return Judgement(generation, _outcome(cores), tuple(cores), chosen.used)


def _outcome(cores: list[Judged]) -> Outcome:
    """Legal only where something was judged and no stream had to be left out."""
    if any(one.outcome == "illegal" for one in cores):
        return "illegal"
    left_out = any(one.outcome == "nothing_to_check" and one.summary.total for one in cores)
    return "legal" if any(one.summary.checked for one in cores) and not left_out else "nothing_to_check"


def check_whole(stream: Stream) -> None:
    """Raise NeffError for a stream that ends inside a record."""
    if stream.remainder:
        raise NeffError(
            f"{stream.records} records and a remainder of {stream.remainder} bytes",
            offset=stream.records * RECORD_BYTES,
            expected="a whole number of 64-byte records",
            within=f"member {stream.member}" if stream.member else "file",
        )


def _judged(
    neff: Neff,
    core: Core,
    generation: Generation,
    choices: Choices,
    which: Which,
    lenient: bool,
    room: int,
    watch: Callable[[], None],
) -> Judged:
    stream = core.stream
    if stream is None or not stream.size:
        return Judged(core, "nothing_to_check", core.absent, Summary(), (), 0, ())
    if not lenient:
        check_whole(stream)
    if not stream.records or neff.archive.part(stream.offset, stream.size).is_zero():
        why = "the stream is zero-filled" if stream.records else "there is no whole record"
        return Judged(core, "nothing_to_check", why, Summary(stream.records), (), 0, ())
    tally, found, wanted = _Tally(generation), list[PlacedVerdict](), 0
    start = neff.file_offset(stream)
    for first, records in pieces(neff, stream):
        watch()
        tally.count(records)
        for verdict in _verdicts(records, generation, choices, which):
            tally.add(verdict)
            wanted += 1
            if len(found) < room:
                index = first + verdict.index
                at = index * RECORD_BYTES
                file_offset = None if start is None else start + at
                found.append(PlacedVerdict(at, stream.offset + at, file_offset, replace(verdict, index=index)))
    summary = tally.summary()
    outcome: Outcome = "illegal" if summary.invalid else "legal" if summary.checked else "nothing_to_check"
    reason = "every record is a pseudo record" if outcome == "nothing_to_check" else None
    warnings = (*_missing(summary), *_cross_check(neff, core, generation))
    return Judged(core, outcome, reason, summary, tuple(found), wanted - len(found), warnings)


def pieces(neff: Neff, stream: Stream) -> Iterator[tuple[int, npt.NDArray[np.uint8]]]:
    """The whole records of a stream as uint8 (n, 64), some at a time, each with the index of its first."""
    for first in range(0, stream.records, _CHUNK):
        size = min(_CHUNK, stream.records - first) * RECORD_BYTES
        yield first, decode(neff.piece(stream, first * RECORD_BYTES, size))


def _verdicts(
    records: npt.NDArray[np.uint8], generation: Generation, choices: Choices, which: Which
) -> Iterator[Verdict]:
    """The verdicts wanted, and those of illegal records in any case."""
    legal = legality(records, generation, choices)
    rows = np.arange(len(records)) if which == "all" else np.flatnonzero(~legal)
    if rows.size:
        for row, verdict in zip(rows.tolist(), validate(records[rows], generation, choices).verdicts, strict=True):
            yield replace(verdict, index=row)


class _Tally:
    """Counts while a stream is judged."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._opcodes, self._invalid, self._rules = Counter[int](), Counter[int](), Counter[str]()

    def count(self, records: npt.NDArray[np.uint8]) -> None:
        self._opcodes.update(dict(enumerate(np.bincount(records[:, 0], minlength=256).tolist())))

    def add(self, verdict: Verdict) -> None:
        self._invalid[verdict.opcode] += not verdict.valid
        self._rules.update(failure.rule for failure in verdict.failures)

    def summary(self) -> Summary:
        rows = tuple(
            OpcodeCount(opcode, name, self._class(opcode), count, self._invalid[opcode])
            for opcode, count in sorted(self._opcodes.items())
            if count
            for name in [CATALOG[opcode].name if opcode in CATALOG else None]
        )
        classes = Counter[str]()
        for row in rows:
            classes[row.record_class] += row.records
        total = sum(classes.values())
        invalid, rules = sum(row.invalid for row in rows), dict(sorted(self._rules.items()))
        return Summary(total, total - classes["pseudo"], invalid, dict(sorted(classes.items())), rules, rows)

    def _class(self, opcode: int) -> str:
        info = CATALOG.get(opcode)
        return record_class(opcode, self._generation) if info and info.is_member(self._generation) else "unknown"


def _missing(summary: Summary) -> Iterator[str]:
    """What the loader would have made of pseudo records: a mark has no effect, everything else has."""
    for row in summary.by_opcode:
        if row.record_class == "pseudo" and row.opcode != Opcode.PSEUDO_BRANCH_LABEL:
            yield f"{row.records} records {row.mnemonic}: what the loader makes of them is missing here"


def _cross_check(neff: Neff, core: Core, generation: Generation) -> Iterator[str]:
    """Whether the opcode table beside the stream has the size of another generation's."""
    table = neff.members.get(posixpath.join(posixpath.dirname(core.definition), _OPCODE_TABLE))
    for other, size in _TABLE_BYTES.items():
        if table is not None and table.size == size and other is not generation:
            yield f"{table.name} has {size} bytes, as on {other.name}"
