"""The cost parameters of the four generations as rows of data.

Source: isa/08 section 3; the confidence of each value stands beside it. No MARIANA or MAVERICK time was ever compared
with a measurement.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ..isa.dtypes import Dtype
from ..isa.generation import CAYMAN, MARIANA, MAVERICK, SUNDA

Tag = Literal["H", "M", "L"]
_WEAKEST_FIRST: tuple[Tag, ...] = ("L", "M", "H")

MIN_ISSUE_CYCLES = 64  # MIN_II [H], one number for all generations
WIDE_STRIDE_BYTES = 16  # above it `wide_stride_factor` applies; exactly 16 is full rate [M]


def weakest(*tags: Tag) -> Tag:
    """The least trustworthy of some tags."""
    return min(tags, key=_WEAKEST_FIRST.index)


@dataclass(frozen=True)
class Parameters:
    """One generation. Names carry their unit; cycles are Vector Engine cycles.

    fast_dtypes: codes that stream at the 512-wide rate. wide_stride_factor: multiplies the weight of a stream whose
    innermost stride exceeds WIDE_STRIDE_BYTES (SU6; 8/5 is the open alternative of isa/08 section 4.2). packed_bf16:
    whether packed BF16 operands halve a source's weight (SU4).
    """

    clock_ghz: float
    clock_tag: Tag
    performance_modes: bool
    fast_dtypes: frozenset[int]
    bubble_cycles: int
    drain_cycles: int
    fixed_tag: Tag  # weakest of bubble and drain
    psum_extra_cycles: int
    psum_extra_tag: Tag
    wide_stride_factor: Fraction
    packed_bf16: bool
    satisfied_wait_ns: float = 10.0  # [M] on SUNDA, [L] later
    hand_off_ns: float = 40.0  # completion on one engine to a dependent start on another, 40 +- 20 [M] on CAYMAN


_FAST = frozenset((int(Dtype.BFLOAT16), int(Dtype.FP16)))
_FAST_WITH_FP8 = _FAST | {int(Dtype.FP8_EXP3), int(Dtype.FP8_EXP4), int(Dtype.FP8_EXP5)}

PARAMETERS = {
    SUNDA: Parameters(1.12, "H", False, _FAST, 64, 390, "M", 0, "M", Fraction(2), packed_bf16=True),
    CAYMAN: Parameters(0.96, "H", True, _FAST, 64, 144, "M", 56, "M", Fraction(1), packed_bf16=False),
    MARIANA: Parameters(1.20, "H", True, _FAST_WITH_FP8, 64, 144, "L", 56, "L", Fraction(1), packed_bf16=False),
    # No source at all: the values of MARIANA; no operand is ever in PSUM.
    MAVERICK: Parameters(1.20, "L", True, _FAST_WITH_FP8, 64, 144, "L", 0, "L", Fraction(1), packed_bf16=False),
}

# (space, fast dtype, contiguous) -> cycles per element of one stream with performance mode on: isa/08 section 4.4
PERFORMANCE_WEIGHTS: dict[tuple[str, bool, bool], tuple[Fraction, Tag]] = {
    ("SBUF", True, True): (Fraction(1, 4), "H"),
    ("SBUF", True, False): (Fraction(1, 2), "H"),
    ("SBUF", False, True): (Fraction(1, 2), "M"),
    ("SBUF", False, False): (Fraction(1), "L"),
    ("PSUM", True, True): (Fraction(1, 2), "H"),
    ("PSUM", True, False): (Fraction(1), "M"),
    ("PSUM", False, True): (Fraction(1), "M"),
    ("PSUM", False, False): (Fraction(1), "M"),
}
