"""The opcode catalogue equals tables/opcodes.json, and the validator answers all 256 bytes as it says."""

import numpy as np
import pytest

from dve_engine import Choices, validate
from dve_engine.isa.layout import STRUCTS, struct_of
from dve_engine.isa.opcodes import CATALOG, OPCODE_ASSUMPTIONS, roster_assumption
from dve_engine.rules.header import engine_check_leaf

from .tables import BY_NAME, ORDER, table

TABLE = table("opcodes")
ROWS = {row["code"]: row for row in TABLE["opcodes"]}
ROLES = {  # emulator column and leaf -> the letters of isa/opcodes.py
    "execute": "x",
    "optional": "o",
    "not_wired": "w",
    "control": "c",
}
LEAF_ROLES = {"pseudo_instruction": "P", "other_engine": "O", "not_dispatched": "N", "invalid_opcode": "I"}
CONTROL_CLASSES = {"step", "halt", "register"}

each_generation = pytest.mark.parametrize("generation", ORDER)


def test_same_opcodes():
    assert set(CATALOG) == set(ROWS)
    assert len(ROWS) == TABLE["union_values"] == 172
    assert sorted(set(range(256)) - set(CATALOG)) == [int(c, 16) for c in TABLE["unassigned"]]


@pytest.mark.parametrize("code", ROWS, ids=lambda c: f"0x{c:02X}")
def test_row(code):
    row, info = ROWS[code], CATALOG[code]
    assert (info.name, info.struct, info.engines.split()) == (row["name"], row["struct"], row["engines"])
    assert info.control == (row.get("control_class") if row.get("control_class") in CONTROL_CLASSES else None)
    for name, generation in BY_NAME.items():
        assert info.is_member(generation) == row["enum_member"][name]
        assert info.in_default_tables(generation) == row["in_default_tables"][name]
        assert {"y": True, "n": False, "?": None}[info.bound[generation.order]] == row["bound"][name]
        emulator, leaf = row["emulator"][name], row["engine_check_leaf"][name]
        if not row["enum_member"][name]:
            assert (info.role(generation), emulator) == ("-", "bad_opcode")
        else:
            assert info.role(generation) == (LEAF_ROLES[leaf] if emulator == "bad_opcode" else ROLES[emulator])
        assert info.engine_check_leaf(generation) == leaf
        assert roster_assumption(code, generation) == row.get("roster_assumption", {}).get(name)


def test_assumption_of_an_opcode():
    named = {code: row["assumption"] for code, row in ROWS.items() if "assumption" in row}
    assert named == OPCODE_ASSUMPTIONS
    assert len(OPCODE_ASSUMPTIONS) == 9


def test_struct_of_every_opcode():
    described = {code for code, row in ROWS.items() if row["struct"] in STRUCTS}
    assert {code for code in range(256) if struct_of(code) is not None} == described


@each_generation
def test_enumerators(generation):
    members = [c for c, info in CATALOG.items() if info.is_member(BY_NAME[generation])]
    assert len(members) == TABLE["enumerator_counts"][generation]
    device = [c for c in members if CATALOG[c].role(BY_NAME[generation]) not in "PI"]
    assert len(device) == TABLE["device_opcode_counts"][generation]


def every_byte(length=16):
    """One record per opcode byte, zero behind the header."""
    records = np.zeros((256, 64), np.uint8)
    records[:, 0], records[:, 1] = np.arange(256), length
    return records


def answers(generation, length=16, **overrides):
    """Per opcode byte: the functions that fail and the leaf of the first."""
    choices = Choices(overrides={k.replace("_", "-"): v for k, v in overrides.items()})
    verdicts = validate(every_byte(length), BY_NAME[generation], choices, legal_on=False).verdicts
    return [([f.rule for f in v.failures], v.failures[0].leaf if v.failures else None) for v in verdicts]


