"""The seed families. Source: isa/03 sections 4 and 5, 04 sections 3 to 5, 05 section 8, 06 section 9."""

from .model_base import (
    BYPASS,
    FP32,
    FP_DATAPATH,
    INT6,
    INT8SET,
    INT64S,
    MAX,
    POW,
    RSQRT,
    SIGNED,
    UINT32,
    UNSIGNED,
    WAIT_MODES,
    aligned,
    alu_class,
    channels_fit,
    channels_ok,
    channels_with_tile_ok,
    dst_quadrant_ok,
    dtype_gate,
    element_count,
    events_ok,
    header_ok,
    immediate_ok,
    is_aluop,
    partitions_ok,
    pattern,
    pattern_ok,
    register_ok,
    same_count,
    shape_marker,
    src_quadrant_ok,
    start_ok,
    u32,
    width,
)


def copy_predicated(r, g, _):
    lo, hi, out, op, n = r[12] & 15, r[12] >> 4, r[13], r[14], r[15]
    src0, src1, dst = pattern(r, 16, 3, g, True), pattern(r, 32, 3, g), pattern(r, 48, 3, g, True)
    yield "CP-V1", header_ok(r)
    yield "CP-V2", events_ok(r)
    yield "CP-V4", dtype_gate(out, g)
    yield "CP-V5", dtype_gate(lo, g)
    yield "CP-V6", dtype_gate(hi, g)
    yield "CP-V7", lo in INT6
    yield "CP-V8", r[0] == 0x99 or hi == out
    yield "CP-V9", op == BYPASS
    yield "CP-V10", channels_ok(n)
    yield "CP-V11", start_ok(src0, n)
    yield "CP-V12", start_ok(src1, n)
    yield "CP-V13", start_ok(dst, n)
    yield "CP-V14", pattern_ok(src0, lo)
    yield "CP-V15", pattern_ok(src1, hi)
    yield "CP-V16", pattern_ok(dst, out, write=True)
    yield "CP-V17", same_count(src0, src1)
    yield "CP-V18", same_count(src0, dst)
    yield "CP-V19", partitions_ok(src0, src1)
    yield "CP-V20a", src_quadrant_ok(src0)
    yield "CP-V20b", dst_quadrant_ok(src0, dst)


def copy_predicated_scalar(r, g, _):
    n, source, dtype, out = r[34], r[43], r[41], r[42]
    pred, dst = pattern(r, 16, 3, g, True), pattern(r, 48, 3, g, True)
    yield "CPS-V1", header_ok(r)
    yield "CPS-V2", events_ok(r)
    yield "CPS-V4", not any(r[12:16]) and not any(r[35:41])
    yield "CPS-V5", immediate_ok(u32(r, 44), source, n, dtype, g)
    yield "CPS-V6", pattern_ok(pred, r[32])
    yield "CPS-V7", pattern_ok(dst, out, write=True)
    yield "CPS-V8", start_ok(pred, n)
    yield "CPS-V9", start_ok(dst, n)
    yield "CPS-V10", same_count(pred, dst)
    yield "CPS-V10a", src_quadrant_ok(pred)
    yield "CPS-V10b", dst_quadrant_ok(pred, dst)
    yield "CPS-V11", r[32] in INT6
    yield "CPS-V12", dtype_gate(dtype, g)
    yield "CPS-V13", dtype_gate(out, g)
    yield "CPS-V14", dtype == out
    yield "CPS-V15", r[33] in (0, 1)
    yield "CPS-V16", channels_with_tile_ok(r, n, g)


