"""Rows of the families that fold into the accumulator or carry a state; isa/05 sections 4 to 6 and 13."""

from rows_brief import (
    NO_CODE,
    REPEAT,
    gate_rows,
    half_rows,
    only,
    opcode_rule,
    operand_rows,
    quadrant_pair_rows,
    scalar_rows,
    two_source_rows,
    value_rows,
)
from rows_common import (
    ALL,
    DIMS2,
    DIMS3,
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

PATTERN_LEAF = {"SC": "tensor3d_valid", "MV": "mem3d_valid"}
UNASSIGNED = (("1e", ALL), ("20", "SC"), ("24", OLD), ("c7", "S"), ("ff", ALL))

# src0 0x100 BF16, src1 0x200 FP32, dst 0x300 FP32, (A * 2.0) + B, accumulating from zero
STT = record("9d 10 0000", NO_EVENTS, "00010000", DIMS2, "00020000", DIMS2, "06 04 00 00 a6 0a 20 0a 03 000000",
    "00030000", DIMS2, "00000040")
# UINT16, (A & 0xF0) ^ B
STT_BITS = record("9e 10 0000", NO_EVENTS, "00010000", DIMS2, "00020000", DIMS2, "0a 0c 00 00 55 05 20 05 00 000000",
    "00030000", DIMS2, "f0000000")
# state 0.5, (A * state) + B
SCAN = record("e5 10 0000", NO_EVENTS, "00010000", DIMS2, "00020000", DIMS2, "06 04 00 00 a6 0a 20 0a 00 000000",
    "00030000", DIMS2, "0000003f")
# src 0x100, dst 0x200, FP32, x * 2.0, sum from zero
CACHE_REDUCE = record("9a 10 0000", NO_EVENTS, "03 000000", "00010000", DIMS3, "0a 0a 20 00 06 04 00 00",
    "00000040 00000000", "00020000", DIMS3)
# the same, from the seed 1.0
CACHE_SCAN = record("e6 10 0000", NO_EVENTS, "04 000000", "00010000", DIMS3, "0a 0a 20 00 06 04 00 00",
    "00000040 0000803f", "00020000", DIMS3)
# FP32, exp(x - 2.0), sum from zero
EXP = record("30 10 0000", NO_EVENTS, "03 000000", "00010000", DIMS3, "0a 0a 20 00 00 00 00 00", "00000040 00000000",
    "00020000", DIMS3)


def stt_operands(base, start, pattern, counts):
    src_count, dst_count = counts
    return (
        Operand("src0", "src0_mem_pattern", 12, base, 42, pattern[0], start[0], 2, counts=counts, apart="24=R7",
            align=(("bf16", "", "01"), ("fp32", "40=aa", "02"))),
        Operand("src1", "src1_mem_pattern", 24, base, 42, pattern[1], start[1], 2, counts=(src_count,), apart="12=R7",
            align=(("fp32", "", "02"),)),
        Operand("dst", "dst_mem_pattern", 48, base, 42, pattern[2], start[2], 2, counts=(dst_count,), write=True,
            align=(("bf16", "41=06", "01"), ("fp32", "", "02"))),
    )


def stt_count_rows(src_rule, dst_rule, base):
    yield Row("src1-has-5-elements", src_rule, base, "32=05", "src1_mem_pattern", "src0 has 4 elements")
    yield Row("src1-has-8-elements-by-y", src_rule, base, "34=02", "src1_mem_pattern",
        "the product counts: 8 against 4")
    yield Row("src0-has-5-elements", src_rule, base, "20=05", "src0_mem_pattern",
        "src0 is the left side of both count rules", also=(dst_rule,))
    yield Row("dst-has-5-elements", dst_rule, base, "56=05", "dst_mem_pattern", "src0 has 4 elements")
    yield Row("dst-has-12-elements-by-y", dst_rule, base, "58=03", "dst_mem_pattern",
        "the product counts: 12 against 4")
    yield Row("dst-count-with-shape-marker-on-sunda", dst_rule, base, "56=05", "dst_mem_pattern",
        "SUNDA ignores the shape marker, so nothing is waived", "51=40", "S", confidence="L")


def stt_dtype_rows(prefix, base):
    yield from half_rows("src0", prefix + "4", base, 40, False, "in0_in1_dtype.dtype_lo", "12=R5")
    yield from half_rows("src1", prefix + "5", base, 40, True, "in0_in1_dtype.dtype_hi", "24=R5")
    yield from gate_rows("imm0", prefix + "6", base, 43, "imm0_dtype", "39=02 60=05000000")
    yield from gate_rows("out", prefix + "7", base, 41, "out_dtype", "48=R5",
        codes=("00", "01", "0c", "10", "12", "17"))


def scalar_tensor_tensor():
    base, bits = STT, STT_BITS
    yield from preamble_rows(base, "STT-V", full=True)
    yield from preamble_rows(bits, "STT-V")
    yield from stt_dtype_rows("STT-V", base)
    yield Row("bitvec-all-fp32r", "STT-V4", bits, "40=bb 41=0b 43=0b", "in0_in1_dtype.dtype_lo",
        "FP32R sources and scalar; not integers besides", "40=99 41=09 43=09", also=("STT-V5", "STT-V6", "STT-V8"),
        leaf="dtype_fp32r_illegal_check")
    for name, setup, change in (("all-bf16", "", "40=66 41=06 43=06"), ("all-fp8-exp4", "40=33 41=03 43=03",
        "40=ee 41=0e 43=0e"), ("all-fp32", "40=99 41=09 43=09", "40=aa 41=0a 43=0a")):
        yield Row(f"bitvec-{name}", "STT-V8", bits, change, "in0_in1_dtype", "equal dtypes, but not integers", setup)
    for at, value, field in ((40, "45", "in0_in1_dtype"), (40, "54", "in0_in1_dtype"), (41, "04", "out_dtype"),
        (43, "04", "imm0_dtype")):
        yield Row(f"bitvec-one-int16-{field}-0x{value}", "STT-V9", bits, f"{at}={value}", field,
            "one dtype for all four, not one width")
    yield Row("bitvec-out-uint32", "STT-V9", bits, "41=09", "out_dtype", "one dtype for all four")
    yield from value_rows("inline-scalar-dtype", "STT-V10", base, 43, ("06", "08", "0f"), "imm0_dtype",
        "an inline scalar of 0x9D is FP32")
    yield Row("bf16-scalar-made-inline", "STT-V10", base, "39=00", "imm0_src", "an inline scalar of 0x9D is FP32",
        "39=02 43=06 60=05000000")
    for at, rule, name in ((36, "STT-V11", "op0"), (37, "STT-V12", "op1")):
        for code, on in UNASSIGNED:
            yield Row(f"{name}-unassigned-0x{code}", rule, base, f"{at}={code}", name,
                "no ALU code of this generation; the class rule fails with it", on=on, also=("STT-V13",))
    for at, name in ((36, "op0"), (37, "op1")):
        yield from value_rows(f"arith-{name}", "STT-V13", base, at,
            ("07", "1a", "0a", "1d", "c4", ("cf", "CMV"), ("24", "V")), name, "not a general arithmetic code")
        yield from value_rows(f"bitvec-{name}", "STT-V13", bits, at, ("04", "1c", "08", "c4", ("20", INDIRECT)), name,
            "not a general bit-vector code")
    align = (("fp32", "", "02"), ("bf16", "43=06", "01"), ("int32", "43=08", "02"))
    yield from scalar_rows("scalar", "STT-V14", base, 60, "imm0", 42, (39, "imm0_src"), align)
    yield Row("bitvec-pointer-uint16-misaligned-01", "STT-V14", bits, "60=01", "imm0",
        "pointer not aligned to imm0_dtype", "39=01 60=S0.400")
    operands = stt_operands(base, ("STT-V15", "STT-V16", "STT-V17"), ("STT-V18", "STT-V19", "STT-V20"),
        ("STT-V22", "STT-V23"))
    for operand in operands:
        yield from operand_rows(operand)
    yield Row("bitvec-dst-psum-uint16", "STT-V20", bits, "51=02", "dst_mem_pattern", "PSUM takes 4-byte elements only",
        on=OLD)
    yield from channel_rows("STT-V21", base, 42, "12=R5 24=R6 48=R7")
    yield from stt_count_rows("STT-V22", "STT-V23", base)
    yield from two_source_rows("STT-V24", base, 12, 24, "src1_mem_pattern.start_addr", ("STT-V15", "STT-V16"))
    yield from value_rows("accumulator-cmd", "STT-V25", base, 44, ("01", "04", "05", "ff"), "accumulator_cmd",
        "Idle 0, Accumulate 2 or ZeroAccumulate 3")
    yield from value_rows("bitvec-accumulator-cmd", "STT-V25", bits, 44, ("01", "02", "03", "04"), "accumulator_cmd",
        "the bit-vector form cannot accumulate")
    for base_, name in ((base, "arith"), (bits, "bitvec")):
        yield from value_rows(f"{name}-reverse-operands", "STT-V26", base_, 38, ("04", "ff"), "reverse_operands",
            "0..3")
        yield from zero_bytes_rows("STT-V27", base_, (45, 46, 47), lambda at: "reserved", "reserved bytes are zero",
            label=f"{name}-reserved")
    strict = {"assume": {"stt-quadrant-erratum": "strict"}, "confidence": "L"}
    yield Row("accumulating-into-another-quadrant", "STT-V28", base, "48=S32.300", "dst_mem_pattern",
        "only under that value of the assumption", **strict)
    yield Row("accumulating-from-another-quadrant", "STT-V28", base, "12=S64.100 24=S64.200", "src0_mem_pattern",
        "only under that value of the assumption", **strict)
    yield Row("idle-made-accumulating", "STT-V28", base, "44=02 48=S96.300", "dst_mem_pattern",
        "only under that value of the assumption", "44=00", **strict)


def tensor_tensor_scan():
    base = SCAN
    yield from preamble_rows(base, "TTS-V")
    yield from stt_dtype_rows("TTS-V", base)
    yield from value_rows("inline-state-dtype", "TTS-V8", base, 43, ("06", "08", "0f"), "imm0_dtype",
        "an inline state is FP32")
    yield Row("bf16-state-made-inline", "TTS-V8", base, "39=00", "imm0_src", "an inline state is FP32",
        "39=02 43=06 60=05000000")
    for at, rule, name in ((36, "TTS-V9", "op0"), (37, "TTS-V10", "op1")):
        for code, on in UNASSIGNED:
            yield Row(f"{name}-unassigned-0x{code}", rule, base, f"{at}={code}", name,
                "no ALU code of this generation; the class rule fails with it", on=on, also=("TTS-V11",))
        yield from value_rows(name, "TTS-V11", base, at, ("07", "1b", "0a", "1d", "c4", ("cf", "CMV"), ("24", "V")),
            name, "not a general arithmetic code")
    align = (("fp32", "", "02"), ("bf16", "43=06", "01"))
    yield from scalar_rows("state", "TTS-V12", base, 60, "imm0", 42, (39, "imm0_src"), align)
    operands = stt_operands(base, ("TTS-V13a", "TTS-V13b", "TTS-V13c"), ("TTS-V14a", "TTS-V14b", "TTS-V14c"),
        ("TTS-V16", "TTS-V17"))
    for operand in operands:
        yield from operand_rows(operand)
    yield from channel_rows("TTS-V15", base, 42, "12=R5 24=R6 48=R7")
    yield from stt_count_rows("TTS-V16", "TTS-V17", base)
    yield from two_source_rows("TTS-V18", base, 12, 24, "src1_mem_pattern.start_addr", ("TTS-V13a", "TTS-V13b"))
    yield from value_rows("accumulator-cmd", "TTS-V19", base, 44, ("01", "02", "03", "04", "ff"), "accumulator_cmd",
        "Idle only")
    yield from value_rows("reverse-operands", "TTS-V20", base, 38, ("04", "ff"), "reverse_operands", "0..3")
    yield from zero_bytes_rows("TTS-V21", base, (45, 46, 47), lambda at: "reserved", "reserved bytes are zero")


def ts_operands(base, name, composite, starts, repeats, quadrants=("", "")):
    src = Operand("src", "src_mem_pattern", 16, base, 34, f"{name}-{composite}", starts[0], repeats=(repeats[0],),
        quadrant=quadrants[0], leaf=PATTERN_LEAF, align=(("fp32", "", "02"), ("bf16", "32=06", "01")))
    dst = Operand("dst", "dst_mem_pattern", 48, base, 34, f"{name}-{composite}", starts[1], repeats=(repeats[1],),
        quadrant=quadrants[1], leaf=PATTERN_LEAF, apart="16=R7", write=True,
        align=(("bf16", "33=06", "01"), ("fp32", "", "02")))
    return src, dst


def repeat_rows(rule, repeats, base):
    """The counts part of tensor_scalar_tensor_chk, and the rules that make its pattern part again."""
    yield Row("dst-has-5-elements", rule, base, "58=05", "dst_mem_pattern", "the source has 4 elements")
    yield Row("src-has-8-elements-by-y", rule, base, "28=02", "src_mem_pattern", "the product counts: 8 against 4")
    yield Row("dst-scatters-5-elements", rule, base, "56=05", "dst_mem_pattern", "an indirect operand counts num",
        "48=I0.500 52=S0.200 56=0400 58=000000000000", INDIRECT)
    for name, repeat, at in (("src", repeats[0], 16), ("dst", repeats[1], 48)):
        more = {"why": "repeats the pattern part of the composite rule", "also": (rule,)}
        yield Row(f"{name}-misaligned-again", repeat, base, f"{at}=02", f"{name}_mem_pattern", **more)
        yield Row(f"{name}-zero-count-again", repeat, base, f"{at + 10}=00", f"{name}_mem_pattern", **more)


def cache(name, base):
    seeded = base[0] == 0xE6
    prefix = f"{name}-V"
    yield from preamble_rows(base, prefix)
    ops = prefix + "4"
    yield from value_rows("op0", ops, base, 36, ("07", "0a", "1d", "1b", "c4", ("cf", "CMV"), ("24", "V")), "op0",
        "not a general arithmetic code")
    yield from value_rows("op1", ops, base, 37, ("00", "07", "0d", "13", "17", "c4", ("20", INDIRECT)), "op1",
        "no fold: ADD, SUBTRACT, MULT, MAX or MIN")
    for at, op in ((36, "op0"), (37, "op1")):
        for code, on in UNASSIGNED:
            yield Row(f"{op}-unassigned-0x{code}", prefix + "12", base, f"{at}={code}", op,
                "repeats a part of the first rule on the codes", on=on, also=(ops,))
    yield from value_rows("in-dtype", prefix + "5", base, 32, ("08", "09"), "in_dtype",
        "32-bit integers do not pass the fp32 path")
    reject = {"assume": {"cache-int32-output": "reject"}, "confidence": "M"}
    yield from value_rows("rejected-out-dtype", prefix + "5", base, 33, ("08", "09"), "out_dtype",
        "only under that value of the assumption", **reject)
    align = (("fp32", "", "02"), ("int8-input", "32=02", "01"))
    yield from scalar_rows("imm0", prefix + "6a", base, 40, "imm0", 34, (35, "imm0_src"), align)
    seed = prefix + "6b"
    if seeded:
        yield from scalar_rows("seed", seed, base, 44, "imm1", 34, (39, "imm1_src"), (("fp32", "", "02"),))
        yield Row("seed-without-load", seed, base, "12=03", "accumulator_cmd", "a seed belongs to LoadAccumulate")
        yield Row("seed-register-without-load", seed, base, "12=02", "accumulator_cmd",
            "a seed belongs to LoadAccumulate", "39=02 44=05000000")
    else:
        yield Row("unused-seed", seed, base, "44=01", "imm1", "a seed belongs to LoadAccumulate")
        yield Row("unused-seed-minus-zero", seed, base, "47=80", "imm1", "the bits are zero, not the number")
        yield from value_rows("unused-seed-source", seed, base, 39, ("01", "02", "ff"), "imm1_src",
            "a seed belongs to LoadAccumulate; address 0 and register 0 would be legal")
    repeats = (prefix + "15a", prefix + "15b")
    for operand in ts_operands(base, name, "V7", (prefix + "14a", prefix + "14b"), repeats):
        yield from operand_rows(operand)
    yield from repeat_rows(prefix + "7", repeats, base)
    yield from value_rows("reverse-operands", prefix + "8", base, 38, ("01", "02", "03", "04"), "reverse_operands",
        "None only")
    yield from zero_bytes_rows(prefix + "9", base, (13, 14, 15), lambda at: "reserved0", "reserved bytes are zero")
    zero_seed = "12=03 44=00000000"
    yield from value_rows("accumulator-cmd", prefix + "10", base, 12, ("00", "01", "05", "ff"), "accumulator_cmd",
        "Accumulate 2, ZeroAccumulate 3 or LoadAccumulate 4", setup=zero_seed)
    yield from gate_rows("in", prefix + "11a", base, 32, "in_dtype", "16=R5", also=(prefix + "5",))
    yield from gate_rows("out", prefix + "11b", base, 33, "out_dtype", "48=R5",
        codes=("00", "01", "0c", "10", "12", "17"))
    yield from channel_rows(prefix + "13", base, 34, "16=R5 48=R6")
    yield from tile_rows(prefix + "13", base)


def cache_reduce():
    yield from cache("TSCR", CACHE_REDUCE)
    yield from cache("TSCC", CACHE_SCAN)


def exponential_rows():
    base = EXP
    yield from preamble_rows(base, "EXP-V")
    yield from gate_rows("in", "EXP-V4", base, 32, "in_dtype", "16=R5")
    yield from gate_rows("out", "EXP-V5", base, 33, "out_dtype", "48=R5", codes=("00", "01", "0c", "10", "12", "17"))
    align = (("fp32", "", "02"), ("int8-input", "32=02", "01"))
    yield from scalar_rows("max", "EXP-V6", base, 40, "imm0", 34, (35, "imm0_src"), align)
    yield from scalar_rows("seed", "EXP-V6", base, 44, "imm1", 34, (39, "imm1_src"), (("fp32", "", "02"),),
        inline="12=04")
    yield from value_rows("accumulator-cmd", "EXP-V7", base, 12, ("01", "05", "ff"), "accumulator_cmd",
        "Idle 0, Accumulate 2, ZeroAccumulate 3 or LoadAccumulate 4")
    yield Row("unused-seed", "EXP-V7", base, "46=803f", "imm1", "a seed belongs to LoadAccumulate")
    yield Row("unused-seed-minus-zero", "EXP-V7", base, "47=80", "imm1", "the bits are zero, not the number")
    yield from value_rows("unused-seed-source", "EXP-V7", base, 39, ("01", "02"), "imm1_src",
        "a seed belongs to LoadAccumulate; address 0 and register 0 pass the immediate rule")
    yield Row("seed-without-load", "EXP-V7", base, "12=00", "accumulator_cmd", "a seed belongs to LoadAccumulate",
        "12=04 46=803f")
    for command in ("02", "03", "04"):
        yield Row(f"bf16-odd-row-cmd-0x{command}", "EXP-V8", base, "26=03 58=03", "src_mem_pattern",
            "packed input of unit stride comes in pairs", f"32=06 12={command}")
    yield Row("uint8-odd-row", "EXP-V8", base, "26=05 58=05", "src_mem_pattern",
        "packed input of unit stride comes in pairs", "32=03", confidence="M")
    yield Row("odd-fp32-row-made-bf16", "EXP-V8", base, "32=06", "in_dtype",
        "packed input of unit stride comes in pairs", "26=03 58=03")
    yield Row("odd-bf16-row-made-dense", "EXP-V8", base, "20=01", "src_mem_pattern",
        "packed input of unit stride comes in pairs", "32=06 26=03 58=03 20=02")
    yield Row("odd-bf16-row-made-accumulating", "EXP-V8", base, "12=03", "accumulator_cmd",
        "packed input of unit stride comes in pairs", "32=06 26=03 58=03 12=00")
    yield Row("bf16-rows-at-odd-steps", "EXP-V8", base, "22=03", "src_mem_pattern",
        "only under that value of the assumption", "32=06 28=02 60=02 22=04",
        assume={"exponential-upper-dims": "strict"}, confidence="L")
    yield from value_rows("op0", "EXP-V9", base, 36, ("04", "1e", "06"), "op0", "BYPASS only")
    yield from value_rows("op1", "EXP-V9", base, 37, ("04", "ff"), "op1", "BYPASS only")
    yield from value_rows("reverse-operands", "EXP-V9", base, 38, ("01", "04"), "reverse_operands", "None only")
    yield from zero_bytes_rows("EXP-V10", base, (13, 14, 15), lambda at: "reserved0", "unused fields are zero")
    repeats = ("EXP-V14a", "EXP-V14b")
    operands = ts_operands(base, "EXP", "V11", ("EXP-V13a", "EXP-V13b"), repeats, ("EXP-V15a", "EXP-V15b"))
    for operand in operands:
        yield from operand_rows(operand)
    yield from repeat_rows("EXP-V11", repeats, base)
    yield from channel_rows("EXP-V12", base, 34, "16=R5 48=R6")
    yield from tile_rows("EXP-V12", base)
    yield from quadrant_pair_rows("EXP-V15a", "EXP-V15b", base, *operands)


def exponential():
    yield from only(exponential_rows(), INDIRECT)


FAMILIES = {
    "scalar_tensor_tensor": ("SCALAR_TENSOR_TENSOR 0x9D and 0x9E",
        "isa/05 section 4.3; 01 sections 7.4, 9", scalar_tensor_tensor),
    "tensor_tensor_scan": ("TENSOR_TENSOR_SCAN 0xE5",
        "isa/05 section 5.2; 01 sections 7.4, 9", tensor_tensor_scan),
    "cache_reduce": ("TENSOR_SCALAR_CACHE_REDUCE 0x9A and TENSOR_SCALAR_CACHE_CUMULATIVE 0xE6",
        "isa/05 section 6.3; 03 section 4.4; 01 section 9", cache_reduce),
    "exponential": ("EXPONENTIAL 0x30",
        "isa/05 section 13; 03 section 4.4; 01 section 9", exponential),
}

UNBREAKABLE = (
    *opcode_rule("STT-V3", "TTS-V3", "TSCR-V3", "TSCC-V3", "EXP-V3"),
    *((rule, "never-alone", ("STT-V13",), NO_CODE) for rule in ("STT-V11", "STT-V12")),
    *((rule, "never-alone", ("TTS-V11",), NO_CODE) for rule in ("TTS-V9", "TTS-V10")),
    *(row for name in ("TSCR", "TSCC") for row in (
        (f"{name}-V11a", "shadowed", (f"{name}-V5",), "the type rule admits a part of the gate only"),
        (f"{name}-V12", "shadowed", (f"{name}-V4",), "the first rule on the codes asks this too"),
        (f"{name}-V15a", "shadowed", (f"{name}-V7",), REPEAT),
        (f"{name}-V15b", "shadowed", (f"{name}-V7",), REPEAT),
    )),
    ("EXP-V14a", "shadowed", ("EXP-V11",), REPEAT),
    ("EXP-V14b", "shadowed", ("EXP-V11",), REPEAT),
)  # fmt: skip

PARTS = (
    ("exp_upper_src_dim_even", "body", "open; its strict reading has a case under exponential-upper-dims"),
    ("s2s2d2_stt_quadrant_check", "body", "open, not enforced by default; cases under stt-quadrant-erratum"),
)
