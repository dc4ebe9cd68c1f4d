"""For each offered alternative: a program on which it changes the verdict or the result.

default, changed: what becomes of the program (records.outcome) under the default and under the alternative.
Expectations follow isa/00 and the pages its rows point to; only the fields that matter are written, everything else is
the plainest legal record.
"""

from dataclasses import dataclass, field

from tests.unit.records import (
    BF16,
    DST,
    FP32,
    FP32R,
    INT8,
    INT32,
    SRC,
    SRC1,
    UINT8,
    UINT32,
    copy_scalar,
    floats,
    gather,
    grouped,
    pattern,
    pool,
    read_accumulator,
    record,
    select_reduce,
    tensor_scalar,
    two_sources,
)

ONE, TWO, INF, NAN = 0x3F80_0000, 0x4000_0000, 0x7F80_0000, 0x7FC0_0000
ADD, MAX, OR, LSL, ASR, LSR, ABS, RSQRT, RELU, CLAMP, ADD_INT = 4, 8, 0x0E, 0x10, 3, 0x11, 0x19, 0x1D, 0x22, 0x24, 0xC4
E4M3, E5M2, E2M5 = 0x0E, 0x0F, 0x11
INDIRECT, REGISTER, SHAPE = 0x2000_0000, 0x8000_0000, 0x4000_0000
Q1 = 0x80_0000  # the address of partition 32, byte 0, before MAVERICK


@dataclass(frozen=True)
class Case:
    """One alternative at work. size, partition: how many bytes are looked at, and where. accumulators: lanes looked
    at.
    """

    id: str
    value: str
    generation: str
    program: bytes
    default: str
    changed: str
    memory: list = field(default_factory=list)
    registers: dict = field(default_factory=dict)
    start: list | None = None
    size: int = 4
    partition: int = 0
    accumulators: int = 0
    note: str = ""


def one(*words):
    """fp32 words at SRC of partition 0."""
    return [(0, 0, floats(*words))]


def raw(hexadecimal, byte=0, partition=0):
    return [(partition, byte, bytes.fromhex(hexadecimal))]


WRITE_ONE = tensor_scalar(ADD, imm0=ONE)  # dst = 0 + 1.0

RECORDS = [
    Case("maverick-inst-flags-byte", "byte-2", "MAVERICK", tensor_scalar(0, header__debug_cmd=1), "00000000", "TS-V16"),
    Case("maverick-tile-range", "ignore-flags", "MAVERICK", tensor_scalar(0, header__debug_hint=1), "TS-V16",
         "00000000"),
    Case("event-modes", "printed-codes-only", "SUNDA", tensor_scalar(0, events__wait_mode=8), "00000000", "TS-V2"),
    Case("sunda-dve-roster", "default-tables", "SUNDA", read_accumulator(), "0000803f", "X1", start=[ONE]),
    Case("cayman-dve-roster", "default-tables", "CAYMAN", bytes((0xF0, 16)) + bytes(62), "X1",
         "has_extended_inst_opcode"),
    Case("control-record-body", "must-be-zero", "CAYMAN", record(0xA4, body0=1), "00000000", "CTL-V1"),
    Case("control-record-body", "must-be-zero", "CAYMAN", record(0xA0, body1=1), "00000000", "ES-V3"),
    Case("control-halt", "ignored", "CAYMAN", record(0xA1) + WRITE_ONE, "00000000", "0000803f"),
    Case("control-register-ops", "skip", "CAYMAN", record(0xA7, dtype=UINT32) + WRITE_ONE, "not modelled", "0000803f"),
    Case("pseudo-records", "skip", "CAYMAN", bytes((0xC1, 16)) + bytes(62) + WRITE_ONE, "X1", "0000803f"),
]  # fmt: skip

REGISTER_SRC = tensor_scalar(0, src=pattern(REGISTER | 5))
NARROW_PSUM = tensor_scalar(0, dtypes=(FP32, BF16), dst=pattern(0x200_0000))
PSUM_INDEX = tensor_scalar(0, src=gather(INDIRECT | 0x200_0000, 0x200_1000, 1))
GATHER2 = tensor_scalar(0, src=gather(INDIRECT | 0x200, 0, 2), dst=pattern(DST, (2,)))
GATHER17 = tensor_scalar(0, src=gather(INDIRECT | 0x200, 0, 17), dst=pattern(DST + 64, (17,), (-1,)))
FAR_INDEX = tensor_scalar(0, dst=gather(INDIRECT | Q1, Q1 + DST, 1))

