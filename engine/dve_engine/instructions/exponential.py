"""EXPONENTIAL (0x30, from MARIANA on): exp(src - imm0), with a running sum in the lane accumulator if the command asks.

imm0 is the maximum to subtract, one value or one per lane. Subtraction and exp are fp32 steps; the sum adds the fp32
results in walk order onto +0, imm1 or what the accumulator holds. The device evaluates a table whose coefficients are
not public, so low-order bits may differ. Source: isa/05 section 13 [H; special values M, accuracy L].
"""

from __future__ import annotations

import numpy as np

from ..isa.aluops import AluOp
from ..isa.codes import AccumCmd, ImmSrc, ReverseOps
from ..isa.dtypes import Dtype
from ..isa.layout import S3D3_TS
from ..isa.opcodes import Opcode
from ..memory.address import shape_from_register
from ..numerics import fold, widen
from ..numerics.exponential import exp_f32
from ..rules import tensor_scalar as ts
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.dtypes import is_valid_dtype
from ..rules.fields import among, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.operands import WITH_INDIRECT, ImmediateOperand, Indirection, TensorOperand, pattern_columns
from ..rules.patterns import pattern_valid
from ..rules.placement import indirect_quadrant_check_src3d, indirect_quadrant_check_src3d_dst3d
from ..rules.rule import Part, Rule, changed, numbered
from .accumulation import folded_values, leave, seed_of, stay_idle
from .instruction import Instruction
from .operation import Operation

SRC = TensorOperand("src", "src_mem_pattern", "in_dtype", indirection=Indirection.UNION)
DST = TensorOperand("dst", "dst_mem_pattern", "out_dtype", write=True, indirection=Indirection.UNION)
MAXIMUM = ImmediateOperand("imm0", "imm0", "imm0_src", int(Dtype.FP32))
SEED = ImmediateOperand("imm1", "imm1", "imm1_src", int(Dtype.FP32))

_COMMANDS = (AccumCmd.IDLE, AccumCmd.ACCUMULATE, AccumCmd.ZERO_ACCUMULATE, AccumCmd.LOAD_ACCUMULATE)
_UNPACKED = frozenset((int(Dtype.FP32), int(Dtype.INT32), int(Dtype.UINT32)))


def _no_seed(path: str, expected: str) -> Part:
    def holds(batch: Batch) -> Bools:
        loads = batch.column("accumulator_cmd") == AccumCmd.LOAD_ACCUMULATE
        return np.asarray(loads | (batch.column(path) == ImmSrc.INSTRUCTION_IMMEDIATE))

    return Part(holds, path, expected)


def _free(batch: Batch) -> Bools:
    """Which records the parity rule does not bind: idle ones, indirect ones, and those whose shape is in a register."""
    src, dst = pattern_columns(batch, SRC), pattern_columns(batch, DST)
    idle = batch.column("accumulator_cmd") == AccumCmd.IDLE
    return np.asarray(idle | src.indirect | dst.indirect | shape_from_register(src.first, batch.generation))


def _packed(batch: Batch) -> Bools:
    """Several elements per word, one after the other: 8-bit dtypes count, too [M]."""
    steps = batch.column("src_mem_pattern.step_elem")
    return np.asarray(~batch.among("in_dtype", _UNPACKED) & (steps[:, 0] == 1))


def _x_even_or_unpacked(batch: Batch) -> Bools:
    even = pattern_columns(batch, SRC).num[:, 0] % 2 == 0
    return np.asarray(_free(batch) | ~_packed(batch) | even)


def _upper_dims_even(batch: Batch) -> Bools:
    """`exponential-upper-dims` = strict: rows of a packed source start on a pair boundary."""
    steps, num = batch.column("src_mem_pattern.step_elem"), pattern_columns(batch, SRC).num
    odd = ((num[:, 1:] > 1) & (steps[:, 1:] % 2 != 0)).any(axis=1)
    broken = ~_free(batch) & _packed(batch) & odd
    return ~broken if batch.depends("exponential-upper-dims", broken) == "strict" else batch.all_true()


