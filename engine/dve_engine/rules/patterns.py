"""Pattern validity and element counts.

Source: isa/01 sections 3.2, 5.2, 9.3, 9.6 and 9.7.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..isa.dtypes import Dtype, dtype_name
from ..isa.generation import ALL, Generation
from ..memory import address as ad
from ..memory.address import is_register
from .batch import Batch, Bools
from .operands import (
    WITH_INDIRECT,
    WITH_UNIONS,
    PatternColumns,
    TensorOperand,
    dtype_column,
    element_count,
    pattern_columns,
)
from .rule import Part, Rule

Test = Callable[[Batch, PatternColumns], Bools]
_INDEX_DTYPE = np.uint8(Dtype.UINT32)  # the code whose alignment an index word is held to


def pattern_parts(operand: TensorOperand) -> tuple[Part, ...]:
    """V15 to V17: counts and start address of a direct pattern; count, index word and data word of an indirect one."""

    def part(test: Test, member: str, expected: str | Callable[[Batch, int], str], *, indirect: bool = False) -> Part:
        """`test` is asked of the records that use the arm; `member` names the offending bytes."""

        def holds(batch: Batch) -> Bools:
            columns = pattern_columns(batch, operand)
            arm = columns.indirect if indirect else ~columns.indirect
            if indirect and not arm.any():
                return batch.all_true()
            return ~arm | test(batch, columns)

        field = f"{operand.field}.{member}"
        return Part(holds, field, expected, generations=WITH_INDIRECT if indirect else ALL)

    def aligned_to(batch: Batch, row: int) -> str:
        return f"aligned to {dtype_name(int(dtype_column(batch, operand)[row]))}"

    places = " or ".join(name for name, ok in (("SBUF", operand.sbuf), ("PSUM", operand.psum)) if ok)
    wide = "of a 4-byte dtype where the destination is in PSUM"
    register = "0x80000000 plus a register number 0..63"
    start, data, index = "start_addr", "data_addr", "index_addr"
    parts = [
        part(_no_stray_marker, start, "a direct address; the field has no indirect form here"),
        part(_counts_positive, "num_elem", "at least 1 in every dimension"),
        part(lambda b, c: ad.marker_defined(c.first), start, "an address word without marker 0x60 or 0xE0"),
        part(_no_shape_on_sunda, start, "an address word without a shape marker on this generation"),
        part(lambda b, c: ~is_register(c.first) | ad.register_form_valid(c.first, b.generation), start, register),
        part(lambda b, c: is_register(c.first) | _aligned(b, c.first, c.dtype), start, aligned_to),
        part(lambda b, c: is_register(c.first) | _in_memory(b, c.first), start, f"an address in {places}"),
    ]
    parts += _place_parts(operand, part, lambda c: c.first, start, wide, indirect=False)
    parts += [
        part(lambda b, c: c.num[:, 0] != 0, "num", "at least 1", indirect=True),
        part(
            lambda b, c: _index_register_ok(b, c.first), index, "0xA0000000 plus a register number 0..63", indirect=True
        ),
        part(
            lambda b, c: is_register(c.first) | _aligned(b, c.first, _INDEX_DTYPE),
            index,
            "4-byte aligned",
            indirect=True,
        ),
        part(
            lambda b, c: is_register(c.first) | _index_in_sbuf(b, c.first), index, "an address in SBUF", indirect=True
        ),
        part(lambda b, c: (c.data & ad.MARKER_BITS) == 0, data, "an address without marker bits", indirect=True),
        part(lambda b, c: _aligned(b, c.data, c.dtype), data, aligned_to, indirect=True),
        part(lambda b, c: _in_memory(b, c.data), data, f"an address in {places}", indirect=True),
    ]
    parts += _place_parts(operand, part, lambda c: c.data, data, wide, indirect=True)
    return tuple(parts)


def _place_parts(
    operand: TensorOperand,
    part: Callable[..., Part],
    word: Callable[[PatternColumns], ad.Words],
    member: str,
    wide: str,
    *,
    indirect: bool,
) -> list[Part]:
    """V8 to V10, as far as this operand has them."""

    def outside(batch: Batch, columns: PatternColumns, region: Callable[[ad.Words, Generation], Bools]) -> Bools:
        words = word(columns)
        return is_register(words) | ~region(ad.address_of(words), batch.generation)

    parts = []
    if not operand.psum:
        parts.append(part(lambda b, c: outside(b, c, ad.in_psum), member, "an address in SBUF", indirect=indirect))
    if not operand.sbuf:
        parts.append(part(lambda b, c: outside(b, c, ad.in_sbuf), member, "an address in PSUM", indirect=indirect))
    if operand.write:

        def wide_enough(batch: Batch, columns: PatternColumns) -> Bools:
            good: Bools = outside(batch, columns, ad.in_psum) | ad.psum_write_width_ok(columns.dtype)
            if good.all() or batch.depends("psum-narrow-write", ~good) == "reject":
                return good
            return batch.all_true()

        parts.append(part(wide_enough, member, wide, indirect=indirect))
    return parts


def _aligned(batch: Batch, words: ad.Words, dtypes: np.ndarray | np.uint8) -> Bools:
    return ad.addr_aligned_dtype(ad.address_of(words), np.asarray(dtypes), batch.generation)


def _in_memory(batch: Batch, words: ad.Words) -> Bools:
    addresses = ad.address_of(words)
    return ad.in_sbuf(addresses, batch.generation) | ad.in_psum(addresses, batch.generation)


def _index_register_ok(batch: Batch, words: ad.Words) -> Bools:
    return ~is_register(words) | ad.register_form_valid(words, batch.generation, index_word=True)


def _index_in_sbuf(batch: Batch, words: ad.Words) -> Bools:
    addresses = ad.address_of(words)
    good = ad.in_sbuf(addresses, batch.generation)
    psum = ad.in_psum(addresses, batch.generation)
    if psum.any() and batch.depends("indirect-index-region", psum) == "sbuf-or-psum":
        return good | psum
    return good


def _no_stray_marker(batch: Batch, columns: PatternColumns) -> Bools:
    """Bit 29 without bit 30 in a field that has no indirect form (`indirect-marker-in-plain-pattern`)."""
    stray = columns.marked & ~columns.indirect
    if not stray.any() or batch.depends("indirect-marker-in-plain-pattern", stray) == "reject":
        return ~stray
    return batch.all_true()


def _counts_positive(batch: Batch, columns: PatternColumns) -> Bools:
    good = np.asarray((columns.num >= 1).all(axis=1))
    return good if good.all() else good | ad.shape_from_register(columns.first, batch.generation)


def _no_shape_on_sunda(batch: Batch, columns: PatternColumns) -> Bools:
    if batch.generation.features.shape_registers:
        return batch.all_true()
    shape = (columns.first & ad.MARKER_BITS) == ad.SHAPE_BIT
    if not shape.any() or batch.depends("shape-marker-on-sunda", shape) == "ignored":
        return batch.all_true()
    return np.asarray(~shape)


def pattern_valid(operand: TensorOperand, *, union_name: str | None = None, confidence: str = "H") -> Rule:
    """`tensorNd_valid`; under `union_name` where the field is a direct-or-indirect union."""
    return Rule(
        pattern_name(operand),
        pattern_parts(operand),
        (operand.field, *(() if operand.fixed_dtype is not None else (operand.dtype,))),
        renamed=dict.fromkeys(WITH_UNIONS, union_name) if union_name else {},
        confidence=confidence,
    )


def pattern_name(operand: TensorOperand) -> str:
    """The header's name of the rule for a plain field of this operand's dimensions."""
    return f"tensor{operand.dims}d_valid"


def pattern_leaves(operand: TensorOperand) -> tuple[Part, ...]:
    """The parts of a pattern rule inside a composite: the leaf is the rule's own name on the generation."""
    plain = [
        replace(p, leaf=pattern_name(operand), generations=p.generations - WITH_UNIONS) for p in pattern_parts(operand)
    ]
    union = [
        replace(p, leaf=f"mem{operand.dims}d_valid", generations=p.generations & WITH_UNIONS)
        for p in pattern_parts(operand)
    ]
    return (*plain, *union)


