"""Rows of random numbers, sparsity, microscaling, wide integers and activation; isa/06 sections 7.2 to 7.6, 8.2."""

from rows_brief import OPCODE, gate_rows, only, opcode_rule, operand_rows, place_rows, scalar_rows, value_rows
from rows_common import (
    DIMS2,
    DIMS3,
    INDIRECT,
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


# uniform in [-1, 1), FP32, dst 0x100
RAND2 = record("e2 10 0000", NO_EVENTS, "03 00 01", "00" * 17, "0a 00 20", "00" * 3, "00 00", "000080bf 0000803f",
    "00010000", DIMS3)
# the 24 XORWOW words, the 4 LFSR words
GET_STATE = record("77 10 0000", NO_EVENTS, "03 00 00 01", "00" * 16, "09 00 20", "00" * 9, "00010000", dims4(24))
SET_STATE = record("78 10 0000", NO_EVENTS, "03 20 00 09", "00010000 0100 1800", "01", "00" * 7, "00" * 32)
# groups of 8 BF16 to 4 {BF16, tag}
COMPRESS = record("e0 10 0000", NO_EVENTS, "06 00 0000", "00010000", "0100 0100 0100 0800 0100 0100", "06 09 20 00",
    "09 02", "00" * 10, "00020000", DIMS3)
COMPRESS_TAG = record("e1 10 0000", NO_EVENTS, "06 00 00", "00" * 5, "00010000", "0100 0100 0800 0100", "06 05 20 00",
    "09 02 0000", "00020000", DIMS2, "00030000", DIMS2)
# BF16 to FP8_EXP4: 8 words of the source, data 0x200, scales 0x400
QUANTIZE = record("e3 10 0000", NO_EVENTS, "00" * 4, "00010000", "0100 0100 0100 0800 0100 0100", "00 20 06 0e",
    "00" * 12, "00020000 00040000 0400 01 00 00000000")
# UINT32 + 1 to two UINT32 words
WIDE = record("f4 10 0000", NO_EVENTS, "99 99 c4 20", "00010000", DIMS2, "00020000", DIMS2, "00030000", DIMS2,
    "00 000000", "01000000", "00" * 4)
# (x * 2.0) + 1.0 of BF16 to FP32, nothing reduced
ACTIVATE = record("25 10 0000", NO_EVENTS, "00010000", DIMS2, "00 00 00 00 0a 06 04 00 06 0a 20 00",
    "00000040 0000803f 00000000", "00020000", DIMS2, "00 000000")

OUT_CODES = ("00", "01", "0c", "10", "12", "17")


def by_offset(fields):
    """Name the reserved field that a byte belongs to; fields: first byte -> name."""
    return lambda at: fields[max(first for first in fields if first <= at)]


def rand2():
    base, v = RAND2, "R2-V"
    yield from preamble_rows(base, "R2-P")
    yield from zero_bytes_rows(v + "1", base, (13, 15, 31, 33, 35, 37),
        by_offset({13: "reserved0", 15: "reserved1", 33: "reserved2", 35: "reserved3"}), "reserved bytes are zero")
    yield from value_rows("algorithm", v + "2", base, 12, ("00", "01", "02", "04"), "rand_algorithm", "XORWOW only")
    yield from value_rows("post-process", v + "3", base, 14, ("00", "02", "ff"), "post_process",
        "UNIFORM_IN_RANGE only")
    yield from gate_rows("dtype", v + "4", base, 32, "dtype", "48=R5", codes=OUT_CODES, leaf=False)
    yield from value_rows("integer-dtype", v + "4", base, 32, ("03", "08"), "dtype",
        "only under that value of the assumption", assume={"rand2-dtypes": "floats-only"}, confidence="L")
    yield from channel_rows(v + "5", base, 34, "48=R5")
    yield from tile_rows(v + "5", base)
    for name, at, source in (("min", 40, 38), ("max", 44, 39)):
        yield from scalar_rows(name, v + "6", base, at, name, 34, (source, f"{name}_src"),
            (("fp32", "", "02"), ("fp32-whatever-the-dtype", "32=06", "02")))
    yield from operand_rows(Operand("dst", "dst_mem_pattern", 48, base, 34, v + "8", v + "7", write=True,
        align=(("bf16", "32=06", "01"), ("fp32", "", "02"))))


def rand_get_state():
    base, v = GET_STATE, "RGS-V"
    yield from preamble_rows(base, "RGS-P")
    for at, field in ((13, "rand_num_steps"), (14, "post_process"), (16, "params"), (31, "params")):
        yield Row(f"unused-byte-{at}", v + "1", base, f"{at}=01", field, "unused fields are zero")
    yield from value_rows("dtype", v + "2", base, 32, ("08", "0a", "05", "0b"), "dtype", "UINT32 only")
    yield from value_rows("no-dtype", v + "2", base, 32, ("00", "01", "ff"), "dtype", "UINT32 only", setup="44=R5")
    yield from zero_bytes_rows(v + "3", base, (33, 35, 43), by_offset({33: "reserved1", 35: "reserved2"}),
        "reserved bytes are zero")
    yield from channel_rows(v + "4", base, 34, "44=R5")
    operand = Operand("dst", "dst_mem_pattern", 44, base, 34, v + "5", None, 4, counts=(v + "6",), write=True,
        align=(("uint32", "", "02"), ("uint32", "", "01")))
    yield from (row for row in place_rows(operand) if not row.id.endswith("psum-narrow"))  # UINT32 only
    for name, change, field in (("dst-has-23-words", "56=17", "dst_mem_pattern"),
        ("dst-has-48-words", "58=02", "dst_mem_pattern"), ("lfsr-generator", "15=00", "rand_generator"),
        ("philox-generator", "15=02", "rand_generator"), ("lfsr-algorithm", "12=00", "rand_algorithm"),
        ("pcg32-algorithm", "12=01", "rand_algorithm"), ("no-generator", "15=04", "rand_generator")):
        yield Row(name, v + "6", base, change, field, "no combination of the DVE")
    yield Row("lfsr-has-5-words", v + "6", base, "56=05", "dst_mem_pattern", "4 words", "12=00 15=00 56=04")
    yield Row("converter-has-1-word", v + "6", base, "56=01", "dst_mem_pattern", "4 words; 1 word belongs to POOL",
        "12=00 15=03 56=04")
    yield Row("philox-of-pool", v + "6", base, "12=02 15=02 56=07", "rand_generator", "belongs to POOL")
    yield Row("xorwow-of-pool", v + "6", base, "56=06", "dst_mem_pattern", "6 words belong to POOL")


def rand_set_state():
    base, v = SET_STATE, "RSS-V"
    yield from preamble_rows(base, "RSS-P")
    yield from zero_bytes_rows(v + "1", base, (25, 28, 31), lambda at: "reserved", "reserved bytes are zero")
    yield from value_rows("dtype", v + "2", base, 15, ("08", "0a", "05", "0b"), "in_dtype", "UINT32 only")
    yield from value_rows("no-dtype", v + "2", base, 15, ("00", "01", "ff"), "in_dtype", "UINT32 only", setup="16=R5")
    yield from place_rows(Operand("src", "src_mem_pattern", 16, base, 13, v + "3", None, 1, counts=(v + "6",),
        align=(("uint32", "", "02"), ("uint32", "", "01"))), psum_ok=False)
    for at in (32, 47, 63):
        yield Row(f"state-byte-{at}", v + "4", base, f"{at}=01", "imm_state", "the state comes from the tensor")
    more = {"also": (v + "6",)}
    for value in ("01", "02", "03"):
        yield Row(f"immediate-xorwow-0x{value}", v + "5", base, f"14={value}", "update_state",
            "an immediate state is Philox, which the DVE has not", **more)
    yield Row("immediate-philox-word-7", v + "5", base, "12=02 14=01 24=02 60=01", "imm_state",
        "seven words only; Philox belongs to POOL", **more)
    yield Row("immediate-lfsr", v + "5", base, "12=00 14=02 22=04 24=00", "update_state",
        "an immediate state is Philox, which the DVE has not", **more)
    for name, change, field in (("src-has-23-words", "22=17", "src_mem_pattern"),
        ("src-has-6-words", "22=06", "src_mem_pattern"), ("lfsr-generator", "24=00", "rand_generator"),
        ("no-generator", "24=04", "rand_generator"), ("pcg32-algorithm", "12=01", "rand_algorithm"),
        ("philox-of-pool", "12=02 24=02 22=07", "rand_generator"),
        ("immediate-philox", "12=02 24=02 22=07 14=01", "update_state")):
        yield Row(name, v + "6", base, change, field, "no combination of the DVE")
    yield Row("converter-has-1-word", v + "6", base, "22=01", "src_mem_pattern", "4 words; 1 word belongs to POOL",
        "12=00 24=03 22=04")


def random_rows():
    yield from rand2()
    yield from rand_get_state()
    yield from rand_set_state()


def group_rows(v, base, x, y, dst):
    """V6 and V7; x, y: offsets of the source counts, dst: of the first destination count."""
    yield Row("groups-of-3", v + "6", base, f"{x}=03", "src_mem_pattern", "at least 4 elements in a group")
    yield Row("groups-of-1", v + "6", base, f"{x}=01", "src_mem_pattern", "at least 4 elements in a group")
    yield Row("groups-of-2-by-x", v + "6", base, "37=02", "op_dim", "at least 4 elements in a group",
        f"37=03 {x}=02 {y}=04", also=(v + "7",))
    yield Row("groups-of-2-and-enough-outputs", v + "6", base, f"37=02 {dst}=10", "op_dim",
        "at least 4 elements in a group", f"37=03 {x}=02 {y}=04")
    yield Row("empty-groups", v + "6", base, f"{x}=00", "src_mem_pattern",
        "at least 4 elements in a group; there is still one group")


def transpose_rows(v, base, count_at):
    rule, block = v + "9", f"13=01 {count_at}=20"
    yield from value_rows("transpose-src", rule, base, 13, ("02", "80", "ff"), "transpose_src", "0 or 1")
    yield from value_rows("transposed-channels", rule, base, 34, ("01", "10", "1f"), "num_active_channels",
        "32, 64, 96 or 128 channels", setup=block)
    for count in ("1f", "21", "30"):
        yield Row(f"transposed-src-has-{int(count, 16)}-elements", rule, base, f"{count_at}={count}", "src_mem_pattern",
            "blocks of 32 by 32", block)
    yield Row("short-src-made-transposed", rule, base, "13=01", "transpose_src", "blocks of 32 by 32")


def sparsity_rows():
    base, v = COMPRESS, "SC-V"
    yield from preamble_rows(base, "SC-P")
    yield from zero_bytes_rows(v + "2", base, (14, 15, 35, 38, 47),
        by_offset({14: "reserved0", 35: "reserved1", 38: "reserved2"}), "reserved bytes are zero")
    yield from gate_rows("in", v + "3", base, 12, "in_dtype")
    yield from value_rows("op", v + "4", base, 36, ("00", "04", "07", "0a", "22", "ff"), "op",
        "MIN 8, MAX 9, ABS_MIN 0x20 or ABS_MAX 0x21")
    yield from value_rows("op-dim", v + "5", base, 37, ("00", "01", "06", "ff"), "op_dim",
        "X, XY, XYZ or XYZW; a shape marker waives the count rules", setup="19=40", confidence="M")
    yield from group_rows(v, base, 26, 28, 58)
    for count in ("03", "05", "08"):
        yield Row(f"dst-0x{count}", v + "7", base, f"58={count}", "dst_mem_pattern", "exactly 4 outputs for each group")
    yield Row("dst-forgets-the-second-group", v + "7", base, "60=01", "dst_mem_pattern",
        "exactly 4 outputs for each group", "28=02 60=02")
    yield Row("xyz-is-one-group", v + "7", base, "37=04", "op_dim", "exactly 4 outputs for each group",
        "28=02 60=02")
    yield from channel_rows(v + "8", base, 34, "")
    yield from tile_rows(v + "8", base)
    yield from transpose_rows(v, base, 26)
    yield Row("transposed-channels-129", v + "8", base, "34=81", "num_active_channels",
        "out of range, and no multiple of 32", "13=01 26=20 34=80", also=(v + "9",))
    for pair in ("0605", "0705", "0603", "0604"):
        yield Row(f"dtypes-0x{pair}", v + "10", base, f"32={pair}", "out_struct_dtype", "BF16 and FP16 with UINT32")
    for pair in ("0d09", "0e09", "0f09", "0e03", "0f04"):
        yield Row(f"dtypes-0x{pair}", v + "10", base, f"32={pair}", "out_struct_dtype", "FP8 with UINT16",
            f"32={pair[:2]}05")
    for pair in ("0a09", "0809", "0309", "0205"):
        yield Row(f"dtypes-0x{pair}", v + "10", base, f"32={pair}", "out_data_dtype", "BF16, FP16 or FP8 only")
    base, v = COMPRESS_TAG, "SCT-V"
    yield from preamble_rows(base, "SCT-P")
    yield from zero_bytes_rows(v + "2", base, (15, 19, 35, 38, 39),
        by_offset({15: "reserved0", 35: "reserved1", 38: "reserved2"}), "reserved bytes are zero")
    yield from gate_rows("in", v + "3", base, 12, "in_dtype")
    yield from value_rows("op", v + "4", base, 36, ("00", "04", "07", "0a", "22", "ff"), "op",
        "MIN 8, MAX 9, ABS_MIN 0x20 or ABS_MAX 0x21")
    yield from value_rows("op-dim", v + "5", base, 37, ("04", "05"), "op_dim",
        "X or XY; the pattern has no more dimensions", setup="37=03")
    yield from value_rows("op-dim-none", v + "5", base, 37, ("00", "01", "06", "ff"), "op_dim",
        "X or XY; a shape marker waives the count rules", setup="23=40", confidence="M")
    yield from group_rows(v, base, 28, 30, "60=10 48")
    for count in ("03", "05", "08"):
        yield Row(f"data-0x{count}", v + "7", base, f"48={count} 60={count}", "data_dst_mem_pattern",
            "exactly 4 outputs for each group; the tags follow")
    yield Row("data-forgets-the-second-group", v + "7", base, "50=01 62=01", "data_dst_mem_pattern",
        "exactly 4 outputs for each group; the tags follow", "30=02 50=02 62=02")
    yield from channel_rows(v + "8", base, 34, "")
    yield from tile_rows(v + "8", base)
    yield from transpose_rows(v, base, 28)
    rule = v + "10"
    for code in OUT_CODES:
        yield Row(f"data-dtype-0x{code}", rule, base, f"32={code}", "out_data_dtype", "the gate with FP32R",
            "40=R5 52=R6")
    yield from value_rows("tag-dtype", rule, base, 33, ("02", "04", "08", "06", "0a", "00"), "out_tag_dtype",
        "UINT8, UINT16 or UINT32")
    yield Row("packed-tag-uint8", rule, base, "33=03", "out_tag_dtype", "packed tags are UINT16", "14=01 60=01")
    yield Row("packed-tag-uint32", rule, base, "33=09", "out_tag_dtype", "packed tags are UINT16", "14=01 60=01")
    yield from value_rows("packed-tags", rule, base, 14, ("02", "ff"), "packed_tags", "0 or 1", confidence="M")
    yield Row("three-tags", rule, base, "60=03", "tag_dst_mem_pattern", "a tag for each data element")
    yield Row("eight-tags-by-y", rule, base, "62=02", "tag_dst_mem_pattern", "a tag for each data element")
    yield Row("two-packed-words", rule, base, "60=02", "tag_dst_mem_pattern", "four tags to a word", "14=01 60=01")
    yield Row("tags-made-packed", rule, base, "14=01", "packed_tags", "four tags to a word")
    rule = v + "11"
    yield Row("tags-in-psum", rule, base, "52=P0.300", "tag_dst_mem_pattern", "SBUF only", on="M")
    yield Row("tags-and-data-in-psum", rule, base, "40=P0.200 52=P0.300", "tag_dst_mem_pattern",
        "tags in SBUF only, whatever the quadrants", on="M", confidence="M")
    yield Row("tags-in-psum-data-in-register", rule, base, "52=P0.300", "tag_dst_mem_pattern",
        "SBUF only, wherever the data may be", "40=R5", "M", confidence="M")
    yield Row("tags-in-another-quadrant", rule, base, "52=S32.300", "tag_dst_mem_pattern", "one SBUF quadrant")
    yield Row("data-in-another-quadrant", rule, base, "40=S96.200", "data_dst_mem_pattern", "one SBUF quadrant")


def sparsity():
    yield from only(sparsity_rows(), INDIRECT)


def quantize_rows():
    base, v = QUANTIZE, "QMX-V"
    yield from preamble_rows(base, "QMX-P")
    for value in ("12", "0f", "01"):
        yield Row(f"inst-word-len-0x{value}", "QMX-P1", base, f"1={value}", "header.inst_word_len",
            "16, or 17 with the saturate flag", "1=11", leaf="has_valid_inst_len", confidence="M")
    yield Row("saturate-flag", "QMX-P1", base, "1=11", "header.inst_word_len",
        "only under that value of the assumption", leaf="has_valid_inst_len", confidence="L",
        assume={"quantize-mx-length-byte": "only-0x10"})
    yield from zero_bytes_rows(v + "1", base, (12, 15, 32, 36, 47),
        by_offset({12: "reserved0", 32: "reserved1", 36: "reserved2"}), "reserved bytes are zero")
    operand = Operand("src", "src_mem_pattern", 16, base, 33, v + "3", None,
        align=(("uint32-whatever-the-dtype", "", "02"), ("uint32", "", "01")))
    yield from place_rows(operand, psum_ok=False)
    for name, change in (("data-misaligned-01", "48=01"), ("data-misaligned-02", "48=02"),
        ("scale-in-another-quadrant", "52=S32.400"), ("data-in-another-quadrant", "48=S96.200"),
        ("no-groups", "56=0000"), ("data-outside-a-quadrant-start", "48=S5.200")):
        yield Row(f"dst-{name}", v + "4", base, change, "dst_mem_pattern",
            "aligned words, data and scales in one SBUF quadrant, at least one group", confidence="M")
    yield from value_rows("in-dtype", v + "5", base, 34, ("00", "0a", "05", "0e", "0b"), "in_dtype", "FP16 or BF16")
    yield from value_rows("out-dtype", v + "6", base, 35, ("0d", "00", "03", "06", "10"), "out_dtype",
        "FP8_EXP4 or FP8_EXP5")
    yield from value_rows("channels", v + "7", base, 33, ("00", "01", "10", "1f", "21", "81", "a0"),
        "num_active_channels", "32, 64, 96 or 128 channels")


def quantize_mx():
    yield from only(quantize_rows(), INDIRECT)


def wide_rows():
    base, v = WIDE, "TSIW-V"
    yield from preamble_rows(base, "TSIW-P")
    for value in ("a9", "9a", "69", "19", "b9"):
        yield Row(f"outputs-0x{value}", v + "1", base, f"13={value}", "out0_out1_dtype", "integers of at most 32 bits")
    for value in ("9a", "a9", "96", "ee"):
        yield Row(f"operands-0x{value}", v + "1", base, f"12={value}", "in_imm_dtype",
            "integers of at most 32 bits; a float is neither signed nor unsigned", also=(v + "3",))
    yield from value_rows("op", v + "2", base, 14, ("00", "04", "0a", "c7", "cf", "1e", "ff"), "op",
        "not one of the eight")
    for op, name in (("c4", "add"), ("c6", "subtract"), ("db", "unsigned-multiply")):
        for pair in ("88", "98", "89", "22"):
            yield Row(f"{name}-of-0x{pair}", v + "3", base, f"12={pair}", "in_imm_dtype", "both operands unsigned",
                f"14={op}")
    for pair in ("99", "98", "89", "33"):
        yield Row(f"signed-multiply-of-0x{pair}", v + "3", base, f"12={pair}", "in_imm_dtype", "both operands signed",
            "14=c5 12=88")
    yield Row("add-made-signed-multiply", v + "3", base, "14=c5", "op", "both operands signed")
    for op in ("02", "03", "10", "11"):
        yield Row(f"signed-shift-amount-0x{op}", v + "3", base, "12=89", "in_imm_dtype", "the amount is unsigned",
            f"14={op}")
        for value in ("20000000", "40000000", "00010000", "ffffffff"):
            if op in ("02", "11") or value == "20000000":
                yield Row(f"shift-0x{op}-by-{value}", v + "4", base, f"56={value}", "imm", "0..31", f"14={op}")
    yield Row("add-of-32-made-shift", v + "4", base, "14=10", "op", "0..31", "56=20000000")
    rule = v + "5"
    yield from value_rows("source", rule, base, 52, ("03", "ff"), "imm_src", "immediate sources are 0, 1 and 2")
    yield Row("register-64", rule, base, "56=40", "imm", "immediate registers are 0..63", "52=02 56=3f000000",
        confidence="M")
    yield Row("register-byte-1", rule, base, "57=01", "imm", "the bytes behind the register number are zero",
        "52=02 56=3f000000")
    yield Row("pointer-uint32-misaligned-02", rule, base, "56=02", "imm", "pointer not aligned to its dtype",
        "52=01 56=S0.400")
    yield Row("pointer-uint16-misaligned-01", rule, base, "56=01", "imm", "pointer not aligned to its dtype",
        "52=01 12=59 56=S0.400")
    for name, at, narrow in (("src", 16, "12=95"), ("dst0", 28, "13=95"), ("dst1", 40, "13=59")):
        operand = Operand(name, f"{name}_mem_pattern", at, base, 15, v + "6", None, 2, counts=(v + "7",),
            align=(("uint32", "", "02"), ("uint16", narrow, "01")))
        yield from place_rows(operand)
    yield Row("src-has-5-elements", v + "7", base, "24=05", "src_mem_pattern", "all counts are equal")
    yield Row("dst0-has-5-elements", v + "7", base, "36=05", "dst0_mem_pattern", "all counts are equal")
    yield Row("dst1-has-8-elements-by-y", v + "7", base, "50=02", "dst1_mem_pattern", "all counts are equal")
    yield from zero_bytes_rows(v + "8", base, (53, 55, 60, 63), by_offset({53: "reserved0", 60: "reserved1"}),
        "reserved bytes are zero")
    yield from channel_rows(v + "9", base, 15, "")
    yield from tile_rows(v + "9", base)


def int_wide():
    yield from only(wide_rows(), "V")


def activate_rows():
    base, v = ACTIVATE, "AC2-V"
    yield from preamble_rows(base, "AC2-P")
    for name, at, field, more in (("in", 32, "in_dtype", ("0b",)), ("imm", 28, "imm_dtype", ("0b",)),
        ("out", 33, "out_dtype", ())):
        yield from gate_rows(name, v + "2", base, at, field, codes=(*OUT_CODES, *more), leaf=False)
    for at, values, field in ((29, ("05", "08", "07", "1e"), "op0"), (30, ("06", "08", "ff"), "op1")):
        yield from value_rows(field, v + "3", base, at, values, field, "no pair of the list")
    for op0, op1 in (("04", "04"), ("00", "04"), ("05", "05"), ("00", "06")):
        yield Row(f"ops-0x{op0}-0x{op1}", v + "3", base, f"29={op0}{op1}", "op1", "no pair of the list", "29=0000")
    yield from value_rows("command-without-operation", v + "4", base, 26, ("02", "03", "04"), "reduce_cmd",
        "idle if and only if nothing is reduced")
    yield from value_rows("operation-without-command", v + "4", base, 31, ("04", "08"), "reduce_op",
        "idle if and only if nothing is reduced")
    yield Row("command-made-idle", v + "4", base, "26=00", "reduce_cmd", "idle if and only if nothing is reduced",
        "26=03 31=04")
    yield Row("operation-made-zero", v + "4", base, "31=00", "reduce_op", "idle if and only if nothing is reduced",
        "26=03 31=04")


def activate2():
    yield from only(activate_rows(), "V")


FAMILIES = {
    "random": ("RAND2 0xE2, RAND_GET_STATE 0x77 and RAND_SET_STATE 0x78", "isa/06 sections 7.2, 7.3; 01 section 9",
        lambda: only(random_rows(), INDIRECT)),
    "sparsity": ("SPARSITY_COMPRESS 0xE0 and SPARSITY_COMPRESS_TAG 0xE1", "isa/06 section 7.4", sparsity),
    "quantize_mx": ("QUANTIZE_MX 0xE3", "isa/06 section 7.5; 01 sections 1.3, 6.4", quantize_mx),
    "int_wide": ("TENSOR_SCALAR_INT_WIDE 0xF4", "isa/06 section 7.6", int_wide),
    "activate2": ("ACTIVATE2 0x25", "isa/06 section 8.2", activate2),
}

VERSION = "the generations that know the opcode all have that core version"
ELSEWHERE = "another engine executes the opcode on these generations: instruction_engine_check answers"

UNBREAKABLE = (
    *opcode_rule("R2-P3", "SC-P3", "SCT-P3", "QMX-P3", "TSIW-P3"),
    *((rule, "opcode", (), OPCODE, letters)
        for rule, letters in (("RGS-P3", INDIRECT), ("RSS-P3", INDIRECT), ("AC2-P3", "V"))),
    *((rule, "opcode", (), VERSION) for rule in ("SC-V1", "SCT-V1", "QMX-V2")),
    ("AC2-V1", "opcode", (), VERSION, "V"),
    *((rule, "refused", (), ELSEWHERE, "SC") for name in ("RGS", "RSS")
        for rule in (*(f"{name}-P{k}" for k in (1, 2, 3)), *(f"{name}-V{k}" for k in range(1, 7)))),
    *((rule, "refused", (), ELSEWHERE, "M")
        for rule in ("AC2-P1", "AC2-P2", "AC2-P3", "AC2-V1", "AC2-V2", "AC2-V3", "AC2-V4")),
    ("RSS-V5", "never-alone", ("RSS-V6",), "no arm of the DVE takes its state from the record", INDIRECT),
)  # fmt: skip

PARTS = (
    ("mxmem1d_valid", "indirect arm, register words, PSUM", "the body is given in one sentence (01 section 6.4)"),
    ("has_valid_rand_state_channels", "MAVERICK tile flags", "its body is not in the sources"),
    ("transpose_src", "a 32x32 element count", "cases hold for every reading: a multiple of 32"),
)
