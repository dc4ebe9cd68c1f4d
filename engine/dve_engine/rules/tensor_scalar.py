"""Checks shared by every instruction on S3D3_TS. Source: isa/03 sections 4.3 and 4.4 [H]."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..isa.aluops import (
    IS_BITVEC,
    IS_GENERAL_ARITH,
    IS_LEFT_SHIFT,
    IS_RIGHT_SHIFT,
    IS_VALID_INT_DVE,
    AluOp,
    codes,
    is_integer_band,
    present,
)
from ..isa.codes import ImmSrc
from ..isa.dtypes import FOUR_BYTE, INT6, SIZE_BYTES, Dtype
from ..isa.generation import ALL
from ..isa.opcodes import Opcode
from .batch import Batch, Bools
from .fields import alu_op_part, among, field_in
from .immediates import pointer_parts, register_part, source_is, source_part
from .operands import WITH_UNIONS, ImmediateOperand, TensorOperand
from .patterns import indirect_dst_size_limit_part, pattern_leaves, same_count_part
from .rule import Part, Rule

OPS = ("op0", "op1")
_NEVER = (AluOp.DIVIDE, AluOp.POW, AluOp.MOD)
_INTEGER_BAND = frozenset(int(op) for op in AluOp if is_integer_band(op))
_ARITH_RIGHT = frozenset((int(AluOp.ARITH_SHIFT_RIGHT),))
_GENERAL_ARITH, _INT_DVE = present(IS_GENERAL_ARITH), present(IS_VALID_INT_DVE)
_BITVEC = frozenset((int(Opcode.TENSOR_SCALAR_BITVEC_OP), int(Opcode.TENSOR_SCALAR_PTR_BITVEC_OP)))


def is_bitvec(batch: Batch) -> Bools:
    """Which records carry a bitvec opcode of the family."""
    return batch.among("header.opcode", _BITVEC)


def _ops_rule(*parts: Part, fields: tuple[str, ...] = OPS) -> Rule:
    return Rule("tensor_scalar_valid_ops", parts, fields)


valid_ops_enumerators = _ops_rule(*(alu_op_part(path, "is_valid_aluop") for path in OPS))


def valid_ops_not_pool(path: str) -> Rule:
    """DIVIDE, POW and MOD are never legal here."""
    allowed = frozenset(range(256)) - frozenset(_NEVER)
    return _ops_rule(Part(among(path, allowed), path, "an ALU code other than DIVIDE, POW and MOD"), fields=(path,))


valid_ops_bitvec = _ops_rule(*(Part(among(p, present(IS_BITVEC)), p, "a bit-vector ALU code") for p in OPS))


def _both_general_arith(batch: Batch) -> Bools:
    """Arm 1: both codes are general arithmetic; SYMMETRIC_CLAMP by assumption."""
    clamp = [np.asarray(batch.column(p) == AluOp.SYMMETRIC_CLAMP) for p in OPS]
    good = [batch.among(p, _GENERAL_ARITH) for p in OPS]
    asked = (clamp[0] | clamp[1]) & batch.among("op0", codes) & batch.among("op1", codes)
    if asked.any() and batch.depends("symmetric-clamp", asked) != "reject":
        good = [g | c for g, c in zip(good, clamp, strict=True)]
    return np.asarray(good[0] & good[1])


def _rsqrt_form(batch: Batch) -> Bools:
    """Arm 2: the one RSQRT encoding, with BYPASS and all scalar fields zero."""
    good = (batch.column("op0") == AluOp.RSQRT) & (batch.column("op1") == AluOp.BYPASS)
    for path in ("imm0", "imm0_src", "imm1", "imm1_src"):
        good &= batch.column(path) == 0
    return np.asarray(good)


def _integer_arm(batch: Batch) -> Bools:
    """Arm 3: both codes from the DVE's integer set, where the generation has it."""
    if not batch.generation.features.int_aluop_dve:
        return np.zeros(len(batch), bool)
    return np.asarray(batch.among("op0", _INT_DVE) & batch.among("op1", _INT_DVE))


def _blamed(batch: Batch, _: int) -> str:
    both = "a general arithmetic ALU code together with op1"
    integer = ", or both from the integer codes of the Vector Engine" if batch.generation.features.int_aluop_dve else ""
    return f"{both}{integer} (RSQRT only with BYPASS and all scalar fields zero)"


def _arith_op0(batch: Batch) -> Bools:
    return _both_general_arith(batch) | _rsqrt_form(batch) | _integer_arm(batch)


valid_ops_arith = _ops_rule(
    Part(_arith_op0, "op0", _blamed), fields=("op0", "op1", "imm0", "imm0_src", "imm1", "imm1_src")
)
valid_ops_order = _ops_rule(
    Part(
        lambda b: np.asarray((b.column("op0") != AluOp.BYPASS) | (b.column("op1") == AluOp.BYPASS)),
        "op1",
        "BYPASS where op0 is BYPASS: the second operation cannot run alone",
    )
)


def _same_int_dtype(batch: Batch) -> Bools:
    return np.asarray(~is_bitvec(batch) | (batch.column("out_dtype") == batch.column("in_dtype")))


def _int6_if_bitvec(batch: Batch) -> Bools:
    return ~is_bitvec(batch) | batch.among("in_dtype", INT6)


def integer_band_used(batch: Batch) -> Bools:
    """Which records use an integer-band code."""
    return batch.among("op0", _INTEGER_BAND) | batch.among("op1", _INTEGER_BAND)


