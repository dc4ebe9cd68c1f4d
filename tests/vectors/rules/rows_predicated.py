"""The predicated copies, SELECT_REDUCE and DVE_READ_ACCUMULATOR: base records, rows, what cannot be broken."""

from rows_brief import OPCODE
from rows_common import (
    ALL,
    DIMS2,
    DIMS3,
    DTYPE_FAULTS,
    INDIRECT,
    NO_EVENTS,
    OLD,
    Operand,
    Row,
    channel_rows,
    dtype_rows,
    immediate_rows,
    nibble_rows,
    partition_pair_rows,
    pattern_rows,
    preamble_rows,
    quadrant_rows,
    record,
    start_rows,
    tile_rows,
    zero_bytes_rows,
)
from rows_three import WRAP, WRAPPED, count_rows_three, gathered_pair_rows, three_pattern_operands

# src0 0x100 UINT8 predicate, src1 0x200 BF16 data, dst 0x300 BF16
COPY = record("72 10 0000", NO_EVENTS, "63 06 00 20", "00010000", DIMS3, "00020000", DIMS3, "00030000", DIMS3)
# as COPY, BF16 to FP32
CAST = record("99 10 0000", NO_EVENTS, "63 0a 00 20", "00010000", DIMS3, "00020000", DIMS3, "00030000", DIMS3)
# pred 0x100 UINT8, dst 0x200 FP32, -inf inline
CP_SCALAR = record("e8 10 0000", NO_EVENTS, "00000000", "00010000", DIMS3, "03 00 20 000000000000 0a 0a 00", "000080ff",
    "00020000", DIMS3)
# src0 0x100 UINT8, src1 0x200 FP32, dst 0x300 FP32, BYPASS, MAX, ZeroAccumulate, 0.0 inline
SELECT = record("ea 10 0000", NO_EVENTS, "00010000", DIMS2, "00020000", DIMS2, "00 08 00 00 a3 0a 20 0a 03 000000",
    "00030000", DIMS2, "00000000")
# FP32 to dst 0x100
DRAIN = record("9b 10 0000", NO_EVENTS, "00" * 16, "01000000", "0a 00 20", "00" * 9, "00010000 0100 0100", "00" * 12)


