"""What a builder refuses.

BuildError (a ValueError)      arguments that are no record: unknown names, values that do not fit
└── IllegalInstruction         a record that the validator does not find legal on the generation; .verdict, .record
"""

from __future__ import annotations

from ..assembly import text_of
from ..isa.generation import Generation
from ..verdicts import Verdict


class BuildError(ValueError):
    """Arguments that make no record."""


class IllegalInstruction(BuildError):
    """A record that is not legal; `verdict` is what `validate` says of it, `record` its bytes."""

    def __init__(self, record: bytes, verdict: Verdict, generation: Generation) -> None:
        broken = verdict.failures[0]
        more = f" (and {len(verdict.failures) - 1} more)" if len(verdict.failures) > 1 else ""
        super().__init__(f"{verdict.mnemonic} on {generation.name} breaks {broken.rule}{more}: {broken.message}")
        self.record, self.verdict, self.text = record, verdict, text_of(record, generation)
