"""Element codes that sit on the edges: special values of every dtype, rounding ties, predicates, shift counts.

Source: isa/02 sections 5, 9, 15; isa/04 section 2.8 for predicates.
"""

SIZES = {
    0x2: 1,
    0x3: 1,
    0x4: 2,
    0x5: 2,
    0x6: 2,
    0x7: 2,
    0x8: 4,
    0x9: 4,
    0xA: 4,
    0xB: 4,
    0xD: 1,
    0xE: 1,
    0xF: 1,
    0x11: 1,
}

# Zeros, ones, subnormals, extremes, infinities, quiet and signalling NaNs of both signs.
FP32 = (
    0x00000000,
    0x80000000,
    0x3F800000,
    0xBF800000,
    0x00000001,
    0x80000001,
    0x007FFFFF,
    0x00800000,
    0x7F7FFFFF,
    0xFF7FFFFF,
    0x7F800000,
    0xFF800000,
    0x7FC00000,
    0xFFC00000,
    0x7F800001,
    0xFF800001,
    0x7FC12345,
    0xFFFFFFFF,
    0x7FBFFFFF,
    0xFFA00000,
)
# Limits of the narrower targets, and half a step to either side (isa/02 section 9, sections 15.1 and 15.2).
FP32_LIMITS = (
    0x417C0000,
    0x41780000,
    0x43700000,
    0x43780000,
    0x43E00000,
    0x43E80000,
    0x43E80001,
    0x47600000,
    0x47700000,
    0x477FE000,
    0x477FF000,
    0x7F7F7FFF,
    0x7F7F8000,
    0x40FC0000,
    0x40FE0000,
    0x42FF0000,
    0x437F8000,
    0x46FFFF00,
    0x477FFF80,
    0x4EFFFFFF,
    0x4F000000,
    0x4F7FFFFF,
    0x4F800000,
    0x3F000000,
    0x3EFFFFFF,
    0x3FC00000,
    0x40200000,
    0x33000000,
    0x37000000,
    0x3A800000,
    0x3C000000,
    0x3CC00000,
    0x4B800000,
    0x4B7FFFFF,
    0x4B800001,
)
HALVES = {
    0x6: (0x0000, 0x3F80, 0x7F7F, 0x7F80, 0x7FC0, 0x7F81, 0x0001, 0x007F, 0x0080, 0x4380, 0x4170, 0x3F81),
    0x7: (0x0000, 0x3C00, 0x7BFF, 0x7C00, 0x7E00, 0x7C01, 0x0001, 0x03FF, 0x0400, 0x5B80, 0x5BC0, 0x5F00, 0x4BE0),
    0xD: (0x00, 0x30, 0x6F, 0x70, 0x78, 0x71, 0x01, 0x0F, 0x10, 0x7F),
    0xE: (0x00, 0x38, 0x77, 0x78, 0x7C, 0x79, 0x7E, 0x7F, 0x01, 0x07, 0x08),
    0xF: (0x00, 0x3C, 0x7B, 0x7C, 0x7E, 0x7D, 0x01, 0x03, 0x04, 0x7F),
    0x11: (0x00, 0x20, 0x7F, 0x01, 0x1F, 0x60, 0x5F),
}
INTEGERS = (
    0,
    1,
    -1,
    2,
    5,
    -5,
    127,
    128,
    -128,
    -129,
    255,
    256,
    300,
    2049,
    32767,
    32768,
    -32768,
    -32769,
    65535,
    65536,
    16777215,
    16777216,
    16777217,
    16777219,
    -16777217,
    33554435,
    16842753,
    2147483583,
    2147483584,
    2147483647,
    -2147483648,
    3000000001,
    4294967295,
)
# Mantissa bits a narrowing drops: FP32R, FP16, BF16, E3M4, E4M3, E5M2, E2M5.
DROPPED = (12, 13, 16, 19, 20, 21, 18, 10)