def copy_predicated():
    cp = "CP-V"
    yield from preamble_rows(COPY, cp, full=True)
    yield from preamble_rows(CAST, cp)
    yield from dtype_rows("cast-out", "CP-V4", CAST, 13, "out_dtype", setup="48=R6")
    yield Row("copy-both-fp32r", "CP-V4", COPY, "12=b3 13=0b", "out_dtype",
        "0x72 wants one dtype: its data gate fails with it", "12=a3 13=0a", also=("CP-V6",),
        leaf="dtype_fp32r_illegal_check")
    yield from nibble_rows("predicate", "CP-V5", COPY, False, "in0_in1_dtype.dtype_lo", setup="16=R5", also=("CP-V7",))
    yield from nibble_rows("cast-data", "CP-V6", CAST, True, "in0_in1_dtype.dtype_hi", setup="32=R6")
    for code, name in (("6", "bf16"), ("7", "fp16"), ("a", "fp32"), ("d", "fp8-exp3"), ("e", "fp8-exp4"),
        ("f", "fp8-exp5")):
        yield Row(f"predicate-{name}", "CP-V7", COPY, f"12=6{code}", "in0_in1_dtype.dtype_lo",
            "a predicate is an integer of at most 32 bits")
    yield Row("cast-predicate-bf16", "CP-V7", CAST, "12=66", "in0_in1_dtype.dtype_lo",
        "a predicate is an integer of at most 32 bits")
    yield Row("copy-bf16-to-fp32", "CP-V8", COPY, "13=0a", "out_dtype", "0x72 does not convert")
    yield Row("copy-bf16-to-fp16", "CP-V8", COPY, "13=07", "out_dtype", "0x72 does not convert, equal widths or not")
    yield Row("copy-int8-to-uint8", "CP-V8", COPY, "13=03", "out_dtype", "0x72 does not convert, equal widths or not",
        "12=23 13=02")
    yield Row("copy-fp16-data-to-bf16", "CP-V8", COPY, "12=73", "in0_in1_dtype.dtype_hi", "0x72 does not convert")
    yield Row("cast-record-under-copy-opcode", "CP-V8", CAST, "0=72", "header.opcode", "only 0x99 may convert")
    for base, name in ((COPY, "copy"), (CAST, "cast")):
        for op in ("01", "04", "08", "ff"):
            yield Row(f"{name}-op-0x{op}", "CP-V9", base, f"14={op}", "op", "op is BYPASS")
    yield from channel_rows("CP-V10", COPY, 15, "16=R5 32=R6 48=R7")
    operands = three_pattern_operands(
        COPY,
        src0_align=(("uint16", "12=65", "01"), ("uint32", "12=69", "02"), ("int32", "12=68", "01")),
        src1_align=(("bf16", "", "01"), ("fp32", "12=a3 13=0a", "02"), ("int32", "12=83 13=08", "01")),
        dst_align=(("bf16", "", "01"), ("fp32", "12=a3 13=0a", "02"), ("uint32", "12=93 13=09", "03")),
        start=("CP-V11", "CP-V12", "CP-V13"), pattern=("CP-V14", "CP-V15", "CP-V16"),
        counts=("CP-V17", "CP-V18"), quadrants=("CP-V20a", "CP-V20b"), dst_wide="12=a3 13=0a",
    )  # fmt: skip
    for operand in operands:
        yield from pattern_rows(operand)
        yield from start_rows(operand)
    yield Row("dst-psum-int8", "CP-V16", COPY, "51=02", "dst_mem_pattern", "PSUM takes 4-byte elements only",
        "12=23 13=02", OLD)
    yield Row("dst-psum-fp8-exp4", "CP-V16", COPY, "51=02", "dst_mem_pattern", "PSUM takes 4-byte elements only",
        "12=e3 13=0e", OLD)
    yield Row("cast-dst-psum-to-bf16", "CP-V16", CAST, "13=06", "out_dtype", "PSUM takes 4-byte elements only",
        "48=P0.300", OLD)
    for code in ("19", "1f"):
        yield Row(f"cast-out-cptc-0x{code}", "CP-V16", CAST, f"13={code}", "out_dtype",
            "a CPTC code passes the dtype gate and is never aligned", on=INDIRECT, confidence="M")
    yield Row("zero-count-with-shape-marker-on-sunda", "CP-V16", COPY, "58=0000", "dst_mem_pattern",
        "SUNDA has no shape register to waive the count", f"51=40 {WRAPPED}", "S", confidence="L")
    yield from count_rows_three("CP-V17", "CP-V18", COPY)
    yield from partition_pair_rows("CP-V19", COPY, 16, 32, "src1_mem_pattern.start_addr", ("CP-V11", "CP-V12"))
    yield from gathered_pair_rows("CP-V19", COPY)
    yield from quadrant_rows("CP-V20a", "CP-V20b", ("src0", "src0_mem_pattern", 16), ("dst", "dst_mem_pattern", 48),
        COPY, apart="32=R7")


