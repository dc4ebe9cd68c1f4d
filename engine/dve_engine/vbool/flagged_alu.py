"""ALU operations that give a value and a flag: the B variants.

The flag fills its field of the mask. There is no arithmetic carry in; bxorabssubu alone reads the flag it writes.
Source: isa/07 section 3.6 [H].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .alu import abssub, abssubu, signed
from .formats import (
    BYTES,
    HALVES,
    INTEGER_FORMATS,
    Bools,
    Format,
    Lanes,
    Mask,
    Vector,
    as_lane,
    as_word,
    vb_bits,
    vb_pack,
    vector,
)
from .formats import lanes as lanes_of
from .operation import VB, A, B, Operation, lane, vbool, vec

Rule = Callable[..., tuple[Lanes, Bools]]


def bmax(a: Lanes, b: Lanes) -> tuple[Lanes, Bools]:
    """The larger, signed; flag: a > b. A tie gives b and no flag."""
    flag = np.asarray(signed(a) > signed(b))
    return np.where(flag, a, b), flag


def bmaxu(a: Lanes, b: Lanes) -> tuple[Lanes, Bools]:
    """The larger, unsigned; flag: a > b."""
    flag = np.asarray(a > b)
    return np.where(flag, a, b), flag


def bmin(a: Lanes, b: Lanes) -> tuple[Lanes, Bools]:
    """The smaller, signed; flag: a < b."""
    flag = np.asarray(signed(a) < signed(b))
    return np.where(flag, a, b), flag


def bminu(a: Lanes, b: Lanes) -> tuple[Lanes, Bools]:
    """The smaller, unsigned; flag: a < b."""
    flag = np.asarray(a < b)
    return np.where(flag, a, b), flag


def babs(a: Lanes) -> tuple[Lanes, Bools]:
    """|a|, wrapping at the least number; flag: a < 0."""
    flag = np.asarray(signed(a) < 0)
    return np.where(flag, np.zeros_like(a) - a, a), flag


def babssub(a: Lanes, b: Lanes) -> tuple[Lanes, Bools]:
    """|a - b|, signed, wrapping; flag: a < b."""
    return abssub(a, b), np.asarray(signed(a) < signed(b))


def babssubu(a: Lanes, b: Lanes) -> tuple[Lanes, Bools]:
    """|a - b|, unsigned; flag: a < b."""
    return abssubu(a, b), np.asarray(a < b)


def _normalised(exact: Lanes, like: Lanes) -> tuple[Lanes, Bools]:
    over = np.asarray((exact < -0x8000) | (exact > 0x7FFF))
    return np.where(over, exact >> 1, exact).astype(np.int16).view(like.dtype), over


def baddnorm(a: Lanes, b: Lanes) -> tuple[Lanes, Bools]:
    """The 17-bit signed sum, halved where it does not fit 16 bits; flag: it did not."""
    return _normalised(signed(a).astype(np.int32) + signed(b), a)


def bsubnorm(a: Lanes, b: Lanes) -> tuple[Lanes, Bools]:
    """The 17-bit signed difference, likewise."""
    return _normalised(signed(a).astype(np.int32) - signed(b), a)


ROSTER: tuple[tuple[str, Rule, tuple[Format, ...], str], ...] = (
    ("bmax", bmax, INTEGER_FORMATS, "the larger, signed; flag a > b"),
    ("bmaxu", bmaxu, INTEGER_FORMATS, "the larger, unsigned; flag a > b"),
    ("bmin", bmin, INTEGER_FORMATS, "the smaller, signed; flag a < b"),
    ("bminu", bminu, INTEGER_FORMATS, "the smaller, unsigned; flag a < b"),
    ("babs", babs, INTEGER_FORMATS, "|a|, wrapping; flag a < 0"),
    ("babssub", babssub, INTEGER_FORMATS, "|a - b|, signed, wrapping; flag a < b"),
    ("babssubu", babssubu, INTEGER_FORMATS, "|a - b|, unsigned; flag a < b"),
    ("baddnorm", baddnorm, (HALVES,), "a + b, halved where it overflows; flag it does"),
    ("bsubnorm", bsubnorm, (HALVES,), "a - b, halved where it overflows; flag it does"),
)


def _whole(rule: Rule, fmt: Format) -> Callable[..., tuple[Vector, Mask]]:
    def whole(*vecs: Vector) -> tuple[Vector, Mask]:
        data, flag = rule(*(lanes_of(one, fmt) for one in vecs))
        return vector(data, fmt), vb_pack(flag, fmt)

    return whole


def _routine(rule: Rule, fmt: Format) -> Callable[..., tuple[Mask, Mask]]:
    def one(*values: Mask) -> tuple[Mask, Mask]:
        data, flag = rule(*(as_lane(value, fmt) for value in values))
        return as_word(flag) * np.uint64(fmt.true), as_word(data)

    return one


def ivp_bxorabssubu2nx8(a: Vector, b: Vector, vb: Mask) -> tuple[Vector, Mask]:
    """|a - b| of unsigned bytes; flag: the incoming one xor a < b."""
    return abssubu(a, b), vb_pack(vb_bits(vb, BYTES) ^ (a < b), BYTES)


def _bxor_lane(a: Mask, b: Mask, pred: Mask) -> tuple[Mask, Mask]:
    return (pred & np.uint64(1)) ^ as_word(a < b), as_word(abssubu(as_lane(a, BYTES), as_lane(b, BYTES)))


def _rows() -> Iterator[Operation]:
    more: dict[str, Any] = {"bare": False}
    data, pred = vec("data"), "pred"
    for name, rule, formats, said in ROSTER:
        count = 1 if name == "babs" else 2
        for fmt in formats:
            inputs = (A, B)[:count]
            yield Operation(f"ivp_{name}{fmt.token}", _whole(rule, fmt), inputs, (data, VB), said, "3.6", **more)
            yield Operation(
                "_".join([name, str(fmt.field), *[str(fmt.bits)] * (count + 1)]), _routine(rule, fmt),
                (lane("a", fmt.bits), lane("b", fmt.bits))[:count], (lane(pred, fmt.field), lane("data", fmt.bits)),
                said, "3.6", routine=True, **more,
            )  # fmt: skip
    said = "|a - b|, unsigned; flag the incoming one xor a < b"
    yield Operation(
        "ivp_bxorabssubu2nx8", ivp_bxorabssubu2nx8, (A, B, vbool("vb", tied="vb")), (data, VB), said, "3.6", **more
    )
    yield Operation(
        "bxorabssubu_1_8_8_8_1", _bxor_lane, (lane("a", 8), lane("b", 8), lane(pred, 1)),
        (lane(pred, 1), lane("data", 8)), said, "3.6", routine=True, **more,
    )  # fmt: skip


OPERATIONS = tuple(_rows())
