"""The dtype gates. Source: isa/02 section 4 [H]."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..isa.dtypes import Dtype, Gate, dtype_name, gates
from ..isa.generation import GENERATIONS, Generation
from .batch import Batch, Bools
from .fields import among
from .rule import Part, Rule

_SMALL_GATES = ("dtype_fp4_illegal_check", "dtype_4bit_illegal_check", "dtype_scale_illegal_check")
_EXTENDED = 0x10  # first code that no DTYPE_PAIR can hold


def accepted(generation: Generation, *permissions: str) -> tuple[int, ...]:
    """The codes that pass `is_valid_dtype` with the given permissions (`fp32r`, `u64`, `i64`)."""
    refused: set[int] = set()
    for gate in gates(generation):
        if gate.permission is None or gate.permission not in permissions:
            refused |= gate.refuses
    return tuple(c for c in range(256) if c not in refused)


def dtype_parts(path: str, *permissions: str, small_codes: bool = False) -> tuple[Part, ...]:
    """The elementary checks of a dtype gate, in evaluation order, for each generation.

    small_codes: this is `is_valid_dtype_64`, printed without the 4-bit and scale checks (`dtype-64-small-codes`).
    """
    parts = []
    for generation in GENERATIONS:
        legal = accepted(generation, *permissions)
        expected = "one of " + ", ".join(dtype_name(c) for c in legal if c < Dtype.CPTC1)
        for gate in gates(generation):
            if gate.permission is None or gate.permission not in permissions:
                parts.append(_gate_part(path, gate, generation, expected, small_codes))
    return tuple(parts)


def _gate_part(path: str, gate: Gate, generation: Generation, expected: str, small_codes: bool) -> Part:
    passes = among(path, frozenset(range(256)) - gate.refuses)
    part = Part(passes, path, expected, gate.name, frozenset((generation,)))
    if gate.name == "is_valid_enum":
        return replace(part, holds=lambda batch: passes(batch) & _extended_codes_pass(batch, path))
    if small_codes and gate.name in _SMALL_GATES:
        return replace(part, holds=lambda batch: passes(batch) | _small_codes_pass(batch, ~passes(batch)))
    return part


def _extended_codes_pass(batch: Batch, path: str) -> Bools:
    """Codes from 0x10 on that come this far pass the printed chain (`extended-dtype-codes`)."""
    extended: Bools = batch.column(path) >= _EXTENDED
    if extended.any():
        known = np.isin(batch.column(path), accepted(batch.generation))
        if batch.depends("extended-dtype-codes", extended & known) == "reject-all":
            return ~extended
    return batch.all_true()


def _small_codes_pass(batch: Batch, where: Bools) -> Bools:
    if where.any() and batch.depends("dtype-64-small-codes", where) == "chain-as-printed":
        return batch.all_true()
    return np.zeros(len(batch), bool)


def is_valid_dtype(path: str, *, fp32r: bool = False) -> Rule:
    """`is_valid_dtype(d, AllowFP32R)`."""
    return Rule("is_valid_dtype", dtype_parts(path, *(("fp32r",) if fp32r else ())), (path,))


def is_valid_dtype_64(path: str, *, fp32r: bool = False) -> Rule:
    """`is_valid_dtype_64` with 64-bit integers allowed; where the generation has no 64-bit leg, `is_valid_dtype`."""
    permissions = ("fp32r",) if fp32r else ()
    wide = frozenset(g for g in GENERATIONS if g.features.dtype_64_in_tensor_tensor_validator)
    parts = [p for p in dtype_parts(path, *permissions, "u64", "i64", small_codes=True) if p.generations <= wide]
    narrow = [p for p in dtype_parts(path, *permissions) if not p.generations <= wide]
    renamed = {g: "is_valid_dtype" for g in GENERATIONS if g not in wide}
    return Rule("is_valid_dtype_64", (*narrow, *parts), (path,), renamed=renamed)
