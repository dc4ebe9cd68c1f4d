"""The ALU operation codes and their classes.

Source: isa/03 section 1 [H]; a code keeps its meaning on every later generation. A class lists every code of every
generation: intersect with `codes(generation)` where the generation matters. SYMMETRIC_CLAMP is in no class by default
(`symmetric-clamp`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Literal

from .generation import CAYMAN, MARIANA, MAVERICK, SUNDA, Generation

INTEGER_BAND = 0xC0  # bits 7:6 both set: the native-integer datapath


class AluOp(IntEnum):
    """NEURON_ISA_TPB_ALU_OP."""

    BYPASS = 0x00
    BITWISE_NOT = 0x01
    ARITH_SHIFT_LEFT = 0x02
    ARITH_SHIFT_RIGHT = 0x03
    ADD = 0x04
    SUBTRACT = 0x05
    MULT = 0x06
    DIVIDE = 0x07
    MAX = 0x08
    MIN = 0x09
    BITWISE_AND = 0x0A
    BITWISE_OR = 0x0B
    BITWISE_XOR = 0x0C
    LOGICAL_AND = 0x0D
    LOGICAL_OR = 0x0E
    LOGICAL_XOR = 0x0F
    LOGICAL_SHIFT_LEFT = 0x10
    LOGICAL_SHIFT_RIGHT = 0x11
    IS_EQ = 0x12
    IS_GT = 0x13
    IS_GE = 0x14
    IS_LE = 0x15
    IS_LT = 0x16
    ABSOLUTE_DIFF = 0x17
    IS_NE = 0x18
    ABSOLUTE_VALUE = 0x19
    POW = 0x1A
    MOD = 0x1B
    CRC32 = 0x1C
    RSQRT = 0x1D
    ABS_MAX = 0x20
    ABS_MIN = 0x21
    RE_LU = 0x22
    SQUARE = 0x23
    SYMMETRIC_CLAMP = 0x24
    ADD_INT = 0xC4
    MULT_INT = 0xC5
    SUBTRACT_INT = 0xC6
    DIVIDE_INT = 0xC7
    MOD_INT = 0xC8
    IS_EQUAL_INT = 0xC9
    IS_NE_INT = 0xCA
    ABS_MAX_INT = 0xCB
    ABS_MIN_INT = 0xCC
    ABS_DIFF_INT = 0xCD
    ABS_VALUE_INT = 0xCE
    MAX_INT = 0xCF
    MIN_INT = 0xD0
    IS_GT_INT = 0xD1
    IS_GE_INT = 0xD2
    IS_LE_INT = 0xD3
    IS_LT_INT = 0xD4
    MAX_UINT = 0xD5
    MIN_UINT = 0xD6
    IS_GT_UINT = 0xD7
    IS_GE_UINT = 0xD8
    IS_LE_UINT = 0xD9
    IS_LT_UINT = 0xDA
    MULT_UINT = 0xDB
    DIVIDE_UINT = 0xDC
    MOD_UINT = 0xDD
    AMAX_INT = 0xDE
    AMIN_INT = 0xDF
    AMAX_UINT = 0xE0
    AMIN_UINT = 0xE1


@dataclass(frozen=True)
class AluOpInfo:
    """One code: when it appeared, how many operands it reads (None: not known), on which datapaths it is defined."""

    op: AluOp
    first: Generation
    arity: int | Literal["reduction"] | None
    datapaths: tuple[str, ...]
    formula: str


_TABLE = (
    AluOpInfo(AluOp.BYPASS, SUNDA, 1, ("fp32", "bits", "int"), "first operand, unchanged"),
    AluOpInfo(AluOp.BITWISE_NOT, SUNDA, 1, ("bits",), "~a"),
    AluOpInfo(AluOp.ARITH_SHIFT_LEFT, SUNDA, 2, ("bits",), "a << b, same bits as 0x10"),
    AluOpInfo(AluOp.ARITH_SHIFT_RIGHT, SUNDA, 2, ("bits",), "a >> b, sign-filling"),
    AluOpInfo(AluOp.ADD, SUNDA, 2, ("fp32",), "a + b"),
    AluOpInfo(AluOp.SUBTRACT, SUNDA, 2, ("fp32",), "a - b"),
    AluOpInfo(AluOp.MULT, SUNDA, 2, ("fp32",), "a * b"),
    AluOpInfo(AluOp.DIVIDE, SUNDA, 2, ("fp32",), "a / b"),
    AluOpInfo(AluOp.MAX, SUNDA, 2, ("fp32",), "max(a,b)"),
    AluOpInfo(AluOp.MIN, SUNDA, 2, ("fp32",), "min(a,b)"),
    AluOpInfo(AluOp.BITWISE_AND, SUNDA, 2, ("bits",), "a & b"),
    AluOpInfo(AluOp.BITWISE_OR, SUNDA, 2, ("bits",), "a | b"),
    AluOpInfo(AluOp.BITWISE_XOR, SUNDA, 2, ("bits",), "a ^ b"),
    AluOpInfo(AluOp.LOGICAL_AND, SUNDA, 2, ("fp32",), "(a!=0) and (b!=0)"),
    AluOpInfo(AluOp.LOGICAL_OR, SUNDA, 2, ("fp32",), "(a!=0) or (b!=0)"),
    AluOpInfo(AluOp.LOGICAL_XOR, SUNDA, 2, ("fp32",), "(a!=0) xor (b!=0)"),
    AluOpInfo(AluOp.LOGICAL_SHIFT_LEFT, SUNDA, 2, ("bits",), "a << b"),
    AluOpInfo(AluOp.LOGICAL_SHIFT_RIGHT, SUNDA, 2, ("bits",), "a >> b, zero-filling"),
    AluOpInfo(AluOp.IS_EQ, SUNDA, 2, ("fp32",), "a == b"),
    AluOpInfo(AluOp.IS_GT, SUNDA, 2, ("fp32",), "a > b"),
    AluOpInfo(AluOp.IS_GE, SUNDA, 2, ("fp32",), "a >= b"),
    AluOpInfo(AluOp.IS_LE, SUNDA, 2, ("fp32",), "a <= b"),
    AluOpInfo(AluOp.IS_LT, SUNDA, 2, ("fp32",), "a < b"),
    AluOpInfo(AluOp.ABSOLUTE_DIFF, SUNDA, 2, ("fp32",), "abs(a - b)"),
    AluOpInfo(AluOp.IS_NE, SUNDA, 2, ("fp32",), "a != b"),
    AluOpInfo(AluOp.ABSOLUTE_VALUE, SUNDA, 1, ("fp32",), "abs(a)"),
    AluOpInfo(AluOp.POW, SUNDA, 2, ("fp32",), "a ** b"),
    AluOpInfo(AluOp.MOD, SUNDA, 2, ("fp32",), "a mod b"),
    AluOpInfo(AluOp.CRC32, SUNDA, None, ("bits",), "CRC-32 step"),
    AluOpInfo(AluOp.RSQRT, SUNDA, 1, ("fp32",), "1/sqrt(a)"),
    AluOpInfo(AluOp.ABS_MAX, MARIANA, 2, ("fp32",), "max(abs(a), abs(b))"),
    AluOpInfo(AluOp.ABS_MIN, MARIANA, 2, ("fp32",), "min(abs(a), abs(b))"),
    AluOpInfo(AluOp.RE_LU, MARIANA, 1, ("fp32",), "max(a, 0)"),
    AluOpInfo(AluOp.SQUARE, MARIANA, 1, ("fp32",), "a * a"),
    AluOpInfo(AluOp.SYMMETRIC_CLAMP, MAVERICK, 2, ("fp32",), "sign(a) * max(abs(a), abs(b))"),
    AluOpInfo(AluOp.ADD_INT, SUNDA, 2, ("int",), "integer add, wraps"),
    AluOpInfo(AluOp.MULT_INT, SUNDA, 2, ("int",), "integer multiply, low bits"),
    AluOpInfo(AluOp.SUBTRACT_INT, SUNDA, 2, ("int",), "integer subtract, wraps"),
    AluOpInfo(AluOp.DIVIDE_INT, CAYMAN, 2, ("int",), "integer divide"),
    AluOpInfo(AluOp.MOD_INT, CAYMAN, 2, ("int",), "C-style remainder (sign of dividend), np.fmod"),
    AluOpInfo(AluOp.IS_EQUAL_INT, CAYMAN, 2, ("int",), "integer =="),
    AluOpInfo(AluOp.IS_NE_INT, CAYMAN, 2, ("int",), "integer !="),
    AluOpInfo(AluOp.ABS_MAX_INT, CAYMAN, 2, ("int",), "max(abs(a),abs(b)), signed"),
    AluOpInfo(AluOp.ABS_MIN_INT, CAYMAN, 2, ("int",), "min(abs(a),abs(b)), signed"),
    AluOpInfo(AluOp.ABS_DIFF_INT, CAYMAN, 2, ("int",), "abs(a-b), signed"),
    AluOpInfo(AluOp.ABS_VALUE_INT, CAYMAN, 1, ("int",), "abs(a), signed, single source"),
    AluOpInfo(AluOp.MAX_INT, CAYMAN, 2, ("int",), "signed max"),
    AluOpInfo(AluOp.MIN_INT, CAYMAN, 2, ("int",), "signed min"),
    AluOpInfo(AluOp.IS_GT_INT, CAYMAN, 2, ("int",), "signed >"),
    AluOpInfo(AluOp.IS_GE_INT, CAYMAN, 2, ("int",), "signed >="),
    AluOpInfo(AluOp.IS_LE_INT, CAYMAN, 2, ("int",), "signed <="),
    AluOpInfo(AluOp.IS_LT_INT, CAYMAN, 2, ("int",), "signed <"),
    AluOpInfo(AluOp.MAX_UINT, CAYMAN, 2, ("int",), "unsigned max"),
    AluOpInfo(AluOp.MIN_UINT, CAYMAN, 2, ("int",), "unsigned min"),
    AluOpInfo(AluOp.IS_GT_UINT, CAYMAN, 2, ("int",), "unsigned >"),
    AluOpInfo(AluOp.IS_GE_UINT, CAYMAN, 2, ("int",), "unsigned >="),
    AluOpInfo(AluOp.IS_LE_UINT, CAYMAN, 2, ("int",), "unsigned <="),
    AluOpInfo(AluOp.IS_LT_UINT, CAYMAN, 2, ("int",), "unsigned <"),
    AluOpInfo(AluOp.MULT_UINT, CAYMAN, 2, ("int",), "unsigned multiply"),
    AluOpInfo(AluOp.DIVIDE_UINT, CAYMAN, 2, ("int",), "unsigned divide"),
    AluOpInfo(AluOp.MOD_UINT, CAYMAN, 2, ("int",), "unsigned remainder"),
    AluOpInfo(AluOp.AMAX_INT, CAYMAN, "reduction", ("int",), "signed argmax, result dtype u32"),
    AluOpInfo(AluOp.AMIN_INT, CAYMAN, "reduction", ("int",), "signed argmin, result dtype u32"),
    AluOpInfo(AluOp.AMAX_UINT, CAYMAN, "reduction", ("int",), "unsigned argmax, result dtype u32"),
    AluOpInfo(AluOp.AMIN_UINT, CAYMAN, "reduction", ("int",), "unsigned argmin, result dtype u32"),
)
ALU_OPS = {info.op: info for info in _TABLE}
UNARY = frozenset(int(info.op) for info in _TABLE if info.arity == 1)  # act on the left operand alone


@cache
def codes(generation: Generation) -> frozenset[int]:
    """Every enumerator of `generation`."""
    return frozenset(int(op) for op, info in ALU_OPS.items() if info.first.order <= generation.order)


def present(members: frozenset[int]) -> Callable[[Generation], frozenset[int]]:
    """A class as a generation has it: its members among the enumerators of that generation."""
    return cache(lambda generation: members & codes(generation))


def is_integer_band(op: int) -> bool:
    """Whether the code runs on the native-integer datapath."""
    return op & INTEGER_BAND == INTEGER_BAND


def _span(*bounds: int) -> frozenset[int]:
    """Closed ranges, given as low, high, low, high, ..."""
    return frozenset(c for low, high in zip(bounds[::2], bounds[1::2], strict=True) for c in range(low, high + 1))


IS_BITVEC = frozenset((0x00, 0x01, 0x02, 0x03, 0x0A, 0x0B, 0x0C, 0x10, 0x11, 0x1C))
IS_GENERAL_BITVEC = IS_BITVEC - {AluOp.CRC32}
IS_SHIFT = frozenset((0x02, 0x03, 0x10, 0x11))
IS_LEFT_SHIFT = frozenset((0x02, 0x10))
IS_RIGHT_SHIFT = frozenset((0x03, 0x11))
IS_VALID_INT = _span(0xC4, 0xCD, 0xCF, 0xDD) | {AluOp.MOD}
IS_VALID_INT_DVE = _span(0xC4, 0xC6, 0xC9, 0xCD, 0xCF, 0xD4) | {AluOp.BYPASS}
IS_ARITH = _span(0x04, 0x09, 0x0D, 0x0F, 0x12, 0x1B, 0x20, 0x23, 0xC4, 0xC8) | {AluOp.BYPASS, AluOp.RSQRT}
IS_GENERAL_ARITH = IS_ARITH - {AluOp.DIVIDE, AluOp.POW, AluOp.MOD, AluOp.RSQRT} - IS_VALID_INT
IS_SIGNED = _span(0xC4, 0xCD, 0xCF, 0xD4) | {AluOp.MOD}
IS_UNSIGNED = _span(0xC4, 0xCA, 0xD5, 0xDD) | {AluOp.MOD}
IS_CACHE_REDUCE = frozenset((AluOp.ADD, AluOp.SUBTRACT, AluOp.MULT, AluOp.MAX, AluOp.MIN))

CLASSES = {  # header predicate -> members
    "is_arith_op": IS_ARITH,
    "is_general_arith_op": IS_GENERAL_ARITH,
    "is_bitvec_op": IS_BITVEC,
    "is_general_bitvec_op": IS_GENERAL_BITVEC,
    "is_valid_int_aluop": IS_VALID_INT,
    "is_valid_int_aluop_dve": IS_VALID_INT_DVE,
    "is_signed_alu_op": IS_SIGNED,
    "is_unsigned_alu_op": IS_UNSIGNED,
    "is_shift_op": IS_SHIFT,
    "is_valid_cache_reduce_op": IS_CACHE_REDUCE,
}
