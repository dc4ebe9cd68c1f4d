"""The cases of assumption_cases.py for the select, search and dropout instructions."""

from tests.unit.assumption_cases import NAN, ONE, TWO, Case, one
from tests.unit.records import DST, FP32, UINT32, floats, pattern, record

GE, LT = 0x14, 0x16


def range_select(base=0, cmd=3, **fields):
    """One element; kept where 1 <= index < 3. base: fp32 bits."""
    return record(
        0xBC, num_active_channels=1, in_out_dtype=FP32 | FP32 << 4, reduce_cmd=cmd, reduce_op=8, base=base,
        fill_val=0xFF7FFFFF, src_mem_pattern=pattern(dims=2), dst_mem_pattern=pattern(DST, dims=2), comp_op0=GE,
        comp_op1=LT, bound0=ONE, bound1=0x4040_0000, **fields,
    )  # fmt: skip


def dropout(threshold, kind):
    """One element. The generator's first draw after reset is 3."""
    return record(
        0x7F, src_mem_pattern=pattern(), dst_mem_pattern=pattern(DST), in_dtype=FP32, out_dtype=FP32,
        num_active_channels=1, threshold=threshold, threshold_type=kind,
    )  # fmt: skip


def max8(count):
    return record(
        0x6C, src_mem_pattern=pattern(0, (count,), dims=4), dst_mem_pattern=pattern(DST, (8,), dims=2), in_dtype=FP32,
        out_dtype=FP32, num_active_channels=1,
    )  # fmt: skip


def find(dst):
    return record(
        0x6E, src_mem_pattern=pattern(0, (8,), dims=4), dst_mem_pattern=pattern(dst, (8,), dims=2), in_dtype=FP32,
        out_dtype=UINT32, num_active_channels=1,
    )  # fmt: skip


EIGHT_ZEROS = pattern(0, (8,), dims=4)
LOAD = record(0x6D, src_mem_pattern=pattern(0, (8,), dims=2), dtype=FP32, num_active_channels=1)  # eight keys of 0.0
REPLACE = record(
    0x6F, src_mem_pattern=EIGHT_ZEROS, dst_mem_pattern=pattern(0x200, (8,), dims=4), in_dtype=FP32, out_dtype=FP32,
    num_active_channels=1,
)  # fmt: skip
READ = record(
    0xE9, dst_element_count=8, dtype=UINT32, num_active_channels=1, dst_mem_pattern=pattern(DST, (8,), dims=4)
)  # fmt: skip
NINE_AFTER_NAN = [
    (0, 0, floats(NAN, ONE, TWO, *(0x4040_0000 + (k << 20) for k in range(7))))
]  # NaN, 1, 2, then rising from 3
DROP, KEEP = 0, 1

CASES = [
    Case("range-select-compare", "element-value", "CAYMAN", range_select(), "ffff7fff", "0000803f", one(ONE)),
    Case("range-select-base", "truncate", "CAYMAN", range_select(0x3F00_0000), "RS-V10", "ffff7fff", note="0.5"),
    Case("accumulator-idle", "keep", "CAYMAN", range_select(cmd=0), "ffff7fff 3f800000?", "ffff7fff 3f800000",
         start=[ONE], accumulators=1),
    Case("dropout-tie", "strict-both", "CAYMAN", dropout(NAN, DROP), "0000803f", "00000000", one(ONE)),
    Case("dropout-tie", "keep-both", "CAYMAN", dropout(NAN, KEEP), "00000000", "0000803f", one(ONE)),
    Case("dropout-draw-map", "scaled-convert", "CAYMAN", dropout(0x2EDB_E6FF, KEEP), "0000803f", "00000000", one(ONE),
         note="a draw of 3 is 0, or 7e-10, beside 1e-10"),
    Case("lfsr-generator", "injected-only", "CAYMAN", dropout(0, DROP), "0000803f", "not modelled", one(ONE)),
    Case("max8-nan", "skipped", "CAYMAN", max8(10), "00004040", "00000040", NINE_AFTER_NAN,
         note="the smallest of seven numbers beside the NaN, or of eight"),
    Case("match-flags-lifetime", "per-instruction", "CAYMAN", LOAD + find(0x200) + find(DST), "ffffffff", "00000000"),
    Case("find-index-feeds-read-indices", "find-and-replace", "CAYMAN", LOAD + find(0x200) + READ, "ffffffff",
         "00000000"),
    Case("read-indices-order", "slot-7-first", "CAYMAN", LOAD + REPLACE + READ, "00000000", "07000000"),
]  # fmt: skip
