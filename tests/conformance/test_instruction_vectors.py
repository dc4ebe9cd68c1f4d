"""The specification's instruction vectors for every opcode the engine executes, through the engine, HTTP and gRPC.

Expected answers come from docs/isa/vectors/instructions.json alone. Each test asserts how many cases it ran.
"""

import json
from collections import defaultdict
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from dve_engine import REGISTRY, Choices, Region, describe, generation_named, validate
from dve_engine.isa.assumptions import NOT_OFFERED
from dve_engine.isa.dtypes import Dtype, size_bytes
from dve_engine.isa.opcodes import CATALOG
from tests.conformance.state import banks_of, wrong_state
from tests.conformance.targets import Answer, Start, space

VECTORS = json.loads((Path(__file__).parents[2] / "docs/isa/vectors/instructions.json").read_text())
RULES = json.loads((Path(__file__).parents[2] / "docs/isa/tables/rules.json").read_text())
GENERATIONS = ("SUNDA", "CAYMAN", "MARIANA", "MAVERICK")
# How many cases there are today; more opcodes that execute mean more of them, never fewer.
ENCODING_COUNT = 1718
FAILURE_COUNT = 1068
EXECUTION_COUNT = 941
REFUSAL_COUNTS = {"run_errors": 30, "not_modelled": 12}
IDENTIFIERS = {"H1": "has_valid_neuron_header", "H2": "has_valid_neuron_header", "X1": "instruction_engine_check"}
ENCODINGS = {e["id"]: e for e in VECTORS["encodings"]}


def answered(opcode, generation):
    """Whether the engine knows this opcode's rules, or refuses it before they matter."""
    info = CATALOG.get(opcode)
    if info is None or not info.is_member(generation_named(generation)):
        return True
    line = next(line for line in describe.instructions(generation_named(generation)) if line["opcode"] == opcode)
    return line["rules_known"] or line["engine_check_leaf"] is not None


def overrides(assumptions):
    """The values under which a vector holds, where the default is not among them."""
    return {i: values[0] for i, values in assumptions.items() if REGISTRY[i].default not in values}


def grouped():
    """Encodings by generation and assumptions: (records, expectations) of one validate call."""
    groups = defaultdict(list)
    for encoding in VECTORS["encodings"]:
        for generation, expect in encoding["expect"].items():
            if answered(int(encoding["opcode"], 16), generation):
                key = generation, tuple(sorted(overrides(encoding.get("assumptions", {})).items()))
                groups[key].append((encoding, expect))
    return groups


def wrong_verdict(expect, got):
    """What is wrong with a verdict, or None."""
    if expect["legal"] or got is None:
        return None if expect["legal"] == (got is None) else f"expected legal={expect['legal']}, got {got}"
    allowed = {expect["function"]} | {IDENTIFIERS.get(a, a) for a in expect.get("alternatives", ())}
    if got[0] not in allowed | {function_of(a) for a in expect.get("alternatives", ())}:
        return f"expected {allowed}, got {got[0]}"
    if got[0] == expect["function"] and expect.get("leaf") not in (None, got[1]):
        return f"expected leaf {expect['leaf']}, got {got[1]}"
    return None


def function_of(identifier):
    """The function of a rule id."""
    rules = (rule for validator in RULES["validators"].values() for rule in validator["rules"])
    return next((rule["function"] for rule in rules if rule["id"] == identifier), identifier)


def test_encodings(target):
    wrong, ran = [], 0
    for (generation, chosen), cases in grouped().items():
        program = b"".join(bytes.fromhex(encoding["hex"]) for encoding, _ in cases)
        answers = target.verdicts(program, generation.lower(), "notes", dict(chosen))
        for (encoding, expect), got in zip(cases, answers, strict=True):
            ran += 1
            problem = wrong_verdict(expect, got)
            if problem:
                wrong.append(f"{encoding['id']} on {generation}: {problem}")
    assert not wrong, "\n".join(wrong)
    assert ran == ENCODING_COUNT


def test_rule_of_the_first_failure():
    """Several rules share a function; the engine knows which of its list failed. H, E and X rules are in every list."""
    wrong, ran = [], 0
    for (generation, chosen), cases in grouped().items():
        program = b"".join(bytes.fromhex(encoding["hex"]) for encoding, _ in cases)
        answers = validate(
            program, generation_named(generation), Choices("notes", dict(chosen)), legal_on=False
        ).verdicts
        for (encoding, expect), verdict in zip(cases, answers, strict=True):
            if expect["legal"] or "-" not in expect["rule"]:
                continue
            ran += 1
            if verdict.failures[0].rule_id not in {expect["rule"], *expect.get("alternatives", ())}:
                wrong.append(f"{encoding['id']} on {generation}: {verdict.failures[0].rule_id}")
    assert not wrong, "\n".join(wrong)
    assert ran == FAILURE_COUNT