def element(rng, dtype):
    """Return a code of a dtype, special more often than not."""
    size = SIZES[dtype]
    if rng.random() < 0.15:
        return rng.getrandbits(8 * size)
    if dtype in (0xA, 0xB):
        return fp32(rng)
    if dtype in HALVES:
        return rng.choice(HALVES[dtype]) | rng.getrandbits(1) << (8 * size - 1)
    if rng.random() < 0.3:
        return rng.randrange(-20, 21) % (1 << (8 * size))
    return rng.choice(INTEGERS) % (1 << (8 * size))


def fp32(rng):
    """Return fp32 bits: a special value, a limit, a tie for some target, or a small number."""
    kind = rng.random()
    if kind < 0.06:
        return rng.getrandbits(1) << 31
    if kind < 0.35:
        return rng.choice(FP32)
    if kind < 0.6:
        return rng.choice(FP32_LIMITS) ^ rng.getrandbits(1) << 31
    if kind < 0.75:
        dropped = rng.choice(DROPPED)
        exponent = rng.choice((1, 100, 110, 120, 126, 127, 128, 130, 134, 142, 149, 158, 254))
        tie = rng.getrandbits(23) >> dropped << dropped | 1 << (dropped - 1)
        return rng.getrandbits(1) << 31 | exponent << 23 | (tie + rng.choice((-1, 0, 0, 1)))
    if kind < 0.9:
        return small_fp32(rng)
    return rng.getrandbits(32)


def small_fp32(rng):
    """Return fp32 bits of a number of ordinary size with few mantissa bits."""
    return rng.getrandbits(1) << 31 | rng.randrange(120, 136) << 23 | rng.getrandbits(5) << 18


def predicate(rng, dtype):
    """Return a predicate element: zero about half of the time, otherwise any bit may be the one that is set."""
    width = 8 * SIZES[dtype]
    if rng.random() < 0.45:
        return 0
    return rng.choice((1, (1 << width) - 1, 1 << (width - 1), 1 << rng.randrange(width), rng.getrandbits(width) | 2))


def shift_count(rng, dtype):
    """Return a shift count: mostly inside the lane, sometimes 32, more, or with the top bit set."""
    width = 8 * SIZES[dtype]
    if rng.random() < 0.7:
        return rng.randrange(33)
    return rng.choice((width - 1, width, 31, 32, 33, 64, 0xFF, 1 << (width - 1), (1 << width) - 1)) % (1 << width)


def integer_scalar(rng):
    """Return the fp32 bits of a scalar beside an integer ALU code: whole numbers, ties, values beyond INT32, NaN."""
    if rng.random() < 0.5:
        return rng.choice(
            (
                0,
                0x3F800000,
                0xBF800000,
                0x40A00000,
                0x40200000,
                0x3F000000,
                0x4B800000,
                0x4F32D05E,
                0xCF000000,
                0x4EFFFFFF,
                0x7FC00000,
                0xFFC00000,
                0x7F800000,
                0xFF800000,
                0x00000001,
            )
        )
    return fp32(rng)


# First and last code, without sign, of numbers of ordinary size: about 1/16 to 16.
ORDINARY = {
    0x6: (0x3D80, 0x4180),
    0x7: (0x2C00, 0x4C00),
    0xD: (0x08, 0x6F),
    0xE: (0x18, 0x58),
    0xF: (0x2C, 0x4C),
    0x11: (0x01, 0x7F),
}


def tame(rng, dtype):
    """Return a code of a dtype that stands for a number of ordinary size, sometimes zero."""
    size = SIZES[dtype]
    if rng.random() < 0.1:
        return 0
    if dtype in (0xA, 0xB):
        return (
            small_fp32(rng) if rng.random() < 0.7 else rng.getrandbits(1) << 31 | rng.randrange(0x3D800000, 0x41800000)
        )
    if dtype in ORDINARY:
        return rng.randint(*ORDINARY[dtype]) | rng.getrandbits(1) << (8 * size - 1)
    return rng.randrange(-100, 101) % (1 << (8 * size))
