"""The bytes the stage must leave, by plain NumPy and ml_dtypes. Nothing here comes from the engine."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import numpy.typing as npt

from .stage import BIAS, END, LANES, MASK, MASKED, NEG_MAX, ROW_MAX, SCALE, SCALED, SCORES, UNTOUCHED, Inputs

Bytes = npt.NDArray[np.uint8]


def row_max(given: Inputs) -> npt.NDArray[np.float32]:
    """The largest visible scaled score of each lane, float32 (128,)."""
    largest: npt.NDArray[np.float32] = np.max(
        scaled(given).astype(np.float32), axis=1, where=given.mask != 0, initial=-np.inf
    )
    return largest


def scaled(given: Inputs) -> npt.NDArray[np.generic]:
    """Two float32 steps, each rounded, then one rounding to bfloat16."""
    with np.errstate(over="ignore", invalid="ignore"):
        product = given.scores.astype(np.float32) * given.scale
        return (product + given.bias).astype(ml_dtypes.bfloat16)


def sbuf(given: Inputs) -> Bytes:
    """Every byte of the partitions' first END bytes, uint8 (128, END): inputs, results, and what nothing may touch."""
    whole, largest = scaled(given), row_max(given)[:, None]
    masked = np.where(given.mask != 0, whole, ml_dtypes.bfloat16("-inf"))
    memory = np.full((LANES, END), UNTOUCHED, np.uint8)
    for byte, values in (
        (SCALE, given.scale),
        (BIAS, given.bias),
        (MASK, given.mask),
        (SCORES, given.scores),
        (SCALED, whole),
        (MASKED, masked),
        (ROW_MAX, largest),
        (NEG_MAX, -largest),
    ):
        raw = np.ascontiguousarray(values).view(np.uint8).reshape(LANES, -1)
        memory[:, byte : byte + raw.shape[1]] = raw
    return memory


def fp8_exp4(values: npt.NDArray[np.generic], *, ocp: bool) -> Bytes:
    """FP8_EXP4 bits of values: E4M3 with infinities, up to 240; with ocp E4M3FN, which clamps at 448."""
    wide = values.astype(np.float32)
    if ocp:
        return np.clip(wide, -448, 448).astype(ml_dtypes.float8_e4m3fn).view(np.uint8)
    return wide.astype(ml_dtypes.float8_e4m3).view(np.uint8)
