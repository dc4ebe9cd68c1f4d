"""One builder per instruction family: draw a legal record and the state it runs on.

Source: isa/03 sections 4 and 5, isa/04 sections 3 to 5, isa/05 section 8; isa/tables/rules.json.
"""

import random
from dataclasses import dataclass, field

from . import values
from .layout import Layout
from .values import SIZES

INT6 = (0x2, 0x3, 0x4, 0x5, 0x8, 0x9)
PLAIN = (0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9, 0xA, 0xD, 0xE, 0xF)
GENERAL_ARITH = (0x00, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0D, 0x0E, 0x0F, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19)
GENERAL_ARITH_MARIANA = GENERAL_ARITH + (0x20, 0x21, 0x22, 0x23)
GENERAL_BITVEC = (0x00, 0x01, 0x02, 0x03, 0x0A, 0x0B, 0x0C, 0x10, 0x11)
INT_DVE = (0xC4, 0xC5, 0xC6, 0xC9, 0xCA, 0xCB, 0xCC, 0xCD, 0xCF, 0xD0, 0xD1, 0xD2, 0xD3, 0xD4)
LEFT_SHIFTS, RIGHT_SHIFTS = (0x02, 0x10), (0x03, 0x11)
SHIFTS = LEFT_SHIFTS + RIGHT_SHIFTS


@dataclass
class Case:
    """A legal record and everything its run reads. memory: list of (space, partition, byte, bytes), later rows over earlier ones."""

    record: bytes
    memory: list
    registers: dict = field(default_factory=dict)
    accumulators: list = field(default_factory=lambda: [0] * 128)
    tainted: list = field(default_factory=lambda: [False] * 128)


def legal_record(rng: random.Random, opcode: int, generation: str) -> bytes:
    """Return a random legal 64-byte record."""
    return legal_case(rng, opcode, generation).record


