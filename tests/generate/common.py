"""Sets of codes and small helpers that the builders of all families share.

Source: isa/02 section 4.3, isa/03 section 1.3.
"""

from . import values
from .values import SIZES

INT6 = (0x2, 0x3, 0x4, 0x5, 0x8, 0x9)
PLAIN = (0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9, 0xA, 0xD, 0xE, 0xF)
GENERAL_ARITH = (0x00, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0D, 0x0E, 0x0F, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19)
GENERAL_ARITH_MARIANA = GENERAL_ARITH + (0x20, 0x21, 0x22, 0x23)
GENERAL_BITVEC = (0x00, 0x01, 0x02, 0x03, 0x0A, 0x0B, 0x0C, 0x10, 0x11)
INT_DVE = (0xC4, 0xC5, 0xC6, 0xC9, 0xCA, 0xCB, 0xCC, 0xCD, 0xCF, 0xD0, 0xD1, 0xD2, 0xD3, 0xD4)
LEFT_SHIFTS, RIGHT_SHIFTS = (0x02, 0x10), (0x03, 0x11)
SHIFTS = LEFT_SHIFTS + RIGHT_SHIFTS


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
    source0 = layout.tensor(
        offsets[0], dims, dtypes[0], count, codes[0], indirect=indirect, space=space0, partition=partition0
    )
    source1 = layout.tensor(offsets[1], dims, dtypes[1], count, codes[1], space=space1, partition=partition1)
    k = rng.randrange(2)
    layout.tensor(
        offsets[2],
        dims,
        dtypes[2],
        count,
        codes[2],
        write=True,
        indirect=indirect,
        like=lie_on(rng, (source0, source1)[k], dtypes[k], dtypes[2]),
        source=source0,
    )


def mixed(rng, dtypes):
    """Return a drawing function per operand: edges, tame numbers, both, or a few codes with zeros of both signs.

    Folds of edges alone soon end in NaN; a sum of negative zeros alone stays negative.
    """
    style = rng.choice(("edges", "tame", "tame", "both", "few"))

    def drawing(dtype):
        if style == "edges":
            return elements(rng, dtype)
        if style == "tame":
            return lambda: values.tame(rng, dtype)
        if style == "few":
            minus_zero = 0 if dtype in INT6 else 1 << (8 * SIZES[dtype] - 1)
            codes = [minus_zero, *(rng.choice((0, values.tame(rng, dtype))) for _ in range(rng.randrange(3)))]
            return lambda: rng.choice(codes)
        return lambda: (values.element if rng.random() < 0.1 else values.tame)(rng, dtype)

    return [drawing(dtype) for dtype in dtypes]
