"""Rows of the three-operand structs that the predicated copies and TENSOR_TENSOR share. Notation: rows_common.py."""

from rows_common import ALL, INDIRECT, Operand, Row

WRAP = "counts 0x8000 * 0x8000 * 4 wrap to zero as well, so the count rules pass"
WRAPPED = "26=008000800400 42=008000800400 58=008000800400"


def three_pattern_operands(base, src0_align, src1_align, dst_align, start, pattern, counts, quadrants, src0_wide="",
    dst_wide=""):
    """The operands of S3S3D3_TT."""
    zero = (WRAPPED, WRAP, ALL, "M")
    src_count, dst_count = counts
    return (
        Operand("src0", "src0_mem_pattern", 16, base, 15, pattern[0], start[0], counts=counts, quadrant=quadrants[0],
            apart="32=R7", align=src0_align, wide=src0_wide, zero=zero),
        Operand("src1", "src1_mem_pattern", 32, base, 15, pattern[1], start[1], counts=(src_count,), apart="16=R7",
            align=src1_align, zero=zero),
        Operand("dst", "dst_mem_pattern", 48, base, 15, pattern[2], start[2], counts=(dst_count,),
            quadrant=quadrants[1], apart="16=R7", align=dst_align, write=True, wide=dst_wide, zero=zero),
    )


def count_rows_three(src_rule, dst_rule, base):
    yield Row("src1-has-5-elements", src_rule, base, "42=05", "src1_mem_pattern", "src0 has 4 elements")
    yield Row("src1-has-8-elements-by-y", src_rule, base, "44=02", "src1_mem_pattern",
        "the product counts: 8 against 4")
    yield Row("dst-has-5-elements", dst_rule, base, "58=05", "dst_mem_pattern", "src0 has 4 elements")
    yield Row("dst-has-8-elements-by-z", dst_rule, base, "62=02", "dst_mem_pattern", "the product counts: 8 against 4")
    yield Row("src0-has-5-elements", src_rule, base, "26=05", "src0_mem_pattern",
        "src0 is the left side of both count rules", also=(dst_rule,))
    yield Row("src1-count-with-shape-marker-on-sunda", src_rule, base, "42=05", "src1_mem_pattern",
        "SUNDA ignores the shape marker, so nothing is waived", "35=40", "S", confidence="L")
    yield Row("dst-count-with-shape-marker-on-sunda", dst_rule, base, "58=05", "dst_mem_pattern",
        "SUNDA ignores the shape marker, so nothing is waived", "51=40", "S", confidence="L")
    yield Row("dst-scatters-5-elements", dst_rule, base, "56=05", "dst_mem_pattern",
        "an indirect operand counts num: 5 against 4", "48=I0.500 52=S0.300 56=0400 58=000000000000", INDIRECT)
    yield Row("src1-against-gathered-count", src_rule, base, "42=05", "src1_mem_pattern",
        "an indirect operand counts num: 4 against 5", "16=I0.400 20=S0.100 24=0400 26=000000000000", INDIRECT,
        confidence="M")


def gathered_pair_rows(rule, base):
    field = "src0_mem_pattern.start_addr"
    tail = "24=0400 26=000000000000"
    # the rule's fields name start words; the data word stands in their place for an indirect src0
    yield Row("gathered-data-in-quadrant-32", rule, base, "32=S32.200", "src1_mem_pattern.start_addr",
        "for an indirect src0 the data word counts", f"16=J5 20=S0.100 {tail}", INDIRECT, confidence="M")
    yield Row("gathered-psum-data-and-psum-src1", rule, base, "32=P0.200", "src1_mem_pattern.start_addr",
        "for an indirect src0 the data word counts", f"16=I0.400 20=P0.100 {tail}", "M", confidence="M")
    yield Row("src0-moved-to-quadrant-64", rule, base, "16=S64.100", field,
        "two SBUF sources start in the same quadrant")
