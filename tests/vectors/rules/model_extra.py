"""Random numbers, sparsity, microscaling, wide integers, activation. Source: isa/01 section 6.4, 06 sections 7, 8.2."""

from math import prod

from .model_base import (
    ADDRESS_MASK,
    FP32,
    INT6,
    SIGNED,
    SUBDIMS,
    UNSIGNED,
    address_ok,
    aligned,
    channels_of_32,
    channels_ok,
    channels_with_tile_ok,
    count_is,
    counts_waived,
    dtype_gate,
    element_count,
    events_ok,
    from_register,
    header_ok,
    immediate_ok,
    kept_count,
    pair,
    pattern,
    pattern_ok,
    place,
    register_ok,
    same_count,
    same_quadrant,
    shape_marker,
    start_ok,
    u16,
    u32,
)

UINT8, UINT32 = 3, 9
COMPRESS_OPS = {8, 9, 0x20, 0x21}
STATE_WORDS = {(1, 3): 24, (0, 0): 4, (3, 0): 4}  # (generator, algorithm) of the DVE -> words per channel
SHIFTS = {0x02, 0x03, 0x10, 0x11}
ADD_INT, MULT_INT, SUBTRACT_INT, MULT_UINT = 0xC4, 0xC5, 0xC6, 0xDB


def rand2(r, g, assumptions):
    dtype, n, dst = r[32], r[34], pattern(r, 48, 3, g)
    floats_only = assumptions.get("rand2-dtypes") == "floats-only"
    dtype_ok = dtype_gate(dtype, g, fp32r=True) is True and (not floats_only or dtype not in INT6)
    yield "R2-P1", header_ok(r)
    yield "R2-P2", events_ok(r)
    yield "R2-V1", not any((r[13], *r[15:32], r[33], *r[35:38]))
    yield "R2-V2", r[12] == 3
    yield "R2-V3", r[14] == 1
    yield "R2-V4", dtype_ok
    yield "R2-V5", channels_with_tile_ok(r, n, g)
    yield "R2-V6", all(immediate_ok(u32(r, at), r[source], n, FP32, g) for at, source in ((40, 38), (44, 39)))
    yield "R2-V7", start_ok(dst, n)
    yield "R2-V8", pattern_ok(dst, dtype, write=True)


def rand_get_state(r, g, _):
    dst = pattern(r, 44, 4, g)
    yield "RGS-P1", header_ok(r)
    yield "RGS-P2", events_ok(r)
    yield "RGS-V1", not any((r[13], r[14], *r[16:32]))
    yield "RGS-V2", r[32] == UINT32
    yield "RGS-V3", not any((r[33], *r[35:44]))
    yield "RGS-V4", channels_ok(r[34])
    yield "RGS-V5", pattern_ok(dst, r[32], write=True)
    yield "RGS-V6", STATE_WORDS.get((r[15], r[12])) == element_count(dst)


def rand_set_state(r, g, _):
    src, from_tensor, state = pattern(r, 16, 1, g), r[14] == 0, r[32:64]
    yield "RSS-P1", header_ok(r)
    yield "RSS-P2", events_ok(r)
    yield "RSS-V1", not any(r[25:32])
    yield "RSS-V2", r[15] == UINT32
    yield "RSS-V3", pattern_ok(src, r[15], psum_ok=False)
    yield "RSS-V4", not from_tensor or not any(state)
    yield "RSS-V5", from_tensor or (r[12] == 2 and not any(state[28:]))
    yield "RSS-V6", from_tensor and STATE_WORDS.get((r[24], r[12])) == src.counts[0]


def group_size(src, dims):
    return prod(src.counts[:dims])


def transpose_src_ok(r, src):
    """V9: "a 32x32 element count" is read as a multiple of 32, as for the other transposed forms."""
    return r[13] == 0 or (r[13] == 1 and channels_of_32(r[34]) and count_is(src, lambda count: count % 32 == 0))


def sparsity_compress(r, g, _):
    src, dst, dims = pattern(r, 16, 3, g), pattern(r, 48, 3, g), SUBDIMS.get(r[37], 0)
    yield "SC-P1", header_ok(r)
    yield "SC-P2", events_ok(r)
    yield "SC-V2", not any((r[14], r[15], r[35], *r[38:48]))
    yield "SC-V3", dtype_gate(r[12], g)
    yield "SC-V4", r[36] in COMPRESS_OPS
    yield "SC-V5", r[37] in SUBDIMS
    yield "SC-V6", shape_marker(src) or group_size(src, dims) >= 4
    yield "SC-V7", counts_waived(src, dst) or element_count(dst) == 4 * kept_count(src, dims)
    yield "SC-V8", channels_with_tile_ok(r, r[34], g)
    yield "SC-V9", transpose_src_ok(r, src)
    yield "SC-V10", (r[32] in (0xD, 0xE, 0xF) and r[33] == 5) or (r[32] in (6, 7) and r[33] == UINT32)


def tags_ok(r, g, data, tags):
    """V10: the dtypes, and how many tags belong to the data."""
    if dtype_gate(r[32], g, fp32r=True) is not True or r[14] not in (0, 1):
        return False
    waived = counts_waived(data, tags)
    if r[14] == 1:
        return r[33] == 5 and (waived or element_count(tags) * 4 == element_count(data))
    return r[33] in (3, 5, UINT32) and (waived or element_count(tags) == element_count(data))


