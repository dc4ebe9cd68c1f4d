"""The specification's tables and vectors, as the tests read them."""

import json
from functools import cache
from pathlib import Path

from dve_engine import GENERATIONS, Choices, validate

ISA = Path(__file__).resolve().parents[3] / "docs" / "isa"
BY_NAME = {g.name: g for g in GENERATIONS}
ORDER = tuple(BY_NAME)
SEEDS = (0x41, 0x43, 0x44, 0x51, 0x53, 0x54, 0x72, 0x93, 0x99, 0x9B, 0xE8, 0xEA)  # opcodes of the seed families


@cache
def table(name):
    """One file of docs/isa/tables."""
    return json.loads((ISA / "tables" / f"{name}.json").read_text())


@cache
def vectors(name):
    """One file of docs/isa/vectors."""
    return json.loads((ISA / "vectors" / f"{name}.json").read_text())


def first_failures(records, generation, choices=None):
    """The first failure of each record, None where it is legal; one call for all of them."""
    answer = validate(b"".join(records), BY_NAME[generation], choices or Choices(), legal_on=False)
    return [v.failures[0] if v.failures else None for v in answer.verdicts]
