"""TENSOR_REDUCE (0x42 arith, 0x52 bitvec), transposed 0x83 and 0x84: fold the innermost dimensions of every lane.

op_dim names the dimensions, X the innermost one up to XYZW all four; each group of consecutive elements gives one.
Arithmetic folds in fp32 whatever the dtypes and rounds once when it stores; bit-vector codes fold raw bits. The
running value is on the left and starts with the first element. `negated` multiplies by -1. The transposed forms read
the source through the 32 x 32 tile transpose and then cut it by the counts of the record. Source: isa/05 section 10,
isa/06 section 5.11 [order, operand order, seed and the transposed geometry M].
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..isa.aluops import ALU_OPS, INTEGER_BAND, UNARY, AluOp, codes
from ..isa.assumptions import Choices
from ..isa.dtypes import raw_type
from ..isa.layout import S4D4_TR
from ..isa.opcodes import Opcode
from ..memory.access import Raw
from ..memory.tiles import transpose32
from ..numerics.reduce import NEUTRAL, NEUTRAL_BITS, reduce_bits, reduce_f32
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range
from ..rules.dtypes import dtype_parts, is_valid_dtype_64
from ..rules.fields import among, general_arith
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.placement import indirect_quadrant_check_src3d, indirect_quadrant_check_src3d_dst3d
from ..rules.rule import Part, Rule, changed, numbered
from ..rules.s4d4_tr import (
    DST,
    SRC,
    START_AND_PATTERN,
    bitvec_parts,
    defined_op_part,
    has_multiple_32_channels,
    is_valid_subdim,
    mask_enable_zero,
    op_class_part,
    s4d4_tr_reserved_zero,
    tensor_reduce_dst_element_cnt,
    transpose_src_element_cnt_32,
)
from .bound import Binding
from .groups import group_size, grouped, require_one_per_group, require_tiles
from .instruction import Instruction
from .operation import Float32, Operation
from .unmodelled import Unmodelled

BITVEC = (Opcode.TENSOR_REDUCE_BITVEC_OP, Opcode.TRANSPOSE_TENSOR_REDUCE_BITVEC_OP)
TRANSPOSED = (Opcode.TRANSPOSE_TENSOR_REDUCE_ARITH_OP, Opcode.TRANSPOSE_TENSOR_REDUCE_BITVEC_OP)


def _integer_op(batch: Batch) -> Bools:
    """A code of the generation's integer band: the other engine's, argmax and argmin among them."""
    return batch.among("op", frozenset(code for code in codes(batch.generation) if code >= INTEGER_BAND))


def _arith_op(batch: Batch) -> Bools:
    """General arithmetic, or an integer reduction: every integer-band code [L], which the engine rule then refuses."""
    return general_arith(batch, "op") | _integer_op(batch)


def _not_negated_bits(batch: Batch) -> Bools:
    negated = batch.column("negated")
    return np.asarray(np.where(batch.among("header.opcode", frozenset(BITVEC)), negated == 0, negated <= 1))


_valid_op = Rule("tensor_reduce_valid_alu_op", (defined_op_part,), ("op",), confidence="M")
_op_class = Rule(
    "tensor_reduce_valid_alu_op",
    (op_class_part(Part(_arith_op, "op", "a general arithmetic ALU code"), *BITVEC),),
    ("op",),
)
_engine = Rule(
    "is_valid_tensor_reduce_arith_engine",
    (
        *dtype_parts("in_dtype"),
        *dtype_parts("out_dtype", "fp32r"),
        Part(lambda b: ~_integer_op(b), "op", "no integer code: those run on another engine"),
    ),
    ("op", "in_dtype", "out_dtype"),
)
_bitvec_dtype = Rule(
    "tensor_reduce_valid_dtype", bitvec_parts(*BITVEC), ("in_dtype", "out_dtype", "op"), confidence="M"
)
has_valid_reduce_negated = Rule(
    "has_valid_reduce_negated",
    (Part(_not_negated_bits, "negated", "0 or 1, and 0 with raw bits"),),
    ("negated",),
)


def _rules(opcode: Rule, arith: int, bitvec: int, count_confidence: str) -> tuple[tuple[str, Rule], ...]:
    """The list that the plain and the transposed pair share."""
    return (
        ("V1", has_valid_neuron_header),
        ("V2", has_valid_neuron_events),
        ("V3", opcode),
        ("V4", s4d4_tr_reserved_zero),
        ("V5", mask_enable_zero),
        ("V6a", is_valid_dtype_64("in_dtype")),
        ("V6b", is_valid_dtype_64("out_dtype", fp32r=True)),
        ("V7", _valid_op),
        ("V8", _op_class),
        ("V9", changed(_engine, opcodes=frozenset((arith,)))),
        ("V10", changed(_bitvec_dtype, opcodes=frozenset((bitvec,)))),
        ("V11", is_valid_subdim("op_dim")),
        ("V12", has_valid_active_channel_range),
        *zip(("V13a", "V13b", "V13c", "V13d"), START_AND_PATTERN, strict=True),
        ("V13e", indirect_quadrant_check_src3d(SRC)),
        ("V13f", indirect_quadrant_check_src3d_dst3d(SRC, DST)),
        ("V14", changed(tensor_reduce_dst_element_cnt, confidence=count_confidence)),
        ("V15", has_valid_reduce_negated),
    )


RULES = numbered("TR", *_rules(opcode_in("has_tensor_reduce_opcode", 0x42, 0x52, named_by_us=True), 0x42, 0x52, "H"))
TRANSPOSED_RULES = numbered(
    "TTR",
    *_rules(opcode_in("has_transpose_tensor_reduce_opcode", 0x83, 0x84, named_by_us=True), 0x83, 0x84, "M"),
    ("V16", changed(has_multiple_32_channels, confidence="M")),
    ("V17", changed(transpose_src_element_cnt_32, confidence="M")),
)


def check(record: np.void, binding: Binding, choices: Choices) -> None:
    """Counts that a waiver let pass."""
    if record["header"]["opcode"] in TRANSPOSED:
        require_tiles(binding)
    require_one_per_group(binding, int(record["op_dim"]))


def _unmodelled(seeds: Iterable[int]) -> tuple[Unmodelled, ...]:
    """Codes and seeds that no source defines. seeds: the codes that have an identity on the datapath."""
    without, unary = frozenset(ALU_OPS) - frozenset(seeds), frozenset(UNARY) - frozenset(seeds)
    from_identity = ("tensor-reduce-seed", "identity")

    def reason(batch: Batch, row: int) -> str:
        name = AluOp(batch.column("op")[row]).name
        return f"{name} has no identity to start a reduction with (tensor-reduce-seed)"

    return (
        Unmodelled(among("op", (AluOp.CRC32,)), "the polynomial of CRC32 is in no source (undefined-alu-codes)"),
        Unmodelled(among("op", without - unary), reason, (from_identity,)),
        Unmodelled(among("op", unary), reason, (from_identity, ("unary-op-in-fold", "running-value"))),
    )


def execute_arith(op: Operation) -> None:
    """Fold every group in fp32."""
    # READ
    elements = _elements(op, op.read("src"))
    # COMPUTE
    values = op.widen(elements, op.dtype("src"))
    result = fold_groups(op, op.code("op"), values)
    # WRITE
    op.write("dst", op.narrow(result, op.dtype("dst")))


def execute_bitvec(op: Operation) -> None:
    """Fold every group on its raw bits, in 32-bit lanes."""
    # READ
    lanes = _elements(op, op.read("src")).astype(np.uint32)
    # COMPUTE
    dtype = op.dtype("src")
    result = reduce_bits(op.code("op"), grouped(lanes, _size(op)), dtype, op.choices)
    # WRITE
    op.write("dst", result.astype(raw_type(op.dtype("dst"))))


def fold_groups(op: Operation, code: int, values: Float32) -> Float32:
    """The fold of each group, negated where the record says so: (lanes, elements) to (lanes, groups)."""
    result = reduce_f32(code, grouped(values, _size(op)), op.choices)
    return op.alu_f32(AluOp.MULT, result, np.full((1, 1), -1, np.float32)) if op.code("negated") else result


def _size(op: Operation) -> int:
    return group_size(op.binding.tensors["src"], op.code("op_dim"))


def _elements(op: Operation, elements: Raw) -> Raw:
    return transpose32(elements) if op.opcode in TRANSPOSED else elements


def _instruction(family: str, opcode: int, rules: tuple[Rule, ...], source: str) -> Instruction:
    return Instruction(
        family=family,
        opcodes=(opcode,),
        struct=S4D4_TR,
        rules=rules,
        tensors=(SRC, DST),
        execute=execute_bitvec if opcode in BITVEC else execute_arith,
        converts=opcode not in BITVEC,
        check=check,
        unmodelled=_unmodelled(NEUTRAL_BITS if opcode in BITVEC else NEUTRAL),
        order_confidence="M",
        source=source,
    )


INSTRUCTIONS = (
    _instruction("tensor_reduce", Opcode.TENSOR_REDUCE_ARITH_OP, RULES, "isa/05 section 10"),
    _instruction("tensor_reduce", Opcode.TENSOR_REDUCE_BITVEC_OP, RULES, "isa/05 section 10"),
    *(_instruction("transpose_tensor_reduce", code, TRANSPOSED_RULES, "isa/06 section 5.11") for code in TRANSPOSED),
)
