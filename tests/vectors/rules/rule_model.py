"""List every rule that a record breaks: a slow, literal reading of the specification's rule lists.

One generator per validator yields (rule id, verdict) in header order; a verdict is True, False, or the name of the
elementary check that fails. It exists to prove the vectors beside it and is never imported by the engine. Sets and
memberships come from docs/isa/tables; the rules are typed here from the pages. Covers the families of this folder only.
Source: isa/01 sections 1.3 to 9.9, 02 section 4, 03 sections 4 and 5, 04 sections 3 to 5, 05 section 8, 06 section 9.
"""

import json
from collections import namedtuple
from math import prod
from pathlib import Path

TABLES = Path(__file__).resolve().parents[3] / "docs" / "isa" / "tables"
GENERATIONS = ("SUNDA", "CAYMAN", "MARIANA", "MAVERICK")
NOT_MODELLED = "not modelled"

Memory = namedtuple("Memory", "stride active sbuf psum")  # bytes; isa/01 section 4.1
MEMORY = {
    "SUNDA": Memory(0x40000, 0x30000, 0x2000000, 0x400000),
    "CAYMAN": Memory(0x40000, 0x38000, 0x2000000, 0x400000),
    "MARIANA": Memory(0x40000, 0x40000, 0x2000000, 0x400000),
    "MAVERICK": Memory(0x100000, 0x80000, 0x8000000, 0),
}
PSUM_BASE, PSUM_STRIDE, PSUM_ACTIVE = 0x2000000, 0x8000, 0x4000
ADDRESS_MASK = 0x1FFFFFFF

DTYPES = {row["code"]: row for row in json.loads((TABLES / "dtypes.json").read_text())["dtypes"]}
ALUOPS = {row["code"]: row for row in json.loads((TABLES / "aluops.json").read_text())["aluops"]}

UINT32, FP32, FP32R = 9, 0xA, 0xB
INT6, INT8SET, INT64S = {2, 3, 4, 5, 8, 9}, {1, 2, 3, 4, 5, 8, 9, 0xC}, {1, 0xC}
SIGNED, UNSIGNED = {2, 4, 8, 0xC}, {1, 3, 5, 9}
FP_DATAPATH = {6, 7, FP32, FP32R, 0xD, 0xE, 0xF}
BYPASS, MAX, POW, RSQRT = 0x00, 0x08, 0x1A, 0x1D
WAIT_MODES = {*range(16), 0xFE}
UPDATE_MODES = {*range(11), *range(17, 27)}


def failures(record, generation, assumptions=None):
    """List (rule id, elementary check or None) of every rule the record breaks, in header order.

    record: 64 bytes whose opcode is one of the families below and a member of the generation.
    """
    validator = VALIDATORS[record[0]]
    verdicts = validator(record, generation, assumptions or {})
    return [(rule, verdict or None) for rule, verdict in verdicts if verdict is not True]


# --- bytes, dtypes, ALU codes --------------------------------------------------------------------------------------


def u16(record, at):
    return int.from_bytes(record[at : at + 2], "little")


def u32(record, at):
    return int.from_bytes(record[at : at + 4], "little")


def width(dtype):
    return (DTYPES[dtype]["bytes"] or 0) if dtype in DTYPES else 0


def aligned(address, dtype, g):
    divisor = DTYPES[dtype]["addr_aligned"][g] if dtype in DTYPES else None
    return divisor is not None and address % divisor == 0


def dtype_gate(dtype, g, fp32r=False, int64=False):
    """is_valid_dtype and is_valid_dtype_64: True, or the first elementary check that fails (isa/02 section 4.2)."""
    if dtype == 0:
        return "dtype_invalid_check"
    if dtype == FP32R and not fp32r:
        return "dtype_fp32r_illegal_check"
    if dtype == 0x01 and not int64:
        return "dtype_uint64_illegal_check"
    if dtype == 0x0C and not int64:
        return "dtype_int64_illegal_check"
    if g == "MARIANA" and dtype == 0x10:
        return "dtype_fp4_illegal_check"
    if g == "MAVERICK" and dtype in (0x10, 0x12):
        return "dtype_4bit_illegal_check"
    if g == "MAVERICK" and 0x13 <= dtype <= 0x16:
        return "dtype_scale_illegal_check"
    return (dtype in DTYPES and DTYPES[dtype]["presence"][g]) or "is_valid_enum"


def is_aluop(code, g):
    return code in ALUOPS and ALUOPS[code]["presence"][g]


def alu_class(name, code, g):
    return is_aluop(code, g) and ALUOPS[code]["member"][name] is True


# --- addresses and patterns ----------------------------------------------------------------------------------------

Pattern = namedtuple("Pattern", "word data num counts indirect generation")


def pattern(record, at, dims, g, may_be_indirect=False):
    """Read a TENSORnD, or from MARIANA on its indirect arm where the operand has one (isa/01 sections 5 and 6)."""
    word = u32(record, at)
    indirect = may_be_indirect and g in ("MARIANA", "MAVERICK") and (word >> 24) & 0x60 == 0x20
    counts = [u16(record, at + 4 + 2 * dims + 2 * d) for d in range(dims)]
    if indirect:
        return Pattern(word, u32(record, at + 4), u16(record, at + 8), counts, True, g)
    return Pattern(word, word, None, counts, False, g)


def from_register(word):
    return (word >> 24) & 0xA0 == 0x80


def shape_marker(p):
    return p.generation != "SUNDA" and (p.word >> 24) & 0x70 == 0x40


