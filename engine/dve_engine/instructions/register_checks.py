"""Placement rules on addresses that come from registers: what the validator could not apply to the word.

Only rules of the instruction's own list are applied. Source: isa/01 section 3.4, `register-address-checks` [M].
"""

from __future__ import annotations

import numpy as np

from ..isa.assumptions import Choices
from ..isa.dtypes import Dtype, dtype_name
from ..isa.generation import Generation
from ..memory import address as ad
from ..rules.operands import ImmediateOperand, TensorOperand
from .errors import ExecutionError

_INDEX_DTYPE = int(Dtype.UINT32)  # the code whose alignment an index list is held to


class RegisterChecks:
    """The checks of one generation under one set of choices. Each raises ExecutionError."""

    def __init__(self, generation: Generation, choices: Choices) -> None:
        self.generation, self.choices = generation, choices

    def _apply(self) -> bool:
        return self.choices["register-address-checks"] == "at-run-time"

    def tensor(self, operand: TensorOperand, address: int, dtype: int, lanes: int) -> None:
        """V6 to V10 where the list has the operand's pattern rule, V11 where it has its start rule."""
        if not (operand.pattern_rule or operand.start_rule) or not self._apply():
            return
        name, word, generation = operand.name, np.uint32(address), self.generation
        if operand.pattern_rule:
            self._aligned(name, address, dtype)
        if operand.start_rule:
            self._start(name, address, lanes)
        if not operand.pattern_rule:
            return
        psum, sbuf = bool(ad.in_psum(word, generation)), bool(ad.in_sbuf(word, generation))
        narrow = operand.write and psum and not ad.psum_write_width_ok(np.asarray(dtype))
        if narrow and self.choices["psum-narrow-write"] == "reject":
            raise misplaced(name, address, f"is in PSUM, where {dtype_name(dtype)} may not be written")
        if (not operand.psum and psum) or (not operand.sbuf and sbuf):
            raise misplaced(name, address, "is in a memory the operand may not use")

    def index(self, name: str, address: int, lanes: int) -> None:
        """V6 to V9 as UINT32 in SBUF, and V11, on the address of an index list."""
        if self._apply():
            self._aligned(name, address, _INDEX_DTYPE)
            self._start(name, address, lanes)
            psum = bool(ad.in_psum(np.uint32(address), self.generation))
            if psum and self.choices["indirect-index-region"] == "sbuf-only":
                raise misplaced(name, address, "holds an index list in PSUM")

    def pointer(self, operand: ImmediateOperand, address: int, dtype: int, lanes: int) -> None:
        """The rule of the scalar's pointer source."""
        if self._apply():
            self._aligned(operand.name, address, dtype)
            if operand.start_rule:
                self._start(operand.name, address, lanes)

    def two_sources(self, names: tuple[str, str], first: tuple[int, bool], second: tuple[int, bool]) -> None:
        """V25 on two resolved addresses, each with whether a register supplied it."""
        (a, a_resolved), (b, b_resolved) = first, second
        if not (a_resolved or b_resolved) or not self._apply():
            return
        if not ad.tt_valid_partitions(np.uint32(a), np.uint32(b), self.generation):
            raise misplaced(names[1], b, f"and {names[0]} at 0x{a:08X} break tt_valid_partitions")

    def _aligned(self, name: str, address: int, dtype: int) -> None:
        if not ad.addr_aligned_dtype(np.uint32(address), np.asarray(dtype), self.generation):
            raise misplaced(name, address, f"is not aligned to {dtype_name(dtype)}")

    def _start(self, name: str, address: int, lanes: int) -> None:
        if not self._start_holds(np.uint32(address), lanes):
            where = f"a start partition legal for {lanes} channels"
            raise misplaced(name, address, f"is not in the existing bytes of {where}")

    def _start_holds(self, word: np.uint32, lanes: int) -> bool:
        """V11 on a resolved address; asks `start-partition-table` where the table alone refuses it."""
        n, generation = np.asarray(lanes), self.generation
        if ad.tpb_addr_active_channels(word, n, generation):
            return True
        anywhere = bool(ad.tpb_addr_active_channels(word, n, generation, any_start=True))
        return anywhere and self.choices["start-partition-table"] == "any"


def misplaced(operand: str, address: int, why: str) -> ExecutionError:
    """The error of an address from a register that the operand may not have."""
    return ExecutionError(f"{operand}: register address 0x{address:08X} {why}", operand=operand, address=address)
