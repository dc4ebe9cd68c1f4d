"""The batch normalisation family. Source: isa/06 sections 6.2 to 6.7."""

from math import isfinite

from .model_base import (
    BYPASS,
    FP32,
    aligned,
    channels_fit,
    channels_of_32,
    channels_with_tile_ok,
    count_is,
    dtype_gate,
    events_ok,
    f32,
    header_ok,
    immediate_ok,
    pair,
    partitions_ok,
    pattern,
    pattern_ok,
    register_ok,
    same_count,
    shape_marker,
    start_ok,
    u32,
)
from .model_select import s2_bn_reserved_ok

STATS_DTYPES = {FP32, 6, 7}
GRAD_DTYPES = {7, 6, FP32, 8}
INVALID = 0


def s4d2_reserved_ok(r):
    return not any(r[35:40]) and not any(r[60:64])


def statistics(r, g, name, most, outputs, counts=True, transposed=False):
    dtype, out, n = r[32:35]
    src, dst = pattern(r, 12, 4, g), pattern(r, 48, 2, g)
    yield f"{name}-P1", header_ok(r)
    yield f"{name}-P2", events_ok(r)
    yield f"{name}-V1", s4d2_reserved_ok(r)
    yield f"{name}-V2", dtype_gate(dtype, g)
    yield f"{name}-V3", out in STATS_DTYPES
    yield f"{name}-V4", channels_with_tile_ok(r, n, g)
    yield f"{name}-V5a", start_ok(src, n)
    yield f"{name}-V5b", start_ok(dst, n)
    yield f"{name}-V6a", pattern_ok(src, dtype)
    yield f"{name}-V6b", pattern_ok(dst, out, write=True)
    yield f"{name}-V7", count_is(src, lambda count: count <= most)
    yield f"{name}-V8", count_is(dst, lambda count: count == outputs)
    if counts:
        yield f"{name}-V9", isfinite(f32(r, 40))
        yield f"{name}-V10", isfinite(f32(r, 44))
    if transposed:
        yield f"{name}-V11", channels_of_32(n)
        yield f"{name}-V12", count_is(src, lambda count: count % 32 == 0)


def stats2(r, g, _):
    yield from statistics(r, g, "BNS2", 512, 6)


def stats(r, g, _):
    yield from statistics(r, g, "BNS", 256, 3, counts=False)


def transposed_stats2(r, g, _):
    yield from statistics(r, g, "TBNS2", 512, 6, transposed=True)


def aggregate(r, g, _):
    dtype, out, n = r[32:35]
    src, dst = pattern(r, 12, 4, g), pattern(r, 48, 2, g)
    yield "BNA-P1", header_ok(r)
    yield "BNA-P2", events_ok(r)
    yield "BNA-V1", s4d2_reserved_ok(r)
    yield "BNA-V2", f32(r, 40) == 0.0 and f32(r, 44) == 0.0
    yield "BNA-V3", count_is(src, lambda count: count > 0 and count % 3 == 0)
    yield "BNA-V4", count_is(dst, lambda count: count == 2)
    yield "BNA-V5", dtype in STATS_DTYPES
    yield "BNA-V6", out in STATS_DTYPES
    yield "BNA-V7", channels_with_tile_ok(r, n, g)
    yield "BNA-V8a", start_ok(src, n)
    yield "BNA-V8b", start_ok(dst, n)
    yield "BNA-V9a", pattern_ok(src, dtype)
    yield "BNA-V9b", pattern_ok(dst, out, write=True)


