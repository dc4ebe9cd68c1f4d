"""Records and runs for the tests of two-op, scan and folding instructions."""

import struct

import numpy as np

from dve_engine import Accumulators, Choices, Machine, MachineState, Region, Space, generation_named, validate

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
