"""Every operation by mnemonic, and what is known of this unit and not modelled."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from types import MappingProxyType

from . import (
    algebra,
    alu,
    classify,
    compare_fp,
    compare_int,
    dropout,
    flagged_alu,
    float_alu,
    fold,
    merge,
    moves,
    packers,
    reduce,
    reduce_flag,
    scalar_conditions,
    select,
)
from .errors import UnknownOperation
from .operation import Operation

GROUPS = MappingProxyType({
    "compare_int": compare_int.OPERATIONS,
    "compare_fp": compare_fp.OPERATIONS,
    "classify": classify.OPERATIONS,
    "algebra": algebra.OPERATIONS,
    "fold": fold.OPERATIONS,
    "packers": packers.OPERATIONS,
    "merge": merge.OPERATIONS,
    "scalar_conditions": scalar_conditions.OPERATIONS,
    "alu": alu.OPERATIONS,
    "flagged_alu": flagged_alu.OPERATIONS,
    "float_alu": float_alu.OPERATIONS,
    "select": select.OPERATIONS,
    "reduce": reduce.OPERATIONS,
    "reduce_flag": reduce_flag.OPERATIONS,
    "moves": moves.OPERATIONS,
    "dropout": dropout.OPERATIONS,
})  # fmt: skip

OPERATIONS: Mapping[str, Operation] = {row.mnemonic: row for rows in GROUPS.values() for row in rows}
GROUP_OF: Mapping[str, str] = {row.mnemonic: group for group, rows in GROUPS.items() for row in rows}
if len(OPERATIONS) != sum(map(len, GROUPS.values())):
    raise AssertionError("two rows have one mnemonic")

NOT_MODELLED: tuple[tuple[str, str], ...] = (  # pattern of mnemonics, reason
    (r"ivp_dsel\w+", "the control layout of the second output is not known (07 section 7.4)"),
    (r"ivp_shfl\w+", "the crossbar pages are outside this unit; it has no predicated form"),
    (r"ivp_count\w+", "histograms belong to another unit (07 section 5.2)"),
    (r"ivp_sv\w+t", "a store needs a memory; masked_store gives the 64 bytes it leaves (07 section 7.4)"),
    (r"ivp_(gather|scatter)\w+", "no page describes more than that the mask enables lanes (07 section 7.4)"),
    (r"ivp_(add|sub)n(xf16|_2xf32)t?", "rounding arithmetic is outside this unit, but for the dropout chain"),
    (r"ivp_(ufloat|float|trunc|utrunc)\w+", "converts are outside this unit; dropout.uniform01 is that step"),
)


def named(mnemonic: str) -> Operation:
    """The row of a mnemonic.

    Raises UnknownOperation with the nearest mnemonic, or with the reason why a known one is not modelled.
    """
    row = OPERATIONS.get(mnemonic)
    if row is not None:
        return row
    short = mnemonic[:80]
    for pattern, reason in NOT_MODELLED:
        if re.fullmatch(pattern, short):
            raise UnknownOperation(short, reason=reason)
    near = difflib.get_close_matches(short, OPERATIONS, 1, 0.5)
    raise UnknownOperation(short, near[0] if near else None)
