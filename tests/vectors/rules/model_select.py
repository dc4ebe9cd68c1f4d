"""Selects, searches, fills and loads. Source: isa/04 sections 6 to 10, 05 section 9, 06 sections 5.6 to 7.1."""

from math import isnan

from .model_base import (
    FP32,
    FP32R,
    FP_DATAPATH,
    INT6,
    MAX,
    alu_class,
    channels_ok,
    channels_with_tile_ok,
    count_is,
    dtype_gate,
    element_count,
    events_ok,
    f32,
    header_ok,
    immediate_ok,
    pair,
    pattern,
    pattern_ok,
    same_count,
    shape_marker,
    start_ok,
    u16,
    u32,
    width,
)

MATCH_DTYPES = {3, 5, 6, 7, 8, 9, FP32}
COMPARES = {0x12, 0x13, 0x14, 0x15, 0x16}  # IS_EQ, IS_GT, IS_GE, IS_LE, IS_LT
FILL_WIDTHS = {FP32: 32, 9: 32, 8: 32, 5: 16, 4: 16, 6: 16, 7: 16, 3: 8, 2: 8, 0xD: 8, 0xE: 8, 0xF: 8}
BARRED = (0x07, 0x1A, 0x1B)


def tensor_scalar_select(r, g, _):
    n, dtype, pred_dtype = r[33:36]
    src, dst = pattern(r, 16, 3, g), pattern(r, 48, 3, g)
    yield "TSS-V1", header_ok(r)
    yield "TSS-V2", events_ok(r)
    yield "TSS-V4", not any(r[12:16]) and not any(r[36:38])
    yield "TSS-V5", immediate_ok(u32(r, 40), r[38], n, dtype, g)
    yield "TSS-V6", immediate_ok(u32(r, 44), r[39], n, pred_dtype, g)
    yield "TSS-V7", r[39] != 0 or u32(r, 44) in (0, 1)
    yield "TSS-V8", pattern_ok(src, dtype)
    yield "TSS-V9", pattern_ok(dst, dtype, write=True)
    yield "TSS-V10a", start_ok(src, n)
    yield "TSS-V10b", start_ok(dst, n)
    yield "TSS-V11", same_count(src, dst)
    yield "TSS-V12", dtype_gate(dtype, g)
    yield "TSS-V13", pred_dtype in INT6
    yield "TSS-V14", width(dtype) == width(pred_dtype)
    yield "TSS-V14b", r[32] in (0, 1)
    yield "TSS-V15", channels_with_tile_ok(r, n, g)


def index_range_ok(base, src):
    """base is read as a float; NaN, negative and fractional ones are refused (range-select-base)."""
    if isnan(base) or base < 0 or base > 2**24 or base != int(base):
        return False
    return shape_marker(src) or int(base) + element_count(src) <= 2**24


def range_select(r, g, _):
    n, (dtype, out) = r[12], pair(r, 13)
    src, dst = pattern(r, 24, 2, g), pattern(r, 48, 2, g)
    yield "RS-V1", header_ok(r)
    yield "RS-V2", events_ok(r)
    yield "RS-V5", start_ok(src, n)
    yield "RS-V6", start_ok(dst, n)
    yield "RS-V7", pattern_ok(src, dtype)
    yield "RS-V8", pattern_ok(dst, out, write=True)
    yield "RS-V9", same_count(src, dst)
    yield "RS-V10", index_range_ok(f32(r, 16), src)
    yield "RS-V11", dtype in FP_DATAPATH - {FP32R}
    yield "RS-V12", out in FP_DATAPATH
    yield "RS-V13", u32(r, 20) == 0xFF7FFFFF
    yield "RS-V14", r[36] in COMPARES
    yield "RS-V15", r[37] in COMPARES
    yield "RS-V16", immediate_ok(u32(r, 40), r[38], n, FP32, g)
    yield "RS-V17", immediate_ok(u32(r, 44), r[39], n, FP32, g)
    yield "RS-V18", channels_ok(n)
    yield "RS-V19", r[14] in (0, 2, 3)
    yield "RS-V20", r[15] == MAX


