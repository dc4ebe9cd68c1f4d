"""BATCH_NORM_AGGREGATE (0x62): merge triples [count, mean, spread] into the mean and the population variance.

No epsilon and no square root. Triples are merged in stream order; if no element is counted at all the result is NaN.
Source: isa/06 section 6.3 [outputs H; merge from the functional reference; dtype sets M; order of the rules L].
"""

from __future__ import annotations

import numpy as np

from ..isa.layout import S4D2_BN
from ..isa.opcodes import Opcode
from ..memory.address import shape_from_register
from ..numerics.moments import merge
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.fields import dtype_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import element_count, pattern_columns
from ..rules.patterns import element_count_in, pattern_valid
from ..rules.rule import Part, Rule, changed, numbered
from ..rules.search import s4d2_bn_zero_counts
from .batch_norm_stats import DST, REALS, SRC
from .bound import Binding
from .errors import ExecutionError
from .instruction import Instruction
from .operation import Operation

TRIPLE = 3


def _triples(batch: Batch) -> Bools:
    columns = pattern_columns(batch, SRC)
    count = element_count(columns)
    waived = shape_from_register(columns.first, batch.generation)
    return np.asarray(((count > 0) & (count % TRIPLE == 0)) | waived)


_src_count = Rule(
    "has_bnstats_agg_src_element_cnt",
    (Part(_triples, "src_mem_pattern.num_elem", "a positive multiple of 3 elements"),),
    ("src_mem_pattern",),
    named_by_us=True,
)
_reserved = reserved_zero("s4d2_bn_reserved_zero", "reserved0", "reserved1", named_by_us=True)

RULES = numbered(
    "BNA",
    ("P1", has_valid_neuron_header),
    ("P2", has_valid_neuron_events),
    ("P3", opcode_in("has_batch_norm_aggregate_opcode", 0x62, named_by_us=True)),
    ("V1", changed(_reserved, confidence="M")),
    ("V2", s4d2_bn_zero_counts),
    ("V3", _src_count),
    ("V4", element_count_in("batch_norm_aggregate_dst_element_cnt_2", DST, 2, 2)),
    ("V5", changed(dtype_in("s4d2_bn_agg_in_type", "in_dtype", REALS), confidence="M")),
    ("V6", changed(dtype_in("s4d2_bn_agg_out_type", "out_dtype", REALS), confidence="M")),
    ("V7", changed(has_valid_active_channel_range, confidence="M")),
    ("V8a", start_addr_active_channels(SRC, confidence="M")),
    ("V8b", start_addr_active_channels(DST, confidence="M")),
    ("V9a", pattern_valid(SRC, confidence="M")),
    ("V9b", pattern_valid(DST, confidence="M")),
)


def _whole_triples(record: np.void, binding: Binding, _: object) -> None:
    count = binding.tensors["src"].elements
    if count % TRIPLE:
        raise ExecutionError(f"src: {count} elements; expected a multiple of {TRIPLE}", operand="src")


def execute(op: Operation) -> None:
    """Merge all triples of each lane."""
    # READ
    values = op.widen(op.read("src"), op.dtype("src"), arithmetic=False)
    # COMPUTE
    counts, means, spreads = (values[:, k::TRIPLE] for k in range(TRIPLE))
    result = np.stack(merge(counts, means, spreads, op.choices), axis=1)
    # WRITE
    op.write("dst", op.narrow(result, op.dtype("dst")))


INSTRUCTION = Instruction(
    family="batch_norm_aggregate",
    opcodes=(Opcode.BATCH_NORM_AGGREGATE,),
    struct=S4D2_BN,
    rules=RULES,
    tensors=(SRC, DST),
    execute=execute,
    counts=(("dst", 2, 2),),
    check=_whole_triples,
    order_confidence="L",
    source="isa/06 section 6.3",
)
