"""Records on which the generations differ: where a partition lies, whether there is PSUM, what an FP8 code means."""

from __future__ import annotations

from dve_engine import Generation
from dve_engine.isa.dtypes import Dtype

from ..encode import address, pattern, record
from .stage import SCALED, drain

HALF, FP8_AT, FP8_KEYS = 64, 16_384, 512


def upper_half_to_fp8(generation: Generation) -> bytes:
    """Lanes 64..127 of the scaled scores as FP8_EXP4, from partition 64 on."""
    return record(
        "TENSOR_SCALAR_ARITH_OP",
        src_mem_pattern=pattern(address(generation, "sbuf", HALF, SCALED), (1,), (FP8_KEYS,)),
        in_dtype=Dtype.BFLOAT16,
        out_dtype=Dtype.FP8_EXP4,
        num_active_channels=HALF,
        dst_mem_pattern=pattern(address(generation, "sbuf", HALF, FP8_AT), (1,), (FP8_KEYS,)),
    )


def row_max_to_psum(generation: Generation) -> bytes:
    """The row maxima where the Tensor Engine's results lie. Raises BadInput where there is no PSUM."""
    return drain(generation, 0, negated=0, space="psum")


def saturates(generation: Generation) -> bool:
    """Whether FP8_EXP4 is the OCP format. Source: isa/02 section 6."""
    return generation.name in ("MARIANA", "MAVERICK")
