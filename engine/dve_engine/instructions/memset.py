"""MEMSET (0x49): write one bit pattern to every element of the destination.

The low bytes of set_value, as wide as the dtype, without conversion. Source: isa/06 section 5.9 [H; order and the
missing conversion M].
"""

from __future__ import annotations

import numpy as np

from ..isa.assumptions import Choices
from ..isa.codes import RegSerialMode
from ..isa.dtypes import INT_32B, SIZE_BYTES, Dtype, raw_type
from ..isa.layout import D4_MR
from ..isa.opcodes import Opcode
from ..memory.address import shape_from_register
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import among, field_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import TensorOperand, element_count, pattern_columns
from ..rules.patterns import pattern_valid
from ..rules.rule import Part, Rule, numbered
from .bound import Binding
from .errors import ExecutionError
from .instruction import Instruction
from .operation import Operation

DST = TensorOperand("dst", "dst_mem_pattern", "dtype", write=True, dims=4)
_FILLS = INT_32B | {
    Dtype.FP32, Dtype.UINT16, Dtype.INT16, Dtype.BFLOAT16, Dtype.FP16,
    Dtype.UINT8, Dtype.INT8, Dtype.FP8_EXP3, Dtype.FP8_EXP4, Dtype.FP8_EXP5,
}  # fmt: skip


def _declared_count(batch: Batch) -> Bools:
    columns = pattern_columns(batch, DST)
    waived = shape_from_register(columns.first, batch.generation)
    return np.asarray((batch.column("dst_element_count") == element_count(columns)) | waived)


def _count_expected(batch: Batch, row: int) -> str:
    return f"the product of the counts, {int(element_count(pattern_columns(batch, DST))[row])}"


def _fits(batch: Batch) -> Bools:
    bits = 8 * SIZE_BYTES[batch.column("dtype")].astype(np.uint64)
    return np.asarray(~batch.among("dtype", _FILLS) | (batch.column("set_value").astype(np.uint64) >> bits == 0))


_element_count = Rule(
    "memset_dst_element_cnt",
    (Part(_declared_count, "dst_element_count", _count_expected),),
    ("dst_element_count", DST.field),
    named_by_us=True,
)
_set_value = Rule(
    "memset_set_value_type",
    (
        Part(among("dtype", _FILLS), "dtype", "a 4-byte dtype other than FP32R, or one of 2 or 1 bytes"),
        Part(_fits, "set_value", "zero above the bytes of dtype"),
    ),
    ("dtype", "set_value"),
)

RULES = numbered(
    "MSET",
    ("P1", has_valid_neuron_header),
    ("P2", has_valid_neuron_events),
    ("P3", opcode_in("has_memset_opcode", 0x49, named_by_us=True)),
    ("V1", reserved_zero("d4_mr_reserved_zero", "reserved0", "reserved1", "reserved2", "reserved3")),
    ("V2", is_valid_dtype("dtype", fp32r=True)),
    ("V3", has_valid_active_channel_range),
    ("V4", start_addr_active_channels(DST)),
    ("V5", pattern_valid(DST)),
    ("V6", _element_count),
    ("V7", field_in("d4_mr_zero_serialization", "serialization_mode", (RegSerialMode.SERIAL,), "0 (SERIAL)")),
    ("V8", _set_value),
)


def check(record: np.void, binding: Binding, choices: Choices) -> None:
    """A count that a waiver let pass."""
    declared, walked = int(record["dst_element_count"]), binding.tensors["dst"].elements
    if declared != walked:
        raise ExecutionError(f"element counts differ: declared {declared}, dst {walked}", operand="dst")


def execute(op: Operation) -> None:
    """Fill the destination."""
    # COMPUTE
    value = np.array(op.code("set_value"), np.uint32).astype(raw_type(op.dtype("dst")))
    # WRITE
    op.write("dst", np.broadcast_to(value, (op.lanes, op.place("dst").elements)))


INSTRUCTION = Instruction(
    family="memset",
    opcodes=(Opcode.MEMSET,),
    struct=D4_MR,
    rules=RULES,
    tensors=(DST,),
    execute=execute,
    check=check,
    order_confidence="M",
    source="isa/06 section 5.9",
)