def match_replace8(r, g, _):
    dtype, out, n = r[32:35]
    src, dst = pattern(r, 12, 4, g), pattern(r, 44, 4, g)
    yield "MR-V1", header_ok(r)
    yield "MR-V2", events_ok(r)
    yield "MR-V4", not any(r[35:40])
    yield "MR-V5a", dtype_gate(dtype, g)
    yield "MR-V5b", dtype_gate(out, g, fp32r=True)
    yield "MR-V6", {dtype, out} <= MATCH_DTYPES
    yield "MR-V7", channels_with_tile_ok(r, n, g)
    yield "MR-V8a", start_ok(src, n)
    yield "MR-V8b", start_ok(dst, n)
    yield "MR-V8c", pattern_ok(src, dtype)
    yield "MR-V8d", pattern_ok(dst, out, write=True)
    yield "MR-V9", count_is(src, lambda count: count <= 16384)
    yield "MR-V10", same_count(src, dst)


def s2_bn_reserved_ok(r):
    return not any((*r[12:16], r[33], *r[35:44], *r[49:64]))


def s2_bn_immediates_ok(r):
    return f32(r, 44) == 0.0 and r[48] == 0 and f32(r, 28) == 0.0


def match_value_load(r, g, _):
    n, src = r[34], pattern(r, 16, 2, g)
    yield "MVL-V1", header_ok(r)
    yield "MVL-V2", events_ok(r)
    yield "MVL-V4", s2_bn_reserved_ok(r)
    yield "MVL-V5", dtype_gate(r[32], g)
    yield "MVL-V6", channels_with_tile_ok(r, n, g)
    yield "MVL-V7", start_ok(src, n)
    yield "MVL-V8", pattern_ok(src, r[32])
    yield "MVL-V9", count_is(src, lambda count: count == 8)
    yield "MVL-V10", s2_bn_immediates_ok(r)


def search(r, g, name, indices):
    """is_valid_max8 and is_valid_find_index8."""
    dtype, out, n = r[32:35]
    src, dst = pattern(r, 12, 4, g), pattern(r, 48, 2, g)
    yield f"{name}-V1", header_ok(r)
    yield f"{name}-V2", events_ok(r)
    yield f"{name}-V4", not any(r[35:40]) and not any(r[60:64])
    yield f"{name}-V5", dtype_gate(dtype, g)
    yield f"{name}-V6", dtype_gate(out, g, fp32r=True)
    if indices:
        yield f"{name}-V6a", out in (5, 9)
    yield f"{name}-V7", channels_with_tile_ok(r, n, g)
    yield f"{name}-V8a", start_ok(src, n)
    yield f"{name}-V8b", start_ok(dst, n)
    yield f"{name}-V9a", pattern_ok(src, dtype)
    yield f"{name}-V9b", pattern_ok(dst, out, write=True)
    yield f"{name}-V10", count_is(src, lambda count: 8 <= count <= 16384)
    yield f"{name}-V11", count_is(dst, lambda count: count == 8)
    yield f"{name}-V12", f32(r, 40) == 0.0 and f32(r, 44) == 0.0


def max8(r, g, _):
    yield from search(r, g, "M8", indices=False)


def find_index8(r, g, _):
    yield from search(r, g, "FI8", indices=True)


def dropout(r, g, _):
    dtype, out, n, source, threshold = r[32:37]
    src, dst = pattern(r, 16, 3, g), pattern(r, 48, 3, g)
    any_float = source in (1, 2) and dtype in FP_DATAPATH
    yield "DO-V1", header_ok(r)
    yield "DO-V2", events_ok(r)
    yield "DO-V4", not any(r[12:16]) and not any(r[37:43])
    yield "DO-V5", dtype_gate(dtype, g)
    yield "DO-V6", dtype_gate(out, g, fp32r=True)
    yield "DO-V7", dtype == out
    yield "DO-V8", same_count(src, dst)
    yield "DO-V9", channels_with_tile_ok(r, n, g)
    yield "DO-V10a", start_ok(src, n)
    yield "DO-V10b", start_ok(dst, n)
    yield "DO-V10c", pattern_ok(src, dtype)
    yield "DO-V10d", pattern_ok(dst, out, write=True)
    yield "DO-V11", r[43] in (0, 1)
    yield "DO-V12", immediate_ok(u32(r, 44), source, n, threshold or FP32, g)
    yield "DO-V13", threshold in (0, FP32) or (any_float and threshold in FP_DATAPATH)


def d4_mr_reserved_ok(r):
    return not any((*r[12:28], r[33], r[35], *r[37:40]))


