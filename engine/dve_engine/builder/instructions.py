"""The methods of ProgramBuilder: one per instruction that the Vector Engine's queue executes.

Written by `python -m dve_engine.builder.generate` from the layout tables and the families' operands; a test compares.
Arguments that are not given are zero, but for `num_active_channels`: the lanes of the operands. Every method raises
BuildError for arguments that make no record and IllegalInstruction for a record that is not legal, and returns the
64 bytes it appended. `locals()` in a method are its arguments.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from ..isa.aluops import AluOp
from ..isa.codes import (
    AccumCmd,
    CompressOp,
    DebugCmd,
    DropoutThresholdType,
    ImmSrc,
    PoolType,
    RandAlgorithm,
    RandPostProc,
    RandSrc,
    RandStateUpdate,
    RegSerialMode,
    ReverseOps,
    TensorSubdim,
    UpdateMode,
    WaitMode,
)
from .operands import Bits, DtypeLike, Indirect, Microscaled, Operand, Scalar


class Common(TypedDict, total=False):
    """What every instruction takes. events: waits and updates as text, such as "S[9]>=16 S[6]++@complete"."""

    events: str
    wait_mode: WaitMode | str | int
    wait_idx: int
    update_mode: UpdateMode | str | int
    update_idx: int
    semaphore_value: int
    inst_word_len: int
    debug_cmd: DebugCmd | str | int
    debug_hint: int


class Instructions(ABC):
    """One method per instruction."""

    @abstractmethod
    def _append(self, opcode: int, arguments: Mapping[str, Any]) -> bytes:
        """Append the record of an opcode and its arguments."""

    def activate2(
        self,
        *,
        src: Operand,
        dst: Operand,
        num_active_channels: int | None = None,
        relu_param_src: ImmSrc | str | int | None = None,
        imm0_src: ImmSrc | str | int | None = None,
        reduce_cmd: AccumCmd | str | int | None = None,
        imm1_src: ImmSrc | str | int | None = None,
        imm_dtype: DtypeLike | None = None,
        op0: AluOp | str | int | None = None,
        op1: AluOp | str | int | None = None,
        reduce_op: AluOp | str | int | None = None,
        activation_func: int | None = None,
        imm0: int | None = None,
        imm1: int | None = None,
        relu_param: int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """ACTIVATE2 (0x25), on MAVERICK.

        The activation function tables are outside the Vector Engine, and no source describes a handler there.
        Source: isa/06 section 8.2.
        """
        return self._append(0x25, locals())

    def exponential(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        imm0: Operand | Bits | Scalar | float | None = None,
        imm1: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        accumulator_cmd: AccumCmd | str | int | None = None,
        op0: AluOp | str | int | None = None,
        op1: AluOp | str | int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """EXPONENTIAL (0x30), on MARIANA, MAVERICK.

        EXPONENTIAL (0x30, from MARIANA on): exp(src - imm0), with a running sum in the lane accumulator if the
        command asks.
        Source: isa/05 section 13.
        """
        return self._append(0x30, locals())

    def tensor_tensor(
        self,
        *,
        src0: Operand | Indirect,
        src1: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        num_active_channels: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_TENSOR_ARITH_OP (0x41), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_TENSOR (0x41 arith, 0x51 bitvec): src0 op src1, element by element.
        Source: isa/03 section 5.
        """
        return self._append(0x41, locals())

    def tensor_reduce(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        negated: int | None = None,
        mask_enable: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_REDUCE_ARITH_OP (0x42), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_REDUCE (0x42 arith, 0x52 bitvec), transposed 0x83 and 0x84: fold the innermost dimensions of every
        lane.
        Source: isa/05 section 10.
        """
        return self._append(0x42, locals())

    def tensor_scalar(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        imm0: Operand | Bits | Scalar | float | None = None,
        imm1: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        accumulator_cmd: AccumCmd | str | int | None = None,
        op0: AluOp | str | int | None = None,
        op1: AluOp | str | int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_SCALAR_ARITH_OP (0x43), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_SCALAR (0x43 arith, 0x53 bitvec), transposed (0x93) and with pointers (0x44, 0x54): (x op0 s0) op1
        s1.
        Source: isa/03 section 4.
        """
        return self._append(0x43, locals())

    def tensor_scalar_ptr(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        imm0: Operand | Bits | None = None,
        imm1: Operand | Bits | None = None,
        num_active_channels: int | None = None,
        accumulator_cmd: AccumCmd | str | int | None = None,
        imm0_src: ImmSrc | str | int | None = None,
        op0: AluOp | str | int | None = None,
        op1: AluOp | str | int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        imm1_src: ImmSrc | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_SCALAR_PTR_ARITH_OP (0x44), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_SCALAR (0x43 arith, 0x53 bitvec), transposed (0x93) and with pointers (0x44, 0x54): (x op0 s0) op1
        s1.
        Source: isa/03 section 4.
        """
        return self._append(0x44, locals())

    def pool(
        self,
        *,
        src: Operand,
        dst: Operand,
        pool_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        pool_func: PoolType | str | int | None = None,
        pool_scale: float | Bits | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """POOL (0x45), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        POOL (0x45) and MAX_POOL_SELECT (0x58): maximum, average or position of the maximum of each window.
        Source: isa/05 section 12.
        """
        return self._append(0x45, locals())

    def copy(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        negated: int | None = None,
        mask_enable: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """COPY (0x46), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        COPY (0x46) and CAST (0x47): move elements, or convert them.
        Source: isa/06 section 5.2.
        """
        return self._append(0x46, locals())

    def cast(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        negated: int | None = None,
        mask_enable: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """CAST (0x47), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        COPY (0x46) and CAST (0x47): move elements, or convert them.
        Source: isa/06 section 5.3.
        """
        return self._append(0x47, locals())

    def reciprocal(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        negated: int | None = None,
        mask_enable: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """RECIPROCAL (0x48), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        RECIPROCAL (0x48): 1/x, element by element, in fp32.
        Source: isa/06 section 5.4.
        """
        return self._append(0x48, locals())

    def memset(
        self,
        *,
        dst: Operand,
        num_active_channels: int | None = None,
        dst_element_count: int | None = None,
        serialization_mode: RegSerialMode | str | int | None = None,
        set_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """MEMSET (0x49), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        MEMSET (0x49): write one bit pattern to every element of the destination.
        Source: isa/06 section 5.9.
        """
        return self._append(0x49, locals())

    def rng(
        self,
        *,
        dst: Operand,
        num_active_channels: int | None = None,
        dst_element_count: int | None = None,
        serialization_mode: RegSerialMode | str | int | None = None,
        set_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """RNG (0x4D), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        RNG (0x4D): fill the destination with random bits.
        Source: isa/06 section 7.1.
        """
        return self._append(0x4D, locals())

    def tensor_cumulative(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        negated: int | None = None,
        mask_enable: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_CUMULATIVE_ARITH_OP (0x4E), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_CUMULATIVE (0x4E arith, 0x5E bitvec): an inclusive scan inside each group of the innermost
        dimensions.
        Source: isa/05 section 11.
        """
        return self._append(0x4E, locals())

    def tensor_scalar_ptr_multi(
        self,
        *,
        src: Operand,
        dst: Operand,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_SCALAR_PTR_MULTI_ARITH (0x4F), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_SCALAR_IMM_LD (0x70, 0x71) and TENSOR_SCALAR_PTR_MULTI (0x4F, 0x5F): a scalar of its own for every
        slice.
        Source: isa/06 section 5.12.
        """
        return self._append(0x4F, locals())

    def tensor_tensor_bitvec_op(
        self,
        *,
        src0: Operand | Indirect,
        src1: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        num_active_channels: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_TENSOR_BITVEC_OP (0x51), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_TENSOR (0x41 arith, 0x51 bitvec): src0 op src1, element by element.
        Source: isa/03 section 5.
        """
        return self._append(0x51, locals())

    def tensor_reduce_bitvec_op(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        negated: int | None = None,
        mask_enable: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_REDUCE_BITVEC_OP (0x52), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_REDUCE (0x42 arith, 0x52 bitvec), transposed 0x83 and 0x84: fold the innermost dimensions of every
        lane.
        Source: isa/05 section 10.
        """
        return self._append(0x52, locals())

    def tensor_scalar_bitvec_op(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        imm0: Operand | Bits | Scalar | float | None = None,
        imm1: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        accumulator_cmd: AccumCmd | str | int | None = None,
        op0: AluOp | str | int | None = None,
        op1: AluOp | str | int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_SCALAR_BITVEC_OP (0x53), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_SCALAR (0x43 arith, 0x53 bitvec), transposed (0x93) and with pointers (0x44, 0x54): (x op0 s0) op1
        s1.
        Source: isa/03 section 4.
        """
        return self._append(0x53, locals())

    def tensor_scalar_ptr_bitvec_op(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        imm0: Operand | Bits | None = None,
        imm1: Operand | Bits | None = None,
        num_active_channels: int | None = None,
        accumulator_cmd: AccumCmd | str | int | None = None,
        imm0_src: ImmSrc | str | int | None = None,
        op0: AluOp | str | int | None = None,
        op1: AluOp | str | int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        imm1_src: ImmSrc | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_SCALAR_PTR_BITVEC_OP (0x54), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_SCALAR (0x43 arith, 0x53 bitvec), transposed (0x93) and with pointers (0x44, 0x54): (x op0 s0) op1
        s1.
        Source: isa/03 section 4.
        """
        return self._append(0x54, locals())

    def max_pool_select(
        self,
        *,
        src: Operand,
        dst: Operand,
        pool_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        pool_func: PoolType | str | int | None = None,
        pool_scale: float | Bits | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """MAX_POOL_SELECT (0x58), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        POOL (0x45) and MAX_POOL_SELECT (0x58): maximum, average or position of the maximum of each window.
        Source: isa/05 section 12.
        """
        return self._append(0x58, locals())

    def tensor_cumulative_bitvec_op(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        negated: int | None = None,
        mask_enable: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_CUMULATIVE_BITVEC_OP (0x5E), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_CUMULATIVE (0x4E arith, 0x5E bitvec): an inclusive scan inside each group of the innermost
        dimensions.
        Source: isa/05 section 11.
        """
        return self._append(0x5E, locals())

    def tensor_scalar_ptr_multi_bitvec(
        self,
        *,
        src: Operand,
        dst: Operand,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_SCALAR_PTR_MULTI_BITVEC (0x5F), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_SCALAR_IMM_LD (0x70, 0x71) and TENSOR_SCALAR_PTR_MULTI (0x4F, 0x5F): a scalar of its own for every
        slice.
        Source: isa/06 section 5.12.
        """
        return self._append(0x5F, locals())

    def batch_norm_stats(
        self,
        *,
        src: Operand,
        dst: Operand,
        num_active_channels: int | None = None,
        even_count: float | Bits | None = None,
        odd_count: float | Bits | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """BATCH_NORM_STATS (0x60), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        BATCH_NORM_STATS2 (0x61), its transposed form (0x82) and BATCH_NORM_STATS (0x60): counts, means, summed
        deviations.
        Source: isa/06 section 6.2.
        """
        return self._append(0x60, locals())

    def batch_norm_stats2(
        self,
        *,
        src: Operand,
        dst: Operand,
        num_active_channels: int | None = None,
        even_count: float | Bits | None = None,
        odd_count: float | Bits | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """BATCH_NORM_STATS2 (0x61), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        BATCH_NORM_STATS2 (0x61), its transposed form (0x82) and BATCH_NORM_STATS (0x60): counts, means, summed
        deviations.
        Source: isa/06 section 6.2.
        """
        return self._append(0x61, locals())

    def batch_norm_aggregate(
        self,
        *,
        src: Operand,
        dst: Operand,
        num_active_channels: int | None = None,
        even_count: float | Bits | None = None,
        odd_count: float | Bits | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """BATCH_NORM_AGGREGATE (0x62), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        BATCH_NORM_AGGREGATE (0x62): merge triples [count, mean, spread] into the mean and the population variance.
        Source: isa/06 section 6.3.
        """
        return self._append(0x62, locals())

    def batch_norm_grad_accumulate(
        self,
        *,
        src0: Operand,
        src1: Operand,
        dst: Operand,
        imm0: Operand | Bits | None = None,
        imm1: Operand | Bits | None = None,
        num_active_channels: int | None = None,
        immediate_dtype: DtypeLike | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """BATCH_NORM_GRAD_ACCUMULATE (0x63), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        BATCH_NORM_GRAD_ACCUMULATE2 (0x94) and its older form (0x63): the three sums of the backward pass.
        Source: isa/06 section 6.5.
        """
        return self._append(0x63, locals())

    def batch_norm_param_load(
        self,
        *,
        src: Operand,
        imm0: Operand | Bits | None = None,
        num_active_channels: int | None = None,
        imm1: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """BATCH_NORM_PARAM_LOAD (0x64), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        BATCH_NORM_PARAM_LOAD (0x64) and BATCH_NORM_PARAM_LOAD2 (0x8E): load N, mean, A, B and C for
        BATCH_NORM_BACK_PROP.
        Source: isa/06 section 6.6.
        """
        return self._append(0x64, locals())

    def batch_norm_back_prop(
        self,
        *,
        src0: Operand | Indirect,
        src1: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        num_active_channels: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """BATCH_NORM_BACK_PROP (0x65), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        BATCH_NORM_BACK_PROP (0x65): the gradient of the normalised input.
        Source: isa/06 section 6.7.
        """
        return self._append(0x65, locals())

    def load_parameter_ram(
        self,
        *,
        param_ram_offset: int | None = None,
        imm_ptr_select: int | None = None,
        immediate: Sequence[int] | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """LOAD_PARAMETER_RAM (0x66), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        LOAD_PARAMETER_RAM (0x66): load eight fp32 words into the parameter RAM, one table of 256 words for the
        engine.
        Source: isa/06 section 6.1.
        """
        return self._append(0x66, locals())

    def load_mask_select(
        self,
        *,
        param_ram_offset: int | None = None,
        imm_ptr_select: int | None = None,
        immediate: Sequence[int] | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """LOAD_MASK_SELECT (0x69), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        LOAD_MASK_SELECT (0x69): load the lane mask that STREAM_SHUFFLE and STREAM_TRANSPOSE use, one table of 32
        bytes for the engine.
        Source: isa/06 section 5.6.
        """
        return self._append(0x69, locals())

    def stream_shuffle(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        negated: int | None = None,
        mask_enable: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """STREAM_SHUFFLE (0x6A), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        STREAM_SHUFFLE (0x6A): move whole lanes inside every block of 32, as the mask loaded by LOAD_MASK_SELECT
        says.
        Source: isa/06 section 5.7.
        """
        return self._append(0x6A, locals())

    def stream_transpose(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        negated: int | None = None,
        mask_enable: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """STREAM_TRANSPOSE (0x6B), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        STREAM_TRANSPOSE (0x6B): transpose every aligned 32 x 32 tile of lanes and elements, bit for bit.
        Source: isa/06 section 5.8.
        """
        return self._append(0x6B, locals())

    def max8(
        self,
        *,
        src: Operand,
        dst: Operand,
        num_active_channels: int | None = None,
        even_count: float | Bits | None = None,
        odd_count: float | Bits | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """MAX8 (0x6C), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        MAX8 (0x6C): the eight largest elements of each lane, smallest of them first.
        Source: isa/06 section 5.10.
        """
        return self._append(0x6C, locals())

    def match_value_load(
        self,
        *,
        src: Operand,
        num_active_channels: int | None = None,
        imm1: int | None = None,
        imm0_ptr: int | None = None,
        imm0_src: ImmSrc | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """MATCH_VALUE_LOAD (0x6D), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        MATCH_VALUE_LOAD (0x6D), FIND_INDEX8 (0x6E), MATCH_REPLACE8 (0x6F): search a stream for eight keys per lane.
        Source: isa/06 section 5.10.
        """
        return self._append(0x6D, locals())

    def find_index8(
        self,
        *,
        src: Operand,
        dst: Operand,
        num_active_channels: int | None = None,
        even_count: float | Bits | None = None,
        odd_count: float | Bits | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """FIND_INDEX8 (0x6E), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        MATCH_VALUE_LOAD (0x6D), FIND_INDEX8 (0x6E), MATCH_REPLACE8 (0x6F): search a stream for eight keys per lane.
        Source: isa/06 section 5.10.
        """
        return self._append(0x6E, locals())

    def match_replace8(
        self,
        *,
        src: Operand,
        dst: Operand,
        num_active_channels: int | None = None,
        immediate: float | Bits | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """MATCH_REPLACE8 (0x6F), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        MATCH_VALUE_LOAD (0x6D), FIND_INDEX8 (0x6E), MATCH_REPLACE8 (0x6F): search a stream for eight keys per lane.
        Source: isa/04 section 8.
        """
        return self._append(0x6F, locals())

    def tensor_scalar_imm_ld(
        self,
        *,
        src: Operand,
        num_active_channels: int | None = None,
        imm1: int | None = None,
        imm0_ptr: int | None = None,
        imm0_src: ImmSrc | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_SCALAR_IMM_LD_ARITH (0x70), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_SCALAR_IMM_LD (0x70, 0x71) and TENSOR_SCALAR_PTR_MULTI (0x4F, 0x5F): a scalar of its own for every
        slice.
        Source: isa/06 section 5.12.
        """
        return self._append(0x70, locals())

    def tensor_scalar_imm_ld_bitvec(
        self,
        *,
        src: Operand,
        num_active_channels: int | None = None,
        imm1: int | None = None,
        imm0_ptr: int | None = None,
        imm0_src: ImmSrc | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_SCALAR_IMM_LD_BITVEC (0x71), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_SCALAR_IMM_LD (0x70, 0x71) and TENSOR_SCALAR_PTR_MULTI (0x4F, 0x5F): a scalar of its own for every
        slice.
        Source: isa/06 section 5.12.
        """
        return self._append(0x71, locals())

    def copy_predicated(
        self,
        *,
        pred: Operand | Indirect,
        data: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        num_active_channels: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """COPY_PREDICATED (0x72), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        COPY_PREDICATED (0x72) and CAST_PREDICATED (0x99): write data elements where a predicate is true.
        Source: isa/04 section 3.
        """
        return self._append(0x72, locals())

    def rand_get_state(
        self,
        *,
        dst: Operand,
        num_active_channels: int | None = None,
        rand_algorithm: RandAlgorithm | str | int | None = None,
        rand_num_steps: int | None = None,
        post_process: RandPostProc | str | int | None = None,
        rand_generator: RandSrc | str | int | None = None,
        params: Sequence[int] | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """RAND_GET_STATE (0x77), on MARIANA, MAVERICK.

        RAND_GET_STATE (0x77) and RAND_SET_STATE (0x78): save and restore the generators' state words, per channel.
        Source: isa/06 section 7.3.
        """
        return self._append(0x77, locals())

    def rand_set_state(
        self,
        *,
        src: Operand,
        num_active_channels: int | None = None,
        rand_algorithm: RandAlgorithm | str | int | None = None,
        update_state: RandStateUpdate | str | int | None = None,
        rand_generator: RandSrc | str | int | None = None,
        imm_state: Sequence[int] | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """RAND_SET_STATE (0x78), on MARIANA, MAVERICK.

        RAND_GET_STATE (0x77) and RAND_SET_STATE (0x78): save and restore the generators' state words, per channel.
        Source: isa/06 section 7.3.
        """
        return self._append(0x78, locals())

    def dropout(
        self,
        *,
        src: Operand,
        dst: Operand,
        threshold: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        threshold_dtype: DtypeLike | None = None,
        threshold_type: DropoutThresholdType | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """DROPOUT (0x7F), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        DROPOUT (0x7F): zero elements at random.
        Source: isa/04 section 10.
        """
        return self._append(0x7F, locals())

    def transpose_batch_norm_stats2(
        self,
        *,
        src: Operand,
        dst: Operand,
        num_active_channels: int | None = None,
        even_count: float | Bits | None = None,
        odd_count: float | Bits | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TRANSPOSE_BATCH_NORM_STATS2 (0x82), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        BATCH_NORM_STATS2 (0x61), its transposed form (0x82) and BATCH_NORM_STATS (0x60): counts, means, summed
        deviations.
        Source: isa/06 section 6.4.
        """
        return self._append(0x82, locals())

    def transpose_tensor_reduce(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        negated: int | None = None,
        mask_enable: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TRANSPOSE_TENSOR_REDUCE_ARITH_OP (0x83), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_REDUCE (0x42 arith, 0x52 bitvec), transposed 0x83 and 0x84: fold the innermost dimensions of every
        lane.
        Source: isa/06 section 5.11.
        """
        return self._append(0x83, locals())

    def transpose_tensor_reduce_bitvec_op(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        negated: int | None = None,
        mask_enable: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TRANSPOSE_TENSOR_REDUCE_BITVEC_OP (0x84), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_REDUCE (0x42 arith, 0x52 bitvec), transposed 0x83 and 0x84: fold the innermost dimensions of every
        lane.
        Source: isa/06 section 5.11.
        """
        return self._append(0x84, locals())

    def tensor_tensor_add_bf16(
        self,
        *,
        src0: Operand | Indirect,
        src1: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        num_active_channels: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_TENSOR_ADD_BF16 (0x8A), on SUNDA.

        TENSOR_TENSOR_ADD_BF16 (0x8A), MULT (0x8B) and SUB (0x8F): SUNDA's packed forms of src0 op src1 on BF16
        sources.
        Source: isa/03 section 6.
        """
        return self._append(0x8A, locals())

    def tensor_tensor_mult_bf16(
        self,
        *,
        src0: Operand | Indirect,
        src1: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        num_active_channels: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_TENSOR_MULT_BF16 (0x8B), on SUNDA.

        TENSOR_TENSOR_ADD_BF16 (0x8A), MULT (0x8B) and SUB (0x8F): SUNDA's packed forms of src0 op src1 on BF16
        sources.
        Source: isa/03 section 6.
        """
        return self._append(0x8B, locals())

    def tensor_reduce_add_bf16(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        negated: int | None = None,
        mask_enable: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_REDUCE_ADD_BF16 (0x8C), on SUNDA.

        TENSOR_REDUCE_ADD_BF16 (0x8C) and TENSOR_REDUCE_MAX_BF16 (0x8D): SUNDA's twice-rate reductions of BF16.
        Source: isa/05 section 10.3.
        """
        return self._append(0x8C, locals())

    def tensor_reduce_max_bf16(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        negated: int | None = None,
        mask_enable: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_REDUCE_MAX_BF16 (0x8D), on SUNDA.

        TENSOR_REDUCE_ADD_BF16 (0x8C) and TENSOR_REDUCE_MAX_BF16 (0x8D): SUNDA's twice-rate reductions of BF16.
        Source: isa/05 section 10.3.
        """
        return self._append(0x8D, locals())

    def batch_norm_param_load2(
        self,
        *,
        src: Operand,
        imm0: Operand | Bits | None = None,
        imm1: Operand | Bits | None = None,
        num_active_channels: int | None = None,
        element_count: float | Bits | None = None,
        immediate_dtype: DtypeLike | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """BATCH_NORM_PARAM_LOAD2 (0x8E), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        BATCH_NORM_PARAM_LOAD (0x64) and BATCH_NORM_PARAM_LOAD2 (0x8E): load N, mean, A, B and C for
        BATCH_NORM_BACK_PROP.
        Source: isa/06 section 6.6.
        """
        return self._append(0x8E, locals())

    def tensor_tensor_sub_bf16(
        self,
        *,
        src0: Operand | Indirect,
        src1: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        num_active_channels: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_TENSOR_SUB_BF16 (0x8F), on SUNDA.

        TENSOR_TENSOR_ADD_BF16 (0x8A), MULT (0x8B) and SUB (0x8F): SUNDA's packed forms of src0 op src1 on BF16
        sources.
        Source: isa/03 section 6.
        """
        return self._append(0x8F, locals())

    def transpose_tensor_scalar(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        imm0: Operand | Bits | Scalar | float | None = None,
        imm1: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        accumulator_cmd: AccumCmd | str | int | None = None,
        op0: AluOp | str | int | None = None,
        op1: AluOp | str | int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TRANSPOSE_TENSOR_SCALAR_ARITH_OP (0x93), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_SCALAR (0x43 arith, 0x53 bitvec), transposed (0x93) and with pointers (0x44, 0x54): (x op0 s0) op1
        s1.
        Source: isa/03 section 4.
        """
        return self._append(0x93, locals())

    def batch_norm_grad_accumulate2(
        self,
        *,
        src0: Operand,
        src1: Operand,
        dst: Operand,
        imm0: Operand | Bits | None = None,
        imm1: Operand | Bits | None = None,
        num_active_channels: int | None = None,
        immediate_out_dtype_dtype_lo: DtypeLike | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """BATCH_NORM_GRAD_ACCUMULATE2 (0x94), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        BATCH_NORM_GRAD_ACCUMULATE2 (0x94) and its older form (0x63): the three sums of the backward pass.
        Source: isa/06 section 6.5.
        """
        return self._append(0x94, locals())

    def tensor_scalar_select(
        self,
        *,
        src0: Operand,
        dst: Operand,
        src1_imm: Operand | Bits | Scalar | float | None = None,
        pred_imm: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        reversed_pred: int | None = None,
        pred_imm_dtype: DtypeLike | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_SCALAR_SELECT (0x98), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_SCALAR_SELECT (0x98): one predicate per lane takes the whole tensor or the scalar.
        Source: isa/04 section 6.
        """
        return self._append(0x98, locals())

    def cast_predicated(
        self,
        *,
        pred: Operand | Indirect,
        data: Operand | Indirect,
        dst: Operand | Indirect,
        op: AluOp | str | int | None = None,
        num_active_channels: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """CAST_PREDICATED (0x99), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        COPY_PREDICATED (0x72) and CAST_PREDICATED (0x99): write data elements where a predicate is true.
        Source: isa/04 section 3.
        """
        return self._append(0x99, locals())

    def tensor_scalar_cache_reduce(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        imm0: Operand | Bits | Scalar | float | None = None,
        imm1: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        accumulator_cmd: AccumCmd | str | int | None = None,
        op0: AluOp | str | int | None = None,
        op1: AluOp | str | int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_SCALAR_CACHE_REDUCE (0x9A), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_SCALAR_CACHE_REDUCE (0x9A), TENSOR_SCALAR_CACHE_CUMULATIVE (0xE6): t = src op0 imm0, folded by op1
        per lane.
        Source: isa/05 section 6.
        """
        return self._append(0x9A, locals())

    def dve_read_accumulator(
        self,
        *,
        dst: Operand,
        num_active_channels: int | None = None,
        dst_element_count: int | None = None,
        negated: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """DVE_READ_ACCUMULATOR (0x9B), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        DVE_READ_ACCUMULATOR (0x9B): store each lane's accumulator, one element per partition.
        Source: isa/05 section 8.
        """
        return self._append(0x9B, locals())

    def scalar_tensor_tensor(
        self,
        *,
        src0: Operand,
        src1: Operand,
        dst: Operand,
        imm0: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        op0: AluOp | str | int | None = None,
        op1: AluOp | str | int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        imm0_dtype: DtypeLike | None = None,
        accumulator_cmd: AccumCmd | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """SCALAR_TENSOR_TENSOR_ARITH (0x9D), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        SCALAR_TENSOR_TENSOR (0x9D arith, 0x9E bitvec): (src0 op0 imm0) op1 src1.
        Source: isa/05 section 4.
        """
        return self._append(0x9D, locals())

    def scalar_tensor_tensor_bitvec(
        self,
        *,
        src0: Operand,
        src1: Operand,
        dst: Operand,
        imm0: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        op0: AluOp | str | int | None = None,
        op1: AluOp | str | int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        imm0_dtype: DtypeLike | None = None,
        accumulator_cmd: AccumCmd | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """SCALAR_TENSOR_TENSOR_BITVEC (0x9E), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        SCALAR_TENSOR_TENSOR (0x9D arith, 0x9E bitvec): (src0 op0 imm0) op1 src1.
        Source: isa/05 section 4.
        """
        return self._append(0x9E, locals())

    def engine_nop(
        self,
        *,
        param_ram_offset: int | None = None,
        imm_ptr_select: int | None = None,
        immediate: Sequence[int] | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """ENGINE_NOP (0x9F), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        A sequencer control record, without effect on data.
        Source: isa/06 section 9.
        """
        return self._append(0x9F, locals())

    def event_semaphore(
        self,
        *,
        second_wait_wait_mode: WaitMode | str | int | None = None,
        second_wait_wait_idx: int | None = None,
        second_wait_zero0: int | None = None,
        second_wait_zero1: int | None = None,
        second_wait_semaphore_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """EVENT_SEMAPHORE (0xA0), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        A sequencer control record, without effect on data.
        Source: isa/06 section 9.
        """
        return self._append(0xA0, locals())

    def halt(
        self,
        *,
        second_wait_wait_mode: WaitMode | str | int | None = None,
        second_wait_wait_idx: int | None = None,
        second_wait_zero0: int | None = None,
        second_wait_zero1: int | None = None,
        second_wait_semaphore_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """HALT (0xA1), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        A sequencer control record, without effect on data.
        Source: isa/06 section 9.
        """
        return self._append(0xA1, locals())

    def drain(
        self,
        *,
        second_wait_wait_mode: WaitMode | str | int | None = None,
        second_wait_wait_idx: int | None = None,
        second_wait_zero0: int | None = None,
        second_wait_zero1: int | None = None,
        second_wait_semaphore_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """DRAIN (0xA2), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        A sequencer control record, without effect on data.
        Source: isa/06 section 9.
        """
        return self._append(0xA2, locals())

    def instruction_flush(
        self,
        *,
        second_wait_wait_mode: WaitMode | str | int | None = None,
        second_wait_wait_idx: int | None = None,
        second_wait_zero0: int | None = None,
        second_wait_zero1: int | None = None,
        second_wait_semaphore_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """INSTRUCTION_FLUSH (0xA3), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        A sequencer control record, without effect on data.
        Source: isa/06 section 9.
        """
        return self._append(0xA3, locals())

    def nop(
        self,
        *,
        second_wait_wait_mode: WaitMode | str | int | None = None,
        second_wait_wait_idx: int | None = None,
        second_wait_zero0: int | None = None,
        second_wait_zero1: int | None = None,
        second_wait_semaphore_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """NOP (0xA4), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        A sequencer control record, without effect on data.
        Source: isa/06 section 9.
        """
        return self._append(0xA4, locals())

    def write(
        self,
        *,
        second_wait_wait_mode: WaitMode | str | int | None = None,
        second_wait_wait_idx: int | None = None,
        second_wait_zero0: int | None = None,
        second_wait_zero1: int | None = None,
        second_wait_semaphore_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """WRITE (0xA5), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        A sequencer control record, without effect on data.
        Source: isa/06 section 9.
        """
        return self._append(0xA5, locals())

    def notify(
        self,
        *,
        second_wait_wait_mode: WaitMode | str | int | None = None,
        second_wait_wait_idx: int | None = None,
        second_wait_zero0: int | None = None,
        second_wait_zero1: int | None = None,
        second_wait_semaphore_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """NOTIFY (0xA6), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        A sequencer control record, without effect on data.
        Source: isa/06 section 9.
        """
        return self._append(0xA6, locals())

    def move(
        self,
        *,
        dtype: DtypeLike | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """MOVE (0xA7), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        No source gives the operands of this control record in full (control-register-ops).
        Source: isa/06 section 9.
        """
        return self._append(0xA7, locals())

    def alu_op(self, **common: Unpack[Common]) -> bytes:
        """ALU_OP (0xA8), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        No source gives the operands of this control record in full (control-register-ops).
        Source: isa/06 section 9.
        """
        return self._append(0xA8, locals())

    def compare_branch(self, **common: Unpack[Common]) -> bytes:
        """COMPARE_BRANCH (0xA9), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        No source gives the operands of this control record in full (control-register-ops).
        Source: isa/06 section 9.
        """
        return self._append(0xA9, locals())

    def tensor_load(self, **common: Unpack[Common]) -> bytes:
        """TENSOR_LOAD (0xAA), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        No source gives the operands of this control record in full (control-register-ops).
        Source: isa/06 section 9.
        """
        return self._append(0xAA, locals())

    def tensor_store(self, **common: Unpack[Common]) -> bytes:
        """TENSOR_STORE (0xAB), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        No source gives the operands of this control record in full (control-register-ops).
        Source: isa/06 section 9.
        """
        return self._append(0xAB, locals())

    def event_semaphore_range_clear(
        self,
        *,
        second_wait_wait_mode: WaitMode | str | int | None = None,
        second_wait_wait_idx: int | None = None,
        second_wait_zero0: int | None = None,
        second_wait_zero1: int | None = None,
        second_wait_semaphore_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """EVENT_SEMAPHORE_RANGE_CLEAR (0xB0), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        A sequencer control record, without effect on data.
        Source: isa/06 section 9.
        """
        return self._append(0xB0, locals())

    def set_ordering_mode(
        self,
        *,
        second_wait_wait_mode: WaitMode | str | int | None = None,
        second_wait_wait_idx: int | None = None,
        second_wait_zero0: int | None = None,
        second_wait_zero1: int | None = None,
        second_wait_semaphore_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """SET_ORDERING_MODE (0xB1), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        A sequencer control record, without effect on data.
        Source: isa/06 section 9.
        """
        return self._append(0xB1, locals())

    def move_shape(
        self,
        *,
        second_wait_wait_mode: WaitMode | str | int | None = None,
        second_wait_wait_idx: int | None = None,
        second_wait_zero0: int | None = None,
        second_wait_zero1: int | None = None,
        second_wait_semaphore_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """MOVE_SHAPE (0xB2), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        No source gives the operands of this control record in full (control-register-ops).
        Source: isa/06 section 9.
        """
        return self._append(0xB2, locals())

    def poll_sem(
        self,
        *,
        second_wait_wait_mode: WaitMode | str | int | None = None,
        second_wait_wait_idx: int | None = None,
        second_wait_zero0: int | None = None,
        second_wait_zero1: int | None = None,
        second_wait_semaphore_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """POLL_SEM (0xB3), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        No source gives the operands of this control record in full (control-register-ops).
        Source: isa/06 section 9.
        """
        return self._append(0xB3, locals())

    def test_event_sem(
        self,
        *,
        second_wait_wait_mode: WaitMode | str | int | None = None,
        second_wait_wait_idx: int | None = None,
        second_wait_zero0: int | None = None,
        second_wait_zero1: int | None = None,
        second_wait_semaphore_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TEST_EVENT_SEM (0xB4), on MARIANA, MAVERICK.

        No source gives the operands of this control record in full (control-register-ops).
        Source: isa/06 section 9.
        """
        return self._append(0xB4, locals())

    def branch_prefetch_hint(
        self,
        *,
        second_wait_wait_mode: WaitMode | str | int | None = None,
        second_wait_wait_idx: int | None = None,
        second_wait_zero0: int | None = None,
        second_wait_zero1: int | None = None,
        second_wait_semaphore_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """BRANCH_PREFETCH_HINT (0xB5), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        A sequencer control record, without effect on data.
        Source: isa/06 section 9.
        """
        return self._append(0xB5, locals())

    def compact_control_inst(self, **common: Unpack[Common]) -> bytes:
        """COMPACT_CONTROL_INST (0xB6), on MAVERICK.

        No source gives the operands of this control record in full (control-register-ops).
        Source: isa/06 section 9.
        """
        return self._append(0xB6, locals())

    def range_select(
        self,
        *,
        src: Operand,
        dst: Operand,
        bound0: Operand | Bits | Scalar | float | None = None,
        bound1: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        reduce_cmd: AccumCmd | str | int | None = None,
        reduce_op: AluOp | str | int | None = None,
        base: float | Bits | None = None,
        fill_val: int | None = None,
        comp_op0: AluOp | str | int | None = None,
        comp_op1: AluOp | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """RANGE_SELECT (0xBC), on CAYMAN, MARIANA, MAVERICK.

        RANGE_SELECT (0xBC): keep the elements whose index lies between two bounds, fill the others, fold the
        maximum.
        Source: isa/04 section 7.
        """
        return self._append(0xBC, locals())

    def sparsity_compress(
        self,
        *,
        src: Operand,
        dst: Operand,
        op: CompressOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        transpose_src: int | None = None,
        out_data_dtype: DtypeLike | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """SPARSITY_COMPRESS (0xE0), on MARIANA, MAVERICK.

        SPARSITY_COMPRESS (0xE0) and SPARSITY_COMPRESS_TAG (0xE1): the four extreme elements of each group and their
        places.
        Source: isa/06 section 7.4.
        """
        return self._append(0xE0, locals())

    def sparsity_compress_tag(
        self,
        *,
        src: Operand,
        data_dst: Operand,
        tag_dst: Operand,
        op: CompressOp | str | int | None = None,
        op_dim: TensorSubdim | str | int | None = None,
        num_active_channels: int | None = None,
        transpose_src: int | None = None,
        packed_tags: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """SPARSITY_COMPRESS_TAG (0xE1), on MARIANA, MAVERICK.

        SPARSITY_COMPRESS (0xE0) and SPARSITY_COMPRESS_TAG (0xE1): the four extreme elements of each group and their
        places.
        Source: isa/06 section 7.4.
        """
        return self._append(0xE1, locals())

    def rand2(
        self,
        *,
        dst: Operand,
        min: Operand | Bits | Scalar | float | None = None,
        max: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        rand_algorithm: RandAlgorithm | str | int | None = None,
        post_process: RandPostProc | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """RAND2 (0xE2), on MARIANA, MAVERICK.

        RAND2 (0xE2): fill the destination with numbers drawn uniformly from [min, max).
        Source: isa/06 section 7.2.
        """
        return self._append(0xE2, locals())

    def quantize_mx(
        self,
        *,
        src: Operand,
        dst: Microscaled,
        num_active_channels: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """QUANTIZE_MX (0xE3), on MARIANA, MAVERICK.

        QUANTIZE_MX (0xE3): quantize FP16 or BF16 to 8-bit floats with one power-of-two scale per block of 32.
        Source: isa/06 section 7.5.
        """
        return self._append(0xE3, locals())

    def tensor_tensor_scan(
        self,
        *,
        src0: Operand,
        src1: Operand,
        dst: Operand,
        imm0: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        op0: AluOp | str | int | None = None,
        op1: AluOp | str | int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        imm0_dtype: DtypeLike | None = None,
        accumulator_cmd: AccumCmd | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_TENSOR_SCAN_ARITH (0xE5), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_TENSOR_SCAN (0xE5): a recurrence per lane over two tensors, state = (src0 op0 state) op1 src1.
        Source: isa/05 section 5.
        """
        return self._append(0xE5, locals())

    def tensor_scalar_cache_cumulative(
        self,
        *,
        src: Operand | Indirect,
        dst: Operand | Indirect,
        imm0: Operand | Bits | Scalar | float | None = None,
        imm1: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        accumulator_cmd: AccumCmd | str | int | None = None,
        op0: AluOp | str | int | None = None,
        op1: AluOp | str | int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_SCALAR_CACHE_CUMULATIVE (0xE6), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        TENSOR_SCALAR_CACHE_REDUCE (0x9A), TENSOR_SCALAR_CACHE_CUMULATIVE (0xE6): t = src op0 imm0, folded by op1
        per lane.
        Source: isa/05 section 6.
        """
        return self._append(0xE6, locals())

    def copy_predicated_scalar(
        self,
        *,
        pred: Operand | Indirect,
        dst: Operand | Indirect,
        src0_imm: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        reversed_pred: int | None = None,
        in_dtype: DtypeLike | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """COPY_PREDICATED_SCALAR (0xE8), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        COPY_PREDICATED_SCALAR (0xE8): write one scalar where a predicate selects it.
        Source: isa/04 section 4.
        """
        return self._append(0xE8, locals())

    def dve_read_indices(
        self,
        *,
        dst: Operand,
        num_active_channels: int | None = None,
        dst_element_count: int | None = None,
        serialization_mode: RegSerialMode | str | int | None = None,
        set_value: int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """DVE_READ_INDICES (0xE9), on CAYMAN, MARIANA, MAVERICK.

        DVE_READ_INDICES (0xE9): store each lane's eight index registers, as MATCH_REPLACE8 left them.
        Source: isa/05 section 9.
        """
        return self._append(0xE9, locals())

    def select_reduce(
        self,
        *,
        pred: Operand,
        data: Operand,
        dst: Operand,
        imm0: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        op0: AluOp | str | int | None = None,
        op1: AluOp | str | int | None = None,
        reverse_operands: ReverseOps | str | int | None = None,
        imm0_dtype: DtypeLike | None = None,
        accumulator_cmd: AccumCmd | str | int | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """SELECT_REDUCE (0xEA), on SUNDA, CAYMAN, MARIANA, MAVERICK.

        SELECT_REDUCE (0xEA): select elements by a predicate and keep a running maximum per lane.
        Source: isa/04 section 5.
        """
        return self._append(0xEA, locals())

    def tensor_scalar_int_wide(
        self,
        *,
        src: Operand | Indirect,
        dst0: Operand | Indirect,
        dst1: Operand | Indirect,
        op: AluOp | str | int | None = None,
        imm: Operand | Bits | Scalar | float | None = None,
        num_active_channels: int | None = None,
        in_imm_dtype_dtype_hi: DtypeLike | None = None,
        **common: Unpack[Common],
    ) -> bytes:
        """TENSOR_SCALAR_INT_WIDE (0xF4), on MAVERICK.

        TENSOR_SCALAR_INT_WIDE (0xF4): integer arithmetic with a 64-bit result in two destinations.
        Source: isa/06 section 7.6.
        """
        return self._append(0xF4, locals())
