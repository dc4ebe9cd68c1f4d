"""TENSOR_SCALAR (0x43 arith, 0x53 bitvec), transposed (0x93) and with pointers (0x44, 0x54): (x op0 s0) op1 s1.

Arithmetic runs in fp32 (on integer-band codes in native 32-bit integers), bit-vector codes on the raw bits in 32-bit
lanes. `reverse_operands` swaps the operands of op0 (bit 0) and op1 (bit 1). Source: isa/03 section 4 [H; 0x93's index
map and PTR-V15 M].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..isa.aluops import ALU_OPS, AluOp, is_integer_band
from ..isa.assumptions import Choices
from ..isa.dtypes import INT6, SIGNED_INT, Dtype, dtype_name, raw_type
from ..isa.layout import S3D3_TS
from ..isa.opcodes import Opcode
from ..isa.struct import code_of
from ..memory.access import Raw
from ..memory.tiles import transpose32
from ..numerics.alu import alu_bits, alu_int, between_bit_ops, scalar_to_int32
from ..numerics.chain import Chain, Link, chain
from ..rules import tensor_scalar as ts
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range, multiple_of_32_part, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import ImmediateOperand, Indirection, TensorOperand
from ..rules.patterns import multiple_of_32_count_part, pattern_valid
from ..rules.placement import indirect_quadrant_check_src3d, indirect_quadrant_check_src3d_dst3d
from ..rules.rule import Rule, changed, numbered
from .bound import Binding
from .fused import FusedChain, fused_chain
from .groups import require_tiles
from .instruction import Instruction
from .operation import Float32, Operation
from .stages import Alu, Lanes, stage
from .unmodelled import Unmodelled, unconvertible, undefined_bits, undefined_rsqrt

SRC = TensorOperand("src", "src_mem_pattern", "in_dtype", indirection=Indirection.UNION)
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, indirection=Indirection.UNION)


def _scalars(dtype: str | int, *, pointer: bool = False) -> tuple[ImmediateOperand, ImmediateOperand]:
    """imm0 and imm1: fp32 for arithmetic, in_dtype for bit vectors; the pointer form has no source bytes."""
    first, second = (
        ImmediateOperand(name, name, None if pointer else f"{name}_src", dtype) for name in ("imm0", "imm1")
    )
    return first, second


_OPS = ("op0", "op1", "reverse_operands")
IMM = _scalars("in_dtype")
PTR = _scalars("in_dtype", pointer=True)
ARITH_IMM = _scalars(int(Dtype.FP32))
ARITH_PTR = _scalars(int(Dtype.FP32), pointer=True)


_transpose_check = Rule(
    "s3d3_transpose_check",
    (
        multiple_of_32_count_part(SRC, "has_transpose_src_element_count_m3d"),
        multiple_of_32_part("has_multiple_32_channels"),
    ),
    ("src_mem_pattern", "num_active_channels"),
    opcodes=frozenset((0x93,)),
)

RULES = numbered(
    "TS",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_tensor_scalar_opcode", 0x43, 0x53, 0x93)),
    ("V4a", ts.valid_ops_enumerators),
    ("V4b", ts.valid_ops_not_pool("op0")),
    ("V4c", ts.valid_ops_not_pool("op1")),
    ("V4d", changed(ts.valid_ops_bitvec, opcodes=frozenset((0x53,)))),
    ("V4e", changed(ts.valid_ops_arith, opcodes=frozenset((0x43, 0x93)))),
    ("V4f", ts.valid_ops_order),
    ("V5", ts.tensor_scalar_valid_types),
    ("V6", ts.tensor_scalar_immediates_check(*IMM)),
    ("V7", ts.tensor_scalar_shift_chk),
    ("V8", ts.tensor_scalar_tensor_chk(SRC, DST)),
    ("V9", ts.tensor_scalar_reverse_chk),
    ("V10", reserved_zero("s3d3_ts_reserved_zero", "reserved0")),
    ("V11", _transpose_check),
    ("V12", is_valid_dtype("in_dtype")),
    ("V13", is_valid_dtype("out_dtype", fp32r=True)),
    ("V14", changed(ts.is_valid_aluop, shadowed_by="TS-V4a")),
    ("V15", ts.has_zero_accum_cmd_field),
    ("V16", has_valid_active_channel_range),
    ("V17a", start_addr_active_channels(SRC, union_name="check_m3d_active_channels")),
    ("V17b", start_addr_active_channels(DST, union_name="check_m3d_active_channels")),
    ("V18a", changed(pattern_valid(SRC, union_name="mem3d_valid"), shadowed_by="TS-V8")),
    ("V18b", changed(pattern_valid(DST, union_name="mem3d_valid"), shadowed_by="TS-V8")),
    ("V19", indirect_quadrant_check_src3d(SRC)),
    ("V20", indirect_quadrant_check_src3d_dst3d(SRC, DST)),
)

PTR_RULES = numbered(
    "PTR",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_tensor_scalar_ptr_opcode", 0x44, 0x54)),
    ("V4a", ts.valid_ops_enumerators),
    ("V4b", ts.valid_ops_not_pool("op0")),
    ("V4c", ts.valid_ops_not_pool("op1")),
    ("V4d", changed(ts.valid_ops_bitvec, opcodes=frozenset((0x54,)))),
    ("V4e", changed(ts.valid_ops_arith, opcodes=frozenset((0x44,)))),
    ("V4f", ts.valid_ops_order),
    ("V5", ts.tensor_scalar_valid_types),
    ("V6", ts.tensor_scalar_ptr_immediates(*PTR)),
    ("V7", ts.tensor_scalar_ptr_imm_src),
    ("V8", ts.tensor_scalar_shift_chk),
    ("V9", ts.tensor_scalar_tensor_chk(SRC, DST)),
    ("V10", ts.tensor_scalar_reverse_chk),
    ("V11", reserved_zero("s3d3_ts_reserved_zero", "reserved0")),
    ("V12", ts.has_zero_accum_cmd_field),
    ("V13", is_valid_dtype("in_dtype")),
    ("V14", is_valid_dtype("out_dtype", fp32r=True)),
    ("V15a", changed(has_valid_active_channel_range, confidence="M")),
    ("V15b", start_addr_active_channels(SRC, union_name="check_m3d_active_channels", confidence="M")),
    ("V15c", start_addr_active_channels(DST, union_name="check_m3d_active_channels", confidence="M")),
    ("V15d", changed(pattern_valid(SRC, union_name="mem3d_valid", confidence="M"), shadowed_by="PTR-V9")),
    ("V15e", changed(pattern_valid(DST, union_name="mem3d_valid", confidence="M"), shadowed_by="PTR-V9")),
    ("V15f", indirect_quadrant_check_src3d(SRC, confidence="M")),
    ("V15g", indirect_quadrant_check_src3d_dst3d(SRC, DST, confidence="M")),
)


def check(record: np.void, binding: Binding, choices: Choices) -> None:
    """Counts of the transposed form that a waiver let pass."""
    if record["header"]["opcode"] == Opcode.TRANSPOSE_TENSOR_SCALAR_ARITH_OP:
        require_tiles(binding)


def execute_arith(op: Operation) -> None:
    """Apply op0 with the first scalar, then op1 with the second, in fp32 or in native integers."""
    # READ
    elements = op.read("src")
    scalars = [op.scalar(name) for name in ("imm0", "imm1")]
    if op.opcode == Opcode.TRANSPOSE_TENSOR_SCALAR_ARITH_OP:
        elements = transpose32(elements)
        scalars = [_scalar_lanes(op, s) for s in scalars]
    # COMPUTE
    integer = is_integer_band(op.code("op0")) or is_integer_band(op.code("op1"))
    result = _integer(op, elements, scalars) if integer else _fp32(op, elements, scalars)
    # WRITE
    op.write("dst", result)


def execute_bitvec(op: Operation) -> None:
    """Apply op0 with the first scalar, then op1 with the second, to the raw bits in 32-bit lanes."""
    # READ
    lanes = op.read("src").astype(np.uint32)
    scalars = [op.scalar(name).astype(np.uint32) for name in ("imm0", "imm1")]
    # COMPUTE
    dtype = op.dtype("src")
    result = two_ops(
        op,
        lanes,
        scalars,
        lambda code, a, b: alu_bits(code, a, b, op.choices),
        between=lambda middle: between_bit_ops(middle, op.code("op1"), dtype, op.choices),
    )
    # WRITE
    op.write("dst", result.astype(raw_type(op.dtype("dst"))))


def _scalar_lanes(op: Operation, scalar: Raw) -> Raw:
    """The transposed form's scalar per destination lane (`transpose-scalar-lane`)."""
    if len(scalar) == 1 or op.choices["transpose-scalar-lane"] == "destination-lane":
        return scalar
    count = op.place("src").elements
    return transpose32(np.broadcast_to(scalar, (op.lanes, count)))