def read_indices(r, g, _):
    dtype, n, dst = r[32], r[34], pattern(r, 44, 4, g)
    yield "RDI-V1", header_ok(r)
    yield "RDI-V2", events_ok(r)
    yield "RDI-V4", d4_mr_reserved_ok(r)
    yield "RDI-V5", r[36] == 0
    yield "RDI-V6", dtype in (5, 9)
    yield "RDI-V7", channels_with_tile_ok(r, n, g)
    yield "RDI-V7a", start_ok(dst, n)
    yield "RDI-V8", pattern_ok(dst, dtype, write=True)
    yield "RDI-V9", u32(r, 28) == 8
    yield "RDI-V10", u32(r, 40) == 0
    yield "RDI-V11", count_is(dst, lambda count: count == 8)


def memset(r, g, _):
    dtype, n, dst = r[32], r[34], pattern(r, 44, 4, g)
    yield "MSET-P1", header_ok(r)
    yield "MSET-P2", events_ok(r)
    yield "MSET-V1", d4_mr_reserved_ok(r)
    yield "MSET-V2", dtype_gate(dtype, g, fp32r=True)
    yield "MSET-V3", channels_with_tile_ok(r, n, g)
    yield "MSET-V4", start_ok(dst, n)
    yield "MSET-V5", pattern_ok(dst, dtype, write=True)
    yield "MSET-V6", count_is(dst, lambda count: count == u32(r, 28))
    yield "MSET-V7", r[36] == 0
    yield "MSET-V8", dtype in FILL_WIDTHS and u32(r, 40) < 1 << FILL_WIDTHS[dtype]


def rng(r, g, _):
    dtype, n, dst = r[32], r[34], pattern(r, 44, 4, g)
    yield "RNG-P1", header_ok(r)
    yield "RNG-P2", events_ok(r)
    yield "RNG-V1", d4_mr_reserved_ok(r)
    yield "RNG-V2", channels_with_tile_ok(r, n, g)
    yield "RNG-V3", start_ok(dst, n)
    yield "RNG-V4", pattern_ok(dst, dtype, write=True)
    yield "RNG-V4a", dtype in INT6
    yield "RNG-V5", u32(r, 40) == 0


def load_mask_select(r, _g, _):
    yield "LMS-P1", header_ok(r)
    yield "LMS-P2", events_ok(r)
    yield "LMS-V1", u16(r, 12) == 0
    yield "LMS-V2", all(byte < 64 or byte == 255 for byte in r[32:64])
    yield "LMS-V3", not any(r[15:32])
    yield "LMS-V4", r[14] == 0


def load_parameter_ram(r, _g, _):
    yield "LPR-P1", header_ok(r)
    yield "LPR-P2", events_ok(r)
    yield "LPR-V1", r[14] == 0
    yield "LPR-V2", not any(r[15:32])


def imm_load(r, g, _):
    dtype, src = r[32], pattern(r, 16, 2, g)
    yield "IML-P1", header_ok(r)
    yield "IML-P2", events_ok(r)
    yield "IML-V1", s2_bn_reserved_ok(r)
    yield "IML-V2", count_is(src, lambda count: 1 <= count <= 8)
    yield "IML-V3", s2_bn_immediates_ok(r)
    yield "IML-V4", dtype_gate(dtype, g) is True if r[0] == 0x70 else dtype in (3, 5, 8, 9)


def ptr_multi(r, g, _):
    arith, (dtype, out), op = r[0] == 0x4F, r[32:34], r[36]
    src, dst = pattern(r, 12, 4, g), pattern(r, 44, 4, g)
    gates = dtype_gate(dtype, g) is True and dtype_gate(out, g, fp32r=True) is True
    yield "PM-P1", header_ok(r)
    yield "PM-P2", events_ok(r)
    yield "PM-V1", r[37] == 4
    yield "PM-V2", r[38] in (0, 3)
    yield "PM-V3", shape_marker(src) or 1 <= src.counts[3] <= 8
    yield "PM-V4", op not in BARRED and alu_class("is_general_arith_op" if arith else "is_bitvec_op", op, g)
    yield "PM-V5", gates if arith else dtype == out and dtype in (3, 5, 8, 9)
    yield "PM-V6", same_count(src, dst)
    yield "PM-V7a", pattern_ok(src, dtype)
    yield "PM-V7b", pattern_ok(dst, out, write=True)


VALIDATORS = {
    0x98: tensor_scalar_select,
    0xBC: range_select,
    0x6F: match_replace8,
    0x6D: match_value_load,
    0x6C: max8,
    0x6E: find_index8,
    0x7F: dropout,
    0xE9: read_indices,
    0x49: memset,
    0x4D: rng,
    0x69: load_mask_select,
    0x66: load_parameter_ram,
    **dict.fromkeys((0x70, 0x71), imm_load),
    **dict.fromkeys((0x4F, 0x5F), ptr_multi),
}
