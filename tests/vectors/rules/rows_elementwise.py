"""TENSOR_SCALAR, TENSOR_SCALAR_PTR and TENSOR_TENSOR: base records, rows, what cannot be broken."""

from rows_brief import OPCODE, REPEAT
from rows_common import (
    ALL,
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
from rows_three import count_rows_three, gathered_pair_rows, three_pattern_operands

TS_BODY = ("00 000000", "00010000", DIMS3)  # accumulator_cmd, reserved, src
# src 0x100, dst 0x200, FP32, (x * 2.0) + 1.0 inline
SCALAR = record("43 10 0000", NO_EVENTS, *TS_BODY, "0a 0a 20 00 06 04 00 00", "00000040 0000803f", "00020000", DIMS3)
# UINT16, (x & 0xF0) ^ 0x0F inline
SCALAR_BITS = record("53 10 0000", NO_EVENTS, *TS_BODY, "05 05 20 00 0a 0c 00 00", "f0000000 0f000000", "00020000",
    DIMS3)
# 32 elements, FP32, x * 1.0
DIMS32 = "0100 0100 0100 2000 0100 0100"
TRANSPOSE = record("93 10 0000", NO_EVENTS, "00 000000", "00010000", DIMS32, "0a 0a 20 00 06 00 00 00",
    "0000803f 00000000", "00020000", DIMS32)
# scalars behind pointers 0x400 and 0x500
POINTER = record("44 10 0000", NO_EVENTS, *TS_BODY, "0a 0a 20 00 06 04 00 00", "00040000 00050000", "00020000", DIMS3)
POINTER_BITS = record("54 10 0000", NO_EVENTS, *TS_BODY, "05 05 20 00 0a 0c 00 00", "00040000 00050000", "00020000",
    DIMS3)
# ADD, BF16 + FP32 to FP32
TENSOR = record("41 10 0000", NO_EVENTS, "a6 0a 04 20", "00010000", DIMS3, "00020000", DIMS3, "00030000", DIMS3)
# XOR, UINT8
TENSOR_BITS = record("51 10 0000", NO_EVENTS, "33 03 0c 20", "00010000", DIMS3, "00020000", DIMS3, "00030000", DIMS3)
LATER_CODES = (("1e", ALL), ("1f", ALL), ("22", "SC"), ("20", "SC"), ("24", OLD), ("25", ALL), ("c7", "S"), ("e1", "S"),
    ("e2", ALL), ("ff", ALL))
NEVER_CODES = ("07", "1a", "1b")  # DIVIDE, POW, MOD


def op_rows(prefix, arith, bits, repeat=()):
    """tensor_scalar_valid_ops of both validators; repeat: the rule that tests the codes a second time."""
    for base, name, klass in ((arith, "arith", prefix + "e"), (bits, "bitvec", prefix + "d")):
        for code, on in LATER_CODES:
            yield Row(f"{name}-op0-unassigned-0x{code}", prefix + "a", base, f"36={code}", "op0",
                "no ALU code of this generation; the class rule fails with it", on=on, also=(klass, *repeat))
        for code, on in (("1e", ALL), ("23", "SC"), ("24", OLD), ("d0", "S")):
            yield Row(f"{name}-op1-unassigned-0x{code}", prefix + "a", base, f"37={code}", "op1",
                "no ALU code of this generation; the class rule fails with it", on=on, also=(klass, *repeat))
        for code in NEVER_CODES:
            yield Row(f"{name}-op0-0x{code}", prefix + "b", base, f"36={code}", "op0",
                "DIVIDE, POW and MOD are barred; the class rule fails with it", also=(klass,))
            yield Row(f"{name}-op1-0x{code}", prefix + "c", base, f"37={code}", "op1",
                "DIVIDE, POW and MOD are barred; the class rule fails with it", also=(klass,))
        yield Row(f"{name}-bypass-then-op1", prefix + "f", base, "36=00", "op0",
            "the second operation cannot run alone")
    for code in ("04", "08", "1d", "c4"):
        yield Row(f"bitvec-op0-0x{code}", prefix + "d", bits, f"36={code}", "op0", "not a bit-vector code")
        yield Row(f"bitvec-op1-0x{code}", prefix + "d", bits, f"37={code}", "op1", "not a bit-vector code")
    for code, on in (("20", INDIRECT), ("23", INDIRECT), ("24", "V"), ("cf", "CMV")):
        yield Row(f"bitvec-op0-0x{code}", prefix + "d", bits, f"36={code}", "op0", "not a bit-vector code", on=on)
    for code, on in (("0a", ALL), ("01", ALL), ("10", ALL), ("03", ALL), ("1c", ALL), ("1d", ALL), ("ce", "CMV"),
        ("de", "CMV"), ("c8", "CMV"), ("d5", "CMV"), ("24", "V")):
        yield Row(f"arith-op0-0x{code}", prefix + "e", arith, f"36={code}", "op0", "not a general arithmetic code",
            on=on, confidence="M" if code == "24" else "H")
    for code, on in (("0a", ALL), ("11", ALL), ("1d", ALL), ("c4", ALL), ("24", "V")):
        yield Row(f"arith-op1-0x{code}", prefix + "e", arith, f"37={code}", "op1",
            "not a general arithmetic code; integer and base codes do not mix", on=on)
    yield Row("arith-integer-code-before-maverick", prefix + "e", arith, "36=c4", "op0",
        "the integer arm exists on MAVERICK only", "37=00", OLD)
    yield Row("arith-integer-compare-before-maverick", prefix + "e", arith, "36=d1", "op0",
        "the integer arm exists on MAVERICK only", "37=00", "CM")
    integer = "36=c4 37=c6"
    yield Row("arith-integer-then-base-code", prefix + "e", arith, "37=04", "op1", "integer and base codes do not mix",
        integer, "V")
    yield Row("arith-integer-divide", prefix + "e", arith, "36=c7", "op0", "not in is_valid_int_aluop_dve", integer,
        "V")
    yield Row("arith-integer-unsigned-max", prefix + "e", arith, "37=d5", "op1", "not in is_valid_int_aluop_dve",
        integer, "V")
    yield Row("arith-bypass-then-integer-code", prefix + "f", arith, "36=00", "op0",
        "the second operation cannot run alone", integer, "V")
    rsqrt = "36=1d 37=00 40=0000000000000000"
    yield Row("rsqrt-then-add", prefix + "e", arith, "37=04", "op1", "RSQRT only with op1 BYPASS", rsqrt)
    yield Row("rsqrt-imm0", prefix + "e", arith, "40=04", "imm0", "RSQRT only with zero immediates", rsqrt)
    yield Row("rsqrt-imm1", prefix + "e", arith, "44=04", "imm1", "RSQRT only with zero immediates", rsqrt)
    yield Row("rsqrt-as-op1", prefix + "e", arith, "37=1d", "op1", "RSQRT only as op0",
        "36=19 37=00 40=0000000000000000")


def type_rows(rule, arith, bits):
    yield Row("bitvec-uint16-to-uint32", rule, bits, "33=09", "out_dtype", "bit-vector results are not converted")
    yield Row("bitvec-uint16-to-int16", rule, bits, "33=04", "out_dtype",
        "bit-vector results are not converted, equal widths or not")
    yield Row("bitvec-int16-from-uint16", rule, bits, "32=04", "in_dtype",
        "bit-vector results are not converted, equal widths or not")
    yield Row("bitvec-bf16", rule, bits, "32=0606", "in_dtype", "bit-vector operands are integers")
    yield Row("bitvec-fp32", rule, bits, "32=0a0a", "in_dtype", "bit-vector operands are integers", "32=0909")
    yield Row("bitvec-fp8-exp4", rule, bits, "32=0e0e", "in_dtype", "bit-vector operands are integers", "32=0303")
    strict = {"int-tensor-scalar-dtypes": "type-error"}
    integer = "36=c4 37=c6 32=0808"
    yield Row("integer-codes-on-fp32-input", rule, arith, "32=0a", "in_dtype",
        "only under that value of the assumption", integer, "V", assume=strict, confidence="L")
    yield Row("integer-codes-to-fp32-output", rule, arith, "33=0a", "out_dtype",
        "only under that value of the assumption", integer, "V", assume=strict, confidence="L")


def shift_rows(rule, bits):
    """alu_shift_check; UINT16 unless set otherwise."""
    for left in ("02", "10"):
        yield Row(f"left-0x{left}-then-logical-right-uint16", rule, bits, "37=11", "op1",
            "left then right wants a 4-byte dtype", f"36={left}")
    yield Row("left-then-logical-right-int8", rule, bits, "37=11", "op1", "left then right wants a 4-byte dtype",
        "32=0202 36=10")
    yield Row("left-before-logical-right-uint16", rule, bits, "36=10", "op0", "left then right wants a 4-byte dtype",
        "36=11 37=11")
    yield Row("left-then-right-narrowed-to-uint16", rule, bits, "32=0505", "in_dtype",
        "left then right wants a 4-byte dtype", "32=0909 36=10 37=11")
    yield Row("arith-right-first-uint16", rule, bits, "36=03", "op0", "an arithmetic right shift wants a 4-byte dtype")
    yield Row("arith-right-second-uint16", rule, bits, "37=03", "op1", "an arithmetic right shift wants a 4-byte dtype")
    yield Row("arith-right-first-int8", rule, bits, "36=03", "op0", "an arithmetic right shift wants a 4-byte dtype",
        "32=0202")
    yield Row("arith-right-with-bypass-int16", rule, bits, "36=03", "op0",
        "an arithmetic right shift wants a 4-byte dtype", "32=0404 36=11 37=00")
    yield Row("left-then-arith-right-uint8", rule, bits, "37=03", "op1", "both parts of the shift rule",
        "32=0303 36=10")


PATTERN_LEAF = {"SC": "tensor3d_valid", "MV": "mem3d_valid"}


def tensor_scalar_operands(prefix, base, repeats, start, quadrants):
    wide = "32=0a0a"
    src = Operand("src", "src_mem_pattern", 16, base, 34, prefix, start[0], repeats=(repeats[0],),
        quadrant=quadrants[0], leaf=PATTERN_LEAF,
                  align=(("bf16", "32=06", "01"), ("fp32", "", "02"), ("uint16", "32=05", "03")),
                      wide=wide)  # fmt: skip
    dst = Operand("dst", "dst_mem_pattern", 48, base, 34, prefix, start[1], repeats=(repeats[1],),
        quadrant=quadrants[1], leaf=PATTERN_LEAF, apart="16=R7", write=True,
                  align=(("bf16", "33=06", "01"), ("fp32", "", "02"), ("fp32r", "33=0b", "01")), wide=wide)  # fmt: skip
    return src, dst


def tensor_scalar_tensor_rows(rule, repeats, starts, quadrants, arith, bits):
    """tensor_scalar_tensor_chk, the rules that repeat its pattern part, start and quadrant rules."""
    for operand in tensor_scalar_operands(rule, arith, repeats, starts, quadrants):
        yield from pattern_rows(operand)
        yield from start_rows(operand)
    for label, repeat, at, field in (("src", repeats[0], 16, "src_mem_pattern"),
        ("dst", repeats[1], 48, "dst_mem_pattern")):
        more = {"also": (rule,)}
        yield Row(f"{label}-misaligned-again", repeat, arith, f"{at}=02", field,
            "repeats the pattern part of the composite rule", **more)
        yield Row(f"{label}-zero-count-again", repeat, arith, f"{at + 10}=00", field,
            "repeats the pattern part of the composite rule", **more)
        yield Row(f"{label}-register-64-again", repeat, arith, f"{at}=40", field,
            "repeats the pattern part of the composite rule", f"{at}=R63", **more)
        yield Row(f"{label}-bitvec-misaligned-again", repeat, bits, f"{at}=01", field,
            "repeats the pattern part of the composite rule", **more)
    yield Row("dst-psum-bf16-again", repeats[1], arith, "33=06", "out_dtype",
        "repeats the pattern part of the composite rule", "48=P0.200", OLD, also=(rule,))
    for base, name in ((arith, "arith"), (bits, "bitvec")):
        yield Row(f"{name}-dst-has-5-elements", rule, base, "58=05", "dst_mem_pattern", "the source has 4 elements")
        yield Row(f"{name}-src-has-8-elements-by-y", rule, base, "28=02", "src_mem_pattern",
            "the product counts: 8 against 4")
    yield Row("dst-count-with-shape-marker-on-sunda", rule, arith, "58=05", "dst_mem_pattern",
        "SUNDA ignores the shape marker, so nothing is waived", "51=40", "S", confidence="L")
    gather, scatter = "16=I0.400 20=S0.100 24=0400 26=000000000000", "48=I0.500 52=S0.200 56=0400 58=000000000000"
    yield Row("src-gathers-5-elements", rule, arith, "24=05", "src_mem_pattern", "an indirect operand counts num",
        gather, INDIRECT)
    yield Row("dst-scatters-5-elements", rule, arith, "56=05", "dst_mem_pattern", "an indirect operand counts num",
        scatter, INDIRECT)
    yield Row("gather-4-scatter-5-elements", rule, arith, "56=05", "dst_mem_pattern",
        "two indirect operands compare their nums", f"{gather} {scatter}", INDIRECT)
    yield from quadrant_rows(*quadrants, ("src", "src_mem_pattern", 16), ("dst", "dst_mem_pattern", 48), arith)


def tensor_scalar():
    for base, full in ((SCALAR, True), (SCALAR_BITS, False), (TRANSPOSE, False)):
        yield from preamble_rows(base, "TS-V", full=full)
    yield from op_rows("TS-V4", SCALAR, SCALAR_BITS, repeat=("TS-V14",))
    rsqrt = "36=1d 37=00 40=0000000000000000"
    yield Row("rsqrt-imm0-behind-pointer", "TS-V4e", SCALAR, "35=01", "imm0_src",
        "RSQRT only with inline immediates; address 0 is a legal pointer", rsqrt)
    yield Row("rsqrt-imm1-in-register", "TS-V4e", SCALAR, "39=02", "imm1_src", "RSQRT only with inline immediates",
        rsqrt)
    yield Row("transpose-bitwise-code", "TS-V4e", TRANSPOSE, "36=0a", "op0", "0x93 is an arithmetic opcode")
    yield Row("transpose-bypass-then-add", "TS-V4f", TRANSPOSE, "36=00", "op0", "the second operation cannot run alone",
        "37=04")
    yield Row("op0-unassigned-again", "TS-V14", SCALAR, "36=1e", "op0",
        "repeats the first part of tensor_scalar_valid_ops", also=("TS-V4a", "TS-V4e"))
    yield Row("op1-unassigned-again", "TS-V14", SCALAR, "37=1f", "op1",
        "repeats the first part of tensor_scalar_valid_ops", also=("TS-V4a", "TS-V4e"))
    yield Row("bitvec-op0-unassigned-again", "TS-V14", SCALAR_BITS, "36=1e", "op0",
        "repeats the first part of tensor_scalar_valid_ops", also=("TS-V4a", "TS-V4d"))
    yield from type_rows("TS-V5", SCALAR, SCALAR_BITS)
    arith_align = (("fp32", "", "02"), ("bf16-input", "32=06", "02"), ("int8-input", "32=02", "01"))
    for k, source, imm in ((0, 35, 40), (1, 39, 44)):
        yield from immediate_rows(f"imm{k}", "TS-V6", SCALAR, imm, f"imm{k}", 34, (source, f"imm{k}_src"), arith_align)
        bits_align = (("uint16", "", "01"), ("int32", "32=0808", "02"))
        for name, setup, bad in bits_align:
            yield Row(f"bitvec-imm{k}-pointer-{name}-misaligned-{bad}", "TS-V6", SCALAR_BITS, f"{imm}={bad}", f"imm{k}",
                "a bit-vector pointer is aligned to in_dtype", f"{source}=01 {imm}=S0.400 {setup}")
        for at in (2, 3):
            yield Row(f"bitvec-imm{k}-uint16-byte-{at}", "TS-V6", SCALAR_BITS, f"{imm + at}=01", f"imm{k}",
                "the unused high bytes of an inline value are zero")
        for at in (1, 2, 3):
            yield Row(f"bitvec-imm{k}-int8-byte-{at}", "TS-V6", SCALAR_BITS, f"{imm + at}=ff", f"imm{k}",
                "the unused high bytes are zero: -1 is 0x000000FF", "32=0202 40=0100000001000000")
    yield Row("bitvec-imm1-checked-under-bypass", "TS-V6", SCALAR_BITS, "46=01", "imm1",
        "imm1 is tested although op1 is BYPASS", "37=00")
    yield Row("arith-imm1-source-checked-under-bypass", "TS-V6", SCALAR, "39=03", "imm1_src",
        "imm1 is tested although op1 is BYPASS", "37=00")
    yield from shift_rows("TS-V7", SCALAR_BITS)
    yield from tensor_scalar_tensor_rows("TS-V8", ("TS-V18a", "TS-V18b"), ("TS-V17a", "TS-V17b"), ("TS-V19", "TS-V20"),
        SCALAR, SCALAR_BITS)
    yield Row("transpose-dst-has-64-elements", "TS-V8", TRANSPOSE, "58=40", "dst_mem_pattern",
        "the source has 32 elements")
    for code in ("19", "1f"):
        yield Row(f"out-cptc-0x{code}", "TS-V8", SCALAR, f"33={code}", "out_dtype",
            "a CPTC code passes the dtype gate and is never aligned", on=INDIRECT, also=("TS-V18b",), leaf=PATTERN_LEAF,
            confidence="M")
        yield Row(f"in-cptc-0x{code}", "TS-V8", SCALAR, f"32={code}", "in_dtype",
            "a CPTC code passes the dtype gate and is never aligned", on=INDIRECT, also=("TS-V18a",), leaf=PATTERN_LEAF,
            confidence="M")
    for base, name in ((SCALAR, "arith"), (SCALAR_BITS, "bitvec"), (TRANSPOSE, "transpose")):
        for value in ("04", "ff"):
            yield Row(f"{name}-reverse-operands-0x{value}", "TS-V9", base, f"38={value}", "reverse_operands", "0..3")
        yield from zero_bytes_rows("TS-V10", base, (13, 14, 15), lambda at: "reserved0", "reserved bytes are zero",
            label=f"{name}-reserved")
        for value in ("01", "02", "03", "04", "ff"):
            yield Row(f"{name}-accumulator-cmd-0x{value}", "TS-V15", base, f"12={value}", "accumulator_cmd",
                "Idle only")
        yield from tile_rows("TS-V16", base, f"{name}-")
    for count in ("10", "1f", "21", "30"):
        yield Row(f"transpose-{int(count, 16)}-elements", "TS-V11", TRANSPOSE, f"26={count} 58={count}",
            "src_mem_pattern", "the source count is a multiple of 32")
    for n in ("01", "10", "1f", "30", "7f"):
        yield Row(f"transpose-{int(n, 16)}-channels", "TS-V11", TRANSPOSE, f"34={n}", "num_active_channels",
            "32, 64, 96 or 128 channels")
    yield Row("transpose-gathers-16-elements", "TS-V11", TRANSPOSE, "24=10 58=10", "src_mem_pattern",
        "num of an indirect source is the count", "16=I0.400 20=S0.100 24=2000 26=000000000000", INDIRECT,
        confidence="M")
    yield Row("transpose-index-register-waives-nothing", "TS-V11", TRANSPOSE, "24=10", "src_mem_pattern",
        "a rule on one pattern is not waived by an index register", "16=J5 20=S0.100 24=2000 26=000000000000", INDIRECT,
        confidence="M")
    yield Row("transpose-shape-marker-on-sunda", "TS-V11", TRANSPOSE, "26=10 58=10", "src_mem_pattern",
        "SUNDA ignores the shape marker, so nothing is waived", "19=40", "S", confidence="L")
    yield from dtype_rows("in", "TS-V12", SCALAR, 32, "in_dtype", setup="16=R5")
    yield Row("bitvec-fp32r", "TS-V12", SCALAR_BITS, "32=0b0b", "in_dtype",
        "FP32R input; the type rule of bit-vector opcodes fails with it", "32=0909", also=("TS-V5",),
        leaf="dtype_fp32r_illegal_check")
    yield Row("transpose-in-fp32r", "TS-V12", TRANSPOSE, "32=0b", "in_dtype", "FP32R not allowed as input",
        leaf="dtype_fp32r_illegal_check")
    yield from dtype_rows("out", "TS-V13", SCALAR, 33, "out_dtype", setup="48=R5", skip=("0b",))
    yield Row("transpose-out-uint64", "TS-V13", TRANSPOSE, "33=01", "out_dtype", "no 64-bit output",
        leaf="dtype_uint64_illegal_check")
    yield from channel_rows("TS-V16", SCALAR, 34, "16=R5 48=R6")
    yield from channel_rows("TS-V16", SCALAR_BITS, 34, "16=R5 48=R6", label="bitvec-")
    yield from channel_rows("TS-V16", TRANSPOSE, 34, "16=R5 48=R6", ("TS-V11",), "transpose-", fewest="20")
    yield Row("transpose-channels-160", "TS-V11", TRANSPOSE, "34=a0", "num_active_channels",
        "a multiple of 32, but more than 128; the range rule fails with it", "16=R5 48=R6 34=80", also=("TS-V16",))


def tensor_scalar_ptr():
    yield from preamble_rows(POINTER, "PTR-V", full=True)
    yield from preamble_rows(POINTER_BITS, "PTR-V")
    yield from op_rows("PTR-V4", POINTER, POINTER_BITS)
    yield from type_rows("PTR-V5", POINTER, POINTER_BITS)
    for k, imm in ((0, 40), (1, 44)):
        align = (("fp32", "", "02"), ("bf16-input", "32=06", "02"), ("int8-input", "32=02", "01"))
        yield from immediate_rows(f"imm{k}", "PTR-V6", POINTER, imm, f"imm{k}", 34, align=align)
        for name, setup, bad in (("uint16", "", "01"), ("int32", "32=0808", "02")):
            yield Row(f"bitvec-imm{k}-pointer-{name}-misaligned-{bad}", "PTR-V6", POINTER_BITS, f"{imm}={bad}",
                f"imm{k}", "a bit-vector pointer is aligned to in_dtype", setup)
        yield Row(f"bitvec-imm{k}-pointer-partition-1", "PTR-V6", POINTER_BITS, f"{imm}=S1.400", f"imm{k}",
            "a pointer starts in partition 0, 32, 64 or 96", f"{imm}=S0.400", confidence="M")
    yield Row("imm1-checked-under-bypass", "PTR-V6", POINTER, "44=02", "imm1", "imm1 is tested although op1 is BYPASS",
        "37=00")
    for base, name in ((POINTER, "arith"), (POINTER_BITS, "bitvec")):
        for k, at in ((0, 35), (1, 39)):
            for value in ("01", "02", "ff"):
                yield Row(f"{name}-imm{k}-source-0x{value}", "PTR-V7", base, f"{at}={value}", f"imm{k}_src",
                    "a must-be-zero field here, although both scalars are pointers")
        for value in ("04", "ff"):
            yield Row(f"{name}-reverse-operands-0x{value}", "PTR-V10", base, f"38={value}", "reverse_operands", "0..3")
        yield from zero_bytes_rows("PTR-V11", base, (13, 14, 15), lambda at: "reserved0", "reserved bytes are zero",
            label=f"{name}-reserved")
        for value in ("01", "02", "03", "04", "ff"):
            yield Row(f"{name}-accumulator-cmd-0x{value}", "PTR-V12", base, f"12={value}", "accumulator_cmd",
                "Idle only")
        yield from tile_rows("PTR-V15a", base, f"{name}-")
    yield from shift_rows("PTR-V8", POINTER_BITS)
    yield from tensor_scalar_tensor_rows("PTR-V9", ("PTR-V15d", "PTR-V15e"), ("PTR-V15b", "PTR-V15c"),
        ("PTR-V15f", "PTR-V15g"), POINTER, POINTER_BITS)
    yield from dtype_rows("in", "PTR-V13", POINTER, 32, "in_dtype", setup="16=R5")
    yield from dtype_rows("out", "PTR-V14", POINTER, 33, "out_dtype", setup="48=R5", skip=("0b",))
    yield Row("bitvec-fp32r", "PTR-V13", POINTER_BITS, "32=0b0b", "in_dtype",
        "FP32R input; the type rule of bit-vector opcodes fails with it", "32=0909", also=("PTR-V5",),
        leaf="dtype_fp32r_illegal_check")
    yield from channel_rows("PTR-V15a", POINTER, 34, "16=R5 48=R6", also=("PTR-V6",))
    yield from channel_rows("PTR-V15a", POINTER_BITS, 34, "16=R5 48=R6", also=("PTR-V6",), label="bitvec-")


def tensor_tensor():
    yield from preamble_rows(TENSOR, "TT-V", full=True)
    yield from preamble_rows(TENSOR_BITS, "TT-V")
    wide_codes = ("01", "0c")
    yield from dtype_rows("out", "TT-V4", TENSOR, 13, "out_dtype", setup="48=R5", skip=("0b", *wide_codes))
    yield from nibble_rows("src0", "TT-V5", TENSOR, False, "in0_in1_dtype.dtype_lo", setup="16=R5", codes=("0", "b"))
    yield from nibble_rows("src1", "TT-V6", TENSOR, True, "in0_in1_dtype.dtype_hi", setup="32=R5", codes=("0", "b"))
    for code, leaf in (("1", "dtype_uint64_illegal_check"), ("c", "dtype_int64_illegal_check")):
        more = {"on": "S", "also": ("TT-V12",), "leaf": leaf}
        yield Row(f"out-64-bit-0x{code}-on-sunda", "TT-V4", TENSOR, f"13=0{code}", "out_dtype",
            "SUNDA's gate has no 64-bit form; the engine rule fails with it", **more)
        yield Row(f"src0-64-bit-0x{code}-on-sunda", "TT-V5", TENSOR, f"12=a{code}", "in0_in1_dtype.dtype_lo",
            "SUNDA's gate has no 64-bit form; the engine rule fails with it", **more)
        yield Row(f"src1-64-bit-0x{code}-on-sunda", "TT-V6", TENSOR, f"12={code}6", "in0_in1_dtype.dtype_hi",
            "SUNDA's gate has no 64-bit form; the engine rule fails with it", **more)
        yield Row(f"out-64-bit-0x{code}", "TT-V12", TENSOR, f"13=0{code}", "out_dtype",
            "64-bit integers belong to another engine", on="CMV")
        yield Row(f"src0-64-bit-0x{code}", "TT-V12", TENSOR, f"12=a{code}", "in0_in1_dtype",
            "64-bit integers belong to another engine", on="CMV")
        yield Row(f"src1-64-bit-0x{code}", "TT-V12", TENSOR, f"12={code}6", "in0_in1_dtype",
            "64-bit integers belong to another engine", on="CMV")
        yield Row(f"bitvec-64-bit-0x{code}", "TT-V12", TENSOR_BITS, f"12={code}{code} 13=0{code}", "in0_in1_dtype",
            "64-bit integers belong to another engine, bit vectors too", on="CMV", confidence="M")
        yield Row(f"bitvec-64-bit-shift-0x{code}", "TT-V12", TENSOR_BITS, f"12=9{code} 13=0{code}", "in0_in1_dtype",
            "a shift of a 64-bit src0 by UINT32 passes the dtype rule, not the engine rule", "12=99 13=09 14=10", "CMV",
            confidence="M")
    yield Row("bitvec-out-fp4", "TT-V4", TENSOR_BITS, "13=10", "out_dtype",
        "the gate; not an integer and unequal besides", "48=R5", also=("TT-V9", "TT-V10"), leaf=DTYPE_FAULTS["10"])
    yield Row("bitvec-src0-fp32r", "TT-V5", TENSOR_BITS, "12=9b", "in0_in1_dtype.dtype_lo",
        "FP32R source; unequal besides", "12=99 13=09", also=("TT-V10",), leaf="dtype_fp32r_illegal_check")
    for base, name in ((TENSOR, "arith"), (TENSOR_BITS, "bitvec")):
        for code, on in LATER_CODES:
            yield Row(f"{name}-op-unassigned-0x{code}", "TT-V7", base, f"14={code}", "op",
                "no ALU code of this generation; the class rule fails with it", on=on, also=("TT-V8",))
    for code, on in (("07", ALL), ("1d", ALL), ("0a", ALL), ("01", ALL), ("10", ALL), ("1c", ALL), ("ce", "CMV"),
        ("de", "CMV"), ("e1", "CMV"), ("24", "V")):
        yield Row(f"arith-op-0x{code}", "TT-V8", TENSOR, f"14={code}", "op",
            "not an arithmetic code of this instruction", on=on, confidence="M" if code == "24" else "H")
    for code, on in (("04", ALL), ("08", ALL), ("1c", ALL), ("1d", ALL), ("c4", ALL), ("22", INDIRECT), ("24", "V")):
        also = ("TT-V12",) if code == "c4" else ()  # the engine rule bars integer codes; UINT8 passes the sign rule
        yield Row(f"bitvec-op-0x{code}", "TT-V8", TENSOR_BITS, f"14={code}", "op", "not a general bit-vector code",
            on=on, also=also)
    yield Row("bitvec-all-fp32", "TT-V9", TENSOR_BITS, "12=aa 13=0a", "out_dtype", "equal dtypes, but not integers",
        "12=99 13=09")
    yield Row("bitvec-all-bf16", "TT-V9", TENSOR_BITS, "12=66 13=06", "out_dtype", "equal dtypes, but not integers",
        "12=55 13=05")
    yield Row("bitvec-out-fp32", "TT-V9", TENSOR_BITS, "13=0a", "out_dtype",
        "not an integer, and unequal to the sources", also=("TT-V10",))
    yield Row("bitvec-out-fp32r", "TT-V9", TENSOR_BITS, "13=0b", "out_dtype",
        "FP32R passes the gate, is no integer and unequal", also=("TT-V10",))
    yield Row("bitvec-out-int8", "TT-V10", TENSOR_BITS, "13=02", "out_dtype", "one dtype for all three")
    yield Row("bitvec-src1-int8", "TT-V10", TENSOR_BITS, "12=23", "in0_in1_dtype", "one dtype for all three")
    yield Row("bitvec-src0-uint16", "TT-V10", TENSOR_BITS, "12=35", "in0_in1_dtype", "one dtype for all three")
    yield Row("bitvec-uint16-shift-by-uint32", "TT-V10", TENSOR_BITS, "12=95", "in0_in1_dtype",
        "the shift exception wants a 64-bit src0", "12=55 13=05 14=10")
    yield Row("bitvec-uint64-shift-by-uint16", "TT-V10", TENSOR_BITS, "12=51 13=01", "in0_in1_dtype",
        "the shift exception wants UINT32 counts; the engine rule bars 64 bits anyway", "12=55 13=05 14=10", "CMV",
        also=("TT-V12",))
    yield Row("bitvec-uint64-shift-on-sunda", "TT-V10", TENSOR_BITS, "12=91 13=01", "in0_in1_dtype",
        "SUNDA has no shift exception; its gates and the engine rule bar 64 bits anyway", "12=99 13=09 14=10", "S",
        also=("TT-V4", "TT-V5", "TT-V12"))
    for code, on, dtypes in (("c4", ALL, ""), ("1b", ALL, ""), ("cf", "CMV", ""), ("d5", "CMV", "12=88 13=08"),
        ("cf", "CMV", "12=99 13=09"), ("c4", ALL, "12=98 13=08"), ("c4", ALL, "12=88 13=09")):
        suffix = "fp" if not dtypes else dtypes.replace("12=", "pair-").replace(" 13=", "-out-")
        yield Row(f"int-op-0x{code}-{suffix}", "TT-V11", TENSOR, f"14={code}", "op",
            "all dtypes have the sign of the code; the engine rule fails with it", dtypes, on=on, also=("TT-V12",))
    for code, on, dtypes in (("c4", ALL, "12=88 13=08"), ("c4", ALL, "12=99 13=09"), ("c5", ALL, "12=22 13=02"),
        ("1b", ALL, "12=88 13=08"), ("cf", "CMV", "12=88 13=08"), ("d5", "CMV", "12=99 13=09"),
        ("c7", "CMV", "12=44 13=04")):
        yield Row(f"int-op-0x{code}-{dtypes.replace('12=', 'pair-').replace(' 13=', '-out-')}", "TT-V12", TENSOR,
            f"14={code}", "op", "integer codes run on another engine", dtypes, on=on)
    yield Row("pow", "TT-V12", TENSOR, "14=1a", "op", "POW runs on another engine")
    yield from channel_rows("TT-V13", TENSOR, 15, "16=R5 32=R6 48=R7")
    yield from channel_rows("TT-V13", TENSOR_BITS, 15, "16=R5 32=R6 48=R7", label="bitvec-")
    yield from tile_rows("TT-V13", TENSOR)
    yield from tile_rows("TT-V13", TENSOR_BITS, "bitvec-")
    operands = three_pattern_operands(
        TENSOR,
        src0_align=(("bf16", "", "01"), ("fp32", "12=aa", "02"), ("int32", "12=a8", "01")),
        src1_align=(("fp32", "", "02"), ("bf16", "12=66", "01"), ("uint16", "12=56", "03")),
        dst_align=(("bf16", "13=06", "01"), ("fp32", "", "02"), ("fp32r", "13=0b", "01")),
        start=("TT-V14a", "TT-V14b", "TT-V14c"), pattern=("TT-V15a", "TT-V15b", "TT-V15c"),
        counts=("TT-V16", "TT-V17"), quadrants=("TT-V19", "TT-V20"),
    )  # fmt: skip
    for operand in operands:
        yield from pattern_rows(operand)
        yield from start_rows(operand)
    yield Row("bitvec-dst-psum-uint8", "TT-V15c", TENSOR_BITS, "51=02", "dst_mem_pattern",
        "PSUM takes 4-byte elements only", on=OLD)
    yield Row("dst-psum-fp8-exp5", "TT-V15c", TENSOR, "13=0f", "out_dtype", "PSUM takes 4-byte elements only",
        "48=P0.300", OLD)
    for code in ("19", "1f"):
        yield Row(f"out-cptc-0x{code}", "TT-V15c", TENSOR, f"13={code}", "out_dtype",
            "a CPTC code passes the dtype gate and is never aligned", on=INDIRECT, confidence="M")
    yield from count_rows_three("TT-V16", "TT-V17", TENSOR)
    yield from partition_pair_rows("TT-V18", TENSOR, 16, 32, "src1_mem_pattern.start_addr", ("TT-V14a", "TT-V14b"))
    yield from gathered_pair_rows("TT-V18", TENSOR)
    yield from quadrant_rows("TT-V19", "TT-V20", ("src0", "src0_mem_pattern", 16), ("dst", "dst_mem_pattern", 48),
        TENSOR, apart="32=R7")


FAMILIES = {  # file: (what, sources, rows)
    "tensor_scalar": ("TENSOR_SCALAR 0x43, 0x53 and 0x93",
        "isa/03 sections 4.3, 4.4; 01 sections 7.4, 9", tensor_scalar),
    "tensor_scalar_ptr": ("TENSOR_SCALAR_PTR 0x44 and 0x54",
        "isa/03 section 4.5; 01 sections 7.4, 9", tensor_scalar_ptr),
    "tensor_tensor": ("TENSOR_TENSOR 0x41 and 0x51",
        "isa/03 section 5.3; 01 section 9", tensor_tensor),
}

CLASS = "a code outside the generation's enum, or one of the three barred codes, is in no class either"

UNBREAKABLE = (
    *((rule, "opcode", (), OPCODE) for rule in ("TS-V3", "PTR-V3", "TT-V3")),
    *((f"{p}-V4{part}", "never-alone", (f"{p}-V4d", f"{p}-V4e"), CLASS) for p in ("TS", "PTR") for part in "abc"),
    ("TS-V14", "shadowed", ("TS-V4a",), "repeats TS-V4a"),
    ("TS-V18a", "shadowed", ("TS-V8",), REPEAT),
    ("TS-V18b", "shadowed", ("TS-V8",), REPEAT),
    ("PTR-V15a", "shadowed", ("PTR-V6",),
        "both pointers are tested against the channel count, so 0 and 129 channels fail PTR-V6 first; MAVERICK's tile "
        "flags are not modelled, which is no failure"),
    ("PTR-V15d", "shadowed", ("PTR-V9",), REPEAT),
    ("PTR-V15e", "shadowed", ("PTR-V9",), REPEAT),
    ("TT-V7", "never-alone", ("TT-V8",), "a code outside the generation's enum is in no class either"),
    ("TT-V11", "never-alone", ("TT-V12",), "asked of integer codes only, and the engine rule bars every integer code"),
)  # fmt: skip

PARTS = (
    ("tensor_scalar_tensor_chk", "indirect_dst_size_limit_m3d", "the limit is open; the default is none"),
    ("has_valid_active_channel_range_with_tile", "inst_flags != 0",
        "not modelled: neither legal nor illegal; cases with not_modelled"),
    ("tensor_start_addr_valid", "V8, V9",
        "every operand of these families may be in PSUM and in SBUF; only an index list is confined (SBUF)"),
    ("tensor_start_addr_valid", "V7", "an address in no region fails the start rule too; cases with also"),
    ("tensor_start_addr_valid", "V10 for 8-byte dtypes",
        "an 8-byte output dtype fails a dtype rule or the engine rule of every family here"),
)
