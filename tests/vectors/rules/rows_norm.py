"""Rows of the batch normalisation family; isa/06 sections 6.2 to 6.7."""

from rows_brief import (
    BLOCKS,
    SUBSET,
    gate_rows,
    half_rows,
    opcode_rule,
    operand_rows,
    scalar_rows,
    two_source_rows,
    value_rows,
)
from rows_common import (
    DIMS3,
    NO_EVENTS,
    Operand,
    Row,
    channel_rows,
    preamble_rows,
    record,
    tile_rows,
    zero_bytes_rows,
)


def bn(opcode, elements, outputs, counts):
    """S4D2_BN: FP32 src 0x100 to FP32 dst 0x200."""
    dims4, dims2 = f"0100 0100 0100 0100 {elements:02x}00 0100 0100 0100", f"0100 0100 {outputs:02x}00 0100"
    return record(f"{opcode:02x} 10 0000", NO_EVENTS, "00010000", dims4, "0a 0a 20", "00" * 5, counts, "00020000",
        dims2, "00" * 4)


TWO_COUNTS, NO_COUNTS = "00008040 00008040", "00" * 8  # 4.0 and 4.0
STATS2 = bn(0x61, 8, 6, TWO_COUNTS)
STATS = bn(0x60, 8, 3, TWO_COUNTS)
T_STATS2 = bn(0x82, 32, 6, TWO_COUNTS)
AGGREGATE = bn(0x62, 6, 2, NO_COUNTS)
# x 0x100 BF16, dy 0x200 FP32, dst 0x300 FP32; mean behind 0x400, inverse deviation behind 0x500, FP32
GRADIENT = record("63 10 0000", NO_EVENTS, "00040000", "00010000", DIMS3, "00020000", DIMS3, "00030000 0100 0300",
    "00050000", "a6 0a 0a 20")
GRADIENT2 = record("94 10 0000", NO_EVENTS, "00040000", "00010000", DIMS3, "00020000", DIMS3, "00030000 0100 0300",
    "00050000", "a6 aa 11 20")
# A, B, C at 0x100 FP32, N = 8.0, mean behind 0x400
LOAD = record("64 10 0000", NO_EVENTS, "00" * 4, "00010000 0100 0100 0300 0100", "00000041", "0a 00 20", "00" * 9,
    "00040000 01", "00" * 15)
# B, C at 0x100 FP32, mean behind 0x400 and A behind 0x500, FP32
LOAD2 = record("8e 10 0000", NO_EVENTS, "00010000 0100 0100 0200 0100", "00" * 4, "00000041", "0a 0a 20", "00" * 5,
    "00040000 00050000 01 01", "00" * 14)
# x 0x100 BF16, dy 0x200 FP32, dst 0x300 FP32
BACK = record("65 10 0000", NO_EVENTS, "a6 0a 00 20", "00010000", DIMS3, "00020000", DIMS3, "00030000", DIMS3)

OUT_CODES = ("00", "01", "0c", "10", "12", "17")
STATS_SET = "FP32, BF16 or FP16"


def reserved_rows(rule, base):
    yield from zero_bytes_rows(rule, base, (35, 39, 60, 63), lambda at: "reserved0" if at < 60 else "reserved1",
        "reserved bytes are zero")


def bn_operands(base, prefix, pattern, start, counts, **more):
    src = Operand("src", "src_mem_pattern", 12, base, 34, prefix + pattern[0], prefix + start[0], 4, counts=counts[0],
        align=(("bf16", "32=06", "01"), ("fp32", "", "02")))
    dst = Operand("dst", "dst_mem_pattern", 48, base, 34, prefix + pattern[1], prefix + start[1], 2, counts=counts[1],
        align=(("bf16", "33=06", "01"), ("fp32", "", "02")), write=True)
    for operand in (src, dst):
        for row in operand_rows(operand):
            row.confidence = more.get("confidence", row.confidence)
            yield row


def out_type_rows(rule, base, at, field, name="out", confidence="H"):
    yield from value_rows(f"{name}-dtype", rule, base, at, ("08", "09", "05", "0b", "0e"), field, STATS_SET,
        confidence=confidence)


