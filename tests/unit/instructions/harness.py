"""What the family tests share: the specification's vectors and rules by opcode, records, runs with banks."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dve_engine import (
    GENERATIONS,
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

ISA = Path(__file__).parents[3] / "docs/isa"
VECTORS = json.loads((ISA / "vectors/instructions.json").read_text())
RULES = json.loads((ISA / "tables/rules.json").read_text())
LAYOUTS = json.loads((ISA / "tables/layouts.json").read_text())["structs"]
BANKS = {  # a vector's name for a piece of state -> bank, words per lane
    "mv": "match_values",
    "mv_matched": "match_flags",
    "idx8": "index_registers",
    "dropout_draws": "random_draws",
}
QUIET = {"FP32": ("<u4", 0x7F800000), "BFLOAT16": ("<u2", 0x7F80)}  # codes above this magnitude are NaN


# -- the specification's vectors -------------------------------------------------------------------------------------


def overrides(assumptions, profile="notes"):
    """The values under which a vector holds, where the profile's own is not among them."""
    choices = Choices(profile)
    return {i: values[0] for i, values in assumptions.items() if choices.peek(i) not in values}


def check_encodings(*opcodes):
    """Every encoding vector of the opcodes on every generation it speaks of; returns how many there were."""
    ran = 0
    for vector in VECTORS["encodings"]:
        if int(vector["opcode"], 16) not in opcodes:
            continue
        chosen = overrides(vector.get("assumptions", {}))
        for name, expect in vector["expect"].items():
            ran += 1
            verdict = validate(bytes.fromhex(vector["hex"]), generation_named(name), Choices("notes", chosen)).verdicts[
                0
            ]
            assert verdict.valid == expect["legal"], (vector["id"], name, verdict.failures)
            if not verdict.valid:
                first = verdict.failures[0]
                assert first.rule == expect["function"], (vector["id"], name)
                assert first.rule_id == expect["rule"] or first.rule_id == "H1", (vector["id"], name, first.rule_id)
                if "leaf" in expect:
                    assert first.leaf == expect["leaf"], (vector["id"], name)
    return ran


def banks_of(state):
    """A vector's state as bank contents; lanes it does not mention are 0."""
    contents = {}
    for name, lanes in state.items():
        width = max(len(words) for words in lanes.values())
        array = np.zeros((128, width), np.uint8 if name == "mv_matched" else np.uint32)
        for lane, words in lanes.items():
            array[int(lane)] = [number(w) for w in words]
        contents[BANKS[name]] = array
    return contents


def number(word):
    return int(word, 16) if isinstance(word, str) else int(word)


def check_executions(*opcodes):
    """Every execution vector on every generation and profile; returns how many runs there were."""
    ran = 0
    for vector in VECTORS["executions"]:
        if int(vector["opcode"], 16) not in opcodes:
            continue
        for generation in vector["generations"]:
            for profile in vector["profiles"]:
                ran += 1
                check_execution(vector, generation, profile)
    return ran


