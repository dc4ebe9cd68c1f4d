"""Records, runs and the specification's vectors for the tests of two-op, scan and folding instructions."""

import json
import struct
from pathlib import Path

import numpy as np

from dve_engine import REGISTRY, Accumulators, Choices, Machine, MachineState, Region, Space, generation_named, validate
from dve_engine.instructions.catalog import INSTRUCTIONS

ISA = Path(__file__).parents[3] / "docs/isa"
VECTORS = json.loads((ISA / "vectors/instructions.json").read_text())
RULES = json.loads((ISA / "tables/rules.json").read_text())
GENERATIONS = ("SUNDA", "CAYMAN", "MARIANA", "MAVERICK")

BF16, FP16, FP32, INT8, UINT8, INT16, UINT16, INT32, UINT32 = 6, 7, 0xA, 2, 3, 4, 5, 8, 9
BYPASS, ADD, SUBTRACT, MULT, MAX, MIN, IS_GT, ABSOLUTE_VALUE, SQUARE = 0, 4, 5, 6, 8, 9, 0x13, 0x19, 0x23
NONE, FIRST, SECOND, BOTH = range(4)
IDLE, ZERO, ACCUMULATE, ZERO_ACCUMULATE, LOAD_ACCUMULATE = range(5)
INLINE, POINTER, REGISTER = range(3)
SRC, SRC1, DST, PTR, PTR1 = 0x1000, 0x4000, 0x8000, 0xC000, 0xC800  # one partition of SBUF


# -- records, by the byte tables of isa/05 ---------------------------------------------------------------------------


def pattern2(address, counts, steps=None):
    counts = (*counts, 1)[:2]
    return struct.pack("<I2h2H", address, *(steps or (1, counts[0])), *counts)


def pattern3(address, counts, steps=None):
    counts = (*counts, 1, 1)[:3]
    return struct.pack("<I3h3H", address, *(steps or (1, counts[0], counts[0] * counts[1])), *counts)


def word(value):
    """The four bytes of a scalar: fp32 for a float, the word for an int."""
    return struct.pack("<f", value) if isinstance(value, float) else struct.pack("<I", value)


def head(opcode):
    return bytes((opcode, 0x10)) + bytes(10)


def stt(opcode, op0, op1, *, n, lanes=1, reverse=NONE, imm=0.0, source=INLINE, imm_dtype=FP32, dtypes=(FP32, FP32),
        out=FP32, cmd=IDLE, src0=None, src1=None, dst=None):  # fmt: skip
    record = head(opcode) + (src0 or pattern2(SRC, (n,))) + (src1 or pattern2(SRC1, (n,)))
    record += bytes((op0, op1, reverse, source, dtypes[0] | dtypes[1] << 4, out, lanes, imm_dtype, cmd, 0, 0, 0))
    return record + (dst or pattern2(DST, (n,))) + word(imm)


def ts(opcode, op0, op1, *, n, lanes=1, cmd=ZERO_ACCUMULATE, imm0=0.0, imm1=0, sources=(INLINE, INLINE), dtype=FP32,
       out=FP32, src=None, dst=None):  # fmt: skip
    record = head(opcode) + bytes((cmd, 0, 0, 0)) + (src or pattern3(SRC, (n,)))
    record += bytes((dtype, out, lanes, sources[0], op0, op1, 0, sources[1])) + word(imm0) + word(imm1)
    return record + (dst or pattern3(DST, (n,)))


def patched(record, changes):
    """The record with other bytes at some offsets."""
    raw = bytearray(record)
    for offset, value in changes.items():
        raw[offset] = value
    return bytes(raw)


# -- running ---------------------------------------------------------------------------------------------------------


class Bench:
    """A machine state in SBUF partition 0 and on, with rows of words written and read back."""

    def __init__(self, generation="CAYMAN", profile="notes", registers=None, **assumptions):
        self.state = MachineState.fresh(generation_named(generation))
        self.state.registers = registers or {}
        self.choices = Choices(profile, {k.replace("_", "-"): v for k, v in assumptions.items()})
        self.result = None

    def put(self, byte, rows, dtype=np.float32):
        """Write one row per partition, from partition 0."""
        for lane, row in enumerate(np.atleast_2d(np.asarray(rows, dtype))):
            raw = row.tobytes()
            self.state.memory.write(Region(Space.SBUF, lane, 1, byte, len(raw)), raw)
        return self

    def accumulators(self, values):
        content = np.zeros(128, np.float32)
        content[: len(values)] = values
        self.state.accumulators = Accumulators(content)
        return self

    def run(self, *records):
        self.result = Machine(self.state.generation, self.choices).run(b"".join(records), self.state)
        return self

    def get(self, n, lanes=1, byte=DST, dtype=np.float32):
        size = n * np.dtype(dtype).itemsize
        rows = [self.state.memory.read(Region(Space.SBUF, lane, 1, byte, size)) for lane in range(lanes)]
        return np.array([np.frombuffer(bytes(row.tobytes()), dtype) for row in rows])

    @property
    def acc(self):
        return self.state.accumulators.values

    @property
    def used(self):
        return self.result.assumptions


def bits(values):
    return np.ascontiguousarray(values, np.float32).view(np.uint32).tolist()


def first_failure(record, generation="CAYMAN", profile="notes", **assumptions):
    """(rule id, function, field, leaf) of the first failure, None where the record is legal."""
    choices = Choices(profile, {k.replace("_", "-"): v for k, v in assumptions.items()})
    (verdict,) = validate(record, generation_named(generation), choices).verdicts
    if verdict.valid:
        return None
    failure = verdict.failures[0]
    return failure.rule_id, failure.rule, failure.field, failure.leaf