def statistics(name, base, most, outputs, counts=True, blocks=False):
    v = f"{name}-V"
    yield from preamble_rows(base, f"{name}-P")
    yield from reserved_rows(v + "1", base)
    yield from gate_rows("in", v + "2", base, 32, "in_dtype", "12=R5")
    yield from out_type_rows(v + "3", base, 33, "out_dtype")
    yield from value_rows("out-none", v + "3", base, 33, ("00", "01", "17", "ff"), "out_dtype", STATS_SET,
        setup="48=R6")
    yield from channel_rows(v + "4", base, 34, "12=R5 48=R6", also=(v + "11",) if blocks else (),
        fewest="20" if blocks else "01")
    yield from tile_rows(v + "4", base)
    # an empty source is not too long, and its count is a multiple of 32
    yield from bn_operands(base, v, ("6a", "6b"), ("5a", "5b"), ((), (v + "8",)))
    top = f"24={most.to_bytes(2, 'little').hex()}"
    past = most + (32 if blocks else 1)
    yield Row(f"src-has-{past}-elements", v + "7", base, f"24={past.to_bytes(2, 'little').hex()}", "src_mem_pattern",
        f"at most {most} elements", top)
    yield Row(f"src-has-{2 * most}-elements-by-y", v + "7", base, "26=02", "src_mem_pattern",
        f"at most {most} elements; the product counts", top)
    yield Row("long-src-with-shape-marker-on-sunda", v + "7", base, "26=02", "src_mem_pattern",
        "SUNDA ignores the shape marker, so nothing is waived", f"{top} 15=40", "S", confidence="L")
    for count, change in ((outputs - 1, f"56={outputs - 1:02x}"), (outputs + 1, f"56={outputs + 1:02x}"),
        (2 * outputs, "58=02")):
        yield Row(f"dst-has-{count}-elements", v + "8", base, change, "dst_mem_pattern", f"exactly {outputs}")
    if counts:
        for at, field, rule in ((40, "even_count", v + "9"), (44, "odd_count", v + "10")):
            for what, bits in (("infinite", "0000807f"), ("minus-infinite", "000080ff"), ("nan", "0000c07f"),
                ("signalling-nan", "0100807f")):
                yield Row(f"{field.replace('_', '-')}-{what}", rule, base, f"{at}={bits}", field, "a finite number",
                    f"{at}=ffff7f7f" if what == "infinite" else "")
    if blocks:
        yield from value_rows("channels", v + "11", base, 34, ("01", "10", "1f"), "num_active_channels",
            "32, 64, 96 or 128 channels")
        yield from value_rows("channels", v + "11", base, 34, ("21", "30", "7f"), "num_active_channels",
            "32, 64, 96 or 128 channels", setup="34=40")
        for count in (31, 33, 48):
            yield Row(f"src-has-{count}-elements", v + "12", base, f"24={count:02x}", "src_mem_pattern",
                "the source count is a multiple of 32")


def aggregate():
    base, v = AGGREGATE, "BNA-V"
    yield from preamble_rows(base, "BNA-P")
    for row in reserved_rows(v + "1", base):
        row.confidence = "M"
        yield row
    for at, field in ((40, "even_count"), (44, "odd_count")):
        for what, change in (("one", f"{at + 2}=803f"), ("subnormal", f"{at}=01"), ("nan", f"{at + 2}=c07f")):
            yield Row(f"{field.replace('_', '-')}-{what}", v + "2", base, change, field,
                "0.0 as a number; -0.0 passes", f"{at}=00000080" if what == "one" else "")
    for count, change in ((1, "24=01"), (4, "24=04"), (5, "24=05"), (8, "24=04 26=02")):
        yield Row(f"src-has-{count}-elements", v + "3", base, change, "src_mem_pattern", "a positive multiple of 3",
            "24=03" if count == 4 else "")
    for count, change in ((1, "56=01"), (3, "56=03"), (4, "58=02")):
        yield Row(f"dst-has-{count}-elements", v + "4", base, change, "dst_mem_pattern", "exactly two")
    for at, rule, field, name in ((32, v + "5", "in_dtype", "in"), (33, v + "6", "out_dtype", "out")):
        yield from out_type_rows(rule, base, at, field, name, "M")
        yield from value_rows(f"{name}-none", rule, base, at, ("00", "01", "17", "ff"), field, STATS_SET,
            setup="12=R5 48=R6", confidence="M")
    yield from channel_rows(v + "7", base, 34, "12=R5 48=R6")
    yield from tile_rows(v + "7", base)
    yield from bn_operands(base, v, ("9a", "9b"), ("8a", "8b"), ((v + "3",), (v + "4",)), confidence="M")


