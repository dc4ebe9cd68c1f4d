"""SPARSITY_COMPRESS (0xE0) and SPARSITY_COMPRESS_TAG (0xE1): the four extreme elements of each group and their places.

A winner's tag is its index inside the group; winners are written least extreme first. 0xE0 writes one struct
{data, tag} per winner, data in the low half. 0xE1 writes data and tags to two destinations, the tags packed if
`packed_tags` says so: four of 4 bits per UINT16, first winner lowest. A tag keeps the low bits that fit. NaN is the
least extreme of all. The codes are those of COMPRESS_OP, in which MIN and MAX stand opposite to the ALU's.
`transpose_src` transposes 32 x 32 tiles of the source first.
Source: isa/06 section 7.4 [layouts, rules, order of output H; order of the rules M; ties, NaN, sign of ABS winners,
overlong tags and the transposed geometry L].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..isa.codes import CompressOp
from ..isa.dtypes import Dtype, raw_type
from ..isa.generation import MARIANA, since
from ..isa.layout import S2D2D2_SC, S3D3_SC
from ..isa.opcodes import Opcode
from ..memory import address as ad
from ..memory.tiles import TILE, transpose32
from ..numerics.extremes import Winners, extremes
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range
from ..rules.dtypes import dtype_parts, is_valid_dtype
from ..rules.fields import among, field_in, reserved_zero
from ..rules.header import check_core_version, has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import TensorOperand, element_count, pattern_columns
from ..rules.patterns import count_waived
from ..rules.rule import Part, Rule, changed, numbered
from ..rules.sparsity import (
    WINNERS,
    compress_op,
    group_dims,
    reduce_dim_size_check,
    reduce_dst_num_elements,
    transpose_src_rule,
)
from .bound import Binding
from .errors import ExecutionError
from .instruction import Instruction
from .operation import Operation


def _operand(name: str, dtype: str, dims: int, *, write: bool = True) -> TensorOperand:
    """An operand of a list without pattern and start rules."""
    field = f"{name}_mem_pattern"
    return TensorOperand(name, field, dtype, write=write, dims=dims, pattern_rule=False, start_rule=False)


SRC, DST = _operand("src", "in_dtype", 3, write=False), _operand("dst", "out_struct_dtype", 3)
SRC2 = _operand("src", "in_dtype", 2, write=False)
DATA, TAG = _operand("data_dst", "out_data_dtype", 2), _operand("tag_dst", "out_tag_dtype", 2)

_FP8 = (Dtype.FP8_EXP3, Dtype.FP8_EXP4, Dtype.FP8_EXP5)
_HALVES = (Dtype.BFLOAT16, Dtype.FP16)
_TAGS = (Dtype.UINT8, Dtype.UINT16, Dtype.UINT32)
_TAG_BITS, _TAGS_PER_WORD = 4, 4


def _struct_fits(batch: Batch) -> Bools:
    small = batch.among("out_data_dtype", frozenset(map(int, _FP8)))
    wanted = np.where(small, Dtype.UINT16, Dtype.UINT32)
    return np.asarray(batch.column("out_struct_dtype") == wanted)


_struct_dtypes = Rule(
    "is_valid_sparsity_compress_dtypes",
    (
        Part(among("out_data_dtype", _FP8 + _HALVES), "out_data_dtype", "an FP8 dtype, BFLOAT16 or FP16"),
        Part(_struct_fits, "out_struct_dtype", "UINT16 for FP8 data, UINT32 for BFLOAT16 and FP16"),
    ),
    ("out_data_dtype", "out_struct_dtype"),
)


def _packed(batch: Batch) -> Bools:
    return np.asarray(batch.column("packed_tags") == 1)


def _tag_dtype(batch: Batch) -> Bools:
    unpacked = batch.among("out_tag_dtype", frozenset(map(int, _TAGS)))
    return np.where(_packed(batch), batch.column("out_tag_dtype") == Dtype.UINT16, unpacked)


def _tag_count(batch: Batch) -> Bools:
    data, tag = pattern_columns(batch, DATA), pattern_columns(batch, TAG)
    wanted = np.where(_packed(batch), element_count(data) // _TAGS_PER_WORD, element_count(data))
    return np.asarray((element_count(tag) == wanted) | count_waived(batch, data, tag))


_tag_dtypes = Rule(
    "sparsity_compress_tag_dtypes",
    (
        *dtype_parts("out_data_dtype", "fp32r"),
        Part(among("packed_tags", (0, 1)), "packed_tags", "0 or 1"),
        Part(_tag_dtype, "out_tag_dtype", "UINT8, UINT16 or UINT32; UINT16 for packed tags"),
        Part(_tag_count, "tag_dst_mem_pattern.num_elem", "one tag per winner, or four packed into each element"),
    ),
    ("out_data_dtype", "out_tag_dtype", "packed_tags", "data_dst_mem_pattern", "tag_dst_mem_pattern"),
    named_by_us=True,
)


def _tag_in_sbuf(batch: Batch) -> Bools:
    word = pattern_columns(batch, TAG).first
    return np.asarray(ad.addr_from_register(word) | ad.in_sbuf(ad.address_of(word), batch.generation))


def _one_quadrant(batch: Batch) -> Bools:
    data, tag = (pattern_columns(batch, operand).first for operand in (DATA, TAG))
    same = ad.addresses_in_same_sbuf_quadrant(ad.address_of(data), ad.address_of(tag), batch.generation)
    return np.asarray(same | ad.addr_from_register(data) | ad.addr_from_register(tag))


_tag_placement = Rule(
    "sparsity_compress_tag_dst_placement",
    (
        Part(_tag_in_sbuf, "tag_dst_mem_pattern.start_addr", "an address in SBUF"),
        Part(_one_quadrant, "data_dst_mem_pattern.start_addr", "in the SBUF quadrant of tag_dst_mem_pattern"),
    ),
    ("tag_dst_mem_pattern", "data_dst_mem_pattern"),
    named_by_us=True,
)


def _rules(
    prefix: str, name: str, layout: str, opcode: int, src: TensorOperand, dst: TensorOperand, op_dim: Rule, *own: Rule
) -> tuple[Rule, ...]:
    """The list both forms share, then the own rules of one."""
    rules = numbered(
        prefix,
        ("P1", has_valid_neuron_header),
        ("P2", has_valid_neuron_events),
        ("P3", opcode_in(f"has_{name}_opcode", opcode, named_by_us=True)),
        ("V1", check_core_version),
        ("V2", reserved_zero(f"{layout}_reserved_zero", "reserved0", "reserved1", "reserved2", named_by_us=True)),
        ("V3", is_valid_dtype("in_dtype")),
        ("V4", compress_op),
        ("V5", op_dim),
        ("V6", reduce_dim_size_check(src)),
        ("V7", reduce_dst_num_elements(src, dst)),
        ("V8", has_valid_active_channel_range),
        ("V9", transpose_src_rule(src)),
        *((f"V{10 + k}", rule) for k, rule in enumerate(own)),
    )
    return tuple(changed(rule, generations=since(MARIANA)) for rule in rules)


RULES = _rules(
    "SC", "sparsity_compress", "s3d3_sc", 0xE0, SRC, DST,
    field_in("sparsity_compress_op_dim", "op_dim", (2, 3, 4, 5), "2 (X) to 5 (XYZW)", named_by_us=True),
    _struct_dtypes,
)  # fmt: skip
TAG_RULES = _rules(
    "SCT", "sparsity_compress_tag", "s2d2d2_sc", 0xE1, SRC2, DATA,
    field_in("sparsity_compress_tag_op_dim", "op_dim", (2, 3), "2 (X) or 3 (XY)", named_by_us=True),
    _tag_dtypes, _tag_placement,
)  # fmt: skip


def _group(record: np.void, dims: int) -> int:
    """Elements per group."""
    counts = record["src_mem_pattern"]["num_elem"][: group_dims(int(record["op_dim"]), dims)]
    return int(np.prod(counts, dtype=np.int64))


def _check(record: np.void, binding: Binding, _: object) -> None:
    """Raise ExecutionError where waived or wrapped counts do not fit together."""
    names = record.dtype.names or ()
    elements = {name: tensor.elements for name, tensor in binding.tensors.items()}
    group = _group(record, 2 if "data_dst_mem_pattern" in names else 3)
    winners = elements["src"] // group * WINNERS
    wanted = {"dst": winners, "data_dst": winners, "tag_dst": winners}
    if "packed_tags" in names and record["packed_tags"]:
        wanted["tag_dst"] //= _TAGS_PER_WORD
    if group < WINNERS or (record["transpose_src"] and elements["src"] % TILE):
        raise ExecutionError(f"src: {elements['src']} elements in groups of {group}", operand="src")
    for name, count in elements.items():
        if name != "src" and count != wanted[name]:
            raise ExecutionError(f"{name}: {count} elements; expected {wanted[name]}", operand=name)


def execute(op: Operation) -> None:
    """Write one struct of data and tag per winner."""
    # READ, COMPUTE
    winners = _winners(op, 3)
    data = op.narrow(winners.values, op.code("out_data_dtype"))
    half = np.uint32(8 * data.itemsize)
    tags = winners.tags & ((np.uint32(1) << half) - np.uint32(1))
    structs = tags << half | data.astype(np.uint32)
    # WRITE
    op.write("dst", structs.astype(raw_type(op.dtype("dst"))))


def execute_tag(op: Operation) -> None:
    """Write data and tags of the winners to their own destinations."""
    # READ, COMPUTE
    winners = _winners(op, 2)
    data = op.narrow(winners.values, op.dtype("data_dst"))
    tags = pack(winners.tags) if op.code("packed_tags") else winners.tags
    # WRITE
    op.write_all({"data_dst": data, "tag_dst": tags.astype(raw_type(op.dtype("tag_dst")))})


def pack(tags: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Four tags of four bits each per word, the first in the lowest bits: (lanes, 4 n) to (lanes, n)."""
    nibbles = (tags & np.uint32(0xF)).reshape(len(tags), tags.shape[1] // _TAGS_PER_WORD, _TAGS_PER_WORD)
    shifts = np.arange(_TAGS_PER_WORD, dtype=np.uint32) * np.uint32(_TAG_BITS)
    packed: npt.NDArray[np.uint32] = np.bitwise_or.reduce(nibbles << shifts, axis=-1)
    return packed


def _winners(op: Operation, dims: int) -> Winners:
    """The winners of all groups of each lane, group after group: (lanes, 4 groups)."""
    elements = op.read("src")
    if op.code("transpose_src"):
        elements = transpose32(elements)
    values = op.widen(elements, op.dtype("src"), arithmetic=False)
    group = _group(op.record, dims)
    groups = values.reshape(op.lanes, values.shape[1] // group, group)
    found = extremes(CompressOp(op.code("op")), groups, WINNERS, op.choices)
    count = groups.shape[1] * WINNERS
    return Winners(found.values.reshape(op.lanes, count), found.tags.reshape(op.lanes, count))


INSTRUCTIONS = (
    Instruction(
        family="sparsity_compress",
        opcodes=(Opcode.SPARSITY_COMPRESS,),
        struct=S3D3_SC,
        rules=RULES,
        tensors=(SRC, DST),
        execute=execute,
        converts=True,
        check=_check,
        order_confidence="M",
        source="isa/06 section 7.4",
    ),
    Instruction(
        family="sparsity_compress_tag",
        opcodes=(Opcode.SPARSITY_COMPRESS_TAG,),
        struct=S2D2D2_SC,
        rules=TAG_RULES,
        tensors=(SRC2, DATA, TAG),
        execute=execute_tag,
        converts=True,
        check=_check,
        order_confidence="M",
        source="isa/06 section 7.4",
    ),
)
