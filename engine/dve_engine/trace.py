"""What a run tells about itself: trace events, and the written regions of a whole program."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from .instructions.instruction import Instruction
from .instructions.operation import Operation
from .isa.opcodes import CATALOG
from .memory.region import Region, Space
from .text import line

TraceLevel = Literal["none", "summary", "full"]
_EVENT_FIELDS = ("wait_mode", "wait_idx", "update_mode", "update_idx", "semaphore_value")


def event(
    index: int,
    record: np.void,
    family: Instruction,
    operation: Operation | None,
    cycles: int,
    diagnostics: Sequence[dict[str, Any]],
    level: TraceLevel,
) -> dict[str, Any]:
    """One carried-out record: mnemonic and cycles; at level `full` also text, reads, writes, events and diagnostics."""
    opcode = int(record["header"]["opcode"])
    entry: dict[str, Any] = {
        "instruction": index,
        "opcode": opcode,
        "mnemonic": CATALOG[opcode].name,
        "class": "data" if operation is not None else "control",
        "elements": max((t.elements for t in operation.binding.tensors.values()), default=0) if operation else 0,
        "estimated_cycles": cycles,
    }
    if level == "full":
        reads, writes = _regions(operation, write=False), _regions(operation, write=True)
        entry |= {"text": line(record, family), "reads": reads, "writes": writes, "events": _events(record), "diagnostics": list(diagnostics)}
    return entry


def _events(record: np.void) -> dict[str, int]:
    names = record.dtype.names or ()
    return {name: int(record["events"][name]) for name in _EVENT_FIELDS} if "events" in names else {}


def _regions(operation: Operation | None, *, write: bool) -> list[Region]:
    if operation is None:
        return []
    return [
        region
        for name, tensor in operation.binding.tensors.items()
        if tensor.operand.write is write
        for region in operation.place(name).regions()
    ]


def merge_regions(regions: Iterable[Region]) -> tuple[Region, ...]:
    """The union of rectangles as disjoint ones: byte intervals are joined per band of partitions that share the same rows."""
    merged: list[Region] = []
    by_space: dict[Space, list[Region]] = {}
    for region in dict.fromkeys(regions):
        by_space.setdefault(region.space, []).append(region)
    for space, members in by_space.items():
        edges = sorted({e for r in members for e in (r.partition, r.partition + r.partitions)})
        bands: list[tuple[int, int, tuple[tuple[int, int], ...]]] = []
        for low, high in itertools.pairwise(edges):
            intervals = _union(
                (r.byte, r.byte + r.size) for r in members if r.partition <= low and r.partition + r.partitions >= high
            )
            if bands and bands[-1][1] == low and bands[-1][2] == intervals:
                bands[-1] = (bands[-1][0], high, intervals)
            else:
                bands.append((low, high, intervals))
        merged += [Region(space, low, high - low, a, b - a) for low, high, intervals in bands for a, b in intervals]
    return tuple(merged)


def _union(intervals: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    joined: list[tuple[int, int]] = []
    for low, high in sorted(intervals):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return tuple(joined)
