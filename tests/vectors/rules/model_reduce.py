"""The families on S4D4_TR and S4D4_PL: moves, stream forms, reductions, scans within a pattern, pooling.

Source: isa/05 sections 10 to 12, 06 sections 5.1 to 5.8 and 8.8.
"""

from .model_base import (
    BITVEC_REDUCE,
    BYPASS,
    SUBDIMS,
    alu_class,
    channels_of_32,
    channels_ok,
    channels_with_tile_ok,
    count_is,
    counts_waived,
    dst_quadrant_ok,
    dtype_gate,
    element_count,
    events_ok,
    f32,
    header_ok,
    is_aluop,
    kept_count,
    pattern,
    pattern_ok,
    same_count,
    src_quadrant_ok,
    start_ok,
)

BARRED = (0x07, 0x1A, 0x1B)  # DIVIDE, POW, MOD
LOGICAL_SHIFT_RIGHT, INT32 = 0x11, 8
POOL_AVG = 2


def operands(r, g):
    return pattern(r, 12, 4, g, True), pattern(r, 44, 4, g, True)


def bitvec_reduce_types(r):
    return r[32] == r[33] and r[32] in BITVEC_REDUCE and (r[36] != LOGICAL_SHIFT_RIGHT or r[32] == INT32)


def move(r, g, name, same_type, blocks=False):
    """is_valid_copy, cast, reciprocal and stream_shuffle: one list with and without V14 and V16."""
    dtype, out, n = r[32:35]
    src, dst = operands(r, g)
    yield f"{name}-P1", header_ok(r)
    yield f"{name}-P2", events_ok(r)
    yield f"{name}-V1", not any(r[39:44])
    yield f"{name}-V2", r[38] == 0
    yield f"{name}-V3", dtype_gate(dtype, g)
    yield f"{name}-V4", dtype_gate(out, g, fp32r=True)
    yield f"{name}-V5", is_aluop(r[36], g)
    yield f"{name}-V6", r[37] in (0, 2)
    yield f"{name}-V7", channels_with_tile_ok(r, n, g)
    yield f"{name}-V8", start_ok(src, n)
    yield f"{name}-V9", start_ok(dst, n)
    yield f"{name}-V10", pattern_ok(src, dtype)
    yield f"{name}-V11", pattern_ok(dst, out, write=True)
    if g in ("MARIANA", "MAVERICK"):
        yield f"{name}-V11a", src_quadrant_ok(src) and dst_quadrant_ok(src, dst)
    yield f"{name}-V12", same_count(src, dst)
    yield f"{name}-V13", r[36] == BYPASS
    if same_type:
        yield f"{name}-V14", dtype == out
    yield f"{name}-V15", r[35] == 0
    if blocks:
        yield f"{name}-V16", channels_of_32(n)


def copy(r, g, _):
    yield from move(r, g, "COPY", True)


def cast(r, g, _):
    yield from move(r, g, "CAST", False)


def reciprocal(r, g, _):
    yield from move(r, g, "RECIP", False)


def stream_shuffle(r, g, _):
    yield from move(r, g, "SSH", True, blocks=True)


def stream_transpose(r, g, _):
    dtype, out, n = r[32:35]
    src, dst = operands(r, g)
    yield "STR-P1", header_ok(r)
    yield "STR-P2", events_ok(r)
    yield "STR-V1", not any(r[39:44])
    yield "STR-V2", r[38] in (0, 1)
    yield "STR-V3", dtype_gate(dtype, g)
    yield "STR-V4", dtype_gate(out, g, fp32r=True)
    yield "STR-V5", dtype == out
    yield "STR-V6", r[37] in (0, 2)
    yield "STR-V7", channels_with_tile_ok(r, n, g)
    yield "STR-V8", start_ok(src, n)
    yield "STR-V9", start_ok(dst, n)
    yield "STR-V10", pattern_ok(src, dtype)
    yield "STR-V11", pattern_ok(dst, out, write=True)
    yield "STR-V12", counts_waived(src, dst) or element_count(dst) <= element_count(src)
    yield "STR-V13", r[36] == BYPASS
    yield "STR-V14", channels_of_32(n)
    yield "STR-V15", count_is(src, lambda count: count % 32 == 0)
    yield "STR-V16", r[35] == 0


