"""Rows of the families on S4D4_TR and S4D4_PL, and of SUNDA's packed BF16; isa/05 sections 10 to 12, 06 section 5."""

from rows_brief import (
    BLOCKS,
    NO_CODE,
    SUBSET,
    gate_rows,
    label,
    only,
    opcode_rule,
    operand_rows,
    quadrant_pair_rows,
    value_rows,
)
from rows_common import (
    ALL,
    INDIRECT,
    NO_EVENTS,
    OLD,
    Operand,
    Row,
    channel_rows,
    preamble_rows,
    record,
    tile_rows,
    zero_bytes_rows,
)


def dims4(x, y=1):
    return f"0100 0100 0100 0100 {x:02x}00 {y:02x}00 0100 0100"


def tr(opcode, body, src=4, dst=4):
    """S4D4_TR: src 0x100, dst 0x200; body: the two dtypes, channels, negated, op, op_dim, mask_enable."""
    return record(f"{opcode:02x} 10 0000", NO_EVENTS, "00010000", dims4(src), body, "00" * 5, "00020000", dims4(dst))


COPY = tr(0x46, "06 06 20 00 00 00 00")
CAST = tr(0x47, "06 0a 20 00 00 00 00")
RECIPROCAL = tr(0x48, "0a 0a 20 00 00 00 00")
SHUFFLE = tr(0x6A, "0a 0a 20 00 00 00 00")
TRANSPOSE = tr(0x6B, "06 06 20 00 00 00 00", 32, 32)
REDUCE = tr(0x42, "0a 0a 20 00 04 02 00", 4, 1)  # ADD along X
REDUCE_BITS = tr(0x52, "09 09 20 00 0c 02 00", 4, 1)  # XOR along X
T_REDUCE = tr(0x83, "0a 0a 20 00 04 02 00", 32, 1)
T_REDUCE_BITS = tr(0x84, "09 09 20 00 0c 02 00", 32, 1)
SCAN = tr(0x4E, "0a 0a 20 00 04 02 00")  # running ADD along X
SCAN_BITS = tr(0x5E, "05 05 20 00 0c 02 00")
# average of 4 and position of the maximum of 4
POOL = record("45 10 0000", NO_EVENTS, "00010000", dims4(4), "0a 0a 20 00 02 02 0000", "0000803e", "00020000", dims4(1))
POOL_SELECT = record("58 10 0000", NO_EVENTS, "00010000", dims4(4), "0a 09 20 00 00 02 0000", "0000803f", "00020000",
    dims4(1))
PACKED3, PACKED4 = "0100 0400 0800 0400 0200 0100", "0100 0400 0800 0800 0400 0200 0100 0100"
TT_BF16 = record("8a 10 0000", NO_EVENTS, "66 06 04 20", "00010000", PACKED3, "00020000", PACKED3, "00030000", PACKED3)
TR_BF16 = record("8c 10 0000", NO_EVENTS, "00010000", PACKED4, "06 06 20 00 04 02 00", "00" * 5, "00020000", dims4(2))

UNASSIGNED = (("1e", ALL), ("20", "SC"), ("24", OLD), ("c7", "S"), ("ff", ALL))
OUT_CODES = ("00", "01", "0c", "10", "12", "17")


def operands(base, pattern, start, counts, quadrants, align, gather=("", ""), num="0400"):
    src = Operand("src", "src_mem_pattern", 12, base, 34, pattern[0], start[0], 4, counts=counts, quadrant=quadrants[0],
        align=align[0], gather=gather[0], num=num)
    dst = Operand("dst", "dst_mem_pattern", 44, base, 34, pattern[1], start[1], 4, counts=counts, quadrant=quadrants[1],
        align=align[1], gather=gather[1], num=num, apart="12=R7", write=True)
    return src, dst


ONE_DTYPE = ((("bf16", "32=0606", "01"), ("fp32", "32=0a0a", "02")),) * 2
TWO_DTYPES = ((("bf16", "32=06", "01"), ("fp32", "32=0a", "02")), (("bf16", "33=06", "01"), ("fp32", "33=0a", "02")))
WIDE = "32=0a0a"