def batch_norm_statistics():
    yield from statistics("BNS2", STATS2, 512, 6)
    yield from statistics("BNS", STATS, 256, 3, counts=False)
    yield from statistics("TBNS2", T_STATS2, 512, 6, blocks=True)
    yield from aggregate()


def source_half_rows(prefix, base, at, more, src0, src1):
    yield from half_rows("src0", prefix[0], base, at, False, "in0_in1_dtype.dtype_lo", src0, more)
    yield from half_rows("src1", prefix[1], base, at, True, "in0_in1_dtype.dtype_hi", src1, more)


def gradient(name, base):
    first, v = name == "BNGA", f"{name}-V"
    out_field = "out_dtype" if first else "immediate_out_dtype.dtype_hi"
    imm_field = "immediate_dtype" if first else "immediate_out_dtype.dtype_lo"
    registers = "16=R5 32=R6 48=R7"
    yield from preamble_rows(base, f"{name}-P")
    if first:
        yield from gate_rows("out", v + "1", base, 62, out_field, "48=R7", (v + "10",), OUT_CODES)
    else:
        yield from half_rows("out", v + "1", base, 61, True, out_field, "48=R7", (v + "10",), ("0", "1", "c"))
    yield from source_half_rows((v + "2", v + "3"), base, 60, (v + "9",), "16=R5", "32=R6")
    if first:  # both pointers are tested against the channel count
        yield from channel_rows(v + "5", base, 63, registers, (v + "14", v + "15"))
    else:
        yield from channel_rows(v + "5", base, 63, f"{registers} 62=22 12=08000000 56=09000000")
    yield from tile_rows(v + "5", base)
    narrow = "62=06" if first else "61=6a"
    for label, at, dims, rules, counts, align, write in (
        ("src0", 16, 3, ("6", "4a"), (v + "12",), (("bf16", "", "01"), ("fp32", "60=aa", "02")), False),
        ("src1", 32, 3, ("7", "4b"), (v + "12",), (("fp32", "", "02"), ("int32", "60=86", "01")), False),
        ("dst", 48, 1, ("8", "4c"), (v + "13",), (("bf16", narrow, "01"), ("fp32", "", "02")), True),
    ):
        yield from operand_rows(Operand(label, f"{label}_mem_pattern", at, base, 63, v + rules[0], v + rules[1], dims,
            counts=counts, align=align, write=write, apart={16: "32=R7", 32: "16=R7", 48: ""}[at]))
    for half in ("a5", "a9", "a3", "ae", "56", "96", "f6", "26"):
        yield Row(f"source-dtypes-0x{half}", v + "9", base, f"60={half}", "in0_in1_dtype", "FP16, BF16, FP32 or INT32")
    for code in ("8", "9", "5", "b", "e"):
        yield Row(f"out-dtype-0x{code}", v + "10", base, f"62=0{code}" if first else f"61={code}a", out_field,
            STATS_SET)
    for code in ("9", "5", "b", "e"):
        yield Row(f"immediate-dtype-0x{code}", v + "11", base, f"61=0{code}" if first else f"61=a{code}", imm_field,
            "INVALID, FP16, BF16, FP32 or INT32" if first else "FP16, BF16, FP32 or INT32")
    if not first:
        yield Row("immediate-dtype-0x0", v + "11", base, "61=a0", imm_field, "INVALID no longer means FP32",
            "62=22 12=08000000 56=09000000")
        yield Row("immediate-dtype-0x0-behind-pointers", v + "11", base, "61=a0", imm_field,
            "INVALID no longer means FP32, nor is a pointer aligned to it", also=(v + "14", v + "15"))
    yield Row("src1-has-5-elements", v + "12", base, "42=05", "src1_mem_pattern", "src0 has 4 elements")
    yield Row("src0-has-8-elements-by-z", v + "12", base, "30=02", "src0_mem_pattern", "the product counts")
    yield Row("src1-count-with-shape-marker-on-sunda", v + "12", base, "42=05", "src1_mem_pattern",
        "SUNDA ignores the shape marker, so nothing is waived", "35=40", "S", confidence="L")
    for value in ("0200", "0400", "0301"):
        yield Row(f"dst-num-elem-{value}", v + "13", base, f"54={value}", "dst_mem_pattern.num_elem", "exactly three")
    for k, at in ((0, 12), (1, 56)):
        rule = v + ("14", "15")[k]
        if first:
            align = (("fp32", "", "02"), ("invalid-means-fp32", "61=00", "02"), ("bf16", "61=06", "01"))
            yield from scalar_rows(f"imm{k}", rule, base, at, f"imm{k}", 63, align=align)
        else:
            align = (("fp32", "", "02"), ("bf16", "61=a6", "01"))
            yield from scalar_rows(f"imm{k}", rule, base, at, f"imm{k}", 63, align=align)
            for value in ("0", "3", "f"):
                pair = f"1{value}" if k == 0 else f"{value}1"
                yield Row(f"imm{k}-source-0x{value}", rule, base, f"62={pair}", "imm0_imm1_src",
                    "a pointer 1 or a register 2")
            named = f"62={'12' if k == 0 else '21'} {at}=3f000000"
            yield Row(f"imm{k}-register-64", rule, base, f"{at}=40", f"imm{k}", "immediate registers are 0..63", named,
                confidence="M")
            yield Row(f"imm{k}-register-byte-1", rule, base, f"{at + 1}=01", f"imm{k}",
                "the bytes behind the register number are zero", named)
            yield Row(f"imm{k}-pointer-read-as-register", rule, base, f"62={'12' if k == 0 else '21'}",
                "imm0_imm1_src", "an address is no register number")
    yield from two_source_rows(v + "16", base, 16, 32, "src1_mem_pattern.start_addr", (v + "4a", v + "4b"))


