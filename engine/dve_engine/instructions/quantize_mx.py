"""QUANTIZE_MX (0xE3): quantize FP16 or BF16 to 8-bit floats with one power-of-two scale per block of 32.

A block is 8 consecutive lanes by 4 consecutive elements. Its scale byte is the largest biased fp32 exponent in it less
EMAX, at least 1; every element is multiplied by 2**(127 - scale) in fp32 and rounded once, saturating. A lane's four
codes make one 32-bit element, the first in the low byte. Which EMAX: the engine's, one less under `quantize-mx-scale` =
emax-minus-1; the scale of a block of zeros: `quantize-mx-zero-block`. An infinity saturates, a NaN stays NaN.
Source: isa/06 section 7.5 [layout and rules H, order M; arithmetic: functional reference and device body; NaN L].
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..isa.aluops import AluOp
from ..isa.dtypes import Dtype
from ..isa.generation import MARIANA, Fp8Mode, since
from ..isa.layout import S3DMX1_QUANT
from ..isa.opcodes import Opcode
from ..memory.access import Raw
from ..numerics.convert import narrow
from ..rules.channels import multiple_of_32_part
from ..rules.fields import dtype_in, reserved_zero
from ..rules.header import core_version, has_valid_neuron_events, has_valid_neuron_header, opcode_in
from ..rules.mx import mxmem1d_valid
from ..rules.operands import MxOperand, TensorOperand
from ..rules.patterns import pattern_valid
from ..rules.rule import Rule, changed, numbered
from .binding import MX_LANES, QUADRANT
from .bound import Binding
from .errors import ExecutionError
from .instruction import Instruction
from .operation import Float32, Operation, Words

SRC = TensorOperand("src", "src_mem_pattern", "in_dtype", psum=False, checked_dtype=int(Dtype.UINT32), start_rule=False)
DST = MxOperand("dst", "dst_mem_pattern", "out_dtype")
GROUP = 4  # elements of a lane in one block
_EMAX = {Dtype.FP8_EXP4: 8, Dtype.FP8_EXP5: 15}  # the formats' own largest exponents
_SATURATE_FLAG = 1  # bit 0 of the length byte

RULES = tuple(
    changed(rule, generations=since(MARIANA))
    for rule in numbered(
        "QMX",
        ("P1", has_valid_neuron_header),
        ("P2", has_valid_neuron_events),
        ("P3", opcode_in("has_quantize_mx_opcode", 0xE3, named_by_us=True)),
        ("V1", reserved_zero("s3dmx1_quant_reserved_zero", "reserved0", "reserved1", "reserved2", named_by_us=True)),
        ("V2", changed(core_version("quantize_mx_core_version", 4, 5), named_by_us=True)),
        ("V3", changed(pattern_valid(SRC), fields=("src_mem_pattern",))),
        ("V4", mxmem1d_valid(DST)),
        ("V5", dtype_in("quantize_mx_in_dtype", "in_dtype", (Dtype.FP16, Dtype.BFLOAT16), named_by_us=True)),
        ("V6", dtype_in("quantize_mx_out_dtype", "out_dtype", (Dtype.FP8_EXP5, Dtype.FP8_EXP4), named_by_us=True)),
        (
            "V7",
            Rule("has_multiple_32_channels", (multiple_of_32_part(),), ("num_active_channels",), named_by_us=True),
        ),
    )
)


def _four_to_one(record: np.void, binding: Binding, _: object) -> None:
    """Raise ExecutionError unless the source has four elements for every packed one."""
    source, target = binding.tensors["src"].elements, binding.tensors["dst"].elements
    if source != GROUP * target:
        raise ExecutionError(f"dst: {target} groups of four for {source} elements", operand="dst")


def execute(op: Operation) -> None:
    """Write the packed codes and the scale bytes."""
    # READ
    values = op.widen(op.read("src"), op.dtype("src"))
    # COMPUTE
    target = op.code("out_dtype")
    blocks = values.reshape(op.lanes // MX_LANES, MX_LANES, values.shape[1] // GROUP, GROUP)
    scales = _scales(op, blocks, target)
    multipliers = ((np.uint32(254) - scales) << np.uint32(23)).view(np.float32)[:, None, :, None]
    codes = _codes(op, _scaled(op, blocks, multipliers).reshape(values.shape), target)
    # WRITE
    halves: dict[str, Raw] = {"dst": np.ascontiguousarray(codes).view("<u4")}
    rows = QUADRANT // MX_LANES
    for quadrant in range(op.lanes // QUADRANT):
        halves[DST.scale(quadrant).name] = scales[quadrant * rows : (quadrant + 1) * rows].astype(np.uint8)
    op.write_all(halves)


def _scaled(op: Operation, blocks: Float32, multipliers: Float32) -> Float32:
    """Every element times its block's power of two; a NaN passes as it is."""
    nan = np.isnan(blocks)
    product = op.alu_f32(AluOp.MULT, np.where(nan, np.float32(0), blocks), multipliers)
    return np.where(nan, blocks, product)


def _scales(op: Operation, blocks: Float32, target: int) -> Words:
    """The E8M0 code of each block, uint32 (blocks of lanes, columns)."""
    bits = blocks.view(np.uint32)
    exponents = (bits >> np.uint32(23) & np.uint32(0xFF)).max(axis=(1, 3)).astype(np.int64)
    emax = _emax(op, target)
    if emax == _EMAX[Dtype(target)] and (exponents > emax).any():
        emax -= op.choices["quantize-mx-scale"] == "emax-minus-1"
    scales = np.maximum(exponents - emax, 1)
    zero = ~(bits << np.uint32(1)).any(axis=(1, 3))
    if zero.any() and op.choices["quantize-mx-zero-block"] == "zero":
        scales[zero] = 0
    return np.asarray(scales, np.uint32)


def _emax(op: Operation, target: int) -> int:
    """The engine's EMAX register; one below the format's own is already the alternative mode."""
    mode = _mode(op)
    return mode.emax_e4m3 if target == Dtype.FP8_EXP4 else mode.emax_e5m2


def _mode(op: Operation) -> Fp8Mode:
    return op.generation.fp8_default if op.state.fp8_mode is None else op.state.fp8_mode


def _codes(op: Operation, scaled: Float32, target: int) -> Raw:
    """Round to the target, saturating; `quantize-mx-length-byte` may let a clear flag switch saturation off."""
    mode = op.fp8_mode(target) if target == Dtype.FP8_EXP4 else _mode(op)  # E5M2 means the same in every mode
    codes = narrow(scaled, target, replace(mode, sat=True, sis=True), op.choices)
    if int(op.record["header"]["inst_word_len"]) & _SATURATE_FLAG:
        return codes
    loose = narrow(scaled, target, replace(mode, sat=False, sis=False), op.choices)
    if (loose != codes).any() and op.choices["quantize-mx-length-byte"] == "accept-follow-flag":
        return loose
    return codes


INSTRUCTION = Instruction(
    family="quantize_mx",
    opcodes=(Opcode.QUANTIZE_MX,),
    struct=S3DMX1_QUANT,
    rules=RULES,
    tensors=(SRC,),
    mx=(DST,),
    execute=execute,
    check=_four_to_one,
    order_confidence="M",
    source="isa/06 section 7.5",
)
