"""Records on which the generations differ: where a partition lies, whether there is PSUM, what an FP8 code means."""

from __future__ import annotations

from dve_engine import Generation
from dve_engine.builder import ProgramBuilder, psum, sbuf

from .stage import LANES, SCALED, drain

HALF, FP8_AT, FP8_KEYS = 64, 16_384, 512


def upper_half_to_fp8(generation: Generation) -> bytes:
    """Lanes 64..127 of the scaled scores as FP8_EXP4, from partition 64 on."""
    src = sbuf(0, SCALED, "bf16", (LANES, FP8_KEYS))[HALF:]
    dst = sbuf(HALF, FP8_AT, "fp8e4", (HALF, FP8_KEYS))
    return ProgramBuilder(generation).tensor_scalar(src=src, dst=dst)


def row_max_to_psum(generation: Generation) -> bytes:
    """The row maxima where the Tensor Engine's results lie. Raises BuildError where there is no PSUM."""
    program = ProgramBuilder(generation)
    drain(program, psum(0, 0, "fp32", (LANES, 1)))
    return program.bytes


def saturates(generation: Generation) -> bool:
    """Whether FP8_EXP4 is the OCP format. Source: isa/02 section 6."""
    return generation.name in ("MARIANA", "MAVERICK")