def back_prop():
    base, v = BACK, "BNBP-V"
    yield from preamble_rows(base, "BNBP-P")
    yield from source_half_rows((v + "1", v + "2"), base, 12, (), "16=R5", "32=R6")
    yield from gate_rows("out", v + "3", base, 13, "out_dtype", "48=R7", codes=OUT_CODES)
    yield from value_rows("op", v + "4", base, 14, ("04", "06", "1e", "ff"), "op", "BYPASS only")
    for label, at, rules, counts, align in (
        ("src0", 16, ("8", "5"), (v + "11", v + "12"), (("bf16", "", "01"), ("fp32", "12=aa", "02"))),
        ("src1", 32, ("9", "6"), (v + "11",), (("fp32", "", "02"), ("bf16", "12=66", "01"))),
        ("dst", 48, ("10", "7"), (v + "12",), (("bf16", "13=06", "01"), ("fp32", "", "02"))),
    ):
        operand = Operand(label, f"{label}_mem_pattern", at, base, 15, v + rules[0], v + rules[1], counts=counts,
            align=align, write=at == 48, apart={16: "32=R7", 32: "16=R7", 48: ""}[at])
        for row in operand_rows(operand):
            if row.id.endswith("indirect-marker-in-direct-field"):
                row.on = "SC"  # whether 0x65 shares the indirect form of its struct is in no source
            yield row
    yield Row("src1-has-5-elements", v + "11", base, "42=05", "src1_mem_pattern", "src0 has 4 elements")
    yield Row("src1-has-8-elements-by-y", v + "11", base, "44=02", "src1_mem_pattern", "the product counts")
    yield Row("dst-has-5-elements", v + "12", base, "58=05", "dst_mem_pattern", "src0 has 4 elements")
    yield Row("dst-has-8-elements-by-z", v + "12", base, "62=02", "dst_mem_pattern", "the product counts")
    yield Row("src0-has-5-elements", v + "11", base, "26=05", "src0_mem_pattern",
        "src0 is the left side of both count rules", also=(v + "12",))
    yield from channel_rows(v + "13", base, 15, "16=R5 32=R6 48=R7")
    yield from tile_rows(v + "13", base)
    yield from two_source_rows(v + "14", base, 16, 32, "src1_mem_pattern.start_addr", (v + "5", v + "6"))


def batch_norm_gradient():
    yield from gradient("BNGA", GRADIENT)
    yield from gradient("BNGA2", GRADIENT2)
    yield from back_prop()


def vector_rows(rule, base, at, shapes):
    for x, y in shapes:
        yield Row(f"{x}-by-{y}-elements", rule, base, f"{at}={x:02x}00 {at + 2}={y:02x}00", "src_mem_pattern",
            "one row or one column of the right length")


