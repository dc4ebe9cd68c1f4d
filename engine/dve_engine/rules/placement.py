"""Where operands lie relative to each other: quadrants of indirect operands, placement of two sources.

Source: isa/01 sections 9.8 and 9.9.
"""

from __future__ import annotations

import numpy as np

from ..memory import address as ad
from .batch import Batch, Bools
from .operands import WITH_INDIRECT, TensorOperand, pattern_columns
from .rule import Part, Rule


def _own_quadrant(batch: Batch, operand: TensorOperand) -> Bools:
    """V23: a static index word and data in SBUF lie in one quadrant."""
    columns = pattern_columns(batch, operand)
    static = columns.indirect & ad.indirect_static(columns.first)
    if not static.any():
        return batch.all_true()
    index, data = ad.address_of(columns.first), ad.address_of(columns.data)
    same = ad.addresses_in_same_sbuf_quadrant(index, data, batch.generation)
    return ~static | ad.in_psum(data, batch.generation) | same


def indirect_quadrant_check_src3d(operand: TensorOperand, *, confidence: str = "H") -> Rule:
    """V23 on one source (also `_src4d`)."""
    part = Part(
        lambda batch: _own_quadrant(batch, operand),
        f"{operand.field}.index_addr",
        "in the quadrant of the data it indexes",
    )
    return Rule(
        f"indirect_quadrant_check_src{operand.dims}d",
        (part,),
        (operand.field,),
        generations=WITH_INDIRECT,
        confidence=confidence,
    )


def _cross_quadrant(batch: Batch, src: TensorOperand, dst: TensorOperand) -> Bools:
    """V24: the base-partition rule of an indirect destination (`indirect-src-dst-quadrant`).

    (i) src's data in SBUF: dst's index in its quadrant, unless a direct src's start is in a register;
    (ii) src's data in PSUM and src indirect: dst's index in the quadrant of src's index, unless that is in a register.
    """
    d, s = pattern_columns(batch, dst), pattern_columns(batch, src)
    static = d.indirect & ad.indirect_static(d.first)
    if not static.any():
        return batch.all_true()
    body = batch.depends("indirect-src-dst-quadrant", static)
    if body == "no-rule":
        return batch.all_true()
    if body == "dst-own-index":
        return _own_quadrant(batch, dst)
    dst_index, src_data, src_index = (ad.address_of(w) for w in (d.first, s.data, s.first))
    generation = batch.generation
    in_sbuf, in_psum = ad.in_sbuf(src_data, generation), ad.in_psum(src_data, generation)
    first = ad.addresses_in_same_sbuf_quadrant(dst_index, src_data, generation) | ~in_sbuf
    second = ad.addresses_in_same_sbuf_quadrant(dst_index, src_index, generation) | ~(in_psum & s.indirect)
    second |= ad.indirect_in_register(s.first)
    free = ~s.indirect & ad.addr_from_register(s.first)
    return ~static | free | (first & second)


def indirect_quadrant_check_src3d_dst3d(src: TensorOperand, dst: TensorOperand, *, confidence: str = "H") -> Rule:
    """V24 on the first tensor source and the destination (also `_src4d_dst4d`)."""
    part = Part(
        lambda batch: _cross_quadrant(batch, src, dst), f"{dst.field}.index_addr", f"in the quadrant of {src.field}"
    )
    n = dst.dims
    return Rule(
        f"indirect_quadrant_check_src{n}d_dst{n}d", (part,), (src.field, dst.field), generations=WITH_INDIRECT,
        confidence=confidence,
    )  # fmt: skip


def tt_valid_partitions(first: TensorOperand, second: TensorOperand) -> Rule:
    """V25: two sources; an address in a register passes, an indirect one counts by its data word."""

    def holds(batch: Batch) -> Bools:
        a, b = pattern_columns(batch, first), pattern_columns(batch, second)
        placed = ad.tt_valid_partitions(ad.address_of(a.data), ad.address_of(b.data), batch.generation)
        register = (~a.indirect & ad.addr_from_register(a.first)) | (~b.indirect & ad.addr_from_register(b.first))
        return np.asarray(placed | register)

    expected = f"in the same SBUF quadrant as {first.field}, or one of the two in PSUM and the other in SBUF"
    part = Part(holds, f"{second.field}.start_addr", expected)
    return Rule("tt_valid_partitions", (part,), (f"{first.field}.start_addr", f"{second.field}.start_addr"))
