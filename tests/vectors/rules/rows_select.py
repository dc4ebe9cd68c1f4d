"""Rows of selects, searches, fills and loads; isa/04 sections 6 to 10, 05 section 9, 06 sections 5.6 to 7.1."""

from rows_brief import (
    SUBSET,
    gate_rows,
    only,
    opcode_rule,
    operand_rows,
    place_rows,
    scalar_rows,
    value_rows,
)
from rows_common import (
    DIMS2,
    DIMS3,
    DTYPE_FAULTS,
    NO_EVENTS,
    Operand,
    Row,
    channel_rows,
    preamble_rows,
    record,
    tile_rows,
    zero_bytes_rows,
)


def dims4(x):
    return f"0100 0100 0100 0100 {x:02x}00 0100 0100 0100"


OUT_CODES = ("00", "01", "0c", "10", "12", "17")

# src0 0x100, dst 0x200, BF16, tensor or -inf by an inline UINT16 predicate
TS_SELECT = record("98 10 0000", NO_EVENTS, "00000000", "00010000", DIMS3, "00 20 06 05 0000 00 00", "80ff0000",
    "01000000", "00020000", DIMS3)
# src 0x100 FP32, dst 0x200 FP32, index from 10.0 in [12.0, 15.0), reset and reduce
RANGE = record("bc 10 0000", NO_EVENTS, "20 aa 03 08", "00002041", "ffff7fff", "00010000", DIMS2, "14 16 00 00",
    "00004041 00007041", "00020000", DIMS2, "00000000")
# FP32, first matches become -1.0
REPLACE = record("6f 10 0000", NO_EVENTS, "00010000", dims4(8), "0a 0a 20", "00" * 5, "000080bf", "00020000", dims4(8))
MATCH_LOAD = record("6d 10 0000", NO_EVENTS, "00" * 4, "00010000", "0100 0100 0800 0100", "00" * 4, "0a 00 20",
    "00" * 9, "00000000 00", "00" * 15)
LARGEST = record("6c 10 0000", NO_EVENTS, "00010000", dims4(8), "0a 0a 20", "00" * 5, "00" * 8, "00020000",
    "0100 0100 0800 0100", "00" * 4)
FIND = record("6e 10 0000", NO_EVENTS, "00010000", dims4(8), "0a 09 20", "00" * 5, "00" * 8, "00020000",
    "0100 0100 0800 0100", "00" * 4)
READ_INDICES = record("e9 10 0000", NO_EVENTS, "00" * 16, "08000000", "09 00 20 00 00 000000", "00000000", "00010000",
    dims4(8))
# BF16, drop below 0.25 inline
DROPOUT = record("7f 10 0000", NO_EVENTS, "00" * 4, "00010000", DIMS3, "06 06 20 00 0a", "00" * 6, "00", "0000803e",
    "00020000", DIMS3)
# 4 elements FP32 1.0
MEMSET = record("49 10 0000", NO_EVENTS, "00" * 16, "04000000", "0a 00 20 00 00 000000", "0000803f", "00010000",
    dims4(4))
RNG = record("4d 10 0000", NO_EVENTS, "00" * 16, "04000000", "09 00 20 00 00 000000", "00000000", "00010000", dims4(4))
MASK = record("69 10 0000", NO_EVENTS, "00" * 20, bytes(range(31)).hex(), "ff")
PARAMETERS = record("66 10 0000", NO_EVENTS, "0800 00", "00" * 17, "0000803f" * 8)
IMM_LOAD = record("70 10 0000", NO_EVENTS, "00" * 4, "00010000", "0100 0100 0200 0400", "00" * 4, "0a 00 20", "00" * 9,
    "00000000 00", "00" * 15)
IMM_LOAD_BITS = record("71 10 0000", NO_EVENTS, "00" * 4, "00010000", "0100 0100 0200 0400", "00" * 4, "09 00 20",
    "00" * 9, "00000000 00", "00" * 15)
MULTI4 = "0100 0100 0100 0100 0400 0100 0100 0200"
MULTI = record("4f 10 0000", NO_EVENTS, "00010000", MULTI4, "0a 0a 20 00 04 04 00", "00" * 5, "00020000", MULTI4)
MULTI_BITS = record("5f 10 0000", NO_EVENTS, "00010000", MULTI4, "05 05 20 00 0c 04 00", "00" * 5, "00020000", MULTI4)


