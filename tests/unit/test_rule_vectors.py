"""Check the rule vectors against the specification's tables and against the literal rule model. No engine is needed."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.vectors.rules import rule_model

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests" / "vectors" / "rules"
ISA = ROOT / "docs" / "isa"
GENERATIONS = rule_model.GENERATIONS

FAMILIES = {  # file: (cases, their expectations over all generations)
    "activate2": (41, 41),
    "batch_norm_gradient": (370, 1124),
    "batch_norm_parameters": (83, 304),
    "batch_norm_statistics": (342, 1099),
    "cache_reduce": (280, 862),
    "control": (118, 454),
    "copy_cast_reciprocal": (332, 926),
    "copy_predicated": (282, 762),
    "copy_predicated_scalar": (256, 717),
    "dropout": (104, 343),
    "exponential": (128, 213),
    "fills": (111, 369),
    "int_wide": (96, 96),
    "loads": (23, 92),
    "match": (361, 1135),
    "multi_scalar": (119, 456),
    "pool": (92, 309),
    "quantize_mx": (49, 89),
    "random": (148, 270),
    "range_select": (116, 301),
    "read_accumulator": (123, 426),
    "scalar_tensor_tensor": (198, 646),
    "select_reduce": (280, 858),
    "sparsity": (142, 273),
    "stream": (232, 690),
    "sunda_bf16": (100, 100),
    "tensor_cumulative": (150, 456),
    "tensor_reduce": (168, 512),
    "tensor_scalar": (433, 1310),
    "tensor_scalar_ptr": (381, 1115),
    "tensor_scalar_select": (101, 320),
    "tensor_tensor": (339, 911),
    "tensor_tensor_scan": (150, 471),
    "transposed_tensor_reduce": (179, 554),
}


def load(path):
    return json.loads(path.read_text())


TABLES = {name: load(ISA / "tables" / f"{name}.json") for name in ("rules", "layouts", "opcodes", "generations")}
LISTS = TABLES["rules"]["validators"]
RULES = {rule["id"]: rule | {"list": name} for name, validator in LISTS.items() for rule in validator["rules"]}
OPCODES = {row["code_hex"]: row["emulator"] for row in TABLES["opcodes"]["opcodes"]}
CASES = {family: load(VECTORS / f"{family}.json")["cases"] for family in FAMILIES}
ALL_CASES = [case for cases in CASES.values() for case in cases]
UNBREAKABLE = load(VECTORS / "unbreakable.json")["rules"]

each_family = pytest.mark.parametrize("family", FAMILIES)


def changed_bits(case):
    """Return the differing bits as one integer, bit 8 * offset + k."""
    breaks, neighbour = (int.from_bytes(bytes.fromhex(case[name]), "little") for name in ("breaks", "neighbour"))
    return breaks ^ neighbour


def bits_of_field(struct, path):
    """Return the mask of a dotted field path of rules.json in a 64-byte record."""
    first, *rest = path.split(".")
    fields = TABLES["layouts"]["structs"][struct]["fields"]
    offset, size, kind = next((f["offset"], f["size"], f["type"]) for f in fields if f["name"] == first)
    for name in rest:
        if kind == "DTYPE_PAIR":
            return 0xF << 8 * offset + (4 if name == "dtype_hi" else 0)
        if name == "start_addr":  # an indirect operand has two address words
            return (1 << 8 * 8) - 1 << 8 * offset
        field = next(f for f in TABLES["layouts"]["subtypes"][kind]["fields"] if f["name"] == name)
        offset, size, kind = offset + field["offset"], field["size"], field["type"]
    return (1 << 8 * size) - 1 << 8 * offset


def test_files_are_what_the_tables_give():
    script = VECTORS / "make_rule_vectors.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_counts():
    counts = {family: (len(cases), sum(len(c["expect"]) for c in cases)) for family, cases in CASES.items()}
    assert counts == FAMILIES
    assert sorted(path.stem for path in VECTORS.glob("*.json")) == sorted([*FAMILIES, "unbreakable"])


def test_ids_are_unique():
    assert [name for name, count in Counter(case["id"] for case in ALL_CASES).items() if count > 1] == []


@each_family
def test_cases_are_well_formed(family):
    for case in CASES[family]:
        name, rule = case["id"], RULES[case["rule"]]
        validator = LISTS[rule["list"]]
        assert len(case["breaks"]) == len(case["neighbour"]) == 128, name
        assert case["breaks"] != case["neighbour"], name
        assert int(case["opcode"], 16) == bytes.fromhex(case["breaks"])[0], name
        assert case["opcode"] in rule.get("opcodes", validator["opcodes"]), name
        assert case["generations"] == list(case["expect"]), name
        assert case.get("assumptions", {}) == rule.get("only_under", case.get("assumptions", {})), name
        assert case["confidence"] in ("H", "M", "L"), name
        for generation, expect in case["expect"].items():
            assert generation in rule["generations"], name
            assert expect["function"] == rule.get("function_by_generation", {}).get(generation, rule["function"]), name
            assert expect["field"] in rule["fields"], name
            assert all(RULES[other]["list"] == rule["list"] for other in expect.get("also", ())), name


@each_family
def test_the_named_field_differs(family):
    for case in CASES[family]:
        struct = LISTS[RULES[case["rule"]]["list"]]["struct"] or "CTRL"
        for expect in case["expect"].values():
            # the flags in MAVERICK's header are no field of the rule that reads them
            assert case.get("not_modelled") or changed_bits(case) & bits_of_field(struct, expect["field"]), case["id"]


@each_family
def test_cases_break_exactly_the_rules_named(family):
    order = {rule: k for k, rule in enumerate(RULES)}
    for case in CASES[family]:
        breaks, neighbour = bytes.fromhex(case["breaks"]), bytes.fromhex(case["neighbour"])
        for generation, expect in case["expect"].items():
            name, assumptions = (case["id"], generation), case.get("assumptions")
            failures = rule_model.failures(breaks, generation, assumptions)
            wanted = sorted((case["rule"], *expect.get("also", ())), key=order.get)
            assert [rule for rule, _ in failures] == wanted, name
            leaf = rule_model.NOT_MODELLED if case.get("not_modelled") else expect.get("leaf")
            assert dict(failures)[case["rule"]] == leaf, name
            assert rule_model.failures(neighbour, generation, assumptions) == [], name


def covered(only_alone=False):
    return {
        (case["rule"], generation)
        for case in ALL_CASES
        for generation, expect in case["expect"].items()
        if not (only_alone and (expect.get("also") or case.get("not_modelled")))
    }


def listed(*kinds):
    return {(row["id"], generation) for row in UNBREAKABLE if row["kind"] in kinds for generation in row["generations"]}


def test_every_rule_of_every_generation_is_broken_or_listed():
    wanted = {(rule, generation) for rule in RULES for generation in RULES[rule]["generations"]}
    assert len(wanted) == 3131
    assert covered() == wanted - listed("opcode", "refused")
    assert covered(only_alone=True) == wanted - listed("opcode", "refused", "shadowed", "never-alone")


def test_unbreakable_rules_say_why():
    kinds = Counter(row["kind"] for row in UNBREAKABLE)
    assert kinds == {"opcode": 65, "never-alone": 50, "shadowed": 16, "refused": 25}
    shadowed = {rule for rule in RULES if "shadowed_by" in RULES[rule]}
    assert shadowed <= {row["id"] for row in UNBREAKABLE if row["kind"] == "shadowed"}
    order = list(RULES)
    for row in UNBREAKABLE:
        rule = row["id"]
        assert row["reason"]
        assert set(row["generations"]) <= set(RULES[rule]["generations"])
        cases = [case for case in ALL_CASES if case["rule"] == rule and not case.get("not_modelled")]
        companions = [case["expect"][g]["also"] for case in cases for g in row["generations"] if g in case["expect"]]
        assert (row["kind"] in ("opcode", "refused")) == (not companions)
        assert all(set(also) & set(row["always_with"]) for also in companions)
        if row["kind"] == "shadowed":
            assert all(order.index(also[0]) < order.index(rule) for also in companions)
        if row["kind"] == "never-alone":
            assert any(order.index(also[0]) > order.index(rule) for also in companions)


def test_rules_are_refused_where_no_opcode_of_their_list_is_executed():
    refused = {
        (rule, generation)
        for rule in RULES
        for generation in RULES[rule]["generations"]
        if all(OPCODES[opcode][generation] == "bad_opcode" for opcode in LISTS[RULES[rule]["list"]]["opcodes"])
    }
    assert refused == listed("refused")


def test_the_model_has_the_rules_of_the_tables_in_their_order():
    """All but those that no record breaks; on SUNDA and CAYMAN the seed lists carry quadrant rules that always pass."""
    cannot_fail = listed("opcode")
    only_under = {name: value for rule in RULES.values() for name, value in rule.get("only_under", {}).items()}
    for validator in LISTS.values():
        for opcode in validator["opcodes"]:
            record = bytes([int(opcode, 16), 16, *bytes(62)])
            for generation in validator["generations"]:
                rules = [r for r in validator["rules"] if opcode in r.get("opcodes", validator["opcodes"])]
                wanted = [r["id"] for r in rules if (r["id"], generation) not in cannot_fail]
                wanted = [rule for rule in wanted if generation in RULES[rule]["generations"]]
                assumptions = only_under | {"stt-quadrant-erratum": "strict"}
                asked = [rule for rule, _ in rule_model.VALIDATORS[record[0]](record, generation, assumptions)]
                asked = [rule for rule in asked if generation in RULES[rule]["generations"]]
                assert asked == [rule for rule in wanted if rule in asked], (opcode, generation)
                left = [RULES[rule]["function"] for rule in wanted if rule not in asked]
                assert all(OPCODES[opcode][generation] == "bad_opcode" for _ in left), (opcode, generation)


def test_every_opcode_of_every_generation_has_a_header_case():
    wanted = {
        (opcode, generation)
        for validator in LISTS.values()
        for opcode in validator["opcodes"]
        for generation in validator["generations"]
        if OPCODES[opcode][generation] != "bad_opcode"
    }
    function = "has_valid_neuron_header"
    found = {(c["opcode"], g) for c in ALL_CASES for g, expect in c["expect"].items() if expect["function"] == function}
    assert len(wanted) == 314
    assert found == wanted


def test_the_model_agrees_with_the_known_encodings():
    """Verdict, first failing rule and leaf of every known encoding of these opcodes."""
    asked = 0
    for encoding in load(ISA / "vectors" / "instructions.json")["encodings"]:
        record = bytes.fromhex(encoding["hex"])
        if record[0] not in rule_model.VALIDATORS:
            continue
        assumptions = {name: values[0] for name, values in encoding.get("assumptions", {}).items()}
        for generation, expect in encoding["expect"].items():
            if expect.get("rule") in ("H1", "X1"):
                continue
            asked += 1
            failures = rule_model.failures(record, generation, assumptions)
            if expect["legal"]:
                assert failures == [], encoding["id"]
                continue
            rule, leaf = failures[0]
            named = {"H2": "has_valid_neuron_header", "E1": "has_valid_neuron_events"}.get(expect["rule"])
            assert rule == expect["rule"] or RULES[rule]["function"] == named, encoding["id"]
            assert leaf == expect.get("leaf", leaf), encoding["id"]
    assert asked == 1675
