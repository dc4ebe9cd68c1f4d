"""Between fp32 and the integer dtypes.

Source: isa/02 section 8 (widening), section 10 (narrowing), section 11.1 row 7 (NaN).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..isa.assumptions import Choices
from ..isa.dtypes import Dtype
from .arrays import F32, I32, MAGNITUDE, Raw, bits, has_nan


@dataclass(frozen=True)
class IntFormat:
    """One integer dtype. `ceiling`: the largest fp32 not above the largest integer."""

    type: np.dtype[np.signedinteger[Any]] | np.dtype[np.unsignedinteger[Any]]
    low: int
    high: int
    ceiling: np.float32

    @property
    def bits(self) -> int:
        """Bits per element."""
        return 8 * self.type.itemsize

    @property
    def exact_ceiling(self) -> bool:
        """Whether fp32 can hold the largest integer."""
        return int(self.ceiling) == self.high


def _format(name: str) -> IntFormat:
    info = np.iinfo(name)
    ceiling = np.float32(info.max)
    if int(ceiling) > info.max:
        ceiling = np.nextafter(ceiling, np.float32(0), dtype=np.float32)
    return IntFormat(np.dtype(name), int(info.min), int(info.max), ceiling)


INTEGERS = {
    Dtype.INT8: _format("int8"),
    Dtype.UINT8: _format("uint8"),
    Dtype.INT16: _format("int16"),
    Dtype.UINT16: _format("uint16"),
    Dtype.INT32: _format("int32"),
    Dtype.UINT32: _format("uint32"),
    Dtype.INT64: _format("int64"),
    Dtype.UINT64: _format("uint64"),
}

_EXACT_INTEGER = 1 << 24  # up to here fp32 holds every integer


def widen_integer(raw: Raw, dtype: Dtype, choices: Choices | None) -> F32:
    """Integer elements to fp32, nearest even where 24 bits are not enough.

    choices: where given, the elements are operands of arithmetic: `int32-arithmetic` is asked for if a 32-bit element
    is not exactly representable.
    Source: isa/02 section 8 [H; RNE M].
    """
    values: npt.NDArray[Any] = raw.view(INTEGERS[dtype].type)
    x = values.astype(np.float32, order="C")
    if choices is not None and values.dtype.itemsize == 4 and _is_lossy(values, x):
        choices["int32-arithmetic"]
    return x


def _is_lossy(values: npt.NDArray[Any], x: F32) -> bool:
    if not values.size or (int(values.max()) <= _EXACT_INTEGER and int(values.min()) >= -_EXACT_INTEGER):
        return False
    return bool((x.astype(np.int64) != values).any())  # |x| <= 2**32, so int64 holds it


def narrow_integer(x: F32, dtype: Dtype, choices: Choices) -> Raw:
    """Fp32 to integer codes: nearest even, then saturate; NaN by its sign.

    Asks for `float-to-int-nan` if a NaN is present, for `float-to-int-rounding` if a number is no integer of the range.
    Under truncate-wrap an infinity, which has no residue, is written as 0.
    Source: isa/02 section 10 [H], NaN [M].
    """
    fmt = INTEGERS[dtype]
    nan = np.isnan(x) if has_nan(x) else None
    numbers = x if nan is None else np.where(nan, np.float32(0), x)
    rounded = np.rint(numbers)
    np.clip(rounded, np.float32(fmt.low), fmt.ceiling, out=rounded)
    rounding = "rne-saturate"
    if (rounded != numbers).any():
        rounding = choices["float-to-int-rounding"]
    if rounding == "truncate-wrap":
        codes = _residue(np.trunc(numbers), fmt)
    else:
        if rounding == "truncate-saturate":
            rounded = np.clip(np.trunc(numbers), np.float32(fmt.low), fmt.ceiling)
        codes = rounded.astype(fmt.type)
        if not fmt.exact_ceiling:
            codes[numbers > fmt.ceiling] = fmt.high
    if nan is not None:
        codes[nan] = _nan_codes(x, nan, fmt, choices["float-to-int-nan"])
    return codes.view(f"u{fmt.type.itemsize}")


def _residue(whole: F32, fmt: IntFormat) -> npt.NDArray[Any]:
    """The low bits of whole numbers. Above 2**87 a float32 is a multiple of 2**64."""
    modulus = 2.0**fmt.bits
    residue = np.fmod(whole.astype(np.float64), modulus)  # exact
    residue = np.where(np.isnan(residue), 0.0, residue)
    residue = np.where(residue < 0, residue + modulus, residue) if fmt.bits < 64 else residue
    if fmt.bits < 64:
        return residue.astype(np.uint64).astype(fmt.type)
    magnitude = np.abs(residue).astype(np.uint64)
    return np.where(residue < 0, np.uint64(0) - magnitude, magnitude).astype(fmt.type)


def _nan_codes(x: F32, nan: npt.NDArray[np.bool_], fmt: IntFormat, choice: str) -> npt.NDArray[Any]:
    if choice == "zero":
        return np.zeros((), fmt.type)
    if choice == "max":
        return np.array(fmt.high, fmt.type)
    negative = bits(x)[nan] > MAGNITUDE
    return np.where(negative, np.array(fmt.low, fmt.type), np.array(fmt.high, fmt.type))


def scalar_to_int32(x: F32) -> I32:
    """The scalar of an integer-band operation: nearest even, saturated to INT32, NaN by its sign.

    The same rule beside signed and unsigned dtypes. Returns int32 of x's shape.
    Source: isa/03 section 2.4 [M].
    """
    with np.errstate(all="ignore"):
        return narrow_integer(x, Dtype.INT32, Choices()).view(np.int32)