def gradient(r, g, _):
    """0x63 and, with the stated changes, 0x94."""
    first, name = r[0] == 0x63, "BNGA" if r[0] == 0x63 else "BNGA2"
    (lo, hi), n = pair(r, 60), r[63]
    imm_dtype, out = (r[61], r[62]) if first else pair(r, 61)
    sources = (1, 1) if first else pair(r, 62)
    src0, src1, dst = pattern(r, 16, 3, g), pattern(r, 32, 3, g), pattern(r, 48, 1, g)
    pointed = FP32 if first and imm_dtype == INVALID else imm_dtype

    def scalar_ok(at, source):
        return source in (1, 2) and immediate_ok(u32(r, at), source, n, pointed, g)

    yield f"{name}-P1", header_ok(r)
    yield f"{name}-P2", events_ok(r)
    yield f"{name}-V1", dtype_gate(out, g, fp32r=True)
    yield f"{name}-V2", dtype_gate(lo, g)
    yield f"{name}-V3", dtype_gate(hi, g)
    yield f"{name}-V4a", start_ok(src0, n)
    yield f"{name}-V4b", start_ok(src1, n)
    yield f"{name}-V4c", start_ok(dst, n)
    yield f"{name}-V5", channels_with_tile_ok(r, n, g)
    yield f"{name}-V6", pattern_ok(src0, lo)
    yield f"{name}-V7", pattern_ok(src1, hi)
    yield f"{name}-V8", pattern_ok(dst, out, write=True)
    yield f"{name}-V9", {lo, hi} <= GRAD_DTYPES
    yield f"{name}-V10", out in STATS_DTYPES
    yield f"{name}-V11", imm_dtype in GRAD_DTYPES | ({INVALID} if first else set())
    yield f"{name}-V12", same_count(src0, src1)
    yield f"{name}-V13", shape_marker(dst) or dst.counts == [3]
    yield f"{name}-V14", scalar_ok(12, sources[0])
    yield f"{name}-V15", scalar_ok(56, sources[1])
    yield f"{name}-V16", partitions_ok(src0, src1)


def pointer_or_register(word, source, n, dtype, g):
    """Sources 0 and 1 both mean a pointer, 2 a register."""
    if source in (0, 1):
        return channels_fit(word, n, g) and aligned(word, dtype, g)
    return source == 2 and register_ok(word)


def vector_of(src, count):
    return shape_marker(src) or src.counts in ([count, 1], [1, count])


def param_load(r, g, _):
    src = pattern(r, 16, 2, g)
    yield "BNPL-P1", header_ok(r)
    yield "BNPL-P2", events_ok(r)
    yield "BNPL-V1", s2_bn_reserved_ok(r)
    yield "BNPL-V2", r[32] in STATS_DTYPES
    yield "BNPL-V3", vector_of(src, 3)
    yield "BNPL-V4", isfinite(f32(r, 28))
    yield "BNPL-V5", pointer_or_register(u32(r, 44), r[48], r[34], FP32, g)


def param_load2(r, g, _):
    src, n, dtype = pattern(r, 12, 2, g), r[34], r[33]
    immediates = ((u32(r, 40), r[48]), (u32(r, 44), r[49]))
    yield "BNPL2-P1", header_ok(r)
    yield "BNPL2-P2", events_ok(r)
    yield "BNPL2-V1", not any((*r[24:28], *r[35:40], *r[50:64]))
    yield "BNPL2-V2", {r[32], dtype} <= STATS_DTYPES
    yield "BNPL2-V3", vector_of(src, 2)
    yield "BNPL2-V4", all(pointer_or_register(word, source, n, dtype, g) for word, source in immediates)


def back_prop(r, g, _):
    (lo, hi), out, op, n = pair(r, 12), r[13], r[14], r[15]
    src0, src1, dst = (pattern(r, at, 3, g) for at in (16, 32, 48))
    yield "BNBP-P1", header_ok(r)
    yield "BNBP-P2", events_ok(r)
    yield "BNBP-V1", dtype_gate(lo, g)
    yield "BNBP-V2", dtype_gate(hi, g)
    yield "BNBP-V3", dtype_gate(out, g, fp32r=True)
    yield "BNBP-V4", op == BYPASS
    yield "BNBP-V5", start_ok(src0, n)
    yield "BNBP-V6", start_ok(src1, n)
    yield "BNBP-V7", start_ok(dst, n)
    yield "BNBP-V8", pattern_ok(src0, lo)
    yield "BNBP-V9", pattern_ok(src1, hi)
    yield "BNBP-V10", pattern_ok(dst, out, write=True)
    yield "BNBP-V11", same_count(src0, src1)
    yield "BNBP-V12", same_count(src0, dst)
    yield "BNBP-V13", channels_with_tile_ok(r, n, g)
    yield "BNBP-V14", partitions_ok(src0, src1)


VALIDATORS = {
    0x61: stats2,
    0x60: stats,
    0x82: transposed_stats2,
    0x62: aggregate,
    **dict.fromkeys((0x63, 0x94), gradient),
    0x64: param_load,
    0x8E: param_load2,
    0x65: back_prop,
}
