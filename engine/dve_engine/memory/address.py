"""ADDR4 words and the address map, for single words and for whole columns of them alike.

Source: isa/01 sections 3, 4 and 9 [H unless marked]. Names are the header's. Every predicate takes NumPy integers or
arrays of them and returns the same shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from ..isa.dtypes import SIZE_BYTES, alignment_table
from ..isa.generation import ADDRESS_MASK, PSUM_WRITE_DTYPE_BYTES, QUADRANT_STARTS, Generation
from .region import Space

Words = npt.NDArray[np.uint32] | np.uint32  # one word or a column of them
Bools = npt.NDArray[np.bool_]  # of the shape of its words

REGISTER_BIT = 0x8000_0000
SHAPE_BIT = 0x4000_0000
INDIRECT_BIT = 0x2000_0000
MARKER_BITS = REGISTER_BIT | SHAPE_BIT | INDIRECT_BIT


def _top(words: Words) -> npt.NDArray[np.uint32]:
    return np.asarray(words >> np.uint32(24))


def address_of(words: Words) -> npt.NDArray[np.uint32]:
    """The byte address of a word: bits 28..0 (`addr_imm_mask`)."""
    return np.asarray(words & np.uint32(ADDRESS_MASK))


def is_register(words: Words) -> Bools:
    """Bit 31: a register holds the address, whatever the word places."""
    return np.asarray(words >= REGISTER_BIT)


def marker_defined(words: Words) -> Bools:
    """Whether the marker is neither 0x60 nor 0xE0: bits 30 and 29 exclude each other."""
    return np.asarray((_top(words) & 0x60) != 0x60)


def addr_from_register(words: Words) -> Bools:
    """Markers 0x80 and 0xC0: a direct operand whose address is in a register."""
    return np.asarray((_top(words) & 0xA0) == 0x80)


def shape_from_register(words: Words, generation: Generation) -> Bools:
    """Markers 0x40 and 0xC0; SUNDA knows no shape register and its count rules have no escape."""
    if not generation.features.shape_registers:
        return np.zeros(np.shape(words), bool)
    return np.asarray((_top(words) & 0x70) == 0x40)


def is_indirect(words: Words) -> Bools:
    """Markers 0x20 and 0xA0: the word is the index address of an indirect pattern."""
    return np.asarray((_top(words) & 0x60) == 0x20)


def indirect_static(words: Words) -> Bools:
    """Marker 0x20: an index address held in the record."""
    return np.asarray((_top(words) & 0xE0) == 0x20)


def indirect_in_register(words: Words) -> Bools:
    """Marker 0xA0: an index address held in a register."""
    return np.asarray((_top(words) & 0xE0) == 0xA0)


def register_form_valid(words: Words, generation: Generation, *, index_word: bool = False) -> Bools:
    """R1 to R3 for words with bit 31 set: register number below 64, bytes 1 and 2 zero, on SUNDA byte 3 exactly 0x80.

    index_word: the word is that of an index list, so bit 29 is expected.
    """
    marker = np.uint32(0xA0 if index_word else 0x80)
    good = (_top(words) & 0xA0 == marker) & ((words & np.uint32(0x00FF_FF00)) == 0)
    good &= (words & np.uint32(0xFF)) < generation.num_address_registers
    if generation.features.register_marker_exact_0x80:
        good &= _top(words) == 0x80
    return np.asarray(good)


def in_sbuf(addresses: Words, generation: Generation) -> Bools:
    """Whether the address is in the SBUF range, padding between partitions included."""
    return np.asarray(addresses < generation.sbuf.region_bytes)


def in_psum(addresses: Words, generation: Generation) -> Bools:
    """Whether the address is in the PSUM range."""
    psum = generation.psum
    return np.asarray((addresses >= psum.base) & (addresses < psum.base + psum.region_bytes))


@cache
def _alignment(generation: Generation) -> npt.NDArray[np.uint32]:
    return alignment_table(generation)


def addr_aligned_dtype(addresses: Words, dtypes: npt.NDArray[np.integer], generation: Generation) -> Bools:
    """Whether each address is aligned to its dtype; never for codes without an alignment."""
    mask = _alignment(generation)[dtypes]
    return np.asarray((mask != 0xFFFF_FFFF) & ((addresses & mask) == 0))


def psum_write_width_ok(dtypes: npt.NDArray[np.integer]) -> Bools:
    """V10: a write to PSUM needs a dtype of exactly 4 bytes."""
    return np.asarray(SIZE_BYTES[dtypes] == PSUM_WRITE_DTYPE_BYTES)


def tpb_addr_active_channels(
    addresses: Words, channels: npt.NDArray[np.integer], generation: Generation, *, any_start: bool = False
) -> Bools:
    """V11: the address lies in the active window of a start partition that `channels` lanes may use.

    Takes the word as it stands: bits above 28 put it outside every region.
    any_start: under `start-partition-table` = any, only the window and the last partition count.
    Source: isa/01 section 9.4 [M composition].
    """
    n, addresses = np.asarray(channels), np.asarray(addresses).astype(np.int64)
    good = np.zeros(np.shape(addresses), bool)
    for space in Space:
        geometry = space.geometry(generation)
        offset = addresses - geometry.base
        partition, byte = offset // geometry.stride_bytes, offset % geometry.stride_bytes
        window = (offset >= 0) & (offset < geometry.region_bytes) & (byte < geometry.active_bytes)
        start = (partition + n <= geometry.partitions) if any_start else legal_start(partition, n)
        good |= window & start
    return good & (n >= 1) & (n <= generation.max_channels)


def legal_start(partition: npt.NDArray[np.integer], channels: npt.NDArray[np.integer]) -> Bools:
    """The start-partition table: 0, 32, 64, 96 up to 32 channels, 0 and 64 up to 64, then 0 only."""
    quarter, half = partition % 32 == 0, partition % 64 == 0
    legal = np.where(channels <= 32, quarter, np.where(channels <= 64, half, partition == 0))
    return np.asarray(legal & (partition < 128))


def addresses_in_same_sbuf_quadrant(first: Words, second: Words, generation: Generation) -> Bools:
    """Whether both addresses lie in the active window of one quadrant's first partition."""
    geometry = generation.sbuf
    same = np.zeros(np.broadcast(first, second).shape, bool)
    for partition in QUADRANT_STARTS:
        low = partition * geometry.stride_bytes
        inside = [(a >= low) & (a < low + geometry.active_bytes) for a in (first, second)]
        same |= inside[0] & inside[1]
    return same


