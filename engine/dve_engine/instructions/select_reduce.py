"""SELECT_REDUCE (0xEA): select elements by a predicate and keep a running maximum per lane.

Under `merge` an element whose predicate is false keeps the destination's bytes and stays out of the maximum; under `fill` the scalar is written and
folded there. The maximum goes to the lane accumulator and leaves it only through DVE_READ_ACCUMULATOR. Source: isa/04 section 5.
"""

from __future__ import annotations

import numpy as np

from ..isa.aluops import IS_GENERAL_ARITH, AluOp
from ..isa.codes import AccumCmd, ImmSrc, ReverseOps
from ..isa.dtypes import Dtype
from ..isa.layout import S2S2D2_STT
from ..isa.opcodes import Opcode
from ..memory.access import Selection
from ..numerics.accumulator import fold, identity
from ..rules.batch import Batch, Bools
from ..rules.channels import check_active_channels, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import alu_op_part, among, enum_in, field_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.immediates import has_valid_immediates
from ..rules.operands import ImmediateOperand, TensorOperand
from ..rules.patterns import pattern_valid, same_element_count
from ..rules.placement import tt_valid_partitions
from ..rules.predicates import not_32b_int, predicate_holds
from ..rules.rule import Part, Rule, numbered
from .instruction import Instruction
from .operation import Float32, Operation

PRED = TensorOperand("pred", "src0_mem_pattern", "in0_in1_dtype.dtype_lo", dims=2)
DATA = TensorOperand("data", "src1_mem_pattern", "in0_in1_dtype.dtype_hi", dims=2)
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, dims=2)
SCALAR = ImmediateOperand("imm0", "imm0", "imm0_src", "imm0_dtype")

_NKI_PREDICATES = ("INT8", "UINT8", "INT16", "UINT16")


def _inline_is_fp32(batch: Batch) -> Bools:
    pointer = np.isin(batch.column("imm0_src"), (ImmSrc.POINTER_IMMEDIATE, ImmSrc.REG_PTR_IMMEDIATE))
    return np.asarray(pointer | (batch.column("imm0_dtype") == Dtype.FP32))


def _alu_enum(path: str) -> Rule:
    return Rule("is_valid_enum", (alu_op_part(path),), (path,))


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
_imm0_dtype = Rule(
    "s2s2d2_stt_imm0_dtype",
    (Part(_inline_is_fp32, "imm0_dtype", "0x0A (FP32) for a scalar in the record"),),
    ("imm0_src", "imm0_dtype"),
)

RULES = numbered(
    "SR",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_select_reduce_opcode", 0xEA)),
    ("V4", is_valid_dtype("in0_in1_dtype.dtype_lo")),
    ("V5", is_valid_dtype("in0_in1_dtype.dtype_hi")),
    ("V6", is_valid_dtype("imm0_dtype")),
    ("V7", is_valid_dtype("out_dtype", fp32r=True)),
    ("V8", _dtypes),
    ("V9", _imm0_dtype),
    ("V10", _alu_enum("op0")),
    ("V11", _alu_enum("op1")),
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
        stored = np.where(true, stored, op.narrow(np.ascontiguousarray(scalar), target))
    folded = np.where(true, values, scalar) if fill else values
    if target not in (source, Dtype.FP32) and op.choices["fold-cast-point"] == "after-conversion":
        folded = op.widen(stored, target)
    maximum = _fold(op, folded, None if fill else true)
    # WRITE
    op.write("dst", stored, None if fill else true)
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
    if not np.isnan(seed).any() and not np.isnan(values[selected]).any():
        neutral = np.where(selected, values, -np.float32(np.inf))  # changes no maximum but a NaN
        return fold(AluOp.MAX, seed, neutral, op.choices, element_first=False)
    for k in range(values.shape[1]):
        chosen = selected[:, k]
        step = op.alu_f32(AluOp.MAX, seed[chosen], values[chosen, k])
        seed[chosen] = step
    return seed


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
    fails_under=(("accumulator-initial", "error"),),
    paired=("pred", "data", "dst"),
    two_sources=("pred", "data"),
    source="isa/04 section 5",
)
