"""Floating point on bit patterns: classes, order, and the two-operand rules built on them.

Everything is integer arithmetic; denormals are numbers like others, nothing is flushed and nothing rounds.
Source: isa/07 sections 2 and 8.3 [H].
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .formats import Bools, FloatFormat, Lanes


def magnitude(x: Lanes, fmt: FloatFormat) -> Lanes:
    """The bits without the sign."""
    return np.asarray(x & x.dtype.type(fmt.magnitude))


def is_nan(x: Lanes, fmt: FloatFormat) -> Bools:
    """Any NaN."""
    return np.asarray(magnitude(x, fmt) > x.dtype.type(fmt.infinity))


def is_signalling(x: Lanes, fmt: FloatFormat) -> Bools:
    """A NaN whose quiet bit is clear."""
    return np.asarray(is_nan(x, fmt) & ((x & x.dtype.type(fmt.quiet)) == 0))


def numeric_key(x: Lanes, fmt: FloatFormat) -> npt.NDArray[np.signedinteger[Any]]:
    """A signed integer in the numeric order of numbers; both zeros give 0."""
    sign = _sign(x, fmt)
    return np.asarray((magnitude(x, fmt).view(fmt.lane.signed) ^ sign) - sign)


def _sign(x: Lanes, fmt: FloatFormat) -> npt.NDArray[np.signedinteger[Any]]:
    """0 or -1."""
    return np.asarray(x.view(fmt.lane.signed) >> fmt.lane.signed.type(fmt.lane.bits - 1))


def total_key(x: Lanes, fmt: FloatFormat) -> npt.NDArray[np.signedinteger[Any]]:
    """The same with -0 below +0: -0 gives -1."""
    return np.asarray(magnitude(x, fmt).view(fmt.lane.signed) ^ _sign(x, fmt))


def either_signals(a: Lanes, b: Lanes, fmt: FloatFormat) -> Bools:
    """Whether an operand is a signalling NaN."""
    return is_signalling(a, fmt) | is_signalling(b, fmt)


def maxnum(a: Lanes, b: Lanes, fmt: FloatFormat) -> tuple[Lanes, Bools]:
    """The larger; a NaN loses to a number, of two NaNs the second is given, +0 is above -0.

    Invalid on a signalling NaN.
    """
    first = ~is_nan(a, fmt) & (is_nan(b, fmt) | (total_key(a, fmt) > total_key(b, fmt)))
    return np.where(first, a, b), either_signals(a, b, fmt)


def minnum(a: Lanes, b: Lanes, fmt: FloatFormat) -> tuple[Lanes, Bools]:
    """The smaller; as maxnum."""
    first = ~is_nan(a, fmt) & (is_nan(b, fmt) | (total_key(a, fmt) < total_key(b, fmt)))
    return np.where(first, a, b), either_signals(a, b, fmt)


def maximum(a: Lanes, b: Lanes, fmt: FloatFormat) -> tuple[Lanes, Bools]:
    """The larger; unordered or equal operands give the second one's bits as they are. Invalid on any NaN."""
    nan = is_nan(a, fmt) | is_nan(b, fmt)
    return np.where(~nan & (numeric_key(a, fmt) > numeric_key(b, fmt)), a, b), nan


def minimum(a: Lanes, b: Lanes, fmt: FloatFormat) -> tuple[Lanes, Bools]:
    """The smaller; as maximum."""
    nan = is_nan(a, fmt) | is_nan(b, fmt)
    return np.where(~nan & (numeric_key(a, fmt) < numeric_key(b, fmt)), a, b), nan


def multiply(a: Lanes, b: Lanes, fmt: FloatFormat) -> tuple[Lanes, Bools]:
    """The fp32 product, to nearest even.

    NaN bits as isa/02 section 11.1 row 2: the left NaN, else the right, made quiet [L]. Invalid on a signalling
    NaN and on 0 times infinity; other flags are not modelled.
    """
    with np.errstate(all="ignore"):
        product = (a.view("<f4") * b.view("<f4")).view("<u4")
    nan_a, nan_b, quiet = is_nan(a, fmt), is_nan(b, fmt), a.dtype.type(fmt.quiet)
    made = is_nan(product, fmt) & ~nan_a & ~nan_b
    result = np.where(made, a.dtype.type(fmt.canonical), product)
    result = np.where(nan_a, a | quiet, np.where(nan_b, b | quiet, result))
    return result, either_signals(a, b, fmt) | made