def by_offset(fields):
    """Name the reserved field that a byte belongs to; fields: first byte -> name."""
    return lambda at: fields[max(first for first in fields if first <= at)]


def tensor_scalar_select():
    base, v = TS_SELECT, "TSS-V"
    yield from preamble_rows(base, v)
    yield from zero_bytes_rows(v + "4", base, (12, 15, 36, 37), by_offset({12: "reserved0", 36: "reserved1"}),
        "reserved bytes are zero")
    wide = "34=0a 35=08"
    align = (("bf16", "", "01"), ("fp32", wide, "02"))
    yield from scalar_rows("scalar", v + "5", base, 40, "src1_imm", 33, (38, "src1_imm_src"), align)
    yield from scalar_rows("predicate", v + "6", base, 44, "pred_imm", 33, (39, "pred_imm_src"), align)
    for name, change in (("2", "44=02"), ("minus-1", "44=ffffffff"), ("high-half", "46=01"), ("1-in-the-top", "47=01")):
        yield Row(f"inline-predicate-{name}", v + "7", base, change, "pred_imm",
            "an inline predicate is 0 or 1 as 32 bits, whatever its dtype")
    yield Row("pointer-made-inline", v + "7", base, "39=00", "pred_imm_src", "an inline predicate is 0 or 1",
        "39=01 44=S0.400")
    for name, at, rules, write in (("src0", 16, ("8", "10a"), False), ("dst", 48, ("9", "10b"), True)):
        yield from operand_rows(Operand(name, f"{name}_mem_pattern", at, base, 33, v + rules[0], v + rules[1],
            counts=(v + "11",), write=write, wide=wide, align=align))
    yield Row("dst-has-5-elements", v + "11", base, "58=05", "dst_mem_pattern", "the source has 4 elements")
    yield Row("src0-has-8-elements-by-y", v + "11", base, "28=02", "src0_mem_pattern", "the product counts")
    yield Row("dst-count-with-shape-marker-on-sunda", v + "11", base, "58=05", "dst_mem_pattern",
        "SUNDA ignores the shape marker, so nothing is waived", "51=40", "S", confidence="L")
    yield Row("fp32r", v + "12", base, "34=0b", "dtype", "FP32R not allowed", wide, leaf="dtype_fp32r_illegal_check")
    for code in ("00", "01", "0c", "17"):
        yield Row(f"code-0x{code}", v + "12", base, f"34={code}", "dtype",
            "no dtype of the gate; of no width that a predicate has", "16=R5 48=R6", "".join(DTYPE_FAULTS[code]),
            (v + "14",), DTYPE_FAULTS[code])
    for code, setup in (("06", ""), ("07", ""), ("0a", wide), ("0b", wide), ("0f", "34=03 35=03")):
        yield Row(f"predicate-dtype-0x{code}", v + "13", base, f"35={code}", "pred_imm_dtype",
            "a predicate is an integer of at most 32 bits", setup)
    for code in ("02", "03", "08", "09"):
        yield Row(f"predicate-width-0x{code}", v + "14", base, f"35={code}", "pred_imm_dtype",
            "the predicate is as wide as the data")
    yield Row("data-made-wider", v + "14", base, "34=0a", "dtype", "the predicate is as wide as the data")
    yield from value_rows("reversed-pred", v + "14b", base, 32, ("02", "80", "ff"), "reversed_pred", "0 or 1")
    yield from channel_rows(v + "15", base, 33, "16=R5 48=R6")
    yield from tile_rows(v + "15", base)