MEMORY = [
    Case("start-partition-table", "any", "CAYMAN", tensor_scalar(0, src=pattern(5 * 0x40000)), "TS-V17a", "0000803f",
         raw("0000803f", 0, 5)),
    Case("start-partition-table", "any", "CAYMAN", REGISTER_SRC, "execution error", "0000803f", raw("0000803f", 0, 5),
         {5: 5 * 0x40000}, note="the same on an address from a register"),
    Case("psum-narrow-write", "accept", "CAYMAN", NARROW_PSUM, "TS-V8", "00000000"),
    Case("partial-overlap", "error", "CAYMAN", tensor_scalar(0, dst=pattern(4, (2,)), count=2), "00000000",
         "execution error"),
    Case("duplicate-destination", "first-wins", "CAYMAN", tensor_scalar(0, dst=pattern(DST, (2,), (0,)), count=2),
         "00000040", "0000803f", one(ONE, TWO)),
    Case("register-address-checks", "never", "CAYMAN", REGISTER_SRC, "execution error", "0000803f",
         raw("0000803f", 2), {5: 2}, note="FP32 at byte 2"),
    Case("shape-register", "treat-as-static", "CAYMAN", tensor_scalar(0, src=pattern(SHAPE)), "not modelled",
         "0000803f",
         one(ONE)),
    Case("shape-marker-on-sunda", "reject", "SUNDA", tensor_scalar(0, src=pattern(SHAPE)), "0000803f", "TS-V8",
         one(ONE)),
    Case("indirect-marker-in-plain-pattern", "ignore-bit", "CAYMAN", tensor_scalar(0, src=pattern(INDIRECT)), "TS-V8",
         "0000803f", one(ONE)),
    Case("s3s3d3-indirect", "no-operand", "MARIANA",
         two_sources(0x41, (FP32, FP32, FP32), src0=gather(INDIRECT | 0x200, 0, 1)), "0000803f", "TT-V15a", one(ONE)),
    Case("s3s3d3-indirect", "all-operands", "MARIANA",
         two_sources(0x41, (FP32, FP32, FP32), op=ADD, src1=gather(INDIRECT | 0x200, SRC1, 1)), "TT-V15b", "0000803f",
         one(ONE)),
    Case("indirect-index-dtype", "uint32", "MARIANA", GATHER17, "0000803f", "00000040",
         one(ONE, TWO) + raw("0000000001000000", 0x200),
         note="entry 16 is in partition 0 behind entry 0, at 0x202 or 0x204"),
    Case("indirect-index-layout", "per-partition", "MARIANA", GATHER2, "0000803f00000040", "0000803f0000803f",
         one(ONE, TWO) + [(1, 0x200, b"\1\0")], size=8, note="entry 1 is in partition 1, or behind entry 0"),
    Case("indirect-index-out-of-range", "clamp", "MARIANA",
         tensor_scalar(0, src=gather(INDIRECT | 0x200, 0x40, 1)), "execution error", "0000803f",
         [(0, 0x200, b"\xff\xff"), (0, 0x3FFFC, floats(ONE))]),
    Case("indirect-index-region", "sbuf-or-psum", "MARIANA", PSUM_INDEX, "TS-V8", "00000000"),
    Case("indirect-src-dst-quadrant", "dst-own-index", "MARIANA", FAR_INDEX, "TS-V20", "0000803f", one(ONE),
         partition=32),
    Case("indirect-src-dst-quadrant", "no-rule", "MARIANA", FAR_INDEX, "TS-V20", "0000803f", one(ONE), partition=32),
    Case("immediate-register-bound", "256-registers", "CAYMAN", tensor_scalar(ADD, imm0_src=2, imm0=100), "TS-V6",
         "execution error", note="legal, but there is no such register to set"),
    Case("narrow-immediate-high-bytes", "reject", "CAYMAN", copy_scalar(UINT8, src0_imm=0x1234), "34000000", "CPS-V5"),
]  # fmt: skip

