"""One broken instruction of every opcode the demo knows, each one field away from a legal one.

The verdicts written here are the specification's (isa/03, isa/04, isa/05), not the engine's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dve_engine import CAYMAN, Generation
from dve_engine.isa.aluops import AluOp
from dve_engine.isa.codes import AccumCmd
from dve_engine.isa.dtypes import Dtype

from ..encode import Value, address, pair, pattern, record

GENERATION = CAYMAN


@dataclass(frozen=True)
class Case:
    """A legal record, what is changed in it, and the failure that must come first."""

    opcode: str
    legal: Mapping[str, Value]
    change: Mapping[str, Value]
    rule: str
    field: str
    offset: int

    def records(self) -> bytes:
        """The legal record and the broken one."""
        return record(self.opcode, **self.legal) + record(self.opcode, **{**self.legal, **self.change})


def _at(byte: int, count: int = 64, space: str = "sbuf", partition: int = 0, on: Generation = GENERATION) -> Value:
    return pattern(address(on, space, partition, byte), (1,), (count,))


_PREDICATED: Mapping[str, Value] = {
    "in0_in1_dtype": pair(Dtype.UINT8, Dtype.FP32),
    "out_dtype": Dtype.FP32,
    "num_active_channels": 32,
    "src0_mem_pattern": _at(0),
    "src1_mem_pattern": _at(256),
    "dst_mem_pattern": _at(1024),
}
_TENSOR_TENSOR: Mapping[str, Value] = {
    **_PREDICATED,
    "in0_in1_dtype": pair(Dtype.INT32, Dtype.INT32),
    "out_dtype": Dtype.INT32,
    "op": AluOp.BITWISE_AND,
}
_TENSOR_SCALAR: Mapping[str, Value] = {
    "src_mem_pattern": _at(0),
    "in_dtype": Dtype.INT32,
    "out_dtype": Dtype.INT32,
    "num_active_channels": 32,
    "op0": AluOp.BITWISE_AND,
    "imm0": 64,
    "imm1": 68,
    "dst_mem_pattern": _at(1024),
}
_ARITH: Mapping[str, Value] = {"op0": AluOp.MULT, "op1": AluOp.ADD}
_SELECT: Mapping[str, Value] = {
    "src0_mem_pattern": _at(0),
    "src1_mem_pattern": _at(256),
    "op1": AluOp.MAX,
    "in0_in1_dtype": pair(Dtype.UINT8, Dtype.BFLOAT16),
    "out_dtype": Dtype.BFLOAT16,
    "num_active_channels": 32,
    "imm0_dtype": Dtype.FP32,
    "accumulator_cmd": AccumCmd.ZERO_ACCUMULATE,
    "dst_mem_pattern": _at(1024),
}
_SCALAR: Mapping[str, Value] = {
    "pred_mem_pattern": _at(0),
    "pred_dtype": Dtype.UINT8,
    "num_active_channels": 32,
    "in_dtype": Dtype.FP16,
    "out_dtype": Dtype.FP16,
    "dst_mem_pattern": _at(1024),
}
_DRAIN: Mapping[str, Value] = {
    "dst_element_count": 1,
    "dtype": Dtype.FP32,
    "num_active_channels": 32,
    "dst_mem_pattern": _at(1024, 1),
}

CASES = (
    Case("COPY_PREDICATED", _PREDICATED, {"out_dtype": Dtype.INT32},
         "s3s3d3_copy_cast_pred_src1_dst_dtype", "out_dtype", 13),
    Case("CAST_PREDICATED", _PREDICATED, {"in0_in1_dtype": pair(Dtype.FP32, Dtype.FP32)},
         "s3s3d3_copy_pred_src0_dtype", "in0_in1_dtype.dtype_lo", 12),
    Case("COPY_PREDICATED_SCALAR", _SCALAR, {"reversed_pred": 2},
         "has_valid_reversed_pred", "reversed_pred", 33),
    Case("SELECT_REDUCE", _SELECT, {"accumulator_cmd": AccumCmd.ZERO},
         "has_valid_s2s2d2_cpr_accum_cmd", "accumulator_cmd", 44),
    Case("TENSOR_SCALAR_ARITH_OP", {**_TENSOR_SCALAR, **_ARITH}, {"op0": AluOp.DIVIDE},
         "tensor_scalar_valid_ops", "op0", 36),
    Case("TENSOR_SCALAR_BITVEC_OP", _TENSOR_SCALAR, {"out_dtype": Dtype.UINT32},
         "tensor_scalar_valid_types", "out_dtype", 33),
    Case("TENSOR_SCALAR_PTR_ARITH_OP", {**_TENSOR_SCALAR, **_ARITH}, {"imm1": 70},
         "tensor_scalar_ptr_immediates", "imm1", 44),
    Case("TENSOR_SCALAR_PTR_BITVEC_OP", _TENSOR_SCALAR, {"imm0_src": 1},
         "tensor_scalar_ptr_imm_src", "imm0_src", 35),
    Case("TRANSPOSE_TENSOR_SCALAR_ARITH_OP", {**_TENSOR_SCALAR, **_ARITH}, {"num_active_channels": 31},
         "s3d3_transpose_check", "num_active_channels", 34),
    Case("TENSOR_TENSOR_ARITH_OP", {**_TENSOR_TENSOR, "op": AluOp.ADD}, {"src1_mem_pattern": _at(256, 63)},
         "s3s3d3_tt_src_element_cnt_check", "src1_mem_pattern.num_elem", 42),
    Case("TENSOR_TENSOR_BITVEC_OP", _TENSOR_TENSOR, {"src1_mem_pattern": _at(256, partition=32)},
         "tt_valid_partitions", "src1_mem_pattern.start_addr", 32),
    Case("DVE_READ_ACCUMULATOR", _DRAIN, {"dtype": Dtype.INT32},
         "dve_read_accumulator_type_check", "dtype", 32),
)  # fmt: skip
