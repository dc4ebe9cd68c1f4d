"""Lane crossbars: select from a pool of two registers, expand under a mask, replicate one lane.

Source: isa/07 section 7.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from .formats import BYTES, INTEGER_FORMATS, Format, Mask, Vector, at, lanes, vb_bits, vector
from .merge import merge_t
from .operation import VB, Operation, index, vec


def sel(vr: Vector, vs: Vector, sr: Vector, fmt: Format) -> Vector:
    """dst[k] = pool[sr[k] modulo 2 x lanes]; the pool is the lanes of vs, then those of vr."""
    pool = np.concatenate(np.broadcast_arrays(lanes(vs, fmt), lanes(vr, fmt)), axis=-1)
    chosen = lanes(sr, fmt) & fmt.dtype.type(2 * fmt.count - 1)
    return vector(at(pool, chosen.astype(np.intp)), fmt)


def rep(vec: Vector, lane: Mask, fmt: Format) -> Vector:
    """One lane in every lane; its number is taken modulo the lane count."""
    chosen = (np.asarray(lane) & np.uint64(fmt.count - 1)).astype(np.intp)
    return vector(np.repeat(at(lanes(vec, fmt), chosen[..., None]), fmt.count, axis=-1), fmt)


def ivp_dcmprs2nx8(vec: Vector, vb: Mask) -> Vector:
    """Expand: byte k takes the next source byte where the mask is true, byte 63 of the source elsewhere."""
    live = vb_bits(vb, BYTES)
    before = np.cumsum(live, axis=-1, dtype=np.intp) - live
    return at(vec, np.where(live, before, BYTES.count - 1))


def _predicated(whole: Callable[..., Vector], fmt: Format) -> Callable[..., Vector]:
    def masked(*inputs: Any) -> Vector:
        *sources, old, vb = inputs
        return merge_t(old, whole(*sources), vb, fmt)

    return masked


def _rows() -> Iterator[Operation]:
    result, old = vec("result"), vec("old", tied="result")
    families: tuple[tuple[str, Callable[..., Vector], tuple[Any, ...], str, str], ...] = (
        ("sel", sel, (vec("vr"), vec("vs"), vec("sr")), "dst[k] = (lanes of vs, then of vr)[sr[k]]", "H"),
        ("rep", rep, (vec("vec"), index("lane")), "one lane in every lane", "M"),
    )
    for fmt in INTEGER_FORMATS:
        for name, function, inputs, said, sure in families:
            whole = partial(function, fmt=fmt)
            yield Operation(f"ivp_{name}{fmt.token}", whole, inputs, (result,), said, "7.4", sure)
            yield Operation(
                f"ivp_{name}{fmt.token}t", _predicated(whole, fmt), (*inputs, old, VB), (result,),
                f"{said}; the old destination where the mask is false", "7.4", sure,
            )  # fmt: skip


OPERATIONS = (
    *_rows(),
    Operation(
        "ivp_dcmprs2nx8", ivp_dcmprs2nx8, (vec("vec"), VB), (vec("result"),),
        "byte k takes the next source byte where the mask is true, source byte 63 elsewhere", "7.4",
    ),
)  # fmt: skip