def range_select_rows():
    base, v = RANGE, "RS-V"
    yield from preamble_rows(base, v)
    for name, at, rules, half in (("src", 24, ("7", "5"), "a6"), ("dst", 48, ("8", "6"), "6a")):
        yield from operand_rows(Operand(name, f"{name}_mem_pattern", at, base, 12, v + rules[0], v + rules[1], 2,
            counts=(v + "9",), write=name == "dst", align=(("bf16", f"13={half}", "01"), ("fp32", "", "02"))))
    yield Row("dst-has-5-elements", v + "9", base, "56=05", "dst_mem_pattern", "the source has 4 elements")
    yield Row("src-has-8-elements-by-y", v + "9", base, "34=02", "src_mem_pattern", "the product counts")
    for name, setup, change, why in (
        ("2-to-24-and-4-elements", "16=f8ff7f4b", "16=0000804b", "base + count is at most 2^24"),
        ("one-element-too-far", "16=f8ff7f4b", "16=fdff7f4b", "base + count is at most 2^24"),
        ("more-elements", "16=fcff7f4b", "32=05 56=05", "base + count is at most 2^24"),
        ("above-2-to-24", "", "16=0100804b", "base is at most 2^24"),
        ("infinite", "", "16=0000807f", "base is at most 2^24"),
    ):
        yield Row(f"base-{name}", v + "10", base, change, "src_mem_pattern" if "32=" in change else "base", why, setup)
    for name, value in (("nan", "0000c07f"), ("minus-1", "000080bf"), ("one-half", "0000003f")):
        yield Row(f"base-{name}", v + "10", base, f"16={value}", "base",
            "the default of range-select-base: no NaN, negative or fractional origin", confidence="L")
    for code in ("2", "3", "5", "8", "9", "b"):
        yield Row(f"in-dtype-0x{code}", v + "11", base, f"13=a{code}", "in_out_dtype.dtype_lo", "floats without FP32R")
    for code in ("0", "1", "c"):
        yield Row(f"in-dtype-0x{code}", v + "11", base, f"13=a{code}", "in_out_dtype.dtype_lo", "floats without FP32R",
            "24=R5")
    for code in ("2", "3", "8", "9"):
        yield Row(f"out-dtype-0x{code}", v + "12", base, f"13={code}a", "in_out_dtype.dtype_hi", "floats")
    for code in ("0", "1", "c"):
        yield Row(f"out-dtype-0x{code}", v + "12", base, f"13={code}a", "in_out_dtype.dtype_hi", "floats", "48=R6")
    for value in ("000080ff", "00000000", "feff7fff", "ffff7f7f"):
        yield Row(f"fill-{value}", v + "13", base, f"20={value}", "fill_val", "exactly 0xFF7FFFFF")
    for at, name, rule in ((36, "comp_op0", "14"), (37, "comp_op1", "15")):
        yield from value_rows(name.replace("_", "-"), v + rule, base, at, ("00", "08", "17", "18", "1e", "ff"), name,
            "IS_EQ, IS_GT, IS_GE, IS_LE or IS_LT")
    for k, rule in ((0, "16"), (1, "17")):
        yield from scalar_rows(f"bound{k}", v + rule, base, 40 + 4 * k, f"bound{k}", 12,
            (38 + k, f"bound{k}_src"), (("fp32", "", "02"), ("fp32-whatever-the-data", "13=66", "02")))
    yield from channel_rows(v + "18", base, 12, "24=R5 48=R6")
    yield from value_rows("reduce-cmd", v + "19", base, 14, ("01", "04", "05", "ff"), "reduce_cmd",
        "Idle 0, Accumulate 2 or ZeroAccumulate 3")
    yield from value_rows("reduce-op", v + "20", base, 15, ("00", "09", "04", "ff"), "reduce_op", "MAX only")
    yield Row("idle-reduce-op-0x00", v + "20", base, "15=00", "reduce_op", "MAX only, also when nothing is reduced",
        "14=00")


def range_select():
    yield from only(range_select_rows(), "CMV")


IN_OUT = ((("bf16", "32=06", "01"), ("fp32", "", "02")), (("bf16", "33=06", "01"), ("fp32", "33=0a", "02")))


def match_replace8():
    base, v = REPLACE, "MR-V"
    yield from preamble_rows(base, v)
    yield from zero_bytes_rows(v + "4", base, (35, 37, 39), lambda at: "reserved0", "reserved bytes are zero")
    more = (v + "6",)
    yield from gate_rows("in", v + "5a", base, 32, "in_dtype", "12=R5", more)
    yield from gate_rows("out", v + "5b", base, 33, "out_dtype", "44=R6", more, OUT_CODES)
    yield from value_rows("in-dtype", v + "6", base, 32, ("02", "04", "0d", "0e", "0f"), "in_dtype",
        "not one of the seven dtypes")
    yield from value_rows("out-dtype", v + "6", base, 33, ("02", "04", "0b", "0d", "0f"), "out_dtype",
        "not one of the seven dtypes")
    yield from channel_rows(v + "7", base, 34, "12=R5 44=R6")
    yield from tile_rows(v + "7", base)
    for name, at, rules, align in (("src", 12, ("8c", "8a"), IN_OUT[0]), ("dst", 44, ("8d", "8b"), IN_OUT[1])):
        yield from operand_rows(Operand(name, f"{name}_mem_pattern", at, base, 34, v + rules[0], v + rules[1], 4,
            counts=(v + "10",), write=name == "dst", align=align))
    yield Row("16385-elements", v + "9", base, "24=0140 56=0140", "src_mem_pattern", "at most 16384", "24=0040 56=0040")
    yield Row("32768-elements-by-y", v + "9", base, "26=02 58=02", "src_mem_pattern", "the product counts",
        "24=0040 56=0040")
    yield Row("dst-has-9-elements", v + "10", base, "56=09", "dst_mem_pattern", "the source has 8 elements")
    yield Row("src-has-16-elements-by-w", v + "10", base, "30=02", "src_mem_pattern", "the product counts")