def rule_of(record, generation="CAYMAN", profile="notes", **assumptions):
    failure = first_failure(record, generation, profile, **assumptions)
    return failure and failure[0]


# -- the specification's answers -------------------------------------------------------------------------------------


def overrides(assumptions, profile="notes"):
    return {i: values[0] for i, values in assumptions.items() if REGISTRY[i].under(profile) not in values}


def wrong_encodings(*opcodes):
    """(problems, cases) of every encoding of these opcodes on every generation it names."""
    wrong, ran = [], 0
    for encoding in VECTORS["encodings"]:
        if int(encoding["opcode"], 16) not in opcodes:
            continue
        for generation, expect in encoding["expect"].items():
            ran += 1
            chosen = overrides(encoding.get("assumptions", {}))
            choices = Choices("notes", chosen)
            (verdict,) = validate(bytes.fromhex(encoding["hex"]), generation_named(generation), choices).verdicts
            got = (verdict.failures[0].rule, verdict.failures[0].rule_id) if verdict.failures else None
            wanted = None if expect["legal"] else (expect["function"], expect["rule"])
            leaf_ok = verdict.valid or expect.get("leaf") in (None, verdict.failures[0].leaf)
            if got != wanted or not leaf_ok:
                wrong.append((encoding["id"], generation, wanted, got))
    return wrong, ran


def wrong_executions(*opcodes):
    """(problems, cases) of every execution of these opcodes, on every generation, under every profile."""
    wrong, ran = [], 0
    for execution in VECTORS["executions"]:
        if int(execution["opcode"], 16) not in opcodes:
            continue
        for generation in execution["generations"]:
            for profile in execution["profiles"] or ("notes",):
                ran += 1
                chosen = overrides(execution["assumptions"], profile)
                problem = _wrong_run(execution, generation, profile, chosen)
                if problem:
                    wrong.append((execution["id"], generation, profile, problem))
    return wrong, ran


def _wrong_run(execution, generation, profile, chosen):
    state = MachineState.fresh(generation_named(generation))
    for row in execution["memory_in"]:
        state.memory.write(_region(row), bytes.fromhex(row["hex"]))
    content = np.zeros(128, np.uint32)
    for lane, value in execution["accumulators_in"].items():
        content[int(lane)] = int(value, 16)
    if execution["accumulators_in"]:
        state.accumulators = Accumulators(content.view(np.float32))
    result = Machine(state.generation, Choices(profile, chosen)).run(bytes.fromhex(execution["hex"]), state)
    for row in execution["memory_out"]:
        got = state.memory.read(_region(row)).tobytes().hex()
        if got != row["hex"]:
            return f"byte {row['byte']}: {got}"
    for lane, value in execution["accumulators_out"].items():
        if state.accumulators.values.view(np.uint32)[int(lane)] != int(value, 16):
            return f"accumulator {lane}"
    assert set(execution) <= {*_FIELDS, "note"}, set(execution) - {*_FIELDS}
    asked = {i for i in execution["assumptions"] if i not in _NOT_ALWAYS}
    return None if asked <= set(result.assumptions) else f"does not name {asked - set(result.assumptions)}"


_FIELDS = (
    "id", "source", "encoding", "opcode", "name", "generations", "hex", "assumptions", "profiles", "registers",
    "memory_in", "memory_out", "accumulators_in", "accumulators_out", "state_in", "state_out",
)  # fmt: skip
# a roster row names one generation; the others are named only where the operands at hand make them matter
_NOT_ALWAYS = ("sunda-dve-roster", "fold-association", "accumulator-reset-value", "stt-fold-operator")


def _region(row):
    return Region(Space[row["space"]], row["partition"], 1, row["byte"], len(row["hex"]) // 2)


def wrong_rules(validator):
    """(differences, rules) between a validator of rules.json and the engine's list, row by row, on every generation."""
    table, wrong, compared = RULES["validators"][validator], [], 0
    for opcode in table["opcodes"]:
        family = INSTRUCTIONS[int(opcode, 16)]
        assert family.order_confidence == table["order_confidence"]
        assert family.struct.name == table["struct"]
        for generation in GENERATIONS:
            code = int(opcode, 16)
            mine = [_row(rule, generation) for rule in family.rules_on(generation_named(generation), code)]
            theirs = [_table_row(row, generation) for row in table["rules"] if _listed(row, opcode, generation)]
            compared += len(theirs)
            if mine != theirs:
                wrong.append(
                    (opcode, generation, [pair for pair in zip(mine, theirs, strict=False) if pair[0] != pair[1]])
                )
    return wrong, compared


def _listed(row, opcode, generation):
    return generation in row["generations"] and opcode in row.get("opcodes", (opcode,))


def _row(rule, generation):
    on = generation_named(generation)
    under = rule.only_under and {rule.only_under[0]: [rule.only_under[1]]}
    return (rule.id, rule.named_on(on), set(rule.fields), rule.confidence, rule.named_by_us, rule.shadowed_by, under)


def _table_row(row, generation):
    function = row.get("function_by_generation", {}).get(generation, row["function"])
    named = row.get("named_by_us", False)
    return (
        row["id"],
        function,
        set(row["fields"]),
        row["confidence"],
        named,
        row.get("shadowed_by"),
        row.get("only_under"),
    )
