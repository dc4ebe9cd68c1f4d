"""SELECT_REDUCE (0xEA): select elements by a predicate and keep a running maximum per lane.

Under `merge` an element whose predicate is false keeps the destination's bytes and stays out of the maximum; under
`fill` the scalar is written and folded there. The maximum goes to the lane accumulator and leaves it only through
DVE_READ_ACCUMULATOR. Source: isa/04 section 5.
"""

from __future__ import annotations

import numpy as np

from ..isa.aluops import IS_GENERAL_ARITH, AluOp
from ..isa.codes import AccumCmd, ReverseOps
from ..isa.layout import S2S2D2_STT
from ..isa.opcodes import Opcode
from ..memory.access import Selection, blend
from ..numerics.accumulator import fold, identity
from ..numerics.arrays import has_nan
from ..rules.channels import check_active_channels, start_addr_active_channels
from ..rules.fields import alu_enum, among, enum_in, field_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.immediates import has_valid_immediates
from ..rules.operands import ImmediateOperand
from ..rules.patterns import pattern_valid, same_element_count
from ..rules.placement import tt_valid_partitions
from ..rules.predicates import not_32b_int, predicate_holds
from ..rules.rule import Part, Rule, numbered
from ..rules.scalar_tensor_tensor import DST, dtype_gates, imm0_dtype, sources
from .accumulation import folded_values
from .instruction import Instruction
from .operation import Float32, Operation

PRED, DATA = sources("pred", "data")
SCALAR = ImmediateOperand("imm0", "imm0", "imm0_src", "imm0_dtype")

_NKI_PREDICATES = ("INT8", "UINT8", "INT16", "UINT16")


_dtypes = Rule(
    "has_valid_select_reduce_dtypes",
    (predicate_holds("in0_in1_dtype.dtype_lo", _NKI_PREDICATES), not_32b_int("in0_in1_dtype.dtype_hi")),
    ("in0_in1_dtype",),
)
_ops = Rule(
    "has_valid_select_reduce_op",
    (
        Part(among("op0", IS_GENERAL_ARITH & {AluOp.BYPASS}), "op0", "0x00 (BYPASS)"),
        Part(among("op1", IS_GENERAL_ARITH & {AluOp.MAX}), "op1", "0x08 (MAX)"),
    ),
    ("op0", "op1"),
)
RULES = numbered(
    "SR",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_select_reduce_opcode", 0xEA)),
    *dtype_gates(4),
    ("V8", _dtypes),
    ("V9", imm0_dtype()),
    ("V10", alu_enum("op0")),
    ("V11", alu_enum("op1")),
    ("V12", _ops),
    ("V13", has_valid_immediates(SCALAR, "has_valid_s2s2d2_stt_immediate")),
    ("V14", start_addr_active_channels(PRED)),
    ("V15", start_addr_active_channels(DATA)),
    ("V16", start_addr_active_channels(DST)),
    ("V17", pattern_valid(PRED)),
    ("V18", pattern_valid(DATA)),
    ("V19", pattern_valid(DST)),
    ("V20", check_active_channels),
    ("V21", same_element_count("s2s2d2_stt_src_element_cnt_check", PRED, DATA)),
    ("V22", same_element_count("s2s2d2_stt_dst_element_cnt_check", PRED, DST)),
    ("V23", tt_valid_partitions(PRED, DATA)),
    (
        "V24",
        field_in(
            "has_valid_s2s2d2_cpr_accum_cmd",
            "accumulator_cmd",
            (AccumCmd.IDLE, AccumCmd.ACCUMULATE, AccumCmd.ZERO_ACCUMULATE),
            "0 (IDLE), 2 (ACCUMULATE) or 3 (ZERO_ACCUMULATE)",
        ),
    ),
    ("V25", enum_in("is_valid_enum", "reverse_operands", "TENS_SCALAR_REV_OPS")),
    ("V26", reserved_zero("has_s2s2d2_stt_reserved_zero", "reserved")),
    (
        "V27",
        field_in(
            "has_valid_select_reduce_rev_ops",
            "reverse_operands",
            (ReverseOps.NONE, ReverseOps.FIRST),
            "0 (NONE) or 1 (FIRST)",
        ),
    ),
)


