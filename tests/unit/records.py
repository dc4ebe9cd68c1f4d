"""Records written field by field, and one way to ask what becomes of a program."""

import numpy as np

from dve_engine import (
    Accumulators,
    Choices,
    ExecutionError,
    Machine,
    MachineState,
    NotModelled,
    Region,
    Space,
    generation_named,
    validate,
)
from dve_engine.isa.layout import struct_of

FP32, BF16, FP16, INT8, UINT8, UINT16, INT32, UINT32, FP32R = 0x0A, 0x06, 0x07, 0x02, 0x03, 0x05, 0x08, 0x09, 0x0B
SRC, SRC1, DST = 0x0, 0x100, 0x400  # where operands start unless a case says otherwise


def pattern(address=SRC, counts=(1,), steps=(1,), dims=3):
    """A direct pattern; missing dimensions count 1."""
    rest = dims - len(counts)
    fill = (1,) * rest
    return (
        np.uint32(address).tobytes()
        + np.array((*steps, *fill), "<i2").tobytes()
        + np.array((*counts, *fill), "<u2").tobytes()
    )


def gather(index, data, num, *, dims=3):
    """An indirect pattern; `index` carries its marker."""
    size = 4 + 4 * dims
    return (np.array((index, data), "<u4").tobytes() + np.uint16(num).tobytes()).ljust(size, b"\0")


def record(opcode, **fields):
    """A record of `opcode`; a dotted name is written with `__`, a pattern or an array as bytes or a sequence."""
    layout = struct_of(opcode)
    raw = bytearray(64)
    raw[0], raw[1] = opcode, 0x10
    for name, value in fields.items():
        offset, size = layout.span(name.replace("__", "."))
        data = value if isinstance(value, bytes) else int(value).to_bytes(size, "little")
        raw[offset : offset + len(data)] = data
    return bytes(raw)


def tensor_scalar(op0, op1=0, *, opcode=0x43, dtypes=(FP32, FP32), src=None, dst=None, count=1, channels=1, **fields):
    """0x43 and its relatives on `count` elements."""
    return record(
        opcode, in_dtype=dtypes[0], out_dtype=dtypes[1], num_active_channels=channels, op0=op0, op1=op1,
        src_mem_pattern=src or pattern(SRC, (count,)), dst_mem_pattern=dst or pattern(DST, (count,)), **fields,
    )  # fmt: skip


def two_sources(opcode, dtypes, *, op=0, src0=None, src1=None, dst=None, count=1, channels=1, **fields):
    """0x41, 0x51, 0x72, 0x99: `dtypes` are those of src0, src1 and dst."""
    return record(
        opcode, in0_in1_dtype=dtypes[0] | dtypes[1] << 4, out_dtype=dtypes[2], op=op, num_active_channels=channels,
        src0_mem_pattern=src0 or pattern(SRC, (count,)), src1_mem_pattern=src1 or pattern(SRC1, (count,)),
        dst_mem_pattern=dst or pattern(DST, (count,)), **fields,
    )  # fmt: skip


def select_reduce(dtypes=(UINT8, FP32, FP32), *, count=1, cmd=3, start=0, **fields):
    """0xEA with an inline FP32 scalar."""
    places = {"src0_mem_pattern": SRC, "src1_mem_pattern": SRC1, "dst_mem_pattern": DST}
    return record(
        0xEA, in0_in1_dtype=dtypes[0] | dtypes[1] << 4, out_dtype=dtypes[2], num_active_channels=1, op1=8,
        imm0_dtype=FP32, accumulator_cmd=cmd, **fields,
        **{name: pattern(start + at, (count,), dims=2) for name, at in places.items()},
    )  # fmt: skip


def copy_scalar(dtype, **fields):
    """0xE8 on one element."""
    return record(
        0xE8, pred_dtype=UINT8, in_dtype=dtype, out_dtype=dtype, num_active_channels=1,
        pred_mem_pattern=pattern(SRC), dst_mem_pattern=pattern(DST), **fields,
    )  # fmt: skip


def read_accumulator(dtype=FP32, *, address=DST, channels=1, **fields):
    """0x9B."""
    dst = pattern(address, dims=1)
    return record(0x9B, dst_element_count=1, dtype=dtype, num_active_channels=channels, dst_mem_pattern=dst, **fields)


def grouped(opcode, counts, kept, *, dtypes=(FP32, FP32), op=0, subdim=2, channels=1, **fields):
    """0x42, 0x4E, 0x6A, 0x6B and their relatives on S4D4_TR: a source of `counts`, a destination of `kept`."""
    return record(
        opcode, in_dtype=dtypes[0], out_dtype=dtypes[1], op=op, op_dim=subdim, num_active_channels=channels,
        src_mem_pattern=_packed(SRC, counts), dst_mem_pattern=_packed(DST, kept), **fields,
    )  # fmt: skip


def pool(opcode, count, func, *, dtypes=(FP32, FP32), scale=0x3F80_0000):
    """0x45 or 0x58 on one window."""
    return record(
        opcode, in_dtype=dtypes[0], out_dtype=dtypes[1], pool_func=func, pool_dim=2, num_active_channels=1,
        pool_scale=scale, src_mem_pattern=_packed(SRC, (count,)), dst_mem_pattern=_packed(DST, (1,)),
    )  # fmt: skip


def _packed(address, counts):
    steps = [int(np.prod(counts[:d])) for d in range(len(counts))]
    return pattern(address, counts, steps, dims=4)


def floats(*bits):
    """fp32 bit patterns as bytes in memory order."""
    return np.array(bits, "<u4").tobytes()


def state_with(generation, memory=(), registers=None, accumulators=None):
    """A state from (partition, byte, bytes) of SBUF, registers and fp32 bits of the first lanes."""
    state = MachineState.fresh(generation_named(generation))
    for partition, byte, data in memory:
        state.memory.write(Region(Space.SBUF, partition, 1, byte, len(data)), data)
    state.registers = dict(registers or {})
    if accumulators is not None:
        values = np.zeros(128, np.uint32)
        values[: len(accumulators)] = accumulators
        state.accumulators = Accumulators(values.view(np.float32))
    return state


def sbuf(state, byte, size, partition=0):
    """Bytes of SBUF as hex."""
    return state.memory.read(Region(Space.SBUF, partition, 1, byte, size)).tobytes().hex()


def outcome(program, generation, choices, state, size, *, partition=0, accumulators=0):
    """What becomes of a program, in words, and the assumptions the answer names.

    The first failing rule (its id, else its function) if a record is illegal; "execution error" or "not modelled"; else
    `size` bytes at DST as hex, followed by `accumulators` accumulator words and taints.
    """
    g = generation_named(generation)
    verdicts = validate(program, g, choices, legal_on=False)
    failures = [f for v in verdicts.verdicts for f in v.failures]
    if failures:
        return failures[0].rule_id or failures[0].rule, verdicts.assumptions
    try:
        result = Machine(g, choices).run(program, state)
    except ExecutionError:
        return "execution error", verdicts.assumptions
    except NotModelled:
        return "not modelled", verdicts.assumptions
    text = sbuf(state, DST, size, partition)
    lanes = state.accumulators
    words = [f"{w:08x}{'?' if t else ''}" for w, t in zip(lanes.values.view(np.uint32), lanes.tainted, strict=True)]
    return " ".join([text, *words[:accumulators]]), result.assumptions


def run(program, generation="CAYMAN", state=None, choices=None, **options):
    """Run a program on a state, by default a fresh one; the answer and the state."""
    state = state or state_with(generation)
    result = Machine(state.generation, choices or Choices()).run(program, state, **options)
    return result, state