def copy_predicated_scalar():
    base, n = CP_SCALAR, 34
    yield from preamble_rows(base, "CPS-V", full=True)
    yield from zero_bytes_rows("CPS-V4", base, (*range(12, 16), *range(35, 41)),
        lambda at: "reserved0" if at < 16 else "reserved1", "reserved bytes are zero")
    align = (("fp32", "", "02"), ("fp32", "", "01"), ("bf16", "41=0606", "01"), ("int32", "41=0808", "03"))
    yield from immediate_rows("scalar", "CPS-V5", base, 44, "src0_imm", n, (43, "src0_imm_src"), align)
    zero = ("26=008000800400 58=008000800400", WRAP, ALL, "M")
    pred = Operand("pred", "pred_mem_pattern", 16, base, n, "CPS-V6", "CPS-V8", counts=("CPS-V10",),
        quadrant="CPS-V10a", zero=zero,
                   align=(("uint16", "32=05", "01"), ("uint32", "32=09", "02"), ("int32", "32=08", "01")))  # fmt: skip
    dst = Operand("dst", "dst_mem_pattern", 48, base, n, "CPS-V7", "CPS-V9", counts=("CPS-V10",), quadrant="CPS-V10b",
        apart="16=R7", write=True, zero=zero,
                  align=(("bf16", "41=0606", "01"), ("fp32", "", "02"), ("uint16", "41=0505", "03")))  # fmt: skip
    for operand in (pred, dst):
        yield from pattern_rows(operand)
        yield from start_rows(operand)
    yield Row("dst-psum-int8", "CPS-V7", base, "51=02", "dst_mem_pattern", "PSUM takes 4-byte elements only", "41=0202",
        OLD)
    for code in ("19", "1f"):
        yield Row(f"both-cptc-0x{code}", "CPS-V7", base, f"41={code}{code}", "out_dtype",
            "a CPTC code passes the dtype gates and is never aligned", on=INDIRECT, confidence="M")
    yield Row("zero-count-with-shape-marker-on-sunda", "CPS-V7", base, "58=0000", "dst_mem_pattern",
        "SUNDA has no shape register to waive the count", f"51=40 {zero[0]}", "S", confidence="L")
    rule = "CPS-V10"
    yield Row("dst-has-5-elements", rule, base, "58=05", "dst_mem_pattern", "the predicate has 4")
    yield Row("pred-has-12-elements-by-y", rule, base, "28=03", "pred_mem_pattern", "the product counts: 12 against 4")
    yield Row("dst-count-with-shape-marker-on-sunda", rule, base, "58=05", "dst_mem_pattern",
        "SUNDA ignores the shape marker, so nothing is waived", "51=40", "S", confidence="L")
    gather, scatter = "16=I0.400 20=S0.100 24=0400 26=000000000000", "48=I0.500 52=S0.200 56=0400 58=000000000000"
    yield Row("pred-gathers-5-elements", rule, base, "24=05", "pred_mem_pattern", "an indirect operand counts num",
        gather, INDIRECT)
    yield Row("dst-scatters-5-elements", rule, base, "56=05", "dst_mem_pattern", "an indirect operand counts num",
        scatter, INDIRECT)
    yield Row("gather-4-scatter-5-elements", rule, base, "56=05", "dst_mem_pattern",
        "two indirect operands compare their nums", f"{gather} {scatter}", INDIRECT)
    yield from quadrant_rows("CPS-V10a", "CPS-V10b", ("pred", "pred_mem_pattern", 16), ("dst", "dst_mem_pattern", 48),
        base)
    for code in ("06", "07", "0a", "0d", "0e", "0f"):
        yield Row(f"pred-dtype-0x{code}", "CPS-V11", base, f"32={code}", "pred_dtype",
            "a predicate is an integer of at most 32 bits")
    for code in ("00", "01", "0b", "0c", "10", "11", "12", "19", "ff"):
        yield Row(f"pred-dtype-0x{code}", "CPS-V11", base, f"32={code}", "pred_dtype",
            "no general dtype gate here: the set of six decides; address in a register, where alignment is not asked",
            "16=R5")
    for code, leaf in DTYPE_FAULTS.items():
        row = {"on": "".join(leaf), "leaf": leaf}
        yield Row(f"in-code-0x{code}", "CPS-V12", base, f"41={code}", "in_dtype",
            "the gate fails, and so does equality with a legal out_dtype", also=("CPS-V14",), **row)
        yield Row(f"out-code-0x{code}", "CPS-V13", base, f"42={code}", "out_dtype",
            "the gate fails, and so does equality with a legal in_dtype", "48=R5", also=("CPS-V14",), **row)
    yield Row("both-fp32r", "CPS-V12", base, "41=0b0b", "in_dtype", "equal dtypes fail both gates", also=("CPS-V13",),
        leaf="dtype_fp32r_illegal_check")
    yield Row("in-fp32-out-int32", "CPS-V14", base, "42=08", "out_dtype", "no conversion: equal dtypes")
    yield Row("in-bf16-out-fp16", "CPS-V14", base, "42=07", "out_dtype",
        "no conversion: equal dtypes, not equal widths", "41=0606")
    yield Row("in-int8-out-uint8", "CPS-V14", base, "41=02", "in_dtype",
        "no conversion: equal dtypes, not equal widths", "41=0303")
    for value in ("02", "80", "ff"):
        yield Row(f"reversed-pred-0x{value}", "CPS-V15", base, f"33={value}", "reversed_pred", "0 or 1")
    yield from channel_rows("CPS-V16", base, n, "16=R5 48=R6")
    yield from tile_rows("CPS-V16", base)