def same_type_rows(name, gates, same, base):
    """Gates of an instruction that keeps its dtype."""
    yield Row("both-fp32r", f"{name}-{gates[0]}", base, "32=0b0b", "in_dtype", "equal dtypes; FP32R is output only",
        WIDE, leaf="dtype_fp32r_illegal_check")
    registers = "12=R5 44=R6"
    yield from gate_rows("in", f"{name}-{gates[0]}", base, 32, "in_dtype", registers, (f"{name}-{same}",))
    yield from gate_rows("out", f"{name}-{gates[1]}", base, 33, "out_dtype", registers, (f"{name}-{same}",), OUT_CODES)
    for setup, change, field in (("32=0606", "33=07", "out_dtype"), ("32=0a0a", "33=08", "out_dtype"),
        ("32=0a0a", "33=0b", "out_dtype"), ("32=0303", "32=02", "in_dtype")):
        yield Row(f"dtypes-{setup[3:]}-then-{change.replace('=', '-')}", f"{name}-{same}", base, change, field,
            "equal dtypes, not equal widths", setup)


def common_rows(name, base, reserved, negated, mask=None, registers="12=R5 44=R6"):
    """Fields of S4D4_TR that nearly every instruction leaves alone."""
    yield from zero_bytes_rows(reserved, base, (39, 40, 43), lambda at: "reserved1", "reserved bytes are zero")
    if mask:
        yield from value_rows("mask-enable", mask, base, 38, ("01", "80"), "mask_enable", "0 only")
    if negated:
        yield from value_rows("negated", negated, base, 35, ("01", "ff"), "negated", "0 only")


def count_rows(rule, base, shape=True):
    yield Row("dst-has-5-elements", rule, base, "56=05", "dst_mem_pattern", "the source has another count")
    yield Row("dst-has-more-by-w", rule, base, "62=02", "dst_mem_pattern", "the product counts")
    if shape:
        yield Row("dst-count-with-shape-marker-on-sunda", rule, base, "56=05", "dst_mem_pattern",
            "SUNDA ignores the shape marker, so nothing is waived", "47=40", "S", confidence="L")
    yield Row("dst-scatters-5-elements", rule, base, "52=05", "dst_mem_pattern", "an indirect operand counts num",
        "44=I0.500 48=S0.200 52=0400 54=00000000000000000000", INDIRECT)
    yield Row("src-gathers-5-elements", rule, base, "20=05", "src_mem_pattern", "an indirect operand counts num",
        "12=I0.400 16=S0.100 20=0400 22=00000000000000000000", INDIRECT)


def block_rows(rule, base):
    yield from value_rows("channels", rule, base, 34, ("01", "10", "1f"), "num_active_channels",
        "32, 64, 96 or 128 channels")
    yield from value_rows("channels", rule, base, 34, ("21", "30", "7f"), "num_active_channels",
        "32, 64, 96 or 128 channels", setup="34=40")


def move(name, base, same_type, blocks=False):
    """0x46, 0x47, 0x48 and 0x6A."""
    v = f"{name}-V"
    yield from preamble_rows(base, f"{name}-P")
    yield from common_rows(name, base, v + "1", v + "15", v + "2")
    if same_type:
        yield from same_type_rows(name, ("V3", "V4"), "V14", base)
    else:
        yield from gate_rows("in", v + "3", base, 32, "in_dtype", "12=R5")
        yield from gate_rows("out", v + "4", base, 33, "out_dtype", "44=R6", codes=OUT_CODES)
    for code, on in UNASSIGNED:
        yield Row(f"op-unassigned-0x{code}", v + "5", base, f"36={code}", "op",
            "no ALU code of this generation; the next rule on the code fails with it", on=on, also=(v + "13",))
    yield from value_rows("op-dim", v + "6", base, 37, ("01", "03", "05", "ff"), "op_dim", "UNUSED 0 or X 2")
    more = (v + "16",) if blocks else ()
    yield from channel_rows(v + "7", base, 34, "12=R5 44=R6", also=more, fewest="20" if blocks else "01")
    yield from tile_rows(v + "7", base)
    pair = operands(base, (v + "10", v + "11"), (v + "8", v + "9"), (v + "12",), (v + "11a",) * 2,
        ONE_DTYPE if same_type else TWO_DTYPES)
    for operand in pair:
        if same_type:
            operand.wide = WIDE
        yield from operand_rows(operand)
    yield from quadrant_pair_rows(v + "11a", v + "11a", base, *pair)
    yield from count_rows(v + "12", base)
    yield from value_rows("op", v + "13", base, 36, ("01", "04", "0a", "c4"), "op", "BYPASS only")
    if blocks:
        yield from block_rows(v + "16", base)


