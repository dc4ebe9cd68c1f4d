"""The cases of assumption_cases.py for the batch-norm, random, sparsity, microscaling and stub instructions."""

import numpy as np

from tests.unit.assumption_cases import ADD, E4M3, ONE, TWO, Case, one, raw
from tests.unit.records import DST, FP16, FP32, SRC1, UINT8, UINT32, floats, pattern, record

ABS_MAX, MAX_OF_GROUP, MINUS_FOUR, THREE = 0x21, 0x09, 0xC080_0000, 0x4040_0000
AWAY = 0x800  # where an operand goes that a case does not look at


def stats(dst):
    """0x61 on four elements."""
    return record(
        0x61, src_mem_pattern=pattern(0, (4,), dims=4), dst_mem_pattern=pattern(dst, (6,), dims=2), in_dtype=FP32,
        out_dtype=FP32, num_active_channels=1,
    )  # fmt: skip


PARAMETERS = record(
    0x8E, src_mem_pattern=pattern(AWAY, (2,), dims=2), element_count=ONE, src_dtype=FP32, immediate_dtype=FP32,
    num_active_channels=1, imm0_ptr=AWAY + 8, imm1_ptr=AWAY + 12,
)  # fmt: skip
BACK_PROP = record(
    0x65, in0_in1_dtype=FP32 | FP32 << 4, out_dtype=FP32, num_active_channels=1, src0_mem_pattern=pattern(),
    src1_mem_pattern=pattern(SRC1), dst_mem_pattern=pattern(DST),
)  # fmt: skip


def rand2(dst, dtype=FP32, bounds=0):
    """0xE2 on one element."""
    return record(
        0xE2, rand_algorithm=3, post_process=1, dtype=dtype, num_active_channels=1, min=bounds, max=bounds,
        dst_mem_pattern=pattern(dst),
    )  # fmt: skip


def get_state(dst):
    """0x77: the 24 words of XORWOW."""
    return record(
        0x77, rand_algorithm=3, rand_generator=1, dtype=UINT32, num_active_channels=1,
        dst_mem_pattern=pattern(dst, (24,), dims=4),
    )  # fmt: skip


def winners(op, count, data, tag):
    """0xE1 on one group."""
    return record(
        0xE1, in_dtype=FP32, src_mem_pattern=pattern(0, (count,), dims=2), out_data_dtype=FP32, out_tag_dtype=UINT8,
        num_active_channels=1, op=op, op_dim=2, data_dst_mem_pattern=pattern(data, (4,), dims=2),
        tag_dst_mem_pattern=pattern(tag, (4,), dims=2),
    )  # fmt: skip


def quantize(data=DST, scale=AWAY, length=16):
    """0xE3 on one column of 32 lanes."""
    return record(
        0xE3, header__inst_word_len=length, src_mem_pattern=pattern(0, (4,)), num_active_channels=32, in_dtype=FP16,
        out_dtype=E4M3, dst_mem_pattern__data_addr=data, dst_mem_pattern__scale_addr=scale, dst_mem_pattern__num=1,
        dst_mem_pattern__step=1,
    )  # fmt: skip


def half(value):
    return raw(np.float16(value).tobytes().hex())


IMMEDIATE = record(0x70, src_mem_pattern=pattern(SRC1, dims=2), dtype=FP32, num_active_channels=1)
MULTI = record(
    0x4F, src_mem_pattern=pattern(dims=4), in_dtype=FP32, out_dtype=FP32, num_active_channels=1, op=ADD, op_dim=4,
    dst_mem_pattern=pattern(DST, dims=4),
)  # fmt: skip
WIDE = record(
    0xF4, in_imm_dtype=UINT32 | UINT32 << 4, out0_out1_dtype=UINT32 | UINT32 << 4, op=0xC4, num_active_channels=1,
    src_mem_pattern=pattern(dims=2), dst0_mem_pattern=pattern(DST, dims=2), dst1_mem_pattern=pattern(AWAY, dims=2),
    imm=1,
)  # fmt: skip

CASES = [
    Case("bn-accumulation", "sum-and-square", "CAYMAN", stats(DST - 8), "0000003f", "00000000",
         one(0x4580_0000, 0, 0x4580_0800), note="4096 and 4097: their squares' sum loses the difference"),
    Case("bn-param-load2-roles", "imm1-mean", "CAYMAN", PARAMETERS + BACK_PROP, "00000040", "0000803f",
         [(0, AWAY + 8, floats(ONE, TWO)), (0, SRC1, floats(ONE))], note="B = C = 0: dst = dy A"),
    Case("rand2-dtypes", "floats-only", "MARIANA", rand2(DST, UINT8, TWO), "02", "R2-V4", size=1),
    Case("xorwow-word-order", "lane-major", "MARIANA", rand2(0x200) + get_state(DST - 20), "01000000", "c6870500",
         note="the sixth word: word 1 of generator 1, or the counter of generator 0, 1 + 362437"),
    Case("sparsity-ranking", "later-index-nan-last-signed", "MARIANA", winners(MAX_OF_GROUP, 6, AWAY, DST), "00010203",
         "05040302", note="six zeros"),
    Case("sparsity-ranking", "earlier-index-nan-last-magnitude", "MARIANA", winners(ABS_MAX, 4, DST - 12, AWAY),
         "000080c0", "00008040", one(MINUS_FOUR, ONE, TWO, THREE)),
    Case("quantize-mx-scale", "emax-minus-1", "MARIANA", quantize(), "78000000", "70000000", half(1)),
    Case("quantize-mx-zero-block", "zero", "MARIANA", quantize(AWAY, DST), "01", "00", size=1),
    Case("quantize-mx-length-byte", "accept-follow-flag", "MARIANA", quantize(), "7e000000", "7f000000", half(511)),
    Case("quantize-mx-length-byte", "only-0x10", "MARIANA", quantize(length=17), "7e000000", "QMX-P1", half(511)),
    Case("stub-opcodes", "documented-loop", "CAYMAN", IMMEDIATE + MULTI, "not modelled", "00004040",
         one(ONE) + [(0, SRC1, floats(TWO))]),
    Case("int-wide-on-dve", "bad-opcode", "MAVERICK", WIDE, "02000000", "X1", one(1)),
]  # fmt: skip
