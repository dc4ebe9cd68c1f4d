"""Floating-point compares: ten predicates, ordered and unordered, signalling and quiet, with the Invalid flag.

No compare rounds and none reads the rounding mode. ogt and oge swap the operands; one, ord are complements of ueq, un.
Source: isa/07 sections 3.2 to 3.4 [H].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..isa.assumptions import Choices
from .formats import (
    FLOAT_FORMATS,
    Bools,
    FloatFormat,
    Format,
    Lanes,
    Mask,
    Vector,
    any_lane,
    as_lane,
    as_word,
    lanes,
    vb_bits,
    vb_pack,
)
from .fpbits import either_signals, is_nan, numeric_key
from .operation import INVALID, PRED, VB, A, B, Operand, Operation, lane


@dataclass(frozen=True)
class Predicate:
    """When a compare is true, and whether a quiet NaN raises Invalid; a signalling one always does."""

    name: str
    lt: bool
    eq: bool
    gt: bool
    un: bool
    signalling: bool = False

    @property
    def said(self) -> str:
        """In words."""
        true = [word for word, holds in (("<", self.lt), ("==", self.eq), (">", self.gt)) if holds]
        rule = " or ".join([f"a {word} b" for word in true] + (["unordered"] if self.un else []))
        return f"{rule}; Invalid on {'any' if self.signalling else 'a signalling'} NaN"


PREDICATES = (  # section 3.3
    #                  lt     eq     gt     un
    Predicate("oeq", False, True, False, False),
    Predicate("olt", True, False, False, False, signalling=True),
    Predicate("ole", True, True, False, False, signalling=True),
    Predicate("ueq", False, True, False, True),
    Predicate("ult", True, False, False, True),
    Predicate("ule", True, True, False, True),
    Predicate("ultq", True, False, False, True, signalling=True),
    Predicate("uleq", True, True, False, True, signalling=True),
    Predicate("uneq", True, False, True, True),
    Predicate("un", False, False, False, True),
)


_RULES: dict[tuple[bool, bool, bool], np.ufunc | None] = {  # of numbers, by lt, eq, gt
    (False, False, False): None,
    (True, False, False): np.less,
    (False, True, False): np.equal,
    (True, True, False): np.less_equal,
    (True, False, True): np.not_equal,
}


def fcmp(predicate: Predicate, a: Lanes, b: Lanes, fmt: FloatFormat) -> tuple[Bools, Bools]:
    """(result, Invalid) of every lane."""
    unordered = np.asarray(is_nan(a, fmt) | is_nan(b, fmt))
    rule = _RULES[predicate.lt, predicate.eq, predicate.gt]
    if rule is None:
        result = unordered
    else:
        result = np.asarray(rule(numeric_key(a, fmt), numeric_key(b, fmt)))
    if not unordered.any():
        return result, unordered
    result = result | unordered if predicate.un else result & ~unordered
    return result, unordered if predicate.signalling else either_signals(a, b, fmt)


def _base(predicate: Predicate, fmt: FloatFormat) -> Callable[..., tuple[Mask, Mask]]:
    def whole(a: Vector, b: Vector) -> tuple[Mask, Mask]:
        result, invalid = fcmp(predicate, lanes(a, fmt.lane), lanes(b, fmt.lane), fmt)
        return vb_pack(result, fmt.lane), as_word(any_lane(invalid))

    return whole


def _predicated(predicate: Predicate, fmt: FloatFormat) -> Callable[..., tuple[Mask, Mask]]:
    """Lanes with a false mask raise nothing; their field is `vbool-compare-t-inactive`."""

    def whole(a: Vector, b: Vector, pred: Mask, old: Mask | None, choices: Choices) -> tuple[Mask, Mask]:
        result, invalid = fcmp(predicate, lanes(a, fmt.lane), lanes(b, fmt.lane), fmt)
        live = vb_bits(pred, fmt.lane)
        vb = vb_pack(result & live, fmt.lane)
        if not live.all() and choices["vbool-compare-t-inactive"] == "merge" and old is not None:
            vb = vb | (old & ~vb_pack(live, fmt.lane))
        return vb, as_word(any_lane(invalid & live))

    return whole


def _routine(predicate: Predicate, fmt: FloatFormat, field: int) -> Callable[..., tuple[Mask, Mask]]:
    def one(a: Mask, b: Mask) -> tuple[Mask, Mask]:
        result, invalid = fcmp(predicate, as_lane(a, fmt.lane), as_lane(b, fmt.lane), fmt)
        return as_word(result) * np.uint64((1 << field) - 1), as_word(invalid)

    return one


OLD_MASK = Operand("old", "vbool", tied="vb", optional=True)


def _rows() -> Iterator[Operation]:
    row: Any = partial(Operation, bare=False)
    for fmt in FLOAT_FORMATS:
        shape: Format = fmt.lane
        for p in PREDICATES:
            name, ordered = f"ivp_{p.name}{fmt.token}", p.name.startswith("o")
            yield row(name, _base(p, fmt), (A, B), (VB, INVALID), p.said, "3.3")
            yield row(
                f"{name}t", _predicated(p, fmt), (A, B, PRED, OLD_MASK), (VB, INVALID),
                f"{p.said}; lanes with a false mask give no flag", "3.4", "H" if ordered else "M",
                ("vbool-compare-t-inactive",), note="`old` is 0 where it is left out",
            )  # fmt: skip
            for field in (1, shape.field):
                yield row(
                    f"{p.name}_1_{field}_{shape.bits}f_{shape.bits}f", _routine(p, fmt, field),
                    (lane("a", shape.bits), lane("b", shape.bits)), (lane("result", field), INVALID), p.said, "3.3",
                    routine=True,
                )  # fmt: skip


OPERATIONS = tuple(_rows())
