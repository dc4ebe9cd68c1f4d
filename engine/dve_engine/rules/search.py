"""Checks shared by MAX8, FIND_INDEX8, MATCH_VALUE_LOAD and MATCH_REPLACE8. Source: isa/06 section 5.10 [H]."""

from __future__ import annotations

from .fields import among, float_zero_part
from .rule import Part, Rule

MOST_ELEMENTS = 16_384

s4d2_bn_zero_counts = Rule(
    "s4d2_bn_zero_counts",
    (float_zero_part("even_count"), float_zero_part("odd_count")),
    ("even_count", "odd_count"),
)
has_s2_bn_zero_immediates = Rule(
    "has_s2_bn_zero_immediates",
    (float_zero_part("imm0_ptr"), Part(among("imm0_src", (0,)), "imm0_src", "0"), float_zero_part("imm1")),
    ("imm0_ptr", "imm0_src", "imm1"),
)
