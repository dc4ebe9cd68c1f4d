"""SCALAR_TENSOR_TENSOR (0x9D arith, 0x9E bitvec): (src0 op0 imm0) op1 src1.

Arithmetic runs in fp32, two rounded steps, and can add the results onto the lane accumulator besides storing them;
bit-vector codes work on the raw bits in 32-bit lanes. `reverse_operands` swaps the operands of op0 (bit 0) and op1
(bit 1). Source: isa/05 section 4 [H; relative order of V8, V9 and V28 M].
"""

from __future__ import annotations

import numpy as np

from ..isa.aluops import IS_GENERAL_BITVEC, AluOp, present
from ..isa.codes import AccumCmd
from ..isa.dtypes import INT6, SIGNED_INT, raw_type, size_bytes
from ..isa.layout import S2S2D2_STT
from ..isa.opcodes import Opcode
from ..memory import address as ad
from ..numerics import alu_bits, between_bit_ops, fold
from ..rules.batch import Batch, Bools
from ..rules.channels import check_active_channels, start_addr_active_channels
from ..rules.fields import alu_enum, enum_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.immediates import has_valid_immediates
from ..rules.operands import ImmediateOperand, pattern_columns
from ..rules.patterns import pattern_valid, same_element_count
from ..rules.placement import tt_valid_partitions
from ..rules.rule import Part, Rule, numbered
from ..rules.scalar_tensor_tensor import (
    DST,
    OPS,
    PLAIN_DTYPES,
    dtype_gates,
    general_arith_part,
    imm0_dtype,
    sources,
)
from .accumulation import folded_values, leave, seed_of, stay_idle, unseeded
from .instruction import Instruction
from .operation import Float32, Operation
from .stages import stage
from .unmodelled import Unmodelled

SRC0, SRC1 = sources("src0", "src1")
SCALAR = ImmediateOperand("imm0", "imm0", "imm0_src", "imm0_dtype")
_BITVEC_OPS = present(IS_GENERAL_BITVEC)
_ALL_DTYPES = (*PLAIN_DTYPES, "out_dtype")
_COMMANDS = (AccumCmd.IDLE, AccumCmd.ACCUMULATE, AccumCmd.ZERO_ACCUMULATE)


def _is_bitvec(batch: Batch) -> Bools:
    return np.asarray(batch.column("header.opcode") == Opcode.SCALAR_TENSOR_TENSOR_BITVEC)


def _is_arith(batch: Batch) -> Bools:
    return ~_is_bitvec(batch)


def _integer_if_bitvec(path: str) -> Part:
    return Part(lambda b: _is_arith(b) | b.among(path, INT6), path, "an 8-, 16- or 32-bit integer dtype")


def _one_dtype_if_bitvec(path: str) -> Part:
    first = PLAIN_DTYPES[0]
    return Part(lambda b: _is_arith(b) | (b.column(path) == b.column(first)), path, f"equal to {first}")


def _bitvec_op_if_bitvec(path: str) -> Part:
    return Part(lambda b: _is_arith(b) | b.among(path, _BITVEC_OPS), path, "a general bit-vector ALU code")


def _valid_command(batch: Batch) -> Bools:
    command = batch.column("accumulator_cmd")
    return np.asarray(np.where(_is_bitvec(batch), command == AccumCmd.IDLE, np.isin(command, _COMMANDS)))


def _one_quadrant(batch: Batch) -> Bools:
    """The body is in no source; under `stt-quadrant-erratum` = strict an accumulating dst stays beside its sources."""
    dst = pattern_columns(batch, DST).first
    apart = np.zeros(len(batch), bool)
    for source in (SRC0, SRC1):
        src = pattern_columns(batch, source).first
        static = ~ad.addr_from_register(src) & ~ad.addr_from_register(dst)
        a, b = ad.address_of(src), ad.address_of(dst)
        both = ad.in_sbuf(a, batch.generation) & ad.in_sbuf(b, batch.generation)
        apart |= static & both & ~ad.addresses_in_same_sbuf_quadrant(a, b, batch.generation)
    apart &= batch.column("accumulator_cmd") != AccumCmd.IDLE
    return ~apart if batch.depends("stt-quadrant-erratum", apart) == "strict" else batch.all_true()


_dtypes = Rule(
    "has_valid_scalar_tensor_tensor_dtypes",
    tuple(_integer_if_bitvec(path) for path in _ALL_DTYPES),
    ("in0_in1_dtype", "imm0_dtype", "out_dtype"),
)
_same_dtype = Rule(
    "s2s2d2_stt_src_dst_dtype",
    tuple(_one_dtype_if_bitvec(path) for path in _ALL_DTYPES[1:]),
    ("in0_in1_dtype", "imm0_dtype", "out_dtype"),
)
_ops = Rule(
    "has_valid_scalar_tensor_tensor_op",
    tuple(part for path in OPS for part in (general_arith_part(path, _is_bitvec), _bitvec_op_if_bitvec(path))),
    OPS,
)
_command = Rule(
    "has_valid_s2s2d2_stt_accum_cmd",
    (Part(_valid_command, "accumulator_cmd", "0 (IDLE), in 0x9D also 2 (ACCUMULATE) or 3 (ZERO_ACCUMULATE)"),),
    ("accumulator_cmd",),
)
_erratum = Rule(
    "s2s2d2_stt_quadrant_check",
    (Part(_one_quadrant, "dst_mem_pattern.start_addr", "in the SBUF quadrant of the sources"),),
    ("src0_mem_pattern", "src1_mem_pattern", "dst_mem_pattern"),
)

