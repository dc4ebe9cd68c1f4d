"""TENSOR_SCALAR_IMM_LD (0x70, 0x71) and TENSOR_SCALAR_PTR_MULTI (0x4F, 0x5F): a scalar of its own for every slice.

Device workers only log, so by default a run refuses these records (`stub-opcodes`). As documented: the load keeps up to
eight scalars per lane (0x70 as fp32, 0x71 as raw bits); the operation combines slice i of the outermost dimension with
scalar i, dst[i, ...] = src[i, ...] op scalar[i], or scalar[i] op src[i, ...] with both operands reversed. As many
scalars must have been loaded as there are slices. Source: isa/06 section 5.12 [rules and loop H; order of the rules L].
"""

from __future__ import annotations

import numpy as np

from ..isa.aluops import IS_BITVEC, IS_GENERAL_ARITH, AluOp, present
from ..isa.codes import ReverseOps, TensorSubdim
from ..isa.dtypes import Dtype, raw_type
from ..isa.layout import S2_BN, S4D4_TSM
from ..isa.opcodes import Opcode
from ..memory.access import Raw
from ..memory.address import shape_from_register
from ..numerics.alu import alu_bits
from ..rules.batch import Batch, Bools
from ..rules.dtypes import dtype_parts
from ..rules.fields import among, field_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import TensorOperand, element_count, pattern_columns
from ..rules.patterns import pattern_valid, same_element_count
from ..rules.rule import Part, Rule, changed, numbered
from ..rules.search import has_s2_bn_zero_immediates
from .bound import Binding
from .errors import ExecutionError
from .instruction import Instruction
from .operation import Operation
from .unmodelled import Unmodelled, every, undefined_bits

SCALARS = TensorOperand("src", "src_mem_pattern", "dtype", dims=2, pattern_rule=False, start_rule=False)
SRC = TensorOperand("src", "src_mem_pattern", "in_dtype", dims=4, start_rule=False)
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, dims=4, start_rule=False)

MOST = 8
NOT_WIRED = Unmodelled(
    every, "not wired: the device's worker only logs (stub-opcodes)", (("stub-opcodes", "not-wired"),)
)
_RAW = (Dtype.UINT8, Dtype.UINT16, Dtype.UINT32, Dtype.INT32)
_RAW_CODES = frozenset(map(int, _RAW))
_RAW_NAMES = "UINT8, UINT16, UINT32 or INT32"
_ARITH, _BITVEC = present(IS_GENERAL_ARITH), present(IS_BITVEC)
_NEVER = (AluOp.DIVIDE, AluOp.POW, AluOp.MOD)
_BITVEC_OPCODES = frozenset(map(int, (Opcode.TENSOR_SCALAR_IMM_LD_BITVEC, Opcode.TENSOR_SCALAR_PTR_MULTI_BITVEC)))


def _is_bitvec(batch: Batch) -> Bools:
    return batch.among("header.opcode", _BITVEC_OPCODES)


def _of_bitvec(part: Part) -> Part:
    """The part, asked of bit-vector records only."""
    return Part(lambda batch: ~_is_bitvec(batch) | part.holds(batch), part.field, part.expected, part.leaf)


def _of_arith(part: Part) -> Part:
    return Part(
        lambda batch: _is_bitvec(batch) | part.holds(batch), part.field, part.expected, part.leaf, part.generations
    )


def _few(batch: Batch) -> Bools:
    columns = pattern_columns(batch, SCALARS)
    count = element_count(columns)
    return np.asarray(((count >= 1) & (count <= MOST)) | shape_from_register(columns.first, batch.generation))


def _few_slices(batch: Batch) -> Bools:
    columns = pattern_columns(batch, SRC)
    slices = columns.num[:, 3]
    return np.asarray(((slices >= 1) & (slices <= MOST)) | shape_from_register(columns.first, batch.generation))


def _op(batch: Batch) -> Bools:
    allowed = np.where(_is_bitvec(batch), batch.among("op", _BITVEC), batch.among("op", _ARITH))
    return allowed & ~batch.among("op", frozenset(map(int, _NEVER)))


_load_dtypes = Rule(
    "tsm_immld_dtypes",
    (
        *(_of_arith(part) for part in dtype_parts("dtype")),
        _of_bitvec(Part(among("dtype", _RAW_CODES), "dtype", _RAW_NAMES)),
    ),
    ("dtype",),
)
_dtypes = Rule(
    "tensor_scalar_ptr_multi_dtypes",
    (
        *(_of_arith(part) for part in (*dtype_parts("in_dtype"), *dtype_parts("out_dtype", "fp32r"))),
        _of_bitvec(Part(among("in_dtype", _RAW_CODES), "in_dtype", _RAW_NAMES)),
        _of_bitvec(
            Part(lambda b: np.asarray(b.column("in_dtype") == b.column("out_dtype")), "out_dtype", "equal to in_dtype")
        ),
    ),
    ("in_dtype", "out_dtype"),
    named_by_us=True,
)

LOAD_RULES = numbered(
    "IML",
    ("P1", has_valid_neuron_header),
    ("P2", has_valid_neuron_events),
    ("P3", opcode_in("has_tensor_scalar_imm_ld_opcode", 0x70, 0x71, named_by_us=True)),
    (
        "V1",
        reserved_zero("s2_bn_reserved_zero", "reserved0", "reserved1", "reserved2", "reserved3", named_by_us=True),
    ),
    (
        "V2",
        Rule(
            "tensor_scalar_imm_ld_src_element_cnt",
            (Part(_few, "src_mem_pattern.num_elem", f"1 to {MOST} elements"),),
            ("src_mem_pattern",),
            named_by_us=True,
        ),
    ),
    ("V3", has_s2_bn_zero_immediates),
    ("V4", _load_dtypes),
)

