"""MATCH_VALUE_LOAD (0x6D), FIND_INDEX8 (0x6E), MATCH_REPLACE8 (0x6F): search a stream for eight keys per lane.

0x6D loads the keys in reversed order and arms them. 0x6E and 0x6F walk their source once: an element equal (in fp32)
to a key that nothing has matched since it was loaded is taken by the lowest such key, which then matches nothing more.
0x6E stores the keys' positions in the stream, all ones where there is none; 0x6F copies the stream with the taken
elements replaced and leaves the positions in the index registers for DVE_READ_INDICES.
Source: isa/04 section 8, isa/06 section 5.10 [contents of the rules H, order M].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..isa.dtypes import Dtype, raw_type
from ..isa.layout import S2_BN, S4D2_BN, S4D4_MR
from ..isa.opcodes import CATALOG, Opcode
from ..memory.access import blend
from ..numerics.search import MISS, SLOTS, match_keys
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import among, dtype_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import TensorOperand
from ..rules.patterns import element_count_in, pattern_valid, same_element_count
from ..rules.rule import Part, Rule, changed, numbered
from ..rules.search import MOST_ELEMENTS, has_s2_bn_zero_immediates, s4d2_bn_zero_counts
from .instruction import Instruction
from .operation import Operation, Words

KEYS = TensorOperand("src", "src_mem_pattern", "dtype", dims=2)
SRC = TensorOperand("src", "src_mem_pattern", "in_dtype", dims=4)
FOUND = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, dims=2)
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, dims=4)

_REPLACEABLE = frozenset(
    (Dtype.FP16, Dtype.BFLOAT16, Dtype.UINT8, Dtype.UINT16, Dtype.UINT32, Dtype.FP32, Dtype.INT32)
)  # fmt: skip
_NAMES = "one of FP16, BFLOAT16, UINT8, UINT16, UINT32, FP32, INT32"
_replace_dtypes = Rule(
    "match_replace_dtypes",
    tuple(Part(among(path, _REPLACEABLE), path, _NAMES) for path in ("in_dtype", "out_dtype")),
    ("in_dtype", "out_dtype"),
)

LOAD_RULES = numbered(
    "MVL",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_match_value_load_opcode", 0x6D, named_by_us=True)),
    ("V4", reserved_zero("s2_bn_reserved_zero", *(f"reserved{i}" for i in range(4)), named_by_us=True)),
    ("V5", is_valid_dtype("dtype")),
    ("V6", has_valid_active_channel_range),
    ("V7", start_addr_active_channels(KEYS)),
    ("V8", pattern_valid(KEYS)),
    ("V9", element_count_in("match_value_load_src_element_cnt_8", KEYS, SLOTS, SLOTS)),
    ("V10", has_s2_bn_zero_immediates),
)

FIND_RULES = numbered(
    "FI8",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_find_index8_opcode", 0x6E, named_by_us=True)),
    ("V4", reserved_zero("s4d2_bn_reserved_zero", "reserved0", "reserved1", named_by_us=True)),
    ("V5", is_valid_dtype("in_dtype")),
    ("V6", is_valid_dtype("out_dtype", fp32r=True)),
    ("V6a", dtype_in("has_find_index8_dst_type", "out_dtype", (Dtype.UINT16, Dtype.UINT32))),
    ("V7", has_valid_active_channel_range),
    ("V8a", start_addr_active_channels(SRC)),
    ("V8b", start_addr_active_channels(FOUND)),
    ("V9a", pattern_valid(SRC)),
    ("V9b", pattern_valid(FOUND)),
    ("V10", element_count_in("find_index8_src_element_cnt", SRC, SLOTS, MOST_ELEMENTS)),
    ("V11", element_count_in("find_index8_dst_element_cnt_8", FOUND, SLOTS, SLOTS)),
    ("V12", s4d2_bn_zero_counts),
)

REPLACE_RULES = numbered(
    "MR",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_match_replace8_opcode", 0x6F, named_by_us=True)),
    ("V4", reserved_zero("d4_mr_reserved_zero", "reserved0")),
    ("V5a", is_valid_dtype("in_dtype")),
    ("V5b", is_valid_dtype("out_dtype", fp32r=True)),
    ("V6", _replace_dtypes),
    ("V7", has_valid_active_channel_range),
    ("V8a", start_addr_active_channels(SRC)),
    ("V8b", start_addr_active_channels(DST)),
    ("V8c", pattern_valid(SRC)),
    ("V8d", pattern_valid(DST)),
    ("V9", element_count_in("match_replace8_src_element_cnt", SRC, 0, MOST_ELEMENTS)),
    ("V10", changed(same_element_count("same_element_count_t4d", SRC, DST), named_by_us=True)),
)


def execute_load(op: Operation) -> None:
    """Element k of the stream becomes key 7 - k; all keys are armed."""
    # READ
    values = op.widen(op.read("src"), op.dtype("src"), arithmetic=False)
    # WRITE
    op.state.banks["match_values"][: op.lanes] = np.ascontiguousarray(values).view(np.uint32)[:, ::-1]
    op.state.banks["match_flags"][: op.lanes] = 0


def execute_find(op: Operation) -> None:
    """Store the position of each key's match."""
    # READ, COMPUTE
    found, matched = _search(op)
    # WRITE
    op.write("dst", found.astype(raw_type(op.dtype("dst"))))  # the low half of all ones is all ones
    op.state.banks["match_flags"][: op.lanes] = matched
    readable = CATALOG[Opcode.DVE_READ_INDICES].is_member(op.generation)
    if readable and op.choices["find-index-feeds-read-indices"] == "find-and-replace":
        op.state.banks["index_registers"][: op.lanes] = found