_command = Rule(
    "has_valid_exponential_accum_cmd",
    (
        Part(among("accumulator_cmd", _COMMANDS), "accumulator_cmd", "0, 2, 3 or 4 (not ZERO)"),
        _no_seed("imm1_src", "0 without LOAD_ACCUMULATE"),
        _no_seed("imm1", "zero without LOAD_ACCUMULATE"),
    ),
    ("accumulator_cmd", "imm1_src", "imm1"),
)
_parity = Rule(
    "has_valid_exponential_num_elements",
    (
        Part(
            _x_even_or_unpacked,
            "src_mem_pattern.num_elem",
            "an even innermost count, where packed elements are summed",
            "exp_x_even_or_unpacked",
        ),
        Part(
            _upper_dims_even,
            "src_mem_pattern.step_elem",
            "even steps above the innermost one, where packed elements are summed",
            "exp_upper_src_dim_even",
        ),
    ),
    ("accumulator_cmd", "src_mem_pattern", "dst_mem_pattern", "in_dtype"),
)
_ops = Rule(
    "has_valid_exponential_ops",
    (
        Part(among("op0", (AluOp.BYPASS,)), "op0", "0x00 (BYPASS)"),
        Part(among("op1", (AluOp.BYPASS,)), "op1", "0x00 (BYPASS)"),
        Part(among("reverse_operands", (ReverseOps.NONE,)), "reverse_operands", "0 (NONE)"),
    ),
    ("op0", "op1", "reverse_operands"),
)

_LIST = numbered(
    "EXP",
    ("V1", has_valid_neuron_header),
    ("V2", has_valid_neuron_events),
    ("V3", opcode_in("has_exponential_opcode", 0x30)),
    ("V4", is_valid_dtype("in_dtype")),
    ("V5", is_valid_dtype("out_dtype", fp32r=True)),
    ("V6", ts.tensor_scalar_immediates_check(MAXIMUM, SEED)),
    ("V7", _command),
    ("V8", _parity),
    ("V9", _ops),
    ("V10", reserved_zero("s3d3_ts_exponential_unused_fields", "reserved0")),
    ("V11", ts.tensor_scalar_tensor_chk(SRC, DST)),
    ("V12", has_valid_active_channel_range),
    ("V13a", start_addr_active_channels(SRC, union_name="check_m3d_active_channels")),
    ("V13b", start_addr_active_channels(DST, union_name="check_m3d_active_channels")),
    ("V14a", changed(pattern_valid(SRC, union_name="mem3d_valid"), shadowed_by="EXP-V11")),
    ("V14b", changed(pattern_valid(DST, union_name="mem3d_valid"), shadowed_by="EXP-V11")),
    ("V15a", indirect_quadrant_check_src3d(SRC)),
    ("V15b", indirect_quadrant_check_src3d_dst3d(SRC, DST)),
)
RULES = tuple(changed(rule, generations=WITH_INDIRECT) for rule in _LIST)  # no other generation has a validator for it


def execute(op: Operation) -> None:
    """Subtract, exponentiate, store, and sum if the command asks for it."""
    # READ
    source = op.dtype("src")
    values = widen(op.read("src"), source, op.fp8_mode(source), op.choices, arithmetic=False)
    maximum, load = (op.scalar(name).view(np.float32) for name in ("imm0", "imm1"))
    lanes, command = op.accumulator_lanes("src"), op.code("accumulator_cmd")
    seed = seed_of(op, lanes, AluOp.ADD, load) if command != AccumCmd.IDLE else None
    # COMPUTE
    result = exp_f32(op.alu_f32(AluOp.SUBTRACT, values, maximum), op.choices)
    stored = op.narrow(result, op.dtype("dst"))
    total = None
    if seed is not None:
        total = fold(AluOp.ADD, seed, folded_values(op, result, stored), op.choices, element_first=True)
    # WRITE
    op.write("dst", stored)
    if total is None:
        stay_idle(op, lanes)
    else:
        leave(op, lanes, total)


INSTRUCTION = Instruction(
    family="exponential",
    opcodes=(Opcode.EXPONENTIAL,),
    struct=S3D3_TS,
    rules=RULES,
    tensors=(SRC, DST),
    immediates=(MAXIMUM, SEED),
    execute=execute,
    converts=True,
    paired=("src", "dst"),
    source="isa/05 section 13",
)
