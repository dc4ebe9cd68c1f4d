"""Channel counts and start partitions. Source: isa/01 sections 9.1, 9.4 and 9.5."""

from __future__ import annotations

import numpy as np

from ..isa.generation import ALL, MAX_CHANNELS
from ..memory import address as ad
from .batch import Batch, Bools
from .operands import WITH_INDIRECT, WITH_UNIONS, TensorOperand, pattern_columns
from .rule import Part, Rule

CHANNELS = "num_active_channels"
_RANGE = f"1 to {MAX_CHANNELS}"
_TILE_REASON = "the meaning of header.inst_flags is in no source (maverick-tile-range)"
TILED = frozenset(g for g in ALL if g.features.tile_aware_channel_range)


def _in_range(batch: Batch) -> Bools:
    n = batch.column(CHANNELS)
    good: Bools = (n >= 1) & (n <= MAX_CHANNELS)
    return good


def _no_tile(batch: Batch) -> Bools:
    """V3: flags of 0 mean no tile, anything else is not modelled."""
    byte = batch.choices.peek("maverick-inst-flags-byte")
    flags = batch.raw[:, 3 if byte == "byte-3" else 2]
    either = (batch.raw[:, 2] != 0) | (batch.raw[:, 3] != 0)
    batch.depends("maverick-inst-flags-byte", either)
    tiled: Bools = flags != 0
    if batch.depends("maverick-tile-range", tiled) == "ignore-flags":
        return batch.all_true()
    return ~tiled


check_active_channels = Rule("check_active_channels", (Part(_in_range, CHANNELS, _RANGE),), (CHANNELS,))

_TILE_PART = Part(_no_tile, "header.debug_hint", "0, no tile", generations=TILED, not_modelled=_TILE_REASON)
has_valid_active_channel_range = Rule(
    "has_valid_active_channel_range",
    (Part(_in_range, CHANNELS, _RANGE), _TILE_PART),
    (CHANNELS,),
    renamed=dict.fromkeys(TILED, "has_valid_active_channel_range_with_tile"),
)

TRANSPOSE_CHANNELS = (32, 64, 96, 128)


def _start_expected(batch: Batch, row: int) -> str:
    n = int(batch.column(CHANNELS)[row])
    if not 1 <= n <= MAX_CHANNELS:
        return f"used with 1 to {MAX_CHANNELS} channels, not {n}"
    starts = "0, 32, 64 or 96" if n <= 32 else "0 or 64" if n <= 64 else "0"
    return f"in the existing bytes of partition {starts} with {n} channels"


def start_holds(words: ad.Words, batch: Batch) -> Bools:
    """V11 on addresses or whole pointer words, with the channel count of each record."""
    n = batch.column(CHANNELS)
    table = ad.tpb_addr_active_channels(words, n, batch.generation)
    if table.all():
        return table
    anywhere = ad.tpb_addr_active_channels(words, n, batch.generation, any_start=True)
    return anywhere if batch.depends("start-partition-table", anywhere & ~table) == "any" else table


def start_parts(operand: TensorOperand) -> tuple[Part, ...]:
    """V12 on a direct pattern; V14 on an indirect one: the index word and the data word."""

    def of(words: ad.Words, batch: Batch) -> Bools:
        return ad.addr_from_register(words) | start_holds(ad.address_of(words), batch)

    def direct(batch: Batch) -> Bools:
        columns = pattern_columns(batch, operand)
        return columns.indirect | of(columns.first, batch)

    def index(batch: Batch) -> Bools:
        columns = pattern_columns(batch, operand)
        if not columns.indirect.any():
            return batch.all_true()
        return ~columns.indirect | ad.indirect_in_register(columns.first) | of(columns.first, batch)

    def data(batch: Batch) -> Bools:
        columns = pattern_columns(batch, operand)
        if not columns.indirect.any():
            return batch.all_true()
        return ~columns.indirect | of(columns.data, batch)

    return (
        Part(direct, f"{operand.field}.start_addr", _start_expected),
        Part(index, f"{operand.field}.index_addr", _start_expected, generations=WITH_INDIRECT),
        Part(data, f"{operand.field}.data_addr", _start_expected, generations=WITH_INDIRECT),
    )


def start_addr_active_channels(operand: TensorOperand, *, union_name: str | None = None, confidence: str = "H") -> Rule:
    """The start partition of an operand suits the channel count; an address in a register passes.

    union_name: the function's name where the field is a direct-or-indirect union.
    """
    renamed = dict.fromkeys(WITH_UNIONS, union_name) if union_name else {}
    fields = (f"{operand.field}.start_addr", CHANNELS)
    return Rule("start_addr_active_channels", start_parts(operand), fields, renamed=renamed, confidence=confidence)


def multiple_of_32_part(leaf: str | None = None) -> Part:
    """V4: the transposed forms work on whole blocks of 32 lanes."""
    return Part(lambda batch: np.isin(batch.column(CHANNELS), TRANSPOSE_CHANNELS), CHANNELS, "32, 64, 96 or 128", leaf)