def execute(op: Operation) -> None:
    """Select by predicate, fold the selected values into the lane maximum."""
    # READ
    true = op.read("pred") != 0
    data = op.read("data")
    scalar = op.widen(op.scalar("imm0"), op.code("imm0_dtype"))
    # COMPUTE
    if op.code("reverse_operands") == ReverseOps.FIRST and op.choices["select-reduce-reverse"] == "negate-predicate":
        true = ~true
    source, target = op.dtype("data"), op.dtype("dst")
    values = op.widen(data, source)
    fill = not true.all() and op.choices["select-reduce-false-lanes"] == "fill"
    stored = _stored(op, data, values, source, target)
    if fill:
        stored = blend(true, stored, op.narrow(np.ascontiguousarray(scalar), target))
    folded, selected = (_blend(true, values, scalar), None) if fill else (values, true)
    if stored is not data:
        folded = folded_values(op, folded, stored, selected)
    maximum = _fold(op, folded, selected)
    # WRITE
    op.write("dst", stored, selected)
    _update_accumulator(op, maximum)


def _stored(op: Operation, data: np.ndarray, values: Float32, source: int, target: int) -> np.ndarray:
    """What the destination receives: bits where both dtypes are equal, else the converted value."""
    if source == target:
        return op.convert(data, source, target)
    if op.choices["select-reduce-output-conversion"] == "convert":
        return op.narrow(values, target)
    return data.astype(np.dtype(f"<u{op.place('dst').itemsize}"))


def _fold(op: Operation, values: Float32, selected: Selection | None) -> Float32:
    """The maximum of each lane from its seed, elements in walk order, accumulator on the left."""
    lanes = op.accumulator_lanes("pred")
    if op.code("accumulator_cmd") == AccumCmd.ACCUMULATE:
        seed = op.read_accumulators(lanes)
    else:
        seed = np.full(op.lanes, identity(AluOp.MAX, op.choices), np.float32)
    if selected is None or selected.all():
        return fold(AluOp.MAX, seed, values, op.choices, element_first=False)
    neutral = _blend(selected, values, np.full((1, 1), -np.inf, np.float32))  # changes no maximum but a NaN
    if not np.isnan(seed).any() and not has_nan(neutral):
        return fold(AluOp.MAX, seed, neutral, op.choices, element_first=False)
    for k in range(values.shape[1]):
        chosen = selected[:, k]
        step = op.alu_f32(AluOp.MAX, seed[chosen], values[chosen, k])
        seed[chosen] = step
    return seed


def _blend(selected: Selection, a: Float32, b: Float32) -> Float32:
    return blend(selected, a.view(np.uint32), b.view(np.uint32)).view(np.float32)


def _update_accumulator(op: Operation, maximum: Float32) -> None:
    """Store the maximum; an idle instruction is single-shot by default and leaves the lanes tainted."""
    lanes, command = op.accumulator_lanes("pred"), op.code("accumulator_cmd")
    accumulators = op.state.accumulators
    if command == AccumCmd.ZERO_ACCUMULATE:
        accumulators.seed(lanes, maximum)
    elif command == AccumCmd.ACCUMULATE:
        accumulators.store(lanes, maximum)
    else:
        if op.choices["select-reduce-idle"] == "single-shot":
            accumulators.store(lanes, maximum)
        accumulators.tainted[lanes] = True


INSTRUCTION = Instruction(
    family="select_reduce",
    opcodes=(Opcode.SELECT_REDUCE,),
    struct=S2S2D2_STT,
    rules=RULES,
    tensors=(PRED, DATA, DST),
    immediates=(SCALAR,),
    execute=execute,
    lanewise=lambda record: record["accumulator_cmd"] != AccumCmd.ACCUMULATE,  # which may fail for a lane
    converts=True,
    paired=("pred", "data", "dst"),
    two_sources=("pred", "data"),
    source="isa/04 section 5",
)
