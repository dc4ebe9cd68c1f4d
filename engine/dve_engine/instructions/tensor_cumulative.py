"""TENSOR_CUMULATIVE (0x4E arith, 0x5E bitvec): an inclusive scan inside each group of the innermost dimensions.

The first element of a group passes, each later result is the one before it op the element. Arithmetic keeps the
running value in fp32 and rounds only what it stores; bit-vector codes work on raw bits. Source: isa/05 section 11,
isa/06 section 5.5 [H rules; restart, association and precision M].
"""

from __future__ import annotations

import numpy as np

from ..isa.aluops import ALU_OPS, IS_ARITH, AluOp, is_integer_band, present
from ..isa.dtypes import INT6, SIGNED_INT, dtype_name, raw_type
from ..isa.layout import S4D4_TR
from ..isa.opcodes import Opcode
from ..numerics.reduce import scan_bits, scan_f32, scan_int
from ..rules.batch import Batch
from ..rules.channels import has_valid_active_channel_range
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import alu_enum, among
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.patterns import same_element_count
from ..rules.rule import Part, Rule, numbered
from ..rules.s4d4_tr import (
    DST,
    SRC,
    START_AND_PATTERN,
    bitvec_parts,
    defined_op_part,
    has_zero_negated_field,
    indirect_quadrant_checks,
    is_valid_subdim,
    mask_enable_zero,
    op_class_part,
    s4d4_tr_reserved_zero,
)
from .groups import group_size, grouped
from .instruction import Instruction
from .operation import Operation
from .unmodelled import Unmodelled, undefined_rsqrt

BITVEC = Opcode.TENSOR_CUMULATIVE_BITVEC_OP

_valid_op = Rule(
    "tensor_cumulative_valid_alu_op",
    (defined_op_part, op_class_part(Part(among("op", present(IS_ARITH)), "op", "an arithmetic ALU code"), BITVEC)),
    ("op",),
)

RULES = numbered(
    "TC",
    ("P1", has_valid_neuron_header),
    ("P2", has_valid_neuron_events),
    ("P3", opcode_in("has_tensor_cumulative_opcode", 0x4E, 0x5E, named_by_us=True)),
    ("V1", s4d4_tr_reserved_zero),
    ("V2", mask_enable_zero),
    ("V3", is_valid_dtype("in_dtype")),
    ("V4", is_valid_dtype("out_dtype", fp32r=True)),
    ("V5", alu_enum("op")),
    ("V6", is_valid_subdim("op_dim")),
    ("V7", has_valid_active_channel_range),
    *zip(("V8", "V9", "V10", "V11"), START_AND_PATTERN, strict=True),
    ("V12", indirect_quadrant_checks()),
    ("V13", same_element_count("s4d4_tr_same_src_dst_count", SRC, DST)),
    ("V14", _valid_op),
    ("V15", Rule("tensor_cumulative_valid_dtype", bitvec_parts(BITVEC), ("in_dtype", "out_dtype", "op"))),
    ("V16", has_zero_negated_field),
)


_INTEGER = frozenset(int(code) for code in ALU_OPS if is_integer_band(code))


def _name(batch: Batch, row: int) -> str:
    return AluOp(batch.column("op")[row]).name


def _integer_code_on(path: str) -> Unmodelled:
    def reason(batch: Batch, row: int) -> str:
        dtype = dtype_name(int(batch.column(path)[row]))
        return f"{_name(batch, row)} on {dtype}: integer codes have a meaning on integers only"

    return Unmodelled(lambda batch: batch.among("op", _INTEGER) & ~batch.among(path, INT6), reason)


_UNMODELLED = (  # codes that the rules admit and no source defines here
    Unmodelled(
        among("op", {AluOp.CRC32, AluOp.RSQRT} | _INTEGER),
        lambda batch, row: f"{_name(batch, row)} inside a scan is in no source (undefined-alu-codes)",
        (("undefined-alu-codes", "not-modelled"),),
    ),
    Unmodelled(among("op", (AluOp.CRC32,)), "the polynomial of CRC32 is in no source"),
    *map(_integer_code_on, (SRC.dtype, DST.dtype)),
    *undefined_rsqrt("op"),
)


def execute_arith(op: Operation) -> None:
    """Scan every group in fp32; integer codes in native integers."""
    # READ
    elements = op.read("src")
    # COMPUTE
    code, source, target, size = op.code("op"), op.dtype("src"), op.dtype("dst"), _size(op)
    if is_integer_band(code):
        signed = elements.view(f"<i{elements.itemsize}") if source in SIGNED_INT else elements
        integers = signed.astype(np.int64).astype(np.int32)  # UINT32 is taken bit for bit
        result = scan_int(code, grouped(integers, size)).view(np.uint32).astype(raw_type(target))
    else:
        result = op.narrow(scan_f32(code, grouped(op.widen(elements, source), size), op.choices), target)
    # WRITE
    op.write("dst", result.reshape(elements.shape))


def execute_bitvec(op: Operation) -> None:
    """Scan every group on its raw bits, in 32-bit lanes."""
    # READ
    elements = op.read("src")
    # COMPUTE
    lanes = grouped(elements.astype(np.uint32), _size(op))
    result = scan_bits(op.code("op"), lanes, op.dtype("src"), op.choices).astype(raw_type(op.dtype("dst")))
    # WRITE
    op.write("dst", result.reshape(elements.shape))


def _size(op: Operation) -> int:
    return group_size(op.binding.tensors["src"], op.code("op_dim"))


def _instruction(opcode: int) -> Instruction:
    return Instruction(
        family="tensor_cumulative",
        opcodes=(opcode,),
        struct=S4D4_TR,
        rules=RULES,
        tensors=(SRC, DST),
        execute=execute_bitvec if opcode == BITVEC else execute_arith,
        converts=opcode != BITVEC,
        paired=("src", "dst"),
        unmodelled=_UNMODELLED,
        source="isa/05 section 11",
    )


INSTRUCTIONS = tuple(_instruction(o) for o in (Opcode.TENSOR_CUMULATIVE_ARITH_OP, BITVEC))
