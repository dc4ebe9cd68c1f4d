"""Number formats and operations in plain integer code, one element at a time.

Written from isa/02 sections 5, 8 to 11.1 and isa/03 section 2.2 for these tests: no NumPy, no ml_dtypes, nothing of the
engine. A value is an exact fraction, a result is rounded once by `encode`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

QNAN, INF, SIGN = 0x7FC00000, 0x7F800000, 0x80000000


class Format(NamedTuple):
    exponent_bits: int
    mantissa_bits: int
    bias: int
    kind: str  # ieee, fn (one NaN code, no Inf) or finite
    nan: int  # positive NaN code that a conversion writes

    @property
    def width(self) -> int:
        return 1 + self.exponent_bits + self.mantissa_bits


FORMATS = {
    "FP32": Format(8, 23, 127, "ieee", QNAN),
    "BF16": Format(8, 7, 127, "ieee", 0x7FC0),
    "FP16": Format(5, 10, 15, "ieee", 0x7E00),
    "E3M4": Format(3, 4, 3, "ieee", 0x78),
    "E4M3": Format(4, 3, 7, "ieee", 0x7C),
    "E4M3FN": Format(4, 3, 7, "fn", 0x7F),
    "E5M2": Format(5, 2, 15, "ieee", 0x7E),
    "E2M5": Format(2, 5, 1, "finite", 0x7F),
}
INTEGERS = {
    "INT8": (-(2**7), 2**7 - 1),
    "UINT8": (0, 2**8 - 1),
    "INT16": (-(2**15), 2**15 - 1),
    "UINT16": (0, 2**16 - 1),
    "INT32": (-(2**31), 2**31 - 1),
    "UINT32": (0, 2**32 - 1),
    "INT64": (-(2**63), 2**63 - 1),
    "UINT64": (0, 2**64 - 1),
}


def decode(code: int, fmt: Format) -> Fraction | str:
    """The magnitude behind a code: a fraction, "inf" or "nan"."""
    magnitude = code & ((1 << (fmt.width - 1)) - 1)
    exponent, fraction = divmod(magnitude, 1 << fmt.mantissa_bits)
    if fmt.kind == "ieee" and exponent == (1 << fmt.exponent_bits) - 1:
        return "nan" if fraction else "inf"
    if fmt.kind == "fn" and magnitude == (1 << (fmt.width - 1)) - 1:
        return "nan"
    if exponent == 0:
        return Fraction(fraction) * Fraction(2) ** (1 - fmt.bias - fmt.mantissa_bits)
    return (Fraction(1) + Fraction(fraction, 1 << fmt.mantissa_bits)) * Fraction(2) ** (exponent - fmt.bias)


def floor_log2(x: Fraction) -> int:
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if x >= Fraction(2) ** e else e - 1


def round_half_even(x: Fraction) -> int:
    whole, rest = divmod(x.numerator, x.denominator)
    twice = 2 * rest - x.denominator
    return whole + (twice > 0 or (twice == 0 and whole % 2 == 1))


def encode(value: Fraction | str, negative: bool, fmt: Format, clamp: bool = False) -> int:
    """The code of a magnitude: nearest even, overflow by format or clamped. A NaN keeps the sign."""
    sign = (1 << (fmt.width - 1)) if negative else 0
    top_exponent = (1 << fmt.exponent_bits) - 1
    if fmt.kind == "ieee":
        largest, beyond = (top_exponent << fmt.mantissa_bits) - 1, top_exponent << fmt.mantissa_bits
    elif fmt.kind == "fn":
        largest, beyond = (1 << (fmt.width - 1)) - 2, fmt.nan
    else:
        largest = beyond = (1 << (fmt.width - 1)) - 1
    if value == "nan":
        return fmt.nan | (0 if fmt.kind == "finite" else sign)
    if value == "inf":
        return sign | (largest if clamp else beyond)
    assert isinstance(value, Fraction)
    if value == 0:
        return sign
    quantum = max(floor_log2(value), 1 - fmt.bias) - fmt.mantissa_bits
    steps = round_half_even(value / Fraction(2) ** quantum)
    rounded = steps * Fraction(2) ** quantum
    limit = decode(largest, fmt)
    assert isinstance(limit, Fraction)
    if rounded > limit:
        return sign | (largest if clamp else beyond)
    if rounded == 0:
        return sign
    exponent = max(floor_log2(rounded), 1 - fmt.bias)
    significand = rounded / Fraction(2) ** (exponent - fmt.mantissa_bits)
    assert significand.denominator == 1
    biased = exponent + fmt.bias if significand >= 1 << fmt.mantissa_bits else 0
    return sign | biased << fmt.mantissa_bits | int(significand) & ((1 << fmt.mantissa_bits) - 1)


def widen(code: int, name: str) -> int:
    """A float code to fp32 bits."""
    fmt = FORMATS[name]
    if name == "BF16":
        return code << 16
    return encode(decode(code, fmt), bool(code >> (fmt.width - 1)), FORMATS["FP32"])


def narrow(u: int, name: str, clamp: bool = False) -> int:
    """Fp32 bits to a float code."""
    return encode(decode(u, FORMATS["FP32"]), bool(u & SIGN), FORMATS[name], clamp)


def narrow_integer(u: int, name: str) -> int:
    """Fp32 bits to an integer: nearest even, saturate, NaN by its sign."""
    low, high = INTEGERS[name]
    value = decode(u, FORMATS["FP32"])
    if isinstance(value, str):
        return low if u & SIGN else high
    whole = round_half_even(value)
    return min(max(-whole if u & SIGN else whole, low), high)


def widen_integer(value: int) -> int:
    """An integer to fp32 bits."""
    return encode(Fraction(abs(value)), value < 0, FORMATS["FP32"])


# -- fp32 operations on bits -----------------------------------------------------------------------------------------


def is_nan(u: int) -> bool:
    return u & 0x7FFFFFFF > INF


def signed(u: int) -> Fraction | float:
    """The value of bits that are no NaN; infinities as Python floats, which compare with fractions."""
    value = decode(u, FORMATS["FP32"])
    if value == "inf":
        return float("-inf") if u & SIGN else float("inf")
    assert isinstance(value, Fraction)
    return -value if u & SIGN else value


def finite(exact: Fraction, zero_sign: bool) -> int:
    return encode(abs(exact), exact < 0 or (exact == 0 and zero_sign), FORMATS["FP32"])


def add(a: int, b: int, flip: int = 0) -> int:
    for x in (a, b):
        if is_nan(x):
            return x | 0x00400000
    b ^= flip
    x, y = signed(a), signed(b)
    if isinstance(x, float) or isinstance(y, float):
        if isinstance(x, float) and isinstance(y, float):
            return a if a == b else QNAN
        return a if isinstance(x, float) else b
    return finite(x + y, bool(a & b & SIGN))


def subtract(a: int, b: int) -> int:
    return add(a, b, SIGN)


def mult(a: int, b: int) -> int:
    for x in (a, b):
        if is_nan(x):
            return x | 0x00400000
    sign = (a ^ b) & SIGN
    x, y = signed(a), signed(b)
    if isinstance(x, float) or isinstance(y, float):
        return QNAN if x == 0 or y == 0 else INF | sign
    return finite(abs(x * y), False) | sign


def extreme(a: int, b: int, larger: bool, policy: str = "maxnum", zeros: str = "positive-above-negative") -> int:
    if policy == "maxnum" and (is_nan(a) or is_nan(b)):
        return b if is_nan(a) else a
    if policy == "propagate" and (is_nan(a) or is_nan(b)):
        return a if is_nan(a) else b
    if is_nan(a) or is_nan(b):
        return b
    x, y = signed(a), signed(b)
    if x == y:
        if a == b or policy == "select" or zeros == "right-operand":
            return b
        return 0 if larger else SIGN
    return a if (x > y) == larger else b


def truth(condition: bool) -> int:
    return 0x3F800000 if condition else 0


def compare(op: str, a: int, b: int) -> int:
    if is_nan(a) or is_nan(b):
        return truth(op == "IS_NE")
    x, y = signed(a), signed(b)
    outcomes = {"IS_EQ": x == y, "IS_NE": x != y, "IS_GT": x > y, "IS_GE": x >= y, "IS_LE": x <= y, "IS_LT": x < y}
    return truth(outcomes[op])


def logical(op: str, a: int, b: int) -> int:
    x, y = bool(a & 0x7FFFFFFF), bool(b & 0x7FFFFFFF)
    return truth({"LOGICAL_AND": x and y, "LOGICAL_OR": x or y, "LOGICAL_XOR": x != y}[op])


def rsqrt(a: int) -> int:
    """Correctly rounded, decided by comparing squares."""
    if is_nan(a):
        return a | 0x00400000
    if not a & 0x7FFFFFFF:
        return INF | a & SIGN
    if a & SIGN:
        return QNAN
    if a == INF:
        return 0
    value = signed(a)
    assert isinstance(value, Fraction)
    low, high = 0, INF  # the largest fp32 whose square times a is at most 1
    while high - low > 1:
        middle = (low + high) // 2
        m = signed(middle)
        assert isinstance(m, Fraction)
        low, high = (middle, high) if m * m * value <= 1 else (low, middle)
    below, above = signed(low), signed(low + 1)
    assert isinstance(below, Fraction)
    assert isinstance(above, Fraction)
    middle_value = (below + above) / 2
    side = middle_value * middle_value * value
    return low if side > 1 or (side == 1 and low % 2 == 0) else low + 1


def alu(op: str, a: int, b: int) -> int:
    """One operation with the default answers to the open questions."""
    absolute = (a & ~SIGN, b & ~SIGN)
    if op.startswith("IS_"):
        return compare(op, a, b)
    if op.startswith("LOGICAL_"):
        return logical(op, a, b)
    simple = {
        "BYPASS": lambda: a,
        "ADD": lambda: add(a, b),
        "SUBTRACT": lambda: subtract(a, b),
        "MULT": lambda: mult(a, b),
        "MAX": lambda: extreme(a, b, True),
        "MIN": lambda: extreme(a, b, False),
        "ABSOLUTE_DIFF": lambda: subtract(a, b) & ~SIGN,
        "ABSOLUTE_VALUE": lambda: absolute[0],
        "ABS_MAX": lambda: extreme(*absolute, True),
        "ABS_MIN": lambda: extreme(*absolute, False),
        "RE_LU": lambda: extreme(a, 0, True) if not is_nan(a) else 0,
        "SQUARE": lambda: mult(a, a),
        "RSQRT": lambda: rsqrt(a),
    }
    return simple[op]()


FP32_OPS = [
    "BYPASS",
    "ADD",
    "SUBTRACT",
    "MULT",
    "MAX",
    "MIN",
    "ABSOLUTE_DIFF",
    "ABSOLUTE_VALUE",
    "ABS_MAX",
    "ABS_MIN",
    "RE_LU",
    "SQUARE",
    "RSQRT",
    "LOGICAL_AND",
    "LOGICAL_OR",
    "LOGICAL_XOR",
    "IS_EQ",
    "IS_GT",
    "IS_GE",
    "IS_LE",
    "IS_LT",
    "IS_NE",
]
