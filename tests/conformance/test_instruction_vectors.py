"""The specification's instruction vectors for every opcode the engine executes, through the engine, HTTP and gRPC.

Expected answers come from docs/isa/vectors/instructions.json alone. Each test asserts how many cases it ran.
"""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from dve_engine import REGISTRY, Region, describe, generation_named
from dve_engine.isa.opcodes import CATALOG
from tests.conformance.targets import Answer, Start, space

VECTORS = json.loads((Path(__file__).parents[2] / "docs/isa/vectors/instructions.json").read_text())
RULES = json.loads((Path(__file__).parents[2] / "docs/isa/tables/rules.json").read_text())
GENERATIONS = ("SUNDA", "CAYMAN", "MARIANA", "MAVERICK")
# How many cases there are today; more opcodes that execute mean more of them, never fewer.
ENCODING_COUNT = 1086
EXECUTION_COUNT = 561
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
    return Start(read_in(execution["memory_in"]), registers, accumulators)


def runs():
    """(execution, generation, profile, assumptions) for every execution the engine carries out, under each profile it holds in."""
    for execution in VECTORS["executions"]:
        opcode = int(execution["opcode"], 16)
        for generation in execution["generations"]:
            line = next(l for l in describe.instructions(generation_named(generation)) if l["opcode"] == opcode)
            if not line["executable"]:
                continue
            for profile in execution["profiles"] or ("notes",):
                chosen = {
                    i: values[0]
                    for i, values in execution["assumptions"].items()
                    if REGISTRY[i].under(profile) not in values
                }
                yield execution, generation, profile, chosen


def wrong_run(execution, answer):
    if answer.refused:
        return f"refused: {answer.refused}"
    for row, got in zip(execution["memory_out"], answer.memory, strict=True):
        if got.hex() != row["hex"]:
            return f"partition {row['partition']} byte {row['byte']}: expected {row['hex']}, got {got.hex()}"
    for lane, bits in execution["accumulators_out"].items():
        if answer.accumulators[int(lane)] != int(bits, 16):
            return f"accumulator {lane}: expected {bits}, got {answer.accumulators[int(lane)]:#010x}"
    return None


def test_executions(target):
    wrong, ran = [], 0
    for execution, generation, profile, chosen in runs():
        ran += 1
        reads = [(space(r["space"]), r["partition"], r["byte"], len(r["hex"]) // 2) for r in execution["memory_out"]]
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
