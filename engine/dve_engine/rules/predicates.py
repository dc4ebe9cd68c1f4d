"""The dtype of a predicate operand. Source: isa/04 section 2, `predicate-dtype-set`."""

from __future__ import annotations

import numpy as np

from ..isa.dtypes import INT6, Dtype, dtype_name
from .batch import Batch, Bools
from .fields import among
from .rule import Part, Rule


def predicate_holds(path: str, nki: tuple[str, ...]) -> Part:
    """The predicate's dtype is one of the six integers; under `nki-list` one that NKI lists for the instruction."""
    everything, documented = among(path, INT6), among(path, [Dtype[name] for name in nki])

    def holds(batch: Batch) -> Bools:
        good, listed = everything(batch), documented(batch)
        extra = good & ~listed
        return listed if batch.depends("predicate-dtype-set", extra) == "nki-list" else good

    def expected(batch: Batch, _: int) -> str:
        names = nki if batch.choices.peek("predicate-dtype-set") == "nki-list" else map(dtype_name, sorted(INT6))
        return f"one of {', '.join(names)}"

    return Part(holds, path, expected)


def predicate_dtype_in(function: str, path: str, *, nki: tuple[str, ...]) -> Rule:
    """The rule under the name a list gives it."""
    return Rule(function, (predicate_holds(path, nki),), (path,))


def not_32b_int(path: str) -> Part:
    """The data dtype is not a 32-bit integer."""
    return Part(
        lambda batch: ~np.isin(batch.column(path), (Dtype.INT32, Dtype.UINT32)),
        path,
        "a dtype other than INT32 and UINT32",
    )
