"""The registry of open questions equals tables/assumptions.json, row by row."""

import pytest

from dve_engine import PROFILES, REGISTRY, Choices, describe

from .tables import ORDER, table

ROWS = table("assumptions")


def test_same_rows_in_the_same_order():
    assert list(REGISTRY) == [row["id"] for row in ROWS]
    assert len(ROWS) == 128


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r["id"])
def test_row(row):
    got = REGISTRY[row["id"]]
    assert (got.question, list(got.alternatives), got.default) == (row["question"], row["alternatives"], row["default"])
    assert {profile: got.under(profile) for profile in PROFILES} == row["profiles"]
    assert (got.confidence, got.evidence) == (row["confidence"], row["evidence"])
    assert got.instructions.split() == row["instructions"]
    assert (got.generations.split() or list(ORDER)) == row["generations"]


def test_defaults_and_profiles():
    for profile in PROFILES:
        choices = Choices(profile)
        assert {identifier: choices.peek(identifier) for identifier in REGISTRY} == {
            row["id"]: row["profiles"][profile] for row in ROWS
        }
    assert [row["id"] for row in ROWS if row["profiles"]["nki"] != row["default"]] == [
        "fp32r-mantissa-bits",
        "quantize-mx-scale",
        "quantize-mx-zero-block",
        "predicate-dtype-set",
        "select-reduce-false-lanes",
        "select-reduce-idle",
        "cache-int32-output",
    ]


def test_description_is_the_table():
    described = describe.assumptions()
    keys = ("id", "question", "alternatives", "default", "profiles", "confidence", "evidence")
    keys += ("instructions", "generations")
    assert [{k: d[k] for k in keys} for d in described] == [{k: row[k] for k in keys} for row in ROWS]
