"""The four generations as rows of constants and feature flags.

Source: isa/01 section 4.1 (geometry), isa/02 section 6 (FP8 mode), isa/06 section 1 (names) [H unless marked].
Behaviour that differs between generations reads a flag here; no instruction asks which generation it runs on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

ADDRESS_MASK = 0x1FFF_FFFF  # bits 28..0 of an address word are the byte address
RECORD_BYTES = 64
INST_WORD_LEN = 16  # record length in 4-byte words
PSUM_WRITE_DTYPE_BYTES = 4
MAX_CHANNELS = 128  # lanes, each with its accumulator
NUM_ADDRESS_REGISTERS = 64
QUADRANT_STARTS = (0, 32, 64, 96)


class UnknownGeneration(ValueError):
    """The name is neither a generation nor one of its aliases."""

    def __init__(self, name: object) -> None:
        known = ", ".join(g.name.lower() for g in GENERATIONS)
        expected = f"expected one of {known} or an alias such as nc-v2 or trn1"
        super().__init__(f"unknown generation {str(name)[:80]!r}; {expected}")


@dataclass(frozen=True)
class MemoryGeometry:
    """One on-chip memory as the address map shows it. All sizes in bytes.

    region_bytes is the range of addresses (0: the memory is not addressable), stride_bytes the distance between
    partitions, active_bytes what really exists of each stride.
    """

    base: int
    region_bytes: int
    stride_bytes: int
    active_bytes: int
    partitions: int = 128


@dataclass(frozen=True)
class Fp8Mode:
    """Engine state that selects how FP8 codes convert. Source: isa/02 section 6."""

    ocp: bool = False  # code 0x0E is E4M3FN (448, no Inf) instead of E4M3 (240, Inf)
    sat: bool = False  # under ocp: overflow of E4M3 and E5M2 clamps to the largest finite value
    sis: bool = False  # without ocp: overflow clamps instead of producing Inf
    sns: bool = False  # without ocp: NaN becomes a signed zero
    emax_e4m3: int = 8
    emax_e5m2: int = 15


@dataclass(frozen=True)
class Features:
    """What a generation has that another one lacks. Source: isa/01 to isa/06; tables/generations.json."""

    mem_pattern_unions: bool  # S3D3_TS, S3D3_CP_PRED_SCALAR, S4D4_TR, S3S3D3_TT hold direct-or-indirect patterns
    mem_pattern_union_types_defined: bool
    indirect_patterns: bool
    s3s3d3_indirect_src0_dst: bool
    indirect_quadrant_checks: bool
    mxtensor_v2: bool
    shape_registers: bool  # bit 30 of an address word has a meaning
    register_marker_exact_0x80: bool  # a register word is exactly 0x80000000 | number
    tile_aware_channel_range: bool
    header_inst_flags: bool
    int_aluop_dve: bool  # integer-band ALU codes in tensor-scalar
    psum_present: bool
    dtype_64_in_tensor_tensor_validator: bool
    tensor_tensor_64bit_shift_exception: bool
    dtype_basic_alias: bool
    dtype_fp4_check: bool
    dtype_4bit_check: bool
    dtype_scale_check: bool
    bf16_fast_opcodes: bool
    exponential_bound: bool
    rand_state_on_dve: bool
    xorwow_algorithm_enum: bool
    rand_src_full_enum: bool


@dataclass(frozen=True)
class Generation:
    """One instruction-set generation."""

    name: str
    order: int
    nc_version: str
    core_version: int
    aliases: tuple[str, ...]
    sbuf: MemoryGeometry
    psum: MemoryGeometry
    features: Features
    fp8_default: Fp8Mode
    fp8_default_open: bool = False  # whether sources disagree about it: `fp8-mode-mariana`
    num_address_registers: int = NUM_ADDRESS_REGISTERS
    max_channels: int = MAX_CHANNELS

    def __repr__(self) -> str:
        return self.name

    def __hash__(self) -> int:  # rows are singletons; hashing every flag would be wasted work
        return hash(self.name)


KIB = 1024
_SBUF_RANGE = 0x200_0000
_PSUM_BASE = 0x200_0000


def _psum(region_bytes: int) -> MemoryGeometry:
    return MemoryGeometry(_PSUM_BASE, region_bytes, 32 * KIB, 16 * KIB)


_SINCE = {  # feature -> the first generation that has it; order of isa/01 to isa/06
    "mem_pattern_unions": 2, "mem_pattern_union_types_defined": 1, "indirect_patterns": 2,
    "s3s3d3_indirect_src0_dst": 2, "indirect_quadrant_checks": 2, "mxtensor_v2": 3, "shape_registers": 1,
    "tile_aware_channel_range": 3, "header_inst_flags": 3, "int_aluop_dve": 3,
    "dtype_64_in_tensor_tensor_validator": 1, "tensor_tensor_64bit_shift_exception": 1, "dtype_basic_alias": 2,
    "dtype_4bit_check": 3, "dtype_scale_check": 3, "exponential_bound": 2, "rand_state_on_dve": 2,
    "xorwow_algorithm_enum": 1, "rand_src_full_enum": 1,
}  # fmt: skip
_ONLY = {  # feature -> the generations that have it, where it does not simply stay
    "register_marker_exact_0x80": {0}, "bf16_fast_opcodes": {0}, "dtype_fp4_check": {2}, "psum_present": {0, 1, 2},
}  # fmt: skip


def _features(order: int) -> Features:
    flags = {name: order >= first for name, first in _SINCE.items()}
    return Features(**flags, **{name: order in orders for name, orders in _ONLY.items()})


SUNDA = Generation(
    "SUNDA", 0, "NC-v2", 2, ("nc-v2", "gen2", "trn1", "inf2"),
    MemoryGeometry(0, _SBUF_RANGE, 256 * KIB, 192 * KIB), _psum(0x40_0000), _features(0), Fp8Mode(),
)  # fmt: skip
CAYMAN = Generation(
    "CAYMAN", 1, "NC-v3", 3, ("nc-v3", "gen3", "trn2"),
    MemoryGeometry(0, _SBUF_RANGE, 256 * KIB, 224 * KIB), _psum(0x40_0000), _features(1), Fp8Mode(),
)  # fmt: skip
MARIANA = Generation(
    "MARIANA", 2, "NC-v4", 4, ("nc-v4", "gen4", "trn3"),
    MemoryGeometry(0, _SBUF_RANGE, 256 * KIB, 256 * KIB), _psum(0x40_0000), _features(2), Fp8Mode(ocp=True, sat=True),
    fp8_default_open=True,
)  # fmt: skip
MAVERICK = Generation(
    "MAVERICK", 3, "NC-v5", 5, ("nc-v5",),
    MemoryGeometry(0, 0x800_0000, 1024 * KIB, 512 * KIB), _psum(0), _features(3), Fp8Mode(ocp=True, sat=True),
)  # fmt: skip

GENERATIONS = (SUNDA, CAYMAN, MARIANA, MAVERICK)
ALL = frozenset(GENERATIONS)
_BY_NAME = {alias: g for g in GENERATIONS for alias in (g.name.lower(), *g.aliases)}


def generation_named(name: str | Generation) -> Generation:
    """Find a generation by name or alias, whatever the case.

    Raises UnknownGeneration.
    """
    if isinstance(name, Generation):
        return name
    try:
        return _BY_NAME[str(name).lower()]
    except KeyError:
        raise UnknownGeneration(name) from None


def since(first: Generation) -> frozenset[Generation]:
    """The generations from `first` on."""
    return frozenset(g for g in GENERATIONS if g.order >= first.order)


def names(generations: frozenset[Generation]) -> Iterator[str]:
    """Names in generation order."""
    return (g.name for g in GENERATIONS if g in generations)
