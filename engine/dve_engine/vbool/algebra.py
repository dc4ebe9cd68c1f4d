"""Boolean algebra on whole masks and on single bits, and the changes of lane width.

Flat 64-bit operations without lane boundaries; the destination is overwritten, never merged. Source: isa/07 section 4.
"""

from __future__ import annotations

import numpy as np

from .formats import BYTES, HALVES, Mask, vb_bits, vb_pack
from .operation import RESULT_BIT, VB, Operand, Operation, lane, vbool

_ONE = np.uint64(1)


def ivp_andb(a: Mask, b: Mask) -> Mask:
    """Both."""
    return a & b


def ivp_orb(a: Mask, b: Mask) -> Mask:
    """Either."""
    return a | b


def ivp_xorb(a: Mask, b: Mask) -> Mask:
    """One of the two."""
    return a ^ b


def ivp_andnotb(a: Mask, b: Mask) -> Mask:
    """The first without the second."""
    return a & ~b


def ivp_ornotb(a: Mask, b: Mask) -> Mask:
    """The first, or what the second lacks."""
    return a | ~b


def ivp_notb(a: Mask) -> Mask:
    """The complement."""
    return ~a


def ivp_notb1(a: Mask) -> Mask:
    """One bit: not a."""
    return (a ^ _ONE) & _ONE


def ivp_andnotb1(a: Mask, b: Mask) -> Mask:
    """One bit: a and not b."""
    return a & ~b & _ONE


def ivp_ornotb1(a: Mask, b: Mask) -> Mask:
    """One bit: a or not b."""
    return (a | ~b) & _ONE


def ivp_joinb(hi: Mask, lo: Mask) -> Mask:
    """Two masks of wide lanes as one of lanes half as wide: the even bits of both, `lo` in the low half."""
    return vb_pack(np.concatenate([vb_bits(lo, HALVES), vb_bits(hi, HALVES)], axis=-1), BYTES)


def ivp_extractbl(vb: Mask) -> Mask:
    """The low half of a mask for lanes twice as wide: each bit doubled."""
    return vb_pack(vb_bits(vb, BYTES)[..., :32], HALVES)


def ivp_extractbh(vb: Mask) -> Mask:
    """The high half."""
    return vb_pack(vb_bits(vb, BYTES)[..., 32:], HALVES)


def extractb_2_1(b: Mask) -> Mask:
    """One bit of either: bit 0, doubled."""
    return (b & _ONE) * np.uint64(3)


_A, _B, _BIT_A, _BIT_B = vbool("a"), vbool("b"), Operand("a", "bit", 1), Operand("b", "bit", 1)
_HI, _LO, _RESULT = vbool("hi"), vbool("lo"), vbool("result")
_ONE_BIT = "the notes name BR, the operand fields are those of vbool (07 section 1.1): text takes either file"

OPERATIONS = (
    Operation("ivp_andb", ivp_andb, (_A, _B), (VB,), "a & b", "4"),
    Operation("ivp_orb", ivp_orb, (_A, _B), (VB,), "a | b", "4"),
    Operation("ivp_xorb", ivp_xorb, (_A, _B), (VB,), "a ^ b", "4"),
    Operation("ivp_andnotb", ivp_andnotb, (_A, _B), (VB,), "a & ~b", "4"),
    Operation("ivp_ornotb", ivp_ornotb, (_A, _B), (VB,), "a | ~b", "4"),
    Operation("ivp_notb", ivp_notb, (_A,), (VB,), "~a", "4"),
    Operation("ivp_notb1", ivp_notb1, (_BIT_A,), (RESULT_BIT,), "not a", "4", note=_ONE_BIT),
    Operation("ivp_andnotb1", ivp_andnotb1, (_BIT_A, _BIT_B), (RESULT_BIT,), "a and not b", "4", note=_ONE_BIT),
    Operation("ivp_ornotb1", ivp_ornotb1, (_BIT_A, _BIT_B), (RESULT_BIT,), "a or not b", "4", note=_ONE_BIT),
    Operation(
        "ivp_joinb", ivp_joinb, (_HI, _LO), (VB,), "even bits of lo, then even bits of hi", "4", "M",
        note="text is vbt, vbr, vbs; which of vbr and vbs is lo is the open question vbool-joinb-order",
    ),
    Operation("ivp_extractbl", ivp_extractbl, (VB,), (_RESULT,), "bits 0 to 31, each doubled", "4", "M"),
    Operation("ivp_extractbh", ivp_extractbh, (VB,), (_RESULT,), "bits 32 to 63, each doubled", "4", "M"),
    *(
        Operation(name, extractb_2_1, (lane("b", 64),), (lane("result", 2),), "bit 0, doubled", "4", routine=True)
        for name in ("extractbl_2_1", "extractbh_2_1")
    ),
)  # fmt: skip
