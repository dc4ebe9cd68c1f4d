"""What every validator uses: bytes, dtypes, ALU classes, addresses, patterns, header and immediates.

Source: isa/01 sections 1.3 to 9.9, 02 section 4.
"""
import json
from collections import namedtuple
from math import prod
from pathlib import Path
from struct import unpack_from

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
SUBDIMS = {2: 1, 3: 2, 4: 3, 5: 4}  # code of TENSOR_SUBDIM -> innermost dimensions it names
BITVEC_REDUCE = {3, 5, 8, 9}
FP_DATAPATH = {6, 7, FP32, FP32R, 0xD, 0xE, 0xF}
BYPASS, MAX, POW, RSQRT = 0x00, 0x08, 0x1A, 0x1D
WAIT_MODES = {*range(16), 0xFE}
UPDATE_MODES = {*range(11), *range(17, 27)}


# --- bytes, dtypes, ALU codes --------------------------------------------------------------------------------------


def u16(record, at):
    return int.from_bytes(record[at : at + 2], "little")


def u32(record, at):
    return int.from_bytes(record[at : at + 4], "little")


def f32(record, at):
    return unpack_from("<f", record, at)[0]


def pair(record, at):
    """Return the two halves of a byte, low first."""
    return record[at] & 15, record[at] >> 4


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


def pattern_ok(p, dtype, write=False, psum_ok=True):
    """V15 to V17 tensorNd_valid, memNd_valid."""
    g = p.generation
    if p.indirect:
        index = address_ok(p.word & ~0x20000000, UINT32, g, psum_ok=False)
        return p.num != 0 and index and p.data >> 29 == 0 and address_ok(p.data, dtype, g, write, psum_ok)
    if (p.word >> 24) & 0x60 == 0x20:  # an indirect marker where no indirect form exists
        return False
    return (all(p.counts) or shape_marker(p)) and address_ok(p.word, dtype, g, write, psum_ok)


def element_count(p):
    return p.num if p.indirect else prod(p.counts) % 2**32


def counts_waived(a, b):
    """The waivers of every rule that compares two patterns (isa/01 section 9.7)."""
    return shape_marker(a) or shape_marker(b) or index_in_register(a) or index_in_register(b)


def same_count(a, b):
    """V19, V20 with their waivers."""
    return counts_waived(a, b) or element_count(a) == element_count(b)


def count_is(p, test):
    """A rule on the count of one pattern: waived by its shape marker only (isa/01 section 9.7)."""
    return shape_marker(p) or test(element_count(p))


def kept_count(p, dims):
    """Return the product of the counts outside the `dims` innermost ones; an indirect pattern has one dimension."""
    counts = [p.num] if p.indirect else p.counts
    return prod(counts[dims:]) % 2**32


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


def channels_of_32(n):
    """V4 has_multiple_32_channels."""
    return n in (32, 64, 96, 128)


def register_ok(word):
    return word >> 8 == 0 and word & 0xFF < 64


def immediate_ok(word, source, n, dtype, g):
    """has_valid_immediates (isa/01 section 7.4)."""
    if source == 1:
        return channels_fit(word, n, g) and aligned(word, dtype, g)
    return source == 0 or (source == 2 and register_ok(word))