def _fp32(op: Operation, elements: Raw, scalars: list[Raw]) -> Raw:
    source, target = op.dtype("src"), op.dtype("dst")
    if _moves_bits(op, source, target):
        return elements
    values = op.widen(elements, source)
    numbers = [s.view(np.float32) for s in scalars]
    result = chain(values, _links({name: op.code(name) for name in _OPS}, numbers))
    if result is None:
        result = two_ops(op, values, numbers, op.alu_f32)
    return op.narrow(result, target)


def _links(codes: Mapping[str, int], scalars: Sequence[Float32]) -> list[Link]:
    """What `two_ops` does, for codes that are not unary."""
    reverse = codes["reverse_operands"]
    links = [Link(codes["op0"], scalars[0], bool(reverse & 1)), Link(codes["op1"], scalars[1], bool(reverse & 2))]
    return links[:1] if links[1].op == AluOp.BYPASS and not reverse & 2 else links


def fuse_arith(record: np.void, binding: Binding) -> FusedChain | None:
    """Both steps with scalars out of the record, in fp32; not the transposed form."""
    inline = [binding.scalars[name].inline for name in ("imm0", "imm1")]
    if None in inline or record["header"]["opcode"] == Opcode.TRANSPOSE_TENSOR_SCALAR_ARITH_OP:
        return None
    numbers = [np.array(word, np.uint32).view(np.float32) for word in inline]
    ready = Chain.of(_links({name: code_of(record, name) for name in _OPS}, numbers))
    return None if ready is None else fused_chain(binding, "src", "dst", ready)