def match_value_load():
    base, v = MATCH_LOAD, "MVL-V"
    yield from preamble_rows(base, v)
    yield from zero_bytes_rows(v + "4", base, (12, 15, 33, 35, 43, 49, 63),
        by_offset({12: "reserved0", 33: "reserved1", 35: "reserved2", 49: "reserved3"}), "reserved bytes are zero")
    yield from gate_rows("dtype", v + "5", base, 32, "dtype", "16=R5")
    yield from channel_rows(v + "6", base, 34, "16=R5")
    yield from tile_rows(v + "6", base)
    yield from operand_rows(Operand("src", "src_mem_pattern", 16, base, 34, v + "8", v + "7", 2, counts=(v + "9",),
        align=IN_OUT[0]))
    for x, y, setup in (("07", "01", ""), ("09", "01", ""), ("08", "02", ""), ("03", "03", ""),
        ("02", "02", "24=02 26=04")):
        yield Row(f"{int(x)}-by-{int(y)}-elements", v + "9", base, f"24={x} 26={y}", "src_mem_pattern",
            "exactly eight elements", setup)
    yield Row("listed-shape-on-sunda", v + "9", base, "24=07", "src_mem_pattern",
        "SUNDA ignores the shape marker, so nothing is waived", "19=40", "S", confidence="L")
    for name, change, field in (("imm0-one", "46=803f", "imm0_ptr"), ("imm0-subnormal", "44=01", "imm0_ptr"),
        ("imm0-nan", "46=c07f", "imm0_ptr"), ("imm1-one", "30=803f", "imm1"), ("imm1-subnormal", "28=01", "imm1"),
        ("source-1", "48=01", "imm0_src"), ("source-2", "48=02", "imm0_src")):
        yield Row(name, v + "10", base, change, field, "0.0 as a number and source 0; -0.0 passes",
            "44=00000080 28=00000080" if "one" in name else "")


def search(name, base, indices=False):
    v = f"{name}-V"
    yield from preamble_rows(base, v)
    yield from zero_bytes_rows(v + "4", base, (35, 39, 60, 63), by_offset({35: "reserved0", 60: "reserved1"}),
        "reserved bytes are zero")
    yield from gate_rows("in", v + "5", base, 32, "in_dtype", "12=R5")
    yield from gate_rows("out", v + "6", base, 33, "out_dtype", "48=R6", (v + "6a",) if indices else (), OUT_CODES)
    if indices:
        yield from value_rows("out-dtype", v + "6a", base, 33, ("04", "08", "0a", "03", "0b", "07"), "out_dtype",
            "UINT16 or UINT32")
    yield from channel_rows(v + "7", base, 34, "12=R5 48=R6")
    yield from tile_rows(v + "7", base)
    narrow = ("uint16", "33=05", "01") if indices else ("bf16", "33=06", "01")
    src = Operand("src", "src_mem_pattern", 12, base, 34, v + "9a", v + "8a", 4, counts=(v + "10",), align=IN_OUT[0])
    dst = Operand("dst", "dst_mem_pattern", 48, base, 34, v + "9b", v + "8b", 2, counts=(v + "11",), write=True,
        align=(narrow, ("4-byte", "", "02")))
    yield from operand_rows(src)
    yield from operand_rows(dst)
    for count, change, setup in ((7, "24=07", ""), (1, "24=01", ""), (16385, "24=0140", "24=0040"),
        (32768, "26=02", "24=0040")):
        yield Row(f"src-has-{count}-elements", v + "10", base, change, "src_mem_pattern", "8 to 16384 elements", setup)
    for count, change, setup in ((7, "56=07", ""), (9, "56=09", ""), (16, "58=02", ""), (4, "56=02", "56=04 58=02")):
        yield Row(f"dst-has-{count}-elements", v + "11", base, change, "dst_mem_pattern", "exactly eight", setup)
    for at, field in ((40, "even_count"), (44, "odd_count")):
        for what, change in (("one", f"{at + 2}=803f"), ("subnormal", f"{at}=01"), ("nan", f"{at + 2}=c07f")):
            yield Row(f"{field.replace('_', '-')}-{what}", v + "12", base, change, field,
                "0.0 as a number; -0.0 passes", f"{at}=00000080" if what == "one" else "")


