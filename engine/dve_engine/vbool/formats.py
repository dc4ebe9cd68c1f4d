"""Lane formats of a 512-bit register and the layout of a mask over them.

A mask has one bit per byte of the register; a wider lane owns a field of lane_bits/8 equal bits. Producers write the
whole field, consumers read its low bit. Source: isa/07 sections 1.2 and 2 [H].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

VECTOR_BYTES = 64

Mask = npt.NDArray[np.uint64]  # one 64-bit register per case; any shape
Vector = npt.NDArray[np.uint8]  # (..., 64), byte 0 first
Lanes = npt.NDArray[Any]  # unsigned; (..., lanes) of a register, or one lane per case
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Format:
    """Lanes of `bits` bits under the token that mnemonics end in."""

    token: str
    bits: int

    @property
    def count(self) -> int:
        """Lanes of one register."""
        return 8 * VECTOR_BYTES // self.bits

    @property
    def field(self) -> int:
        """Bits of a mask that one lane owns."""
        return self.bits // 8

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The unsigned type of a lane, little-endian."""
        return np.dtype(f"<u{self.bits // 8}")

    @cached_property
    def signed(self) -> np.dtype[Any]:
        """The signed type of a lane."""
        return np.dtype(f"<i{self.bits // 8}")

    @property
    def ones(self) -> int:
        """A lane with every bit set."""
        return (1 << self.bits) - 1

    @property
    def true(self) -> int:
        """The field of a mask that says true."""
        return (1 << self.field) - 1


BYTES = Format("2nx8", 8)
HALVES = Format("nx16", 16)
WORDS = Format("n_2x32", 32)
DOUBLES = Format("n_4x64", 64)
INTEGER_FORMATS = (BYTES, HALVES, WORDS)


@dataclass(frozen=True)
class FloatFormat:
    """A floating-point lane, by its bit patterns."""

    token: str
    lane: Format
    infinity: int
    quiet: int

    @property
    def sign(self) -> int:
        """The sign bit."""
        return 1 << (self.lane.bits - 1)

    @property
    def magnitude(self) -> int:
        """Every bit but the sign."""
        return self.sign - 1

    @property
    def canonical(self) -> int:
        """The quiet NaN that operations make."""
        return self.infinity | self.quiet


FP16 = FloatFormat("nxf16", HALVES, 0x7C00, 0x0200)
FP32 = FloatFormat("n_2xf32", WORDS, 0x7F800000, 0x00400000)
FLOAT_FORMATS = (FP16, FP32)


def lanes(vec: Vector, fmt: Format) -> Lanes:
    """The lanes of registers, (..., lanes)."""
    return np.ascontiguousarray(vec).view(fmt.dtype)


def vector(values: Lanes, fmt: Format) -> Vector:
    """Registers of lanes, (..., 64) bytes. Lanes of a wider type are cut to their low bits."""
    return np.ascontiguousarray(values, dtype=fmt.dtype).view(np.uint8)


def vb_pack(bits: Bools, fmt: Format) -> Mask:
    """Masks whose fields are all ones where `bits`, (..., lanes), is true."""
    packed = np.ascontiguousarray(np.packbits(bits, axis=-1, bitorder="little"))
    if fmt.field > 1:
        packed = _SPREAD[fmt.field][packed]
    return np.asarray(packed.view("<u8")[..., 0])


def _spread(field: int) -> npt.NDArray[Any]:
    """Every byte with each bit `field` times, as `field` bytes."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=-1, bitorder="little")
    octets = np.packbits(np.repeat(bits, field, axis=-1), axis=-1, bitorder="little")
    return octets.view(f"<u{field}")[:, 0]


_SPREAD = {field: _spread(field) for field in (2, 4, 8)}


def vb_bits(vb: Mask, fmt: Format) -> Bools:
    """The low bit of each field, (..., lanes)."""
    words = np.asarray(vb, dtype="<u8", order="C")
    octets = words.reshape(*words.shape, 1).view(np.uint8)
    bits: Bools = np.unpackbits(octets, axis=-1, bitorder="little")[..., :: fmt.field].view(np.bool_)
    return bits


def any_lane(bits: Bools) -> Bools:
    """Whether any lane is true, per case."""
    return np.asarray(bits.any(axis=-1))


def at(values: Lanes, place: npt.NDArray[Any]) -> Lanes:
    """The lanes at `place`, (..., n); leading axes broadcast."""
    shape = np.broadcast_shapes(values.shape[:-1], place.shape[:-1])
    whole = np.broadcast_to(values, (*shape, values.shape[-1]))
    return np.take_along_axis(whole, np.broadcast_to(place, (*shape, place.shape[-1])), axis=-1)


def as_lane(values: npt.NDArray[Any], fmt: Format) -> Lanes:
    """Single lane values of any integer type in the lane's own type."""
    return np.asarray(values).astype(fmt.dtype)


def as_word(values: npt.NDArray[Any]) -> Mask:
    """Unsigned or truth values as 64-bit registers."""
    return np.asarray(values).astype(np.uint64)