def legal_case(rng: random.Random, opcode: int, generation: str) -> Case:
    """Return a random legal record with memory, registers and accumulators on which its run succeeds."""
    if opcode == 0x93:
        channels = rng.choice((32, 32, 32, 64, 96, 128))
        count = rng.choice((32, 32, 64)) if channels < 96 else 32
    else:
        channels = rng.choice((1, 2, 3, 4, 5, 7, 8, rng.randrange(1, 20), rng.randrange(16, 34), rng.randrange(33, 66), rng.randrange(65, 129), 128))
        count = rng.choice((1, 2, 3, 4, 6, 8, 9, 12, 16, rng.randrange(1, 25), rng.randrange(1, 65)))
        count = max(1, min(count, 512 // channels))
    layout = Layout(rng, generation, channels)
    layout.record[0], layout.record[1] = opcode, 0x10
    draw_header(rng, layout, generation)
    OPCODES[opcode](rng, layout, opcode, count)
    case = Case(bytes(layout.record), layout.memory(), layout.registers)
    case.accumulators = [values.fp32(rng) for _ in range(128)]
    case.tainted = [rng.random() < 0.3 for _ in range(128)]
    return case


def draw_header(rng, layout, generation):
    """Set free bytes that have no effect: debug bytes (MAVERICK keeps its flags there, so they stay 0) and events."""
    if generation != "MAVERICK" and rng.random() < 0.1:
        layout.put(2, rng.getrandbits(16), 2)
    if rng.random() < 0.15:
        layout.put(4, rng.choice((0, 1, 2, 3, 4, 5, 6, 7, 14, 15)), 1)
        layout.put(5, rng.getrandbits(8), 1)
        layout.put(6, rng.choice((0, 1, 2, 3, 4, 5, 7, 9, 17, 18, 19, 20, 21, 23, 25)), 1)
        layout.put(7, rng.getrandbits(8), 1)
        layout.put(8, rng.getrandbits(32), 4)


def plain(layout):
    """Return the dtypes of is_valid_dtype(d, AllowFP32R False) in a full-byte field."""
    return PLAIN + (0x11,) if layout.generation == "MAVERICK" else PLAIN


def out(layout):
    """Return the dtypes of is_valid_dtype(d, AllowFP32R True); FP32R twice, it is easily missed."""
    return plain(layout) + (0xB, 0xB)


def general_arith(layout):
    return GENERAL_ARITH_MARIANA if layout.indirect_forms else GENERAL_ARITH


def lie_on(rng, source, dtype, target_dtype):
    """Return the operand a destination shall overlap, or None."""
    return source if rng.random() < 0.35 and SIZES[dtype] == SIZES[target_dtype] else None


def elements(rng, dtype):
    return lambda: values.element(rng, dtype)


def predicates(rng, dtype):
    return lambda: values.predicate(rng, dtype)


def tensor_scalar(rng, layout, opcode, count):
    """0x43, 0x53, 0x93 and the pointer forms 0x44, 0x54 (isa/03 sections 4.3, 4.5)."""
    pointers = opcode in (0x44, 0x54)
    root = False
    if opcode in (0x53, 0x54):
        in_dtype = out_dtype = rng.choice(INT6)
        op0, op1 = bitvec_pair(rng, in_dtype)
        size = SIZES[in_dtype]
        draws = [(lambda op=op: values.shift_count(rng, in_dtype) if op in SHIFTS else values.element(rng, in_dtype)) for op in (op0, op1)]
    else:
        in_dtype, out_dtype = rng.choice(plain(layout)), rng.choice(out(layout))
        if rng.random() < 0.2:
            out_dtype = in_dtype
        size = 4
        draws = [lambda: values.fp32(rng)] * 2
        kind = rng.random()
        if layout.generation == "MAVERICK" and kind < 0.4:
            in_dtype, out_dtype = rng.choice(INT6), rng.choice(INT6)
            op0, op1 = rng.choice(INT_DVE), rng.choice(INT_DVE + (0x00,) * 6)
            draws = [lambda: values.integer_scalar(rng)] * 2
        elif kind > 0.92:
            op0, op1, root = 0x1D, 0x00, True
        else:
            op0, op1 = rng.choice(general_arith(layout)), rng.choice(general_arith(layout) + (0x00,) * 4)
            if op0 == 0x00:
                op1 = 0x00  # TS-V4f
                out_dtype = in_dtype if rng.random() < 0.5 else out_dtype
    layout.put(32, in_dtype, 1)
    layout.put(33, out_dtype, 1)
    layout.put(34, layout.channels, 1)
    layout.put(36, op0, 1)
    layout.put(37, op1, 1)
    layout.put(38, rng.choice((0, 0, 1, 2, 3)), 1)
    if root and pointers:
        # Both words must be zero (TS-V4e) and are pointers all the same: address 0.
        layout.fill("SBUF", 0, 0, [[0]] * layout.channels, 4, draws[0])
    elif not root:
        for k in (0, 1):
            layout.scalar(None if pointers else (35, 39)[k], 40 + 4 * k, size, draws[k], draws[k])
    source = layout.tensor(16, 3, in_dtype, count, elements(rng, in_dtype), indirect=True)
    layout.tensor(48, 3, out_dtype, count, elements(rng, out_dtype), write=True, indirect=True,
                  like=lie_on(rng, source, in_dtype, out_dtype), source=source)


def bitvec_pair(rng, dtype):
    """Draw op0, op1 of a bitvec tensor-scalar (TS-V4d, V4f, V7); CRC32 is legal but not modelled and is left out."""
    while True:
        op0, op1 = rng.choice(GENERAL_BITVEC), rng.choice(GENERAL_BITVEC + (0x00, 0x00))
        if op0 == 0x00 and op1 != 0x00:
            continue
        if SIZES[dtype] != 4 and (0x03 in (op0, op1) or (op0 in LEFT_SHIFTS and op1 in RIGHT_SHIFTS)):
            continue
        return op0, op1


def two_sources(rng, layout):
    """Draw spaces and start partitions of two sources that may be read together (V25)."""
    first, second = layout.space(), layout.space()
    if first == second == "PSUM":
        second = "SBUF"
    partition = layout.partition()
    other = partition if first == second else layout.partition()
    return (first, partition), (second, other)


def three_tensors(rng, layout, count, dtypes, codes, offsets, dims, indirect):
    """Place two sources and a destination; the destination may lie on the source of its own width."""
    (space0, partition0), (space1, partition1) = two_sources(rng, layout)
    source0 = layout.tensor(offsets[0], dims, dtypes[0], count, codes[0], indirect=indirect, space=space0, partition=partition0)
    source1 = layout.tensor(offsets[1], dims, dtypes[1], count, codes[1], space=space1, partition=partition1)
    k = rng.randrange(2)
    layout.tensor(offsets[2], dims, dtypes[2], count, codes[2], write=True, indirect=indirect,
                  like=lie_on(rng, (source0, source1)[k], dtypes[k], dtypes[2]), source=source0)


def tensor_tensor(rng, layout, opcode, count):
    """0x41 and 0x51 (isa/03 section 5.3)."""
    if opcode == 0x51:
        dtypes = [rng.choice(INT6)] * 3
        op = rng.choice(GENERAL_BITVEC)
    else:
        dtypes = [rng.choice(PLAIN), rng.choice(PLAIN), rng.choice(out(layout))]
        op = rng.choice(general_arith(layout))
        if op == 0x00 and rng.random() < 0.5:
            dtypes[2] = dtypes[0]
    codes = [elements(rng, dtype) for dtype in dtypes]
    if op in SHIFTS:
        codes[1] = lambda: values.shift_count(rng, dtypes[1])
    layout.put(12, dtypes[0] | dtypes[1] << 4, 1)
    layout.put(13, dtypes[2], 1)
    layout.put(14, op, 1)
    layout.put(15, layout.channels, 1)
    three_tensors(rng, layout, count, dtypes, codes, (16, 32, 48), 3, True)


def copy_predicated(rng, layout, opcode, count):
    """0x72 and 0x99 (isa/04 section 3.2); neither may write FP32R."""
    predicate, data = rng.choice(INT6), rng.choice(PLAIN)
    target = data if opcode == 0x72 or rng.random() < 0.2 else rng.choice(plain(layout))
    dtypes = [predicate, data, target]
    layout.put(12, predicate | data << 4, 1)
    layout.put(13, target, 1)
    layout.put(15, layout.channels, 1)
    codes = [predicates(rng, predicate), elements(rng, data), elements(rng, target)]
    three_tensors(rng, layout, count, dtypes, codes, (16, 32, 48), 3, True)


def copy_predicated_scalar(rng, layout, opcode, count):
    """0xE8 (isa/04 section 4.2); the upper bytes of a narrow inline value are not looked at."""
    predicate, dtype = rng.choice(INT6), rng.choice(plain(layout))
    size = SIZES[dtype]
    layout.put(32, predicate, 1)
    layout.put(33, rng.randrange(2), 1)
    layout.put(34, layout.channels, 1)
    layout.put(41, dtype, 1)
    layout.put(42, dtype, 1)

    def inline():
        upper = rng.getrandbits(32) >> (8 * size) << (8 * size) if rng.random() < 0.2 else 0
        return upper | values.element(rng, dtype)

    layout.scalar(43, 44, size, inline, elements(rng, dtype))
    source = layout.tensor(16, 3, predicate, count, predicates(rng, predicate), indirect=True)
    layout.tensor(48, 3, dtype, count, elements(rng, dtype), write=True, indirect=True,
                  like=lie_on(rng, source, predicate, dtype), source=source)


def select_reduce(rng, layout, opcode, count):
    """0xEA (isa/04 section 5.2)."""
    predicate = rng.choice(INT6)
    data = rng.choice([dtype for dtype in PLAIN if dtype not in (0x8, 0x9)])
    target = data if rng.random() < 0.3 else rng.choice(out(layout))
    layout.put(37, 0x08, 1)
    layout.put(38, rng.randrange(2), 1)
    layout.put(40, predicate | data << 4, 1)
    layout.put(41, target, 1)
    layout.put(42, layout.channels, 1)
    sources = rng.choice(((0,), (1, 2)))
    imm_dtype = 0xA if sources == (0,) else rng.choice(plain(layout))  # SR-V9
    layout.put(43, imm_dtype, 1)
    layout.put(44, rng.choice((0, 2, 3)), 1)
    layout.scalar(39, 60, SIZES[imm_dtype], lambda: values.fp32(rng), elements(rng, imm_dtype), sources)
    codes = [predicates(rng, predicate), elements(rng, data), elements(rng, target)]
    three_tensors(rng, layout, count, [predicate, data, target], codes, (12, 24, 48), 2, False)


def read_accumulator(rng, layout, opcode, count):
    """0x9B (isa/05 section 8.3)."""
    dtype = rng.choice((0x6, 0x7, 0xA, 0xB, 0xD, 0xE, 0xF))
    layout.put(28, 1, 4)
    layout.put(32, dtype, 1)
    layout.put(33, rng.randrange(2), 1)
    layout.put(34, layout.channels, 1)
    layout.tensor(44, 1, dtype, 1, elements(rng, dtype), write=True)


OPCODES = {
    0x41: tensor_tensor, 0x51: tensor_tensor,
    0x43: tensor_scalar, 0x53: tensor_scalar, 0x44: tensor_scalar, 0x54: tensor_scalar, 0x93: tensor_scalar,
    0x72: copy_predicated, 0x99: copy_predicated, 0xE8: copy_predicated_scalar, 0xEA: select_reduce, 0x9B: read_accumulator,
}