def select_reduce(r, g, _):
    op0, op1, reverse, source = r[36:40]
    lo, hi, out, n, imm_dtype, command = r[40] & 15, r[40] >> 4, *r[41:45]
    src0, src1, dst = pattern(r, 12, 2, g), pattern(r, 24, 2, g), pattern(r, 48, 2, g)
    yield "SR-V1", header_ok(r)
    yield "SR-V2", events_ok(r)
    yield "SR-V4", dtype_gate(lo, g)
    yield "SR-V5", dtype_gate(hi, g)
    yield "SR-V6", dtype_gate(imm_dtype, g)
    yield "SR-V7", dtype_gate(out, g, fp32r=True)
    yield "SR-V8", lo in INT6 and hi not in (8, 9)
    yield "SR-V9", source in (1, 2) or imm_dtype == FP32
    yield "SR-V10", is_aluop(op0, g)
    yield "SR-V11", is_aluop(op1, g)
    yield "SR-V12", (op0, op1) == (BYPASS, MAX)
    yield "SR-V13", immediate_ok(u32(r, 60), source, n, imm_dtype, g)
    yield "SR-V14", start_ok(src0, n)
    yield "SR-V15", start_ok(src1, n)
    yield "SR-V16", start_ok(dst, n)
    yield "SR-V17", pattern_ok(src0, lo)
    yield "SR-V18", pattern_ok(src1, hi)
    yield "SR-V19", pattern_ok(dst, out, write=True)
    yield "SR-V20", channels_ok(n)
    yield "SR-V21", same_count(src0, src1)
    yield "SR-V22", same_count(src0, dst)
    yield "SR-V23", partitions_ok(src0, src1)
    yield "SR-V24", command in (0, 2, 3)
    yield "SR-V25", reverse <= 3
    yield "SR-V26", not any(r[45:48])
    yield "SR-V27", reverse in (0, 1)


def ops_ok(r, g, prefix, arith):
    """tensor_scalar_valid_ops in its parts (isa/03 section 4.3, V4a to V4f)."""
    op0, op1 = r[36:38]
    rsqrt = (op0, op1) == (RSQRT, BYPASS) and not any(r[40:48]) and r[35] == r[39] == 0
    integer = g == "MAVERICK" and all(op == BYPASS or alu_class("is_valid_int_aluop_dve", op, g) for op in (op0, op1))
    yield prefix + "a", is_aluop(op0, g) and is_aluop(op1, g)
    yield prefix + "b", op0 not in (0x07, 0x1A, 0x1B)
    yield prefix + "c", op1 not in (0x07, 0x1A, 0x1B)
    if arith:
        yield prefix + "e", all(alu_class("is_general_arith_op", op, g) for op in (op0, op1)) or rsqrt or integer
    else:
        yield prefix + "d", all(alu_class("is_bitvec_op", op, g) for op in (op0, op1))
    yield prefix + "f", op0 != BYPASS or op1 == BYPASS


def types_ok(r, g, arith, assumptions):
    dtypes = {r[32], r[33]}
    if not arith:
        return len(dtypes) == 1 and dtypes <= INT6
    integer_band = g == "MAVERICK" and max(r[36:38]) >= 0xC4
    strict = assumptions.get("int-tensor-scalar-dtypes") == "type-error"
    return not (integer_band and strict) or dtypes <= INT6


def inline_scalar_ok(word, dtype, arith):
    return arith or word < 1 << {1: 8, 2: 16}.get(width(dtype), 32)


def pointer_scalar_ok(word, n, dtype, arith, g):
    return channels_fit(word, n, g) and (word % 4 == 0 if arith else aligned(word, dtype, g))


def shift_ok(r):
    op0, op1, dtype = r[36], r[37], r[32]
    left_then_right = op0 in (0x02, 0x10) and op1 in (0x03, 0x11)
    return width(dtype) == 4 or not (left_then_right or 0x03 in (op0, op1))


def tensors_ok(src, dst, r, g):
    """tensor_scalar_tensor_chk: both patterns, then the counts; the size limit of an indirect dst is open."""
    if not (pattern_ok(src, r[32]) and pattern_ok(dst, r[33], write=True)):
        return "mem3d_valid" if g in ("MARIANA", "MAVERICK") else "tensor3d_valid"
    return same_count(src, dst)