DTYPES = [
    Case("extended-dtype-codes", "reject-all", "MAVERICK", tensor_scalar(0, dtypes=(E2M5, FP32)), "00000000", "TS-V12"),
    Case("dtype-64-small-codes", "chain-as-printed", "MARIANA", two_sources(0x41, (FP32, FP32, 0x10)), "TT-V4",
         "not modelled"),
    Case("fp8-e2m5-format", "inf-nan-at-top", "MAVERICK", tensor_scalar(0, dtypes=(E2M5, FP32)), "00008040", "0000807f",
         raw("60"), note="0x60 is 4.0, or infinity"),
    Case("fp8-e2m5-format", "not-modelled", "MAVERICK", tensor_scalar(0, dtypes=(E2M5, FP32)), "00008040",
         "not modelled", raw("60")),
    Case("fp8-e4m3-variant", "ieee-240", "MARIANA", tensor_scalar(0, dtypes=(E4M3, FP32)), "00008043", "0000807f",
         raw("78"), note="0x78 is 256, or infinity"),
    Case("fp8-e4m3-variant", "fn-448", "SUNDA", tensor_scalar(0, dtypes=(E4M3, FP32)), "0000807f", "00008043",
         raw("78")),
    Case("fp8-mode-mariana", "ocp-no-saturate", "MARIANA", tensor_scalar(0, dtypes=(FP32, E4M3)), "7e", "7f",
         one(0x447A_0000), size=1, note="1000 does not fit"),
    Case("fp8-mode-mariana", "legacy", "MARIANA", tensor_scalar(0, dtypes=(FP32, E4M3)), "7e", "78", one(0x447A_0000),
         size=1),
    Case("fp8-underflow-half-step", "flush-to-zero", "CAYMAN", tensor_scalar(0, dtypes=(FP32, E5M2)), "01", "00",
         one(0x3740_0000), size=1, note="0.75 * 2^-16"),
    Case("float-to-int-rounding", "truncate-saturate", "CAYMAN", tensor_scalar(0, dtypes=(FP32, INT8)), "02", "01",
         one(0x3FC0_0000), size=1, note="1.5"),
    Case("float-to-int-rounding", "truncate-wrap", "CAYMAN", tensor_scalar(0, dtypes=(FP32, INT8)), "7f", "2c",
         one(0x4396_0000), size=1, note="300"),
    Case("float-to-int-nan", "zero", "CAYMAN", tensor_scalar(0, dtypes=(FP32, INT32)), "00000080", "00000000",
         one(NAN | 1 << 31)),
    Case("float-to-int-nan", "max", "CAYMAN", tensor_scalar(0, dtypes=(FP32, INT32)), "00000080", "ffffff7f",
         one(NAN | 1 << 31)),
    Case("fp32-subnormals", "flush", "CAYMAN", tensor_scalar(ADD), "01000000", "00000000", one(1)),
    Case("nan-code-on-narrowing", "quiet-positive", "CAYMAN", tensor_scalar(0, dtypes=(FP32, BF16)), "c0ff", "c07f",
         one(NAN | 1 << 31), size=2),
    Case("nan-results", "always-canonical", "CAYMAN", tensor_scalar(ADD, imm0=ONE), "2301c07f", "0000c07f",
         one(NAN | 0x123)),
    Case("fp32r-mantissa-bits", "10", "CAYMAN", tensor_scalar(0, dtypes=(FP32, FP32R)), "0010803f", "0000803f",
         one(ONE | 0x1000)),
    Case("fp32r-mantissa-bits", "13", "CAYMAN", tensor_scalar(0, dtypes=(FP32, FP32R)), "0000803f", "0004803f",
         one(ONE | 0x555)),
    Case("equal-dtype-conversion", "via-fp32", "CAYMAN", two_sources(0x99, (UINT8, BF16, BF16)), "817f", "c07f",
         raw("01") + raw("817f", SRC1), size=2, note="a signalling NaN"),
    Case("bypass-equal-dtypes", "raw-bits", "CAYMAN", tensor_scalar(0, dtypes=(BF16, BF16)), "c07f", "817f",
         raw("817f"),
         size=2),
    Case("bypass-equal-dtypes", "raw-bits", "CAYMAN", two_sources(0x41, (BF16, FP32, BF16)), "c07f", "817f",
         raw("817f"),
         size=2),
]  # fmt: skip