def reduce(r, g, name, arith):
    dtype, out, n = r[32:35]
    op, dims, int64 = r[36], SUBDIMS.get(r[37]), g != "SUNDA"
    src, dst = operands(r, g)
    integer = is_aluop(op, g) and op >= 0xC4
    in_gate, out_gate = dtype_gate(dtype, g), dtype_gate(out, g, fp32r=True)
    yield f"{name}-V1", header_ok(r)
    yield f"{name}-V2", events_ok(r)
    yield f"{name}-V4", not any(r[39:44])
    yield f"{name}-V5", r[38] == 0
    yield f"{name}-V6a", dtype_gate(dtype, g, int64=int64)
    yield f"{name}-V6b", dtype_gate(out, g, fp32r=True, int64=int64)
    yield f"{name}-V7", is_aluop(op, g) and op not in BARRED
    if arith:
        yield f"{name}-V8", alu_class("is_general_arith_op", op, g) or integer
        yield f"{name}-V9", in_gate is True and out_gate is True and not integer
    else:
        yield f"{name}-V8", alu_class("is_bitvec_op", op, g)
        yield f"{name}-V10", bitvec_reduce_types(r)
    yield f"{name}-V11", r[37] in SUBDIMS
    yield f"{name}-V12", channels_with_tile_ok(r, n, g)
    yield f"{name}-V13a", start_ok(src, n)
    yield f"{name}-V13b", start_ok(dst, n)
    yield f"{name}-V13c", pattern_ok(src, dtype)
    yield f"{name}-V13d", pattern_ok(dst, out, write=True)
    if g in ("MARIANA", "MAVERICK"):
        yield f"{name}-V13e", src_quadrant_ok(src)
        yield f"{name}-V13f", dst_quadrant_ok(src, dst)
    unknown = dims is None or counts_waived(src, dst)  # a code that names no dimensions leaves nothing to compare
    yield f"{name}-V14", unknown or element_count(dst) == kept_count(src, dims)
    yield f"{name}-V15", r[35] in (0, 1) if arith else r[35] == 0
    if name == "TTR":
        yield "TTR-V16", channels_of_32(n)
        yield "TTR-V17", count_is(src, lambda count: count % 32 == 0)


def tensor_reduce(r, g, _):
    yield from reduce(r, g, "TR", arith=r[0] == 0x42)


def transposed_tensor_reduce(r, g, _):
    yield from reduce(r, g, "TTR", arith=r[0] == 0x83)


def bf16_pairs(r, at, dims):
    """SUNDA's packed pairs: num_elem[0] even, step_elem[0] 1, outer steps even."""
    steps = [int.from_bytes(r[at + 4 + 2 * d : at + 6 + 2 * d], "little") for d in range(dims)]
    first = at + 4 + 2 * dims
    return r[first] % 2 == 0 and steps[0] == 1 and all(step % 2 == 0 for step in steps[1:])


def tensor_reduce_bf16(r, g, _):
    yield "TRB-V1", header_ok(r)
    yield "TRB-V2", events_ok(r)
    yield "TRB-V4", not any(r[39:44])
    yield "TRB-V5", r[38] == 0
    yield "TRB-V6", r[32] == 6
    yield "TRB-V7", dtype_gate(r[33], g, fp32r=True)
    yield "TRB-V8", r[12] % 4 == 0 and bf16_pairs(r, 12, 4)
    yield "TRB-V9", channels_ok(r[34])