def tensor_scalar(r, g, assumptions):
    arith, n, dtype, out = r[0] != 0x53, r[34], r[32], r[33]
    src, dst = pattern(r, 16, 3, g, True), pattern(r, 48, 3, g, True)

    def scalar_ok(source, word):
        if source == 1:
            return pointer_scalar_ok(word, n, dtype, arith, g)
        return inline_scalar_ok(word, dtype, arith) if source == 0 else source == 2 and register_ok(word)

    yield "TS-V1", header_ok(r)
    yield "TS-V2", events_ok(r)
    yield from ops_ok(r, g, "TS-V4", arith)
    yield "TS-V5", types_ok(r, g, arith, assumptions)
    yield "TS-V6", scalar_ok(r[35], u32(r, 40)) and scalar_ok(r[39], u32(r, 44))
    yield "TS-V7", shift_ok(r)
    yield "TS-V8", tensors_ok(src, dst, r, g)
    yield "TS-V9", r[38] <= 3
    yield "TS-V10", not any(r[13:16])
    if r[0] == 0x93:
        yield "TS-V11", (shape_marker(src) or element_count(src) % 32 == 0) and n in (32, 64, 96, 128)
    yield "TS-V12", dtype_gate(dtype, g)
    yield "TS-V13", dtype_gate(out, g, fp32r=True)
    yield "TS-V14", is_aluop(r[36], g) and is_aluop(r[37], g)
    yield "TS-V15", r[12] == 0
    yield "TS-V16", channels_with_tile_ok(r, n, g)
    yield "TS-V17a", start_ok(src, n)
    yield "TS-V17b", start_ok(dst, n)
    yield "TS-V18a", pattern_ok(src, dtype)
    yield "TS-V18b", pattern_ok(dst, out, write=True)
    yield "TS-V19", src_quadrant_ok(src)
    yield "TS-V20", dst_quadrant_ok(src, dst)


def tensor_scalar_ptr(r, g, assumptions):
    arith, n, dtype, out = r[0] == 0x44, r[34], r[32], r[33]
    src, dst = pattern(r, 16, 3, g, True), pattern(r, 48, 3, g, True)
    yield "PTR-V1", header_ok(r)
    yield "PTR-V2", events_ok(r)
    yield from ops_ok(r, g, "PTR-V4", arith)
    yield "PTR-V5", types_ok(r, g, arith, assumptions)
    yield "PTR-V6", all(pointer_scalar_ok(u32(r, at), n, dtype, arith, g) for at in (40, 44))
    yield "PTR-V7", r[35] == 0 and r[39] == 0
    yield "PTR-V8", shift_ok(r)
    yield "PTR-V9", tensors_ok(src, dst, r, g)
    yield "PTR-V10", r[38] <= 3
    yield "PTR-V11", not any(r[13:16])
    yield "PTR-V12", r[12] == 0
    yield "PTR-V13", dtype_gate(dtype, g)
    yield "PTR-V14", dtype_gate(out, g, fp32r=True)
    yield "PTR-V15a", channels_with_tile_ok(r, n, g)
    yield "PTR-V15b", start_ok(src, n)
    yield "PTR-V15c", start_ok(dst, n)
    yield "PTR-V15d", pattern_ok(src, dtype)
    yield "PTR-V15e", pattern_ok(dst, out, write=True)
    yield "PTR-V15f", src_quadrant_ok(src)
    yield "PTR-V15g", dst_quadrant_ok(src, dst)


