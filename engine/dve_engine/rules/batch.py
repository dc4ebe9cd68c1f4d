"""Batch: records of one struct, one generation, one set of choices, with the columns that rules share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..isa.assumptions import Choices
from ..isa.generation import Generation
from ..isa.struct import Records, Struct, column

Bools = npt.NDArray[np.bool_]
Column = npt.NDArray[Any]
Codes = frozenset[int] | Callable[[Generation], frozenset[int]]


class Batch:
    """n records seen through their struct.

    Columns and whatever rules derive from them are computed once and kept, since several rules read the same ones.
    """

    def __init__(
        self, struct: Struct, records: npt.NDArray[np.uint8], generation: Generation, choices: Choices
    ) -> None:
        """records: uint8 (n, 64)."""
        self.struct = struct
        self.raw = records
        self.records: Records = struct.view(records)
        self.generation = generation
        self.choices = choices
        self._kept: dict[object, Any] = {}

    def __len__(self) -> int:
        return len(self.records)

    def column(self, path: str) -> Column:
        """The values of one field, (n,) or (n, k) for an array field."""
        values: Column = self.keep(path, lambda: np.ascontiguousarray(column(self.records, path)))
        return values

    def among(self, path: str, codes: Codes) -> Bools:
        """Whether a one-byte field is one of `codes`, which may depend on the generation, (n,)."""
        members = codes(self.generation) if callable(codes) else codes
        chosen: Bools = self.keep((path, members), lambda: _table(members)[self.column(path)])
        return chosen

    def keep(self, key: object, compute: Callable[[], Any]) -> Any:
        """The value of `compute`, computed at the first call with this key."""
        if key not in self._kept:
            self._kept[key] = compute()
        return self._kept[key]

    def all_true(self) -> Bools:
        """True for every record."""
        return np.ones(len(self), bool)

    def depends(self, identifier: str, where: Bools) -> str:
        """The value of an assumption, noted as used only if it matters for at least one record."""
        return self.choices[identifier] if where.any() else self.choices.peek(identifier)


@cache
def _table(members: frozenset[int]) -> Bools:
    table = np.zeros(256, bool)
    table[[int(c) for c in members]] = True
    return table