def select_reduce():
    base, n = SELECT, 42
    yield from preamble_rows(base, "SR-V", full=True)
    yield from nibble_rows("predicate", "SR-V4", base, False, "in0_in1_dtype.dtype_lo", setup="12=R5", also=("SR-V8",))
    yield from nibble_rows("data", "SR-V5", base, True, "in0_in1_dtype.dtype_hi", setup="24=R5")
    yield from dtype_rows("scalar", "SR-V6", base, 43, "imm0_dtype", setup="39=02 60=05000000")
    yield Row("scalar-fp32r-inline", "SR-V6", base, "43=0b", "imm0_dtype", "an inline scalar must be FP32 besides",
        also=("SR-V9",), leaf="dtype_fp32r_illegal_check")
    yield Row("scalar-fp32r-behind-pointer", "SR-V6", base, "43=0b", "imm0_dtype",
        "FP32R not admitted; the pointer is aligned for it", "39=01 60=S0.400", leaf="dtype_fp32r_illegal_check")
    yield from dtype_rows("out", "SR-V7", base, 41, "out_dtype", setup="48=R5", skip=("0b",))
    for code in ("6", "7", "a", "d", "e", "f"):
        yield Row(f"predicate-float-0x{code}", "SR-V8", base, f"40=a{code}", "in0_in1_dtype",
            "a predicate is an integer of at most 32 bits")
    for code, name in (("8", "int32"), ("9", "uint32")):
        yield Row(f"data-{name}", "SR-V8", base, f"40={code}3", "in0_in1_dtype",
            "32-bit integers do not pass the fp32 path")
    for code in ("06", "07", "08", "02", "0f"):
        yield Row(f"inline-scalar-dtype-0x{code}", "SR-V9", base, f"43={code}", "imm0_dtype",
            "an inline scalar is FP32")
    yield Row("bf16-scalar-made-inline", "SR-V9", base, "39=00", "imm0_src", "an inline scalar is FP32",
        "39=02 43=06 60=05000000")
    for at, rule, name in ((36, "SR-V10", "op0"), (37, "SR-V11", "op1")):
        for code, on in (("1e", ALL), ("1f", ALL), ("22", "SC"), ("24", OLD), ("c7", "S"), ("ff", ALL)):
            yield Row(f"{name}-unassigned-0x{code}", rule, base, f"{at}={code}", name,
                "no ALU code of this generation; the fixed-code rule fails with it", on=on, also=("SR-V12",))
    for code, on in (("04", ALL), ("08", ALL), ("0a", ALL), ("07", ALL), ("c4", ALL), ("20", INDIRECT)):
        yield Row(f"op0-0x{code}", "SR-V12", base, f"36={code}", "op0", "op0 is BYPASS", on=on)
    for code, on in (("00", ALL), ("09", ALL), ("04", ALL), ("c6", ALL), ("cf", "CMV"), ("20", INDIRECT), ("24", "V")):
        yield Row(f"op1-0x{code}", "SR-V12", base, f"37={code}", "op1", "op1 is MAX", on=on)
    align = (("fp32", "", "02"), ("fp32", "", "01"), ("bf16", "43=06", "01"), ("int32", "43=08", "02"))
    yield from immediate_rows("scalar", "SR-V13", base, 60, "imm0", n, (39, "imm0_src"), align)
    others = {12: "27=40 51=40", 24: "15=40 51=40", 48: "15=40 27=40"}

    def zero(at):
        return (others[at], "a shape marker on the other operands waives the count rules", "CMV", "M")

    operands = (
        Operand("src0", "src0_mem_pattern", 12, base, n, "SR-V17", "SR-V14", 2, counts=("SR-V21", "SR-V22"),
            apart="24=R7", zero=zero(12),
                align=(("uint16", "40=a5", "01"), ("uint32", "40=a9", "02"), ("int32", "40=a8", "01"))),
        Operand("src1", "src1_mem_pattern", 24, base, n, "SR-V18", "SR-V15", 2, counts=("SR-V21",), apart="12=R7",
            zero=zero(24),
                align=(("bf16", "40=63", "01"), ("fp32", "", "02"), ("int16", "40=43", "03"))),
        Operand("dst", "dst_mem_pattern", 48, base, n, "SR-V19", "SR-V16", 2, counts=("SR-V22",), apart="12=R7",
            zero=zero(48), write=True,
                align=(("bf16", "41=06", "01"), ("fp32", "", "02"), ("fp32r", "41=0b", "01"))),
    )  # fmt: skip
    for operand in operands:
        yield from pattern_rows(operand)
        yield from start_rows(operand)
    yield Row("dst-psum-fp8-exp3", "SR-V19", base, "41=0d", "out_dtype", "PSUM takes 4-byte elements only", "48=P0.300",
        OLD)
    for code in ("19", "1f"):
        yield Row(f"out-cptc-0x{code}", "SR-V19", base, f"41={code}", "out_dtype",
            "a CPTC code passes the dtype gate and is never aligned", on=INDIRECT, confidence="M")
    yield from channel_rows("SR-V20", base, n, "12=R5 24=R6 48=R7")
    yield Row("src1-has-5-elements", "SR-V21", base, "32=05", "src1_mem_pattern", "src0 has 4 elements")
    yield Row("src1-has-8-elements-by-y", "SR-V21", base, "34=02", "src1_mem_pattern",
        "the product counts: 8 against 4")
    yield Row("src0-has-5-elements", "SR-V21", base, "20=05", "src0_mem_pattern",
        "src0 is the left side of both count rules", also=("SR-V22",))
    yield Row("dst-has-5-elements", "SR-V22", base, "56=05", "dst_mem_pattern", "src0 has 4 elements")
    yield Row("dst-has-12-elements-by-y", "SR-V22", base, "58=03", "dst_mem_pattern",
        "the product counts: 12 against 4")
    yield Row("src1-count-with-shape-marker-on-sunda", "SR-V21", base, "32=05", "src1_mem_pattern",
        "SUNDA ignores the shape marker, so nothing is waived", "27=40", "S", confidence="L")
    yield Row("dst-count-with-shape-marker-on-sunda", "SR-V22", base, "56=05", "dst_mem_pattern",
        "SUNDA ignores the shape marker, so nothing is waived", "51=40", "S", confidence="L")
    yield from partition_pair_rows("SR-V23", base, 12, 24, "src1_mem_pattern.start_addr", ("SR-V14", "SR-V15"))
    for value in ("01", "04", "05", "ff"):
        yield Row(f"accumulator-cmd-0x{value}", "SR-V24", base, f"44={value}", "accumulator_cmd",
            "Idle 0, Accumulate 2 or ZeroAccumulate 3")
    for value in ("04", "ff"):
        yield Row(f"reverse-operands-0x{value}", "SR-V25", base, f"38={value}", "reverse_operands",
            "no member of the enum; the narrower rule fails with it", also=("SR-V27",))
    yield from zero_bytes_rows("SR-V26", base, (45, 46, 47), lambda at: "reserved", "reserved bytes are zero")
    for value in ("02", "03"):
        yield Row(f"reverse-operands-0x{value}", "SR-V27", base, f"38={value}", "reverse_operands",
            "None or First only")


