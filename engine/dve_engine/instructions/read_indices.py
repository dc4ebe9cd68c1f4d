"""DVE_READ_INDICES (0xE9): store each lane's eight index registers, as MATCH_REPLACE8 left them.

UINT16 keeps the low half, so all ones (no match) stay all ones.
Source: isa/05 section 9 [contents of the rules H but the start rule M and the pattern's own count L; order M].
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..isa.dtypes import Dtype, raw_type
from ..isa.generation import CAYMAN, since
from ..isa.layout import D4_MR
from ..isa.opcodes import Opcode
from ..numerics.search import SLOTS
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.fields import dtype_in, field_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import TensorOperand
from ..rules.patterns import element_count_in, pattern_valid
from ..rules.rule import Part, Rule, changed, numbered
from .instruction import Instruction
from .operation import Operation

DST = TensorOperand("dst", "dst_mem_pattern", "dtype", write=True, dims=4)


def _eight_declared(batch: Batch) -> Bools:
    return np.asarray(batch.column("dst_element_count") == SLOTS)


def _no_value(batch: Batch) -> Bools:
    return np.asarray(batch.column("set_value") == 0)


_declared = Rule(
    "dve_read_indices_elem_count_8", (Part(_eight_declared, "dst_element_count", "8"),), ("dst_element_count",)
)
_set_value = Rule(
    "dve_read_indices_set_value_zero", (Part(_no_value, "set_value", "0"),), ("set_value",), named_by_us=True
)

_LIST = numbered(
    "RDI",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_dve_read_indices_opcode", 0xE9, named_by_us=True)),
    ("V4", reserved_zero("d4_mr_reserved_zero", *(f"reserved{i}" for i in range(4)))),
    ("V5", field_in("d4_mr_zero_serialization", "serialization_mode", (0,), "0 (SERIAL)")),
    ("V6", dtype_in("is_valid_dtype_dve_read_indices", "dtype", (Dtype.UINT16, Dtype.UINT32))),
    ("V7", has_valid_active_channel_range),
    ("V7a", start_addr_active_channels(DST, confidence="M")),
    ("V8", pattern_valid(DST)),
    ("V9", _declared),
    ("V10", _set_value),
    ("V11", changed(element_count_in("dve_read_indices_dst_element_cnt_8", DST, SLOTS, SLOTS), confidence="L")),
)
RULES = tuple(replace(rule, generations=since(CAYMAN)) for rule in _LIST)


def execute(op: Operation) -> None:
    """Store the index registers, slot 0 first."""
    # READ
    indices = op.state.banks["index_registers"][: op.lanes]
    # COMPUTE
    backward = indices[:, ::-1]
    if not np.array_equal(indices, backward) and op.choices["read-indices-order"] == "slot-7-first":
        indices = backward
    # WRITE
    op.write("dst", indices.astype(raw_type(op.dtype("dst"))))


INSTRUCTION = Instruction(
    family="read_indices",
    opcodes=(Opcode.DVE_READ_INDICES,),
    struct=D4_MR,
    rules=RULES,
    tensors=(DST,),
    execute=execute,
    counts=(("dst", SLOTS, SLOTS),),
    order_confidence="M",
    source="isa/05 section 9",
)
