"""DVE_READ_ACCUMULATOR (0x9B): store each lane's accumulator, one element per partition.

The accumulator keeps its value, `negated` flips the sign of what is stored. Source: isa/05 section 8 [membership H but
the start rule, order M].
"""

from __future__ import annotations

import numpy as np

from ..isa.dtypes import FP_DATAPATH_FP32R
from ..isa.layout import D1_RD
from ..isa.opcodes import Opcode
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.fields import dtype_in, field_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import TensorOperand, pattern_columns
from ..rules.patterns import pattern_valid
from ..rules.rule import Part, Rule, numbered
from .instruction import Instruction
from .operation import Operation

DST = TensorOperand("dst", "dst_mem_pattern", "dtype", write=True, dims=1)
SIGN = np.uint32(0x8000_0000)


def _one_declared(batch: Batch) -> Bools:
    return np.asarray(batch.column("dst_element_count") == 1)


def _one_walked(batch: Batch) -> Bools:
    return np.asarray(pattern_columns(batch, DST).num[:, 0] == 1)


_dst_size = Rule(
    "read_accumulator_dst_size",
    (Part(_one_declared, "dst_element_count", "1"), Part(_one_walked, "dst_mem_pattern.num_elem", "1")),
    ("dst_element_count", "dst_mem_pattern.num_elem"),
)

RULES = numbered(
    "RDA",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_dve_read_accumulator_opcode", 0x9B)),
    ("V4", dtype_in("dve_read_accumulator_type_check", "dtype", FP_DATAPATH_FP32R)),
    ("V5", has_valid_active_channel_range),
    ("V5a", start_addr_active_channels(DST, confidence="M")),
    ("V6", pattern_valid(DST)),
    ("V7", _dst_size),
    ("V8", field_in("d1_rd_has_valid_negated_field", "negated", (0, 1), "0 or 1")),
    ("V9", reserved_zero("d1_rd_reserved_zero", "reserved0", "reserved1", "reserved2")),
)


def execute(op: Operation) -> None:
    """Store the accumulators of the active lanes."""
    # READ
    lanes = op.accumulator_lanes("dst")
    values = op.read_accumulators(lanes)
    # COMPUTE
    if op.code("negated"):
        values = (values.view(np.uint32) ^ SIGN).view(np.float32)
    # WRITE
    op.write("dst", op.narrow(values[:, None], op.dtype("dst")))
    if values.view(np.uint32).any() and op.choices["accumulator-read-effect"] == "cleared":
        op.state.accumulators.store(lanes, np.zeros_like(values))


INSTRUCTION = Instruction(
    family="read_accumulator",
    opcodes=(Opcode.DVE_READ_ACCUMULATOR,),
    struct=D1_RD,
    rules=RULES,
    tensors=(DST,),
    execute=execute,
    order_confidence="M",
    source="isa/05 section 8",
)