def read_accumulator():
    base, n = DRAIN, 34
    yield from preamble_rows(base, "RDA-V", full=True)
    for code in ("02", "03", "04", "05", "08", "09"):
        yield Row(f"dtype-int-0x{code}", "RDA-V4", base, f"32={code}", "dtype", "floats only")
    for code in ("01", "0c"):
        yield Row(f"dtype-64-bit-0x{code}", "RDA-V4", base, f"32={code}", "dtype", "floats only")
    for code in ("00", "10", "11", "12", "13", "19", "ff"):
        yield Row(f"dtype-0x{code}", "RDA-V4", base, f"32={code}", "dtype",
            "floats of at most code 15 only; address in a register, where alignment is not asked", "44=R5")
    yield from channel_rows("RDA-V5", base, n, "44=R5")
    yield from tile_rows("RDA-V5", base)
    align = (("bf16", "32=06", "01"), ("fp32", "", "02"), ("fp32r", "32=0b", "01"), ("fp16", "32=07", "03"))
    dst = Operand("dst", "dst_mem_pattern", 44, base, n, "RDA-V6", "RDA-V5a", 1, counts=("RDA-V7",), write=True,
        align=align)
    yield from pattern_rows(dst)
    yield from start_rows(dst)
    yield Row("dst-psum-narrowed-to-fp8-exp4", "RDA-V6", base, "32=0e", "dtype", "PSUM takes 4-byte elements only",
        "44=P0.100", OLD)
    for at, value in ((28, "00"), (28, "02"), (29, "01"), (30, "01"), (31, "01")):
        yield Row(f"dst-element-count-byte-{at}-0x{value}", "RDA-V7", base, f"{at}={value}", "dst_element_count",
            "exactly 1, as a 32-bit number")
    for at, value in ((50, "02"), (51, "01")):
        yield Row(f"dst-num-elem-byte-{at}-0x{value}", "RDA-V7", base, f"{at}={value}", "dst_mem_pattern.num_elem",
            "exactly one element")
    for value in ("02", "80", "ff"):
        yield Row(f"negated-0x{value}", "RDA-V8", base, f"33={value}", "negated", "0 or 1")
    fields = {12: "reserved0", 35: "reserved1", 52: "reserved2"}
    yield from zero_bytes_rows("RDA-V9", base, (*range(12, 28), *range(35, 44), *range(52, 64)),
        lambda at: fields[max(f for f in fields if f <= at)], "reserved bytes are zero")


