"""DROPOUT (0x7F): zero elements at random.

Every element draws a 32-bit word, which becomes a number in [0, 1) and is compared with the lane's threshold in fp32.
DROP_RATE zeroes where the draw is below it, KEEP_RATE keeps where the draw is below it; survivors keep their bits,
nothing is scaled. No draw is below a NaN: DROP_RATE keeps all, KEEP_RATE zeroes all.
Source: isa/04 section 10 [contents of the rules H, order M; generator L].
"""

from __future__ import annotations

import numpy as np

from ..isa.codes import DropoutThresholdType, ImmSrc
from ..isa.dtypes import FP_DATAPATH, INT6, Dtype
from ..isa.layout import S3D3_DROPOUT
from ..isa.opcodes import Opcode
from ..memory.access import Selection, blend
from ..numerics.alu_fp32 import inputs
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import enum_in, equal_fields, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.immediates import has_valid_immediates
from ..rules.operands import ImmediateOperand, TensorOperand
from ..rules.patterns import pattern_valid, same_element_count
from ..rules.rule import Part, Rule, changed, numbered
from .draws import draw
from .instruction import Instruction
from .operation import Float32, Operation, Words

SRC = TensorOperand("src", "src_mem_pattern", "in_dtype")
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True)
THRESHOLD = ImmediateOperand("threshold", "threshold", "threshold_src", "threshold_dtype", zero_means=int(Dtype.FP32))

_FP32 = frozenset((0, int(Dtype.FP32)))


def _threshold_dtype(batch: Batch) -> Bools:
    """FP32 (or 0); behind a pointer and beside float elements any float dtype."""
    free = (batch.column("threshold_src") != ImmSrc.INSTRUCTION_IMMEDIATE) & ~batch.among("in_dtype", INT6)
    return np.asarray(batch.among("threshold_dtype", _FP32) | (free & batch.among("threshold_dtype", FP_DATAPATH)))


_threshold_dtype_check = Rule(
    "s3d3_dropout_threshold_dtype_check",
    (
        Part(
            _threshold_dtype,
            "threshold_dtype",
            "FP32 (or 0); another float dtype only behind a pointer and with float elements",
        ),
    ),
    ("threshold_dtype", "threshold_src", "in_dtype"),
)

RULES = numbered(
    "DO",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_dropout_opcode", 0x7F, named_by_us=True)),
    ("V4", reserved_zero("s3d3_dropout_reserved_zero", "reserved0", "reserved1", named_by_us=True)),
    ("V5", is_valid_dtype("in_dtype")),
    ("V6", is_valid_dtype("out_dtype", fp32r=True)),
    ("V7", equal_fields("s3d3_dropout_same_src_dst_type", "in_dtype", "out_dtype")),
    ("V8", same_element_count("s3d3_dropout_src_dst_count_check", SRC, DST)),
    ("V9", has_valid_active_channel_range),
    ("V10a", start_addr_active_channels(SRC)),
    ("V10b", start_addr_active_channels(DST)),
    ("V10c", pattern_valid(SRC)),
    ("V10d", pattern_valid(DST)),
    ("V11", changed(enum_in("dropout_threshold_type", "threshold_type", "DROPOUT_THRESHOLD_TYPE"), named_by_us=True)),
    ("V12", changed(has_valid_immediates(THRESHOLD, "dropout_threshold_immediate"), named_by_us=True)),
    ("V13", _threshold_dtype_check),
)


def execute(op: Operation) -> None:
    """Keep or zero every element by a draw of its own."""
    # READ
    elements = op.read("src")
    threshold = op.widen(op.scalar("threshold"), op.scalar_dtype("threshold"))
    words = draw(op, elements.shape[1])
    # COMPUTE
    keep = _keep(op, _unit_interval(op, words), threshold)
    # WRITE
    op.write("dst", blend(keep, elements, elements.dtype.type(0)))


def _unit_interval(op: Operation, words: Words) -> Float32:
    """The words as fp32 numbers; `scaled-convert` rounds the largest up to 1.0."""
    if op.choices["dropout-draw-map"] == "scaled-convert":
        scaled: Float32 = words.astype(np.float32) * np.float32(2.0**-32)
        return scaled
    filled = words >> np.uint32(9) | np.uint32(0x3F80_0000)  # in [1, 2)
    unit: Float32 = filled.view(np.float32) - np.float32(1)
    return unit


def _keep(op: Operation, draws: Float32, threshold: Float32) -> Selection:
    """Which elements survive; `dropout-tie` decides a draw equal to the threshold, and every draw beside a NaN."""
    draws, threshold = inputs(op.choices, draws, threshold)
    below, above = draws < threshold, draws > threshold
    drop_rate = op.code("threshold_type") == DropoutThresholdType.DROP_RATE
    undecided = ~(below | above)
    rule = op.choices["dropout-tie"] if undecided.any() else "rate-rule"
    kept = above if drop_rate else below
    if rule == "keep-both" or (rule == "rate-rule" and drop_rate):
        return np.asarray(kept | undecided)
    return np.asarray(kept)


INSTRUCTION = Instruction(
    family="dropout",
    opcodes=(Opcode.DROPOUT,),
    struct=S3D3_DROPOUT,
    rules=RULES,
    tensors=(SRC, DST),
    immediates=(THRESHOLD,),
    execute=execute,
    paired=("src", "dst"),
    order_confidence="M",
    source="isa/04 section 10",
)