def tt_valid_partitions(first: Words, second: Words, generation: Generation) -> Bools:
    """V25 on two resolved addresses: one in PSUM and one in SBUF, or both in one SBUF quadrant.

    Exactly one of the three must hold, which is what rejects two PSUM sources.
    """
    p0, p1 = in_psum(first, generation), in_psum(second, generation)
    s0, s1 = in_sbuf(first, generation), in_sbuf(second, generation)
    both = s0 & s1 & addresses_in_same_sbuf_quadrant(first, second, generation)
    return np.asarray((p0 & s1).astype(np.uint8) + (s0 & p1) + both == 1)


@dataclass(frozen=True)
class Location:
    """Where an address points: a memory, a partition of it and a byte inside the partition."""

    space: Space
    partition: int
    byte: int


def locate(address: int, generation: Generation) -> Location | None:
    """Split one address, or None where it is in no region. Source: isa/01 section 4.2."""
    for space in Space:
        geometry = space.geometry(generation)
        offset = address - geometry.base
        if 0 <= offset < geometry.region_bytes:
            return Location(space, *divmod(offset, geometry.stride_bytes))
    return None


def address_at(location: Location, generation: Generation) -> int:
    """The address of a location; the inverse of `locate`."""
    geometry = location.space.geometry(generation)
    return geometry.base + location.partition * geometry.stride_bytes + location.byte