RULES = numbered(
    "STT",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_scalar_tensor_tensor_opcode", 0x9D, 0x9E, named_by_us=True)),
    *dtype_gates(4),
    ("V8", _dtypes),
    ("V9", _same_dtype),
    ("V10", imm0_dtype(exempt=_is_bitvec)),
    ("V11", alu_enum("op0")),
    ("V12", alu_enum("op1")),
    ("V13", _ops),
    ("V14", has_valid_immediates(SCALAR, "has_valid_s2s2d2_stt_immediate")),
    ("V15", start_addr_active_channels(SRC0)),
    ("V16", start_addr_active_channels(SRC1)),
    ("V17", start_addr_active_channels(DST)),
    ("V18", pattern_valid(SRC0)),
    ("V19", pattern_valid(SRC1)),
    ("V20", pattern_valid(DST)),
    ("V21", check_active_channels),
    ("V22", same_element_count("s2s2d2_stt_src_element_cnt_check", SRC0, SRC1)),
    ("V23", same_element_count("s2s2d2_stt_dst_element_cnt_check", SRC0, DST)),
    ("V24", tt_valid_partitions(SRC0, SRC1)),
    ("V25", _command),
    ("V26", enum_in("is_valid_enum", "reverse_operands", "TENS_SCALAR_REV_OPS")),
    ("V27", reserved_zero("has_s2s2d2_stt_reserved_zero", "reserved")),
    ("V28", _erratum),
)


def execute_arith(op: Operation) -> None:
    """Combine in fp32, store, and add onto the accumulator if the command asks for it."""
    # READ
    a, b = (op.widen(op.read(name), op.dtype(name)) for name in ("src0", "src1"))
    scalar = op.widen(op.scalar("imm0"), op.code("imm0_dtype"))
    lanes, accumulates = op.accumulator_lanes("src0"), op.code("accumulator_cmd") != AccumCmd.IDLE
    operator = _fold_operator(op) if accumulates else AluOp.ADD
    seed = seed_of(op, lanes, operator) if accumulates else None
    # COMPUTE
    reverse = op.code("reverse_operands")
    middle = stage(op, op.code("op0"), a, scalar, bool(reverse & 1), op.alu_f32)
    result: Float32 = stage(op, op.code("op1"), middle, b, bool(reverse & 2), op.alu_f32)
    stored = op.narrow(result, op.dtype("dst"))
    if seed is None:
        # WRITE
        op.write("dst", stored)
        stay_idle(op, lanes)
        return
    total = fold(operator, seed, folded_values(op, result, stored), op.choices, element_first=True)
    # WRITE
    if op.choices["stt-accumulate-and-store"] == "both":
        op.write("dst", stored)
    leave(op, lanes, total)


def _fold_operator(op: Operation) -> int:
    """Addition whatever op1 is; `stt-fold-operator` is asked where op1 is something else."""
    other = op.code("op1")
    return AluOp.ADD if other == AluOp.ADD or op.choices["stt-fold-operator"] == "add" else other


def execute_bitvec(op: Operation) -> None:
    """Combine the raw bits in 32-bit lanes."""
    # READ
    a, b = (op.read(name).astype(np.uint32) for name in ("src0", "src1"))
    scalar = op.scalar("imm0").astype(np.uint32)
    # COMPUTE
    dtype, reverse = op.dtype("src0"), op.code("reverse_operands")
    op0, op1 = op.code("op0"), op.code("op1")
    middle = stage(op, op0, a, scalar, bool(reverse & 1), lambda c, x, y: alu_bits(c, x, y, op.choices, dtype=dtype))
    middle = between_bit_ops(middle, op1, dtype, op.choices)
    left = dtype if reverse & 2 else _lane_dtype(op, middle, dtype)  # an element, or the lane between the operations
    result = stage(op, op1, middle, b, bool(reverse & 2), lambda c, x, y: alu_bits(c, x, y, op.choices, dtype=left))
    # WRITE
    op.write("dst", result.astype(raw_type(op.dtype("dst"))))


def _lane_dtype(op: Operation, middle: np.ndarray, dtype: int) -> int | None:
    """The dtype an arithmetic right shift of the intermediate takes its sign from: none, the lane is 32 bits wide.

    Where the lane is as wide as the dtype (`bitvec-lane-width`) it shifts like an element.
    """
    if op.code("op1") != AluOp.ARITH_SHIFT_RIGHT or dtype not in SIGNED_INT or size_bytes(dtype) == 4:
        return None
    sign = np.uint32(1 << 8 * size_bytes(dtype) - 1)
    return dtype if (middle & sign).any() and op.choices["bitvec-lane-width"] == "dtype-width" else None


def _instruction(opcode: int, *unmodelled: Unmodelled) -> Instruction:
    return Instruction(
        family="scalar_tensor_tensor",
        opcodes=(opcode,),
        struct=S2S2D2_STT,
        rules=RULES,
        tensors=(SRC0, SRC1, DST),
        immediates=(SCALAR,),
        execute=execute_bitvec if opcode == Opcode.SCALAR_TENSOR_TENSOR_BITVEC else execute_arith,
        lanewise=lambda record: record["accumulator_cmd"] != AccumCmd.ACCUMULATE,  # which may fail for a lane
        converts=opcode != Opcode.SCALAR_TENSOR_TENSOR_BITVEC,
        paired=("src0", "src1", "dst"),
        two_sources=("src0", "src1"),
        unmodelled=unmodelled,
        source="isa/05 section 4",
    )


INSTRUCTIONS = (
    _instruction(Opcode.SCALAR_TENSOR_TENSOR_ARITH, unseeded("op1", ("stt-fold-operator", "op1"))),
    _instruction(Opcode.SCALAR_TENSOR_TENSOR_BITVEC),
)
