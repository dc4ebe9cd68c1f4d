"""Reduces over the lanes of one register: sums and integer extrema, plain and masked.

A lane with a false mask gives the identity. Source: isa/07 section 8.1 [H].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..isa.assumptions import Choices
from .errors import MissingInput
from .formats import (
    BYTES,
    HALVES,
    INTEGER_FORMATS,
    WORDS,
    Bools,
    Format,
    Lanes,
    Mask,
    Vector,
    any_lane,
    as_word,
    lanes,
    vb_bits,
)
from .operation import PRED, Operand, Operation, old_of, vec

_VEC = vec("vec")


@dataclass(frozen=True)
class Sum:
    """One sum: signed or unsigned lanes, the width of the result, and whether it is clamped to int16 instead of cut."""

    token: str
    lane: Format
    result_bits: int
    unsigned: bool = False
    saturating: bool = False


SUMS = (
    Sum("nx16", HALVES, 32),
    Sum("unx16", HALVES, 32, unsigned=True),
    Sum("snx16", HALVES, 16, saturating=True),
    Sum("2nx8", BYTES, 16),
    Sum("u2nx8", BYTES, 16, unsigned=True),
    Sum("n_2x32", WORDS, 32),
)


def radd(vec: Vector, pred: Mask | None, form: Sum) -> Mask:
    """The sum of the live lanes, in the low bits of a word."""
    values = lanes(vec, form.lane)
    wide = values.astype(np.int64) if form.unsigned else values.view(form.lane.signed).astype(np.int64)
    if pred is not None:
        wide = np.where(vb_bits(pred, form.lane), wide, 0)
    total = wide.sum(axis=-1)
    if form.saturating:
        total = np.clip(total, -0x8000, 0x7FFF)
    return np.asarray(total).astype(np.uint64) & np.uint64((1 << form.result_bits) - 1)


@dataclass(frozen=True)
class Extreme:
    """Which end, and in which order."""

    largest: bool
    unsigned: bool

    @property
    def name(self) -> str:
        """As the mnemonic spells it."""
        return ("max" if self.largest else "min") + ("u" if self.unsigned else "")

    def ordered(self, values: Lanes, fmt: Format) -> Lanes:
        """The lanes in a type whose order is the one meant."""
        return values if self.unsigned else values.view(fmt.signed)

    def identity(self, fmt: Format) -> int:
        """What no lane at all gives: the other end of the range."""
        limits = np.iinfo(fmt.dtype if self.unsigned else fmt.signed)
        return int(limits.min if self.largest else limits.max)

    def of(self, values: Lanes) -> Lanes:
        """The extreme along the last axis."""
        return np.asarray(values.max(axis=-1) if self.largest else values.min(axis=-1))

    def said(self, *, lanes: str = "lanes") -> str:
        """In words."""
        return f"the {'largest' if self.largest else 'smallest'} of the {lanes}, {'un' * self.unsigned}signed"


EXTREMES = tuple(Extreme(largest, unsigned) for largest in (True, False) for unsigned in (False, True))


def rextreme(vec: Vector, fmt: Format, extreme: Extreme) -> Mask:
    """The extreme lane."""
    best = extreme.of(extreme.ordered(lanes(vec, fmt), fmt))
    return as_word(best.astype(fmt.signed).view(fmt.dtype))


def rextreme_t(
    vec: Vector, pred: Mask, old: Mask | None, fmt: Format, extreme: Extreme, choices: Choices, mnemonic: str
) -> Mask:
    """The extreme of the live lanes; without one, `vbool-empty-reduce`.

    Under quiet-nan an integer, which has no NaN, keeps the identity.
    """
    live = vb_bits(pred, fmt)
    values = extreme.ordered(lanes(vec, fmt), fmt)
    best = extreme.of(np.where(live, values, values.dtype.type(extreme.identity(fmt))))
    result = as_word(best.astype(fmt.signed).view(fmt.dtype))
    return nothing_live(result, any_lane(live), old, choices, mnemonic)


def nothing_live(
    result: Mask, alive: Bools, old: Mask | None, choices: Choices, mnemonic: str, quiet_nan: int | None = None
) -> Mask:
    """`result`, which holds the identity where nothing is live, with the choice made for those cases."""
    if alive.all():
        return result
    chosen = choices["vbool-empty-reduce"]
    if chosen == "old-value":
        if old is None:
            raise MissingInput(mnemonic, "old", "vbool-empty-reduce = old-value")
        return np.where(alive, result, old)
    if chosen == "quiet-nan" and quiet_nan is not None:
        return np.where(alive, result, np.uint64(quiet_nan))
    return result


def _sum(form: Sum) -> Callable[..., Mask]:
    return lambda vec, pred=None: radd(vec, pred, form)


def _best(fmt: Format, extreme: Extreme) -> Callable[..., Mask]:
    return lambda vec: rextreme(vec, fmt, extreme)


def _best_t(fmt: Format, extreme: Extreme, mnemonic: str) -> Callable[..., Mask]:
    return lambda vec, pred, old, choices: rextreme_t(vec, pred, old, fmt, extreme, choices, mnemonic)


def _rows() -> Iterator[Operation]:
    for form in SUMS:
        said = "the sum of the lanes, " + ("clamped to int16" if form.saturating else f"{form.result_bits} bits")
        result = Operand("result", "scalar", form.result_bits)
        name = f"ivp_radd{form.token}"
        yield Operation(name, _sum(form), (_VEC,), (result,), said, "8.1")
        sure = "M" if form.token == "u2nx8" else "H"
        yield Operation(f"{name}t", _sum(form), (_VEC, PRED), (result,), f"{said}, live lanes only", "8.1", sure)
    for fmt in INTEGER_FORMATS:
        result = Operand("result", "scalar", fmt.bits)
        for extreme in EXTREMES:
            name, masked = f"ivp_r{extreme.name}{fmt.token}", (_VEC, PRED, old_of(result, optional=True))
            yield Operation(name, _best(fmt, extreme), (_VEC,), (result,), extreme.said(), "8.1")
            if fmt is HALVES:
                yield Operation(
                    f"{name}t", _best_t(fmt, extreme, f"{name}t"), masked, (result,),
                    extreme.said(lanes="live lanes"), "8.1", "H", ("vbool-empty-reduce",),
                )  # fmt: skip


OPERATIONS = tuple(_rows())
