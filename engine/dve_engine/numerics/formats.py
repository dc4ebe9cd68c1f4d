"""The float formats behind the dtype codes, and which of them a code means under a mode.

Source: isa/02 section 5 (formats), section 6 (FP8 mode), section 9 (NaN codes) [H, tags there].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ..isa.assumptions import Choices
from ..isa.dtypes import Dtype
from ..isa.generation import Fp8Mode
from .errors import ConversionNotDefined

Specials = Literal["ieee", "fn", "finite"]


@dataclass(frozen=True)
class FloatFormat:
    """One signed binary format. specials: ieee has Inf and NaN in the top exponent, fn one NaN code, finite neither."""

    name: str
    exponent_bits: int
    mantissa_bits: int
    bias: int
    specials: Specials = "ieee"

    @property
    def width(self) -> int:
        """Bits per element."""
        return 1 + self.exponent_bits + self.mantissa_bits

    @property
    def sign(self) -> int:
        """The sign bit of a code."""
        return 1 << (self.width - 1)

    @property
    def infinity(self) -> int | None:
        """Code of +Inf."""
        return ((1 << self.exponent_bits) - 1) << self.mantissa_bits if self.specials == "ieee" else None

    @property
    def nan(self) -> int | None:
        """The positive NaN code that a conversion writes."""
        if self.infinity is not None:
            return self.infinity | 1 << (self.mantissa_bits - 1)
        return self.sign - 1 if self.specials == "fn" else None

    @cached_property
    def top(self) -> int:
        """Code of the largest finite value."""
        if self.infinity is not None:
            return self.infinity - 1
        return self.sign - (2 if self.specials == "fn" else 1)

    @property
    def overflow(self) -> int:
        """Code of a finite value too large for the format, where nothing clamps."""
        if self.infinity is not None:
            return self.infinity
        return self.top if self.nan is None else self.nan

    @property
    def min_subnormal_exponent(self) -> int:
        """log2 of the smallest positive value."""
        return 1 - self.bias - self.mantissa_bits


FP16 = FloatFormat("FP16", 5, 10, 15)
E3M4 = FloatFormat("E3M4", 3, 4, 3)
E4M3 = FloatFormat("E4M3", 4, 3, 7)
E4M3FN = FloatFormat("E4M3FN", 4, 3, 7, "fn")
E5M2 = FloatFormat("E5M2", 5, 2, 15)
E2M5 = FloatFormat("E2M5", 2, 5, 1, "finite")
E2M5_IEEE = FloatFormat("E2M5 with Inf and NaN", 2, 5, 1)

_E4M3_READINGS = {"ieee-240": E4M3, "fn-448": E4M3FN}
_FIXED = {Dtype.FP8_EXP3: E3M4, Dtype.FP8_EXP5: E5M2}

FP8 = frozenset((Dtype.FP8_EXP2, Dtype.FP8_EXP3, Dtype.FP8_EXP4, Dtype.FP8_EXP5))


def fp8_format(dtype: int, mode: Fp8Mode, choices: Choices) -> FloatFormat:
    """The format behind an 8-bit float code.

    `fp8-e4m3-variant` is only peeked at: the two readings differ in the top binade and in NaN, and only the caller
    sees whether an element lies there. `fp8-e2m5-format` decides every value of its code.
    Raises ConversionNotDefined for FP8_EXP2 under fp8-e2m5-format = not-modelled.
    Source: isa/02 section 6.
    """
    if dtype == Dtype.FP8_EXP4:
        reading = choices.peek("fp8-e4m3-variant")
        return _E4M3_READINGS.get(reading) or (E4M3FN if mode.ocp else E4M3)
    if dtype == Dtype.FP8_EXP2:
        choice = choices["fp8-e2m5-format"]
        if choice == "not-modelled":
            raise ConversionNotDefined(dtype)
        return E2M5 if choice == "finite-only" else E2M5_IEEE
    return _FIXED[Dtype(dtype)]


def fp8_clamps(dtype: int, mode: Fp8Mode) -> bool:
    """Whether overflow and Inf become the largest finite value.

    Under ocp `sat` acts on E4M3 and E5M2 (never on E3M4, isa/02 O4); without it `sis` acts on all three.
    """
    if mode.ocp:
        return mode.sat and dtype in (Dtype.FP8_EXP4, Dtype.FP8_EXP5)
    return mode.sis and dtype != Dtype.FP8_EXP2
