"""Records by field names, runs with memory by partition, the specification's vectors and rule lists of some opcodes."""

import json
from pathlib import Path

import numpy as np

from dve_engine import (
    GENERATIONS,
    REGISTRY,
    Accumulators,
    Choices,
    Machine,
    MachineState,
    Region,
    Space,
    generation_named,
    validate,
)
from dve_engine.instructions.catalog import INSTRUCTIONS
from dve_engine.isa.layout import struct_of

ISA = Path(__file__).parents[3] / "docs" / "isa"
VECTORS = json.loads((ISA / "vectors" / "instructions.json").read_text())
RULES = json.loads((ISA / "tables" / "rules.json").read_text())
HEADER_RULES = {"H1": "has_valid_neuron_header", "H2": "has_valid_neuron_header"}
FP32, BF16, INT32, UINT32, UINT8, INT8, UINT16, INT16, FP16 = 0x0A, 0x06, 0x08, 0x09, 0x03, 0x02, 0x05, 0x04, 0x07
NUMPY = {FP32: "<f4", INT32: "<i4", UINT32: "<u4", UINT8: "u1", INT8: "i1", UINT16: "<u2", INT16: "<i2", FP16: "<f2"}


def pattern(address, *counts, steps=None, dims=4):
    """A direct pattern, contiguous unless steps are given; (start, steps, counts) innermost first."""
    counts = [*counts, *[1] * (dims - len(counts))]
    packed = [int(np.prod(counts[:d])) for d in range(dims)]
    steps = packed if steps is None else [*steps, *packed[len(steps) :]]
    return address, steps, counts


def indirect(index_address, data_address, num, *, dims=4):
    """The bytes of an index-list pattern."""
    size = 4 + 4 * dims
    words = np.array([index_address | 0x2000_0000, data_address], "<u4").tobytes()
    return (words + int(num).to_bytes(2, "little")).ljust(size, b"\0")


def record(opcode, **fields):
    """64 bytes: a legal header, then the named fields; patterns as `pattern` or `indirect` makes them."""
    layout = struct_of(opcode)
    raw = np.zeros(64, np.uint8)
    raw[:2] = opcode, 16
    words = raw.view(layout.dtype)
    for name, value in fields.items():
        if isinstance(value, bytes):
            offset, size = layout.span(name)
            raw[offset : offset + size] = np.frombuffer(value, np.uint8)
        else:
            words[name] = value
    return raw.tobytes()


def at(partition, byte=0, *, generation="CAYMAN", space=Space.SBUF):
    """The address of a byte of a partition."""
    geometry = space.geometry(generation_named(generation))
    return geometry.base + partition * geometry.stride_bytes + byte


def fresh(generation="CAYMAN"):
    return MachineState.fresh(generation_named(generation))


def put(state, partition, byte, data, *, space=Space.SBUF):
    """Store an array or bytes, one row per partition from `partition` on."""
    rows = np.atleast_2d(np.frombuffer(data, np.uint8) if isinstance(data, bytes) else np.ascontiguousarray(data))
    for i, row in enumerate(rows):
        raw = row.tobytes()
        state.memory.write(Region(space, partition + i, 1, byte, len(raw)), raw)


def get(state, partition, byte, count, dtype, *, space=Space.SBUF):
    """Elements of one partition, in the NumPy type of a dtype code (raw bits for the floats NumPy lacks)."""
    kind = np.dtype(NUMPY.get(dtype, dtype) if isinstance(dtype, int) else dtype) if dtype != BF16 else np.dtype("<u2")
    raw = state.memory.read(Region(space, partition, 1, byte, count * kind.itemsize))
    return np.frombuffer(raw.tobytes(), kind)


def run(program, state, profile="notes", **assumptions):
    """Run on a state; assumption ids with underscores for dashes."""
    chosen = {name.replace("_", "-"): value for name, value in assumptions.items()}
    return Machine(state.generation, Choices(profile, chosen)).run(program, state)


def failures(program, generation="CAYMAN", **assumptions):
    """The rule ids a record breaks, in order."""
    chosen = {name.replace("_", "-"): value for name, value in assumptions.items()}
    (verdict,) = validate(program, generation_named(generation), Choices("notes", chosen)).verdicts
    return [f.rule_id for f in verdict.failures]


