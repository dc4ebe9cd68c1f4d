"""One broken instruction of every opcode the demo knows, each one field away from a legal one.

The verdicts written here are the specification's (isa/03, isa/04, isa/05), not the engine's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dve_engine import CAYMAN
from dve_engine.builder import Operand, ProgramBuilder, Scalar, sbuf
from dve_engine.isa.aluops import AluOp
from dve_engine.isa.codes import AccumCmd

GENERATION = CAYMAN


@dataclass(frozen=True)
class Case:
    """A legal instruction, what is changed in it, and the failure that must come first."""

    opcode: str
    legal: Mapping[str, Any]
    change: Mapping[str, Any]
    rule: str
    field: str
    offset: int

    def records(self) -> bytes:
        """The legal record and the broken one."""
        program = ProgramBuilder(GENERATION, check=False)
        program.add(self.opcode, **self.legal)
        program.add(self.opcode, **{**self.legal, **self.change})
        return program.bytes


def _at(byte: int, dtype: str, count: int = 64, partition: int = 0) -> Operand:
    return sbuf(partition, byte, dtype, (32, count))


_PREDICATED = {"pred": _at(0, "uint8"), "data": _at(256, "fp32"), "dst": _at(1024, "fp32")}
_TENSOR_TENSOR = {
    "src0": _at(0, "int32"), "src1": _at(256, "int32"), "dst": _at(1024, "int32"), "op": AluOp.BITWISE_AND,
}  # fmt: skip
_TENSOR_SCALAR = {"src": _at(0, "int32"), "dst": _at(1024, "int32"), "op0": AluOp.BITWISE_AND, "imm0": 64, "imm1": 68}
_ARITH = {"op0": AluOp.MULT, "op1": AluOp.ADD}
_PTR = {"imm0": _at(64, "fp32", 1), "imm1": _at(68, "fp32", 1)}
_PTR_BITVEC = {"imm0": _at(64, "int32", 1), "imm1": _at(68, "int32", 1)}
_SELECT = {
    "pred": _at(0, "uint8"), "data": _at(256, "bf16"), "dst": _at(1024, "bf16"), "op1": AluOp.MAX,
    "imm0": Scalar(0.0, "fp32"), "accumulator_cmd": AccumCmd.ZERO_ACCUMULATE,
}  # fmt: skip
_SCALAR = {"pred": _at(0, "uint8"), "dst": _at(1024, "fp16"), "src0_imm": Scalar(0.0, "fp16")}
_DRAIN = {"dst": _at(1024, "fp32", 1), "dst_element_count": 1}

CASES = (
    Case("COPY_PREDICATED", _PREDICATED, {"dst": _at(1024, "int32")},
         "s3s3d3_copy_cast_pred_src1_dst_dtype", "out_dtype", 13),
    Case("CAST_PREDICATED", _PREDICATED, {"pred": _at(0, "fp32")},
         "s3s3d3_copy_pred_src0_dtype", "in0_in1_dtype.dtype_lo", 12),
    Case("COPY_PREDICATED_SCALAR", _SCALAR, {"reversed_pred": 2},
         "has_valid_reversed_pred", "reversed_pred", 33),
    Case("SELECT_REDUCE", _SELECT, {"accumulator_cmd": AccumCmd.ZERO},
         "has_valid_s2s2d2_cpr_accum_cmd", "accumulator_cmd", 44),
    Case("TENSOR_SCALAR_ARITH_OP", {**_TENSOR_SCALAR, **_ARITH}, {"op0": AluOp.DIVIDE},
         "tensor_scalar_valid_ops", "op0", 36),
    Case("TENSOR_SCALAR_BITVEC_OP", _TENSOR_SCALAR, {"dst": _at(1024, "uint32")},
         "tensor_scalar_valid_types", "out_dtype", 33),
    Case("TENSOR_SCALAR_PTR_ARITH_OP", {**_TENSOR_SCALAR, **_ARITH, **_PTR}, {"imm1": _at(70, "fp32", 1)},
         "tensor_scalar_ptr_immediates", "imm1", 44),
    Case("TENSOR_SCALAR_PTR_BITVEC_OP", {**_TENSOR_SCALAR, **_PTR_BITVEC}, {"imm0_src": 1},
         "tensor_scalar_ptr_imm_src", "imm0_src", 35),
    Case("TRANSPOSE_TENSOR_SCALAR_ARITH_OP", {**_TENSOR_SCALAR, **_ARITH}, {"num_active_channels": 31},
         "s3d3_transpose_check", "num_active_channels", 34),
    Case("TENSOR_TENSOR_ARITH_OP", {**_TENSOR_TENSOR, "op": AluOp.ADD}, {"src1": _at(256, "int32", 63)},
         "s3s3d3_tt_src_element_cnt_check", "src1_mem_pattern.num_elem", 42),
    Case("TENSOR_TENSOR_BITVEC_OP", _TENSOR_TENSOR, {"src1": _at(256, "int32", partition=32)},
         "tt_valid_partitions", "src1_mem_pattern.start_addr", 32),
    Case("DVE_READ_ACCUMULATOR", _DRAIN, {"dst": _at(1024, "int32", 1)},
         "dve_read_accumulator_type_check", "dtype", 32),
)  # fmt: skip