NOT, U8 = 1, (UINT8, UINT8)
ALU = [
    Case("max-nan", "select", "CAYMAN", tensor_scalar(MAX, imm0=NAN), "0000803f", "0000c07f", one(ONE)),
    Case("max-nan", "propagate", "CAYMAN", tensor_scalar(MAX, imm0=ONE), "0000803f", "0000c07f", one(NAN)),
    Case("max-signed-zero", "right-operand", "CAYMAN", tensor_scalar(MAX, imm0=1 << 31), "00000000", "00000080"),
    Case("logical-nan-truth", "nan-is-false", "CAYMAN", tensor_scalar(OR), "0000803f", "00000000", one(NAN)),
    Case("relu-edge", "keep", "MARIANA", tensor_scalar(RELU), "00000000", "00000080", one(1 << 31)),
    Case("rsqrt-accuracy", "not-modelled", "CAYMAN", tensor_scalar(RSQRT), "0000003f", "not modelled",
         one(0x4080_0000)),
    Case("symmetric-clamp", "accept-header-formula", "MAVERICK", tensor_scalar(CLAMP, imm0=TWO), "TS-V4e", "000040c0",
         one(0xC040_0000), note="sign(-3) * max(3, 2)"),
    Case("symmetric-clamp", "accept-clamp", "MAVERICK", tensor_scalar(CLAMP, imm0=TWO), "TS-V4e", "000000c0",
         one(0xC040_0000), note="sign(-3) * min(3, 2)"),
    Case("shift-count-range", "modulo-32", "CAYMAN", two_sources(0x51, (UINT32,) * 3, op=LSL), "00000000", "02000000",
         one(1) + [(0, SRC1, floats(33))]),
    Case("bitvec-lane-width", "dtype-width", "CAYMAN", tensor_scalar(NOT, LSR, opcode=0x53, dtypes=U8, imm1=4), "ff",
         "0f",
         size=1, note="~0 >> 4"),
    Case("arith-shift-right-narrow", "32-bit-lane", "CAYMAN", two_sources(0x51, (INT8,) * 3, op=ASR), "c0", "40",
         raw("80") + raw("01", SRC1), size=1),
    Case("ts-op1-bypass-reversed", "left-operand", "CAYMAN", tensor_scalar(ADD, imm0=ONE, imm1=TWO, reverse_operands=2),
         "0000803f", "00000040"),
    Case("reversed-unary-op", "stream-operand", "CAYMAN", tensor_scalar(ABS, imm0=0xC000_0000, reverse_operands=1),
         "00000040", "0000803f", one(ONE | 1 << 31)),
    Case("int-tensor-scalar-dtypes", "type-error", "MAVERICK", tensor_scalar(ADD_INT), "not modelled", "TS-V5"),
    Case("int-tensor-scalar-immediate", "raw-int32", "MAVERICK", tensor_scalar(ADD_INT, dtypes=(INT32,) * 2, imm0=TWO),
         "03000000", "01000040", one(1)),
    Case("int-tensor-tensor-on-dve", "accept-dve-subset", "MAVERICK", two_sources(0x41, (INT32,) * 3, op=ADD_INT),
         "TT-V12",
         "not modelled"),
    Case("transpose-scalar-lane", "source-lane", "CAYMAN",
         tensor_scalar(ADD, opcode=0x93, count=32, channels=32, imm0_src=1, imm0=0x800), "0000803f0000803f",
         "0000803f00000040", [(0, 0x800, floats(ONE)), (1, 0x800, floats(TWO))], size=8),
]  # fmt: skip

PREDICATED = [
    Case("predicate-dtype-set", "nki-list", "CAYMAN", two_sources(0x72, (INT8, FP32, FP32)), "00000000", "CP-V7"),
    Case("predicate-dtype-set", "nki-list", "CAYMAN", select_reduce((UINT32, FP32, FP32)), "00000000", "SR-V8"),
    Case("merge-of-unselected", "zero", "CAYMAN", two_sources(0x72, (UINT8, FP32, FP32)), "0000803f", "00000000",
         [(0, DST, floats(ONE))]),
    Case("cps-polarity", "write-where-true", "CAYMAN", copy_scalar(FP32, src0_imm=ONE), "0000803f", "00000000"),
    Case("select-reduce-false-lanes", "fill", "CAYMAN", select_reduce(imm0=TWO), "0000803f ff800000",
         "00000040 40000000",
         [(0, DST, floats(ONE))], accumulators=1),
    Case("select-reduce-reverse", "no-effect", "CAYMAN", select_reduce(reverse_operands=1), "00000000 ff800000",
         "0000803f 3f800000", raw("01") + [(0, SRC1, floats(ONE))], accumulators=1),
    Case("select-reduce-idle", "keep-tainted", "CAYMAN", select_reduce(cmd=0), "00000040 40000000?",
         "00000040 3f800000?",
         raw("01") + [(0, SRC1, floats(TWO))], start=[ONE], accumulators=1),
    Case("select-reduce-output-conversion", "raw-bits", "CAYMAN", select_reduce((UINT8, BF16, FP32)), "0000803f",
         "803f0000",
         raw("01") + raw("803f", SRC1)),
    Case("accumulator-initial", "error", "CAYMAN", read_accumulator(), "00000000", "execution error"),
    Case("accumulator-lane", "absolute-partition", "CAYMAN", read_accumulator(address=Q1 + DST), "0000803f", "00000000",
         start=[ONE], partition=32),
    Case("accumulator-read-effect", "cleared", "CAYMAN", read_accumulator(), "0000803f 3f800000", "0000803f 00000000",
         start=[ONE], accumulators=1),
    Case("accumulator-reset-value", "zero", "CAYMAN", select_reduce(), "000080bf bf800000", "000080bf 00000000",
         raw("01") + [(0, SRC1, floats(ONE | 1 << 31))], accumulators=1),
    Case("accumulator-reset-value", "fp32-lowest-for-max", "CAYMAN", select_reduce(), "000080ff ff800000",
         "000080ff ff7fffff", raw("01") + [(0, SRC1, floats(INF | 1 << 31))], accumulators=1),
    Case("fold-cast-point", "after-conversion", "CAYMAN", select_reduce((UINT8, FP32, BF16)), "803f 3f808000",
         "803f 3f800000", raw("01") + [(0, SRC1, floats(0x3F80_8000))], size=2, accumulators=1),
]  # fmt: skip