def moves():
    yield from move("COPY", COPY, same_type=True)
    yield from move("CAST", CAST, same_type=False)
    yield from move("RECIP", RECIPROCAL, same_type=False)


def stream_transpose():
    base, v = TRANSPOSE, "STR-V"
    yield from preamble_rows(base, "STR-P")
    yield from common_rows("STR", base, v + "1", v + "16")
    yield from value_rows("mask-enable", v + "2", base, 38, ("02", "80", "ff"), "mask_enable", "0 or 1")
    yield from same_type_rows("STR", ("V3", "V4"), "V5", base)
    yield from value_rows("op-dim", v + "6", base, 37, ("01", "03", "05", "ff"), "op_dim", "UNUSED 0 or X 2")
    yield from channel_rows(v + "7", base, 34, "12=R5 44=R6", also=(v + "14",), fewest="20")
    yield from tile_rows(v + "7", base)
    align = ((("bf16", "", "01"), ("fp32", WIDE, "02")),) * 2
    src, dst = operands(base, (v + "10", v + "11"), (v + "8", v + "9"), (), ("", ""), align, num="2000")
    src.wide = dst.wide = WIDE
    src.counts = (v + "12",)  # an empty destination is no longer than any source
    for operand in (src, dst):
        yield from operand_rows(operand)
    yield Row("dst-has-33-elements", v + "12", base, "56=21", "dst_mem_pattern", "at most the 32 of the source")
    yield Row("dst-has-64-elements-by-y", v + "12", base, "58=02", "dst_mem_pattern", "the product counts")
    yield Row("dst-count-with-shape-marker-on-sunda", v + "12", base, "56=40", "dst_mem_pattern",
        "SUNDA ignores the shape marker, so nothing is waived", "47=40", "S", confidence="L")
    yield Row("dst-scatters-33-elements", v + "12", base, "52=21", "dst_mem_pattern", "an indirect operand counts num",
        "44=I0.500 48=S0.200 52=2000 54=00000000000000000000", INDIRECT)
    yield from value_rows("op", v + "13", base, 36, ("01", "04", "1e", "c4", "ff"), "op", "BYPASS only")
    yield from block_rows(v + "14", base)
    for count in ("21", "30", "3f"):
        yield Row(f"src-has-{int(count, 16)}-elements", v + "15", base, f"24={count}", "src_mem_pattern",
            "the source count is a multiple of 32")
    yield Row("listed-src-has-48-elements", v + "15", base, "20=30", "src_mem_pattern",
        "a rule on one pattern is not waived by an index register",
        "12=J5 16=S0.100 20=2000 22=00000000000000000000", INDIRECT, confidence="M")


def streams():
    yield from move("SSH", SHUFFLE, same_type=True, blocks=True)
    yield from stream_transpose()


