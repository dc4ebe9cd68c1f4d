"""One field against a set of codes, and reserved bytes against zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ..isa.aluops import IS_GENERAL_ARITH, AluOp, present
from ..isa.aluops import codes as alu_codes
from ..isa.codes import CODE_SPACES
from ..isa.dtypes import dtype_name
from .batch import Batch, Bools, Codes
from .rule import Expected, Part, Rule


def among(path: str, codes: Codes | Iterable[int]) -> Callable[[Batch], Bools]:
    """A check that a one-byte field is one of `codes`, which may depend on the generation."""
    members = codes if callable(codes) else frozenset(int(c) for c in codes)
    return lambda batch: batch.among(path, members)


def field_in(
    function: str, path: str, codes: Codes | Iterable[int], expected: Expected, *, named_by_us: bool = False
) -> Rule:
    """The field's value is one of `codes`."""
    return Rule(function, (Part(among(path, codes), path, expected),), (path,), named_by_us=named_by_us)


def enum_in(function: str, path: str, space: str, *, named_by_us: bool = False) -> Rule:
    """The field's value is a member of the enumeration on this generation (isa/codes.py)."""
    members = CODE_SPACES[space]

    def expected(batch: Batch, _: int) -> str:
        return f"one of {members.describe(batch.generation)}"

    return field_in(function, path, members.codes, expected, named_by_us=named_by_us)


def alu_op_part(path: str, leaf: str | None = None) -> Part:
    """The field is an ALU code of this generation."""
    return Part(among(path, alu_codes), path, "an ALU code of this generation", leaf)


def alu_enum(path: str) -> Rule:
    """`is_valid_enum(AluOp, field)`."""
    return Rule("is_valid_enum", (alu_op_part(path),), (path,))


_GENERAL_ARITH = present(IS_GENERAL_ARITH)
_CLAMP = present(frozenset((int(AluOp.SYMMETRIC_CLAMP),)))


def general_arith(batch: Batch, path: str, asked: Bools | None = None) -> Bools:
    """Whether the field is in `is_general_arith_op`; SYMMETRIC_CLAMP, where the generation has it, by assumption.

    asked: the records whose verdict hangs on it, all by default.
    """
    good, clamp = batch.among(path, _GENERAL_ARITH), batch.among(path, _CLAMP)
    if asked is not None:
        clamp = clamp & asked
    return good if batch.depends("symmetric-clamp", clamp) == "reject" else good | clamp


def dtype_in(function: str, path: str, dtypes: Iterable[int], *, named_by_us: bool = False) -> Rule:
    """The field is one of the listed dtypes."""
    codes = sorted(int(d) for d in dtypes)
    return field_in(function, path, codes, f"one of {', '.join(map(dtype_name, codes))}", named_by_us=named_by_us)


def reserved_zero(function: str, *paths: str, named_by_us: bool = False) -> Rule:
    """Every byte of the named fields is zero; one part per field, so that the failure names it."""
    return Rule(function, tuple(Part(_zero(p), p, "zero") for p in paths), paths, named_by_us=named_by_us)


def _zero(path: str) -> Callable[[Batch], Bools]:
    def holds(batch: Batch) -> Bools:
        values = batch.column(path)
        if values.dtype.fields is not None:  # a described block that must be empty
            values = values.view(np.uint8).reshape(len(batch), -1)
        zero: Bools = values == 0
        return np.asarray(zero.all(axis=1)) if values.ndim > 1 else zero

    return holds


def float_zero_part(path: str) -> Part:
    """The four bytes of a field are 0.0 as an fp32; -0.0 equals it."""

    def holds(batch: Batch) -> Bools:
        return np.asarray(np.ascontiguousarray(batch.column(path)).view(np.float32) == 0)

    return Part(holds, path, "0.0")


def float_finite_part(path: str) -> Part:
    """The four bytes of a field are an fp32 other than an infinity or a NaN."""

    def holds(batch: Batch) -> Bools:
        exponent = batch.column(path) & np.uint32(0x7F80_0000)
        return np.asarray(exponent != np.uint32(0x7F80_0000))

    return Part(holds, path, "finite")


def equal_fields(function: str, first: str, second: str) -> Rule:
    """Two fields hold the same value; the second is blamed."""

    def expected(batch: Batch, row: int) -> str:
        return f"equal to {first}, which is {int(batch.column(first)[row])}"

    part = Part(lambda batch: batch.column(first) == batch.column(second), second, expected)
    return Rule(function, (part,), (first, second))
