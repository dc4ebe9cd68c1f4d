"""Verdicts in bulk."""

from __future__ import annotations

import random

import numpy as np

from dve_engine import CAYMAN, Choices, validate
from tests.generate import legal_case, legal_generations
from tests.generate.cases import OPCODES

from .measure import Measured, Row, Target, alternately

RECORDS, DISTINCT, ALONE = 100_000, 2_000, 300


def mixed_records() -> np.ndarray:
    """Legal records of all opcodes in random order, uint8 (RECORDS, 64)."""
    rng = random.Random(0)
    opcodes = [code for code in OPCODES if CAYMAN.name in legal_generations(code)]
    made: list[bytes] = []
    while len(made) < DISTINCT:
        case = legal_case(rng, rng.choice(opcodes), CAYMAN.name)
        if case is not None:
            made.append(case.record)
    distinct = np.frombuffer(b"".join(made), np.uint8).reshape(-1, 64)
    return distinct[np.random.default_rng(0).integers(0, DISTINCT, RECORDS)]


def in_bulk() -> None:
    result = validate(RECORDS_IN_BULK, CAYMAN, Choices())
    assert result.valid


def rate_against_one_at_a_time() -> Measured:
    """Records per second in one call, over records per second one call each."""

    def alone() -> None:
        for row in few:
            validate(row, CAYMAN, Choices())

    few = [row.tobytes() for row in RECORDS_IN_BULK[:ALONE]]
    bulk, single = alternately(in_bulk, alone, rounds=5, warm_up=1)
    return Measured((single / ALONE) / (bulk / RECORDS), bulk / RECORDS, single / ALONE)


def time_against_unique() -> Measured:
    opcodes = RECORDS_IN_BULK[:, 0]
    bulk, unique = alternately(in_bulk, lambda: np.unique(opcodes), rounds=5, warm_up=1)
    return Measured(bulk / unique, bulk, unique)


RECORDS_IN_BULK = mixed_records()
ROWS = (
    Row("validation of 100,000 records, rate over one by one", Target(50, at_least=True), rate_against_one_at_a_time),
    Row("validation of 100,000 records, against np.unique of the opcodes", Target(5), time_against_unique),
)
