"""The row-max stage of a causal softmax, as it is written for the Vector Engine.

128 queries, one per lane, against 512 keys in two tiles of 256:

    TENSOR_SCALAR_ARITH_OP   scaled = scores * scale[lane] + bias[lane]       both scalars behind FP32 pointers
    per tile:
      COPY_PREDICATED_SCALAR   masked = -inf where the mask is 0
      SELECT_REDUCE            masked = scaled where the mask is not 0; the accumulator takes the maximum of what was
      selected:
                               ZERO_ACCUMULATE starts it on the first tile, ACCUMULATE goes on with it on the second
    DVE_READ_ACCUMULATOR     row_max, and negated the bias of the exponential that follows
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import numpy.typing as npt

from dve_engine import Generation
from dve_engine.builder import Operand, ProgramBuilder, Scalar, sbuf
from dve_engine.isa.aluops import AluOp
from dve_engine.isa.codes import AccumCmd

from ..memory import MemoryRegion

LANES, KEYS, TILE = 128, 512, 256
FIRST_QUERY = 192  # position of lane 0 in the sequence: half of the lanes see nothing of the second tile
# byte offsets inside every SBUF partition; between the tensors lie bytes that nothing may touch
SCALE, BIAS, MASK, SCORES, SCALED, MASKED, ROW_MAX, NEG_MAX, END = 64, 68, 512, 1536, 3072, 4608, 6144, 6152, 6208
ODD_LANE = 71  # holds the values that tend to go wrong
UNTOUCHED = 0xA5
MINUS_INF = float("-inf")


@dataclass(frozen=True)
class Inputs:
    """What the stage starts from: rows are lanes."""

    scores: npt.NDArray[np.generic]  # (128, 512) bfloat16
    scale: npt.NDArray[np.float32]  # (128, 1)
    bias: npt.NDArray[np.float32]  # (128, 1)
    mask: npt.NDArray[np.uint8]  # (128, 512), 1 where the query may see the key

    def memory(self) -> list[MemoryRegion]:
        """As SBUF regions, on a background of bytes that are not zero."""
        background = np.full((LANES, END), UNTOUCHED, np.uint8)
        placed: Mapping[int, npt.NDArray[np.generic]] = {
            SCALE: self.scale, BIAS: self.bias, MASK: self.mask, SCORES: self.scores,
        }  # fmt: skip
        return [
            MemoryRegion.of("sbuf", 0, 0, background),
            *(MemoryRegion.of("sbuf", 0, byte, values) for byte, values in placed.items()),
        ]


def inputs() -> Inputs:
    """Random scores with the values that tend to go wrong among them; the same ones each time."""
    random = np.random.default_rng(20)
    scores = (random.standard_normal((LANES, KEYS)) * 30).astype(ml_dtypes.bfloat16)
    scores[3, 5], scores[3, 6] = 0.0, -0.0
    scores[ODD_LANE, :6] = [3.0e38, -3.0e38, 1.0e-40, float("inf"), 150.0, -150.0]
    query = FIRST_QUERY + np.arange(LANES)[:, None]
    mask = (np.arange(KEYS)[None, :] <= query).astype(np.uint8)
    scores[ODD_LANE + 1, KEYS - 1] = float("nan")  # behind the mask anything may lie
    scale = np.full((LANES, 1), np.float32(1 / np.sqrt(64)))
    scale[ODD_LANE] = 2.0  # its large scores overflow BF16; 150 becomes 300
    bias = random.standard_normal((LANES, 1)).astype(np.float32)
    return Inputs(scores, scale.astype(np.float32), bias, mask * np.uint8(0x80))  # any bit set is true


def row(byte: int, dtype: str, count: int = KEYS) -> Operand:
    """`count` neighbouring elements from a byte of each partition on."""
    return sbuf(0, byte, dtype, (LANES, count))


def stage(generation: Generation) -> bytes:
    """The program, encoded for a generation."""
    program = ProgramBuilder(generation)
    program.tensor_scalar(
        src=row(SCORES, "bf16"),
        dst=row(SCALED, "bf16"),
        op0=AluOp.MULT,
        op1=AluOp.ADD,
        imm0=row(SCALE, "fp32", 1),
        imm1=row(BIAS, "fp32", 1),
    )
    tile(program, slice(0, TILE), AccumCmd.ZERO_ACCUMULATE)
    tile(program, slice(TILE, KEYS), AccumCmd.ACCUMULATE)
    drain(program, row(ROW_MAX, "fp32", 1))
    drain(program, row(NEG_MAX, "fp32", 1), negated=1)
    return program.bytes


def tile(program: ProgramBuilder, keys: slice, command: AccumCmd) -> None:
    """Mask one tile and fold its maximum."""
    mask, masked = row(MASK, "uint8")[:, keys], row(MASKED, "bf16")[:, keys]
    program.copy_predicated_scalar(
        pred=mask,
        dst=masked,
        src0_imm=Scalar(MINUS_INF, "bf16"),
        reversed_pred=0,  # the scalar goes where the predicate is 0
    )
    program.select_reduce(
        pred=mask,
        data=row(SCALED, "bf16")[:, keys],
        dst=masked,
        op0=AluOp.BYPASS,
        op1=AluOp.MAX,
        imm0=Scalar(MINUS_INF, "fp32"),  # what the fill reading of the false lanes would write: the same value
        accumulator_cmd=command,
    )


def drain(program: ProgramBuilder, dst: Operand, negated: int = 0) -> None:
    """Write each lane's accumulator as FP32."""
    program.dve_read_accumulator(dst=dst, dst_element_count=1, negated=negated)
