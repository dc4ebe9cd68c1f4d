"""Floating-point operations of two operands: plain and number-preferring minimum and maximum, and the product.

The product closes the dropout chain; rounding arithmetic is otherwise not part of this unit.
Source: isa/07 sections 8.3 and 12.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from .binding import of_lane_flagged, on_vectors_flagged, on_vectors_flagged_t
from .formats import FLOAT_FORMATS, FP32
from .fpbits import maximum, maxnum, minimum, minnum, multiply
from .operation import INVALID, VB, A, B, Operation, lane, vec

RULES = (
    ("max", maximum, "the larger; unordered or equal: b, its bits as they are; Invalid on any NaN"),
    ("min", minimum, "the smaller; unordered or equal: b, its bits as they are; Invalid on any NaN"),
    ("maxnum", maxnum, "the larger number; +0 above -0; of two NaNs b; Invalid on a signalling NaN"),
    ("minnum", minnum, "the smaller number; +0 above -0; of two NaNs b; Invalid on a signalling NaN"),
)
_RESULT = vec("result")
_OLD = vec("old", tied="result")


def _pair(
    name: str, rule: Any, fmt: Any, said: str, section: str, sure: str = "H", note: str = ""
) -> Iterator[Operation]:
    more: dict[str, Any] = {"bare": False, "note": note}
    bound = partial(rule, fmt=fmt)
    yield Operation(name, on_vectors_flagged(bound, fmt.lane), (A, B), (_RESULT, INVALID), said, section, sure, **more)
    yield Operation(
        f"{name}t", on_vectors_flagged_t(bound, fmt.lane), (A, B, _OLD, VB), (_RESULT, INVALID),
        f"{said}; the old destination where the mask is false", section, sure, **more,
    )  # fmt: skip


def _rows() -> Iterator[Operation]:
    for fmt in FLOAT_FORMATS:
        bits = fmt.lane.bits
        for name, rule, said in RULES:
            yield from _pair(f"ivp_{name}{fmt.token}", rule, fmt, said, "8.3")
            yield Operation(
                f"{name}_1_{bits}f_{bits}f_{bits}f", of_lane_flagged(partial(rule, fmt=fmt), fmt.lane),
                (lane("a", bits), lane("b", bits)), (lane("result", bits), INVALID), said, "8.3", routine=True,
                bare=False,
            )  # fmt: skip
    yield from _pair(
        "ivp_muln_2xf32", multiply, FP32,
        "a * b, to nearest even; Invalid on a signalling NaN and on 0 * infinity", "12", "M",
        "NaN bits as in isa/02 section 11.1; flags other than Invalid are not modelled",
    )  # fmt: skip


OPERATIONS = tuple(_rows())
