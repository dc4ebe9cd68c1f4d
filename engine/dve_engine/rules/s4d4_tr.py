"""Checks shared by the instructions on S4D4_TR. Source: isa/06 section 5.1, isa/05 sections 10.3 and 11 [H]."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..isa.aluops import IS_BITVEC, AluOp, codes, present
from ..isa.codes import SUBDIMS, TensorSubdim
from ..isa.dtypes import Dtype, dtype_name
from ..isa.generation import Generation
from .batch import Batch, Bools
from .channels import has_valid_active_channel_range, multiple_of_32_part, start_addr_active_channels
from .dtypes import is_valid_dtype
from .fields import alu_enum, among, equal_fields, field_in, reserved_zero
from .header import has_valid_neuron_events, has_valid_neuron_header
from .operands import Indirection, TensorOperand, element_count, pattern_columns
from .patterns import count_waived, multiple_of_32_count_part, pattern_valid, same_element_count
from .placement import indirect_quadrant_check_src3d, indirect_quadrant_check_src3d_dst3d
from .rule import Part, Rule, all_of, changed

SRC = TensorOperand("src", "src_mem_pattern", "in_dtype", indirection=Indirection.UNION, dims=4)
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, indirection=Indirection.UNION, dims=4)

NEVER = frozenset((int(AluOp.DIVIDE), int(AluOp.POW), int(AluOp.MOD)))
BITVEC_DTYPES = (Dtype.UINT8, Dtype.UINT16, Dtype.INT32, Dtype.UINT32)
_BITVEC_OPS = present(IS_BITVEC)

s4d4_tr_reserved_zero = reserved_zero("s4d4_tr_reserved_zero", "reserved1")
mask_enable_zero = field_in("mask_enable_zero", "mask_enable", (0,), "0")
mask_enable_valid = field_in("mask_enable_valid", "mask_enable", (0, 1), "0 or 1")
is_zero_subdim = field_in("is_zero_subdim", "op_dim", (TensorSubdim.UNUSED, TensorSubdim.X), "0 (UNUSED) or 2 (X)")
s4d4_tr_op_bypass = field_in("s4d4_tr_op_bypass", "op", (AluOp.BYPASS,), "0x00 (BYPASS)")
s4d4_tr_same_src_dst_type = equal_fields("s4d4_tr_same_src_dst_type", "in_dtype", "out_dtype")
has_zero_negated_field = field_in("has_zero_negated_field", "negated", (0,), "0")
has_multiple_32_channels = Rule(
    "has_multiple_32_channels", (replace(multiple_of_32_part(""), leaf=None),), ("num_active_channels",)
)
transpose_src_element_cnt_32 = Rule(
    "transpose_src_element_cnt_32", (multiple_of_32_count_part(SRC),), (SRC.field,), named_by_us=True
)


def is_valid_subdim(path: str) -> Rule:
    """The field names one to four dimensions."""
    return field_in("is_valid_subdim", path, SUBDIMS, "2 (X), 3 (XY), 4 (XYZ) or 5 (XYZW)")


def indirect_quadrant_checks(confidence: str = "H") -> Rule:
    """V23 on the source and V24 on both, where a list names them as one."""
    own, both = indirect_quadrant_check_src3d(SRC), indirect_quadrant_check_src3d_dst3d(SRC, DST)
    parts = (*all_of(own.parts, own.function), *all_of(both.parts, both.function))
    return changed(own, parts=parts, fields=both.fields, confidence=confidence)


def inside_group(batch: Batch, subdim: str) -> Bools:
    """Which of four dimensions a sub-dimension field names, (n, 4); none for a code that names no dimension."""
    named = np.zeros(256, np.intp)
    named[[int(s) for s in SUBDIMS]] = list(SUBDIMS.values())
    return np.asarray(np.arange(4) < named[batch.column(subdim)][:, None])


def kept_count(batch: Batch, operand: TensorOperand, subdim: str) -> np.ndarray:
    """The product of the counts that a sub-dimension field does not name, modulo 2^32."""
    num = pattern_columns(batch, operand).num
    return np.asarray(np.prod(np.where(inside_group(batch, subdim), np.uint32(1), num), axis=1, dtype=np.uint32))


def _kept_dims_match(batch: Batch) -> Bools:
    src, dst = pattern_columns(batch, SRC), pattern_columns(batch, DST)
    equal: Bools = kept_count(batch, SRC, "op_dim") == element_count(dst)
    unnamed = ~batch.among("op_dim", frozenset(int(s) for s in SUBDIMS))  # is_valid_subdim's matter
    return np.asarray(equal | unnamed | count_waived(batch, src, dst))


def _kept_expected(batch: Batch, row: int) -> str:
    kept, counted = kept_count(batch, SRC, "op_dim"), element_count(pattern_columns(batch, DST))
    return f"as many elements as {SRC.field} has groups: {int(kept[row])}, not {int(counted[row])}"


tensor_reduce_dst_element_cnt = Rule(
    "tensor_reduce_dst_element_cnt",
    (Part(_kept_dims_match, f"{DST.field}.num_elem", _kept_expected),),
    (SRC.field, DST.field, "op_dim"),
    named_by_us=True,
)


def _defined_codes(generation: Generation) -> frozenset[int]:
    return codes(generation) - NEVER


defined_op_part = Part(
    among("op", _defined_codes), "op", "an ALU code of this generation other than DIVIDE, POW and MOD"
)


def bitvec_parts(*opcodes: int) -> tuple[Part, ...]:
    """The dtypes of the raw-bit form of reduce and cumulative, asked of these opcodes only."""

    asked, names = frozenset(opcodes), ", ".join(dtype_name(d) for d in BITVEC_DTYPES)

    def part(test: Part) -> Part:
        return replace(test, holds=lambda batch: ~batch.among("header.opcode", asked) | test.holds(batch))

    return (
        part(Part(among("in_dtype", BITVEC_DTYPES), "in_dtype", f"one of {names}")),
        part(Part(lambda b: b.column("in_dtype") == b.column("out_dtype"), "out_dtype", "equal to in_dtype")),
        part(Part(_shift_is_int32, "in_dtype", "INT32 with LOGICAL_SHIFT_RIGHT")),
    )


def _shift_is_int32(batch: Batch) -> Bools:
    return np.asarray((batch.column("op") != AluOp.LOGICAL_SHIFT_RIGHT) | (batch.column("in_dtype") == Dtype.INT32))


def op_class_part(arith: Part, *bitvec_opcodes: int) -> Part:
    """`arith` for the fp32 form, a bit-vector code for the raw-bit opcodes."""

    raw_bits = frozenset(bitvec_opcodes)

    def holds(batch: Batch) -> Bools:
        bitvec = batch.among("header.opcode", raw_bits)
        return np.where(bitvec, batch.among("op", _BITVEC_OPS), arith.holds(batch))

    def expected(batch: Batch, row: int) -> str:
        bitvec = int(batch.column("header.opcode")[row]) in raw_bits
        return "a bit-vector ALU code" if bitvec else str(arith.expected)

    return replace(arith, holds=holds, expected=expected)


START_AND_PATTERN = (  # of source and destination, in the order in which every list asks
    start_addr_active_channels(SRC, union_name="check_m4d_active_channels"),
    start_addr_active_channels(DST, union_name="check_m4d_active_channels"),
    pattern_valid(SRC, union_name="mem4d_valid"),
    pattern_valid(DST, union_name="mem4d_valid"),
)


def copy_rules(opcode: Rule, *, same_dtype: bool) -> tuple[tuple[str, Rule], ...]:
    """The list of Copy, which Cast, Reciprocal and StreamShuffle share; V14 only where the dtypes must be equal."""
    dtypes = (("V14", s4d4_tr_same_src_dst_type),) if same_dtype else ()
    return (
        ("P1", has_valid_neuron_header),
        ("P2", has_valid_neuron_events),
        ("P3", opcode),
        ("V1", s4d4_tr_reserved_zero),
        ("V2", mask_enable_zero),
        ("V3", is_valid_dtype("in_dtype")),
        ("V4", is_valid_dtype("out_dtype", fp32r=True)),
        ("V5", alu_enum("op")),
        ("V6", is_zero_subdim),
        ("V7", has_valid_active_channel_range),
        *zip(("V8", "V9", "V10", "V11"), START_AND_PATTERN, strict=True),
        ("V11a", indirect_quadrant_checks("M")),
        ("V12", same_element_count("same_element_count_t4d", SRC, DST, union_name="same_element_count_m4d")),
        ("V13", s4d4_tr_op_bypass),
        *dtypes,
        ("V15", has_zero_negated_field),
    )
