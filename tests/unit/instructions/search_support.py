"""Records by the field names of layouts.json, and runs with banks, for the select, search and dropout instructions."""

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

LAYOUTS = json.loads((Path(__file__).parents[3] / "docs/isa/tables/layouts.json").read_text())["structs"]


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
