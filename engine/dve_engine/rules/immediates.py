"""Scalar operands: in the record, behind a pointer or a register. Source: isa/01 section 7, isa/03 section 4.4 [H]."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..isa.codes import ImmSrc
from ..isa.dtypes import SIZE_BYTES, dtype_name
from ..memory import address as ad
from .batch import Batch, Bools
from .channels import CHANNELS, start_holds
from .operands import ImmediateOperand
from .rule import Part, Rule

When = Callable[[Batch], Bools]
SOURCES = "0 (in the record), 1 (pointer) or 2 (register pointer)"
POINTER_SOURCES = "0 or 1 (pointer) or 2 (register pointer)"


def source_is(operand: ImmediateOperand, source: ImmSrc) -> When:
    """Which records take the scalar from `source`; without a source byte it is always a pointer."""
    if operand.source is None:
        return lambda batch: np.full(len(batch), source is ImmSrc.POINTER_IMMEDIATE)
    path = operand.source
    codes = (0, 1) if source is ImmSrc.POINTER_IMMEDIATE and not operand.inline else (source,)
    return lambda batch: np.isin(batch.column(path), codes)


def immediate_dtype(batch: Batch, operand: ImmediateOperand) -> np.ndarray:
    """The dtype codes of the scalar."""
    if isinstance(operand.dtype, int):
        return np.full(len(batch), operand.dtype, np.uint8)
    codes = batch.column(operand.dtype)
    return np.where(codes == 0, np.uint8(operand.zero_means), codes) if operand.zero_means else codes


def register_valid(words: ad.Words, batch: Batch) -> Bools:
    """`is_valid_imm_reg`: reserved bytes 1 to 3 zero and the register number in range (`immediate-register-bound`)."""
    number = words & np.uint32(0xFF)
    below = np.asarray((words >> np.uint32(8) == 0) & (number < batch.generation.num_address_registers))
    beyond = (words >> np.uint32(8) == 0) & (number >= batch.generation.num_address_registers)
    if beyond.any() and batch.depends("immediate-register-bound", beyond) == "256-registers":
        return np.asarray(below | beyond)
    return below


def source_part(operand: ImmediateOperand, leaf: str | None = None) -> Part:
    """The source byte is one of the three codes."""
    path, expected = operand.source or "", SOURCES if operand.inline else POINTER_SOURCES
    return Part(lambda batch: np.asarray(batch.column(path) <= ImmSrc.REG_PTR_IMMEDIATE), path, expected, leaf)


def pointer_parts(operand: ImmediateOperand, when: When, leaf: str | None = None) -> tuple[Part, ...]:
    """I2: the whole pointer word suits the channel count, where the list asks, and is aligned to the scalar's dtype."""

    def placed(batch: Batch) -> Bools:
        return ~when(batch) | start_holds(batch.column(operand.field), batch)

    def aligned(batch: Batch) -> Bools:
        words = batch.column(operand.field)
        return ~when(batch) | ad.addr_aligned_dtype(words, immediate_dtype(batch, operand), batch.generation)

    def start(batch: Batch, row: int) -> str:
        channels = int(batch.column(CHANNELS)[row])
        return f"an address in the existing bytes of a start partition legal for {channels} channels"

    def alignment(batch: Batch, row: int) -> str:
        return f"aligned to {dtype_name(int(immediate_dtype(batch, operand)[row]))}"

    alignment_part = Part(aligned, operand.field, alignment, leaf)
    return (Part(placed, operand.field, start, leaf), alignment_part) if operand.start_rule else (alignment_part,)


def register_part(operand: ImmediateOperand, when: When, leaf: str | None = "is_valid_imm_reg") -> Part:
    """I3."""
    return Part(
        lambda batch: ~when(batch) | register_valid(batch.column(operand.field), batch),
        operand.field, "a register number 0..63 with zero upper bytes", leaf,
    )  # fmt: skip


def immediate_parts(operand: ImmediateOperand) -> tuple[Part, ...]:
    """I1 to I4 of `has_valid_immediates`."""
    return (
        source_part(operand),
        *pointer_parts(operand, source_is(operand, ImmSrc.POINTER_IMMEDIATE)),
        register_part(operand, source_is(operand, ImmSrc.REG_PTR_IMMEDIATE)),
    )


def has_valid_immediates(operand: ImmediateOperand, function: str = "has_valid_immediates") -> Rule:
    """`has_valid_immediates(imm, src, n, dtype)` under the name a list gives it."""
    fields = (operand.source, operand.field, operand.dtype)
    return Rule(function, immediate_parts(operand), tuple(f for f in fields if isinstance(f, str)))


def narrow_immediate_part(operand: ImmediateOperand) -> Part:
    """Upper bytes of an inline 1- or 2-byte scalar; no source has a check, so by default they are ignored."""
    inline = source_is(operand, ImmSrc.INSTRUCTION_IMMEDIATE)

    def holds(batch: Batch) -> Bools:
        size = SIZE_BYTES[immediate_dtype(batch, operand)]
        extra = (
            inline(batch)
            & (size < 4)
            & (batch.column(operand.field).astype(np.uint64) >> (8 * size).astype(np.uint64) != 0)
        )
        if not extra.any() or batch.depends("narrow-immediate-high-bytes", extra) == "ignored":
            return batch.all_true()
        return np.asarray(~extra)

    return Part(holds, operand.field, "zero above the bytes of its dtype")
