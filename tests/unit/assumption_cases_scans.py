"""The cases of assumption_cases.py for scalar-tensor-tensor, the two-tensor scan, the cache pair and exponential."""

from tests.unit.assumption_cases import ADD, ONE, TWO, Case, one, raw
from tests.unit.records import BF16, DST, FP32, INT8, INT32, SRC, SRC1, floats, pattern, record, tensor_scalar

BYPASS, SUBTRACT, MULT, MAX, ARITH_RIGHT, LOGICAL_RIGHT, NOT, CLAMP = 0, 5, 6, 8, 3, 0x11, 1, 0x24
ZERO_ACCUMULATE = 3
THREE, TINY = 0x4040_0000, 0x3F80_8000  # 3 and 1 + 2**-8, which BF16 rounds to 1


def two_ops(opcode, op0, op1, *, count=1, dtype=FP32, out=None, cmd=0, channels=1, dst=DST, **fields):
    """0x9D, 0x9E or 0xE5 with an inline scalar."""
    return record(
        opcode, op0=op0, op1=op1, in0_in1_dtype=dtype | dtype << 4, out_dtype=dtype if out is None else out,
        imm0_dtype=dtype, num_active_channels=channels, accumulator_cmd=cmd,
        src0_mem_pattern=pattern(SRC, (count,), dims=2), src1_mem_pattern=pattern(SRC1, (count,), dims=2),
        dst_mem_pattern=pattern(dst, (count,), dims=2), **fields,
    )  # fmt: skip


def cache(opcode, op1, *, op0=BYPASS, cmd=ZERO_ACCUMULATE, **fields):
    """0x9A, 0xE6 or 0x30."""
    return tensor_scalar(op0, op1, opcode=opcode, accumulator_cmd=cmd, **fields)


EXP_ROWS = cache(
    0x30, BYPASS, cmd=ZERO_ACCUMULATE, dtypes=(BF16, FP32), count=4, src=pattern(SRC, (2, 2), (1, 3)),
)  # fmt: skip

CASES = [
    Case("fold-operand-order", "accumulator-first", "CAYMAN", cache(0xE6, SUBTRACT, count=2),
         "0000803f0000803f 3f800000",
         "000080bf000040c0 c0400000", one(ONE, TWO), size=8, accumulators=1, note="2 - (1 - 0), or (0 - 1) - 2"),
    Case("fold-operand-order", "accumulator-first", "CAYMAN", cache(0x9A, SUBTRACT, count=2), "0000803f 3f800000",
         "0000803f c0400000", one(ONE, TWO), accumulators=1),
    Case("fold-cast-point", "after-conversion", "CAYMAN", cache(0x9A, ADD, dtypes=(FP32, BF16)), "803f 3f808000",
         "803f 3f800000", one(TINY), size=2, accumulators=1),
    Case("fold-cast-point", "after-conversion", "CAYMAN", cache(0xE6, ADD, dtypes=(FP32, BF16)), "803f 3f808000",
         "803f 3f800000", one(TINY), size=2, accumulators=1, note="the element is converted, then folded"),
    Case("fold-cast-point", "after-conversion", "CAYMAN", two_ops(0x9D, BYPASS, ADD, out=BF16, cmd=3), "803f 3f808000",
         "803f 3f800000", one(TINY), size=2, accumulators=1),
    Case("stt-fold-operator", "op1", "CAYMAN", two_ops(0x9D, BYPASS, MULT, count=2, cmd=3), "00000040 40a00000",
         "00000040 40c00000", one(ONE, ONE) + [(0, SRC1, floats(TWO, THREE))], accumulators=1),
    Case("stt-accumulate-and-store", "accumulate-only", "CAYMAN", two_ops(0x9D, BYPASS, ADD, cmd=3),
         "00000040 40000000",
         "00000000 40000000", one(TWO), accumulators=1),
    Case("stt-quadrant-erratum", "strict", "CAYMAN",
         two_ops(0x9D, BYPASS, ADD, cmd=3, channels=32, dst=(32 << 18) + DST),
         "00000000", "STT-V28"),
    Case("cache-int32-output", "reject", "CAYMAN", cache(0x9A, ADD, dtypes=(FP32, INT32)), "01000000", "TSCR-V5",
         one(ONE)),
    Case("cache-int32-output", "reject", "CAYMAN", cache(0xE6, ADD, dtypes=(FP32, INT32)), "01000000", "TSCC-V5",
         one(ONE)),
    Case("scan-state-precision", "dst-dtype", "CAYMAN", two_ops(0xE5, MULT, ADD, count=2, out=BF16, imm0=0x4380_0000),
         "80438143", "80438043", one(ONE, ONE) + [(0, SRC1, floats(ONE, ONE))], note="256 + 1 + 1"),
    Case("exponential-upper-dims", "strict", "MARIANA", EXP_ROWS, "0000803f", "EXP-V8"),
    Case("reversed-unary-op", "stream-operand", "CAYMAN", two_ops(0x9D, BYPASS, ADD, imm0=TWO, reverse_operands=1),
         "00000040", "0000803f", one(ONE)),
    Case("reversed-unary-op", "stream-operand", "CAYMAN", two_ops(0xE5, BYPASS, ADD, imm0=TWO, reverse_operands=1),
         "00000040", "0000803f", one(ONE)),
    Case("bitvec-lane-width", "dtype-width", "CAYMAN", two_ops(0x9E, NOT, LOGICAL_RIGHT, dtype=INT8), "ff", "0f",
         raw("04", SRC1), size=1, note="~0 >> 4"),
    Case("arith-shift-right-narrow", "32-bit-lane", "CAYMAN", two_ops(0x9E, ARITH_RIGHT, BYPASS, dtype=INT8, imm0=1),
         "c0",
         "40", raw("80"), size=1),
    Case("accumulator-idle", "keep", "CAYMAN", two_ops(0x9D, BYPASS, ADD), "00000000 3f800000?", "00000000 3f800000",
         start=[ONE], accumulators=1),
    Case("accumulator-idle", "keep", "MARIANA", cache(0x30, BYPASS, cmd=0), "0000803f 3f800000?", "0000803f 3f800000",
         start=[ONE], accumulators=1),
    Case("accumulator-initial", "error", "CAYMAN", cache(0x9A, ADD, cmd=2), "00000000", "execution error"),
    Case("accumulator-reset-value", "zero", "CAYMAN", cache(0x9A, MULT), "00000040 40000000", "00000040 00000000",
         one(TWO), accumulators=1),
    Case("symmetric-clamp", "accept-clamp", "MAVERICK", cache(0x9A, ADD, op0=CLAMP, imm0=TWO), "TSCR-V4", "00000040",
         one(THREE)),
    Case("symmetric-clamp", "accept-header-formula", "MAVERICK", two_ops(0xE5, CLAMP, ADD, imm0=TWO), "TTS-V11",
         "00004040",
         one(THREE)),
    Case("symmetric-clamp", "accept-clamp", "MAVERICK", two_ops(0x9D, CLAMP, ADD, imm0=TWO), "STT-V13", "00000040",
         one(THREE)),
    Case("max-nan", "select", "CAYMAN", two_ops(0xE5, MAX, BYPASS, imm0=0x7FC0_0000), "0000803f", "0000c07f", one(ONE)),
]  # fmt: skip
