"""Every alternative of every open question changes an answer, or is refused with a reason; none is silently ignored."""

import pytest

from dve_engine import REGISTRY, AlternativeNotOffered, Choices, UnknownAssumption
from dve_engine.instructions.catalog import INSTRUCTIONS
from dve_engine.isa.assumptions import NOT_OFFERED
from dve_engine.isa.opcodes import CATALOG
from tests.unit import (
    assumption_cases,
    assumption_cases_scans,
    assumption_cases_select,
    assumption_cases_statistics,
)
from tests.unit.records import outcome, state_with

CASES = [
    *assumption_cases.CASES,
    *assumption_cases_scans.CASES,
    *assumption_cases_select.CASES,
    *assumption_cases_statistics.CASES,
]
ALTERNATIVES = [(row.id, value) for row in REGISTRY.values() for value in row.alternatives if value != row.default]
ERRORS = ("execution error", "not modelled")
UNIT = [pair for pair in ALTERNATIVES if pair[0].startswith("vbool-")]  # shown in tests/unit/vbool/test_choices.py
ALTERNATIVES = [pair for pair in ALTERNATIVES if pair not in UNIT]


def answer(case, choices):
    state = state_with(case.generation, case.memory, case.registers, case.start)
    look = {"size": case.size, "partition": case.partition, "accumulators": case.accumulators}
    return outcome(case.program, case.generation, choices, state, **look)


def names(cases):
    return [f"{c.id}={c.value}-{k}" for k, c in enumerate(cases)]


@pytest.mark.parametrize("case", CASES, ids=names(CASES))
def test_alternative_changes_the_answer(case):
    default, named = answer(case, Choices())
    changed, named_then = answer(case, Choices(overrides={case.id: case.value}))
    assert default == case.default
    assert changed == case.changed
    assert default not in ERRORS or changed not in ERRORS
    if default not in ERRORS:
        assert named.get(case.id) == REGISTRY[case.id].default
    if changed not in ERRORS:
        assert named_then.get(case.id) == case.value


@pytest.mark.parametrize(("identifier", "value"), ALTERNATIVES, ids=[f"{i}={v}" for i, v in ALTERNATIVES])
def test_every_alternative_is_shown_or_refused(identifier, value):
    shown = any((c.id, c.value) == (identifier, value) for c in CASES)
    assert shown != ((identifier, value) in NOT_OFFERED)


@pytest.mark.parametrize(("identifier", "value"), NOT_OFFERED, ids=[f"{i}={v}" for i, v in NOT_OFFERED])
def test_what_is_not_offered_is_refused_with_its_reason(identifier, value):
    assert value in REGISTRY[identifier].alternatives
    assert value != REGISTRY[identifier].default
    with pytest.raises(AlternativeNotOffered, match=identifier) as caught:
        Choices(overrides={identifier: value})
    assert caught.value.reason == NOT_OFFERED[identifier, value]
    assert len(caught.value.reason.split()) >= 5


def test_defaults_are_always_offered():
    for row in REGISTRY.values():
        assert Choices(overrides={row.id: row.default}).peek(row.id) == row.default


def test_rows_without_a_built_instruction_are_refused_as_such():
    """The rule behind most entries: a row is open to a caller as soon as one instruction it concerns is built."""
    built = {CATALOG[opcode].name for opcode in INSTRUCTIONS}
    by_rule = {key for key, reason in NOT_OFFERED.items() if "does not execute yet" in reason}
    for identifier, value in ALTERNATIVES:
        concerned = set(REGISTRY[identifier].instructions.split())
        if (identifier, value) in by_rule:
            assert concerned.isdisjoint(built)
        elif concerned.isdisjoint(built) and concerned != {"*"} and (identifier, value) in NOT_OFFERED:
            assert (identifier, value) == ("accumulator-idle", "unknown")


def test_counts():
    refused = [pair for pair in NOT_OFFERED if pair in ALTERNATIVES]
    assert len({(c.id, c.value) for c in CASES}) + len(refused) == len(ALTERNATIVES)
    assert len(ALTERNATIVES) + len(UNIT) == 149


def test_unknown_names_are_refused():
    with pytest.raises(UnknownAssumption, match="nearest is max-nan"):
        Choices(overrides={"max-nans": "select"})
    with pytest.raises(UnknownAssumption, match="expected one of maxnum, select, propagate"):
        Choices(overrides={"max-nan": "never"})
    with pytest.raises(UnknownAssumption, match="unknown profile"):
        Choices("silicon")


def test_a_lookup_is_what_records_a_dependence():
    choices = Choices(overrides={"max-nan": "select"})
    assert choices.peek("max-nan") == "select"
    assert choices.used == {}
    assert choices["max-nan"] == "select"
    assert choices["relu-edge"] == "plus-zero"
    assert choices.used == {"max-nan": "select", "relu-edge": "plus-zero"}
    assert choices.fresh().used == {}
    assert choices.fresh().overrides == {"max-nan": "select"}
