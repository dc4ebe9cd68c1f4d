"""Instructions with two operations, scans, folds into the accumulator, the exponential.

Source: isa/05 sections 4, 5, 6, 13; isa/tables/rules.json.
"""

from . import values
from .common import (
    GENERAL_BITVEC,
    INT6,
    PLAIN,
    SHIFTS,
    elements,
    general_arith,
    lie_on,
    mixed,
    out,
    plain,
    three_tensors,
)
from .values import SIZES

FOLDS = (0x04, 0x05, 0x06, 0x08, 0x09)
CACHE_INPUT = (0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0xA, 0xD, 0xE, 0xF)
UNPACKED = (0x8, 0x9, 0xA)


def scalar_tensor(rng, layout, opcode, count):
    """0x9D, 0x9E and 0xE5 (isa/05 sections 4.3, 5.2)."""
    if opcode == 0x9E:
        dtypes, imm_dtype = [rng.choice(INT6)] * 3, None
        ops = [rng.choice(GENERAL_BITVEC), rng.choice(GENERAL_BITVEC)]
        codes = [elements(rng, dtype) for dtype in dtypes]
        if rng.random() < 0.8:  # a left operand that is shifted, a right one that says how far
            codes = [
                (lambda: values.shift_count(rng, dtypes[0])) if op in SHIFTS else code
                for op, code in zip((None, *ops[1:], None), codes, strict=False)
            ]
    else:
        dtypes = [rng.choice(PLAIN), rng.choice(PLAIN), rng.choice(out(layout))]
        ops = [rng.choice(general_arith(layout)), rng.choice(general_arith(layout))]
        if rng.random() < 0.3:
            ops = [rng.choice((0x04, 0x06, 0x08)), 0x04]
        codes = mixed(rng, dtypes)
    sources = rng.choice(((0,), (1, 2)))
    imm_dtype = dtypes[0] if opcode == 0x9E else 0xA if sources == (0,) else rng.choice(plain(layout))
    layout.put(36, ops[0], 1)
    layout.put(37, ops[1], 1)
    layout.put(38, rng.randrange(4), 1)
    layout.put(40, dtypes[0] | dtypes[1] << 4, 1)
    layout.put(41, dtypes[2], 1)
    layout.put(42, layout.channels, 1)
    layout.put(43, imm_dtype, 1)
    layout.put(44, rng.choice((0, 2, 3)) if opcode == 0x9D else 0, 1)

    def scalar():
        if opcode == 0x9E and ops[0] in SHIFTS and rng.random() < 0.8:
            return values.shift_count(rng, imm_dtype)
        return rng.choice((values.element, values.tame))(rng, imm_dtype)

    def inline():
        # No rule looks at the bytes of a narrow bitvec scalar beyond its size (isa/05 section 4.2).
        upper = rng.getrandbits(32) >> (8 * SIZES[imm_dtype]) << (8 * SIZES[imm_dtype])
        return scalar() | (upper if rng.random() < 0.2 else 0)

    layout.scalar(39, 60, SIZES[imm_dtype], inline, scalar, sources)
    three_tensors(rng, layout, count, dtypes, codes, (12, 24, 48), 2, False)


def cached(rng, layout, opcode, count):
    """0x9A, 0xE6 and 0x30 (isa/05 sections 6.3, 13)."""
    in_dtype = rng.choice(
        CACHE_INPUT
        + ((0x8, 0x9) if opcode == 0x30 else ())
        + ((0x11,) if opcode == 0x30 and 0x11 in plain(layout) else ())
    )
    out_dtype = rng.choice(out(layout))
    command = rng.choice((0, 2, 3, 4) if opcode == 0x30 else (2, 3, 4))
    layout.put(12, command, 1)
    layout.put(32, in_dtype, 1)
    layout.put(33, out_dtype, 1)
    layout.put(34, layout.channels, 1)
    if opcode != 0x30:
        layout.put(36, rng.choice((*general_arith(layout), 0x00, 0x04, 0x06)), 1)
        layout.put(37, rng.choice(FOLDS), 1)

    def scalar():
        return rng.choice((values.fp32, values.small_fp32))(rng)

    layout.scalar(35, 40, 4, scalar, scalar)
    if command == 4:
        layout.scalar(39, 44, 4, scalar, scalar)
    source_code, target_code = mixed(rng, [in_dtype, out_dtype])
    pairs = opcode == 0x30 and command != 0 and in_dtype not in UNPACKED
    source = layout.tensor(16, 3, in_dtype, count, source_code, indirect=True, accept=even_row if pairs else None)
    layout.tensor(
        48,
        3,
        out_dtype,
        count,
        target_code,
        write=True,
        indirect=True,
        like=lie_on(rng, source, in_dtype, out_dtype),
        source=source,
    )


def even_row(steps, counts):
    """Tell whether packed elements come in pairs (exp_x_even_or_unpacked)."""
    return steps[0] != 1 or counts[0] % 2 == 0


BUILDERS = {
    0x9D: scalar_tensor,
    0x9E: scalar_tensor,
    0xE5: scalar_tensor,
    0x9A: cached,
    0xE6: cached,
    0x30: cached,
}
