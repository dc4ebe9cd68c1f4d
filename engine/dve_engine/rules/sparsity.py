"""Checks shared by SPARSITY_COMPRESS and SPARSITY_COMPRESS_TAG. Source: isa/06 section 7.4 [H]."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..isa.codes import SUBDIMS, CompressOp
from ..memory.address import shape_from_register
from .batch import Batch, Bools
from .channels import CHANNELS, TRANSPOSE_CHANNELS
from .fields import among, field_in
from .operands import TensorOperand, pattern_columns
from .patterns import count_waived, multiple_of_32_count_part
from .rule import Part, Rule

WINNERS = 4


def group_dims(op_dim: int, dims: int) -> int:
    """How many of a pattern's dimensions form one group."""
    return min(SUBDIMS.get(op_dim, 0), dims)


def _sizes(batch: Batch, src: TensorOperand) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Elements per group and number of groups of each record; 0 groups where op_dim is no code of the family."""
    num = pattern_columns(batch, src).num
    group, groups = (np.zeros(len(batch), np.uint32) for _ in range(2))
    for code, dims in SUBDIMS.items():
        here = batch.column("op_dim") == code
        group[here] = np.prod(num[here, :dims], axis=1, dtype=np.uint32)
        groups[here] = np.prod(num[here, dims:], axis=1, dtype=np.uint32)
    return group, groups


compress_op = field_in(
    "sparsity_compress_op",
    "op",
    tuple(CompressOp),
    "0x08 (MIN), 0x09 (MAX), 0x20 (ABS_MIN) or 0x21 (ABS_MAX)",
    named_by_us=True,
)


def reduce_dim_size_check(src: TensorOperand) -> Rule:
    """A group holds at least as many elements as it has winners."""

    def holds(batch: Batch) -> Bools:
        waived = shape_from_register(pattern_columns(batch, src).first, batch.generation)
        return np.asarray((_sizes(batch, src)[0] >= WINNERS) | waived)

    part = Part(holds, f"{src.field}.num_elem", f"at least {WINNERS} elements per group")
    return Rule("reduce_dim_size_check", (part,), (src.field, "op_dim"))


def reduce_dst_num_elements(src: TensorOperand, dst: TensorOperand) -> Rule:
    """The destination takes exactly the winners of every group."""

    def holds(batch: Batch) -> Bools:
        source, target = pattern_columns(batch, src), pattern_columns(batch, dst)
        wanted = _sizes(batch, src)[1] * np.uint32(WINNERS)
        written = np.prod(target.num, axis=1, dtype=np.uint32)
        return np.asarray((written == wanted) | count_waived(batch, source, target))

    def expected(batch: Batch, row: int) -> str:
        return f"{WINNERS} elements for each of {int(_sizes(batch, src)[1][row])} groups"

    return Rule(
        "reduce_dst_num_elements",
        (Part(holds, f"{dst.field}.num_elem", expected),),
        (src.field, "op_dim", dst.field),
    )


def transpose_src_rule(src: TensorOperand) -> Rule:
    """transpose_src is a flag; where it is set, the source is made of whole 32 x 32 tiles."""
    count = multiple_of_32_count_part(src)

    def untransposed(batch: Batch) -> Bools:
        return np.asarray(batch.column("transpose_src") != 1)

    def channels(batch: Batch) -> Bools:
        return untransposed(batch) | np.isin(batch.column(CHANNELS), TRANSPOSE_CHANNELS)

    return Rule(
        "sparsity_compress_transpose_src",
        (
            Part(among("transpose_src", (0, 1)), "transpose_src", "0 or 1"),
            Part(channels, CHANNELS, "32, 64, 96 or 128 for a transposed source"),
            Part(lambda batch: untransposed(batch) | count.holds(batch), count.field, str(count.expected)),
        ),
        ("transpose_src", CHANNELS, src.field),
        named_by_us=True,
    )