@each_generation
def test_all_bytes_through_the_validator(generation):
    """Not a member: H1 alone. A member the Vector Engine does not take: the engine check alone. Else the opcode's own
    rules.
    """
    kinds = {"H1": 0, "X1": 0, "own": 0}
    for code, (rules, leaf) in enumerate(answers(generation)):
        row = ROWS.get(code)
        if row is None or not row["enum_member"][generation]:
            assert (rules, leaf) == (["has_valid_neuron_header"], "is_valid_enum"), f"0x{code:02X}"
            kinds["H1"] += 1
        elif row["emulator"][generation] == "bad_opcode":
            assert (rules, leaf) == (["instruction_engine_check"], row["engine_check_leaf"][generation])
            kinds["X1"] += 1
        else:
            assert not {"has_valid_neuron_header", "instruction_engine_check"} & set(rules), f"0x{code:02X}"
            kinds["own"] += 1
    assert kinds["H1"] == 256 - TABLE["enumerator_counts"][generation]
    assert sum(kinds.values()) == 256


@each_generation
def test_wrong_length_is_listed_beside_the_engine_check_only(generation):
    """Nothing beside H1; H2 beside X1; H2 first elsewhere (isa/01 section 1.5)."""
    for code, (rules, leaf) in enumerate(answers(generation, length=15)):
        row = ROWS.get(code)
        if row is None or not row["enum_member"][generation]:
            assert (rules, leaf) == (["has_valid_neuron_header"], "is_valid_enum")
        elif row["emulator"][generation] == "bad_opcode":
            assert (rules, leaf) == (["has_valid_neuron_header", "instruction_engine_check"], "has_valid_inst_len")
        else:
            assert (rules[0], leaf) == ("has_valid_neuron_header", "has_valid_inst_len")


@pytest.mark.parametrize("generation", ["SUNDA", "CAYMAN"])
def test_default_tables(generation):
    """Under `default-tables` the opcodes of the roster rows follow in_default_tables; all other opcodes answer as
    before.
    """
    changed = answers(generation, **{f"{generation.lower()}_dve_roster": "default-tables"})
    before = answers(generation)
    differing = []
    for code, (rules, leaf) in enumerate(changed):
        row = ROWS.get(code, {})
        if (rules, leaf) == before[code]:
            continue
        differing.append(code)
        assert row["roster_assumption"][generation] == f"{generation.lower()}-dve-roster"
        if row["in_default_tables"][generation]:
            assert "instruction_engine_check" not in rules
        else:
            assert (rules, leaf) == (["instruction_engine_check"], "not_in_default_tables")
    named = [c for c, row in ROWS.items() if generation in row.get("roster_assumption", {})]
    assert differing == named
    assert len(named) == {"SUNDA": 13, "CAYMAN": 2}[generation]


@each_generation
def test_roster_reaches_every_opcode_of_the_tables(generation):
    """The engine check under `default-tables` agrees with the column wherever the two readings can differ."""
    g = BY_NAME[generation]
    for code, row in ROWS.items():
        if not row["enum_member"][generation] or row["emulator"][generation] == "control":
            continue
        leaf, listed = engine_check_leaf(code, g, "default-tables"), row["in_default_tables"][generation]
        assert leaf == (row["engine_check_leaf"][generation] if listed is None else leaf)
        if listed is not None:
            assert (leaf is None) == listed


@each_generation
def test_an_answer_names_the_roster_where_the_table_does(generation):
    g = BY_NAME[generation]
    cases = 0
    for code, row in ROWS.items():
        record = every_byte()[code]
        used = set(validate(record, g, Choices(), legal_on=False).assumptions)
        for identifier in row.get("roster_assumption", {}).values():
            assert (identifier in used) == (row["roster_assumption"].get(generation) == identifier)
            cases += 1
        if "assumption" in row and row["enum_member"][generation] and row["emulator"][generation] != "bad_opcode":
            assert row["assumption"] in used
            cases += 1
    assert cases == {"SUNDA": 15 + 5 + 3, "CAYMAN": 15 + 5, "MARIANA": 15 + 5, "MAVERICK": 15 + 6}[generation]