def read_in(rows):
    return [
        (Region(space(r["space"]), r["partition"], 1, r["byte"], len(r["hex"]) // 2), bytes.fromhex(r["hex"]))
        for r in rows
    ]


def start_of(execution):
    accumulators = None
    if execution["accumulators_in"]:
        accumulators = np.zeros(128, np.uint32)
        for lane, bits in execution["accumulators_in"].items():
            accumulators[int(lane)] = int(bits, 16)
    registers = {int(k): int(v, 16) if isinstance(v, str) else v for k, v in execution["registers"].items()}
    return Start(read_in(execution["memory_in"]), registers, accumulators, banks_of(execution["state_in"]))


def runs():
    """(execution, generation, profile, assumptions) for every execution the engine carries out, for each profile and
    each further value of an assumption under which the execution holds.
    """
    for execution in VECTORS["executions"]:
        opcode = int(execution["opcode"], 16)
        for generation in execution["generations"]:
            line = next(i for i in describe.instructions(generation_named(generation)) if i["opcode"] == opcode)
            if not line["executable"]:
                continue
            for profile in execution["profiles"] or ("notes",):
                chosen = {
                    i: values[0]
                    for i, values in execution["assumptions"].items()
                    if REGISTRY[i].under(profile) not in values
                }
                yield execution, generation, profile, chosen
                for identifier, values in execution["assumptions"].items():
                    for value in values[1:]:
                        if value != REGISTRY[identifier].under(profile) and (identifier, value) not in NOT_OFFERED:
                            yield execution, generation, profile, chosen | {identifier: value}


def expected_rows(execution):
    """(space, partition, byte, size, check) of every expected piece of memory; check says what is wrong with its
    bytes.
    """
    for row in execution["memory_out"]:
        yield place(row, len(row["hex"]) // 2), lambda got, row=row: None if got.hex() == row["hex"] else row["hex"]
    for row in execution.get("memory_out_nan", ()):
        size = size_bytes(Dtype[row["dtype"]])
        yield place(row, size), lambda got, row=row: None if is_nan(got, row["dtype"]) else f"a NaN of {row['dtype']}"
    for row in execution.get("memory_out_approx", ()):
        yield place(row, 4 * len(row["values"])), lambda got, row=row: None if close(got, row) else row["values"]


def place(row, size):
    return space(row["space"]), row["partition"], row["byte"], size


def is_nan(got, dtype):
    numpy_type = {"FP32": np.float32, "BFLOAT16": ml_dtypes.bfloat16, "FP16": np.float16}[dtype]
    return bool(np.isnan(np.frombuffer(got, numpy_type).astype(np.float32)).all())


def close(got, row):
    """The only tolerance: the source prints these statistics in decimal."""
    return bool(np.allclose(np.frombuffer(got, "<f4"), row["values"], rtol=row["rtol"], atol=0))


def wrong_run(execution, answer):
    if answer.refused:
        return f"refused: {answer.refused}"
    for ((_, partition, byte, _), check), got in zip(expected_rows(execution), answer.memory, strict=True):
        expected = check(got)
        if expected is not None:
            return f"partition {partition} byte {byte}: expected {expected}, got {got.hex()}"
    for lane, bits in execution["accumulators_out"].items():
        if answer.accumulators[int(lane)] != int(bits, 16):
            return f"accumulator {lane}: expected {bits}, got {answer.accumulators[int(lane)]:#010x}"
    for lane, tainted in execution.get("accumulators_tainted_out", {}).items():
        if answer.tainted[int(lane)] != tainted:
            return f"taint of accumulator {lane}: expected {tainted}"
    return wrong_state(execution["state_out"], answer.banks)


def test_executions(target):
    wrong, ran = [], 0
    for execution, generation, profile, chosen in runs():
        ran += 1
        reads = [where for where, _ in expected_rows(execution)]
        program = bytes.fromhex(execution["hex"])
        answer = target.run(program, generation.lower(), profile, chosen, start_of(execution), reads)
        problem = wrong_run(execution, answer)
        if problem:
            wrong.append(f"{execution['id']} on {generation} under {profile}: {problem}")
    assert not wrong, "\n".join(wrong)
    assert ran == EXECUTION_COUNT


@pytest.mark.parametrize(("kind", "code"), [("run_errors", "execution_error"), ("not_modelled", "not_modelled")])
def test_refusals(target, kind, code):
    wrong, ran = [], 0
    for row in VECTORS[kind]:
        encoding = ENCODINGS[row["encoding"]]
        for generation in row["generations"]:
            if not answered(int(encoding["opcode"], 16), generation):
                continue
            ran += 1
            start = Start(registers={int(k): v for k, v in row.get("registers", {}).items()})
            chosen = overrides(row["assumptions"])
            answer = target.run(bytes.fromhex(encoding["hex"]), generation.lower(), "notes", chosen, start, [])
            if answer != Answer(refused=code):
                wrong.append(f"{row['id']} on {generation}: {answer.refused}")
    assert not wrong, "\n".join(wrong)
    assert ran == REFUSAL_COUNTS[kind]
