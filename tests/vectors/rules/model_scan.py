"""The families that fold into the lane accumulator or carry a state. Source: isa/05 sections 4 to 6 and 13."""

from .model_base import (
    BYPASS,
    FP32,
    FP_DATAPATH,
    INT6,
    alu_class,
    channels_ok,
    channels_with_tile_ok,
    dst_quadrant_ok,
    dtype_gate,
    events_ok,
    from_register,
    header_ok,
    immediate_ok,
    is_aluop,
    pair,
    partitions_ok,
    pattern,
    pattern_ok,
    place,
    same_count,
    same_quadrant,
    src_quadrant_ok,
    start_ok,
    u16,
    u32,
)
from .model_seed import tensors_ok

FP32R = 0xB
LOAD_ACCUMULATE = 4


def stt_operands(r, g):
    return pattern(r, 12, 2, g), pattern(r, 24, 2, g), pattern(r, 48, 2, g)


def scalar_tensor_tensor(r, g, assumptions):
    arith, (op0, op1, reverse, source), (lo, hi) = r[0] == 0x9D, r[36:40], pair(r, 40)
    out, n, imm_dtype, command = r[41:45]
    src0, src1, dst = stt_operands(r, g)
    dtypes, klass = {lo, hi, imm_dtype, out}, "is_general_arith_op" if arith else "is_general_bitvec_op"
    yield "STT-V1", header_ok(r)
    yield "STT-V2", events_ok(r)
    yield "STT-V4", dtype_gate(lo, g)
    yield "STT-V5", dtype_gate(hi, g)
    yield "STT-V6", dtype_gate(imm_dtype, g)
    yield "STT-V7", dtype_gate(out, g, fp32r=True)
    yield "STT-V8", arith or dtypes <= INT6
    yield "STT-V9", arith or len(dtypes) == 1
    yield "STT-V10", not arith or source in (1, 2) or imm_dtype == FP32
    yield "STT-V11", is_aluop(op0, g)
    yield "STT-V12", is_aluop(op1, g)
    yield "STT-V13", alu_class(klass, op0, g) and alu_class(klass, op1, g)
    yield "STT-V14", immediate_ok(u32(r, 60), source, n, imm_dtype, g)
    yield "STT-V15", start_ok(src0, n)
    yield "STT-V16", start_ok(src1, n)
    yield "STT-V17", start_ok(dst, n)
    yield "STT-V18", pattern_ok(src0, lo)
    yield "STT-V19", pattern_ok(src1, hi)
    yield "STT-V20", pattern_ok(dst, out, write=True)
    yield "STT-V21", channels_ok(n)
    yield "STT-V22", same_count(src0, src1)
    yield "STT-V23", same_count(src0, dst)
    yield "STT-V24", partitions_ok(src0, src1)
    yield "STT-V25", command in ((0, 2, 3) if arith else (0,))
    yield "STT-V26", reverse <= 3
    yield "STT-V27", not any(r[45:48])
    if assumptions.get("stt-quadrant-erratum") == "strict":
        yield "STT-V28", command == 0 or all(same_quadrants_if_sbuf(src, dst) for src in (src0, src1))


def same_quadrants_if_sbuf(src, dst):
    """The strict reading of the erratum gate, for static addresses."""
    g, words = dst.generation, (src.word, dst.word)
    known = not any(from_register(w) for w in words) and all(place(w, g)[0] == "SBUF" for w in words)
    return not known or same_quadrant(*words, g)


def tensor_tensor_scan(r, g, _):
    (op0, op1, reverse, source), (lo, hi) = r[36:40], pair(r, 40)
    out, n, imm_dtype, command = r[41:45]
    src0, src1, dst = stt_operands(r, g)
    yield "TTS-V1", header_ok(r)
    yield "TTS-V2", events_ok(r)
    yield "TTS-V4", dtype_gate(lo, g)
    yield "TTS-V5", dtype_gate(hi, g)
    yield "TTS-V6", dtype_gate(imm_dtype, g)
    yield "TTS-V7", dtype_gate(out, g, fp32r=True)
    yield "TTS-V8", source in (1, 2) or imm_dtype == FP32
    yield "TTS-V9", is_aluop(op0, g)
    yield "TTS-V10", is_aluop(op1, g)
    yield "TTS-V11", all(alu_class("is_general_arith_op", op, g) for op in (op0, op1))
    yield "TTS-V12", immediate_ok(u32(r, 60), source, n, imm_dtype, g)
    yield "TTS-V13a", start_ok(src0, n)
    yield "TTS-V13b", start_ok(src1, n)
    yield "TTS-V13c", start_ok(dst, n)
    yield "TTS-V14a", pattern_ok(src0, lo)
    yield "TTS-V14b", pattern_ok(src1, hi)
    yield "TTS-V14c", pattern_ok(dst, out, write=True)
    yield "TTS-V15", channels_ok(n)
    yield "TTS-V16", same_count(src0, src1)
    yield "TTS-V17", same_count(src0, dst)
    yield "TTS-V18", partitions_ok(src0, src1)
    yield "TTS-V19", command == 0
    yield "TTS-V20", reverse <= 3
    yield "TTS-V21", not any(r[45:48])