def reduce(name, base, bits, blocks=False):
    v = f"{name}-V"
    yield from preamble_rows(base, v)
    yield from preamble_rows(bits, v)
    for base_, kind in ((base, "arith"), (bits, "bitvec")):
        yield from label(common_rows(name, base_, v + "4", None, v + "5"), kind)
        for code, on in (*UNASSIGNED, ("07", ALL), ("1a", ALL), ("1b", ALL)):
            yield Row(f"{kind}-undefined-op-0x{code}", v + "7", base_, f"36={code}", "op",
                "no ALU code of this generation, or DIVIDE, POW or MOD; the class rule fails with it", on=on,
                also=(v + "8",))
    narrow = ("00", "10", "12", "17")
    yield from gate_rows("in", v + "6a", base, 32, "in_dtype", "12=R5", (v + "9",), (*narrow, "0b"))
    yield from gate_rows("out", v + "6b", base, 33, "out_dtype", "44=R6", (v + "9",), narrow)
    yield from only(gate_rows("in", v + "6a", base, 32, "in_dtype", "12=R5", (v + "9",), ("01", "0c")), "S")
    yield from only(gate_rows("out", v + "6b", base, 33, "out_dtype", "44=R6", (v + "9",), ("01", "0c")), "S")
    yield from gate_rows("bitvec-in", v + "6a", bits, 32, "in_dtype", "12=R5", (v + "10",), ("00", "0b"))
    yield from gate_rows("bitvec-out", v + "6b", bits, 33, "out_dtype", "44=R6", (v + "10",), ("00", "17"))
    yield from value_rows("op", v + "8", base, 36, ("0a", "10", "1c", "1d"), "op", "not a general arithmetic code")
    yield from value_rows("bitvec-op", v + "8", bits, 36, ("04", "08", "1d", "c4", ("20", INDIRECT)), "op",
        "not a bit-vector code")
    yield from value_rows("integer-op", v + "9", base, 36, ("c4", "c6", ("c7", "CMV"), ("cf", "CMV"), ("e1", "CMV")),
        "op", "integer codes run on another engine")
    for code in ("01", "0c"):
        yield Row(f"in-64-bit-0x{code}", v + "9", base, f"32={code}", "in_dtype",
            "passes the gate of these generations; 64-bit integers belong to another engine", on="CMV")
        yield Row(f"out-64-bit-0x{code}", v + "9", base, f"33={code}", "out_dtype",
            "passes the gate of these generations; 64-bit integers belong to another engine", on="CMV")
        yield Row(f"bitvec-64-bit-0x{code}", v + "10", bits, f"32={code}{code}", "in_dtype",
            "equal integers of 64 bits are not in the set", on="CMV", confidence="M")
    for pair in ("0202", "0404", "0606", "0a0a", "0809", "0305"):
        yield Row(f"bitvec-dtypes-0x{pair}", v + "10", bits, f"32={pair}", "in_dtype",
            "equal dtypes out of UINT8, UINT16, UINT32 and INT32", confidence="M")
    yield Row("bitvec-out-int32", v + "10", bits, "33=08", "out_dtype", "equal dtypes", confidence="M")
    for code in ("03", "05", "09"):
        yield Row(f"logical-shift-right-of-0x{code}", v + "10", bits, f"32={code}{code}", "in_dtype",
            "LOGICAL_SHIFT_RIGHT with INT32 only", "32=0808 36=11", confidence="M")
    whole = "24=01 26=20 56=20" if blocks else "24=01"
    for base_, kind in ((base, "arith"), (bits, "bitvec")):
        yield from value_rows(f"{kind}-op-dim", v + "11", base_, 37, ("00", "01", "06", "ff"), "op_dim",
            "X, XY, XYZ or XYZW; the kept dimensions are the same whatever is read here", setup=whole)
    more = (v + "16",) if blocks else ()
    yield from channel_rows(v + "12", base, 34, "12=R5 44=R6", also=more, fewest="20" if blocks else "01")
    yield from tile_rows(v + "12", base)
    num = "2000" if blocks else "0400"
    src, dst = operands(base, (v + "13c", v + "13d"), (v + "13a", v + "13b"), (v + "14",), (v + "13e", v + "13f"),
        TWO_DTYPES, ("", f"26={num}"), num)
    yield from operand_rows(src, zero=False)
    yield Row("src-zero-count-x", v + "13c", base, "24=00", "src_mem_pattern", "a count of zero; X is reduced away")
    yield Row("src-zero-count-w", v + "13c", base, "30=00", "src_mem_pattern",
        "a count of zero; W is kept, so the count rule sees it too", also=(v + "14",))
    yield from operand_rows(dst)
    yield Row("bitvec-dst-psum-uint16", v + "13d", bits, "47=02", "dst_mem_pattern", "PSUM takes 4-byte elements only",
        "32=0505", OLD)
    yield from quadrant_pair_rows(v + "13e", v + "13f", base, src, dst)
    yield Row("dst-has-2-elements", v + "14", base, "56=02", "dst_mem_pattern", "X is reduced to 1")
    yield Row("dst-has-the-source-count", v + "14", base, "56=" + num, "dst_mem_pattern", "X is reduced to 1")
    yield Row("xy-reduced-dst-keeps-y", v + "14", base, "37=03", "op_dim", "XY is reduced to 1", "26=02 56=02")
    yield Row("xyzw-reduced-dst-keeps-w", v + "14", base, "37=05", "op_dim", "XYZW is reduced to 1", "30=02 56=02")
    yield Row("x-reduced-dst-drops-y", v + "14", base, "37=02", "op_dim", "Y is kept", "37=03 26=02")
    yield Row("bitvec-dst-has-2-elements", v + "14", bits, "58=02", "dst_mem_pattern", "X is reduced to 1")
    yield Row("dst-count-with-shape-marker-on-sunda", v + "14", base, "56=05", "dst_mem_pattern",
        "SUNDA ignores the shape marker, so nothing is waived", "47=40", "S", confidence="L")
    yield from value_rows("negated", v + "15", base, 35, ("02", "80", "ff"), "negated", "0 or 1")
    yield from value_rows("bitvec-negated", v + "15", bits, 35, ("01", "ff"), "negated", "0 only", confidence="M")


