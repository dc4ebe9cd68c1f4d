"""What accumulating instructions share: the command, the values a fold takes, what is left in the lanes.

Source: isa/05 sections 3.2 and 3.3.
"""

from __future__ import annotations

import numpy as np

from ..isa.aluops import IS_CACHE_REDUCE, AluOp
from ..isa.assumptions import Choices
from ..isa.codes import AccumCmd
from ..isa.dtypes import Dtype
from ..memory.access import Raw, Selection
from ..numerics import identity, narrow, widen
from ..rules.batch import Batch, Bools
from .operation import Float32, Operation
from .unmodelled import Unmodelled


def seed_of(op: Operation, lanes: slice, operator: int, load: Float32 | None = None) -> Float32:
    """What a fold of `operator` starts from, float32 (lanes,), by the record's accumulator command.

    load: imm1, for the instructions that have LOAD_ACCUMULATE. Not for IDLE. Nothing is written yet.
    Raises AccumulatorUnseeded. An operator without an identity is `unseeded`.
    """
    command = op.code("accumulator_cmd")
    if command == AccumCmd.ACCUMULATE:
        return op.read_accumulators(lanes)
    if command == AccumCmd.LOAD_ACCUMULATE and load is not None:
        return np.array(np.broadcast_to(load.reshape(-1), op.lanes))
    return np.full(op.lanes, identity(operator, op.choices), np.float32)


def unseeded(path: str, *under: tuple[str, str]) -> Unmodelled:
    """ZERO_ACCUMULATE with an operator, in the field `path`, that has no identity."""

    def where(batch: Batch) -> Bools:
        zeroed = batch.column("accumulator_cmd") == AccumCmd.ZERO_ACCUMULATE
        return np.asarray(zeroed & ~batch.among(path, IS_CACHE_REDUCE))

    def reason(batch: Batch, row: int) -> str:
        name = AluOp(batch.column(path)[row]).name
        return f"no source gives the value that ZERO_ACCUMULATE seeds {name} with"

    return Unmodelled(where, reason, under)


def folded_values(
    op: Operation, values: Float32, stored: Raw | None = None, selected: Selection | None = None
) -> Float32:
    """The values a fold takes: as computed, or as the output conversion leaves them (`fold-cast-point`).

    values: float32 (lanes, elements). stored: the same converted to the destination's dtype, if it is written anyway.
    selected: which of them are folded at all.
    """
    target = op.dtype("dst")
    if target == Dtype.FP32:
        return values
    trial = op.choices.fresh()  # what only the other answer would depend on is not noted
    converted = narrow(values, target, op.fp8_mode(target), trial) if stored is None else stored
    same = as_stored(op, converted, trial).view(np.uint32) == values.view(np.uint32)
    if (same if selected is None else same | ~selected).all() or op.choices["fold-cast-point"] == "before-conversion":
        return values
    return as_stored(op, op.narrow(values, target) if stored is None else stored)


def as_stored(op: Operation, stored: Raw, choices: Choices | None = None) -> Float32:
    """Elements of the destination as fp32."""
    target = op.dtype("dst")
    return widen(stored, target, op.fp8_mode(target), choices or op.choices, arithmetic=False)


def same_bits(a: Float32, b: Float32) -> bool:
    """Whether two arrays hold the same bit patterns."""
    return np.array_equal(a.view(np.uint32), b.view(np.uint32))


def leave(op: Operation, lanes: slice, result: Float32) -> None:
    """Store what a fold ended with; seeding clears the taint, accumulating does not."""
    accumulators = op.state.accumulators
    if op.code("accumulator_cmd") == AccumCmd.ACCUMULATE:
        accumulators.store(lanes, result)
    else:
        accumulators.seed(lanes, result)


def stay_idle(op: Operation, lanes: slice) -> None:
    """IDLE of an instruction that can accumulate: the content stays and is no longer vouched for."""
    op.state.accumulators.command(AccumCmd.IDLE, lanes, AluOp.ADD, op.choices)
