"""Element codes to fp32 and back: the VIA-FP32 path.

    widen    code -> fp32      isa/02 section 8, section 11.1 row 1
    narrow   fp32 -> code      isa/02 sections 5.4, 9, 10, section 11.1 rows 6 and 7
    convert  code -> code      one after the other, also for equal dtypes: moving raw bits is the caller's decision

Codes are unsigned arrays of the element's size. Every result is C-contiguous, but that for FP32 (and the source FP32R)
it may be a view of the argument, with its strides.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from ..isa.assumptions import Choices
from ..isa.dtypes import Dtype, size_bytes
from ..isa.generation import Fp8Mode
from .arrays import F32, QNAN, SIGN, U32, Raw, bits, has_nan
from .errors import ConversionNotDefined
from .formats import FP8, FP16, fp8_clamps, fp8_format
from .integers import INTEGERS, narrow_integer, widen_integer
from .tables import HALF_STEP, NAN, READING, NarrowRule, narrow_table, widen_pair_table, widen_table

_FP32 = (Dtype.FP32, Dtype.FP32R)
_PAIRS_FROM = 4096  # elements from which the large pair table is worth its cache lines
_FP32R_OPEN_BITS = np.uint32(0x1FFF)  # mantissa bits that 10, 11 and 13 kept bits treat differently


def widen(raw: Raw, dtype: int, mode: Fp8Mode, choices: Choices, *, arithmetic: bool = True) -> F32:
    """Element codes to fp32.

    raw: unsigned array of the dtype's size, any shape and strides.
    arithmetic: the elements are operands of an arithmetic operation, so `int32-arithmetic` is asked for where a 32-bit
    integer is not exactly representable. False for a plain conversion.
    Returns float32 of raw's shape.
    Raises ConversionNotDefined for a code without values (4-bit, scale, transport), ValueError for a wrong size.
    Source: isa/02 section 8 [H], NaN bits section 11.1 [M].
    """
    _check_size(raw, dtype)
    if not raw.ndim:
        return widen(raw.reshape(1), dtype, mode, choices, arithmetic=arithmetic).reshape(())
    if dtype in _FP32:
        return raw.view(np.float32)
    if dtype == Dtype.BFLOAT16:  # a shift by 16 bits, payloads kept
        wide: F32 = raw.view(ml_dtypes.bfloat16).astype(np.float32, order="C")
        return wide
    if dtype in FP8:
        return _widen_fp8(raw, dtype, mode, choices)
    if dtype == Dtype.FP16:
        return np.take(widen_table(FP16), np.asarray(raw, order="C"), mode="wrap")
    if dtype in INTEGERS:
        return widen_integer(raw, Dtype(dtype), choices if arithmetic else None)
    raise ConversionNotDefined(dtype)


def narrow(x: F32, dtype: int, mode: Fp8Mode, choices: Choices) -> Raw:
    """Fp32 to element codes: nearest even; floats overflow by format and mode, integers saturate.

    x: float32, any shape and strides.
    Returns an unsigned array of the dtype's size and x's shape.
    Raises ConversionNotDefined for a code without values.
    Source: isa/02 sections 5.4, 9, 10 [H, tags there], NaN codes section 11.1 [M].
    """
    if not x.ndim:
        return narrow(x.reshape(1), dtype, mode, choices).reshape(())
    x = np.asarray(x, order="C")
    if dtype == Dtype.FP32:
        return bits(x)
    with np.errstate(all="ignore"):
        if dtype == Dtype.BFLOAT16:
            return _signed_nan(x, x.astype(ml_dtypes.bfloat16).view(np.uint16), 0x7FC0, choices)
        if dtype == Dtype.FP16:
            return _signed_nan(x, x.astype(np.float16).view(np.uint16), 0x7E00, choices)
        if dtype in FP8:
            return _narrow_fp8(x, dtype, mode, choices)
        if dtype in INTEGERS:
            return narrow_integer(x, Dtype(dtype), choices)
        if dtype == Dtype.FP32R:
            return _signed_nan(x, _fp32r(x, choices), int(QNAN), choices)
    raise ConversionNotDefined(dtype)


def convert(raw: Raw, src: int, dst: int, mode: Fp8Mode, choices: Choices) -> Raw:
    """Element codes of `src` to element codes of `dst`, through fp32 whatever the pair.

    Shapes and errors as `widen` and `narrow`.
    Source: isa/02 section 7 [H].
    """
    return narrow(widen(raw, src, mode, choices, arithmetic=False), dst, mode, choices)


def _check_size(raw: Raw, dtype: int) -> None:
    size = size_bytes(dtype)
    if not size:
        raise ConversionNotDefined(dtype)
    if raw.dtype.kind != "u" or raw.dtype.itemsize != size:
        raise ValueError(f"dtype 0x{dtype:02X} wants unsigned codes of {size} bytes, not {raw.dtype}")


def _widen_fp8(raw: Raw, dtype: int, mode: Fp8Mode, choices: Choices) -> F32:
    fmt = fp8_format(dtype, mode, choices)
    raw = np.asarray(raw, order="C")
    if dtype == Dtype.FP8_EXP4 and raw.size and int((raw & np.uint8(0x7F)).max()) >= 0x78:
        choices["fp8-e4m3-variant"]
    if raw.size < _PAIRS_FROM or raw.size % 2:
        return np.take(widen_table(fmt), raw, mode="wrap")
    pairs = np.take(widen_pair_table(fmt), raw.reshape(-1).view("<u2"), mode="wrap")
    return pairs.view(np.float32).reshape(raw.shape)


def _narrow_fp8(x: F32, dtype: int, mode: Fp8Mode, choices: Choices) -> Raw:
    """One look-up by the upper 16 bits with a sticky last one; the flags say which open questions it touched."""
    rule = NarrowRule(
        fp8_format(dtype, mode, choices),
        clamp=fp8_clamps(dtype, mode),
        nan_is_zero=not mode.ocp and mode.sns and dtype != Dtype.FP8_EXP2,
        nan_is_positive=choices.peek("nan-code-on-narrowing") == "quiet-positive",
        flush_half_step=choices.peek("fp8-underflow-half-step") == "flush-to-zero",
    )
    u = bits(x)
    key = np.bitwise_and(u, np.uint32(0xFFFF))
    key += np.uint32(0xFFFF)  # bit 16 is set iff a lower bit was
    key |= u
    key >>= np.uint32(16)
    entries = np.take(narrow_table(rule), key.astype(np.uint16), mode="wrap")
    flags = int(np.bitwise_or.reduce(entries, axis=None)) if entries.size else 0
    if flags & NAN:
        choices["nan-code-on-narrowing"]
    if flags & HALF_STEP:
        choices["fp8-underflow-half-step"]
    if flags & READING:
        choices["fp8-e4m3-variant"]
    return entries.astype(np.uint8)


def _signed_nan(x: F32, codes: Raw, quiet: int, choices: Choices) -> Raw:
    """Write the NaN code `quiet`, with the sign unless `nan-code-on-narrowing` drops it, where x is a NaN."""
    if not has_nan(x):
        return codes
    nan = np.isnan(x)
    if choices["nan-code-on-narrowing"] == "quiet-positive":
        codes[nan] = quiet
    else:
        sign = (bits(x)[nan] & SIGN) >> np.uint32(32 - 8 * codes.dtype.itemsize)
        codes[nan] = (sign | np.uint32(quiet)).astype(codes.dtype)
    return codes


def _fp32r(x: F32, choices: Choices) -> U32:
    """Round to a shortened mantissa, ties to even, on the bit grid; NaN gives anything. Source: isa/02 section 5.4."""
    u = bits(np.where(np.isnan(x), np.float32(0), x) if has_nan(x) else x)
    if not np.bitwise_and(u, _FP32R_OPEN_BITS).any():  # as in infinities
        return u.copy()
    dropped = 23 - int(choices["fp32r-mantissa-bits"])
    rounded = np.right_shift(u, np.uint32(dropped))
    rounded &= np.uint32(1)
    rounded += np.uint32((1 << (dropped - 1)) - 1)
    rounded += u
    rounded &= ~np.uint32((1 << dropped) - 1)
    return rounded