def overrides(assumptions, profile="notes"):
    return {i: values[0] for i, values in assumptions.items() if REGISTRY[i].under(profile) not in values}


# -- the specification's tables ----------------------------------------------------------------------------------------


def check_rules(*opcodes):
    """Compare the lists of the opcodes with tables/rules.json, row by row and generation by generation.

    Returns how many rows were compared.
    """
    compared = 0
    for opcode in opcodes:
        text, family = f"0x{opcode:02X}", INSTRUCTIONS[opcode]
        table = RULES["validators"][RULES["instructions"][text]]
        assert family.order_confidence == table["order_confidence"]
        assert family.struct.name == table["struct"]
        for generation in GENERATIONS:
            rows = [
                r for r in table["rules"] if generation.name in r["generations"] and text in r.get("opcodes", [text])
            ]
            expected = [_row(r, generation.name) for r in rows]
            got = [
                (r.id, r.named_on(generation), r.fields, r.confidence, r.named_by_us, r.shadowed_by, r.only_under)
                for r in family.rules_on(generation, opcode)
            ]
            assert got == expected
            compared += len(rows)
    return compared


def _row(row, generation):
    function = row.get("function_by_generation", {}).get(generation, row["function"])
    only = row.get("only_under")
    return (
        row["id"],
        function,
        tuple(row["fields"]),
        row["confidence"],
        row.get("named_by_us", False),
        row.get("shadowed_by"),
        next(iter(only.items())) if only else None,
    )


def check_encodings(*opcodes):
    """Every encoding of the opcodes on every generation it has an expectation for. Returns how many."""
    ran = 0
    for encoding in VECTORS["encodings"]:
        if int(encoding["opcode"], 16) not in opcodes:
            continue
        for generation, expect in encoding["expect"].items():
            chosen = overrides(encoding.get("assumptions") or {})
            answer = validate(bytes.fromhex(encoding["hex"]), generation_named(generation), Choices("notes", chosen))
            (verdict,) = answer.verdicts
            where = f"{encoding['id']} on {generation}"
            assert verdict.valid == expect["legal"], where
            if not expect["legal"]:
                first = verdict.failures[0]
                assert first.rule_id in (expect["rule"], HEADER_RULES.get(expect["rule"])), where
                assert first.rule == expect["function"], where
                assert expect.get("leaf") in (None, first.leaf), where
            ran += 1
    return ran


def check_executions(*opcodes):
    """Every execution of the opcodes, on every generation and under every profile it holds in. Returns how many."""
    ran = 0
    for execution in VECTORS["executions"]:
        if int(execution["opcode"], 16) not in opcodes:
            continue
        for generation in execution["generations"]:
            for profile in execution["profiles"] or ("notes",):
                _execute(execution, generation, profile)
                ran += 1
    return ran


def _execute(execution, generation, profile):
    state = fresh(generation)
    for row in execution["memory_in"]:
        put(state, row["partition"], row["byte"], bytes.fromhex(row["hex"]), space=Space[row["space"]])
    state.registers = {int(k): int(str(v), 0) for k, v in execution["registers"].items()}
    if execution["accumulators_in"]:
        words = np.zeros(128, np.uint32)
        for lane, bits in execution["accumulators_in"].items():
            words[int(lane)] = int(bits, 16)
        state.accumulators = Accumulators(words.view(np.float32))
    for bank, contents in execution["state_in"].items():
        state.banks.load(bank, contents)
    chosen = overrides(execution["assumptions"], profile)
    Machine(state.generation, Choices(profile, chosen)).run(bytes.fromhex(execution["hex"]), state)
    where = f"{execution['id']} on {generation} under {profile}"
    assert not {"memory_out_approx", "memory_out_nan"} & execution.keys(), "none of these families is approximate"
    for row in execution["memory_out"]:
        region = Region(Space[row["space"]], row["partition"], 1, row["byte"], len(row["hex"]) // 2)
        assert state.memory.read(region).tobytes().hex() == row["hex"], f"{where}: partition {row['partition']}"
    for lane, bits in execution["accumulators_out"].items():
        assert state.accumulators.values.view(np.uint32)[int(lane)] == int(bits, 16), where
    for bank, contents in execution["state_out"].items():
        assert state.banks[bank].tolist() == contents, where
