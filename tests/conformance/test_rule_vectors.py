"""Every rule vector through the engine: the rules a record breaks, under which name, and that its neighbour is legal.

One call of `validate` per file, generation and set of assumptions; what the cases say of themselves is checked in
tests/unit/test_rule_vectors.py.
"""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from dve_engine import Choices, generation_named, validate
from dve_engine.instructions.catalog import INSTRUCTIONS
from dve_engine.isa.generation import names

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "rules"
FILES = sorted(path.stem for path in VECTORS.glob("*.json") if path.stem != "unbreakable")
CASES = {name: json.loads((VECTORS / f"{name}.json").read_text())["cases"] for name in FILES}
UNBREAKABLE = json.loads((VECTORS / "unbreakable.json").read_text())["rules"]

# elementary checks the specification names (isa/03 sections 1, 4.3, 4.4; isa/01 section 7.3) and the vectors leave out
_WIDE = "dtype_uint64_illegal_check dtype_int64_illegal_check"
_GATES = f"{_WIDE} dtype_invalid_check dtype_4bit_illegal_check is_valid_enum"
_LEAVES_OF_RULES = (  # the leaves, the rules
    (
        "is_valid_imm_reg",
        "CPS-V5 SR-V13 BNGA2-V14 BNGA2-V15 BNPL-V5 BNPL2-V4 TSCC-V6a TSCC-V6b TSCR-V6a DO-V12 TSIW-V5 R2-V6 RS-V16 "
        "RS-V17 STT-V14 TSS-V5 TSS-V6 TTS-V12",
    ),
    (_GATES + " dtype_fp32r_illegal_check", "AC2-V2"),
    (_GATES + " dtype_fp32r_illegal_check dtype_fp4_illegal_check", "IML-V4 PM-V5"),
    (_GATES + " dtype_fp4_illegal_check", "R2-V4 SCT-V10"),
    (_WIDE, "TR-V9 TTR-V9"),
    ("same_element_count_t3d same_element_count_m3d", "TSCC-V7 TSCR-V7 TS-V8 PTR-V9"),
    ("same_element_count_m3d", "EXP-V11"),
    (
        "indirect_quadrant_check_src4d indirect_quadrant_check_src4d_dst4d",
        "CAST-V11a COPY-V11a RECIP-V11a SSH-V11a TC-V12",
    ),
    ("is_valid_cache_reduce_op", "TSCC-V4 TSCR-V4"),
    ("is_valid_aluop", "TS-V4a PTR-V4a"),
    ("alu_shift_left_right_chk alu_arith_shift_right_chk", "TS-V7 PTR-V8"),
    ("ts_imm_chk ts_ptr_imm_chk is_valid_imm_reg", "TS-V6"),
    ("ts_ptr_imm_chk", "PTR-V6"),
    ("is_valid_imm_reg ts_ptr_imm_chk", "EXP-V6"),
    ("exp_upper_src_dim_even exp_x_even_or_unpacked", "EXP-V8"),
    ("has_transpose_src_element_count_m3d has_multiple_32_channels", "TS-V11"),
)
MORE_LEAVES = {rule: set(leaves.split()) for leaves, rules in _LEAVES_OF_RULES for rule in rules.split()}

each_file = pytest.mark.parametrize("name", FILES)


def batches(name):
    """(generation, assumptions, cases) of a file: what one call answers."""
    grouped = defaultdict(list)
    for case in CASES[name]:
        for generation in case["expect"]:
            grouped[generation, tuple(sorted(case.get("assumptions", {}).items()))].append(case)
    return [(generation, dict(assumptions), cases) for (generation, assumptions), cases in grouped.items()]


def verdicts(records, generation, assumptions):
    program = b"".join(bytes.fromhex(r) for r in records)
    return validate(program, generation_named(generation), Choices(overrides=assumptions), legal_on=False).verdicts


def position(opcode, generation):
    """Rule id -> place in the list of the opcode."""
    rules = INSTRUCTIONS[opcode].rules_on(generation_named(generation), opcode)
    return {rule.id: k for k, rule in enumerate(rules)}