def tensor_reduce():
    yield from reduce("TR", REDUCE, REDUCE_BITS)


def transposed_tensor_reduce():
    base = T_REDUCE
    yield from reduce("TTR", base, T_REDUCE_BITS, blocks=True)
    yield from block_rows("TTR-V16", base)
    for count in ("1f", "21", "30"):
        yield Row(f"src-has-{int(count, 16)}-elements", "TTR-V17", base, f"24={count}", "src_mem_pattern",
            "the source count is a multiple of 32", confidence="M")
    yield Row("bitvec-src-has-48-elements", "TTR-V17", T_REDUCE_BITS, "24=30", "src_mem_pattern",
        "the source count is a multiple of 32", confidence="M")
    yield Row("listed-src-has-48-elements", "TTR-V17", base, "20=30", "src_mem_pattern",
        "a rule on one pattern is not waived by an index register",
        "12=J5 16=S0.100 20=2000 22=00000000000000000000", INDIRECT, confidence="M")


def tensor_cumulative():
    base, bits, v = SCAN, SCAN_BITS, "TC-V"
    yield from preamble_rows(base, "TC-P")
    yield from preamble_rows(bits, "TC-P")
    yield from common_rows("TC", base, v + "1", v + "16", v + "2")
    yield from label(common_rows("TC", bits, v + "1", v + "16", v + "2"), "bitvec")
    yield from gate_rows("in", v + "3", base, 32, "in_dtype", "12=R5")
    yield from gate_rows("out", v + "4", base, 33, "out_dtype", "44=R6", codes=OUT_CODES)
    yield Row("bitvec-both-fp32r", v + "3", bits, "32=0b0b", "in_dtype", "FP32R is output only, and no integer",
        "32=0909", also=(v + "15",), leaf="dtype_fp32r_illegal_check")
    for base_, kind in ((base, "arith"), (bits, "bitvec")):
        for code, on in UNASSIGNED:
            yield Row(f"{kind}-op-unassigned-0x{code}", v + "5", base_, f"36={code}", "op",
                "no ALU code of this generation; the class rule fails with it", on=on, also=(v + "14",))
        yield from value_rows(f"{kind}-barred-op", v + "14", base_, 36, ("07", "1a", "1b"), "op",
            "DIVIDE, POW and MOD are barred")
        yield from value_rows(f"{kind}-op-dim", v + "6", base_, 37, ("00", "01", "06", "ff"), "op_dim",
            "X, XY, XYZ or XYZW")
    yield from channel_rows(v + "7", base, 34, "12=R5 44=R6")
    yield from tile_rows(v + "7", base)
    pair = operands(base, (v + "10", v + "11"), (v + "8", v + "9"), (v + "13",), (v + "12",) * 2, TWO_DTYPES)
    for operand in pair:
        yield from operand_rows(operand)
    yield from quadrant_pair_rows(v + "12", v + "12", base, *pair)
    yield from count_rows(v + "13", base)
    yield from value_rows("op", v + "14", base, 36, ("0a", "1c", "10", ("cf", "CMV"), ("e1", "CMV")), "op",
        "not an arithmetic code")
    yield from value_rows("bitvec-op", v + "14", bits, 36, ("04", "08", "1d", "c4", ("20", INDIRECT)), "op",
        "not a bit-vector code")
    for pair in ("0202", "0404", "0606"):
        yield Row(f"bitvec-dtypes-0x{pair}", v + "15", bits, f"32={pair}", "in_dtype",
            "equal dtypes out of UINT8, UINT16, UINT32 and INT32")
    yield Row("bitvec-fp32", v + "15", bits, "32=0a0a", "in_dtype", "not an integer", "32=0808")
    yield Row("bitvec-out-uint32", v + "15", bits, "33=09", "out_dtype", "equal dtypes")
    for code in ("03", "05", "09"):
        yield Row(f"logical-shift-right-of-0x{code}", v + "15", bits, f"32={code}{code}", "in_dtype",
            "LOGICAL_SHIFT_RIGHT with INT32 only", "32=0808 36=11")
    yield Row("xor-made-logical-shift-right", v + "15", bits, "36=11", "op", "LOGICAL_SHIFT_RIGHT with INT32 only")