def static_index(p):
    return p.indirect and (p.word >> 24) & 0xE0 == 0x20


def index_in_register(p):
    return p.indirect and (p.word >> 24) & 0xE0 == 0xA0


def place(address, g):
    """Split an address into (space, partition, byte); space is None outside both regions."""
    m = MEMORY[g]
    if address < m.sbuf:
        return "SBUF", address // m.stride, address % m.stride
    if PSUM_BASE <= address < PSUM_BASE + m.psum:
        return "PSUM", (address - PSUM_BASE) // PSUM_STRIDE, (address - PSUM_BASE) % PSUM_STRIDE
    return None, 0, 0


def channels_fit(address, n, g):
    """V11 tpb_addr_active_channels, on a whole pointer word or a masked ADDR4."""
    space, partition, byte = place(address, g)
    if not 1 <= n <= 128 or space is None or byte >= (MEMORY[g].active if space == "SBUF" else PSUM_ACTIVE):
        return False
    return partition in ((0, 32, 64, 96) if n <= 32 else (0, 64) if n <= 64 else (0,))


def start_ok(p, n):
    """V12 to V14: the start rule on every address word of the operand; a word in register form passes."""
    words = [p.data] if not p.indirect else [p.data] if index_in_register(p) else [p.word, p.data]
    return all(from_register(w) or channels_fit(w & ADDRESS_MASK, n, p.generation) for w in words)


def address_ok(word, dtype, g, write=False, psum_ok=True):
    """V4a to V10 tensor_start_addr_valid."""
    if (word >> 24) & 0x60 == 0x60:
        return False
    if word >> 31:
        return (
            from_register(word) and word & 0xFFFF00 == 0 and word & 0xFF < 64 and (g != "SUNDA" or word >> 24 == 0x80)
        )
    address = word & ADDRESS_MASK
    space = place(address, g)[0]
    if not aligned(address, dtype, g) or space is None:
        return False
    return space == "SBUF" or (psum_ok and not (write and width(dtype) != 4))


def pattern_ok(p, dtype, write=False):
    """V15 to V17 tensorNd_valid, memNd_valid."""
    g = p.generation
    if p.indirect:
        index = address_ok(p.word & ~0x20000000, UINT32, g, psum_ok=False)
        return p.num != 0 and index and p.data >> 29 == 0 and address_ok(p.data, dtype, g, write)
    if (p.word >> 24) & 0x60 == 0x20:  # an indirect marker where no indirect form exists
        return False
    return (all(p.counts) or shape_marker(p)) and address_ok(p.word, dtype, g, write)


def element_count(p):
    return p.num if p.indirect else prod(p.counts) % 2**32


def same_count(a, b):
    """V19, V20 with their waivers."""
    waived = shape_marker(a) or shape_marker(b) or index_in_register(a) or index_in_register(b)
    return waived or element_count(a) == element_count(b)


def same_quadrant(a, b, g):
    def first_partition(address):
        space, partition, byte = place(address, g)
        return partition if space == "SBUF" and partition % 32 == 0 and byte < MEMORY[g].active else None

    return first_partition(a) is not None and first_partition(a) == first_partition(b)


def partitions_ok(a, b):
    """V25 tt_valid_partitions, on the data words."""
    if from_register(a.data) or from_register(b.data):
        return True
    g, words = a.generation, (a.data & ADDRESS_MASK, b.data & ADDRESS_MASK)
    spaces = [place(w, g)[0] for w in words]
    return sorted(map(str, spaces)) == ["PSUM", "SBUF"] or (spaces == ["SBUF", "SBUF"] and same_quadrant(*words, g))


def src_quadrant_ok(p):
    """V23 indirect_quadrant_check_src3d."""
    if not static_index(p):
        return True
    data = p.data & ADDRESS_MASK
    return place(data, p.generation)[0] == "PSUM" or same_quadrant(p.word & ADDRESS_MASK, data, p.generation)


def dst_quadrant_ok(src, dst):
    """V24 indirect_quadrant_check_src3d_dst3d."""
    g, index = dst.generation, dst.word & ADDRESS_MASK
    if not static_index(dst) or (not src.indirect and from_register(src.word)):
        return True
    data = src.data & ADDRESS_MASK
    if place(data, g)[0] == "SBUF":
        return same_quadrant(index, data, g)
    if place(data, g)[0] == "PSUM" and static_index(src):
        return same_quadrant(index, src.word & ADDRESS_MASK, g)
    return True


# --- header, events, channels, immediates --------------------------------------------------------------------------


def header_ok(r):
    return r[1] == 16 or "has_valid_inst_len"


def events_ok(r):
    return (r[4] in WAIT_MODES and r[6] in UPDATE_MODES) or "is_valid_enum"


def channels_ok(n):
    return 1 <= n <= 128


def channels_with_tile_ok(r, n, g):
    """V2, on MAVERICK V3: a non-zero inst_flags byte is not modelled (isa/01 section 9.1)."""
    return NOT_MODELLED if g == "MAVERICK" and r[3] else channels_ok(n)


def register_ok(word):
    return word >> 8 == 0 and word & 0xFF < 64


def immediate_ok(word, source, n, dtype, g):
    """has_valid_immediates (isa/01 section 7.4)."""
    if source == 1:
        return channels_fit(word, n, g) and aligned(word, dtype, g)
    return source == 0 or (source == 2 and register_ok(word))


# --- one list per validator ----------------------------------------------------------------------------------------


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