def _integer_types(path: str) -> Part:
    """`int-tensor-scalar-dtypes`: by default a dtype outside INT6 is legal and not modelled."""

    def holds(batch: Batch) -> Bools:
        outside = ~is_bitvec(batch) & integer_band_used(batch) & ~batch.among(path, INT6)
        if not outside.any() or batch.depends("int-tensor-scalar-dtypes", outside) == "legal-not-modelled":
            return batch.all_true()
        return ~outside

    return Part(holds, path, "an 8-, 16- or 32-bit integer dtype with integer ALU codes")


tensor_scalar_valid_types = Rule(
    "tensor_scalar_valid_types",
    (
        Part(_int6_if_bitvec, "in_dtype", "an 8-, 16- or 32-bit integer dtype"),
        Part(_same_int_dtype, "out_dtype", "equal to in_dtype"),
        _integer_types("in_dtype"),
        _integer_types("out_dtype"),
    ),
    ("in_dtype", "out_dtype"),
)


def _inline_fits(operand: ImmediateOperand) -> Part:
    """`ts_imm_chk`: the unused upper bytes of an inline bit-vector scalar are zero."""
    inline = source_is(operand, ImmSrc.INSTRUCTION_IMMEDIATE)

    def holds(batch: Batch) -> Bools:
        size = SIZE_BYTES[batch.column("in_dtype")].astype(np.uint64)
        narrow = inline(batch) & is_bitvec(batch) & (size >= 1) & (size < 4)
        return np.asarray(~narrow | (batch.column(operand.field).astype(np.uint64) >> (size * 8) == 0))

    return Part(holds, operand.field, "zero above the bytes of in_dtype", "ts_imm_chk")


def _pointer_checks(operand: ImmediateOperand) -> tuple[Part, ...]:
    """`ts_ptr_imm_chk`: aligned to 4 bytes for arithmetic, to in_dtype for bit vectors."""
    pointer = source_is(operand, ImmSrc.POINTER_IMMEDIATE)
    arith = ImmediateOperand(operand.name, operand.field, operand.source, int(Dtype.FP32))
    placed, aligned4 = pointer_parts(arith, lambda b: pointer(b) & ~is_bitvec(b), "ts_ptr_imm_chk")
    placed_bits, aligned = pointer_parts(operand, lambda b: pointer(b) & is_bitvec(b), "ts_ptr_imm_chk")
    return placed, placed_bits, aligned4, aligned


def tensor_scalar_immediates_check(*operands: ImmediateOperand) -> Rule:
    """Each scalar by its source byte."""
    parts: list[Part] = []
    for operand in operands:
        parts += [source_part(operand), _inline_fits(operand), *_pointer_checks(operand)]
        parts.append(register_part(operand, source_is(operand, ImmSrc.REG_PTR_IMMEDIATE)))
    return Rule("tensor_scalar_immediates_check", tuple(parts), ("imm0_src", "imm0", "imm1_src", "imm1"))


def tensor_scalar_ptr_immediates(*operands: ImmediateOperand) -> Rule:
    """Both scalars of the pointer form are pointers whatever their source bytes say."""
    parts = tuple(part for operand in operands for part in _pointer_checks(operand))
    return Rule("tensor_scalar_ptr_immediates", parts, tuple(o.field for o in operands))


tensor_scalar_ptr_imm_src = Rule(
    "tensor_scalar_ptr_imm_src",
    tuple(Part(among(p, (0,)), p, "0: the pointer form has no source choice") for p in ("imm0_src", "imm1_src")),
    ("imm0_src", "imm1_src"),
)


def _four_byte(batch: Batch) -> Bools:
    return batch.among("in_dtype", FOUR_BYTE)


tensor_scalar_shift_chk = Rule(
    "tensor_scalar_shift_chk",
    (
        Part(
            lambda b: ~(b.among("op0", IS_LEFT_SHIFT) & b.among("op1", IS_RIGHT_SHIFT)) | _four_byte(b),
            "in_dtype", "a 4-byte dtype for a left shift followed by a right shift", "alu_shift_left_right_chk",
        ),
        Part(
            lambda b: ~(b.among("op0", _ARITH_RIGHT) | b.among("op1", _ARITH_RIGHT)) | _four_byte(b),
            "in_dtype", "a 4-byte dtype for ARITH_SHIFT_RIGHT", "alu_arith_shift_right_chk",
        ),
    ),
    ("op0", "op1", "in_dtype"),
)  # fmt: skip


def tensor_scalar_tensor_chk(src: TensorOperand, dst: TensorOperand) -> Rule:
    """Both patterns valid, the scatter limit, equal counts: what some lists repeat later is reported here."""
    counts = [(ALL - WITH_UNIONS, "same_element_count_t3d"), (WITH_UNIONS, "same_element_count_m3d")]
    parts = [*pattern_leaves(src), *pattern_leaves(dst), indirect_dst_size_limit_part(dst)]
    parts += [replace(same_count_part(src, dst, leaf), generations=on) for on, leaf in counts]
    return Rule("tensor_scalar_tensor_chk", tuple(parts), (src.field, dst.field, src.dtype, dst.dtype))


tensor_scalar_reverse_chk = field_in(
    "tensor_scalar_reverse_chk", "reverse_operands", range(4), "0 (NONE), 1 (FIRST), 2 (SECOND) or 3 (BOTH)"
)
has_zero_accum_cmd_field = field_in("has_zero_accum_cmd_field", "accumulator_cmd", (0,), "0 (IDLE)")
is_valid_aluop = Rule("is_valid_aluop", tuple(alu_op_part(p) for p in OPS), OPS)
