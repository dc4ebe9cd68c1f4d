"""Reduces that also say which lanes won, and the floating-point extrema that ignore NaN.

The winner mask holds every lane equal to the extreme, not the first. Source: isa/07 sections 8.2 and 8.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..isa.assumptions import Choices
from .formats import (
    FLOAT_FORMATS,
    INTEGER_FORMATS,
    Bools,
    FloatFormat,
    Format,
    Lanes,
    Mask,
    Vector,
    any_lane,
    as_word,
    at,
    lanes,
    vb_bits,
    vb_pack,
)
from .fpbits import is_nan, is_signalling, magnitude, total_key
from .operation import INVALID, PRED, VB, Operand, Operation, old_of, vec
from .reduce import EXTREMES, Extreme, nothing_live, rextreme

_VEC = vec("vec")


@dataclass(frozen=True)
class Numbers:
    """What a floating-point reduce found.

    x: the lanes. number: those that are live numbers. alive: the cases with a live lane.
    """

    x: Lanes
    number: Bools
    value: Lanes
    alive: Bools
    invalid: Mask


def rb(vec: Vector, fmt: Format, extreme: Extreme) -> tuple[Mask, Mask]:
    """The extreme lane and the mask of all lanes equal to it."""
    value = rextreme(vec, fmt, extreme)
    return value, vb_pack(lanes(vec, fmt) == value.astype(fmt.dtype)[..., None], fmt)


def extreme_number(vec: Vector, pred: Mask | None, fmt: FloatFormat, largest: bool) -> Numbers:
    """The extreme number of the live lanes; NaN loses to any number and +0 is above -0.

    All live lanes NaN: the last one, made quiet. No live lane: the infinity at the other end.
    """
    x = lanes(vec, fmt.lane)
    live = np.ones(x.shape, np.bool_) if pred is None else vb_bits(pred, fmt.lane)
    x, live = np.broadcast_arrays(x, live)
    nan = is_nan(x, fmt)
    number, alive = live & ~nan, any_lane(live)
    value = np.where(any_lane(number), _best(x, number, fmt, largest), _last_nan(x, live & nan, fmt))
    infinity = x.dtype.type(fmt.infinity | (fmt.sign if largest else 0))
    invalid = any_lane(live & is_signalling(x, fmt))
    return Numbers(x, number, np.where(alive, value, infinity), alive, as_word(invalid))


def winners(found: Numbers, fmt: FloatFormat, choices: Choices) -> Mask:
    """Every number equal to the extreme; zeros of the other sign by `vbool-zero-tie-mask`.

    No winner where no number is live.
    """
    same = found.number & (found.x == found.value[..., None])
    zero = (found.value & found.x.dtype.type(fmt.magnitude)) == 0
    zeros = found.number & (magnitude(found.x, fmt) == 0) & zero[..., None]
    if (zeros & ~same).any() and choices["vbool-zero-tie-mask"] == "numeric-equal":
        same = same | zeros
    return vb_pack(same, fmt.lane)


def _best(x: Lanes, number: Bools, fmt: FloatFormat, largest: bool) -> Lanes:
    key = total_key(x, fmt)
    limits = np.iinfo(key.dtype)
    key = np.where(number, key, key.dtype.type(limits.min if largest else limits.max))
    place = key.argmax(axis=-1) if largest else key.argmin(axis=-1)
    return at(x, place[..., None])[..., 0]


def _last_nan(x: Lanes, nan: Bools, fmt: FloatFormat) -> Lanes:
    place = x.shape[-1] - 1 - nan[..., ::-1].argmax(axis=-1)
    return np.asarray(at(x, place[..., None])[..., 0] | x.dtype.type(fmt.quiet))


def _value(fmt: FloatFormat, largest: bool) -> Callable[..., tuple[Mask, Mask]]:
    def function(vec: Vector) -> tuple[Mask, Mask]:
        found = extreme_number(vec, None, fmt, largest)
        return as_word(found.value), found.invalid

    return function


def _value_t(fmt: FloatFormat, largest: bool, mnemonic: str) -> Callable[..., tuple[Mask, Mask]]:
    def function(vec: Vector, pred: Mask, old: Mask | None, choices: Choices) -> tuple[Mask, Mask]:
        found = extreme_number(vec, pred, fmt, largest)
        return nothing_live(as_word(found.value), found.alive, old, choices, mnemonic, fmt.canonical), found.invalid

    return function


def _flagged(fmt: FloatFormat, largest: bool) -> Callable[..., tuple[Mask, Mask, Mask]]:
    def function(vec: Vector, choices: Choices) -> tuple[Mask, Mask, Mask]:
        found = extreme_number(vec, None, fmt, largest)
        return as_word(found.value), winners(found, fmt, choices), found.invalid

    return function


def _flagged_t(fmt: FloatFormat, largest: bool, mnemonic: str) -> Callable[..., tuple[Mask, Mask, Mask]]:
    def function(vec: Vector, pred: Mask, old: Mask | None, choices: Choices) -> tuple[Mask, Mask, Mask]:
        found = extreme_number(vec, pred, fmt, largest)
        value = nothing_live(as_word(found.value), found.alive, old, choices, mnemonic, fmt.canonical)
        return value, winners(found, fmt, choices), found.invalid

    return function


def _flag_rows(fmt: Format, extreme: Extreme) -> Iterator[Operation]:
    yield Operation(
        f"ivp_rb{extreme.name}{fmt.token}", lambda vec: rb(vec, fmt, extreme), (_VEC,),
        (Operand("value", "scalar", fmt.bits), VB), f"{extreme.said()}, and every lane equal to it", "8.2",
        "H" if extreme.largest else "M", bare=False,
    )  # fmt: skip


def _number_rows(fmt: FloatFormat, largest: bool) -> Iterator[Operation]:
    name = f"{'max' if largest else 'min'}num{fmt.token}"
    said = f"the {'largest' if largest else 'smallest'} number, NaN ignored"
    both = f"{said}, and every lane equal to it"
    result = Operand("result", "scalar", fmt.lane.bits)
    masked = (_VEC, PRED, old_of(result, optional=True))
    empty, tie = "vbool-empty-reduce", "vbool-zero-tie-mask"
    more: dict[str, Any] = {"bare": False}
    yield Operation(f"ivp_r{name}", _value(fmt, largest), (_VEC,), (result, INVALID), said, "8.3", **more)
    yield Operation(
        f"ivp_r{name}t", _value_t(fmt, largest, f"ivp_r{name}t"), masked, (result, INVALID),
        f"{said}; live lanes only", "8.3", assumes=(empty,), **more,
    )  # fmt: skip
    yield Operation(
        f"ivp_rb{name}", _flagged(fmt, largest), (_VEC,), (result, VB, INVALID), both, "8.3", "M", (tie,), **more
    )
    yield Operation(
        f"ivp_rb{name}t", _flagged_t(fmt, largest, f"ivp_rb{name}t"), masked, (result, VB, INVALID),
        f"{both}; live lanes only", "8.3", "M", (empty, tie), **more,
    )  # fmt: skip


def _rows() -> Iterator[Operation]:
    for fmt in INTEGER_FORMATS:
        for extreme in EXTREMES:
            yield from _flag_rows(fmt, extreme)
    for float_format in FLOAT_FORMATS:
        for largest in (True, False):
            yield from _number_rows(float_format, largest)


OPERATIONS = tuple(_rows())