def execute_replace(op: Operation) -> None:
    """Copy the stream with the matched elements replaced; leave the positions in the index registers."""
    # READ
    stream = op.read("src")
    found, matched = _search(op)
    # COMPUTE
    source, target = op.dtype("src"), op.dtype("dst")
    taken = np.zeros(stream.shape, np.bool_)
    lanes, slots = np.nonzero(found != MISS)
    taken[lanes, found[lanes, slots]] = True
    replacement = op.narrow(np.atleast_2d(op.record["immediate"]).view(np.float32), target)
    result = blend(taken, replacement, op.convert(stream, source, target))
    # WRITE
    op.write("dst", result)
    op.state.banks["match_flags"][: op.lanes] = matched
    op.state.banks["index_registers"][: op.lanes] = found


def _search(op: Operation) -> tuple[Words, npt.NDArray[np.bool_]]:
    """The position of every key's match in this stream, or all ones; and which keys are matched by now: (lanes, 8)."""
    values = op.widen(op.read("src"), op.dtype("src"), arithmetic=False)
    keys = op.state.banks["match_values"][: op.lanes].view(np.float32)
    matched = op.state.banks["match_flags"][: op.lanes] != 0
    if matched.any() and op.choices["match-flags-lifetime"] == "per-instruction":
        matched = np.zeros_like(matched)
    found = match_keys(values, keys, ~matched, op.choices)
    return found, matched | (found != MISS)


INSTRUCTIONS = (
    Instruction(
        family="match_value_load",
        opcodes=(Opcode.MATCH_VALUE_LOAD,),
        struct=S2_BN,
        rules=LOAD_RULES,
        tensors=(KEYS,),
        execute=execute_load,
        converts=True,
        counts=(("src", SLOTS, SLOTS),),
        order_confidence="M",
        source="isa/06 section 5.10",
    ),
    Instruction(
        family="find_index8",
        opcodes=(Opcode.FIND_INDEX8,),
        struct=S4D2_BN,
        rules=FIND_RULES,
        tensors=(SRC, FOUND),
        execute=execute_find,
        converts=True,
        counts=(("src", SLOTS, MOST_ELEMENTS), ("dst", SLOTS, SLOTS)),
        order_confidence="M",
        source="isa/06 section 5.10",
    ),
    Instruction(
        family="match_replace8",
        opcodes=(Opcode.MATCH_REPLACE8,),
        struct=S4D4_MR,
        rules=REPLACE_RULES,
        tensors=(SRC, DST),
        execute=execute_replace,
        paired=("src", "dst"),
        counts=(("src", 1, MOST_ELEMENTS),),
        order_confidence="M",
        source="isa/04 section 8",
    ),
)