def batch_norm_parameters():
    base, v = LOAD, "BNPL-V"
    yield from preamble_rows(base, "BNPL-P")
    fields = {12: "reserved0", 33: "reserved1", 35: "reserved2", 49: "reserved3"}
    yield from zero_bytes_rows(v + "1", base, (12, 15, 33, 35, 43, 49, 63),
        lambda at: fields[max(first for first in fields if first <= at)], "reserved bytes are zero", confidence="M")
    yield from value_rows("dtype", v + "2", base, 32, ("00", "08", "05", "0b", "0e", "ff"), "dtype", STATS_SET)
    yield from vector_rows(v + "3", base, 24, ((2, 1), (4, 1), (3, 2), (1, 1), (3, 3), (1, 2)))
    for what, bits in (("infinite", "0000807f"), ("minus-infinite", "000080ff"), ("nan", "0000c07f")):
        yield Row(f"count-{what}", v + "4", base, f"28={bits}", "imm1", "a finite number",
            "28=ffff7f7f" if what == "infinite" else "")
    align = (("fp32", "", "02"), ("fp32-whatever-the-dtype", "32=06", "02"))
    yield from scalar_rows("mean", v + "5", base, 44, "imm0_ptr", 34, (48, "imm0_src"), align)
    yield Row("mean-source-0-is-a-pointer", v + "5", base, "44=02", "imm0_ptr", "source 0 means a pointer here",
        "48=00", confidence="M")
    yield Row("mean-in-partition-32-with-64-channels", v + "5", base, "44=S32.400", "imm0_ptr",
        "too many channels for the pointer's partition", "34=40", confidence="M")
    base, v = LOAD2, "BNPL2-V"
    yield from preamble_rows(base, "BNPL2-P")
    fields2 = {24: "reserved0", 35: "reserved1", 50: "reserved2"}
    yield from zero_bytes_rows(v + "1", base, (24, 27, 35, 39, 50, 63),
        lambda at: fields2[max(first for first in fields2 if first <= at)], "reserved bytes are zero", confidence="M")
    yield from value_rows("src-dtype", v + "2", base, 32, ("00", "08", "05", "0b", "ff"), "src_dtype", STATS_SET)
    yield from value_rows("immediate-dtype", v + "2", base, 33, ("08", "09", "05", "0b", "0e"), "immediate_dtype",
        STATS_SET)
    yield from vector_rows(v + "3", base, 20, ((1, 1), (3, 1), (2, 2), (1, 3)))
    for k, at in ((0, 40), (1, 44)):
        align = (("fp32", "", "02"), ("bf16", "33=06", "01"))
        yield from scalar_rows(f"imm{k}", v + "4", base, at, f"imm{k}_ptr", 34, (48 + k, f"imm{k}_src"), align)
        yield Row(f"imm{k}-source-0-is-a-pointer", v + "4", base, f"{at}=02", f"imm{k}_ptr",
            "source 0 means a pointer here", f"{48 + k}=00", confidence="M")


FAMILIES = {
    "batch_norm_statistics": ("BATCH_NORM_STATS 0x60, STATS2 0x61, AGGREGATE 0x62, TRANSPOSE STATS2 0x82",
        "isa/06 sections 6.2 to 6.4; 01 section 9", batch_norm_statistics),
    "batch_norm_gradient": ("BATCH_NORM_GRAD_ACCUMULATE 0x63, GRAD_ACCUMULATE2 0x94, BACK_PROP 0x65",
        "isa/06 sections 6.5, 6.7; 01 section 9", batch_norm_gradient),
    "batch_norm_parameters": ("BATCH_NORM_PARAM_LOAD 0x64 and PARAM_LOAD2 0x8E", "isa/06 section 6.6; 01 section 7",
        batch_norm_parameters),
}

UNBREAKABLE = (
    *opcode_rule("BNS2-P3", "BNS-P3", "BNA-P3", "TBNS2-P3", "BNGA-P3", "BNGA2-P3", "BNPL-P3", "BNPL2-P3", "BNBP-P3"),
    ("TBNS2-V4", "never-alone", ("TBNS2-V11",), BLOCKS),
    ("BNGA-V5", "never-alone", ("BNGA-V14", "BNGA-V15"),
        "both pointers are tested against the channel count; tile flags are not modelled"),
    *((f"{name}-V1", "never-alone", (f"{name}-V10",), SUBSET) for name in ("BNGA", "BNGA2")),
    *((f"{name}-V{k}", "never-alone", (f"{name}-V9",), SUBSET) for name in ("BNGA", "BNGA2") for k in (2, 3)),
)  # fmt: skip

PARTS = ()
