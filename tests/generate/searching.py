"""Selections by index, by lane and by chance; the eight largest elements and the search for keys.

Source: isa/04 sections 6.2, 7.2, 8.2, 10.2; isa/05 section 9; isa/06 section 5.10; isa/tables/rules.json.
"""

from tests.model.numbers import Mode, to_single, widen

from . import values
from .common import INT6, elements, lie_on, mixed, out, plain
from .values import SIZES

FP = (0x6, 0x7, 0xA, 0xD, 0xE, 0xF)
REPLACE = (0x3, 0x5, 0x6, 0x7, 0x8, 0x9, 0xA)
LANES = 128


def range_select(rng, layout, opcode, count):
    """0xBC (isa/04 section 7.2)."""
    in_dtype, out_dtype = rng.choice(FP), rng.choice((*FP, 0xB))
    base = rng.choice((0, 0, 1, 10, rng.randrange(1 << 24), (1 << 24) - count))
    layout.put(12, layout.channels, 1)
    layout.put(13, in_dtype | out_dtype << 4, 1)
    layout.put(14, rng.choice((0, 2, 3)), 1)
    layout.put(15, 0x08, 1)
    layout.put(16, to_single(0, min(base, (1 << 24) - count), 0), 4)
    layout.put(20, 0xFF7FFFFF, 4)
    layout.put(36, rng.choice((0x12, 0x13, 0x14, 0x15, 0x16)), 1)
    layout.put(37, rng.choice((0x12, 0x13, 0x14, 0x15, 0x16)), 1)

    def bound():
        if rng.random() < 0.15:
            return values.fp32(rng)
        twice = 2 * base + rng.randrange(-4, 2 * count + 5)
        return (
            to_single(int(twice < 0), abs(twice), -1)
            if rng.random() < 0.3
            else to_single(int(twice < 0), abs(twice) // 2, 0)
        )

    for k in (0, 1):
        layout.scalar(38 + k, 40 + 4 * k, 4, bound, bound)
    codes = mixed(rng, [in_dtype, out_dtype])
    source = layout.tensor(24, 2, in_dtype, count, codes[0])
    layout.tensor(48, 2, out_dtype, count, codes[1], write=True, like=lie_on(rng, source, in_dtype, out_dtype))


def tensor_scalar_select(rng, layout, opcode, count):
    """0x98 (isa/04 section 6.2)."""
    dtype = rng.choice(plain(layout))
    size = SIZES[dtype]
    predicate = rng.choice([code for code in INT6 if SIZES[code] == size])
    layout.put(32, rng.randrange(2), 1)
    layout.put(33, layout.channels, 1)
    layout.put(34, dtype, 1)
    layout.put(35, predicate, 1)
    layout.scalar(38, 40, size, lambda: values.element(rng, dtype), elements(rng, dtype))
    layout.scalar(39, 44, size, lambda: rng.randrange(2), lambda: values.predicate(rng, predicate), (0, 1, 1, 2))
    source = layout.tensor(16, 3, dtype, count, elements(rng, dtype))
    layout.tensor(48, 3, dtype, count, elements(rng, dtype), write=True, like=lie_on(rng, source, dtype, dtype))


def dropout(rng, layout, opcode, count):
    """0x7F (isa/04 section 10.2)."""
    dtype = rng.choice(plain(layout))
    source = rng.choice((0, 1, 2))
    threshold = rng.choice(FP if source and dtype not in INT6 and dtype != 0x11 else (0xA,))
    layout.put(32, dtype, 1)
    layout.put(33, dtype, 1)
    layout.put(34, layout.channels, 1)
    layout.put(36, 0 if threshold == 0xA and rng.random() < 0.4 else threshold, 1)
    layout.put(43, rng.randrange(2), 1)

    def limit():
        if threshold == 0xA and rng.random() < 0.7:
            return rng.choice((0, 0x3F800000, 0x3F000000, 0x3E800000, rng.randrange(0x3C000000, 0x3F800001)))
        return values.element(rng, threshold)

    layout.scalar(35, 44, SIZES[threshold], limit, limit, (source,))
    random_state(rng, layout)
    if rng.random() < 0.3:
        # Draws on and beside the thresholds, fewer or more than the lanes need.
        row = [
            rng.choice((0, 1 << 30, 1 << 31, (1 << 30) - 1, 0xFFFFFFFF, 0x1FF, rng.getrandbits(32)))
            for _ in range(rng.randrange(1, count + 3))
        ]
        layout.banks["random_draws"] = [rng.sample(row, len(row)) for _ in range(LANES)]
        if rng.random() < 0.4:
            layout.banks["random_draws_used"] = [rng.randrange(len(row) + 1) for _ in range(LANES)]
    placed = layout.tensor(16, 3, dtype, count, elements(rng, dtype))
    layout.tensor(48, 3, dtype, count, elements(rng, dtype), write=True, like=lie_on(rng, placed, dtype, dtype))


def random_state(rng, layout):
    """Give the LFSR words of every lane their own values, sometimes."""
    if rng.random() < 0.8:
        layout.banks["lfsr"] = [
            [rng.choice((0, 1, 0xFFFFFFFF, rng.getrandbits(32), rng.getrandbits(32))) for _ in range(4)]
            for _ in range(LANES)
        ]


def max8(rng, layout, opcode, count):
    """0x6C (isa/06 section 5.10)."""
    in_dtype, out_dtype = rng.choice(plain(layout)), rng.choice(out(layout))
    layout.put(32, in_dtype, 1)
    layout.put(33, out_dtype, 1)
    layout.put(34, layout.channels, 1)
    zero_counts(rng, layout)
    codes = mixed(rng, [in_dtype, out_dtype])
    layout.tensor(12, 4, in_dtype, count, codes[0])
    layout.tensor(48, 2, out_dtype, 8, codes[1], write=True)


def zero_counts(rng, layout):
    """Both counts are compared with 0.0 as numbers, so -0.0 passes."""
    for offset in (40, 44):
        layout.put(offset, 0x80000000 if rng.random() < 0.1 else 0, 4)


def match_value_load(rng, layout, opcode, count):
    """0x6D (isa/04 section 8.2)."""
    dtype = rng.choice(plain(layout))
    layout.put(32, dtype, 1)
    layout.put(34, layout.channels, 1)
    layout.tensor(16, 2, dtype, 8, elements(rng, dtype))
    if rng.random() < 0.7:
        search_state(rng, layout, [rng.getrandbits(32) for _ in range(8)])


def search_state(rng, layout, keys):
    """Fill the keys and flags of all lanes from a pool, and leave older indices behind."""
    layout.banks["match_values"] = [[rng.choice(keys) for _ in range(8)] for _ in range(LANES)]
    if rng.random() < 0.5:
        layout.banks["match_flags"] = [[int(rng.random() < 0.3) for _ in range(8)] for _ in range(LANES)]
    if rng.random() < 0.5:
        layout.banks["index_registers"] = [[rng.randrange(16384) for _ in range(8)] for _ in range(LANES)]


def pool_of(rng, layout, dtype):
    """Return a drawing function over a dozen codes, and the fp32 values of most of them as keys."""
    codes = [rng.choice((values.element, values.tame))(rng, dtype) for _ in range(rng.randrange(2, 13))]
    keys = [widen(code, dtype, Mode()) for code in codes]
    search_state(rng, layout, [*keys, *keys, 0x80000000, 0x7FC00000])
    return lambda: rng.choice(codes)


def find_index8(rng, layout, opcode, count):
    """0x6E (isa/04 section 8.2)."""
    in_dtype, out_dtype = rng.choice(plain(layout)), rng.choice((0x5, 0x9))
    layout.put(32, in_dtype, 1)
    layout.put(33, out_dtype, 1)
    layout.put(34, layout.channels, 1)
    zero_counts(rng, layout)
    layout.tensor(12, 4, in_dtype, count, pool_of(rng, layout, in_dtype))
    layout.tensor(48, 2, out_dtype, 8, elements(rng, out_dtype), write=True)


def match_replace8(rng, layout, opcode, count):
    """0x6F (isa/04 section 8.2)."""
    in_dtype = rng.choice(REPLACE)
    out_dtype = rng.choice((in_dtype, rng.choice(REPLACE)))
    layout.put(32, in_dtype, 1)
    layout.put(33, out_dtype, 1)
    layout.put(34, layout.channels, 1)
    layout.put(40, values.fp32(rng), 4)
    source = layout.tensor(12, 4, in_dtype, count, pool_of(rng, layout, in_dtype))
    layout.tensor(
        44, 4, out_dtype, count, elements(rng, out_dtype), write=True, like=lie_on(rng, source, in_dtype, out_dtype)
    )


def read_indices(rng, layout, opcode, count):
    """0xE9 (isa/05 section 9)."""
    dtype = rng.choice((0x5, 0x9))
    layout.put(28, 8, 4)
    layout.put(32, dtype, 1)
    layout.put(34, layout.channels, 1)
    layout.banks["index_registers"] = [
        [rng.choice((0xFFFFFFFF, 0, 65535, 65536, rng.randrange(16384), rng.getrandbits(32))) for _ in range(8)]
        for _ in range(LANES)
    ]
    layout.tensor(44, 4, dtype, 8, elements(rng, dtype), write=True)


BUILDERS = {
    0xBC: range_select,
    0x98: tensor_scalar_select,
    0x7F: dropout,
    0x6C: max8,
    0x6D: match_value_load,
    0x6E: find_index8,
    0x6F: match_replace8,
    0xE9: read_indices,
}
