"""Integer compares: two vector registers in, one mask out.

There is no gt or ge and no predicated form. Source: isa/07 section 3.1 [H].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..isa.assumptions import Choices
from .binding import of_lane_to_field, to_mask
from .errors import UnknownOperation
from .formats import INTEGER_FORMATS, Bools, Format, Lanes, Mask, Vector
from .operation import VB, A, B, Operation, lane


def eq(a: Lanes, b: Lanes) -> Bools:
    """Equal bits."""
    return np.asarray(a == b)


def neq(a: Lanes, b: Lanes) -> Bools:
    """Different bits."""
    return np.asarray(a != b)


def leu(a: Lanes, b: Lanes) -> Bools:
    """Unsigned a <= b."""
    return np.asarray(a <= b)


def ltu(a: Lanes, b: Lanes) -> Bools:
    """Unsigned a < b."""
    return np.asarray(a < b)


def le(a: Lanes, b: Lanes) -> Bools:
    """Two's complement a <= b."""
    return np.asarray(_signed(a) <= _signed(b))


def lt(a: Lanes, b: Lanes) -> Bools:
    """Two's complement a < b."""
    return np.asarray(_signed(a) < _signed(b))


def _signed(a: Lanes) -> Lanes:
    return a.view(f"<i{a.itemsize}")


RULES: dict[str, tuple[Callable[[Lanes, Lanes], Bools], str]] = {
    "eq": (eq, "a == b"),
    "neq": (neq, "a != b"),
    "le": (le, "a <= b, signed"),
    "leu": (leu, "a <= b, unsigned"),
    "lt": (lt, "a < b, signed"),
    "ltu": (ltu, "a < b, unsigned"),
}


def _geu(fmt: Format) -> Callable[..., Mask]:
    """geu has no encoding of its own: leu with the operands swapped, or nothing at all (`vbool-geu`)."""
    compare = to_mask(leu, fmt)

    def geu(a: Vector, b: Vector, choices: Choices) -> Mask:
        if choices["vbool-geu"] == "absent":
            reason = "vbool-geu is absent; swap the operands"
            raise UnknownOperation(f"ivp_geu{fmt.token}", f"ivp_leu{fmt.token}", reason)
        return compare(b, a)

    return geu


def _rows() -> Iterator[Operation]:
    for fmt in INTEGER_FORMATS:
        for name, (rule, said) in RULES.items():
            yield Operation(f"ivp_{name}{fmt.token}", to_mask(rule, fmt), (A, B), (VB,), said, "3.1", bare=False)
            yield Operation(
                f"{name}_{fmt.field}_{fmt.bits}_{fmt.bits}",
                of_lane_to_field(rule, fmt, fmt.field),
                (lane("a", fmt.bits), lane("b", fmt.bits)),
                (lane("result", fmt.field),),
                said,
                "3.1",
                routine=True,
            )
        yield Operation(
            f"ivp_geu{fmt.token}", _geu(fmt), (A, B), (VB,), "a >= b, unsigned", "3.1", "M", ("vbool-geu",), bare=False,
            note="an alias without an encoding: leu with the operands swapped",
        )  # fmt: skip


OPERATIONS = tuple(_rows())
