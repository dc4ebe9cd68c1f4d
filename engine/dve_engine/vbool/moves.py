"""Moves between register files, the packed-operand file `b32_pr`, and the FS flag bank.

Source: isa/07 sections 3.5, 4, 6 and 9.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from ..isa.assumptions import Choices
from .errors import BadInput
from .formats import (
    BYTES,
    DOUBLES,
    HALVES,
    WORDS,
    Format,
    Mask,
    Vector,
    as_lane,
    as_word,
    at,
    lanes,
    vb_bits,
    vb_pack,
    vector,
)
from .operation import RESULT_BIT, VB, A, B, Operand, Operation, index, lane, vbool, vec

_ONE = np.uint64(1)
BANKS = 8


def mov_64_64(a: Mask) -> Mask:
    """A copy."""
    return a.copy()


def ivp_ext0ib(vb: Mask, bit: Mask) -> Mask:
    """Bit `bit` of a mask, in bit 0; a number beyond 63 gives 0 [L]."""
    shift = np.asarray(bit)
    return np.where(shift < 64, (vb >> (shift & np.uint64(63))) & _ONE, np.uint64(0))


def ivp_movba1(ar: Mask) -> Mask:
    """Bit 0 of a scalar."""
    return ar & _ONE


def ivp_movab1(bit: Mask) -> Mask:
    """A bit as a scalar 0 or 1."""
    return bit & _ONE


# --- the packed-operand file -------------------------------------------------------------------------------


def ivp_movpra32(ar: Mask) -> Mask:
    """A scalar, its bit 31 in every bit of the high word."""
    return np.where((ar >> np.uint64(31)) & _ONE == 1, ar | np.uint64(0xFFFF_FFFF_0000_0000), ar)


def extrpr(vec: Vector, lane: Mask, fmt: Format) -> Mask:
    """A lane, zero-extended; its number is taken modulo the lane count."""
    chosen = (np.asarray(lane) & np.uint64(fmt.count - 1)).astype(np.intp)
    return as_word(at(lanes(vec, fmt), chosen[..., None])[..., 0])


def ivp_dextrprn_2x32(vec: Vector, lane0: Mask, lane1: Mask) -> Mask:
    """Two 32-bit lanes: the first in the low word, the second in the high one."""
    return extrpr(vec, lane0, WORDS) | (extrpr(vec, lane1, WORDS) << np.uint64(32))


def ivp_movvpr(pr: Mask, choices: Choices) -> Vector:
    """The 64-bit value in all eight groups of a vector register.

    The other direction of `vbool-movvpr` has no value rule and is not offered.
    """
    if choices["vbool-movvpr"] != "vec-from-pr-replicated":
        raise BadInput("pr", "vbool-movvpr = pr-from-vec has no value rule")
    return vector(np.repeat(np.asarray(pr)[..., None], DOUBLES.count, axis=-1), DOUBLES)


# --- the FS bank -------------------------------------------------------------------------------------------


def ivp_movfsv(vec: Vector) -> Mask:
    """FSn takes bit n of every byte: (..., 8)."""
    planes = np.unpackbits(vec[..., None], axis=-1, bitorder="little").view(np.bool_)  # (..., 64 bytes, 8 bits)
    return vb_pack(np.swapaxes(planes, -1, -2), BYTES)


def ivp_movvfs(fs: Mask) -> Vector:
    """Bit n of every byte takes its bit of FSn."""
    planes = vb_bits(fs, BYTES)  # (..., 8, 64)
    return np.packbits(np.swapaxes(planes, -1, -2), axis=-1, bitorder="little")[..., 0]


def ivp_borfs2n(masks: Mask) -> Mask:
    """OR of the eight words."""
    return np.asarray(np.bitwise_or.reduce(masks, axis=-1))


def ivp_bnorfs2n(masks: Mask) -> Mask:
    """Its complement."""
    return ~ivp_borfs2n(masks)


def fsltu2nx8(a: Vector, b: Vector) -> Mask:
    """Unsigned a < b of every byte; the number in the mnemonic only says which word is written."""
    return vb_pack(a < b, BYTES)


def _fsltu_lane(a: Mask, b: Mask) -> Mask:
    return as_word(as_lane(a, BYTES) < as_lane(b, BYTES))


# --- rows --------------------------------------------------------------------------------------------------

_PR, _AR, _BIT = Operand("pr", "pr"), Operand("ar", "ar", 32), Operand("bit", "bit", 1)
_VEC = vec("vec")


def _extracts() -> Iterator[Operation]:
    inputs = (_VEC, index("lane"))
    for fmt in (BYTES, HALVES, WORDS):
        said = "one lane, zero-extended"
        yield Operation(f"ivp_extrpr{fmt.token}", partial(extrpr, fmt=fmt), inputs, (_PR,), said, "9")
    yield Operation("ivp_extrpr64n_4x64", partial(extrpr, fmt=DOUBLES), inputs, (_PR,), "one 64-bit lane", "9")
    said = "one 32-bit lane, by register"
    yield Operation("ivp_extrprvrn_2x32", partial(extrpr, fmt=WORDS), inputs, (_PR,), said, "9", "M")


def _flag_words() -> Iterator[Operation]:
    for bank in range(BANKS):
        yield Operation(
            f"ivp_fs{bank}ltu2nx8", fsltu2nx8, (A, B), (vbool("fs", bank=bank),),
            f"FS{bank}[l] = a[l] < b[l], unsigned bytes", "3.5",
        )  # fmt: skip
        yield Operation(
            f"fs{bank}ltu_64_8_8", _fsltu_lane, (lane("a", 8), lane("b", 8)), (lane("result", 1),),
            "a < b, unsigned", "3.5", routine=True,
        )  # fmt: skip


_BANK = "text reads the FS bank [M]"
_FS, _MASKS = Operand("fs", "fs"), Operand("masks", "fs")
OPERATIONS = (
    Operation("mov_64_64", mov_64_64, (vbool("a"),), (VB,), "a copy", "4", routine=True),
    Operation(
        "ivp_mb", mov_64_64, (vbool("a"),), (VB,), "a copy", "4", "L", note="one page reads it as a move from a scalar"
    ),
    Operation(
        "ivp_ext0ib", ivp_ext0ib, (VB, Operand("bit", "index", 7)), (vbool("result"),),
        "one bit of a mask, in bit 0", "4", "L",
        note="whether the rest is shifted down or replicated is open; 07 section 4",
    ),
    Operation("ivp_movba1", ivp_movba1, (_AR,), (RESULT_BIT,), "bit 0 of a scalar", "4"),
    Operation("mov_1_32", ivp_movba1, (_AR,), (RESULT_BIT,), "bit 0 of a scalar", "4", routine=True),
    Operation("ivp_movab1", ivp_movab1, (_BIT,), (_AR,), "a bit as 0 or 1", "4"),
    Operation("ivp_movprpr", mov_64_64, (Operand("a", "pr"),), (_PR,), "a copy", "9"),
    Operation("ivp_movpra32", ivp_movpra32, (_AR,), (_PR,), "sign-extended to 64 bits", "9"),
    *_extracts(),
    Operation(
        "ivp_dextrprn_2x32", ivp_dextrprn_2x32, (_VEC, index("lane0"), index("lane1")), (_PR,),
        "two 32-bit lanes, the first in the low word", "9", "L", note="the pairing is open; 07 section 9",
    ),
    Operation(
        "ivp_movvpr", ivp_movvpr, (_PR,), (_VEC,), "the value in all eight 64-bit groups", "9", "L", ("vbool-movvpr",)
    ),
    Operation("ivp_movfsv", ivp_movfsv, (_VEC,), (_FS,), "FSn[l] = bit n of byte l", "6", "M", bare=False),
    Operation("ivp_movvfs", ivp_movvfs, (_FS,), (_VEC,), "bit n of byte l = FSn[l]", "6", "M"),
    Operation("ivp_borfs2n", ivp_borfs2n, (_MASKS,), (VB,), "OR of eight words", "6", note=_BANK),
    Operation("ivp_bnorfs2n", ivp_bnorfs2n, (_MASKS,), (VB,), "NOR of eight words", "6", note=_BANK),
    *_flag_words(),
)  # fmt: skip
