"""What a run tells about itself: trace events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from .assembly import text_of
from .instructions.operation import Operation
from .isa.generation import Generation
from .isa.opcodes import CATALOG
from .memory.region import Region

TraceLevel = Literal["none", "summary", "full"]
_PIECES = 64  # rectangles of one operand in an event; a more scattered one is shown by the rectangle around it
_EVENT_FIELDS = ("wait_mode", "wait_idx", "update_mode", "update_idx", "semaphore_value")


def event(
    index: int,
    record: np.void,
    generation: Generation,
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
        entry |= {"text": text_of(record.tobytes(), generation), "reads": reads, "writes": writes}
        entry |= {"events": _events(record), "diagnostics": list(diagnostics)}
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
        for band in operation.place(name).bands()
        for region in (band.regions() if len(band.intervals) <= _PIECES else (band.window,))
    ]