def read_indices():
    base, v = READ_INDICES, "RDI-V"
    yield from preamble_rows(base, v)
    yield from zero_bytes_rows(v + "4", base, (12, 27, 33, 35, 37, 39),
        by_offset({12: "reserved0", 33: "reserved1", 35: "reserved2", 37: "reserved3"}), "reserved bytes are zero")
    yield from value_rows("serialization", v + "5", base, 36, ("01", "02", "ff"), "serialization_mode", "Serial only")
    yield from value_rows("dtype", v + "6", base, 32, ("04", "08", "03", "0a"), "dtype", "UINT16 or UINT32")
    yield from value_rows("no-dtype", v + "6", base, 32, ("00", "01", "ff"), "dtype", "UINT16 or UINT32", setup="44=R5")
    yield from channel_rows(v + "7", base, 34, "44=R5")
    yield from tile_rows(v + "7", base)
    dst = Operand("dst", "dst_mem_pattern", 44, base, 34, v + "8", v + "7a", 4, counts=(v + "11",), write=True,
        align=(("uint16", "32=05", "01"), ("uint32", "", "02")))
    yield from operand_rows(dst)
    for value, at in (("07", 28), ("00", 28), ("01", 29), ("01", 31)):
        yield Row(f"element-count-byte-{at}-0x{value}", v + "9", base, f"{at}={value}", "dst_element_count",
            "exactly 8, as a 32-bit number")
    for at in (40, 41, 43):
        yield Row(f"set-value-byte-{at}", v + "10", base, f"{at}=01", "set_value", "0 only")
    for count, change in ((7, "56=07"), (9, "56=09"), (16, "58=02")):
        yield Row(f"dst-has-{count}-elements", v + "11", base, change, "dst_mem_pattern", "the pattern holds eight",
            confidence="L")


def match():
    yield from match_replace8()
    yield from match_value_load()
    yield from search("M8", LARGEST)
    yield from search("FI8", FIND, indices=True)
    yield from only(read_indices(), "CMV")


