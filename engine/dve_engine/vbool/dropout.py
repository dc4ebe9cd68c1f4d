"""The dropout chain as composite steps: draw to [0, 1), compare, select, and the separate scaling.

Opcode 0x7F itself only selects: a survivor passes bit for bit and a dropped element becomes zero bits; scaling by
1/(1-p) is another instruction. The draws are the caller's: the generator's polynomial is not known.
Source: isa/07 section 12.
"""

from __future__ import annotations

import numpy as np

from ..isa.assumptions import Choices
from .formats import FP32, WORDS, Bools, Lanes, Mask, Vector, as_word, lanes, vb_pack, vector
from .fpbits import is_nan, multiply, numeric_key
from .operation import VB, Operand, Operation, lane, vec


def uniform01(u: Mask, choices: Choices) -> Mask:
    """fp32 bits of 32-bit draws as numbers in [0, 1), by `dropout-draw-map`; scaled-convert can reach 1.0."""
    words = np.asarray(u).astype(np.uint32)
    if choices["dropout-draw-map"] == "mantissa-fill":
        values = ((words >> np.uint32(9)) | np.uint32(0x3F80_0000)).view(np.float32) - np.float32(1)
    else:
        values = words.astype(np.float32) * np.float32(2.0**-32)
    return as_word(values.view(np.uint32))


def kept(draw: Lanes, threshold: Lanes, *, keep_rate: bool, choices: Choices) -> Bools:
    """Which elements survive. Draws equal to the threshold and NaN are `dropout-tie`."""
    unordered = is_nan(draw, FP32) | is_nan(threshold, FP32)
    f, t = numeric_key(draw, FP32), numeric_key(threshold, FP32)
    below, above = ~unordered & (f < t), ~unordered & (f > t)
    if not (unordered | (f == t)).any():
        return below if keep_rate else above
    rule = choices["dropout-tie"]
    if rule == "strict-both":
        return below if keep_rate else above
    if rule == "keep-both":
        return ~above if keep_rate else ~below
    return below if keep_rate else ~below


def _dropout(rand: Vector, src: Vector, threshold: Mask, keep_rate: bool, choices: Choices) -> tuple[Mask, Vector]:
    limit = np.asarray(threshold).astype(np.uint32)[..., None]
    survives = kept(lanes(rand, WORDS), limit, keep_rate=keep_rate, choices=choices)
    return vb_pack(survives, WORDS), vector(np.where(survives, lanes(src, WORDS), np.uint32(0)), WORDS)


def drop_rate(rand: Vector, src: Vector, threshold: Mask, choices: Choices) -> tuple[Mask, Vector]:
    """The threshold is the rate of dropping: draws below it drop."""
    return _dropout(rand, src, threshold, False, choices)


def keep_rate(rand: Vector, src: Vector, threshold: Mask, choices: Choices) -> tuple[Mask, Vector]:
    """The threshold is the rate of keeping: draws below it keep."""
    return _dropout(rand, src, threshold, True, choices)


def drop_rate_then_mul(rand: Vector, src: Vector, threshold: Mask, scale: Mask, choices: Choices) -> Vector:
    """drop_rate, then the separate fp32 multiplication."""
    _, survivors = drop_rate(rand, src, threshold, choices)
    factor = np.broadcast_to(np.asarray(scale).astype(np.uint32)[..., None], lanes(survivors, WORDS).shape)
    product, _ = multiply(lanes(survivors, WORDS), np.ascontiguousarray(factor), FP32)
    return vector(product, WORDS)


_INPUTS = (vec("rand"), vec("src"), lane("threshold", 32))
_TIE = ("dropout-tie",)
OPERATIONS = (
    Operation(
        "dropout.uniform01", uniform01, (Operand("u", "list", 32),), (Operand("f", "list", 32),),
        "32-bit draws as fp32 in [0, 1)", "12", "M", ("dropout-draw-map",), routine=True,
    ),
    Operation(
        "dropout.drop_rate", drop_rate, _INPUTS, (VB, vec("dst")), "draws below the threshold drop", "12", "M", _TIE,
        routine=True, bare=False,
    ),
    Operation(
        "dropout.keep_rate", keep_rate, _INPUTS, (VB, vec("dst")), "draws below the threshold keep", "12", "M", _TIE,
        routine=True, bare=False,
    ),
    Operation(
        "dropout.drop_rate_then_mul", drop_rate_then_mul, (*_INPUTS, lane("scale", 32)), (vec("dst"),),
        "drop_rate, then a separate multiplication", "12", "M", _TIE, routine=True, bare=False,
    ),
)  # fmt: skip