@each_file
def test_each_case_breaks_exactly_the_rules_it_names(name):
    asked = 0
    for generation, assumptions, cases in batches(name):
        answers = verdicts([c["breaks"] for c in cases], generation, assumptions)
        for case, verdict in zip(cases, answers, strict=True):
            asked += 1
            where, expect = (case["id"], generation), case["expect"][generation]
            order = position(verdict.opcode, generation)
            wanted = sorted((case["rule"], *expect.get("also", ())), key=order.__getitem__)
            assert [f.rule_id for f in verdict.failures] == wanted, where
            failure = next(f for f in verdict.failures if f.rule_id == case["rule"])
            assert failure.rule == expect["function"], where
            leaves = {expect["leaf"]} if "leaf" in expect else {None} | MORE_LEAVES.get(case["rule"], set())
            assert failure.leaf in leaves, where
            assert failure.not_modelled == bool(case.get("not_modelled")), where
            assert bool(failure.reason) == failure.not_modelled, where
            assert not verdict.valid
            assert not verdict.executable
    assert asked == sum(len(case["expect"]) for case in CASES[name])


@each_file
def test_each_failure_blames_bytes_that_differ_from_the_neighbour(name):
    """The blamed field lies inside the field of the rule that the two records differ in."""
    for generation, assumptions, cases in batches(name):
        for case, verdict in zip(cases, verdicts([c["breaks"] for c in cases], generation, assumptions), strict=True):
            failure = next(f for f in verdict.failures if f.rule_id == case["rule"])
            layout = INSTRUCTIONS[verdict.opcode].struct
            assert (failure.offset, failure.size) == layout.span(failure.field), case["id"]
            assert failure.field in failure.message
            assert failure.message.endswith((str(failure.expected), str(failure.reason))), case["id"]


@each_file
def test_each_neighbour_is_legal(name):
    asked = 0
    for generation, assumptions, cases in batches(name):
        answers = verdicts([c["neighbour"] for c in cases], generation, assumptions)
        for case, verdict in zip(cases, answers, strict=True):
            asked += 1
            assert verdict.failures == (), (case["id"], generation)
            assert verdict.valid
    assert asked == sum(len(case["expect"]) for case in CASES[name])


@each_file
def test_the_first_failure_alone_is_the_head_of_the_list(name):
    """`all_failures=False` answers with the first of what `all_failures=True` lists."""
    for generation, assumptions, cases in batches(name):
        program = b"".join(bytes.fromhex(c["breaks"]) for c in cases)
        g, choices = generation_named(generation), Choices(overrides=assumptions)
        short = validate(program, g, choices, all_failures=False, legal_on=False).verdicts
        long = validate(program, g, choices, legal_on=False).verdicts
        assert [v.failures for v in short] == [v.failures[:1] for v in long]


@each_file
def test_legal_on_names_the_generations_of_the_neighbour(name):
    """A neighbour that serves several generations is said to be legal on each of them."""
    asked = 0
    for generation in ("SUNDA", "MAVERICK"):
        cases = [c for c in CASES[name] if generation in c["expect"] and not c.get("assumptions")]
        program = b"".join(bytes.fromhex(c["neighbour"]) for c in cases)
        answers = validate(program, generation_named(generation), Choices()).verdicts
        for case, verdict in zip(cases, answers, strict=True):
            asked += 1
            assert {g.lower() for g in case["expect"]} <= set(verdict.legal_on), case["id"]
    assert asked > 0


def test_each_further_leaf_occurs():
    """MORE_LEAVES lists nothing that no vector shows."""
    shown = defaultdict(set)
    for name in FILES:
        for generation, assumptions, cases in batches(name):
            for case, verdict in zip(
                cases, verdicts([c["breaks"] for c in cases], generation, assumptions), strict=True
            ):
                if "leaf" not in case["expect"][generation]:
                    shown[case["rule"]] |= {f.leaf for f in verdict.failures if f.rule_id == case["rule"]} - {None}
    assert {rule: leaves for rule, leaves in shown.items() if leaves} == MORE_LEAVES


def test_every_case_ran():
    assert len(FILES) == 34
    assert sum(map(len, CASES.values())) == 6426
    assert sum(len(case["expect"]) for cases in CASES.values() for case in cases) == 18603


def test_rules_without_a_vector_are_listed():
    """Every rule of every generation of every family fails in a vector, or is listed with its reason."""
    rules = {
        (rule.id, generation)
        for family in INSTRUCTIONS.values()
        for rule in family.rules
        for generation in names(rule.generations)
    }
    broken = {(c["rule"], g) for cases in CASES.values() for c in cases for g in c["expect"]}
    without = ("opcode", "refused")
    listed = {(row["id"], g) for row in UNBREAKABLE for g in row["generations"] if row["kind"] in without}
    assert rules - broken == listed
    assert len(rules) == 3131