def tensor_tensor(r, g, _):
    lo, hi, out, op, n = r[12] & 15, r[12] >> 4, r[13], r[14], r[15]
    dtypes, int64 = {lo, hi, out}, g != "SUNDA"
    src0, src1, dst = pattern(r, 16, 3, g, True), pattern(r, 32, 3, g), pattern(r, 48, 3, g, True)
    int_op = alu_class("is_valid_int_aluop", op, g)
    shift64 = int64 and alu_class("is_shift_op", op, g) and lo in INT64S and hi == UINT32
    yield "TT-V1", header_ok(r)
    yield "TT-V2", events_ok(r)
    yield "TT-V4", dtype_gate(out, g, fp32r=True, int64=int64)
    yield "TT-V5", dtype_gate(lo, g, int64=int64)
    yield "TT-V6", dtype_gate(hi, g, int64=int64)
    yield "TT-V7", is_aluop(op, g)
    if r[0] == 0x41:
        yield "TT-V8", alu_class("is_general_arith_op", op, g) or op == POW or int_op
    else:
        yield "TT-V8", alu_class("is_general_bitvec_op", op, g)
        yield "TT-V9", out in INT8SET
    yield "TT-V10", r[0] == 0x41 or len(dtypes) == 1 or shift64
    signed = alu_class("is_signed_alu_op", op, g) and dtypes <= SIGNED
    unsigned = alu_class("is_unsigned_alu_op", op, g) and dtypes <= UNSIGNED
    yield "TT-V11", not int_op or signed or unsigned
    yield "TT-V12", op != POW and not int_op and not dtypes & INT64S
    yield "TT-V13", channels_with_tile_ok(r, n, g)
    yield "TT-V14a", start_ok(src0, n)
    yield "TT-V14b", start_ok(src1, n)
    yield "TT-V14c", start_ok(dst, n)
    yield "TT-V15a", pattern_ok(src0, lo)
    yield "TT-V15b", pattern_ok(src1, hi)
    yield "TT-V15c", pattern_ok(dst, out, write=True)
    yield "TT-V16", same_count(src0, src1)
    yield "TT-V17", same_count(src0, dst)
    yield "TT-V18", partitions_ok(src0, src1)
    yield "TT-V19", src_quadrant_ok(src0)
    yield "TT-V20", dst_quadrant_ok(src0, dst)


def read_accumulator(r, g, _):
    n, dst = r[34], pattern(r, 44, 1, g)
    yield "RDA-V1", header_ok(r)
    yield "RDA-V2", events_ok(r)
    yield "RDA-V4", r[32] in FP_DATAPATH
    yield "RDA-V5", channels_with_tile_ok(r, n, g)
    yield "RDA-V5a", start_ok(dst, n)
    yield "RDA-V6", pattern_ok(dst, r[32], write=True)
    yield "RDA-V7", u32(r, 28) == 1 and dst.counts == [1]
    yield "RDA-V8", r[33] in (0, 1)
    yield "RDA-V9", not any(r[12:28]) and not any(r[35:44]) and not any(r[52:64])


def engine_nop(r, g, _):
    yield "ENOP-P1", header_ok(r)
    yield "ENOP-P2", events_ok(r)
    yield "ENOP-V1", not any(r[12:64])


def event_semaphore(r, g, assumptions):
    yield "ES-P1", header_ok(r)
    yield "ES-P2", events_ok(r)
    yield "ES-V1", r[32] in WAIT_MODES
    yield "ES-V2", not any(r[34:36])
    if assumptions.get("control-record-body") == "must-be-zero":
        yield "ES-V3", not any(r[12:32]) and not any(r[40:64])


def control(r, g, assumptions):
    yield "CTL-P1", header_ok(r)
    yield "CTL-P2", events_ok(r)
    if r[0] in (0xA4, 0xB1) and assumptions.get("control-record-body") == "must-be-zero":
        yield "CTL-V1", not any(r[12:64])


def move(r, g, _):
    yield "MV-P1", header_ok(r)
    yield "MV-P2", events_ok(r)
    yield "MV-V1", r[13] in (8, UINT32, FP32)


def control_register(r, g, _):
    yield "CTR-P1", header_ok(r)
    yield "CTR-P2", events_ok(r)


def compact_control(r, g, _):
    yield "CCI-P1", header_ok(r)


VALIDATORS = {
    **dict.fromkeys((0x72, 0x99), copy_predicated),
    0xE8: copy_predicated_scalar,
    0xEA: select_reduce,
    **dict.fromkeys((0x43, 0x53, 0x93), tensor_scalar),
    **dict.fromkeys((0x44, 0x54), tensor_scalar_ptr),
    **dict.fromkeys((0x41, 0x51), tensor_tensor),
    0x9B: read_accumulator,
    0x9F: engine_nop,
    0xA0: event_semaphore,
    **dict.fromkeys((*range(0xA1, 0xA7), *range(0xB0, 0xB6)), control),
    0xA7: move,
    **dict.fromkeys(range(0xA8, 0xAC), control_register),
    0xB6: compact_control,
}
