"""Records by field names, runs with memory and banks, the specification's vectors and rule lists for some opcodes."""

import json
from pathlib import Path

import numpy as np

from dve_engine import GENERATIONS, Choices, Machine, MachineState, Region, Space, generation_named, validate
from dve_engine.instructions.catalog import INSTRUCTIONS
from dve_engine.isa.layout import struct_of

ISA = Path(__file__).parents[3] / "docs" / "isa"
VECTORS = json.loads((ISA / "vectors" / "instructions.json").read_text())
RULES = json.loads((ISA / "tables" / "rules.json").read_text())
COMPONENTS = {c["id"]: c for c in VECTORS["components"]}
PARAMETERS = ("N", "mean", "A", "B", "C")
FP32, BF16, FP16, INT32, UINT32, UINT16, UINT8 = 0x0A, 0x06, 0x07, 0x08, 0x09, 0x05, 0x03
E3M4, E4M3, E5M2 = 0x0D, 0x0E, 0x0F


def f32(*values):
    return np.array(values, np.float32)


def bits(values):
    """fp32 values as a tuple of bit patterns."""
    return tuple(np.ascontiguousarray(values, np.float32).view(np.uint32).ravel().tolist())


def bf16(*values):
    """The BF16 codes of values that need no rounding."""
    return (f32(*values).view(np.uint32) >> 16).astype("<u2")


def pattern(address, *counts, dims, steps=None):
    counts = [*counts, *[1] * (dims - len(counts))]
    packed = [int(np.prod(counts[:d])) for d in range(dims)]
    return address, packed if steps is None else [*steps, *packed[len(steps) :]], counts


def record(opcode, **fields):
    """64 bytes: a legal header, then the named fields."""
    layout = struct_of(opcode)
    raw = np.zeros(64, np.uint8)
    raw[:2] = opcode, 16
    words = raw.view(layout.dtype)
    for name, value in fields.items():
        if "__" in name:  # a member of a pattern
            outer, member = name.split("__")
            words[outer][member] = value
        else:
            words[name] = np.float32(value).view(np.uint32) if isinstance(value, float) else value
    return raw.tobytes()


def at(partition, byte=0, *, generation="CAYMAN"):
    return partition * generation_named(generation).sbuf.stride_bytes + byte


def fresh(generation="CAYMAN"):
    return MachineState.fresh(generation_named(generation))


def put(state, partition, byte, *rows):
    """Store one array or bytes per partition, from `partition` on."""
    for i, row in enumerate(rows):
        raw = row if isinstance(row, bytes) else np.ascontiguousarray(row).tobytes()
        state.memory.write(Region(Space.SBUF, partition + i, 1, byte, len(raw)), raw)


def get(state, partition, byte, count, kind="<f4"):
    size = count * np.dtype(kind).itemsize
    return np.frombuffer(state.memory.read(Region(Space.SBUF, partition, 1, byte, size)).tobytes(), kind)


def chosen(assumptions):
    return {name.replace("_", "-"): value for name, value in assumptions.items()}


def run(program, state, profile="notes", **assumptions):
    return Machine(state.generation, Choices(profile, chosen(assumptions))).run(program, state)


def failures(program, generation="CAYMAN", **assumptions):
    """The rule ids a record breaks, in order."""
    verdict = validate(program, generation_named(generation), Choices("notes", chosen(assumptions))).verdicts[0]
    return [f.rule_id for f in verdict.failures]


def overrides(assumptions, profile="notes"):
    choices = Choices(profile)
    return {i: values[0] for i, values in assumptions.items() if choices.peek(i) not in values}


def check_rules(*opcodes):
    """Compare the opcodes' lists with tables/rules.json, row by row on each generation; returns how many rows."""
    compared = 0
    for opcode in opcodes:
        text, family = f"0x{opcode:02X}", INSTRUCTIONS[opcode]
        table = RULES["validators"][RULES["instructions"][text]]
        assert (family.order_confidence, family.struct.name) == (table["order_confidence"], table["struct"])
        assert {f"0x{c:02X}" for c in family.opcodes} == set(table["opcodes"])
        for generation in GENERATIONS:
            expected = [_row(r, generation.name) for r in table["rules"] if generation.name in r["generations"]]
            got = [
                (r.id, r.named_on(generation), r.fields, r.confidence, r.named_by_us, r.shadowed_by, r.only_under)
                for r in family.rules_on(generation, opcode)
            ]
            assert got == expected, (text, generation)
            compared += len(expected)
    return compared


def _row(row, generation):
    function = row.get("function_by_generation", {}).get(generation, row["function"])
    named = row.get("named_by_us", False)
    return row["id"], function, tuple(row["fields"]), row["confidence"], named, row.get("shadowed_by"), None


def check_encodings(*opcodes):
    """Every encoding vector of the opcodes on every generation it speaks of; returns how many."""
    ran = 0
    for vector in VECTORS["encodings"]:
        if int(vector["opcode"], 16) not in opcodes:
            continue
        choices = Choices("notes", overrides(vector.get("assumptions", {})))
        for name, expect in vector["expect"].items():
            verdict = validate(bytes.fromhex(vector["hex"]), generation_named(name), choices).verdicts[0]
            where = f"{vector['id']} on {name}"
            assert verdict.valid == expect["legal"], where
            if not verdict.valid:
                first = verdict.failures[0]
                assert (first.rule_id, first.rule) == (expect["rule"], expect["function"]), where
                assert expect.get("leaf") in (None, first.leaf), where
            ran += 1
    return ran


def check_executions(*opcodes):
    """Every execution vector of the opcodes under every profile, and every accepted value of its assumptions."""
    ran = 0
    for vector in VECTORS["executions"]:
        if int(vector["opcode"], 16) in opcodes:
            for generation in vector["generations"]:
                for profile in vector["profiles"]:
                    for choices in _variants(vector["assumptions"], profile):
                        _execute(vector, generation, profile, choices)
                        ran += 1
    return ran


def _variants(assumptions, profile):
    """The profile's own values, then each further value under which the vector holds."""
    yield overrides(assumptions, profile)
    for identifier, values in assumptions.items():
        for value in values:
            if value != Choices(profile).peek(identifier) and len(values) > 1:
                yield {identifier: value}


def _execute(vector, generation, profile, choices):
    state = fresh(generation)
    for row in vector["memory_in"]:
        put(state, row["partition"], row["byte"], bytes.fromhex(row["hex"]))
    for lane, parameters in vector["state_in"].get("bn_param", {}).items():
        state.banks["batch_norm"][int(lane)] = f32(*(parameters[p] for p in PARAMETERS)).view(np.uint32)
    assert set(vector["state_in"]) <= {"bn_param"}
    assert not (vector["registers"] or vector["accumulators_in"] or vector["accumulators_out"] or vector["state_out"])
    Machine(state.generation, Choices(profile, choices)).run(bytes.fromhex(vector["hex"]), state)
    where = f"{vector['id']} on {generation} under {profile}"
    for row in vector["memory_out"]:
        assert row["space"] == "SBUF"
        got = get(state, row["partition"], row["byte"], len(row["hex"]) // 2, "u1")
        assert got.tobytes().hex() == row["hex"], where
    for row in vector.get("memory_out_approx", ()):
        assert row["dtype"] == "FP32"
        got = get(state, row["partition"], row["byte"], len(row["values"]))
        np.testing.assert_allclose(got, row["values"], rtol=row["rtol"], atol=0, err_msg=where)
