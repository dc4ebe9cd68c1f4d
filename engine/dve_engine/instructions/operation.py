"""Operation: one bound record while it executes, and the vocabulary of READ, COMPUTE and WRITE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..isa.assumptions import Choices
from ..isa.dtypes import Dtype, raw_type
from ..isa.generation import Fp8Mode, Generation
from ..isa.struct import code_of
from ..memory.access import Access, GatherAccess, Raw, Selection, blend
from ..memory.footprint import Band
from ..memory.journal import Journal
from ..memory.overlap import partially_overlap
from ..numerics import alu_f32, narrow, widen
from ..state import MachineState
from .bound import Binding
from .errors import ExecutionError
from .instruction import Instruction

Float32 = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint32]
_FP8 = (Dtype.FP8_EXP3, Dtype.FP8_EXP4, Dtype.FP8_EXP5)
_OPEN_MODES = {
    "ocp-saturate": {"ocp": True, "sat": True},
    "ocp-no-saturate": {"ocp": True, "sat": False},
    "legacy": {"ocp": False, "sat": False},
}


@dataclass
class Operation:
    """What a family's `execute` works with.

    Elements are raw bits, (lanes, elements) in walk order, until a family widens them. Sources must be read before
    `write` is called, which is what makes overlapping operands well defined (`partial-overlap` = snapshot).
    """

    instruction: Instruction
    record: np.void
    binding: Binding
    state: MachineState
    choices: Choices
    diagnostics: list[dict[str, Any]]
    journal: Journal | None = None
    first_lane: int = 0  # of a block of lanes, see lane_blocks.py

    def __post_init__(self) -> None:
        """Resolve index lists of every indirect operand, before anything is read or written."""
        self.written: list[Band] = []
        self._places: dict[str, Access | GatherAccess]
        if self.binding.places is not None:
            self._places = self.binding.places
            return
        self._places = {name: tensor.at(self.state.memory) for name, tensor in self.binding.tensors.items()}
        if any(isinstance(place, GatherAccess) and place.clamped for place in self._places.values()):
            self.choices["indirect-index-out-of-range"]

    def part(self, first_lane: int, binding: Binding) -> Operation:
        """The same record on a block of its lanes, direct operands only. What it overwrites must have been saved."""
        return Operation(
            self.instruction, self.record, binding, self.state, self.choices, self.diagnostics, None, first_lane
        )

    def save(self) -> None:
        """Let the journal remember what the destinations hold."""
        if self.journal is not None:
            for name, tensor in self.binding.tensors.items():
                if tensor.operand.write:
                    self.journal.save(self._places[name])

    def covers(self) -> None:
        """Note that its blocks wrote: each on its lanes what any other did."""
        self.written += self.binding.writes()

    @property
    def opcode(self) -> int:
        """The record's opcode byte."""
        return int(self.record["header"]["opcode"])

    @property
    def generation(self) -> Generation:
        """The generation the program runs on."""
        return self.state.generation

    @property
    def lanes(self) -> int:
        """Active channels."""
        return self.binding.lanes

    def code(self, path: str) -> int:
        """The value of a one-byte or word field."""
        value = self.binding.codes.get(path)
        if value is None:
            value = self.binding.codes[path] = code_of(self.record, path)
        return value

    def dtype(self, operand: str) -> int:
        """The dtype of a tensor operand."""
        return self.binding.tensors[operand].dtype

    def place(self, operand: str) -> Access | GatherAccess:
        """Where a tensor operand lies."""
        return self._places[operand]

    # READ

    def read(self, operand: str) -> Raw:
        """The elements of a tensor operand as bits; may be a view of memory."""
        return self._places[operand].read(self.state.memory)

    def scalar_dtype(self, immediate: str) -> int:
        """The dtype of a scalar operand."""
        return self.instruction.immediate(immediate).dtype_code(self.code)

    def scalar(self, immediate: str) -> Raw:
        """A scalar operand's bits: (1, 1) from the record (its low-order bytes), (lanes, 1) from memory."""
        bound = self.binding.scalars[immediate]
        if bound.access is not None:
            return bound.access.read(self.state.memory).copy()
        assert bound.inline is not None
        return _inline(bound.inline, self.scalar_dtype(immediate))

    # COMPUTE

    def fp8_mode(self, dtype: int) -> Fp8Mode:
        """The engine mode under which a dtype converts; only FP8 codes depend on it."""
        if self.state.fp8_mode is not None:
            return self.state.fp8_mode
        mode = self.generation.fp8_default
        if dtype in _FP8 and self.generation.fp8_default_open:
            return replace(mode, **_OPEN_MODES[self.choices["fp8-mode-mariana"]])
        return mode

    def widen(self, raw: Raw, dtype: int, *, arithmetic: bool = True) -> Float32:
        """Bits of `dtype` to fp32. arithmetic: as operands of an ALU operation, which asks for `int32-arithmetic`."""
        return widen(raw, dtype, self.fp8_mode(dtype), self.choices, arithmetic=arithmetic)

    def narrow(self, values: Float32, dtype: int) -> Raw:
        """fp32 to bits of `dtype`, rounded once."""
        return narrow(values, dtype, self.fp8_mode(dtype), self.choices)

    def alu_f32(self, code: int, a: Float32, b: Float32) -> Float32:
        """One fp32 ALU step; raises AluOpNotDefined for a code that no source defines there."""
        return alu_f32(code, a, b, self.choices)

    def convert(self, raw: Raw, source: int, target: int) -> Raw:
        """Bits of one dtype to bits of another: through fp32, unless they are equal (`equal-dtype-conversion`)."""
        if source == target and self.choices["equal-dtype-conversion"] == "raw-bits":
            return raw
        return self.narrow(self.widen(raw, source, arithmetic=False), target)

    # WRITE

    def write(self, operand: str, values: Raw, selected: Selection | None = None) -> None:
        """Store elements in walk order; elements not selected keep their bytes.

        Raises ExecutionError where the destination partly overlaps a source and the caller asked for an error.
        """
        place = self._places[operand]
        self._refuse_overlap(operand)
        last_wins = place.visits_once or self.choices["duplicate-destination"] == "last-wins"
        if self.journal is not None:
            self.journal.save(place)
        self.written += place.bands()
        place.write(self.state.memory, values, selected, last_wins=last_wins)

    def write_all(self, values: Mapping[str, Raw]) -> None:
        """Store several destinations, in order; nothing is written if one of them may not be."""
        for operand in values:
            self._refuse_overlap(operand)
        for operand, elements in values.items():
            self.write(operand, elements)

    def _refuse_overlap(self, operand: str) -> None:
        for name in self._crossings(operand):
            if self.choices["partial-overlap"] == "error":
                raise ExecutionError(f"{operand} overlaps {name} other than exactly in place", operand=operand)

    def _crossings(self, operand: str) -> Iterable[str]:
        if self.binding.places is not None:
            return self.binding.crossings[operand]
        place = self._places[operand]
        return (name for name, other in self._places.items() if name != operand and partially_overlap(place, other))

    def write_selected(self, operand: str, values: Raw, selected: Selection) -> None:
        """Store what the predicate selects; the rest keeps its bytes (`merge-of-unselected`)."""
        if self.choices["merge-of-unselected"] == "zero" and not selected.all():
            self.write(operand, blend(selected, values, values.dtype.type(0)))
        else:
            self.write(operand, values, selected)

    def accumulator_lanes(self, operand: str) -> slice:
        """The accumulator lanes of the active channels, counted from 0 (`accumulator-lane`)."""
        first, start = self.first_lane, self._places[operand].start.partition
        if start > first and self.choices["accumulator-lane"] == "absolute-partition":
            first = start
        return slice(first, first + self.lanes)

    def read_accumulators(self, lanes: slice) -> Float32:
        """The accumulators of `lanes`, with a diagnostic where they are not vouched for."""
        values, tainted = self.state.accumulators.read(lanes, self.choices)
        if tainted.any():
            named = (np.flatnonzero(tainted) + (lanes.start or 0)).tolist()
            self.diagnose("tainted_accumulator", "uses accumulator lanes that are not vouched for", lanes=named)
        return values

    def diagnose(self, kind: str, message: str, **details: object) -> None:
        """Add a diagnostic to the answer."""
        self.diagnostics.append({"kind": kind, "message": message, **details})


@lru_cache(1024)
def _inline(word: int, dtype: int) -> Raw:
    bits = np.array([[word]], np.uint32).astype(raw_type(dtype))
    bits.flags.writeable = False
    return bits
