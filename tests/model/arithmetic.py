"""Single fp32 operations on bit patterns, rounded once, with the NaN rules of the specification.

Source: isa/02 sections 11 and 11.1 (rows 2 and 3), isa/03 section 2.2.
"""

from math import isqrt

from .numbers import INFINITY, QNAN, QUIET, SIGN, SINGLE, is_infinite, is_nan, is_zero, to_single, unpack


def nan_result(a, b, policy):
    """Return the NaN of an operation with a NaN operand: the left one made quiet, else the right one."""
    if policy == "always-canonical":
        return QNAN
    return (a if is_nan(a) else b) | QUIET


def add(a, b, policy="first-operand-else-positive-quiet"):
    """Return a + b, rounded once."""
    if is_nan(a) or is_nan(b):
        return nan_result(a, b, policy)
    if is_infinite(a) or is_infinite(b):
        if is_infinite(a) and is_infinite(b) and a != b:
            return QNAN
        return a if is_infinite(a) else b
    sign_a, magnitude_a, exponent_a = unpack(a, SINGLE)
    sign_b, magnitude_b, exponent_b = unpack(b, SINGLE)
    exponent = min(exponent_a, exponent_b)
    total = (-1) ** sign_a * (magnitude_a << (exponent_a - exponent)) + (-1) ** sign_b * (
        magnitude_b << (exponent_b - exponent)
    )
    if total == 0:
        return a & b & SIGN
    return to_single(int(total < 0), abs(total), exponent)


def subtract(a, b, policy="first-operand-else-positive-quiet"):
    """Return a - b; a NaN operand keeps its own sign."""
    if is_nan(a) or is_nan(b):
        return nan_result(a, b, policy)
    return add(a, b ^ SIGN, policy)


def multiply(a, b, policy="first-operand-else-positive-quiet"):
    """Return a * b, rounded once."""
    if is_nan(a) or is_nan(b):
        return nan_result(a, b, policy)
    sign = (a ^ b) & SIGN
    if is_infinite(a) or is_infinite(b):
        if is_zero(a) or is_zero(b):
            return QNAN
        return sign | INFINITY
    _, magnitude_a, exponent_a = unpack(a, SINGLE)
    _, magnitude_b, exponent_b = unpack(b, SINGLE)
    return to_single(sign >> 31, magnitude_a * magnitude_b, exponent_a + exponent_b)


def reciprocal_root(a):
    """Return 1 / sqrt(a), correctly rounded (isa/03 section 2.2, RSQRT)."""
    if is_nan(a):
        return a | QUIET
    if is_zero(a):
        return a | INFINITY
    if a & SIGN:
        return QNAN
    if is_infinite(a):
        return 0
    _, magnitude, exponent = unpack(a, SINGLE)
    if exponent % 2:
        magnitude, exponent = magnitude * 2, exponent - 1
    # 1 / sqrt(m * 2^e) = sqrt(2^200 / m) * 2^(-100 - e/2); the truncated square root gets a sticky bit, so that one
    # rounding is exact.
    root = isqrt((1 << 200) // magnitude)
    sticky = 0 if root * root * magnitude == 1 << 200 else 1
    return to_single(0, root * 2 + sticky, -101 - exponent // 2)


def reciprocal(a):
    """Return 1 / a, correctly rounded; subnormals are kept (isa/06 section 5.4)."""
    if is_nan(a):
        return a | QUIET
    if is_zero(a):
        return a | INFINITY
    if is_infinite(a):
        return a & SIGN
    sign, magnitude, exponent = unpack(a, SINGLE)
    # 1 / (m * 2^e) = (2^100 / m) * 2^(-100 - e); the truncated quotient gets a sticky bit, so that one rounding is
    # exact.
    quotient, rest = divmod(1 << 100, magnitude)
    return to_single(sign, quotient * 2 + (rest != 0), -101 - exponent)


def compare(a, b):
    """Return -1, 0 or 1 for numbers, None if either is a NaN; zeros of both signs are equal."""
    if is_nan(a) or is_nan(b):
        return None
    key_a = -(a & 0x7FFFFFFF) if a & SIGN else a
    key_b = -(b & 0x7FFFFFFF) if b & SIGN else b
    return (key_a > key_b) - (key_a < key_b)