def check_execution(vector, generation, profile):
    where = f"{vector['id']} on {generation} under {profile}"
    memory = [((r["space"], r["partition"], r["byte"]), bytes.fromhex(r["hex"])) for r in vector["memory_in"]]
    accumulators = {int(lane): int(bits, 16) for lane, bits in vector["accumulators_in"].items()}
    done = run(
        bytes.fromhex(vector["hex"]),
        generation,
        memory,
        banks=banks_of(vector["state_in"]),
        accumulators=accumulators or None,
        profile=profile,
        **overrides(vector["assumptions"], profile),
    )
    for row in vector["memory_out"]:
        got = done.bytes((row["space"], row["partition"], row["byte"]), len(row["hex"]) // 2)
        assert got.hex() == row["hex"], where
    for row in vector.get("memory_out_nan", ()):
        kind, infinity = QUIET[row["dtype"]]
        code = done.elements((row["space"], row["partition"], row["byte"]), kind, 1)[0]
        assert int(code) % (1 << 8 * np.dtype(kind).itemsize - 1) > infinity, where  # without the sign
    for lane, bits in vector["accumulators_out"].items():
        assert done.accumulator(int(lane)) == int(bits, 16), where
    for name, lanes in vector["state_out"].items():
        for lane, words in lanes.items():
            got = done.state.banks[BANKS[name]][int(lane)].tolist()
            assert [g for g, w in zip(got, words, strict=True) if w is not None] == [
                number(w) for w in words if w is not None
            ], where


def check_rules(*validators):
    """The families' lists against rules.json, row by row; returns how many rows were compared."""
    ran = 0
    for name in validators:
        validator = RULES["validators"][name]
        for code in validator["opcodes"]:
            family = INSTRUCTIONS[int(code, 16)]
            assert family.order_confidence == validator["order_confidence"], name
            assert family.struct.name == validator["struct"], name
            for generation in GENERATIONS:
                got = [row_of(rule, generation) for rule in family.rules_on(generation, int(code, 16))]
                expected = [
                    row_expected(rule, generation.name)
                    for rule in validator["rules"]
                    if generation.name in rule["generations"] and code in rule.get("opcodes", [code])
                ]
                assert got == expected, (name, generation.name)
                ran += len(got)
    return ran


def row_of(rule, generation):
    return {
        "id": rule.id,
        "function": rule.named_on(generation),
        "fields": sorted(rule.fields),
        "confidence": rule.confidence,
        "named_by_us": rule.named_by_us,
        "shadowed_by": rule.shadowed_by,
        "only_under": rule.only_under,
    }


def row_expected(rule, generation):
    return {
        "id": rule["id"],
        "function": rule.get("function_by_generation", {}).get(generation, rule["function"]),
        "fields": sorted(rule["fields"]),
        "confidence": rule["confidence"],
        "named_by_us": rule.get("named_by_us", False),
        "shadowed_by": rule.get("shadowed_by"),
        "only_under": rule.get("only_under"),
    }


# -- records and runs ------------------------------------------------------------------------------------------------


def pattern(start, *num, steps=None):
    """(start word, steps, counts), index 0 innermost; contiguous unless steps are given."""
    return start, list(steps) if steps else [1] * len(num), list(num)


def record(struct, opcode, **fields):
    """64 bytes: values by the field names of layouts.json; patterns from `pattern`, floats as fp32, else integers."""
    raw = bytearray(64)
    raw[0:2] = opcode, 0x10
    described = {f["name"]: f for f in LAYOUTS[struct]["fields"]}
    for name, value in fields.items():
        entry = described[name]
        offset, size = entry["offset"], entry["size"]
        if isinstance(value, tuple):
            start, steps, num = value
            dims = (size - 4) // 4
            steps, num = steps + [1] * (dims - len(steps)), num + [1] * (dims - len(num))
            data = start.to_bytes(4, "little") + np.array(steps, "<i2").tobytes() + np.array(num, "<u2").tobytes()
        elif isinstance(value, float):
            data = np.float32(value).astype("<f4").tobytes()
        else:
            data = int(value).to_bytes(size, "little")
        assert len(data) == size, name
        raw[offset : offset + size] = data
    return bytes(raw)


@dataclass
class Done:
    """A finished run."""

    state: MachineState
    assumptions: dict
    diagnostics: list = field(default_factory=list)

    def bytes(self, place, size):
        space, partition, byte = place
        return self.state.memory.read(Region(Space[space], partition, 1, byte, size)).tobytes()

    def elements(self, place, kind, count):
        """Elements of one partition as a NumPy array of `kind`."""
        return np.frombuffer(self.bytes(place, count * np.dtype(kind).itemsize), kind)

    def accumulator(self, lane):
        return int(self.state.accumulators.values.view(np.uint32)[lane])

    @property
    def tainted(self):
        return self.state.accumulators.tainted


def prepared(generation, memory=(), banks=(), accumulators=None, registers=None):
    """A machine state with these contents. memory: ((space, partition, byte), bytes or array)."""
    state = MachineState.fresh(generation_named(generation))
    for (space, partition, byte), data in memory:
        raw = data if isinstance(data, bytes) else np.ascontiguousarray(data).tobytes()
        state.memory.write(Region(Space[space], partition, 1, byte, len(raw)), raw)
    for name, contents in dict(banks).items():
        state.banks.load(name, contents)
    if accumulators is not None:
        values = np.zeros(128, np.uint32)
        for lane, bits in accumulators.items():
            values[lane] = bits
        state.accumulators = Accumulators(values.view(np.float32))
    state.registers = dict(registers or {})
    return state


def run(
    program,
    generation="CAYMAN",
    memory=(),
    *,
    banks=(),
    accumulators=None,
    registers=None,
    profile="notes",
    state=None,
    **choices,
):
    """Run a program; choices by id with _ for -."""
    chosen = {name.replace("_", "-"): value for name, value in choices.items()}
    if state is None:
        state = prepared(generation, memory, banks, accumulators, registers)
    result = Machine(state.generation, Choices(profile, chosen)).run(program, state)
    return Done(state, result.assumptions, result.diagnostics)


def first_failure(program, generation="CAYMAN", **choices):
    """(rule id, field) of the first broken rule, None where the record is legal."""
    chosen = {name.replace("_", "-"): value for name, value in choices.items()}
    verdict = validate(program, generation_named(generation), Choices("notes", chosen)).verdicts[0]
    return None if verdict.valid else (verdict.failures[0].rule_id, verdict.failures[0].field)


def f32(*values):
    return np.array(values, "<f4")


def bits(*words, kind="<u4"):
    return np.array(words, kind)


def sbuf(partition, byte):
    return "SBUF", partition, byte


FP32, BF16, FP16, FP32R = 0x0A, 0x06, 0x07, 0x0B
INT8, UINT8, INT16, UINT16, INT32, UINT32 = 2, 3, 4, 5, 8, 9
EXP3, EXP4, EXP5 = 0x0D, 0x0E, 0x0F
ALL_GENERATIONS = [g.name for g in GENERATIONS]
SINCE_CAYMAN = ALL_GENERATIONS[1:]
