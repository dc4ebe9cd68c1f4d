"""TENSOR_SCALAR_INT_WIDE (0xF4): integer arithmetic with a 64-bit result in two destinations.

Both operands are extended to 64 bits by the signedness of their dtypes; dst0 takes the low 32 bits of the result, dst1
the high ones: carry of an addition, two's-complement high word of a subtraction, upper half of a product. A narrower
destination keeps the low bits. Whether the Vector Engine reaches the opcode at all: `int-wide-on-dve`.
Source: isa/06 section 7.6 [layout, rules, meaning H; borrow word and narrow outputs L; order of the rules L].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from ..isa.aluops import IS_SHIFT, AluOp
from ..isa.codes import ImmSrc
from ..isa.dtypes import INT6, SIGNED_INT, UNSIGNED_INT, raw_type
from ..isa.generation import MAVERICK, since
from ..isa.layout import S2D2D2_TS_WIDE
from ..isa.opcodes import Opcode
from ..memory.access import Raw
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range
from ..rules.fields import among, field_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.immediates import immediate_parts
from ..rules.operands import ImmediateOperand, TensorOperand
from ..rules.patterns import pattern_parts, same_count_part
from ..rules.rule import Part, Rule, changed, numbered
from .errors import NotModelled
from .instruction import Instruction
from .operation import Operation


def _operand(name: str, dtype: str, *, write: bool = False) -> TensorOperand:
    return TensorOperand(name, f"{name}_mem_pattern", dtype, write=write, dims=2, psum=False, start_rule=False)


SRC = _operand("src", "in_imm_dtype.dtype_lo")
LOW = _operand("dst0", "out0_out1_dtype.dtype_lo", write=True)
HIGH = _operand("dst1", "out0_out1_dtype.dtype_hi", write=True)
SCALAR = ImmediateOperand("imm", "imm", "imm_src", "in_imm_dtype.dtype_hi", start_rule=False)

_Wide = npt.NDArray[np.uint64]
_OPS: Mapping[int, Callable[[_Wide, _Wide], _Wide]] = {
    AluOp.ADD_INT: np.add,
    AluOp.SUBTRACT_INT: np.subtract,
    AluOp.MULT_INT: np.multiply,
    AluOp.MULT_UINT: np.multiply,
    AluOp.ARITH_SHIFT_LEFT: np.left_shift,
    AluOp.LOGICAL_SHIFT_LEFT: np.left_shift,
    AluOp.LOGICAL_SHIFT_RIGHT: np.right_shift,
    AluOp.ARITH_SHIFT_RIGHT: lambda a, b: np.right_shift(a.view(np.int64), b.view(np.int64)).view(np.uint64),
}
_UNSIGNED_OPS = frozenset(map(int, (AluOp.ADD_INT, AluOp.SUBTRACT_INT, AluOp.MULT_UINT)))
_SIGNED_OPS = frozenset((int(AluOp.MULT_INT),))
_SHIFTS = frozenset(map(int, IS_SHIFT))
MOST_SHIFT = 31


def _signed_as_the_op_wants(path: str, *, shift_amount: bool) -> Part:
    """Signed for MULT_INT, unsigned for the other arithmetic and for a shift amount."""

    def holds(batch: Batch) -> Bools:
        signed = batch.among(path, frozenset(map(int, SIGNED_INT)))
        unsigned = batch.among(path, frozenset(map(int, UNSIGNED_INT)))
        wants_unsigned = batch.among("op", _UNSIGNED_OPS | (_SHIFTS if shift_amount else frozenset()))
        return (~wants_unsigned | unsigned) & (~batch.among("op", _SIGNED_OPS) | signed)

    what = "signed for MULT_INT, unsigned for ADD_INT, SUBTRACT_INT and MULT_UINT"
    return Part(holds, path, f"{what} and as a shift amount" if shift_amount else what)


def _short_shift(batch: Batch) -> Bools:
    inline = (batch.column("imm_src") == ImmSrc.INSTRUCTION_IMMEDIATE) & batch.among("op", _SHIFTS)
    return np.asarray(~inline | (batch.column("imm") <= MOST_SHIFT))


_DTYPES = (SRC.dtype, str(SCALAR.dtype), LOW.dtype, HIGH.dtype)
_ops = field_in(
    "ts_wide_op",
    "op",
    tuple(_OPS),
    "ADD_INT, SUBTRACT_INT, MULT_INT, MULT_UINT or a shift",
    named_by_us=True,
)

RULES = tuple(
    changed(rule, generations=since(MAVERICK))
    for rule in numbered(
        "TSIW",
        ("P1", has_valid_neuron_header),
        ("P2", has_valid_neuron_events),
        ("P3", opcode_in("has_tensor_scalar_int_wide_opcode", 0xF4, named_by_us=True)),
        (
            "V1",
            Rule(
                "ts_wide_dtypes",
                tuple(Part(among(p, INT6), p, "an 8-, 16- or 32-bit integer dtype") for p in _DTYPES),
                ("in_imm_dtype", "out0_out1_dtype"),
                named_by_us=True,
            ),
        ),
        ("V2", _ops),
        (
            "V3",
            Rule(
                "ts_wide_signedness",
                (
                    _signed_as_the_op_wants(SRC.dtype, shift_amount=False),
                    _signed_as_the_op_wants(str(SCALAR.dtype), shift_amount=True),
                ),
                ("op", "in_imm_dtype"),
                named_by_us=True,
            ),
        ),
        (
            "V4",
            Rule(
                "ts_wide_shift_imm_check",
                (Part(_short_shift, "imm", f"a shift amount of 0 to {MOST_SHIFT}"),),
                ("op", "imm", "imm_src"),
            ),
        ),
        ("V5", Rule("ts_wide_immediate", immediate_parts(SCALAR), ("imm_src", "imm"), named_by_us=True)),
        (
            "V6",
            Rule(
                "ts_wide_patterns",
                tuple(part for operand in (SRC, LOW, HIGH) for part in pattern_parts(operand)),
                ("src_mem_pattern", "dst0_mem_pattern", "dst1_mem_pattern"),
                named_by_us=True,
            ),
        ),
        (
            "V7",
            Rule(
                "ts_wide_element_cnt",
                (same_count_part(SRC, LOW), same_count_part(SRC, HIGH)),
                ("src_mem_pattern", "dst0_mem_pattern", "dst1_mem_pattern"),
                named_by_us=True,
            ),
        ),
        ("V8", reserved_zero("s2d2d2_ts_wide_reserved_zero", "reserved0", "reserved1", named_by_us=True)),
        ("V9", changed(has_valid_active_channel_range, confidence="M")),
    )
)


def execute(op: Operation) -> None:
    """Combine every element with the scalar; low and high half of the result."""
    # READ
    a, b = _wide(op.read("src"), op.dtype("src")), _wide(op.scalar("imm"), op.scalar_dtype("imm"))
    # COMPUTE
    code = op.code("op")
    if code in IS_SHIFT and b.size and int(b.max()) > MOST_SHIFT:
        raise NotModelled(f"a shift amount above {MOST_SHIFT} from memory; no source says what it does")
    result = np.broadcast_to(_OPS[code](a, b), a.shape)
    # WRITE
    halves = {"dst0": result, "dst1": result >> np.uint64(32)}
    op.write_all({name: half.astype(raw_type(op.dtype(name))) for name, half in halves.items()})


def _wide(raw: Raw, dtype: int) -> _Wide:
    """Elements extended to 64 bits, as their dtype's sign asks."""
    if dtype in SIGNED_INT:
        return raw.view(f"<i{raw.itemsize}").astype(np.int64).view(np.uint64)
    return raw.astype(np.uint64)


INSTRUCTION = Instruction(
    family="tensor_scalar_int_wide",
    opcodes=(Opcode.TENSOR_SCALAR_INT_WIDE,),
    struct=S2D2D2_TS_WIDE,
    rules=RULES,
    tensors=(SRC, LOW, HIGH),
    immediates=(SCALAR,),
    execute=execute,
    paired=("src", "dst0", "dst1"),
    order_confidence="L",
    source="isa/06 section 7.6",
)
