"""What the sources leave without a meaning.

    NotDefined (ValueError)
      AluOpNotDefined        an operation code that has no formula on this datapath
      ConversionNotDefined   a dtype that has no conversion to or from fp32

The caller knows opcode and field and turns either into "not modelled".
"""

from __future__ import annotations

from ..isa.aluops import ALU_OPS, AluOp
from ..isa.dtypes import dtype_name


class NotDefined(ValueError):
    """No source gives the request a result."""


class AluOpNotDefined(NotDefined):
    """The operation code has no formula on the datapath."""

    def __init__(self, op: int, datapath: str) -> None:
        self.op, self.datapath = op, datapath
        name = AluOp(op).name if op in ALU_OPS else f"0x{op:02X}"
        super().__init__(f"ALU operation {name} is not defined on the {datapath} datapath")


class ConversionNotDefined(NotDefined):
    """The dtype has no value that fp32 could hold, or none that a source defines."""

    def __init__(self, dtype: int) -> None:
        self.dtype = dtype
        super().__init__(f"dtype {dtype_name(dtype)} has no conversion to or from fp32")