RULES = numbered(
    "PM",
    ("P1", has_valid_neuron_header),
    ("P2", has_valid_neuron_events),
    ("P3", opcode_in("has_tensor_scalar_ptr_multi_opcode", 0x4F, 0x5F, named_by_us=True)),
    ("V1", field_in("is_valid_tsm_subdim", "op_dim", (TensorSubdim.XYZ,), "4 (XYZ)")),
    (
        "V2",
        field_in(
            "tensor_scalar_ptr_multi_reverse_chk",
            "reverse_operands",
            (ReverseOps.NONE, ReverseOps.BOTH),
            "0 (NONE) or 3 (BOTH)",
        ),
    ),
    (
        "V3",
        Rule(
            "has_valid_src_slices_tsm_singular",
            (Part(_few_slices, "src_mem_pattern.num_elem", f"1 to {MOST} in the outermost dimension"),),
            ("src_mem_pattern.num_elem",),
        ),
    ),
    (
        "V4",
        Rule(
            "tensor_scalar_ptr_multi_op",
            (Part(_op, "op", "a general arithmetic ALU code for 0x4F, a bit-vector one for 0x5F"),),
            ("op",),
            named_by_us=True,
        ),
    ),
    ("V5", _dtypes),
    ("V6", changed(same_element_count("same_element_count_t4d", SRC, DST), named_by_us=True)),
    ("V7a", pattern_valid(SRC)),
    ("V7b", pattern_valid(DST)),
)


def _slices(record: np.void, _: Binding, __: object) -> None:
    """Raise ExecutionError where a waived rule let more slices through than there are scalars."""
    slices = int(record["src_mem_pattern"]["num_elem"][3])
    if slices > MOST:
        raise ExecutionError(f"src: {slices} slices; expected 1 to {MOST}", operand="src")


def execute_load(op: Operation) -> None:
    """Keep the scalars of each lane."""
    # READ
    raw = op.read("src")
    # COMPUTE
    if op.opcode == Opcode.TENSOR_SCALAR_IMM_LD_BITVEC:
        words = raw.astype(np.uint32)
    else:
        words = np.ascontiguousarray(op.widen(raw, op.dtype("src"), arithmetic=False)).view(np.uint32)
    # WRITE
    op.state.banks["scalar_registers"][: op.lanes, : words.shape[1]] = words
    op.state.banks["scalar_count"][: op.lanes] = words.shape[1]


def execute(op: Operation) -> None:
    """Combine each slice with its scalar."""
    # READ
    slices = int(op.record["src_mem_pattern"]["num_elem"][3])
    loaded = op.state.banks["scalar_count"][: op.lanes]
    if (loaded != slices).any():
        lane = int(np.argmax(loaded != slices))
        raise ExecutionError(f"{slices} slices, but {int(loaded[lane])} scalars were loaded", operand="src", lane=lane)
    stream = op.read("src")
    shaped = stream.reshape(op.lanes, slices, stream.shape[1] // slices)
    scalars = op.state.banks["scalar_registers"][: op.lanes, :slices, None]  # (lanes, slices, 1)
    # COMPUTE
    bitvec = op.opcode == Opcode.TENSOR_SCALAR_PTR_MULTI_BITVEC
    result = _bits(op, shaped, scalars) if bitvec else _fp32(op, shaped, scalars)
    # WRITE
    op.write("dst", np.broadcast_to(result, shaped.shape).reshape(stream.shape))


def _fp32(op: Operation, stream: Raw, scalars: np.ndarray) -> Raw:
    values = op.widen(stream, op.dtype("src"))
    a, b = values, np.ascontiguousarray(scalars).view(np.float32)
    if op.code("reverse_operands") == ReverseOps.BOTH:
        a, b = b, a
    return op.narrow(op.alu_f32(op.code("op"), a, b), op.dtype("dst"))


def _bits(op: Operation, stream: Raw, scalars: np.ndarray) -> Raw:
    a, b = stream.astype(np.uint32), np.ascontiguousarray(scalars).astype(np.uint32)
    if op.code("reverse_operands") == ReverseOps.BOTH:
        a, b = b, a
    return alu_bits(op.code("op"), a, b, op.choices, dtype=op.dtype("src")).astype(raw_type(op.dtype("dst")))


def _multi(opcode: int, *unmodelled: Unmodelled) -> Instruction:
    return Instruction(
        family="tensor_scalar_ptr_multi",
        opcodes=(opcode,),
        struct=S4D4_TSM,
        rules=RULES,
        tensors=(SRC, DST),
        execute=execute,
        paired=("src", "dst"),
        check=_slices,
        unmodelled=(NOT_WIRED, *unmodelled),
        order_confidence="L",
        source="isa/06 section 5.12",
    )


INSTRUCTIONS = (
    Instruction(
        family="tensor_scalar_imm_ld",
        opcodes=(Opcode.TENSOR_SCALAR_IMM_LD_ARITH, Opcode.TENSOR_SCALAR_IMM_LD_BITVEC),
        struct=S2_BN,
        rules=LOAD_RULES,
        tensors=(SCALARS,),
        execute=execute_load,
        counts=(("src", 1, MOST),),
        unmodelled=(NOT_WIRED,),
        order_confidence="L",
        source="isa/06 section 5.12",
    ),
    _multi(Opcode.TENSOR_SCALAR_PTR_MULTI_ARITH),
    _multi(Opcode.TENSOR_SCALAR_PTR_MULTI_BITVEC, *undefined_bits("op")),
)
