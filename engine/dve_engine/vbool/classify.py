"""Classification of floating-point lanes: one byte of class bits in each lane of a vector register.

Source: isa/07 section 2.1 [H].
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from .binding import of_lane, on_vectors, on_vectors_t
from .formats import FLOAT_FORMATS, FloatFormat, Lanes
from .fpbits import is_nan, is_signalling, magnitude
from .operation import OLD, VB, A, Operation, lane, vec

CLASSES = ("sign", "zero", "denormal", "normal", "infinite", "nan", "signalling", "finite")  # bit 0 first


def clsfy(x: Lanes, fmt: FloatFormat) -> Lanes:
    """The class bits: finite is zero, denormal or normal; the sign goes with any; a signalling NaN is a NaN too."""
    size = magnitude(x, fmt)
    infinity, least_normal = x.dtype.type(fmt.infinity), x.dtype.type(2 * fmt.quiet)
    zero, finite = size == 0, size < infinity
    denormal = ~zero & (size < least_normal)
    flags = (
        x > x.dtype.type(fmt.magnitude),
        zero,
        denormal,
        finite & ~zero & ~denormal,
        size == infinity,
        is_nan(x, fmt),
        is_signalling(x, fmt),
        finite,
    )
    result = np.zeros(x.shape, x.dtype)
    for position, flag in enumerate(flags):
        result |= flag.astype(x.dtype) << x.dtype.type(position)
    return result


def _rows() -> Iterator[Operation]:
    said = "bits 0 to 7: " + ", ".join(CLASSES)
    for fmt in FLOAT_FORMATS:
        rule, bits = partial(clsfy, fmt=fmt), fmt.lane.bits
        name = f"ivp_clsfy{fmt.token}"
        yield Operation(name, on_vectors(rule, fmt.lane), (A,), (vec("vec"),), said, "2.1")
        yield Operation(f"{name}t", on_vectors_t(rule, fmt.lane), (A, OLD, VB), (vec("vec"),), said, "7.4")
        yield Operation(
            f"clsfy_{bits}f_{bits}f", of_lane(rule, fmt.lane), (lane("x", bits),), (lane("result", 8),), said, "2.1",
            routine=True,
        )  # fmt: skip


OPERATIONS = tuple(_rows())
