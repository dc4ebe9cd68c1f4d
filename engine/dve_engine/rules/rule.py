"""Rules: what is checked, in which order, and how a failure reads.

A rule is known by the header's function name and consists of parts, each an elementary check over an array of records.
The parts are asked in order; the first that fails is the one the failure blames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from ..isa.generation import ALL, Generation
from .batch import Batch, Bools
from .values import show

Check = Callable[[Batch], Bools]
Expected = str | Callable[[Batch, int], str]


@dataclass(frozen=True)
class Part:
    """One elementary check.

    holds: True where the record passes, bool (n,). field: the path it blames. expected: the legal set in words, or a
    function of the batch and the record's position. leaf: the check's own name where it has one. not_modelled: the
    reason, where failing means that the outcome is not known rather than illegal.
    """

    holds: Check
    field: str
    expected: Expected
    leaf: str | None = None
    generations: frozenset[Generation] = ALL
    not_modelled: str | None = None


@dataclass(frozen=True)
class Failure:
    """One broken rule of one record, as an answer shows it.

    value: the offending value, an int, a list of ints, or hex for reserved bytes. offset, size: its bytes in the
    record.
    """

    rule: str
    field: str
    offset: int
    size: int
    value: int | list[int] | str
    expected: str
    message: str
    confidence: str
    leaf: str | None = None
    not_modelled: bool = False
    reason: str | None = None
    named_by_us: bool = False
    rule_id: str = ""


@dataclass(frozen=True, eq=False)
class Rule:
    """A named check of a validator's list.

    fields: every field it reads. renamed: other names on some generations. opcodes: those of the family it applies to,
    None for all.
    shadowed_by: id of an earlier rule that contains this one. only_under: (assumption, value) without which the rule
    does not exist.
    confidence: how sure the sources are of it.
    """

    function: str
    parts: tuple[Part, ...]
    fields: tuple[str, ...]
    id: str = ""
    generations: frozenset[Generation] = ALL
    renamed: Mapping[Generation, str] = field(default_factory=dict)
    opcodes: frozenset[int] | None = None
    confidence: str = "H"
    named_by_us: bool = False
    shadowed_by: str | None = None
    only_under: tuple[str, str] | None = None

    def named_on(self, generation: Generation) -> str:
        """The function's name on one generation."""
        return self.renamed.get(generation, self.function)

    def applies(self, generation: Generation, opcode: int) -> bool:
        """Whether the rule is in the list of this opcode on this generation, assumptions aside."""
        return generation in self.generations and (self.opcodes is None or opcode in self.opcodes)

    @cache  # noqa: B019 - rules are module constants
    def parts_on(self, generation: Generation) -> tuple[tuple[int, Part], ...]:
        """The parts that exist on one generation, each with its position."""
        return tuple((i, part) for i, part in enumerate(self.parts) if generation in part.generations)

    def first_failing(self, batch: Batch) -> npt.NDArray[np.uint8]:
        """For each record 0 where the rule holds, else 1 + the position of the first part that fails, uint8 (n,)."""
        result = np.zeros(len(batch), np.uint8)
        for position, part in self.parts_on(batch.generation):
            holds = part.holds(batch)
            if not holds.all():
                result[~holds & (result == 0)] = position + 1
        if self.only_under is not None and batch.depends(self.only_under[0], result != 0) != self.only_under[1]:
            result[:] = 0
        return result

    def failure(self, batch: Batch, row: int, part: Part) -> Failure:
        """Put one failing record into words."""
        value, shown = show(batch, row, part.field)
        expected = part.expected if isinstance(part.expected, str) else part.expected(batch, row)
        offset, size = batch.struct.span(part.field)
        reason = part.not_modelled
        tail = f"; not modelled: {reason}" if reason else f"; it must be {expected}"
        return Failure(
            rule=self.named_on(batch.generation),
            field=part.field,
            offset=offset,
            size=size,
            value=value,
            expected=expected,
            message=f"{part.field} is {shown}{tail}",
            confidence=self.confidence,
            leaf=part.leaf,
            not_modelled=reason is not None,
            reason=reason,
            named_by_us=self.named_by_us,
            rule_id=self.id,
        )


def numbered(prefix: str, *rules: tuple[str, Rule]) -> tuple[Rule, ...]:
    """A validator's list: each rule with its number, in the order in which the first failure is reported."""
    return tuple(replace(rule, id=f"{prefix}-{number}") for number, rule in rules)


def changed(rule: Rule, **differences: object) -> Rule:
    """A shared rule with what one list says differently of it: confidence, opcodes, generations, shadowed_by."""
    return replace(rule, **differences)  # type: ignore[arg-type]


def all_of(parts: Iterable[Part], leaf: str) -> tuple[Part, ...]:
    """The parts of a shared check inside a composite rule, each carrying that check's name."""
    return tuple(replace(part, leaf=leaf) for part in parts)
