"""Integer lanes: the ALU operations with a predicated form, and their value routines.

add, sub and neg wrap; adds, subs and negs clamp to the signed range. Source: isa/07 section 7.4 [H].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .binding import of_lane, on_vectors, on_vectors_t
from .formats import HALVES, INTEGER_FORMATS, Format, Lanes, Mask, as_lane, as_word
from .operation import OLD, VB, A, B, Operation, lane, vec

Rule = Callable[..., Lanes]


def signed(a: Lanes) -> Lanes:
    """The same bits, in two's complement."""
    return a.view(f"<i{a.itemsize}")


def _clamped(wide: Lanes, like: Lanes) -> Lanes:
    limits = np.iinfo(f"<i{like.itemsize}")
    return np.clip(wide, limits.min, limits.max).astype(f"<i{like.itemsize}").view(like.dtype)


def add(a: Lanes, b: Lanes) -> Lanes:
    """Sum, modulo the lane width."""
    return a + b


def sub(a: Lanes, b: Lanes) -> Lanes:
    """Difference, modulo the lane width."""
    return a - b


def adds(a: Lanes, b: Lanes) -> Lanes:
    """Signed sum, clamped."""
    return _clamped(signed(a).astype(np.int64) + signed(b), a)


def subs(a: Lanes, b: Lanes) -> Lanes:
    """Signed difference, clamped."""
    return _clamped(signed(a).astype(np.int64) - signed(b), a)


def neg(a: Lanes) -> Lanes:
    """0 - a, modulo the lane width."""
    return np.zeros_like(a) - a


def negs(a: Lanes) -> Lanes:
    """0 - a, clamped."""
    return _clamped(-signed(a).astype(np.int64), a)


def maxu(a: Lanes, b: Lanes) -> Lanes:
    """The larger, unsigned."""
    return np.maximum(a, b)


def minu(a: Lanes, b: Lanes) -> Lanes:
    """The smaller, unsigned."""
    return np.minimum(a, b)


def maximum(a: Lanes, b: Lanes) -> Lanes:
    """The larger, signed."""
    return np.maximum(signed(a), signed(b)).view(a.dtype)


def minimum(a: Lanes, b: Lanes) -> Lanes:
    """The smaller, signed."""
    return np.minimum(signed(a), signed(b)).view(a.dtype)


def abssub(a: Lanes, b: Lanes) -> Lanes:
    """|a - b| of signed lanes, modulo the lane width: no clamp."""
    return np.where(signed(a) < signed(b), b - a, a - b)


def abssubu(a: Lanes, b: Lanes) -> Lanes:
    """|a - b| of unsigned lanes."""
    return np.where(a < b, b - a, a - b)


ROSTER: tuple[tuple[str, Rule, tuple[Format, ...], str], ...] = (
    ("add", add, INTEGER_FORMATS, "a + b, wrapping"),
    ("sub", sub, INTEGER_FORMATS, "a - b, wrapping"),
    ("adds", adds, (HALVES,), "a + b, clamped to int16"),
    ("subs", subs, (HALVES,), "a - b, clamped to int16"),
    ("neg", neg, (HALVES,), "-a, wrapping"),
    ("negs", negs, (HALVES,), "-a, clamped to int16"),
    ("max", maximum, (HALVES,), "the larger, signed"),
    ("maxu", maxu, (HALVES,), "the larger, unsigned"),
    ("min", minimum, (HALVES,), "the smaller, signed"),
    ("minu", minu, (HALVES,), "the smaller, unsigned"),
)
ROUTINES_ONLY: tuple[tuple[str, Rule, tuple[Format, ...], str], ...] = (
    ("abssub", abssub, INTEGER_FORMATS, "|a - b|, signed, wrapping"),
    ("abssubu", abssubu, INTEGER_FORMATS, "|a - b|, unsigned"),
)
UNARY = ("neg", "negs")


def _add_lane(a: Mask, b: Mask, old: Mask, pred: Mask) -> Mask:
    new = as_word(add(as_lane(a, HALVES), as_lane(b, HALVES)))
    return np.where((pred & np.uint64(1)) == 1, new, old)


def _rows() -> Iterator[Operation]:
    for name, rule, formats, said in ROSTER:
        sources = (A,) if name in UNARY else (A, B)
        for fmt in formats:
            yield Operation(
                f"ivp_{name}{fmt.token}", on_vectors(rule, fmt), sources, (vec("vec"),), said, "7.4",
                note="the base form of a predicated operation",
            )  # fmt: skip
            yield Operation(
                f"ivp_{name}{fmt.token}t", on_vectors_t(rule, fmt), (*sources, OLD, VB), (vec("vec"),),
                f"{said}; the old destination where the mask is false", "7.4",
            )  # fmt: skip
    for name, rule, formats, said in ROSTER + ROUTINES_ONLY:
        for fmt in formats:
            operands = ("a",) if name in UNARY else ("a", "b")
            yield Operation(
                "_".join([name, *[str(fmt.bits)] * (len(operands) + 1)]), of_lane(rule, fmt),
                tuple(lane(operand, fmt.bits) for operand in operands), (lane("result", fmt.bits),), said, "7.4",
                routine=True,
            )  # fmt: skip


OPERATIONS = (
    *_rows(),
    Operation(
        "ivp_addnx16t.lane", _add_lane, (lane("a", 16), lane("b", 16), lane("old", 16), lane("pred", 2)),
        (lane("result", 16),), "one lane of ivp_addnx16t", "7.3", routine=True,
    ),
)  # fmt: skip
