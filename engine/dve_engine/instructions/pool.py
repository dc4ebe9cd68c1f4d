"""POOL (0x45) and MAX_POOL_SELECT (0x58): maximum, average or position of the maximum of each window.

The source's walk delivers the windows one after the other; pool_dim names the dimensions inside a window. All in
fp32: the maximum starts with the first element, the average is the sequential sum times pool_scale, without a
division (`pool-scale-order`). 0x58 writes the position of the maximum in its window, the first one where several are
equal. Source: isa/05 section 12 [H rules; destination count, start value and ties M].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..isa.aluops import AluOp
from ..isa.assumptions import Choices
from ..isa.codes import PoolType
from ..isa.dtypes import SIZE_BYTES, Dtype, dtype_name, raw_type
from ..isa.layout import S4D4_PL
from ..isa.opcodes import Opcode
from ..memory.access import Raw
from ..numerics.fold import fold
from ..numerics.pooling import position_of_maximum
from ..rules.batch import Batch, Bools
from ..rules.channels import check_active_channels, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import among, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import TensorOperand
from ..rules.patterns import pattern_valid
from ..rules.rule import Part, Rule, changed, numbered
from ..rules.s4d4_tr import inside_group, is_valid_subdim
from .bound import Binding
from .groups import group_size, grouped, require_one_per_group
from .instruction import Instruction
from .operation import Float32, Operation
from .unmodelled import Unmodelled, every

SRC = TensorOperand("src", "src_mem_pattern", "in_dtype", dims=4)
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, dims=4)
ONE = 0x3F80_0000  # 1.0
_POSITIONS = (Dtype.UINT8, Dtype.UINT16, Dtype.UINT32)


def _selects(batch: Batch) -> Bools:
    return np.asarray(batch.column("header.opcode") == Opcode.MAX_POOL_SELECT)


def _pool_type(batch: Batch) -> Bools:
    pools = batch.among("pool_func", frozenset((int(PoolType.MAX_POOL), int(PoolType.AVG_POOL))))
    return np.where(_selects(batch), batch.column("pool_func") == PoolType.NONE, pools)


def _position_dtype(batch: Batch) -> Bools:
    return ~_selects(batch) | among("out_dtype", _POSITIONS)(batch)


def _scale(batch: Batch) -> Bools:
    return np.asarray((batch.column("pool_func") == PoolType.AVG_POOL) | (batch.column("pool_scale") == ONE))


RULES = numbered(
    "PL",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_pool_opcode", 0x45, 0x58, named_by_us=True)),
    ("V4", reserved_zero("s4d4_pl_reserved_zero", "reserved0", "reserved1")),
    ("V5", is_valid_dtype("in_dtype")),
    ("V6", is_valid_dtype("out_dtype", fp32r=True)),
    ("V7a", start_addr_active_channels(SRC)),
    ("V7b", start_addr_active_channels(DST)),
    (
        "V8",
        Rule(
            "has_valid_pooltype",
            (Part(_pool_type, "pool_func", "1 (MAX_POOL) or 2 (AVG_POOL); 0 (NONE) for MAX_POOL_SELECT"),),
            ("pool_func",),
        ),
    ),
    ("V9", is_valid_subdim("pool_dim")),
    ("V10", changed(check_active_channels, function="has_valid_active_channel_range", named_by_us=True)),
    (
        "V11",
        Rule(
            "s4d4_pl_dtype_check",
            (Part(_position_dtype, "out_dtype", "UINT8, UINT16 or UINT32 for a position"),),
            ("out_dtype",),
        ),
    ),
    ("V12a", pattern_valid(SRC)),
    ("V12b", pattern_valid(DST)),
    (
        "V13",
        Rule(
            "s4d4_pool_scale_valid",
            (Part(_scale, "pool_scale", "0x3F800000 (1.0) unless pool_func is 2 (AVG_POOL)"),),
            ("pool_scale", "pool_func"),
        ),
    ),
)


def check(record: np.void, binding: Binding, choices: Choices) -> None:
    """What no rule looks at: the destination's count."""
    require_one_per_group(binding, int(record["pool_dim"]))


def execute(op: Operation) -> None:
    """Pool every window."""
    # READ
    elements = op.read("src")
    # COMPUTE
    windows = grouped(op.widen(elements, op.dtype("src")), group_size(op.binding.tensors["src"], op.code("pool_dim")))
    result = _pooled(op, windows)
    # WRITE
    op.write("dst", result)


def _pooled(op: Operation, windows: Float32) -> Raw:
    """(lanes, windows, size) to what is stored, (lanes, windows)."""
    target = op.dtype("dst")
    if op.opcode == Opcode.MAX_POOL_SELECT:
        return position_of_maximum(windows, op.choices).astype(raw_type(target))
    if op.code("pool_func") == PoolType.MAX_POOL:
        return op.narrow(_folded(op, AluOp.MAX, windows), target)
    scale = op.record["pool_scale"].reshape(1, 1).view(np.float32)
    if windows.shape[-1] > 1 and op.code("pool_scale") != ONE and op.choices["pool-scale-order"] == "scale-each":
        return op.narrow(_folded(op, AluOp.ADD, op.alu_f32(AluOp.MULT, windows, scale[..., None])), target)
    return op.narrow(op.alu_f32(AluOp.MULT, _folded(op, AluOp.ADD, windows), scale), target)


def _folded(op: Operation, code: int, windows: Float32) -> Float32:
    return fold(code, windows[..., 0], windows[..., 1:], op.choices, element_first=False)


def _windows(batch: Batch) -> npt.NDArray[np.uint64]:
    """Elements of one window, (n,)."""
    counts = batch.column(f"{SRC.field}.num_elem").astype(np.uint64)  # four of 16 bits: their product fits
    return np.asarray(np.prod(counts, axis=1, where=inside_group(batch, "pool_dim")))


def _positions_overflow(batch: Batch) -> Bools:
    """A window with more elements than the destination has codes."""
    return np.asarray(_windows(batch) > np.uint64(1) << (8 * SIZE_BYTES[batch.column("out_dtype")]).astype(np.uint64))


def _overflow(batch: Batch, row: int) -> str:
    window, out = int(_windows(batch)[row]), dtype_name(int(batch.column("out_dtype")[row]))
    return f"a window of {window} elements has positions that {out} cannot hold"


_NOT_WIRED = Unmodelled(
    every,
    "decoded, but not wired to a worker on this engine (max-pool-select-on-dve)",
    (("max-pool-select-on-dve", "not-wired"),),
)


def _instruction(opcode: int) -> Instruction:
    return Instruction(
        family="pool",
        opcodes=(opcode,),
        struct=S4D4_PL,
        rules=RULES,
        tensors=(SRC, DST),
        execute=execute,
        converts=True,
        check=check,
        unmodelled=(_NOT_WIRED, Unmodelled(_positions_overflow, _overflow)) if opcode == Opcode.MAX_POOL_SELECT else (),
        source="isa/05 section 12",
    )


INSTRUCTIONS = (_instruction(Opcode.POOL), _instruction(Opcode.MAX_POOL_SELECT))
