"""Operands: where the pattern, dtype and place of each tensor or scalar operand stand in a record.

The same declaration serves the rules of this floor and the binding of an execution one floor up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from ..isa.assumptions import Choices
from ..isa.dtypes import Dtype
from ..isa.generation import ALL, Generation
from ..isa.struct import INDIRECT
from ..memory import address as ad
from .batch import Batch, Bools

WITH_INDIRECT = frozenset(g for g in ALL if g.features.indirect_patterns)
WITH_UNIONS = frozenset(g for g in ALL if g.features.mem_pattern_unions)


class Indirection(Enum):
    """Whether a pattern field has an indirect form where the generation knows one. Source: isa/01 section 5.2."""

    NEVER = "never"
    UNION = "union"  # the field became a direct-or-indirect union
    S3S3D3_OUTER = "s3s3d3-outer"  # src0 and dst of S3S3D3_TT [M]
    S3S3D3_SRC1 = "s3s3d3-src1"  # its second source: never indirect by default [H]


_S3S3D3_ALLOWED = {
    Indirection.S3S3D3_OUTER: ("src0-and-dst", "all-operands"),
    Indirection.S3S3D3_SRC1: ("all-operands",),
}


@dataclass(frozen=True)
class TensorOperand:
    """A pattern operand. `name` is its role; `field` and `dtype` are paths into the record.

    checked_dtype: under which the place is checked, where the elements are narrower. pattern_rule, start_rule: whether
    the list has the operand's pattern rule and its start-partition rule. Some lists are incomplete in the sources; an
    address from a register is then held to no more than the list asks for.
    """

    name: str
    field: str
    dtype: str
    write: bool = False
    indirection: Indirection = Indirection.NEVER
    psum: bool = True
    sbuf: bool = True
    fixed_dtype: int | None = None  # where the pattern is checked under a dtype the record does not hold
    dims: int = 3
    checked_dtype: int | None = None
    pattern_rule: bool = True
    start_rule: bool = True

    def indirect_value(self, generation: Generation, choices: Choices) -> tuple[bool, bool]:
        """Whether the field may be indirect, and whether an assumption decided it."""
        if not generation.features.indirect_patterns or self.indirection is Indirection.NEVER:
            return False, False
        if self.indirection is Indirection.UNION:
            return True, False
        return choices.peek("s3s3d3-indirect") in _S3S3D3_ALLOWED[self.indirection], True


@dataclass(frozen=True)
class MxOperand:
    """A microscaled destination: packed groups of four 8-bit elements, and one scale byte per group and eight lanes.

    name, field, dtype as for a tensor operand. Its halves are bound as tensor operands of their own: the groups as
    32-bit elements under `name`, the scales of each quadrant of 32 lanes under `scale(quadrant).name`.
    """

    name: str
    field: str
    dtype: str
    write: bool = True
    indirection: Indirection = Indirection.NEVER

    @property
    def data(self) -> TensorOperand:
        """The packed groups."""
        return self._half(self.name, Dtype.UINT32)

    def scale(self, quadrant: int) -> TensorOperand:
        """The scale bytes of 32 lanes, in four partitions."""
        return self._half(f"{self.name}_scale{quadrant}", Dtype.UINT8)

    def _half(self, name: str, dtype: Dtype) -> TensorOperand:
        return TensorOperand(
            name, self.field, self.dtype, self.write, psum=False, fixed_dtype=int(dtype), dims=1, start_rule=False
        )


@dataclass(frozen=True)
class ImmediateOperand:
    """A scalar operand: its 4 bytes, the path of its source byte (None: always a pointer), and of its dtype.

    zero_means: the dtype that a dtype code of 0 stands for, where it stands for one.
    inline: whether source 0 means a value in the record; where not, it is a pointer.
    start_rule: whether the list holds pointers to the start-partition table.
    """

    name: str
    field: str
    source: str | None
    dtype: str | int
    zero_means: int = 0
    inline: bool = True
    start_rule: bool = True

    def dtype_code(self, value_of: Callable[[str], int]) -> int:
        """The scalar's dtype in one record; `value_of` reads a field."""
        return self.dtype if isinstance(self.dtype, int) else value_of(self.dtype) or self.zero_means


@dataclass(frozen=True)
class PatternColumns:
    """The columns of one pattern operand over a batch.

    first: the first word. indirect: which records use the indirect arm. data: the word that places the data (first word
    of a direct pattern). num: counts, (n, dims); of an indirect pattern (num, 1, ...). dtype: code per record.
    """

    first: ad.Words
    indirect: Bools
    data: ad.Words
    num: npt.NDArray[np.uint32]
    dtype: npt.NDArray[np.integer]
    marked: Bools  # bit 29 without bit 30, whether or not the field has an indirect arm


def pattern_columns(batch: Batch, operand: TensorOperand) -> PatternColumns:
    """Decode an operand of every record of the batch, once."""
    columns: PatternColumns = batch.keep(("pattern", operand), lambda: _pattern_columns(batch, operand))
    return columns


def _pattern_columns(batch: Batch, operand: TensorOperand) -> PatternColumns:
    field = np.ascontiguousarray(batch.records[operand.field])
    first = field["start_addr"].astype(np.uint32)
    marked = ad.is_indirect(first)
    allowed, assumed = operand.indirect_value(batch.generation, batch.choices)
    if assumed:
        batch.depends("s3s3d3-indirect", marked)
    indirect = marked if allowed else np.zeros(len(batch), bool)
    num = field["num_elem"].astype(np.uint32)
    data = first
    if indirect.any():
        arm = field.view(INDIRECT[field.dtype.itemsize])
        data = np.where(indirect, arm["data_addr"], first)
        num = np.where(indirect[:, None], np.uint32(1), num)
        num[:, 0] = np.where(indirect, arm["num"], num[:, 0])
    return PatternColumns(first, indirect, data, num, dtype_column(batch, operand), marked)


def dtype_column(batch: Batch, operand: TensorOperand) -> npt.NDArray[np.integer]:
    """The dtype codes under which an operand's pattern is checked."""
    fixed = operand.fixed_dtype if operand.checked_dtype is None else operand.checked_dtype
    if fixed is not None:
        return np.full(len(batch), fixed)
    return batch.column(operand.dtype)


def element_count(columns: PatternColumns) -> npt.NDArray[np.uint32]:
    """V18: the product of the counts modulo 2^32; of an indirect pattern, its number of indices."""
    return np.asarray(np.prod(columns.num, axis=1, dtype=np.uint32))