def tag_place_ok(data, tags):
    g, data_word, tag_word = tags.generation, data.word & ADDRESS_MASK, tags.word & ADDRESS_MASK
    if from_register(tags.word):
        return True
    if place(tag_word, g)[0] != "SBUF":
        return False
    return from_register(data.word) or same_quadrant(data_word, tag_word, g)


def sparsity_compress_tag(r, g, _):
    src, data, tags = (pattern(r, at, 2, g) for at in (20, 40, 52))
    dims = SUBDIMS.get(r[37], 0)
    yield "SCT-P1", header_ok(r)
    yield "SCT-P2", events_ok(r)
    yield "SCT-V2", not any((*r[15:20], r[35], *r[38:40]))
    yield "SCT-V3", dtype_gate(r[12], g)
    yield "SCT-V4", r[36] in COMPRESS_OPS
    yield "SCT-V5", r[37] in (2, 3)
    yield "SCT-V6", shape_marker(src) or group_size(src, dims) >= 4
    yield "SCT-V7", counts_waived(src, data) or element_count(data) == 4 * kept_count(src, dims)
    yield "SCT-V8", channels_with_tile_ok(r, r[34], g)
    yield "SCT-V9", transpose_src_ok(r, src)
    yield "SCT-V10", tags_ok(r, g, data, tags)
    yield "SCT-V11", tag_place_ok(data, tags)


def mx_pattern_ok(r, g):
    """mxmem1d_valid: groups of four FP8 elements, data and scale in one SBUF quadrant."""
    data, scale = u32(r, 48), u32(r, 52)
    if not (address_ok(data, UINT32, g, write=True) and address_ok(scale, UINT8, g)):
        return False
    known = not from_register(data) and not from_register(scale)
    return u16(r, 56) != 0 and (not known or same_quadrant(data & ADDRESS_MASK, scale & ADDRESS_MASK, g))


def quantize_mx(r, g, assumptions):
    lengths = (16,) if assumptions.get("quantize-mx-length-byte") == "only-0x10" else (16, 17)
    yield "QMX-P1", r[1] in lengths or "has_valid_inst_len"
    yield "QMX-P2", events_ok(r)
    yield "QMX-V1", not any((*r[12:16], r[32], *r[36:48]))
    yield "QMX-V3", pattern_ok(pattern(r, 16, 3, g), UINT32, psum_ok=False)
    yield "QMX-V4", mx_pattern_ok(r, g)
    yield "QMX-V5", r[34] in (6, 7)
    yield "QMX-V6", r[35] in (0xE, 0xF)
    yield "QMX-V7", channels_of_32(r[33])


def signedness_ok(op, dtype, imm_dtype):
    if op in SHIFTS:
        return imm_dtype in UNSIGNED
    if op == MULT_INT:
        return {dtype, imm_dtype} <= SIGNED
    if op in (ADD_INT, SUBTRACT_INT, MULT_UINT):
        return {dtype, imm_dtype} <= UNSIGNED
    return {dtype, imm_dtype} <= SIGNED or {dtype, imm_dtype} <= UNSIGNED


def wide_immediate_ok(word, source, dtype, g):
    """V5 names the alignment of a pointer and nothing else."""
    if source == 1:
        return aligned(word, dtype, g)
    return source == 0 or (source == 2 and register_ok(word))


def int_wide(r, g, _):
    (dtype, imm_dtype), (out0, out1), op, source, word = pair(r, 12), pair(r, 13), r[14], r[52], u32(r, 56)
    src, dst0, dst1 = (pattern(r, at, 2, g) for at in (16, 28, 40))
    yield "TSIW-P1", header_ok(r)
    yield "TSIW-P2", events_ok(r)
    yield "TSIW-V1", {dtype, imm_dtype, out0, out1} <= INT6
    yield "TSIW-V2", op in SHIFTS | {ADD_INT, MULT_INT, SUBTRACT_INT, MULT_UINT}
    yield "TSIW-V3", signedness_ok(op, dtype, imm_dtype)
    yield "TSIW-V4", op not in SHIFTS or source != 0 or word & 0xFFFFFFE0 == 0
    yield "TSIW-V5", wide_immediate_ok(word, source, imm_dtype, g)
    outputs = pattern_ok(dst0, out0, write=True, psum_ok=False) and pattern_ok(dst1, out1, write=True, psum_ok=False)
    yield "TSIW-V6", pattern_ok(src, dtype, psum_ok=False) and outputs
    yield "TSIW-V7", same_count(src, dst0) and same_count(src, dst1)
    yield "TSIW-V8", not any((*r[53:56], *r[60:64]))
    yield "TSIW-V9", channels_with_tile_ok(r, r[15], g)


ACTIVATE_OPS = {(6, 4), (6, 5), (6, 0), (4, 0), (5, 0), (0, 0)}


def activate2(r, g, _):
    gates = (dtype_gate(r[32], g), dtype_gate(r[28], g), dtype_gate(r[33], g, fp32r=True))
    yield "AC2-P1", header_ok(r)
    yield "AC2-P2", events_ok(r)
    yield "AC2-V2", gates == (True, True, True)
    yield "AC2-V3", (r[29], r[30]) in ACTIVATE_OPS
    yield "AC2-V4", (r[26] == 0) == (r[31] == 0)


VALIDATORS = {
    0xE2: rand2,
    0x77: rand_get_state,
    0x78: rand_set_state,
    0xE0: sparsity_compress,
    0xE1: sparsity_compress_tag,
    0xE3: quantize_mx,
    0xF4: int_wide,
    0x25: activate2,
}
