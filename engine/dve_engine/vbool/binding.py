"""From a rule for lanes to functions of whole registers and of single lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .formats import Format, Lanes, Mask, Vector, any_lane, as_lane, as_word, lanes, vb_bits, vb_pack, vector
from .merge import merge

Rule = Callable[..., Any]  # lanes of every operand -> lanes, or truth values


def on_vectors(rule: Rule, fmt: Format) -> Callable[..., Vector]:
    """vec, ... -> vec."""

    def whole(*vecs: Vector) -> Vector:
        return vector(rule(*(lanes(one, fmt) for one in vecs)), fmt)

    return whole


def on_vectors_t(rule: Rule, fmt: Format) -> Callable[..., Vector]:
    """The predicated form: vec, ..., old, vb -> vec; lanes with a false mask keep the old destination."""

    def whole(*inputs: Any) -> Vector:
        *vecs, old, vb = inputs
        new = np.asarray(rule(*(lanes(one, fmt) for one in vecs)), fmt.dtype)
        return vector(merge(lanes(old, fmt), new, vb, fmt), fmt)

    return whole


def to_mask(rule: Rule, fmt: Format) -> Callable[..., Mask]:
    """vec, ... -> vbool."""

    def whole(*vecs: Vector) -> Mask:
        return vb_pack(rule(*(lanes(one, fmt) for one in vecs)), fmt)

    return whole


def on_vectors_flagged(rule: Rule, fmt: Format) -> Callable[..., tuple[Vector, Mask]]:
    """vec, ... -> (vec, invalid); any lane raises the flag."""

    def whole(*vecs: Vector) -> tuple[Vector, Mask]:
        new, invalid = rule(*(lanes(one, fmt) for one in vecs))
        return vector(new, fmt), as_word(any_lane(invalid))

    return whole


def on_vectors_flagged_t(rule: Rule, fmt: Format) -> Callable[..., tuple[Vector, Mask]]:
    """The predicated form; only lanes with a true mask raise the flag [M]."""

    def whole(*inputs: Any) -> tuple[Vector, Mask]:
        *vecs, old, vb = inputs
        new, invalid = rule(*(lanes(one, fmt) for one in vecs))
        kept = merge(lanes(old, fmt), new, vb, fmt)
        return vector(kept, fmt), as_word(any_lane(invalid & vb_bits(vb, fmt)))

    return whole


def of_lane(rule: Rule, fmt: Format) -> Callable[..., Mask]:
    """The value routine: lane, ... -> lane."""

    def routine(*values: Mask) -> Mask:
        result: Lanes = np.asarray(rule(*(as_lane(one, fmt) for one in values)))
        return as_word(result.astype(fmt.dtype))

    return routine


def of_lane_to_field(rule: Rule, fmt: Format, field: int) -> Callable[..., Mask]:
    """The value routine of a compare: lane, ... -> a field of `field` equal bits."""

    def routine(*values: Mask) -> Mask:
        return as_word(rule(*(as_lane(one, fmt) for one in values))) * np.uint64((1 << field) - 1)

    return routine


def of_lane_flagged(rule: Rule, fmt: Format) -> Callable[..., tuple[Mask, Mask]]:
    """The value routine with a flag: lane, ... -> (lane, invalid)."""

    def routine(*values: Mask) -> tuple[Mask, Mask]:
        result, invalid = rule(*(as_lane(one, fmt) for one in values))
        return as_word(result), as_word(invalid)

    return routine
