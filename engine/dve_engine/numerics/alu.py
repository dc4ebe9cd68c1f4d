"""The ALU: one function per datapath, each with a table from operation code to formula.

* `alu_f32`: base band, fp32 (isa/03 section 2.2)
* `alu_bits`: bitvec opcodes, raw 32-bit lanes (isa/03 section 2.3)
* `alu_int`: integer band, signed 32-bit lanes (isa/03 section 2.4)
"""

from __future__ import annotations

from .alu_fp32 import alu_f32
from .alu_lanes import alu_bits, alu_int, between_bit_ops
from .errors import AluOpNotDefined
from .integers import scalar_to_int32

__all__ = ["AluOpNotDefined", "alu_bits", "alu_f32", "alu_int", "between_bit_ops", "scalar_to_int32"]