SUB, THIRD = 5, 0x3EAA_AAAB
PAIRS = {"src0": pattern(SRC, (2, 1, 1), (1, 2, 2)), "src1": pattern(SRC1, (2, 1, 1), (1, 2, 2))}
MASK_32 = record(0x69, immediate=b"\x28" + bytes(range(1, 32)))  # byte 0 is 40
MASK_KEEP = record(0x69, immediate=b"\xff" + bytes(range(1, 32)))
TILE = {"counts": (32,), "kept": (32,), "dtypes": U8, "channels": 32}
SHORT = {"counts": (32,), "kept": (1,), "dtypes": U8, "channels": 32}

GROUPS = [
    Case("tensor-reduce-operand-order", "element-first", "CAYMAN", grouped(0x42, (2,), (1,), op=SUB), "000080bf",
         "0000803f", one(ONE, TWO)),
    Case("tensor-reduce-seed", "identity", "CAYMAN", grouped(0x42, (2,), (1,), op=ADD), "00000080", "00000000",
         one(1 << 31, 1 << 31), note="-0 + -0, or 0 + -0 + -0"),
    Case("tensor-reduce-seed", "identity", "CAYMAN", grouped(0x52, (2,), (1,), op=LSL, dtypes=(UINT32,) * 2),
         "04000000", "not modelled", one(1, 2), note="a shift has no identity"),
    Case("unary-op-in-fold", "element", "CAYMAN", grouped(0x42, (2,), (1,), op=ABS), "0000803f", "00000040",
         one(ONE | 1 << 31, TWO | 1 << 31)),
    Case("unary-op-in-fold", "element", "CAYMAN", grouped(0x5E, (3,), (3,), op=NOT, dtypes=U8), "00ff00", "00fefd",
         raw("000102"), size=3),
    Case("undefined-alu-codes", "compute-where-defined", "CAYMAN",
         grouped(0x4E, (2,), (2,), op=ADD_INT, dtypes=(INT32,) * 2), "not modelled", "ffffff7f00000080",
         one(0x7FFF_FFFF, 1), size=8),
    Case("pool-scale-order", "scale-each", "CAYMAN", pool(0x45, 3, 2, scale=THIRD), "abaa6a40", "acaa6a40",
         one(0x4040_0000, 0x4080_0000, 0x4080_0000), note="3, 4 and 4 over 3"),
    Case("max-pool-select-on-dve", "not-wired", "CAYMAN", pool(0x58, 2, 0, dtypes=(FP32, UINT8)), "01", "not modelled",
         one(ONE, TWO), size=1),
    Case("sunda-bf16-engine", "pool", "SUNDA", two_sources(0x8A, (BF16, BF16, FP32), op=ADD, count=2, **PAIRS),
         "0000803f", "X1", raw("803f")),
    Case("mask-byte-32-63", "error", "CAYMAN", MASK_32 + grouped(0x6A, **TILE), "07", "execution error",
         [(0, DST, b"\7")], size=1),
    Case("transpose-mask-enable", "no-effect", "CAYMAN", MASK_KEEP + grouped(0x6B, **TILE, mask_enable=1), "07", "05",
         raw("05") + [(0, DST, b"\7")], size=1),
    Case("transpose-short-destination", "error", "CAYMAN", grouped(0x6B, **SHORT), "05", "execution error", raw("05"),
         size=1),
]  # fmt: skip

CASES = [*RECORDS, *MEMORY, *DTYPES, *ALU, *PREDICATED, *GROUPS]
