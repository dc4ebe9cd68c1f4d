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
from dve_engine.isa.aluops import AluOp
from dve_engine.isa.codes import AccumCmd, ImmSrc
from dve_engine.isa.dtypes import Dtype

from ..encode import Pattern, address, bits, pair, pattern, program, record
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


def row(generation: Generation, byte: int, count: int) -> Pattern:
    """`count` neighbouring elements from a byte of each partition on."""
    return pattern(address(generation, "sbuf", 0, byte), (1,), (count,))


def stage(generation: Generation) -> bytes:
    """The program, encoded for a generation."""
    scale_and_bias = record(
        "TENSOR_SCALAR_ARITH_OP",
        src_mem_pattern=row(generation, SCORES, KEYS),
        in_dtype=Dtype.BFLOAT16,
        out_dtype=Dtype.BFLOAT16,
        num_active_channels=LANES,
        op0=AluOp.MULT,
        op1=AluOp.ADD,
        imm0_src=ImmSrc.POINTER_IMMEDIATE,
        imm1_src=ImmSrc.POINTER_IMMEDIATE,
        imm0=address(generation, "sbuf", 0, SCALE),
        imm1=address(generation, "sbuf", 0, BIAS),
        dst_mem_pattern=row(generation, SCALED, KEYS),
    )
    tiles = (
        *tile(generation, 0, AccumCmd.ZERO_ACCUMULATE),
        *tile(generation, TILE, AccumCmd.ACCUMULATE),
    )
    drains = (drain(generation, ROW_MAX, negated=0), drain(generation, NEG_MAX, negated=1))
    return program(scale_and_bias, *tiles, *drains)


def tile(generation: Generation, first_key: int, command: AccumCmd) -> tuple[bytes, bytes]:
    """Mask one tile and fold its maximum."""
    mask = row(generation, MASK + first_key, TILE)
    masked = row(generation, MASKED + 2 * first_key, TILE)
    fill = record(
        "COPY_PREDICATED_SCALAR",
        pred_mem_pattern=mask,
        pred_dtype=Dtype.UINT8,
        reversed_pred=0,  # the scalar goes where the predicate is 0
        num_active_channels=LANES,
        in_dtype=Dtype.BFLOAT16,
        out_dtype=Dtype.BFLOAT16,
        src0_imm=bits(MINUS_INF, Dtype.BFLOAT16),
        dst_mem_pattern=masked,
    )
    select = record(
        "SELECT_REDUCE",
        src0_mem_pattern=mask,
        src1_mem_pattern=row(generation, SCALED + 2 * first_key, TILE),
        op0=AluOp.BYPASS,
        op1=AluOp.MAX,
        in0_in1_dtype=pair(Dtype.UINT8, Dtype.BFLOAT16),
        out_dtype=Dtype.BFLOAT16,
        num_active_channels=LANES,
        imm0_dtype=Dtype.FP32,
        imm0=MINUS_INF,  # what the fill reading of the false lanes would write: the same value
        accumulator_cmd=command,
        dst_mem_pattern=masked,
    )
    return fill, select


def drain(generation: Generation, byte: int, *, negated: int, space: str = "sbuf", partition: int = 0) -> bytes:
    """Write each lane's accumulator as FP32."""
    return record(
        "DVE_READ_ACCUMULATOR",
        dst_element_count=1,
        dtype=Dtype.FP32,
        negated=negated,
        num_active_channels=LANES,
        dst_mem_pattern=pattern(address(generation, space, partition, byte), (1,), (1,)),
    )
