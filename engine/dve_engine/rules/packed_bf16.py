"""Checks of SUNDA's packed BF16 forms, which read two elements per word. Source: isa/03 section 6, isa/06 section 8.8
[H]."""

from __future__ import annotations

import numpy as np

from ..isa.dtypes import Dtype
from ..memory import address as ad
from .batch import Batch, Bools
from .operands import TensorOperand, pattern_columns
from .rule import Part


def aligned_part(operand: TensorOperand) -> Part:
    """The start is aligned to a whole word; an address in a register is met at run time."""

    def holds(batch: Batch) -> Bools:
        first = pattern_columns(batch, operand).first
        aligned = ad.addr_aligned_dtype(ad.address_of(first), np.asarray(Dtype.UINT32), batch.generation)
        return np.asarray(aligned | ad.addr_from_register(first))

    return Part(holds, f"{operand.field}.start_addr", "4-byte aligned")


def access_pattern_parts(operand: TensorOperand) -> tuple[Part, ...]:
    """An even innermost count, consecutive elements, and even steps between them."""
    num, steps = f"{operand.field}.num_elem", f"{operand.field}.step_elem"
    return (
        Part(lambda b: np.asarray(b.column(num)[:, 0] % 2 == 0), num, "even in dimension 0"),
        Part(lambda b: np.asarray(b.column(steps)[:, 0] == 1), steps, "1 in dimension 0"),
        Part(lambda b: np.asarray((b.column(steps)[:, 1:] % 2 == 0).all(axis=1)), steps, "even in dimensions 1 and up"),
    )
