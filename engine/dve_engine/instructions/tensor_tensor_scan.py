"""TENSOR_TENSOR_SCAN (0xE5): a recurrence per lane over two tensors, state = (src0 op0 state) op1 src1.

The state starts as imm0 and is carried in fp32 through all rows of the pattern; each one is converted on its way to
dst. The lane accumulator is neither read nor written. `reverse_operands` swaps the operands of op0 (bit 0) and op1
(bit 1).
Source: isa/05 section 5 [H; fp32 state and no reset at a row M].
"""

from __future__ import annotations

import numpy as np

from ..isa.codes import AccumCmd
from ..isa.dtypes import Dtype
from ..isa.layout import S2S2D2_STT
from ..isa.opcodes import Opcode
from ..memory.access import Raw
from ..numerics.recurrence import Recurrence
from ..rules.channels import check_active_channels, start_addr_active_channels
from ..rules.fields import alu_enum, enum_in, field_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.immediates import has_valid_immediates
from ..rules.operands import ImmediateOperand
from ..rules.patterns import pattern_valid, same_element_count
from ..rules.placement import tt_valid_partitions
from ..rules.rule import Rule, numbered
from ..rules.scalar_tensor_tensor import DST, OPS, dtype_gates, general_arith_part, imm0_dtype, sources
from .accumulation import as_stored, same_bits
from .instruction import Instruction
from .operation import Float32, Operation
from .stages import swapped

SRC0, SRC1 = sources("src0", "src1")
INITIAL = ImmediateOperand("imm0", "imm0", "imm0_src", "imm0_dtype")

RULES = numbered(
    "TTS",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_tensor_tensor_scan_opcode", 0xE5)),
    *dtype_gates(4),
    ("V8", imm0_dtype()),
    ("V9", alu_enum("op0")),
    ("V10", alu_enum("op1")),
    ("V11", Rule("has_valid_tensor_tensor_scan_op", tuple(general_arith_part(path) for path in OPS), OPS)),
    ("V12", has_valid_immediates(INITIAL, "has_valid_s2s2d2_stt_immediate")),
    ("V13a", start_addr_active_channels(SRC0)),
    ("V13b", start_addr_active_channels(SRC1)),
    ("V13c", start_addr_active_channels(DST)),
    ("V14a", pattern_valid(SRC0)),
    ("V14b", pattern_valid(SRC1)),
    ("V14c", pattern_valid(DST)),
    ("V15", check_active_channels),
    ("V16", same_element_count("s2s2d2_stt_src_element_cnt_check", SRC0, SRC1)),
    ("V17", same_element_count("s2s2d2_stt_dst_element_cnt_check", SRC0, DST)),
    ("V18", tt_valid_partitions(SRC0, SRC1)),
    ("V19", field_in("has_zero_accum_cmd", "accumulator_cmd", (AccumCmd.IDLE,), "0 (IDLE)")),
    ("V20", enum_in("is_valid_enum", "reverse_operands", "TENS_SCALAR_REV_OPS")),
    ("V21", reserved_zero("has_s2s2d2_stt_reserved_zero", "reserved")),
)


def execute(op: Operation) -> None:
    """Run the recurrence over the whole stream."""
    # READ
    a, b = (op.widen(op.read(name), op.dtype(name)) for name in ("src0", "src1"))
    initial = op.widen(op.scalar("imm0"), op.code("imm0_dtype")).reshape(-1)
    seed = np.array(np.broadcast_to(initial, op.lanes))
    # COMPUTE
    op.choices["scan-recurrence"]  # state-recurrence: the other reading is not offered
    op0, op1, reverse = op.code("op0"), op.code("op1"), op.code("reverse_operands")
    recurrence = Recurrence(op0, op1, swapped(op, op0, bool(reverse & 1)), swapped(op, op1, bool(reverse & 2)))
    states = recurrence.run(seed, a, b, op.choices)
    stored = op.narrow(states, op.dtype("dst"))
    if recurrence.uses_state and _rounding_shows(op, states, stored):
        states = recurrence.run(seed, a, b, op.choices, lambda state: as_stored(op, op.narrow(state, op.dtype("dst"))))
        stored = op.narrow(states, op.dtype("dst"))
    # WRITE
    op.write("dst", stored)


def _rounding_shows(op: Operation, states: Float32, stored: Raw) -> bool:
    """Whether the state carried on is to be the stored one (`scan-state-precision`), where that is another."""
    if op.dtype("dst") == Dtype.FP32 or states.shape[1] < 2:
        return False
    if same_bits(as_stored(op, stored[:, :-1], op.choices.fresh()), states[:, :-1]):
        return False
    return op.choices["scan-state-precision"] == "dst-dtype"


INSTRUCTION = Instruction(
    family="tensor_tensor_scan",
    opcodes=(Opcode.TENSOR_TENSOR_SCAN_ARITH,),
    struct=S2S2D2_STT,
    rules=RULES,
    tensors=(SRC0, SRC1, DST),
    immediates=(INITIAL,),
    execute=execute,
    lanewise=lambda record: True,
    converts=True,
    paired=("src0", "src1", "dst"),
    two_sources=("src0", "src1"),
    source="isa/05 section 5",
)