def tensor_tensor_bf16(r, g, _):
    src0, src1, dst = (pattern(r, at, 3, g) for at in (16, 32, 48))
    yield "TTB-V1", header_ok(r)
    yield "TTB-V2", events_ok(r)
    yield "TTB-V4", r[14] == {0x8A: 0x04, 0x8B: 0x06, 0x8F: 0x05}[r[0]]
    yield "TTB-V5", r[12] == 0x66
    yield "TTB-V6", dtype_gate(r[13], g, fp32r=True)
    yield "TTB-V7", bf16_pairs(r, 16, 3) and bf16_pairs(r, 32, 3)
    # the rule names dst among its fields; its dtype there is taken to be out_dtype
    yield "TTB-V8", pattern_ok(src0, 9) and pattern_ok(src1, 9) and pattern_ok(dst, r[13], write=True)


def tensor_cumulative(r, g, _):
    dtype, out, n = r[32:35]
    arith, op = r[0] == 0x4E, r[36]
    src, dst = operands(r, g)
    yield "TC-P1", header_ok(r)
    yield "TC-P2", events_ok(r)
    yield "TC-V1", not any(r[39:44])
    yield "TC-V2", r[38] == 0
    yield "TC-V3", dtype_gate(dtype, g)
    yield "TC-V4", dtype_gate(out, g, fp32r=True)
    yield "TC-V5", is_aluop(op, g)
    yield "TC-V6", r[37] in SUBDIMS
    yield "TC-V7", channels_with_tile_ok(r, n, g)
    yield "TC-V8", start_ok(src, n)
    yield "TC-V9", start_ok(dst, n)
    yield "TC-V10", pattern_ok(src, dtype)
    yield "TC-V11", pattern_ok(dst, out, write=True)
    if g in ("MARIANA", "MAVERICK"):
        yield "TC-V12", src_quadrant_ok(src) and dst_quadrant_ok(src, dst)
    yield "TC-V13", same_count(src, dst)
    yield "TC-V14", op not in BARRED and alu_class("is_arith_op" if arith else "is_bitvec_op", op, g)
    yield "TC-V15", arith or bitvec_reduce_types(r)
    yield "TC-V16", r[35] == 0


def pool(r, g, _):
    dtype, out, n = r[32:35]
    src, dst = pattern(r, 12, 4, g), pattern(r, 44, 4, g)
    yield "PL-V1", header_ok(r)
    yield "PL-V2", events_ok(r)
    yield "PL-V4", not any((r[35], r[38], r[39]))
    yield "PL-V5", dtype_gate(dtype, g)
    yield "PL-V6", dtype_gate(out, g, fp32r=True)
    yield "PL-V7a", start_ok(src, n)
    yield "PL-V7b", start_ok(dst, n)
    yield "PL-V8", r[36] in ((1, 2) if r[0] == 0x45 else (0,))
    yield "PL-V9", r[37] in SUBDIMS
    yield "PL-V10", channels_ok(n)
    yield "PL-V11", r[0] == 0x45 or out in (3, 5, 9)
    yield "PL-V12a", pattern_ok(src, dtype)
    yield "PL-V12b", pattern_ok(dst, out, write=True)
    yield "PL-V13", r[36] == POOL_AVG or f32(r, 40) == 1.0


VALIDATORS = {
    0x46: copy,
    0x47: cast,
    0x48: reciprocal,
    0x6A: stream_shuffle,
    0x6B: stream_transpose,
    **dict.fromkeys((0x42, 0x52), tensor_reduce),
    **dict.fromkeys((0x83, 0x84), transposed_tensor_reduce),
    **dict.fromkeys((0x8C, 0x8D), tensor_reduce_bf16),
    **dict.fromkeys((0x8A, 0x8B, 0x8F), tensor_tensor_bf16),
    **dict.fromkeys((0x4E, 0x5E), tensor_cumulative),
    **dict.fromkeys((0x45, 0x58), pool),
}
