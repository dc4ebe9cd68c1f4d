"""RAND2 (0xE2): fill the destination with numbers drawn uniformly from [min, max).

Each channel has four XORWOW generators; element i takes its draw from generator i mod 4. out = min + (max - min) u in
fp32, u from the low 23 bits of the draw, then one conversion. min > max or a NaN bound: the formula applies.
Source: isa/06 section 7.2 [layout and rules H, order M; generator from the functional reference; lane map L].
"""

from __future__ import annotations

from ..isa.aluops import AluOp
from ..isa.codes import RandAlgorithm, RandPostProc
from ..isa.dtypes import INT6, Dtype
from ..isa.generation import MARIANA, since
from ..isa.layout import D3_RAND
from ..isa.opcodes import Opcode
from ..numerics.xorwow import unit_interval, xorwow_draws
from ..rules.batch import Batch, Bools
from ..rules.channels import has_valid_active_channel_range, start_addr_active_channels
from ..rules.dtypes import dtype_parts
from ..rules.fields import field_in, reserved_zero
from ..rules.header import has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.immediates import immediate_parts
from ..rules.operands import ImmediateOperand, TensorOperand
from ..rules.patterns import pattern_valid
from ..rules.rule import Part, Rule, changed, numbered
from .instruction import Instruction
from .operation import Operation, Words

DST = TensorOperand("dst", "dst_mem_pattern", "dtype", write=True)
MIN, MAX = (ImmediateOperand(name, name, f"{name}_src", int(Dtype.FP32)) for name in ("min", "max"))


def _float(batch: Batch) -> Bools:
    """`rand2-dtypes`: by default the whole gate, integers included."""
    integer = batch.among("dtype", INT6)
    if not integer.any() or batch.depends("rand2-dtypes", integer) == "gate-with-fp32r":
        return batch.all_true()
    return ~integer


_dtype = Rule(
    "has_valid_rand2_dtype", (*dtype_parts("dtype", "fp32r"), Part(_float, "dtype", "a float dtype")), ("dtype",)
)
_bounds = Rule(
    "rand2_min_max_immediates",
    (*immediate_parts(MIN), *immediate_parts(MAX)),
    ("min", "min_src", "max", "max_src"),
    named_by_us=True,
)

RULES = tuple(
    changed(rule, generations=since(MARIANA))
    for rule in numbered(
        "R2",
        ("P1", has_valid_neuron_header),
        ("P2", has_valid_neuron_events),
        ("P3", opcode_in("has_rand2_opcode", 0xE2, named_by_us=True)),
        ("V1", reserved_zero("d3_rand_reserved_zero", *(f"reserved{k}" for k in range(4)), named_by_us=True)),
        ("V2", field_in("restrict_rand2_algorithm", "rand_algorithm", (RandAlgorithm.XORWOW,), "3 (XORWOW)")),
        (
            "V3",
            field_in(
                "has_valid_rand2_post_processing",
                "post_process",
                (RandPostProc.UNIFORM_IN_RANGE,),
                "1 (UNIFORM_IN_RANGE)",
            ),
        ),
        ("V4", _dtype),
        ("V5", has_valid_active_channel_range),
        ("V6", _bounds),
        ("V7", start_addr_active_channels(DST)),
        ("V8", pattern_valid(DST)),
    )
)


def execute(op: Operation) -> None:
    """Draw one number per element."""
    # READ
    low, high = (op.widen(op.scalar(name), int(Dtype.FP32)) for name in ("min", "max"))
    count = op.place("dst").elements
    # COMPUTE
    if count > 1:
        op.choices["rand2-lane-map"]  # another map is not offered
    state: Words = op.state.banks["xorwow"][: op.lanes]  # type: ignore[assignment]
    draws = xorwow_draws(state, count)
    span = op.alu_f32(AluOp.SUBTRACT, high, low)
    result = op.alu_f32(AluOp.ADD, low, op.alu_f32(AluOp.MULT, span, unit_interval(draws)))
    # WRITE
    op.write("dst", op.narrow(result, op.dtype("dst")))


INSTRUCTION = Instruction(
    family="rand2",
    opcodes=(Opcode.RAND2,),
    struct=D3_RAND,
    rules=RULES,
    tensors=(DST,),
    immediates=(MIN, MAX),
    execute=execute,
    converts=True,
    order_confidence="M",
    source="isa/06 section 7.2",
)
