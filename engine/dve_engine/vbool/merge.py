"""Kill masks and the merge rule: what a predicated operation does with lanes whose mask is false.

They keep the old destination; nothing is ever filled with zeros, and an all-false mask makes the operation a no-op.
Source: isa/07 sections 7.1 and 7.3 [H].
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from .formats import BYTES, HALVES, WORDS, Format, Lanes, Mask, Vector, as_word, lanes, vb_bits, vector
from .operation import VB, Operation, lane, vec


def merge(old: Lanes, new: Lanes, vb: Mask, fmt: Format) -> Lanes:
    """Lanes of `new` where the mask is true, of `old` elsewhere."""
    return np.where(vb_bits(vb, fmt), new, old)


def merge_t(old: Vector, new: Vector, vb: Mask, fmt: Format) -> Vector:
    """The same for whole registers."""
    return vector(merge(lanes(old, fmt), lanes(new, fmt), vb, fmt), fmt)


def masked_store(memory: Vector, vec: Vector, vb: Mask, fmt: Format) -> Vector:
    """The 64 bytes of memory after a predicated store: only lanes with a true mask are written.

    Source: isa/07 section 7.4 [M].
    """
    return merge_t(memory, vec, vb, fmt)


def bitkillf(pred: Mask, fmt: Format) -> Mask:
    """All ones where the new result is written: bit 0 of the predicate alone decides."""
    return (as_word(pred) & np.uint64(1)) * np.uint64(fmt.ones)


def bitkillt(pred: Mask, fmt: Format) -> Mask:
    """All ones where the old destination is kept."""
    return bitkillf(pred, fmt) ^ np.uint64(fmt.ones)


def kill_t(vb: Mask, fmt: Format) -> Lanes:
    """The kill mask of every lane, (..., lanes): ones where the old destination is kept."""
    return np.where(vb_bits(vb, fmt), 0, fmt.ones).astype(fmt.dtype)


def kill_f(vb: Mask, fmt: Format) -> Lanes:
    """Its complement: ones where the new result is written."""
    return ~kill_t(vb, fmt)


def ivp_mov2nx8t(src: Vector, old: Vector, vb: Mask) -> Vector:
    """The masked move; a mask of wider lanes moves whole lanes, because fields are replicated."""
    return merge_t(old, src, vb, BYTES)


def mov_8_8_8_t(src: Mask, old: Mask, mask: Mask) -> Mask:
    """One byte of it: the field is tested for being nonzero."""
    return np.where(mask != 0, src, old)


def _kill(name: str, rule: Callable[..., Mask], fmt: Format, field: int) -> Operation:
    said = "the old destination is kept" if name == "bitkillt" else "the new result is written"
    return Operation(
        f"{name}_{fmt.bits}_{field}",
        partial(rule, fmt=fmt),
        (lane("pred", field),),
        (lane("kill", fmt.bits),),
        f"all ones where {said}, from bit 0 of the predicate",
        "7.1",
        routine=True,
    )


OPERATIONS = (
    *(_kill("bitkillt", bitkillt, fmt, fmt.field) for fmt in (BYTES, HALVES, WORDS)),
    *(_kill("bitkillf", bitkillf, fmt, field) for fmt, field in ((HALVES, 1), (HALVES, 2), (WORDS, 4))),
    Operation(
        "ivp_mov2nx8t", ivp_mov2nx8t, (vec("src"), vec("old", tied="vec"), VB), (vec("vec"),),
        "dst[l] = vb[l] ? src[l] : dst[l], 64 byte lanes", "7.4",
    ),
    Operation(
        "mov_8_8_8_t", mov_8_8_8_t, (lane("src", 8), lane("old", 8), lane("mask", 8)), (lane("result", 8),),
        "mask != 0 ? src : old", "7.3", routine=True,
    ),
)  # fmt: skip
