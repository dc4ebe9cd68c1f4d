"""Array types, fp32 bit constants, and the cheap questions asked before any fix-up.

A question costs one or two reductions without a temporary, so a result that holds no special value pays little.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

F32 = npt.NDArray[np.float32]
U32 = npt.NDArray[np.uint32]
I32 = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Raw = npt.NDArray[np.unsignedinteger[Any]]  # element codes; the width is the dtype's

SIGN = np.uint32(0x80000000)
MAGNITUDE = np.uint32(0x7FFFFFFF)
INFINITY = np.uint32(0x7F800000)
QUIET = np.uint32(0x00400000)
QNAN = np.uint32(0x7FC00000)
MIN_NORMAL = 0x00800000
NO_SUBNORMAL_SUMS = 0x0C000000  # 2**-103: sums of such numbers are multiples of 2**-126
NO_SUBNORMAL_PRODUCTS = 0x20000000  # 2**-63

_SIGNED = {2: (np.int16, -0x8000), 4: (np.int32, -0x80000000)}  # item size: the signed type, its smallest number
_MINUS_ZERO = _SIGNED[4][1]  # the bits of -0 as int32


def bits(x: F32) -> U32:
    """The fp32 bit patterns of `x`, as a view."""
    return x.view(np.uint32)


def floats(u: U32) -> F32:
    """The fp32 values of bit patterns, as a view."""
    return u.view(np.float32)


def has_nan(x: F32) -> bool:
    """Whether any element is a NaN, signalling ones included."""
    return bool(x.size) and math.isnan(np.maximum.reduce(x, None))


def has_minus_zero(x: F32) -> bool:
    """Whether any element is -0."""
    return bool(x.size) and int(np.minimum.reduce(x.view(np.int32), axis=None)) == _MINUS_ZERO


def has_below(x: F32, limit: int) -> bool:
    """Whether any element other than zero has a magnitude below the one with the bits `limit`."""
    return codes_below(bits(x), limit)


def codes_below(codes: Raw, limit: int) -> bool:
    """Whether any code of sign and magnitude other than a zero has a magnitude below `limit`.

    As integers the small magnitudes are the smallest unsigned (sign 0) and the smallest signed ones (sign 1); only a
    zero or a small number at either end needs the exact question.
    """
    if not codes.size:
        return False
    signed, lowest = _SIGNED[codes.itemsize]
    if (
        int(np.minimum.reduce(codes, None)) >= limit
        and int(np.minimum.reduce(codes.view(signed), None)) >= lowest + limit
    ):
        return False
    doubled = np.add(codes, codes)  # the sign falls out
    doubled -= codes.dtype.type(1)  # zero wraps to the top
    return int(np.minimum.reduce(doubled, axis=None)) < 2 * limit - 1


def has_subnormal(x: F32) -> bool:
    """Whether any element is an fp32 subnormal."""
    return has_below(x, MIN_NORMAL)


def flush_subnormals(x: F32) -> F32:
    """A copy of `x` whose subnormals are zeros of the same sign."""
    u = bits(x)
    return floats(np.where(u & INFINITY, u, u & SIGN))


def clear_sign(x: F32) -> F32:
    """abs(x) on the bits: payloads kept."""
    return floats(np.bitwise_and(bits(x), MAGNITUDE))


def at(x: F32, where: tuple[npt.NDArray[np.intp], ...], shape: tuple[int, ...]) -> U32:
    """Bits of the elements of `x`, broadcast to `shape`, at the indices `where`."""
    return np.broadcast_to(bits(x), shape)[where]
