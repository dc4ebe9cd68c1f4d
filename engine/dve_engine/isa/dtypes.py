"""The dtype code space, its named sets, and the elementary legality gates.

Source: isa/02 sections 2 to 4, isa/01 section 8 [H unless marked]. How the bits of each format convert is floor 2,
`numerics`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from .generation import MARIANA, MAVERICK, SUNDA, Generation


class Dtype(IntEnum):
    """NEURON_ISA_TPB_DTYPE."""

    INVALID = 0x00
    UINT64 = 0x01
    INT8 = 0x02
    UINT8 = 0x03
    INT16 = 0x04
    UINT16 = 0x05
    BFLOAT16 = 0x06
    FP16 = 0x07
    INT32 = 0x08
    UINT32 = 0x09
    FP32 = 0x0A
    FP32R = 0x0B
    INT64 = 0x0C
    FP8_EXP3 = 0x0D
    FP8_EXP4 = 0x0E
    FP8_EXP5 = 0x0F
    FP4_EXP2 = 0x10
    FP8_EXP2 = 0x11
    INT4 = 0x12
    SFP8_E8 = 0x13
    SFP8_E7 = 0x14
    SFP8_E6 = 0x15
    SFP8_E5 = 0x16
    CPTC1 = 0x19
    CPTC2 = 0x1A
    CPTC3 = 0x1B
    CPTC4 = 0x1C
    CPTC5 = 0x1D
    CPTC6 = 0x1E
    CPTC7 = 0x1F


@dataclass(frozen=True)
class DtypeInfo:
    """One code. `size_bytes` is 0 where an element is smaller than a byte or has no size."""

    dtype: Dtype
    size_bytes: int
    first: Generation
    kind: str


_KINDS = {
    "invalid": (Dtype.INVALID,),
    "int64": (Dtype.UINT64, Dtype.INT64),
    "int": (Dtype.INT8, Dtype.UINT8, Dtype.INT16, Dtype.UINT16, Dtype.INT32, Dtype.UINT32),
    "float": (Dtype.BFLOAT16, Dtype.FP16, Dtype.FP32, Dtype.FP8_EXP3, Dtype.FP8_EXP4, Dtype.FP8_EXP5),
    "float_output_only": (Dtype.FP32R,),
    "mx_element": (Dtype.FP4_EXP2, Dtype.FP8_EXP2, Dtype.INT4),
    "scale": (Dtype.SFP8_E8, Dtype.SFP8_E7, Dtype.SFP8_E6, Dtype.SFP8_E5),
    "transport": tuple(d for d in Dtype if d >= Dtype.CPTC1),
}
_KIND_OF = {d: kind for kind, ds in _KINDS.items() for d in ds}
_SIZES = (
    0,
    8,
    1,
    1,
    2,
    2,
    2,
    2,
    4,
    4,
    4,
    4,
    8,
    1,
    1,
    1,
    0,
    1,
    0,
    1,
    1,
    1,
    1,
)  # by code; CPTC below: packed, no element size


def _first(code: int) -> Generation:
    if code <= 0x0F:
        return SUNDA
    return MARIANA if code == Dtype.FP4_EXP2 or code >= Dtype.CPTC1 else MAVERICK


DTYPES = {d: DtypeInfo(d, _SIZES[d] if d < len(_SIZES) else 0, _first(d), _KIND_OF[d]) for d in Dtype}

INT6 = frozenset(_KINDS["int"])  # is_valid_int_dtype_datapath
INT8SET = INT6 | {Dtype.UINT64, Dtype.INT64}  # is_valid_int_dtype
INT_32B = frozenset((Dtype.INT32, Dtype.UINT32))  # is_valid_32b_int_dtype
INT_64B = frozenset((Dtype.UINT64, Dtype.INT64))  # is_valid_64b_int_dtype
SIGNED_INT = frozenset((Dtype.INT8, Dtype.INT16, Dtype.INT32, Dtype.INT64))
UNSIGNED_INT = frozenset((Dtype.UINT8, Dtype.UINT16, Dtype.UINT32, Dtype.UINT64))
FP_DATAPATH = frozenset(_KINDS["float"])  # is_valid_fp_dtype_datapath, FP32R not allowed
FP_DATAPATH_FP32R = FP_DATAPATH | {Dtype.FP32R}
FOUR_BYTE = frozenset(d for d in Dtype if DTYPES[d].size_bytes == 4)

SIZE_BYTES = np.zeros(256, np.int64)
for _d in Dtype:
    SIZE_BYTES[_d] = DTYPES[_d].size_bytes


def codes(generation: Generation) -> frozenset[int]:
    """Every enumerator of `generation`."""
    return frozenset(int(d) for d, info in DTYPES.items() if info.first.order <= generation.order)


def size_bytes(dtype: int) -> int:
    """Bytes per element, 0 where the code has no addressable element."""
    return int(SIZE_BYTES[dtype])


def raw_type(dtype: int) -> np.dtype[np.unsignedinteger]:
    """The unsigned NumPy type that holds one element bit for bit."""
    return np.dtype(f"<u{size_bytes(dtype)}")


def alignment_table(generation: Generation) -> npt.NDArray[np.uint32]:
    """For each of the 256 codes the mask of bits that an aligned address has clear; all ones where none is aligned.

    Source: isa/01 section 8, `addr_aligned_dtype`; sub-byte and scale codes of MAVERICK [M]; CPTC never.
    """
    never = np.uint32(0xFFFFFFFF)
    table = np.full(256, never)
    for d in codes(generation) - {int(Dtype.INVALID)}:
        if d < Dtype.CPTC1:
            table[d] = max(size_bytes(d), 1) - 1
    return table


@dataclass(frozen=True)
class Gate:
    """One elementary check of `is_valid_dtype`: codes it refuses unless the caller's permission allows them."""

    name: str
    refuses: frozenset[int]
    permission: str | None = None


_INVALID = Gate("dtype_invalid_check", frozenset((0x00,)))
_FP32R = Gate("dtype_fp32r_illegal_check", frozenset((0x0B,)), "fp32r")
_UINT64 = Gate("dtype_uint64_illegal_check", frozenset((0x01,)), "u64")
_INT64 = Gate("dtype_int64_illegal_check", frozenset((0x0C,)), "i64")
_FP4 = Gate("dtype_fp4_illegal_check", frozenset((0x10,)), "fp4")
_4BIT = Gate("dtype_4bit_illegal_check", frozenset((0x10, 0x12)), "fp4")
_SCALE = Gate("dtype_scale_illegal_check", frozenset(range(0x13, 0x17)), "scale")


def gates(generation: Generation) -> tuple[Gate, ...]:
    """The chain of `is_valid_dtype` in evaluation order; the last gate is enum membership.

    Source: isa/02 section 4.2.
    """
    features = generation.features
    chain = [_INVALID, _FP32R, _UINT64, _INT64]
    chain += [_FP4] if features.dtype_fp4_check else []
    chain += [_4BIT] if features.dtype_4bit_check else []
    chain += [_SCALE] if features.dtype_scale_check else []
    return (*chain, Gate("is_valid_enum", frozenset(range(256)) - codes(generation)))


def dtype_name(code: int) -> str:
    """The enumerator's name, or the bare code where there is none."""
    return Dtype(code).name if code in DTYPES else f"0x{code:02X}"