def dropout():
    base, v = DROPOUT, "DO-V"
    yield from preamble_rows(base, v)
    yield from zero_bytes_rows(v + "4", base, (12, 15, 37, 42), by_offset({12: "reserved0", 37: "reserved1"}),
        "reserved bytes are zero")
    yield Row("both-fp32r", v + "5", base, "32=0b0b", "in_dtype", "equal dtypes; FP32R is output only", "32=0a0a",
        leaf="dtype_fp32r_illegal_check")
    more = (v + "7",)
    yield from gate_rows("in", v + "5", base, 32, "in_dtype", "16=R5", more)
    yield from gate_rows("out", v + "6", base, 33, "out_dtype", "48=R6", more, OUT_CODES)
    for setup, change, field in (("", "33=07", "out_dtype"), ("32=0a0a", "33=08", "out_dtype"),
        ("32=0a0a", "33=0b", "out_dtype"), ("32=0303", "32=02", "in_dtype")):
        yield Row(f"dtypes-{change.replace('=', '-')}{'-wide' if setup == '32=0a0a' else ''}", v + "7", base, change,
            field, "equal dtypes, not equal widths", setup)
    yield Row("dst-has-5-elements", v + "8", base, "58=05", "dst_mem_pattern", "the source has 4 elements")
    yield Row("src-has-8-elements-by-z", v + "8", base, "30=02", "src_mem_pattern", "the product counts")
    yield from channel_rows(v + "9", base, 34, "16=R5 48=R6")
    yield from tile_rows(v + "9", base)
    align = (("bf16", "", "01"), ("fp32", "32=0a0a", "02"))
    for name, at, rules in (("src", 16, ("10c", "10a")), ("dst", 48, ("10d", "10b"))):
        yield from operand_rows(Operand(name, f"{name}_mem_pattern", at, base, 34, v + rules[0], v + rules[1],
            counts=(v + "8",), write=name == "dst", wide="32=0a0a", align=align))
    yield from value_rows("threshold-type", v + "11", base, 43, ("02", "80", "ff"), "threshold_type",
        "drop rate 0 or keep rate 1")
    align = (("fp32", "", "02"), ("default-fp32", "36=00", "02"), ("bf16", "36=06", "01"))
    yield from scalar_rows("threshold", v + "12", base, 44, "threshold", 34, (35, "threshold_src"), align)
    rule = v + "13"
    yield from value_rows("inline-dtype", rule, base, 36, ("06", "07", "08", "0b", "ff"), "threshold_dtype",
        "an inline threshold is FP32")
    yield Row("bf16-pointer-made-inline", rule, base, "35=00", "threshold_src", "an inline threshold is FP32",
        "35=01 36=06 44=S0.400")
    for code in ("08", "02", "05", "09"):
        yield Row(f"pointer-dtype-0x{code}", rule, base, f"36={code}", "threshold_dtype",
            "a threshold behind a pointer is a float", "35=01 44=S0.400")
    for code in ("06", "07", "08", "03"):
        yield Row(f"integer-data-pointer-dtype-0x{code}", rule, base, f"36={code}", "threshold_dtype",
            "for integer data the threshold is FP32", "32=0505 35=01 44=S0.400")
    yield Row("bf16-threshold-of-integer-data", rule, base, "32=0505", "in_dtype",
        "for integer data the threshold is FP32", "35=01 36=06 44=S0.400")


def fill_common(name, base, reserved, channels, rules):
    yield from preamble_rows(base, f"{name}-P")
    yield from zero_bytes_rows(reserved, base, (12, 27, 33, 35, 37, 39),
        by_offset({12: "reserved0", 33: "reserved1", 35: "reserved2", 37: "reserved3"}), "reserved bytes are zero")
    yield from channel_rows(channels, base, 34, "44=R5")
    yield from tile_rows(channels, base)


def memset():
    base, v = MEMSET, "MSET-V"
    yield from fill_common("MSET", base, v + "1", v + "3", v)
    yield from gate_rows("dtype", v + "2", base, 32, "dtype", "44=R5 40=00000000", (v + "8",), OUT_CODES)
    dst = Operand("dst", "dst_mem_pattern", 44, base, 34, v + "5", v + "4", 4, counts=(v + "6",), write=True,
        align=(("bf16", "32=06 40=803f0000", "01"), ("fp32", "", "02")))
    yield from operand_rows(dst)
    yield Row("no-elements", v + "5", base, "28=00 56=00", "dst_mem_pattern",
        "a count of zero; the element count agrees")
    for name, change, field in (("5", "28=05", "dst_element_count"), ("0", "28=00", "dst_element_count"),
        ("byte-2", "30=01", "dst_element_count"), ("byte-3", "31=80", "dst_element_count"),
        ("of-5-elements", "56=05", "dst_mem_pattern"), ("of-8-elements-by-w", "62=02", "dst_mem_pattern")):
        yield Row(f"element-count-{name}", v + "6", base, change, field, "the product of the counts")
    yield from value_rows("serialization", v + "7", base, 36, ("01", "02", "ff"), "serialization_mode", "Serial only")
    yield Row("fp32r", v + "8", base, "32=0b", "dtype", "passes the gate, but is no dtype to fill with")
    yield Row("fp8-exp2", v + "8", base, "32=11", "dtype", "passes the gate, but is no dtype to fill with",
        "40=00000000", "V", confidence="M")
    for code, bad in (("05", 2), ("06", 3), ("07", 2), ("04", 3), ("03", 1), ("02", 1), ("0d", 2), ("0e", 1),
        ("0f", 3)):
        yield Row(f"dtype-0x{code}-byte-{bad}", v + "8", base, f"{40 + bad}=01", "set_value",
            "the bytes above the element are zero", f"32={code} 40=00000000")
    yield Row("fp32-value-for-bf16", v + "8", base, "32=06", "dtype", "the bytes above the element are zero")


