"""Making masks from counts, flags and bit planes, and putting them back.

Source: isa/07 sections 3.5 (bit planes), 5.3 (tail masks), 5.4 (flags).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from ..isa.assumptions import Choices
from .errors import MissingInput
from .fold import SUFFIXES
from .formats import (
    DOUBLES,
    HALVES,
    INTEGER_FORMATS,
    WORDS,
    Format,
    Mask,
    Vector,
    any_lane,
    as_lane,
    as_word,
    lanes,
    vb_bits,
    vb_pack,
    vector,
)
from .operation import VB, Operand, Operation, index, lane, vbool, vec


def ltr(n: Mask, fmt: Format) -> Mask:
    """The first n lanes. The count wraps: n equal to the number of lanes gives none [H for 32 lanes]."""
    count = np.asarray(n) & np.uint64(fmt.count - 1)
    return vb_pack(np.arange(fmt.count, dtype=np.uint64) < count[..., None], fmt)


def ltrs(n: Mask, fmt: Format, choices: Choices) -> Mask:
    """The first n lanes for a signed 32-bit n: none below 1; from the number of lanes on, `vbool-ltrs-limit`.

    The sources print the cap for the 64-lane form only (63); the others take their own last lane alike.
    """
    count = np.asarray(n).astype(np.uint32).view(np.int32).astype(np.int64)
    if (count >= fmt.count).any() and choices["vbool-ltrs-limit"] == "cap-63":
        count = np.minimum(count, fmt.count - 1)
    return vb_pack(np.arange(fmt.count) < count[..., None], fmt)


def flags_to_vb(flags: Mask, fmt: Format) -> Mask:
    """Flag l of a word becomes the field of lane l."""
    positions = np.arange(fmt.count, dtype=np.uint64)
    return vb_pack(((np.asarray(flags)[..., None] >> positions) & np.uint64(1)).astype(np.bool_), fmt)


def sticky_flag(flags: Mask, vb: Mask, fmt: Format) -> Mask:
    """1 if the flag of any live lane is set."""
    return as_word(any_lane(vb_bits(flags_to_vb(flags, fmt), fmt) & vb_bits(vb, fmt)))


def predflag(flags: Mask, vb: Mask | None, fmt: Format, choices: Choices) -> Mask:
    """One of the two, by `vbool-predflag`."""
    if choices["vbool-predflag"] == "packer":
        return flags_to_vb(flags, fmt)
    if vb is None:
        raise MissingInput(f"predflag{fmt.field}t", "vb", "vbool-predflag = sticky-flag")
    return sticky_flag(flags, vb, fmt)


def extbi(vec: Vector, bit: Mask, fmt: Format) -> Mask:
    """One bit plane: bit `bit` of every lane, the number taken within the lane's width."""
    shift = (np.asarray(bit) & np.uint64(fmt.bits - 1)).astype(fmt.dtype)[..., None]
    return vb_pack(((lanes(vec, fmt) >> shift) & fmt.dtype.type(1)).astype(np.bool_), fmt)


def injbi(base: Vector, vb: Mask, bit: Mask, fmt: Format) -> Vector:
    """Its inverse: bit `bit` of every lane becomes the lane's mask bit; the others stay."""
    shift = (np.asarray(bit) & np.uint64(fmt.bits - 1)).astype(fmt.dtype)[..., None]
    chosen = fmt.dtype.type(1) << shift
    return vector(np.where(vb_bits(vb, fmt), lanes(base, fmt) | chosen, lanes(base, fmt) & ~chosen), fmt)


def _extbi_lane(val: Mask, bit: Mask, fmt: Format) -> Mask:
    return ((val >> (bit & np.uint64(fmt.bits - 1))) & np.uint64(1)) * np.uint64(fmt.true)


def _injbi_lane(base: Mask, pred: Mask, bit: Mask, fmt: Format) -> Mask:
    chosen = np.uint64(1) << (bit & np.uint64(fmt.bits - 1))
    return as_word(as_lane((base & ~chosen) | (chosen * (pred & np.uint64(1))), fmt))


def _rows() -> Iterator[Operation]:
    for suffix, fmt in SUFFIXES:
        said = f"lane l is true if l < n, n modulo {fmt.count}"
        sure = "H" if fmt is HALVES else "M"
        count: Callable[..., Mask] = partial(ltr, fmt=fmt)
        yield Operation(f"ivp_ltr{suffix}", count, (index("n"),), (VB,), said, "5.3", sure)
        yield Operation(f"ivp_ltr{suffix}i", count, (Operand("n", "imm", 32),), (VB,), said, "5.3", "M")
        yield Operation(
            f"ivp_ltrs{suffix}", partial(ltrs, fmt=fmt), (index("n"),), (VB,),
            "lane l is true if l < n, n signed and clamped", "5.3", "M", ("vbool-ltrs-limit",),
        )  # fmt: skip
    for fmt in (HALVES, WORDS, DOUBLES):
        yield Operation(
            f"predflag{fmt.field}t", partial(predflag, fmt=fmt),
            (Operand("flags", "ar", fmt.count), vbool("vb", optional=True)), (vbool("result"),),
            "flag l becomes the field of lane l, or any flag of a live lane", "5.4", "M", ("vbool-predflag",),
        )  # fmt: skip
    for fmt in INTEGER_FORMATS:
        field, bits = fmt.field, fmt.bits
        said = f"bit (i modulo {bits}) of every lane"
        yield Operation(
            f"ivp_extbi{fmt.token}", partial(extbi, fmt=fmt), (vec("vec"), index("bit")), (VB,),
            f"{said} as a mask", "3.5", "M",
        )  # fmt: skip
        yield Operation(
            f"ivp_injbi{fmt.token}", partial(injbi, fmt=fmt), (vec("base"), VB, index("bit")), (vec("vec"),),
            f"{said} becomes the mask bit", "3.5", "M",
        )  # fmt: skip
        yield Operation(
            f"extbi_{field}_{bits}_32", partial(_extbi_lane, fmt=fmt), (lane("val", bits), lane("bit", 32)),
            (lane("result", field),), said, "3.5", routine=True,
        )  # fmt: skip
        yield Operation(
            f"injbi_{bits}_{bits}_{field}_32", partial(_injbi_lane, fmt=fmt),
            (lane("base", bits), lane("pred", field), lane("bit", 32)), (lane("result", bits),), said, "3.5",
            routine=True,
        )  # fmt: skip


OPERATIONS = tuple(_rows())
