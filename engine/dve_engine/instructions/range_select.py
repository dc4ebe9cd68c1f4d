"""RANGE_SELECT (0xBC): keep the elements whose index lies between two bounds, fill the others, fold the maximum.

Element k of a lane is kept  <=>  (base + k) comp_op0 bound0 and (base + k) comp_op1 bound1, compared in fp32. The
others become the fill value, the lowest finite fp32, which narrows to -Inf in BF16, FP16 and FP8 (to the format's
lowest number in an FP8 mode that saturates). The maximum covers kept and filled elements and goes to the lane
accumulator.
Source: isa/04 section 7 [H, tags there].
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..isa.aluops import AluOp
from ..isa.codes import AccumCmd
from ..isa.dtypes import FP_DATAPATH, FP_DATAPATH_FP32R, Dtype
from ..isa.generation import CAYMAN, since
from ..isa.layout import S2D2_RS
from ..isa.opcodes import Opcode
from ..memory.access import Raw, blend
from ..memory.address import shape_from_register
from ..numerics.accumulator import fold, identity
from ..rules.batch import Batch, Bools
from ..rules.channels import check_active_channels, start_addr_active_channels
from ..rules.fields import among, dtype_in, enum_in, field_in
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.immediates import has_valid_immediates
from ..rules.operands import ImmediateOperand, TensorOperand, element_count, pattern_columns
from ..rules.patterns import pattern_valid, same_element_count
from ..rules.rule import Part, Rule, numbered
from .instruction import Instruction
from .operation import Float32, Operation

SRC = TensorOperand("src", "src_mem_pattern", "in_out_dtype.dtype_lo", dims=2)
DST = TensorOperand("dst", "dst_mem_pattern", "in_out_dtype.dtype_hi", write=True, dims=2)
BOUND0 = ImmediateOperand("bound0", "bound0", "bound0_src", int(Dtype.FP32))
BOUND1 = ImmediateOperand("bound1", "bound1", "bound1_src", int(Dtype.FP32))
FILL_BITS = 0xFF7F_FFFF
INDEX_LIMIT = 1 << 24  # up to here fp32 holds every index


def _base(batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """The base as it stands and as an integer, float64 (n,); NaN and infinities stay."""
    stands = batch.column("base").view(np.float32).astype(np.float64)
    return stands, np.trunc(stands)


def _base_in_range(batch: Batch) -> Bools:
    """A base with a fraction, or between -1 and 0, is an index only if it is truncated (`range-select-base`)."""
    stands, whole = _base(batch)
    fits = (whole >= 0) & (whole <= INDEX_LIMIT)
    inexact = fits & (whole != stands)
    if not inexact.any() or batch.depends("range-select-base", inexact) == "truncate":
        return np.asarray(fits)
    return np.asarray(fits & ~inexact)


def _last_in_range(batch: Batch) -> Bools:
    columns = pattern_columns(batch, SRC)
    good: Bools = ~(_base(batch)[1] + element_count(columns).astype(np.float64) > INDEX_LIMIT)
    return good if good.all() else good | shape_from_register(columns.first, batch.generation)


_total_index_range = Rule(
    "has_valid_total_index_range",
    (
        Part(_base_in_range, "base", f"a whole number from 0 to {INDEX_LIMIT}"),
        Part(_last_in_range, "base", f"at most {INDEX_LIMIT} together with the element count"),
    ),
    ("base", "src_mem_pattern"),
)
_fill_value = Rule(
    "is_valid_fill_val",
    (Part(lambda batch: np.asarray(batch.column("fill_val") == FILL_BITS), "fill_val", f"0x{FILL_BITS:08X}"),),
    ("fill_val",),
)
_core_version = Rule(
    "has_valid_nc_rs",
    (Part(among("header.opcode", (0xBC,)), "header.opcode", "on NC-v3 or later"),),
    ("header.opcode",),
)

_LIST = numbered(
    "RS",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", _core_version),
    ("V4", opcode_in("has_range_select_opcode", 0xBC)),
    ("V5", start_addr_active_channels(SRC)),
    ("V6", start_addr_active_channels(DST)),
    ("V7", pattern_valid(SRC)),
    ("V8", pattern_valid(DST)),
    ("V9", same_element_count("has_same_elem_count_rs_src_dst", SRC, DST)),
    ("V10", _total_index_range),
    ("V11", dtype_in("is_valid_fp_dtype_datapath", SRC.dtype, FP_DATAPATH)),
    ("V12", dtype_in("is_valid_fp_dtype_datapath", DST.dtype, FP_DATAPATH_FP32R)),
    ("V13", _fill_value),
    ("V14", enum_in("is_valid_rs_comp_op", "comp_op0", "RANGE_SELECT_COMP_OP")),
    ("V15", enum_in("is_valid_rs_comp_op", "comp_op1", "RANGE_SELECT_COMP_OP")),
    ("V16", has_valid_immediates(BOUND0)),
    ("V17", has_valid_immediates(BOUND1)),
    ("V18", check_active_channels),
    (
        "V19",
        field_in(
            "has_valid_range_select_reduce_cmd",
            "reduce_cmd",
            (AccumCmd.IDLE, AccumCmd.ACCUMULATE, AccumCmd.ZERO_ACCUMULATE),
            "0 (IDLE), 2 (ACCUMULATE) or 3 (ZERO_ACCUMULATE)",
        ),
    ),
    ("V20", field_in("has_valid_range_select_reduce_op", "reduce_op", (AluOp.MAX,), "0x08 (MAX), also when idle")),
)
RULES = tuple(replace(rule, generations=since(CAYMAN)) for rule in _LIST)


def execute(op: Operation) -> None:
    """Select by index, fold kept and filled values into the lane maximum."""
    # READ
    values = op.widen(op.read("src"), op.dtype("src"))
    bounds = [op.scalar(name).view(np.float32) for name in ("bound0", "bound1")]
    # COMPUTE
    by_index = op.choices["range-select-compare"] == "element-index"
    compared = _indices(op) if by_index else values
    inside = [op.alu_f32(op.code(f"comp_op{i}"), compared, bound) != 0 for i, bound in enumerate(bounds)]
    fill = np.array([[op.code("fill_val")]], np.uint32)
    result = blend(inside[0] & inside[1], values.view(np.uint32), fill).view(np.float32)
    stored = op.narrow(result, op.dtype("dst"))
    maximum = None if op.code("reduce_cmd") == AccumCmd.IDLE else _maximum(op, result, stored)
    # WRITE
    op.write("dst", stored)
    _update_accumulator(op, maximum)


def _indices(op: Operation) -> Float32:
    """base + k for every element, (1, elements): one fp32 addition each."""
    base = np.trunc(op.record["base"].view(np.float32))
    indices: Float32 = base + np.arange(op.place("src").elements, dtype=np.float32)[None, :]
    return indices


def _maximum(op: Operation, result: Float32, stored: Raw) -> Float32:
    """The maximum of each lane from its seed, accumulator on the left; of which values, says `fold-cast-point`."""
    lanes = op.accumulator_lanes("src")
    if op.code("reduce_cmd") == AccumCmd.ACCUMULATE:
        seed = op.read_accumulators(lanes)
    else:
        seed = np.full(op.lanes, identity(AluOp.MAX, op.choices), np.float32)
    before = fold(AluOp.MAX, seed, result, op.choices, element_first=False)
    if op.dtype("dst") == Dtype.FP32:
        return before
    after = fold(AluOp.MAX, seed, op.widen(stored, op.dtype("dst")), op.choices, element_first=False)
    same = np.array_equal(before.view(np.uint32), after.view(np.uint32))
    return before if same or op.choices["fold-cast-point"] == "before-conversion" else after


def _update_accumulator(op: Operation, maximum: Float32 | None) -> None:
    lanes, command = op.accumulator_lanes("src"), op.code("reduce_cmd")
    accumulators = op.state.accumulators
    if maximum is None:
        accumulators.command(command, lanes, AluOp.MAX, op.choices)
    elif command == AccumCmd.ZERO_ACCUMULATE:
        accumulators.seed(lanes, maximum)
    else:
        accumulators.store(lanes, maximum)


INSTRUCTION = Instruction(
    family="range_select",
    opcodes=(Opcode.RANGE_SELECT,),
    struct=S2D2_RS,
    rules=RULES,
    tensors=(SRC, DST),
    immediates=(BOUND0, BOUND1),
    execute=execute,
    paired=("src", "dst"),
    source="isa/04 section 7",
)