def rng():
    base, v = RNG, "RNG-V"
    for row in fill_common("RNG", base, v + "1", v + "2", v):
        row.confidence = "L" if row.rule in (v + "1", v + "2") else row.confidence
        yield row
    dst = Operand("dst", "dst_mem_pattern", 44, base, 34, v + "4", v + "3", 4, write=True,
        align=(("uint16", "32=05", "01"), ("uint32", "", "02")))
    for row in operand_rows(dst):
        row.confidence = "L"
        yield row
    yield from value_rows("dtype", v + "4a", base, 32, ("06", "0a", "0b", "0e"), "dtype", "integers only",
        confidence="M")
    yield from value_rows("no-dtype", v + "4a", base, 32, ("00", "01", "0c", "ff"), "dtype", "integers only",
        setup="44=R5", confidence="M")
    for at in (40, 41, 43):
        yield Row(f"set-value-byte-{at}", v + "5", base, f"{at}=01", "set_value", "0 only", confidence="L")


def load_mask_select():
    base, v = MASK, "LMS-V"
    yield from preamble_rows(base, "LMS-P")
    for at in (12, 13):
        yield Row(f"offset-byte-{at}", v + "1", base, f"{at}=01", "param_ram_offset", "0 only")
    for at, value in ((32, "40"), (33, "80"), (47, "fe"), (63, "7f")):
        yield Row(f"mask-byte-{at}-0x{value}", v + "2", base, f"{at}={value}", "immediate", "below 64, or 255",
            f"{at}=3f")
    yield from zero_bytes_rows(v + "3", base, (15, 20, 31), lambda at: "reserved0", "reserved bytes are zero")
    yield from value_rows("ptr-select", v + "4", base, 14, ("01", "ff"), "imm_ptr_select", "0 only")


def load_parameter_ram():
    base = PARAMETERS
    yield from preamble_rows(base, "LPR-P")
    yield from value_rows("ptr-select", "LPR-V1", base, 14, ("01", "80", "ff"), "imm_ptr_select", "0 only")
    yield from zero_bytes_rows("LPR-V2", base, (15, 20, 31), lambda at: "reserved0", "reserved bytes are zero")


def fills():
    yield from memset()
    yield from rng()


def tables():
    yield from load_mask_select()
    yield from load_parameter_ram()


def multi():
    base, bits = IMM_LOAD, IMM_LOAD_BITS
    yield from preamble_rows(base, "IML-P")
    yield from preamble_rows(bits, "IML-P")
    yield from zero_bytes_rows("IML-V1", base, (12, 15, 33, 35, 43, 49, 63),
        by_offset({12: "reserved0", 33: "reserved1", 35: "reserved2", 49: "reserved3"}), "reserved bytes are zero")
    for x, y in (("00", "04"), ("02", "00"), ("03", "04"), ("09", "01"), ("01", "09")):
        yield Row(f"{int(x)}-by-{int(y)}-elements", "IML-V2", base, f"24={x} 26={y}", "src_mem_pattern",
            "1 to 8 elements")
    for name, change, field in (("imm0-one", "46=803f", "imm0_ptr"), ("imm1-one", "30=803f", "imm1"),
        ("imm1-subnormal", "28=01", "imm1"), ("source-1", "48=01", "imm0_src")):
        yield Row(name, "IML-V3", base, change, field, "0.0 as a number and source 0")
    yield from gate_rows("arith-dtype", "IML-V4", base, 32, "dtype", leaf=False)
    yield from value_rows("bitvec-dtype", "IML-V4", bits, 32, ("00", "02", "04", "0a", "06", "01", "ff"), "dtype",
        "UINT8, UINT16, UINT32 or INT32")
    base, bits = MULTI, MULTI_BITS
    yield from preamble_rows(base, "PM-P")
    yield from preamble_rows(bits, "PM-P")
    for base_, kind in ((base, "arith"), (bits, "bitvec")):
        yield from value_rows(f"{kind}-op-dim", "PM-V1", base_, 37, ("00", "03", "05", "ff"), "op_dim", "XYZ only")
        yield from value_rows(f"{kind}-reverse", "PM-V2", base_, 38, ("01", "02", "04", "ff"), "reverse_operands",
            "None 0 or Both 3")
        yield from value_rows(f"{kind}-barred-op", "PM-V4", base_, 36, ("07", "1a", "1b"), "op",
            "DIVIDE, POW and MOD are barred")
    yield Row("nine-slices", "PM-V3", base, "30=09 62=09", "src_mem_pattern.num_elem", "1 to 8 slices",
        "30=08 62=08")
    yield Row("256-slices", "PM-V3", base, "30=0001 62=0001", "src_mem_pattern.num_elem", "1 to 8 slices")
    yield Row("no-slices", "PM-V3", base, "30=00", "src_mem_pattern.num_elem",
        "1 to 8 slices; a count of zero in the pattern, and another product", also=("PM-V6", "PM-V7a"))
    yield from value_rows("op", "PM-V4", base, 36, ("0a", "1c", "1d", "c4", ("24", "V"), ("20", "SC")), "op",
        "not a general arithmetic code")
    yield from value_rows("bitvec-op", "PM-V4", bits, 36, ("04", "08", "1d", "c4", "ff"), "op", "not a bit-vector code")
    yield from gate_rows("in", "PM-V5", base, 32, "in_dtype", "12=R5", leaf=False)
    yield from gate_rows("out", "PM-V5", base, 33, "out_dtype", "44=R6", codes=OUT_CODES, leaf=False)
    for pair in ("0202", "0404", "0606", "0504"):
        yield Row(f"bitvec-dtypes-0x{pair}", "PM-V5", bits, f"32={pair}", "out_dtype",
            "equal dtypes out of UINT8, UINT16, UINT32 and INT32")
    yield Row("dst-has-5-by-x", "PM-V6", base, "56=05", "dst_mem_pattern", "the source has 8 elements")
    yield Row("dst-has-one-slice", "PM-V6", base, "62=01", "dst_mem_pattern", "the source has 8 elements")
    for name, at, rule, align in (("src", 12, "PM-V7a", IN_OUT[0]), ("dst", 44, "PM-V7b", IN_OUT[1])):
        operand = Operand(name, f"{name}_mem_pattern", at, base, 34, rule, None, 4, counts=("PM-V6",),
            write=name == "dst", align=align)
        yield from place_rows(operand, zero=name == "dst")
    yield Row("src-zero-count-x", "PM-V7a", base, "24=00", "src_mem_pattern",
        "a count of zero; the count rule sees it too", also=("PM-V6",))


