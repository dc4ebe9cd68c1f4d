"""Records by field names, and runs on a state whose memory is written and read by partition."""

import json
from pathlib import Path

import numpy as np

from dve_engine import Choices, Machine, MachineState, Region, Space, generation_named, validate
from dve_engine.isa.layout import struct_of

VECTORS = Path(__file__).parents[3] / "docs/isa/vectors/instructions.json"
COMPONENTS = {c["id"]: c for c in json.loads(VECTORS.read_text())["components"]}
FP32, BF16, INT32, UINT32, UINT8, INT8, UINT16, INT16, FP16 = 0x0A, 0x06, 0x08, 0x09, 0x03, 0x02, 0x05, 0x04, 0x07
E3M4, E4M3, E5M2 = 0x0D, 0x0E, 0x0F
NUMPY = {  # the floats NumPy lacks as raw bits
    FP32: "<f4", BF16: "<u2", INT32: "<i4", UINT32: "<u4", UINT8: "u1", INT8: "i1", UINT16: "<u2", INT16: "<i2",
    FP16: "<f2",
}  # fmt: skip


def f32(*values):
    return np.array(values, np.float32)


def bits(values):
    """fp32 values as a tuple of bit patterns."""
    return tuple(np.ascontiguousarray(values, np.float32).view(np.uint32).ravel().tolist())


def bf16(*values):
    """The BF16 codes of values that need no rounding."""
    return (f32(*values).view(np.uint32) >> 16).astype("<u2")


def pattern(address, *counts, steps=None, dims=4):
    """A direct pattern, contiguous unless steps are given; (start, steps, counts) innermost first."""
    counts = [*counts, *[1] * (dims - len(counts))]
    packed = [int(np.prod(counts[:d])) for d in range(dims)]
    return address, packed if steps is None else [*steps, *packed[len(steps) :]], counts


def indirect(index_address, data_address, num, *, dims=4):
    """The bytes of an index-list pattern."""
    size = 4 + 4 * dims
    words = np.array([index_address | 0x2000_0000, data_address], "<u4").tobytes()
    return (words + int(num).to_bytes(2, "little")).ljust(size, b"\0")


def record(opcode, **fields):
    """64 bytes: a legal header, then the named fields.

    A member of a pattern is `pattern__member`, a float an fp32 word, a pattern what `pattern` or `indirect` makes.
    """
    layout = struct_of(opcode)
    raw = np.zeros(64, np.uint8)
    raw[:2] = opcode, 16
    words = raw.view(layout.dtype)
    for name, value in fields.items():
        if isinstance(value, bytes):
            offset, size = layout.span(name)
            raw[offset : offset + size] = np.frombuffer(value, np.uint8)
        elif "__" in name:
            outer, member = name.split("__")
            words[outer][member] = value
        elif isinstance(value, float) and words[name].dtype.kind == "u":
            words[name] = np.float32(value).view(np.uint32)
        else:
            words[name] = value
    return raw.tobytes()


def at(partition, byte=0, *, generation="CAYMAN", space=Space.SBUF):
    """The address of a byte of a partition."""
    geometry = space.geometry(generation_named(generation))
    return geometry.base + partition * geometry.stride_bytes + byte


def fresh(generation="CAYMAN"):
    return MachineState.fresh(generation_named(generation))


def put(state, partition, byte, *contents, space=Space.SBUF):
    """Store bytes or rows of arrays, one per partition from `partition` on."""
    rows = [row for one in contents for row in ([one] if isinstance(one, bytes) else np.atleast_2d(one))]
    for i, row in enumerate(rows):
        raw = row if isinstance(row, bytes) else row.tobytes()
        state.memory.write(Region(space, partition + i, 1, byte, len(raw)), raw)


def get(state, partition, byte, count, dtype=FP32, *, space=Space.SBUF):
    """Elements of one partition. dtype: a code or a NumPy type."""
    kind = np.dtype(NUMPY.get(dtype, dtype))
    raw = state.memory.read(Region(space, partition, 1, byte, count * kind.itemsize))
    return np.frombuffer(raw.tobytes(), kind)


def _choices(profile, assumptions):
    return Choices(profile, {name.replace("_", "-"): value for name, value in assumptions.items()})


def run(program, state, profile="notes", **assumptions):
    """Run on a state; assumption ids with underscores for dashes."""
    return Machine(state.generation, _choices(profile, assumptions)).run(program, state)


def failures(program, generation="CAYMAN", **assumptions):
    """The rule ids a record breaks, in order."""
    (verdict,) = validate(program, generation_named(generation), _choices("notes", assumptions)).verdicts
    return [f.rule_id for f in verdict.failures]