def count_waived(batch: Batch, first: PatternColumns, second: PatternColumns) -> Bools:
    """The escape of every rule on two patterns: a shape marker, or an index list in a register, on either."""
    waived = np.zeros(len(batch), bool)
    for columns in (first, second):
        waived |= ad.shape_from_register(columns.first, batch.generation)
        waived |= columns.indirect & ad.indirect_in_register(columns.first)
    return waived


def same_count_part(first: TensorOperand, second: TensorOperand, leaf: str | None = None) -> Part:
    """V19 and V20: the element counts of two operands are equal, unless waived."""

    def holds(batch: Batch) -> Bools:
        a, b = pattern_columns(batch, first), pattern_columns(batch, second)
        equal: Bools = element_count(a) == element_count(b)
        return equal if equal.all() else equal | count_waived(batch, a, b)

    def expected(batch: Batch, row: int) -> str:
        counts = [int(element_count(pattern_columns(batch, o))[row]) for o in (first, second)]
        return f"as many elements as {first.field}: {counts[0]}, not {counts[1]}"

    return Part(holds, f"{second.field}.num_elem", expected, leaf)


def same_element_count(
    function: str, first: TensorOperand, second: TensorOperand, *, union_name: str | None = None, confidence: str = "H"
) -> Rule:
    """The rule under whatever name a list gives it; the second operand is blamed."""
    return Rule(
        function,
        (same_count_part(first, second),),
        (first.field, second.field),
        renamed=dict.fromkeys(WITH_UNIONS, union_name) if union_name else {},
        confidence=confidence,
    )


def element_count_in(function: str, operand: TensorOperand, low: int, high: int) -> Rule:
    """An operand alone visits `low` to `high` elements, unless its shape comes from a register."""

    def holds(batch: Batch) -> Bools:
        columns = pattern_columns(batch, operand)
        count = element_count(columns)
        good: Bools = (count >= low) & (count <= high)
        return good if good.all() else good | ad.shape_from_register(columns.first, batch.generation)

    expected = f"{low} elements" if low == high else f"{low} to {high} elements"
    part = Part(holds, f"{operand.field}.num_elem", expected)
    return Rule(function, (part,), (operand.field,), named_by_us=True)


def multiple_of_32_count_part(operand: TensorOperand, leaf: str | None = None) -> Part:
    """Whole 32 x 32 tiles: the element count is a multiple of 32. Only the pattern's own shape marker waives it."""

    def holds(batch: Batch) -> Bools:
        columns = pattern_columns(batch, operand)
        waived = ad.shape_from_register(columns.first, batch.generation)
        return np.asarray((element_count(columns) % 32 == 0) | waived)

    return Part(holds, f"{operand.field}.num_elem", "a multiple of 32 elements", leaf)


def indirect_dst_size_limit_part(dst: TensorOperand) -> Part:
    """V21: an upper limit on the indices of a scatter; it is in no source (`indirect-dst-size-limit`)."""

    def holds(batch: Batch) -> Bools:
        batch.depends("indirect-dst-size-limit", pattern_columns(batch, dst).indirect)
        return batch.all_true()

    return Part(holds, f"{dst.field}.num", "within the limit", f"indirect_dst_size_limit_m{dst.dims}d", WITH_INDIRECT)
