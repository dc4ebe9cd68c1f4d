"""Open questions: predicated and select instructions.

Source: isa/00 section 5.
"""

from __future__ import annotations

from .model import Assumption

ROWS = (
    Assumption(
        id="predicate-dtype-set",
        question="Legal predicate dtypes",
        alternatives=("int6", "nki-list"),
        default="int6",
        nki="nki-list",
        confidence="H",
        evidence=(
            "S000, S001: the six 8/16/32-bit integer codes; NKI documentation: nki.isa.tensor_copy_predicated "
            "uint8/16/32, nki.isa.select_reduce int8/uint8/int16/uint16"
        ),
        instructions="COPY_PREDICATED CAST_PREDICATED COPY_PREDICATED_SCALAR SELECT_REDUCE",
    ),
    Assumption(
        id="merge-of-unselected",
        question="Unselected destination elements of the predicated copies",
        alternatives=("keep-bytes", "zero"),
        default="keep-bytes",
        confidence="H",
        evidence=(
            "S000 header pseudo-code, S004 kill-mask polarity; NKI documentation, page "
            "nki.isa.tensor_copy_predicated: unmodified"
        ),
        instructions="COPY_PREDICATED CAST_PREDICATED COPY_PREDICATED_SCALAR",
    ),
    Assumption(
        id="cps-polarity",
        question="Polarity of 0xE8 with reversed_pred = 0",
        alternatives=("write-where-false", "write-where-true"),
        default="write-where-false",
        confidence="H",
        evidence="S000 header pseudo-code; NKI's reverse_pred = False is byte 33 = 1, and True is 0 (04 §4.3)",
        instructions="COPY_PREDICATED_SCALAR",
    ),
    Assumption(
        id="select-reduce-false-lanes",
        question="0xEA under a false predicate: dst and maximum",
        alternatives=("merge", "fill"),
        default="merge",
        nki="fill",
        confidence="M",
        evidence=(
            "S001: dst keeps its value and only true elements enter the max; NKI documentation, page "
            "nki.isa.select_reduce: on_false (imm0) is written and the max covers the whole result (04 §5.3)"
        ),
        instructions="SELECT_REDUCE",
    ),
    Assumption(
        id="select-reduce-reverse",
        question="0xEA with reverse_operands = First",
        alternatives=("negate-predicate", "no-effect"),
        default="negate-predicate",
        confidence="M",
        evidence=(
            "S001 only says operand roles swap; NKI documentation, page nki.isa.select_reduce has reverse_pred (04 "
            "§5.3)"
        ),
        instructions="SELECT_REDUCE",
    ),
    Assumption(
        id="select-reduce-idle",
        question="0xEA with accumulator_cmd Idle",
        alternatives=("single-shot", "keep-tainted"),
        default="single-shot",
        nki="keep-tainted",
        confidence="M",
        evidence=(
            "S001: single-shot, from the identity, result left in the accumulator; NKI documentation, page "
            "nki.isa.select_reduce: no accumulation, state may change (04 §2.9)"
        ),
        instructions="SELECT_REDUCE",
    ),
    Assumption(
        id="select-reduce-axis",
        question="Along what does 0xEA take its maximum?",
        alternatives=("free-axis-per-lane", "across-lanes"),
        default="free-axis-per-lane",
        confidence="H",
        evidence=(
            "NKI documentation, page nki.isa.select_reduce; S001 leaves the axis open; 0x9B returns one value per "
            "channel"
        ),
        instructions="SELECT_REDUCE",
    ),
    Assumption(
        id="select-reduce-output-conversion",
        question="0xEA data dtype differs from out_dtype",
        alternatives=("convert", "raw-bits"),
        default="convert",
        confidence="M",
        evidence=(
            "S001 calls the copy dtype-preserving but stores the value as out_dtype, and the validator sizes dst by "
            "out_dtype (04 §5.4)"
        ),
        instructions="SELECT_REDUCE",
    ),
    Assumption(
        id="range-select-compare",
        question="What does 0xBC compare with its bounds?",
        alternatives=("element-index", "element-value"),
        default="element-index",
        confidence="H",
        evidence="NKI documentation, page nki.isa.range_select; the 2^24 limit fits only the index (04 §7.3)",
        instructions="RANGE_SELECT",
        generations="CAYMAN MARIANA MAVERICK",
    ),
    Assumption(
        id="range-select-base",
        question="base that is NaN, negative or fractional",
        alternatives=("reject", "truncate"),
        default="reject",
        confidence="L",
        evidence="validator passes it through an unsigned integer (04 §7.2)",
        instructions="RANGE_SELECT",
        generations="CAYMAN MARIANA MAVERICK",
    ),
    Assumption(
        id="dropout-tie",
        question="Draw equal to the threshold, or NaN threshold",
        alternatives=("rate-rule", "strict-both", "keep-both"),
        default="rate-rule",
        confidence="M",
        evidence=(
            "one ordered compare draw < threshold: drop rate drops if true, keep rate keeps if true; header prose "
            'and enum comments differ at equality; only "drop rate: keep unless below; keep rate: keep if below" '
            "meets NKI documentation, page nki.isa.dropout, at probabilities 0 and 1 (04 §10.3)"
        ),
        instructions="DROPOUT",
    ),
    Assumption(
        id="dropout-scale",
        question="Does 0x7F multiply survivors by 1/(1-p)?",
        alternatives=("mask-only", "scale-survivors"),
        default="mask-only",
        confidence="H",
        evidence=(
            "the record has no scale operand; S004 names a host-supplied factor, i.e. a separate multiply (07 §12)"
        ),
        instructions="DROPOUT",
    ),
    Assumption(
        id="dropout-draw-map",
        question="u32 draw to fp32",
        alternatives=("mantissa-fill", "scaled-convert"),
        default="mantissa-fill",
        confidence="M",
        evidence="range [0,1) documented, construction inferred (04 §10.3)",
        instructions="DROPOUT",
    ),
)