def ts_operands(r, g):
    return pattern(r, 16, 3, g, True), pattern(r, 48, 3, g, True)


def cache(r, g, assumptions):
    name, command, (dtype, out, n) = "TSCR" if r[0] == 0x9A else "TSCC", r[12], r[32:35]
    op0, op1 = r[36:38]
    src, dst = ts_operands(r, g)
    seeded = command == LOAD_ACCUMULATE and immediate_ok(u32(r, 44), r[39], n, FP32, g)
    no_ints = assumptions.get("cache-int32-output") == "reject"
    yield f"{name}-V1", header_ok(r)
    yield f"{name}-V2", events_ok(r)
    op1_fold = alu_class("is_valid_cache_reduce_op", op1, g)
    yield f"{name}-V4", alu_class("is_general_arith_op", op0, g) and op1_fold
    in_ok = dtype in FP_DATAPATH - {FP32R} or dtype in (2, 3, 4, 5)
    yield f"{name}-V5", in_ok and not (no_ints and out in (8, 9))
    yield f"{name}-V6a", immediate_ok(u32(r, 40), r[35], n, FP32, g)
    yield f"{name}-V6b", seeded or (r[39] == 0 and u32(r, 44) == 0)
    yield f"{name}-V7", tensors_ok(src, dst, r, g)
    yield f"{name}-V8", r[38] == 0
    yield f"{name}-V9", not any(r[13:16])
    yield f"{name}-V10", command in (2, 3, 4)
    yield f"{name}-V11a", dtype_gate(dtype, g)
    yield f"{name}-V11b", dtype_gate(out, g, fp32r=True)
    yield f"{name}-V12", is_aluop(op0, g) and is_aluop(op1, g)
    yield f"{name}-V13", channels_with_tile_ok(r, n, g)
    yield f"{name}-V14a", start_ok(src, n)
    yield f"{name}-V14b", start_ok(dst, n)
    yield f"{name}-V15a", pattern_ok(src, dtype)
    yield f"{name}-V15b", pattern_ok(dst, out, write=True)


def even_or_unpacked(r, src, assumptions):
    """exp_x_even_or_unpacked and, under exponential-upper-dims = strict, exp_upper_src_dim_even."""
    if r[32] in (FP32, 8, 9) or u16(r, 20) != 1:
        return True
    upper = all(count == 1 or u16(r, 20 + 2 * d) % 2 == 0 for d, count in enumerate(src.counts) if d)
    return src.counts[0] % 2 == 0 and (upper or assumptions.get("exponential-upper-dims") != "strict")


def exponential(r, g, assumptions):
    command, (dtype, out, n) = r[12], r[32:35]
    src, dst = ts_operands(r, g)
    no_seed = r[39] == 0 and u32(r, 44) == 0
    yield "EXP-V1", header_ok(r)
    yield "EXP-V2", events_ok(r)
    yield "EXP-V4", dtype_gate(dtype, g)
    yield "EXP-V5", dtype_gate(out, g, fp32r=True)
    yield "EXP-V6", all(immediate_ok(u32(r, at), r[source], n, FP32, g) for at, source in ((40, 35), (44, 39)))
    yield "EXP-V7", (command in (0, 2, 3) and no_seed) or command == LOAD_ACCUMULATE
    yield "EXP-V8", command == 0 or src.indirect or dst.indirect or even_or_unpacked(r, src, assumptions)
    yield "EXP-V9", (r[36], r[37], r[38]) == (BYPASS, BYPASS, 0)
    yield "EXP-V10", not any(r[13:16])
    yield "EXP-V11", tensors_ok(src, dst, r, g)
    yield "EXP-V12", channels_with_tile_ok(r, n, g)
    yield "EXP-V13a", start_ok(src, n)
    yield "EXP-V13b", start_ok(dst, n)
    yield "EXP-V14a", pattern_ok(src, dtype)
    yield "EXP-V14b", pattern_ok(dst, out, write=True)
    yield "EXP-V15a", src_quadrant_ok(src)
    yield "EXP-V15b", dst_quadrant_ok(src, dst)


VALIDATORS = {
    **dict.fromkeys((0x9D, 0x9E), scalar_tensor_tensor),
    0xE5: tensor_tensor_scan,
    **dict.fromkeys((0x9A, 0xE6), cache),
    0x30: exponential,
}