FAMILIES = {  # file: (what, sources, rows)
    "copy_predicated": ("COPY_PREDICATED 0x72 and CAST_PREDICATED 0x99",
        "isa/04 section 3.2; 01 sections 1.3, 1.4, 9", copy_predicated),
    "copy_predicated_scalar": ("COPY_PREDICATED_SCALAR 0xE8",
        "isa/04 section 4.2; 01 sections 7.4, 9", copy_predicated_scalar),
    "select_reduce": ("SELECT_REDUCE 0xEA",
        "isa/04 section 5.2; 01 sections 7.4, 9", select_reduce),
    "read_accumulator": ("DVE_READ_ACCUMULATOR 0x9B",
        "isa/05 section 8.3; 01 section 9", read_accumulator),
}

UNBREAKABLE = (
    *((rule, "opcode", (), OPCODE) for rule in ("CP-V3", "CPS-V3", "SR-V3", "RDA-V3")),
    ("CP-V5", "never-alone", ("CP-V7",),
        "a predicate dtype that the gate refuses is none of the six integers of the next rule"),
    ("CPS-V12", "never-alone", ("CPS-V13", "CPS-V14"),
        "in_dtype must equal out_dtype: a bad one is unequal, or both are bad"),
    ("CPS-V13", "never-alone", ("CPS-V12", "CPS-V14"),
        "in_dtype must equal out_dtype: a bad one is unequal, or both are bad"),
    ("SR-V4", "never-alone", ("SR-V8",),
        "a predicate dtype that the gate refuses is none of the six integers of rule V8"),
    ("SR-V10", "never-alone", ("SR-V12",), "rule V12 wants exactly BYPASS"),
    ("SR-V11", "never-alone", ("SR-V12",), "rule V12 wants exactly MAX"),
    ("SR-V25", "never-alone", ("SR-V27",), "rule V27 wants 0 or 1, a subset of the enum"),
)  # fmt: skip

PARTS = ()
