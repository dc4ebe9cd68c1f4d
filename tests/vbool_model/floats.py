"""Floating point by exact rationals.

Source: isa/07 sections 2, 3.2 to 3.4, 8.3; NaN of a product: isa/02 section 11.1 row 2.
"""

from fractions import Fraction

MANTISSA, EXPONENT, BIAS = {16: 10, 32: 23}, {16: 5, 32: 8}, {16: 15, 32: 127}
CANONICAL = {16: 0x7E00, 32: 0x7FC00000}
INFINITY = {16: 0x7C00, 32: 0x7F800000}
NAN = "nan"


def parts(bits, width):
    mantissa, exponent = MANTISSA[width], EXPONENT[width]
    return bits >> (width - 1), (bits >> mantissa) % (1 << exponent), bits % (1 << mantissa)


def value(bits, width):
    """NAN, an infinity, or an exact Fraction; both zeros are 0."""
    sign, exponent, fraction = parts(bits, width)
    factor = -1 if sign else 1
    if exponent == (1 << EXPONENT[width]) - 1:
        return NAN if fraction else factor * float("inf")
    if exponent == 0:
        return factor * Fraction(fraction, 1 << MANTISSA[width]) * Fraction(2) ** (1 - BIAS[width])
    return factor * (1 + Fraction(fraction, 1 << MANTISSA[width])) * Fraction(2) ** (exponent - BIAS[width])


def is_nan(bits, width):
    return value(bits, width) == NAN


def is_signalling(bits, width):
    return is_nan(bits, width) and not parts(bits, width)[2] >> (MANTISSA[width] - 1)


def quiet(bits, width):
    return bits | 1 << (MANTISSA[width] - 1)


def classify(bits, width):
    """The class mask of section 2.1, bit by bit."""
    sign, exponent, fraction = parts(bits, width)
    top = exponent == (1 << EXPONENT[width]) - 1
    zero, denormal = exponent == 0 and fraction == 0, exponent == 0 and fraction != 0
    normal = exponent > 0 and not top
    nan = top and fraction != 0
    flags = [
        sign,
        zero,
        denormal,
        normal,
        top and fraction == 0,
        nan,
        nan and not fraction >> (MANTISSA[width] - 1),
        zero or denormal or normal,
    ]
    return sum(1 << position for position, flag in enumerate(flags) if flag)


# op: result for lt, eq, gt, unordered; Invalid on a quiet NaN, on a signalling one. The table of section 3.3.
TRUTH = {
    "oeq": "0100 01",
    "olt": "1000 11",
    "ole": "1100 11",
    "ueq": "0101 01",
    "ult": "1001 01",
    "ule": "1101 01",
    "ultq": "1001 11",
    "uleq": "1101 11",
    "uneq": "1011 01",
    "un": "0001 01",
}


def compare(op, a, b, width):
    """(result, invalid), each 0 or 1."""
    results, flags = TRUTH[op].split()
    x, y = value(a, width), value(b, width)
    if NAN in (x, y):
        signals = is_signalling(a, width) or is_signalling(b, width)
        return int(results[3]), int(flags[1] if signals else flags[0])
    return int(results[0 if x < y else 1 if x == y else 2]), 0


def plain(op, a, b, width):
    """max, min: unordered or equal gives the second operand as it is; Invalid on any NaN."""
    x, y = value(a, width), value(b, width)
    if NAN in (x, y):
        return b, 1
    return (a if (x > y if op == "max" else x < y) else b), 0


def number(op, a, b, width):
    """maxnum, minnum: a NaN loses to a number, of two NaNs the second is given, +0 is above -0."""
    invalid = int(is_signalling(a, width) or is_signalling(b, width))
    if is_nan(a, width):
        return b, invalid
    if is_nan(b, width):
        return a, invalid
    x, y = value(a, width), value(b, width)
    if x == y:
        positive_first = parts(a, width)[0] < parts(b, width)[0]
        larger, smaller = (a, b) if positive_first else (b, a)
    else:
        larger, smaller = (a, b) if x > y else (b, a)
    return (larger if op == "maxnum" else smaller), invalid


def times(a, b):
    """The fp32 product and Invalid."""
    invalid = int(is_signalling(a, 32) or is_signalling(b, 32))
    for operand in (a, b):
        if is_nan(operand, 32):
            return quiet(operand, 32), invalid
    x, y = value(a, 32), value(b, 32)
    sign = (a ^ b) & 0x80000000
    infinite = [isinstance(side, float) for side in (x, y)]
    if any(infinite):
        return (CANONICAL[32], 1) if 0 in (x, y) else (sign | INFINITY[32], 0)
    return sign | nearest(abs(x * y)), invalid


def nearest(exact):
    """The fp32 bits of a rational that is not negative, ties to even."""
    if exact == 0:
        return 0
    power = -149
    while exact / Fraction(2) ** power >= 1 << 24:
        power += 1
    scaled = exact / Fraction(2) ** power
    whole, rest = int(scaled), scaled - int(scaled)
    whole += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
    if whole == 1 << 24:
        whole, power = whole >> 1, power + 1
    if whole < 1 << 23:
        return whole
    biased = power + 150
    return INFINITY[32] if biased >= 255 else biased << 23 | whole - (1 << 23)
