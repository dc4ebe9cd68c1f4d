"""Unmodelled: what a legal record asks for that no source describes, so that a run refuses it.

A family lists its own entries; those that follow from its operands are derived here from their declarations. Verdicts
and runs answer from the same table: an entry may look at the record, the generation and the choices, at nothing else.
What shows only in registers, memory or draws is raised where it is met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..isa.aluops import ALU_OPS, AluOp
from ..isa.assumptions import Choices
from ..isa.dtypes import SIZE_BYTES, Dtype, codes, dtype_name
from ..isa.generation import ALL, Generation
from ..memory import address as ad
from ..numerics import AluOpNotDefined, ConversionNotDefined
from ..numerics.alu_lanes import BIT_FUNCTIONS
from ..rules.batch import Batch, Bools
from ..rules.fields import among
from ..rules.operands import ImmediateOperand, MxOperand, TensorOperand

Where = Callable[[Batch], Bools]
Under = tuple[tuple[str, str], ...]
Reason = str | Callable[[Batch, int], str]
_WITHOUT_SIZE = frozenset(np.flatnonzero(SIZE_BYTES == 0).tolist())


@dataclass(frozen=True)
class Unmodelled:
    """Legal records that a run refuses.

    where: which records, bool (n,). reason: the text, or a function of the batch and the record's position. under:
    (assumption, value) pairs; the entry stands while all of them are chosen. They are looked at in order, up to the
    first that is not. generations: on which it exists.
    """

    where: Where
    reason: Reason
    under: Under = ()
    generations: frozenset[Generation] = ALL

    def standing(self, choices: Choices) -> tuple[bool, tuple[str, ...]]:
        """Whether the entry stands, and the assumptions that decide it. Records nothing."""
        asked: tuple[str, ...] = ()
        for identifier, value in self.under:
            asked += (identifier,)
            if choices.peek(identifier) != value:
                return False, asked
        return True, asked


@dataclass(frozen=True)
class Refusal:
    """What the table says of one legal record.

    reason: why a run refuses it, None where it does not. asked: assumptions under another value of which it would; a
    run of the record depends on them.
    """

    reason: str | None = None
    asked: tuple[str, ...] = ()


EXECUTES = Refusal()


def refusals(entries: Sequence[Unmodelled], batch: Batch, legal: Bools) -> Mapping[int, Refusal]:
    """Ask the table: position -> refusal, for every legal record that an entry concerns.

    The first standing entry gives the reason, and the verdict then depends on the assumptions of that entry. What a
    record is executed under is the run's dependence, not the verdict's.
    """
    found: dict[int, Refusal] = {}
    for entry in entries:
        if batch.generation not in entry.generations:
            continue
        concerned = entry.where(batch)
        if not concerned.any():
            continue
        stands, asked = entry.standing(batch.choices)
        for row in np.flatnonzero(concerned & legal).tolist():
            before = found.get(row, EXECUTES)
            if before.reason is not None:
                continue
            if stands:
                found[row] = Refusal(entry.reason if isinstance(entry.reason, str) else entry.reason(batch, row))
                for identifier in asked:
                    batch.choices[identifier]
            else:
                found[row] = Refusal(asked=before.asked + asked)
    return found


def every(batch: Batch) -> Bools:
    """Every record: the opcode as such is not modelled."""
    return batch.all_true()


def undefined(datapath: str, ops: Iterable[int], *paths: str, under: Under = ()) -> tuple[Unmodelled, ...]:
    """ALU codes in one of the fields for which the datapath has no formula; its own error is the reason."""

    def of(path: str) -> Unmodelled:
        def reason(batch: Batch, row: int) -> str:
            return str(AluOpNotDefined(int(batch.column(path)[row]), datapath))

        return Unmodelled(among(path, ops), reason, under)

    return tuple(map(of, paths))


undefined_bits = partial(undefined, "raw-bit", set(ALU_OPS) - set(BIT_FUNCTIONS))
undefined_rsqrt = partial(undefined, "fp32", (AluOp.RSQRT,), under=(("rsqrt-accuracy", "not-modelled"),))


def unconvertible(*paths: str, where: Where = every, under: Under = ()) -> tuple[Unmodelled, ...]:
    """Elements that are converted and whose format is open, under a dtype field; its own error is the reason.

    where, under: what makes the conversion depend on more than the dtype.
    """
    code = int(Dtype.FP8_EXP2)

    def of(path: str) -> Unmodelled:
        holds = among(path, (code,))
        return Unmodelled(
            holds if where is every else lambda batch: holds(batch) & where(batch),
            str(ConversionNotDefined(code)),
            (*under, ("fp8-e2m5-format", "not-modelled")),
            frozenset(g for g in ALL if code in codes(g)),
        )

    return tuple(map(of, paths))


# -- what follows from the struct and the operands -------------------------------------------------------------------


def _tiled(byte: int) -> Unmodelled:
    """A tile flag in one byte of the header; the rules of some opcodes do not look at it (isa/01 section 1.3)."""

    def reason(batch: Batch, row: int) -> str:
        flags = int(batch.raw[row, byte])
        return f"header.inst_flags is {flags}: what a tile does is in no source (maverick-tile-range)"

    return Unmodelled(
        lambda batch: np.asarray(batch.raw[:, byte] != 0),
        reason,
        (("maverick-inst-flags-byte", f"byte-{byte}"), ("maverick-tile-range", "zero-only")),
        frozenset(g for g in ALL if g.features.header_inst_flags),
    )


TILES = (_tiled(3), _tiled(2))


def of_tensor(operand: TensorOperand) -> tuple[Unmodelled, ...]:
    """Elements without a size, and a shape from a register."""
    shape = shape_from_register(operand.name, f"{operand.field}.start_addr")
    return (shape,) if operand.fixed_dtype is not None else (_without_size(operand.name, operand.dtype), shape)


def of_immediate(operand: ImmediateOperand) -> tuple[Unmodelled, ...]:
    """A scalar without a size; the rules let a register lead to one."""
    if isinstance(operand.dtype, int):
        return ()
    return (_without_size(operand.name, operand.dtype, {0} if operand.zero_means else ()),)


def _without_size(name: str, path: str, but: Iterable[int] = ()) -> Unmodelled:
    def reason(batch: Batch, row: int) -> str:
        return f"{name}: elements of {dtype_name(int(batch.column(path)[row]))} have no known size"

    return Unmodelled(among(path, _WITHOUT_SIZE.difference(but)), reason)


def of_conversions(tensors: Iterable[TensorOperand], immediates: Iterable[ImmediateOperand]) -> tuple[Unmodelled, ...]:
    """Every operand whose dtype the record holds goes to or from fp32."""
    paths = [t.dtype for t in tensors if t.fixed_dtype is None]
    paths += [i.dtype for i in immediates if isinstance(i.dtype, str)]
    return unconvertible(*dict.fromkeys(paths))


def of_mx(operand: MxOperand) -> tuple[Unmodelled, ...]:
    """The scale partition index, and shapes from a register."""
    path = f"{operand.field}.scale_partition_index"

    def reason(batch: Batch, row: int) -> str:
        return f"{operand.name}: no source says what scale partition index {int(batch.column(path)[row])} selects"

    return (
        Unmodelled(lambda batch: batch.column(path) != 0, reason),
        shape_from_register(operand.data.name, f"{operand.field}.data_addr"),
        shape_from_register(operand.scale(0).name, f"{operand.field}.scale_addr"),
    )


def shape_from_register(name: str, path: str) -> Unmodelled:
    """An address word whose bit 30 is set, which is wider than the rules' own test (isa/01 section 3.4)."""

    return Unmodelled(
        lambda batch: batch.column(path) & np.uint32(ad.SHAPE_BIT) != 0,
        f"{name}: its shape comes from a register (shape-register)",
        (("shape-register", "not-modelled"),),
        frozenset(g for g in ALL if g.features.shape_registers),
    )
