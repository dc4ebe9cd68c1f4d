"""How many elements a run touches, read from encoded counts: a bound on its work before it starts."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from dve_engine import Generation
from dve_engine.isa.layout import STRUCTS, struct_of
from dve_engine.isa.opcodes import CATALOG
from dve_engine.isa.struct import Struct, decode
from dve_engine.memory.address import is_indirect
from dve_engine.validator import legality

from .limits import Limits
from .orders import Run

Counts = npt.NDArray[np.float64]


@cache
def _patterns(struct: Struct) -> tuple[tuple[str, bool], ...]:
    """The access patterns of a struct, and whether each may be indirect."""
    kinds = {"TENSOR", "PATTERN", "MEM_PATTERN"}
    return tuple((f.name, not f.type.startswith("TENSOR")) for f in struct.fields if f.type[:-2] in kinds)


def elements(code: bytes, generation: Generation) -> Counts:
    """Lanes x elements of the largest walk of each record; 0 for records without patterns."""
    records = decode(code)
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
            walk = np.where(is_indirect(pattern["start_addr"]), listed, walk)
        most = np.maximum(most, walk)
    lanes = fields["num_active_channels"] if "num_active_channels" in struct.by_name else 128
    return np.asarray(most * lanes)


def check(order: Run, limits: Limits) -> None:
    """Raise LimitExceeded if the records that the run would carry out are more to trace, or walk more elements, than
    allowed; the engine minds single instructions.
    """
    counts = elements(order.program.code, order.program.generation)
    if counts.sum() > limits.elements or (order.trace != "none" and len(counts) > limits.trace_entries):
        counts = counts[carried_out(order)]  # asked only here: it takes a validation
        limits.check("elements", int(counts.sum()))
        if order.trace != "none":
            limits.check("trace_entries", len(counts))


def carried_out(order: Run) -> npt.NDArray[np.intp]:
    """The indices of the records that the run would carry out; none where it will be rejected."""
    program = order.program
    opcodes = decode(program.code)[:, 0]
    choices = program.choices.fresh()
    legal = legality(program.code, program.generation, choices)
    if order.on_invalid == "reject" and not legal.all():
        return np.zeros(0, np.intp)
    ends = ~legal if order.on_invalid == "stop" else np.zeros(len(legal), bool)
    if choices["control-halt"] == "ends-run":
        halts = [opcode for opcode, info in CATALOG.items() if info.control == "halt"]
        ends |= legal & np.isin(opcodes, halts)
    first = int(ends.argmax()) + 1 if ends.any() else len(legal)
    return np.flatnonzero(legal[:first])