def pool():
    base, select, v = POOL, POOL_SELECT, "PL-V"
    yield from preamble_rows(base, v)
    yield from preamble_rows(select, v)
    yield from zero_bytes_rows(v + "4", base, (35, 38, 39), lambda at: "reserved0" if at == 35 else "reserved1",
        "reserved bytes are zero")
    yield from gate_rows("in", v + "5", base, 32, "in_dtype", "12=R5")
    yield from gate_rows("out", v + "6", base, 33, "out_dtype", "44=R6", codes=OUT_CODES)
    yield from gate_rows("select-out", v + "6", select, 33, "out_dtype", "44=R6", (v + "11",), ("00", "17"))
    pair = operands(base, (v + "12a", v + "12b"), (v + "7a", v + "7b"), (), (None, None), TWO_DTYPES)
    for operand in pair:
        operand.apart = ""
        yield from operand_rows(operand)
    yield from value_rows("function", v + "8", base, 36, ("03", "ff"), "pool_func", "MAX_POOL 1 or AVG_POOL 2",
        setup="40=0000803f")
    yield Row("function-none", v + "8", base, "36=00", "pool_func", "no function belongs to 0x58 only",
        "40=0000803f")
    yield from value_rows("select-function", v + "8", select, 36, ("01", "02", "03"), "pool_func", "NONE 0 only")
    for base_, kind in ((base, "pool"), (select, "select")):
        yield from value_rows(f"{kind}-dim", v + "9", base_, 37, ("00", "01", "06", "ff"), "pool_dim",
            "X, XY, XYZ or XYZW")
    yield from channel_rows(v + "10", base, 34, "12=R5 44=R6")
    yield from value_rows("select-out", v + "11", select, 33, ("08", "0a", "02", "0b"), "out_dtype",
        "UINT8, UINT16 or UINT32")
    yield Row("max-scale", v + "13", base, "36=01", "pool_func", "a scale other than 1.0 belongs to the average")
    yield Row("max-scale-next-to-one", v + "13", base, "40=01", "pool_scale", "exactly 1.0", "36=01 40=0000803f")
    yield Row("max-scale-zero", v + "13", base, "40=00000000", "pool_scale", "exactly 1.0", "36=01 40=0000803f")
    yield Row("select-scale-nan", v + "13", select, "42=c07f", "pool_scale", "exactly 1.0")


def packed_rows():
    base = TT_BF16
    for opcode, op, others in (("8a", "04", ("05", "06", "00")), ("8b", "06", ("04", "08", "ff")),
        ("8f", "05", ("04", "06"))):
        named = bytes.fromhex(opcode) + base[1:]
        yield from preamble_rows(named[:14] + bytes.fromhex(op) + named[15:], "TTB-V")
        yield from value_rows(f"0x{opcode}-op", "TTB-V4", named, 14, others, "op", "the operation of the opcode",
            setup=f"14={op}")
    yield from value_rows("sources", "TTB-V5", base, 12, ("67", "76", "a6", "6a", "55"), "in0_in1_dtype",
        "both sources BF16")
    yield from gate_rows("out", "TTB-V6", base, 13, "out_dtype", "48=R6", codes=OUT_CODES)
    for k, at in ((0, 16), (1, 32)):
        for what, change in (("odd-row", f"{at + 10}=03"), ("step-2", f"{at + 4}=02"), ("step-0", f"{at + 4}=00"),
            ("step-minus-1", f"{at + 4}=ffff"), ("odd-y-step", f"{at + 6}=05"), ("odd-z-step", f"{at + 8}=07")):
            setup = f"{at + 14}=02" if "z-step" in what else ""
            yield Row(f"src{k}-{what}", "TTB-V7", base, change, f"src{k}_mem_pattern",
                "pairs: even rows of unit stride that begin on a pair", setup)
    for name, at, align in (("src0", 16, (("pair", "", "02"),)), ("src1", 32, (("pair", "", "02"),)),
        ("dst", 48, (("bf16", "", "01"), ("fp32", "13=0a", "02")))):
        yield from operand_rows(Operand(name, f"{name}_mem_pattern", at, base, 15, "TTB-V8", None, align=align,
            write=name == "dst"))
    base = TR_BF16
    for opcode in ("8c", "8d"):
        yield from preamble_rows(bytes.fromhex(opcode) + base[1:], "TRB-V")
    yield from common_rows("TRB", base, "TRB-V4", None, "TRB-V5")
    yield from value_rows("in-dtype", "TRB-V6", base, 32, ("00", "07", "0a", "05"), "in_dtype", "BF16 only")
    yield from gate_rows("tr-out", "TRB-V7", base, 33, "out_dtype", "44=R6", codes=OUT_CODES)
    for what, change, setup in (("misaligned-02", "12=02", ""), ("misaligned-01", "12=01", ""),
        ("odd-row", "24=03", ""), ("step-2", "16=02", ""), ("step-minus-1", "16=ffff", ""), ("odd-y-step", "18=05", ""),
        ("odd-w-step", "22=03", "30=02")):
        yield Row(f"src-{what}", "TRB-V8", base, change, "src_mem_pattern",
            "pairs: aligned, even rows of unit stride that begin on a pair", setup)
    yield from channel_rows("TRB-V9", base, 34, "44=R6")