def _moves_bits(op: Operation, source: int, target: int) -> bool:
    """BYPASS with equal dtypes still goes through fp32 unless `bypass-equal-dtypes` says otherwise."""
    plain = op.code("op0") == AluOp.BYPASS and op.code("op1") == AluOp.BYPASS and not op.code("reverse_operands") & 1
    return plain and source == target and op.choices["bypass-equal-dtypes"] == "raw-bits"


def _integer(op: Operation, elements: Raw, scalars: list[Raw]) -> Raw:
    source, target = op.dtype("src"), op.dtype("dst")
    signed = elements.view(f"<i{elements.itemsize}") if source in SIGNED_INT else elements
    lanes = signed.astype(np.int64).astype(np.int32)  # UINT32 is taken bit for bit
    raw = op.choices["int-tensor-scalar-immediate"] == "raw-int32"
    integers = [s.view(np.int32) if raw else scalar_to_int32(s.view(np.float32)) for s in scalars]
    return two_ops(op, lanes, integers, alu_int).view(np.uint32).astype(raw_type(target))


def two_ops(
    op: Operation, values: Lanes, scalars: Sequence[Lanes], alu: Alu, between: Callable[[Lanes], Lanes] = lambda x: x
) -> Lanes:
    """(x op0 s0) op1 s1 with the operands swapped as `reverse_operands` says; op1 = BYPASS forwards the intermediate.

    between: what the intermediate becomes on its way to op1.
    """
    reverse = op.code("reverse_operands")
    first = stage(op, op.code("op0"), values, scalars[0], bool(reverse & 1), alu)
    if op.code("op1") == AluOp.BYPASS:
        if reverse & 2 and op.choices["ts-op1-bypass-reversed"] == "left-operand":
            return np.broadcast_to(scalars[1], first.shape)
        return first
    return stage(op, op.code("op1"), between(first), scalars[1], bool(reverse & 2), alu)


_INTEGER = frozenset(int(code) for code in ALU_OPS if is_integer_band(code))


def _integer_code_with(path: str) -> Unmodelled:
    def where(batch: Batch) -> Bools:
        return (batch.among("op0", _INTEGER) | batch.among("op1", _INTEGER)) & ~batch.among(path, INT6)

    def reason(batch: Batch, row: int) -> str:
        return f"an integer ALU code with {dtype_name(int(batch.column(path)[row]))} (int-tensor-scalar-dtypes)"

    return Unmodelled(where, reason, (("int-tensor-scalar-dtypes", "legal-not-modelled"),))


def _bypassed(batch: Batch) -> Bools:
    """BYPASS and BYPASS with equal dtypes, the element on the left."""
    bypass = (batch.column("op0") == AluOp.BYPASS) & (batch.column("op1") == AluOp.BYPASS)
    equal = batch.column("in_dtype") == batch.column("out_dtype")
    return np.asarray(bypass & equal & (batch.column("reverse_operands") & 1 == 0))


_ARITH_UNMODELLED = (
    *map(_integer_code_with, (SRC.dtype, DST.dtype)),
    *undefined_rsqrt("op0", "op1"),
    *unconvertible("in_dtype", "out_dtype", where=lambda batch: ~_bypassed(batch)),
    *unconvertible("in_dtype", where=_bypassed, under=(("bypass-equal-dtypes", "via-fp32"),)),
)


def _instruction(
    family: str, rules: tuple[Rule, ...], immediates: tuple[ImmediateOperand, ...], *opcodes: int
) -> Instruction:
    bitvec = immediates in (IMM, PTR)
    return Instruction(
        family=family,
        opcodes=opcodes,
        struct=S3D3_TS,
        rules=rules,
        tensors=(SRC, DST),
        immediates=immediates,
        execute=execute_bitvec if bitvec else execute_arith,
        fuse=None if bitvec else fuse_arith,
        lanewise=lambda record: record["header"]["opcode"] != Opcode.TRANSPOSE_TENSOR_SCALAR_ARITH_OP,
        paired=("src", "dst"),
        check=check,
        unmodelled=undefined_bits("op0", "op1") if bitvec else _ARITH_UNMODELLED,
        source="isa/03 section 4",
    )


INSTRUCTIONS = (
    _instruction(
        "tensor_scalar", RULES, ARITH_IMM, Opcode.TENSOR_SCALAR_ARITH_OP, Opcode.TRANSPOSE_TENSOR_SCALAR_ARITH_OP
    ),
    _instruction("tensor_scalar", RULES, IMM, Opcode.TENSOR_SCALAR_BITVEC_OP),
    _instruction("tensor_scalar_ptr", PTR_RULES, ARITH_PTR, Opcode.TENSOR_SCALAR_PTR_ARITH_OP),
    _instruction("tensor_scalar_ptr", PTR_RULES, PTR, Opcode.TENSOR_SCALAR_PTR_BITVEC_OP),
)
