"""How many elements a program touches, read from its encoded counts: a bound on the work of a run before it starts."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from dve_engine import Generation
from dve_engine.isa.layout import STRUCTS, struct_of
from dve_engine.isa.struct import Struct

from .limits import Limits

_INDIRECT_BITS, _INDIRECT = np.uint32(0x6000_0000), np.uint32(0x2000_0000)
Counts = npt.NDArray[np.float64]


@cache
def _patterns(struct: Struct) -> tuple[tuple[str, bool], ...]:
    """The access patterns of a struct, and whether each may be indirect."""
    kinds = {"TENSOR", "PATTERN", "MEM_PATTERN"}
    return tuple((f.name, not f.type.startswith("TENSOR")) for f in struct.fields if f.type[:-2] in kinds)


def elements(code: bytes, generation: Generation) -> Counts:
    """Lanes x elements of the largest walk of each record; 0 for records without patterns."""
    records = np.frombuffer(code, np.uint8).reshape(-1, 64)
    counts = np.zeros(len(records))
    for opcode in np.unique(records[:, 0]):
        struct = struct_of(int(opcode))
        if struct is None or struct.name not in STRUCTS:
            continue
        rows = records[:, 0] == opcode
        counts[rows] = _of_struct(struct, records[rows], generation)
    return counts


def _of_struct(struct: Struct, records: npt.NDArray[np.uint8], generation: Generation) -> Counts:
    fields = struct.view(records)
    most = np.zeros(len(records))
    for name, may_be_indirect in _patterns(struct):
        pattern = fields[name]
        walk = np.prod(pattern["num_elem"].astype(np.float64), axis=1)
        if may_be_indirect and generation.features.indirect_patterns:
            # an index list: index word, data word, count
            raw = np.ascontiguousarray(pattern).view(np.uint8).reshape(len(records), -1)
            listed = raw[:, 8].astype(np.float64) + 256.0 * raw[:, 9]
            walk = np.where((pattern["start_addr"] & _INDIRECT_BITS) == _INDIRECT, listed, walk)
        most = np.maximum(most, walk)
    lanes = fields["num_active_channels"] if "num_active_channels" in struct.by_name else 128
    return np.asarray(most * lanes)


def check(code: bytes, generation: Generation, limits: Limits) -> None:
    """Raise LimitExceeded if the program walks more elements than allowed; the engine minds single instructions."""
    limits.check("elements", int(elements(code, generation).sum()))
