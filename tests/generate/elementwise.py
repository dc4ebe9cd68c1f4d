"""Elementwise, predicated and select instructions.

Source: isa/03 sections 4 and 5, isa/04 sections 3 to 5, isa/05 section 8; isa/tables/rules.json.
"""

from . import values
from .common import (
    GENERAL_BITVEC,
    INT6,
    INT_DVE,
    LEFT_SHIFTS,
    PLAIN,
    RIGHT_SHIFTS,
    SHIFTS,
    elements,
    general_arith,
    lie_on,
    out,
    plain,
    predicates,
    three_tensors,
)
from .values import SIZES


def tensor_scalar(rng, layout, opcode, count):
    """0x43, 0x53, 0x93 and the pointer forms 0x44, 0x54 (isa/03 sections 4.3, 4.5)."""
    pointers = opcode in (0x44, 0x54)
    root = False
    if opcode in (0x53, 0x54):
        in_dtype = out_dtype = rng.choice(INT6)
        op0, op1 = bitvec_pair(rng, in_dtype)
        size = SIZES[in_dtype]
        draws = [
            (lambda op=op: values.shift_count(rng, in_dtype) if op in SHIFTS else values.element(rng, in_dtype))
            for op in (op0, op1)
        ]
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
            layout.scalar(
                None if pointers else (35, 39)[k],
                40 + 4 * k,
                size,
                draws[k],
                draws[k],
                (1,) if pointers else (0, 0, 1, 2),
            )
    source = layout.tensor(16, 3, in_dtype, count, elements(rng, in_dtype), indirect=True)
    layout.tensor(
        48,
        3,
        out_dtype,
        count,
        elements(rng, out_dtype),
        write=True,
        indirect=True,
        like=lie_on(rng, source, in_dtype, out_dtype),
        source=source,
    )


def bitvec_pair(rng, dtype):
    """Draw op0, op1 of a bitvec tensor-scalar (TS-V4d, V4f, V7); CRC32 is legal but not modelled and is left out."""
    while True:
        op0, op1 = rng.choice(GENERAL_BITVEC), rng.choice(GENERAL_BITVEC + (0x00, 0x00))
        if op0 == 0x00 and op1 != 0x00:
            continue
        if SIZES[dtype] != 4 and (0x03 in (op0, op1) or (op0 in LEFT_SHIFTS and op1 in RIGHT_SHIFTS)):
            continue
        return op0, op1


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
    layout.tensor(
        48,
        3,
        dtype,
        count,
        elements(rng, dtype),
        write=True,
        indirect=True,
        like=lie_on(rng, source, predicate, dtype),
        source=source,
    )


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


BUILDERS = {
    0x41: tensor_tensor,
    0x51: tensor_tensor,
    0x43: tensor_scalar,
    0x53: tensor_scalar,
    0x44: tensor_scalar,
    0x54: tensor_scalar,
    0x93: tensor_scalar,
    0x72: copy_predicated,
    0x99: copy_predicated,
    0xE8: copy_predicated_scalar,
    0xEA: select_reduce,
    0x9B: read_accumulator,
}
