"""Lookup tables of the 8- and 16-bit floats, built on first use from the format alone.

An fp32 value is rounded to an 8-bit float through its upper 16 bits with a sticky last bit (round to odd). Those keep 7
mantissa bits, at least two more than any 8-bit float has, so rounding them once more gives what rounding the fp32
value would have given, overflow, subnormals and NaN included: one table of 65,536 entries is a whole conversion.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from .arrays import F32, QNAN, U32, floats
from .formats import E4M3, E4M3FN, E5M2, FloatFormat

_Table = TypeVar("_Table", bound=npt.NDArray[Any])

# What an entry of a narrowing table says about its input, above the code's eight bits.
NAN = 0x100  # the input is a NaN and the code written for it is an open question
HALF_STEP = 0x200  # the magnitude lies between half and one smallest subnormal
READING = 0x400  # the two readings of E4M3 write different codes


@dataclass(frozen=True)
class NarrowRule:
    """How one 8-bit float is written. Source: isa/02 section 9."""

    format: FloatFormat
    clamp: bool = False  # overflow and Inf become the largest finite value
    nan_is_zero: bool = False  # NaN becomes a signed zero
    nan_is_positive: bool = False  # NaN loses its sign
    flush_half_step: bool = False  # E4M3FN and E5M2: everything below the smallest subnormal becomes zero


@cache
def widen_table(fmt: FloatFormat) -> F32:
    """The fp32 value of every code of `fmt`; float32 (2**width,), read-only.

    NaN becomes 7FC00000 with its sign; the payload is dropped (isa/02 section 11.1, row 1).
    """
    code = np.arange(1 << fmt.width, dtype=np.int32)
    magnitude = code & (fmt.sign - 1)
    exponent = magnitude >> fmt.mantissa_bits
    fraction = magnitude & ((1 << fmt.mantissa_bits) - 1)
    significand = np.where(exponent > 0, fraction | 1 << fmt.mantissa_bits, fraction)
    scale = np.maximum(exponent, 1) - (fmt.bias + fmt.mantissa_bits)
    u: U32 = np.ldexp(significand.astype(np.float32), scale).view(np.uint32)  # exact
    if fmt.infinity is not None:
        u[magnitude == fmt.infinity] = 0x7F800000
        u[magnitude > fmt.infinity] = QNAN
    elif fmt.nan is not None:
        u[magnitude == fmt.nan] = QNAN
    u |= (code >= fmt.sign).astype(np.uint32) << np.uint32(31)
    return _frozen(floats(u))


@cache
def widen_pair_table(fmt: FloatFormat) -> npt.NDArray[np.uint64]:
    """For an 8-bit format: two neighbouring codes, read as one little-endian uint16, to their two fp32 values.

    uint64 (65536,), read-only. Half as many look-ups as one code at a time.
    """
    codes = np.arange(65536, dtype="<u2").view(np.uint8).reshape(-1, 2)
    return _frozen(widen_table(fmt)[codes].view(np.uint64).reshape(-1))


@cache
def narrow_table(rule: NarrowRule) -> npt.NDArray[np.uint16]:
    """The code for the upper half of an fp32 pattern with a sticky last bit, plus the flags above.

    uint16 (65536,), read-only.
    """
    fmt = rule.format
    half_pattern = np.arange(65536, dtype=np.int64)
    magnitude = half_pattern & 0x7FFF
    code = _rounded(fmt, magnitude)
    code[code > fmt.top] = fmt.top if rule.clamp else fmt.overflow

    flags = np.zeros_like(code)
    if fmt in (E4M3FN, E5M2):
        step = (fmt.min_subnormal_exponent + 127) << 7
        between = (magnitude > step - 0x80) & (magnitude < step)
        flags[between] |= HALF_STEP
        if rule.flush_half_step:
            code[between] = 0
    nan = magnitude > 0x7F80
    if fmt in (E4M3, E4M3FN):
        flags[magnitude >= 0x4378] |= READING  # 248, where the 240 form overflows
        if rule.nan_is_zero:
            flags[nan] &= ~READING

    code |= (half_pattern >> 15) * fmt.sign
    sign = code[nan] & fmt.sign
    if fmt.nan is None:
        code[nan] = fmt.top
    elif rule.nan_is_zero:
        code[nan] = sign
    else:
        code[nan] = fmt.nan | (0 if rule.nan_is_positive else sign)
        flags[nan] |= NAN
    return _frozen((code | flags).astype(np.uint16))


def _rounded(fmt: FloatFormat, magnitude: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Round 8-7 magnitudes to the format, ties to even, without an upper bound. Source: isa/02 section 9."""
    field = magnitude >> 7
    significand = np.where(field > 0, magnitude & 0x7F | 0x80, magnitude & 0x7F)
    exponent = np.maximum(field, 1) - 127
    grid = np.maximum(exponent, 1 - fmt.bias)
    shift = np.minimum(7 - fmt.mantissa_bits + grid - exponent, 20)  # >= 2; from 9 on the result is 0
    quotient, rest = significand >> shift, significand & ((1 << shift) - 1)
    half = 1 << (shift - 1)
    quotient += (rest > half) | ((rest == half) & (quotient & 1 == 1))
    code: npt.NDArray[np.int64] = ((grid + fmt.bias - 1) << fmt.mantissa_bits) + quotient  # a carry moves up by itself
    return code


def _frozen(table: _Table) -> _Table:
    table.flags.writeable = False
    return table
