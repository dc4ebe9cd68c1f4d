"""What the engine covers: opcode by generation, and why not where it does not.

Derived from the same tables as everything else. coverage.json beside this file is the conformance run's published
matrix: the same cells with the evidence behind each.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from .instructions.catalog import INSTRUCTIONS
from .isa.assumptions import Choices
from .isa.generation import GENERATIONS, Generation
from .isa.opcodes import CATALOG, OpcodeInfo
from .validator import not_executable
from .verdicts import record_class

EXECUTED, REFUSED, NOT_MODELLED, CONTROL, ABSENT = "executed", "refused", "not modelled", "control", "absent"


@dataclass(frozen=True)
class Cell:
    """One opcode on one generation.

    status: executed; control (run without effect on data); not modelled (legal, a run refuses it); refused (another
    engine, a pseudo record, never dispatched: `reason` is the leaf); absent (no member of the generation's enum).
    rules: how many are checked.
    """

    opcode: int
    mnemonic: str
    generation: str
    status: str
    rules: int
    reason: str | None = None


def cell(info: OpcodeInfo, generation: Generation) -> Cell:
    """What becomes of one opcode on one generation, under the default choices."""

    def answer(status: str, rules: int = 0, reason: str | None = None) -> Cell:
        return Cell(info.code, info.name, generation.name.lower(), status, rules, reason)

    if not info.is_member(generation):
        return answer(ABSENT)
    leaf = info.engine_check_leaf(generation)
    if leaf is not None:
        return answer(REFUSED, reason=leaf)
    family = INSTRUCTIONS.get(info.code)
    rules = len(family.rules_on(generation, info.code)) if family else 0
    reason = not_executable(info.code, generation, Choices())
    if reason is not None:
        return answer(NOT_MODELLED, rules, reason)
    return answer(CONTROL if record_class(info.code, generation) == "control" else EXECUTED, rules)


def everything() -> list[Cell]:
    """Every opcode on every generation."""
    return [cell(info, g) for info in CATALOG.values() for g in GENERATIONS]


def published(generation: Generation) -> list[dict[str, Any]]:
    """The published cells of one generation: the fields of Cell, and `evidence` (None where nothing runs)."""
    return [row for row in _published() if row["generation"] == generation.name.lower()]


@cache
def _published() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(resources.files(__package__).joinpath("coverage.json").read_text())
    return rows