def sunda_bf16():
    yield from only(packed_rows(), "S")


FAMILIES = {
    "copy_cast_reciprocal": ("COPY 0x46, CAST 0x47 and RECIPROCAL 0x48", "isa/06 sections 5.1 to 5.4; 01 section 9",
        moves),
    "stream": ("STREAM_SHUFFLE 0x6A and STREAM_TRANSPOSE 0x6B", "isa/06 sections 5.7, 5.8; 01 section 9", streams),
    "tensor_reduce": ("TENSOR_REDUCE 0x42 and 0x52", "isa/05 section 10.3; 01 section 9", tensor_reduce),
    "transposed_tensor_reduce": ("TRANSPOSE_TENSOR_REDUCE 0x83 and 0x84", "isa/05 section 10.3, 06 section 5.11",
        transposed_tensor_reduce),
    "tensor_cumulative": ("TENSOR_CUMULATIVE 0x4E and 0x5E", "isa/05 section 11, 06 section 5.5; 01 section 9",
        tensor_cumulative),
    "pool": ("POOL 0x45 and MAX_POOL_SELECT 0x58", "isa/05 section 12; 01 section 9", pool),
    "sunda_bf16": ("packed BF16 on SUNDA: 0x8A, 0x8B, 0x8F, 0x8C, 0x8D", "isa/03 section 6, 05 section 10.3",
        sunda_bf16),
}

SAME_TYPE = "out_dtype must equal in_dtype: a bad one is unequal, or both are bad"

UNBREAKABLE = (
    *opcode_rule(*(f"{name}-P3" for name in ("COPY", "CAST", "RECIP", "SSH", "STR", "TC")),
        *(f"{name}-V3" for name in ("TR", "TTR", "TRB", "PL", "TTB"))),
    *((f"{name}-V5", "never-alone", (f"{name}-V13",), "BYPASS is asked for as well")
        for name in ("COPY", "CAST", "RECIP", "SSH")),
    *((f"{name}-V4", "never-alone", (f"{name}-V3", f"{name}-{same}"), SAME_TYPE)
        for name, same in (("COPY", "V14"), ("SSH", "V14"), ("STR", "V5"))),
    ("SSH-V7", "never-alone", ("SSH-V16",), BLOCKS),
    ("STR-V7", "never-alone", ("STR-V14",), BLOCKS),
    ("TTR-V12", "never-alone", ("TTR-V16",), BLOCKS),
    *((f"{name}-V6{part}", "never-alone", (f"{name}-V9", f"{name}-V10"), SUBSET)
        for name in ("TR", "TTR") for part in "ab"),
    *((f"{name}-V7", "never-alone", (f"{name}-V8",), NO_CODE + ", nor is DIVIDE, POW or MOD")
        for name in ("TR", "TTR")),
    ("TC-V5", "never-alone", ("TC-V14",), NO_CODE),
)  # fmt: skip

PARTS = ()
