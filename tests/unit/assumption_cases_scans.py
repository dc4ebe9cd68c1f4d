"""The cases of assumption_cases.py for scalar-tensor-tensor, the scan, the cache pair and the exponential."""

from tests.unit.assumption_cases import ADD, ONE, Q1, TWO, Case, one
from tests.unit.records import BF16, DST, FP32, INT32, SRC1, floats, pattern, record, tensor_scalar

SUBTRACT, MULT, ACCUMULATE, ZERO_ACCUMULATE, THREE = 5, 6, 2, 3, 0x4040_0000


def two_d(opcode, op0, op1, *, out=FP32, dst=DST, count=1, cmd=0, imm0=0):
    """0x9D or 0xE5 on FP32 sources."""
    return record(
        opcode, src0_mem_pattern=pattern(0, (count,), dims=2), src1_mem_pattern=pattern(SRC1, (count,), dims=2),
        dst_mem_pattern=pattern(dst, (count,), dims=2), op0=op0, op1=op1, in0_in1_dtype=FP32 | FP32 << 4, out_dtype=out,
        num_active_channels=1, imm0_dtype=FP32, imm0=imm0, accumulator_cmd=cmd,
    )  # fmt: skip


def reduce(op1, *, out=FP32, count=1):
    """0x9A from the operator's identity."""
    return tensor_scalar(0, op1, opcode=0x9A, dtypes=(FP32, out), count=count, accumulator_cmd=ZERO_ACCUMULATE)


def exponential(steps):
    """0x30 on 2 x 2 BF16 zeros."""
    return tensor_scalar(
        0, opcode=0x30, dtypes=(BF16, FP32), src=pattern(0, (2, 2), steps), dst=pattern(DST, (4,)),
        accumulator_cmd=ZERO_ACCUMULATE,
    )  # fmt: skip


BOTH_TWO = [*one(TWO), (0, SRC1, floats(TWO))]
ONES = [(0, at, floats(*[ONE] * 4)) for at in (0, SRC1)]

CASES = [
    Case("fold-operand-order", "accumulator-first", "CAYMAN", reduce(SUBTRACT, count=2), "0000803f 40000000",
         "0000803f c0800000", one(ONE, THREE), accumulators=1, note="3 - (1 - 0), or (0 - 1) - 3"),
    Case("stt-fold-operator", "op1", "CAYMAN", two_d(0x9D, 0, MULT, cmd=ACCUMULATE), "00008040 40e00000",
         "00008040 41400000", BOTH_TWO, start=[THREE], accumulators=1, note="3 + 4, or 3 * 4"),
    Case("stt-accumulate-and-store", "accumulate-only", "CAYMAN", two_d(0x9D, 0, ADD, cmd=ACCUMULATE),
         "00008040 40e00000", "00000000 40e00000", BOTH_TWO, start=[THREE], accumulators=1),
    Case("stt-quadrant-erratum", "strict", "CAYMAN", two_d(0x9D, 0, ADD, dst=Q1 + DST, cmd=ACCUMULATE), "00008040",
         "STT-V28", BOTH_TWO, start=[THREE], partition=32),
    Case("cache-int32-output", "reject", "CAYMAN", reduce(ADD, out=INT32), "02000000", "TSCR-V5", one(TWO)),
    Case("scan-state-precision", "dst-dtype", "CAYMAN",
         two_d(0xE5, MULT, ADD, out=BF16, count=4, imm0=0x4380_0000), "8043814382438243", "8043804380438043", ONES,
         size=8, note="256 plus 1 four times; 257 is 256 in BF16"),
    Case("exponential-upper-dims", "strict", "MARIANA", exponential((1, 3)), "0000803f", "EXP-V8"),
]  # fmt: skip
