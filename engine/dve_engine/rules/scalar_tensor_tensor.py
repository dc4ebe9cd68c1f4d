"""Checks shared by the instructions on S2S2D2_STT. Source: isa/05 sections 4.3 and 5.2, isa/04 section 5 [H]."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..isa.codes import ImmSrc
from ..isa.dtypes import Dtype
from .batch import Batch, Bools
from .dtypes import is_valid_dtype
from .fields import general_arith
from .operands import TensorOperand
from .rule import Part, Rule

SRC0_DTYPE, SRC1_DTYPE = "in0_in1_dtype.dtype_lo", "in0_in1_dtype.dtype_hi"
PLAIN_DTYPES = (SRC0_DTYPE, SRC1_DTYPE, "imm0_dtype")
OPS = ("op0", "op1")


def sources(first: str, second: str) -> tuple[TensorOperand, TensorOperand]:
    """The two source operands under the names a family gives them."""
    return (
        TensorOperand(first, "src0_mem_pattern", SRC0_DTYPE, dims=2),
        TensorOperand(second, "src1_mem_pattern", SRC1_DTYPE, dims=2),
    )


DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, dims=2)


def dtype_gates(first: int) -> tuple[tuple[str, Rule], ...]:
    """The four dtype rules, numbered from `first`: both sources and the scalar without FP32R, the output with it."""
    gates = [is_valid_dtype(path) for path in PLAIN_DTYPES] + [is_valid_dtype("out_dtype", fp32r=True)]
    return tuple((f"V{first + k}", gate) for k, gate in enumerate(gates))


def imm0_dtype(exempt: Callable[[Batch], Bools] | None = None) -> Rule:
    """`s2s2d2_stt_imm0_dtype`: a scalar in the record is FP32. exempt: records the rule does not bind."""

    def holds(batch: Batch) -> Bools:
        pointer = np.isin(batch.column("imm0_src"), (ImmSrc.POINTER_IMMEDIATE, ImmSrc.REG_PTR_IMMEDIATE))
        good = pointer | (batch.column("imm0_dtype") == Dtype.FP32)
        return np.asarray(good if exempt is None else good | exempt(batch))

    part = Part(holds, "imm0_dtype", "0x0A (FP32) for a scalar in the record")
    return Rule("s2s2d2_stt_imm0_dtype", (part,), ("imm0_src", "imm0_dtype"))


def general_arith_part(path: str, exempt: Callable[[Batch], Bools] | None = None) -> Part:
    """The field is a general arithmetic ALU code. exempt: records the check does not bind."""

    def holds(batch: Batch) -> Bools:
        if exempt is None:
            return general_arith(batch, path)
        free = exempt(batch)
        return free | general_arith(batch, path, ~free)

    return Part(holds, path, "a general arithmetic ALU code")