FAMILIES = {
    "tensor_scalar_select": ("TENSOR_SCALAR_SELECT 0x98", "isa/04 section 6.2; 01 sections 7.4, 9",
        tensor_scalar_select),
    "range_select": ("RANGE_SELECT 0xBC", "isa/04 section 7.2; 01 sections 7.4, 9", range_select),
    "match": ("MAX8 0x6C, MATCH_VALUE_LOAD 0x6D, FIND_INDEX8 0x6E, MATCH_REPLACE8 0x6F, DVE_READ_INDICES 0xE9",
        "isa/04 section 8.2, 05 section 9, 06 section 5.10; 01 section 9", match),
    "dropout": ("DROPOUT 0x7F", "isa/04 section 10.2; 01 sections 7.4, 9", dropout),
    "fills": ("MEMSET 0x49 and RNG 0x4D", "isa/06 sections 5.9, 7.1; 01 section 9", fills),
    "loads": ("LOAD_MASK_SELECT 0x69 and LOAD_PARAMETER_RAM 0x66", "isa/06 sections 5.6, 6.1", tables),
    "multi_scalar": ("TENSOR_SCALAR_IMM_LD 0x70, 0x71 and TENSOR_SCALAR_PTR_MULTI 0x4F, 0x5F", "isa/06 section 5.12",
        multi),
}

UNBREAKABLE = (
    *opcode_rule("TSS-V3", "RS-V4", "MR-V3", "MVL-V3", "M8-V3", "FI8-V3", "RDI-V3", "DO-V3", "MSET-P3", "RNG-P3",
        "LMS-P3", "LPR-P3", "IML-P3", "PM-P3"),
    ("RS-V3", "opcode", (), "the generations that know the opcode all have core version 3 or later"),
    ("MR-V5a", "never-alone", ("MR-V6",), SUBSET),
    ("MR-V5b", "never-alone", ("MR-V6",), SUBSET),
    ("FI8-V6", "never-alone", ("FI8-V6a",), SUBSET),
    ("DO-V6", "never-alone", ("DO-V5", "DO-V7"),
        "out_dtype must equal in_dtype: a bad one is unequal, or both are bad"),
    ("MSET-V2", "never-alone", ("MSET-V8",), SUBSET),
)  # fmt: skip

PARTS = ()
