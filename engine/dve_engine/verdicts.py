"""Verdicts: what the validator says of each record of a program.

They are kept as columns and put into objects when somebody looks: of a large legal program nobody looks at most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import overload

import numpy as np
import numpy.typing as npt

from .instructions.unmodelled import EXECUTES, Refusal
from .isa.generation import GENERATIONS, Generation
from .isa.opcodes import CATALOG
from .rules.rule import Failure


@dataclass(frozen=True)
class Verdict:
    """What the validator says of one record.

    record_class: "data", "control", "pseudo" or "unknown". executable: whether `run` carries it out; `reason` says why
    not. asked: the assumptions under another value of which it would not; its run depends on them.
    legal_on: names of the generations on which the same bytes are legal.
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
    asked: tuple[str, ...] = ()


class Verdicts(Sequence[Verdict]):
    """The verdicts of a program, one per record.

    failures, refusals: by position, for the records that have any. legal_on: a bit per generation, in the order of
    GENERATIONS, uint8 (n,).
    """

    __slots__ = ("_legal_on", "_opcodes", "_refusals", "failures", "generation")

    def __init__(
        self,
        opcodes: npt.NDArray[np.uint8],
        generation: Generation,
        failures: Mapping[int, tuple[Failure, ...]],
        refusals: Mapping[int, Refusal],
        legal_on: npt.NDArray[np.uint8],
    ) -> None:
        self._opcodes, self.generation, self.failures = opcodes, generation, failures
        self._refusals, self._legal_on = refusals, legal_on

    def __len__(self) -> int:
        return len(self._opcodes)

    @overload
    def __getitem__(self, index: int) -> Verdict: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Verdict]: ...
    def __getitem__(self, index: int | slice) -> Verdict | Sequence[Verdict]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        position = range(len(self))[index]
        opcode = int(self._opcodes[position])
        failures, refusal = self.failures.get(position, ()), self._refusals.get(position, EXECUTES)
        mnemonic, layout, kind = _facts(opcode, self.generation)
        return Verdict(
            index=position,
            opcode=opcode,
            mnemonic=mnemonic,
            struct=layout,
            record_class=kind,
            valid=not failures,
            failures=failures,
            legal_on=_names(int(self._legal_on[position])),
            executable=not failures and refusal.reason is None,
            reason=refusal.reason,
            asked=refusal.asked,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Verdicts) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def invalid(self) -> tuple[Verdict, ...]:
        """Those of the records that are not legal."""
        return tuple(self[position] for position in sorted(self.failures))


@dataclass(frozen=True)
class Validation:
    """The verdicts of a program and the assumptions they depended on."""

    verdicts: Verdicts
    assumptions: dict[str, str] = field(default_factory=dict)

    @property
    def valid(self) -> bool:
        """Whether every record is legal."""
        return not self.verdicts.failures


def record_class(opcode: int, generation: Generation) -> str:
    """What kind of record an opcode is: data, control or pseudo."""
    return {"c": "control", "P": "pseudo"}.get(CATALOG[opcode].role(generation), "data")


@cache
def _facts(opcode: int, generation: Generation) -> tuple[str | None, str | None, str]:
    """What every verdict on an opcode says: mnemonic, struct, record class."""
    info = CATALOG.get(opcode)
    if info is None:
        return None, None, "unknown"
    return info.name, info.struct, record_class(opcode, generation) if info.is_member(generation) else "unknown"


@cache
def _names(bits: int) -> tuple[str, ...]:
    return tuple(g.name.lower() for i, g in enumerate(GENERATIONS) if bits >> i & 1)
