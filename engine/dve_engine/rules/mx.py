"""Validity of a microscaled pattern. Source: isa/01 section 6.4 [H]; the markers as in section 3.2 [M]."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..isa.dtypes import Dtype
from ..memory import address as ad
from .batch import Batch, Bools
from .operands import MxOperand
from .rule import Part, Rule


def mxmem1d_valid(operand: MxOperand) -> Rule:
    """At least one group; data and scale addresses in one SBUF quadrant, the data 4-byte aligned."""
    data, scale = f"{operand.field}.data_addr", f"{operand.field}.scale_addr"

    def words(batch: Batch, path: str) -> ad.Words:
        found: ad.Words = batch.column(path)
        return found

    def some(batch: Batch) -> Bools:
        shape = ad.shape_from_register(words(batch, data), batch.generation)
        return np.asarray((batch.column(f"{operand.field}.num") != 0) | shape)

    def aligned(batch: Batch) -> Bools:
        word = words(batch, data)
        good = ad.addr_aligned_dtype(ad.address_of(word), np.asarray(Dtype.UINT32), batch.generation)
        return ad.is_register(word) | good

    def one_quadrant(batch: Batch) -> Bools:
        first, second = words(batch, data), words(batch, scale)
        same = ad.addresses_in_same_sbuf_quadrant(ad.address_of(first), ad.address_of(second), batch.generation)
        return np.asarray(same | ad.is_register(first) | ad.is_register(second))

    def direct(path: str) -> Part:
        return Part(lambda b: _direct(b, words(b, path)), path, "a direct address; the field has no indirect form here")

    def register(path: str) -> Part:
        def holds(batch: Batch) -> Bools:
            word = words(batch, path)
            return ~ad.is_register(word) | ad.register_form_valid(word, batch.generation)

        return Part(holds, path, "0x80000000 plus a register number 0..63")

    def in_sbuf(path: str) -> Part:
        def holds(batch: Batch) -> Bools:
            word = words(batch, path)
            return ad.is_register(word) | ad.in_sbuf(ad.address_of(word), batch.generation)

        return Part(holds, path, "an address in SBUF")

    checks: tuple[Callable[[str], Part], ...] = (direct, register, in_sbuf)
    parts = (
        Part(some, f"{operand.field}.num", "at least 1"),
        *(check(data) for check in checks),
        Part(aligned, data, "4-byte aligned"),
        *(check(scale) for check in checks),
        Part(one_quadrant, scale, f"in the SBUF quadrant of {data}"),
    )
    return Rule("mxmem1d_valid", parts, (operand.field,))


def _direct(batch: Batch, words: ad.Words) -> Bools:
    """No marker 0x60 or 0xE0, and no indirect one (`indirect-marker-in-plain-pattern`)."""
    good = ad.marker_defined(words)
    stray = ad.is_indirect(words)
    if stray.any() and batch.depends("indirect-marker-in-plain-pattern", stray) == "reject":
        good &= ~stray
    return np.asarray(good)
