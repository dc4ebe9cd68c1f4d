"""The rule lists of every built family equal tables/rules.json: ids, order, names, fields, generations, marks."""

import pytest

from dve_engine.instructions.catalog import INSTRUCTIONS
from dve_engine.isa.generation import names

from .tables import BY_NAME, ORDER, SEEDS, table

TABLE = table("rules")
VALIDATORS = TABLE["validators"]
BUILT = {name: row for name, row in VALIDATORS.items() if any(int(c, 16) in INSTRUCTIONS for c in row["opcodes"])}
RULES = [(name, rule["id"]) for name, row in BUILT.items() for rule in row["rules"]]

each_validator = pytest.mark.parametrize("name", BUILT)


def families(name):
    """The engine's declarations behind one validator of the table."""
    return {id(f): f for f in (INSTRUCTIONS[int(c, 16)] for c in BUILT[name]["opcodes"])}.values()


def test_every_built_opcode_has_its_list():
    assert {f"0x{c:02X}" for c in INSTRUCTIONS} <= set(TABLE["instructions"])
    for code, name in TABLE["instructions"].items():
        assert (int(code, 16) in INSTRUCTIONS) == (name in BUILT), code
    assert set(SEEDS) <= set(INSTRUCTIONS)


def test_counts():
    assert len(VALIDATORS) == 60
    assert sum(len(row["rules"]) for row in VALIDATORS.values()) == 860
    seeds = {TABLE["instructions"][f"0x{c:02X}"] for c in SEEDS}
    assert len(seeds) == 7
    control = {name for name, row in BUILT.items() if row.get("control")} | {"engine nop"}
    assert len(control) == 6
    assert seeds | control <= set(BUILT)


@each_validator
def test_declaration(name):
    row = BUILT[name]
    opcodes = sorted(c for f in families(name) for c in f.opcodes)
    assert opcodes == sorted(int(c, 16) for c in row["opcodes"])
    for family in families(name):
        assert family.order_confidence == row["order_confidence"]
        if row["struct"] is not None:
            assert family.struct.name == row["struct"]


@each_validator
@pytest.mark.parametrize("generation", ORDER)
def test_list_of_each_opcode(name, generation):
    """Same ids in the same order under the same function names, for each opcode on each generation."""
    g = BY_NAME[generation]
    for code in (int(c, 16) for c in BUILT[name]["opcodes"]):
        got = [(r.id, r.named_on(g)) for r in INSTRUCTIONS[code].rules_on(g, code)]
        expected = [
            (rule["id"], rule.get("function_by_generation", {}).get(generation, rule["function"]))
            for rule in BUILT[name]["rules"]
            if generation in rule["generations"] and f"0x{code:02X}" in rule.get("opcodes", [f"0x{code:02X}"])
        ]
        assert got == expected, f"0x{code:02X}"


@pytest.mark.parametrize(("name", "identifier"), RULES, ids=[i for _, i in RULES])
def test_rule(name, identifier):
    row = next(r for r in BUILT[name]["rules"] if r["id"] == identifier)
    for family in families(name):
        rule = next(r for r in family.rules if r.id == identifier)
        assert set(rule.fields) == set(row["fields"])
        assert list(names(rule.generations)) == row["generations"]
        assert rule.confidence == row["confidence"]
        assert rule.named_by_us == row.get("named_by_us", False)
        assert rule.shadowed_by == row.get("shadowed_by")
        assert rule.only_under == next(iter(row.get("only_under", {}).items()), None)
        applies = {c for c in family.opcodes if rule.opcodes is None or c in rule.opcodes}
        listed = {int(c, 16) for c in row.get("opcodes", BUILT[name]["opcodes"])}
        assert applies == listed & set(family.opcodes)


def test_ids_are_unique():
    identifiers = [identifier for _, identifier in RULES]
    assert len(set(identifiers)) == len(identifiers)
    assert len(identifiers) >= 171
