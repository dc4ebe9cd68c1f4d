"""Lane blocks: a large tile is carried out a few lanes at a time, so that intermediate results stay in the cache.

Lanes know nothing of each other, so the order of blocks changes no bit, and several may run at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..memory.access import Access
from ..memory.overlap import partially_overlap
from .bound import Binding
from .fused import FusedChain
from .instruction import Instruction

BLOCK_ELEMENTS = 1 << 16  # 256 KiB of fp32: a source, an intermediate and a result fit into a second-level cache


@dataclass(frozen=True)
class LaneBlock:
    """Consecutive lanes of a record: the first of them, their operands, and their usual case made ready (or None)."""

    first: int
    binding: Binding
    fused: FusedChain | None


def lane_blocks(family: Instruction, record: np.void, binding: Binding) -> tuple[LaneBlock, ...]:
    """The blocks of a record that is worth being cut and may be; else none."""
    elements = max((tensor.elements for tensor in binding.tensors.values()), default=0)
    lanes = max(1, BLOCK_ELEMENTS // max(1, elements))
    if lanes >= binding.lanes or family.lanewise is None or not family.lanewise(record) or not _apart(binding):
        return ()
    firsts = range(0, binding.lanes, lanes)
    parts = [binding.part(first, min(lanes, binding.lanes - first)) for first in firsts]
    fused = [family.fuse(record, part) if family.fuse is not None else None for part in parts]
    return tuple(map(LaneBlock, firsts, parts, fused))


def _apart(binding: Binding) -> bool:
    """Whether no lane reads what another one writes."""
    places = [tensor.access for tensor in binding.tensors.values()]
    if any(place is None or place.lanes != binding.lanes for place in places):
        return False
    written = [t.access for t in binding.tensors.values() if t.operand.write and t.access is not None]
    sources: list[Access] = [t.access for t in binding.tensors.values() if not t.operand.write and t.access is not None]
    sources += [scalar.access for scalar in binding.scalars.values() if scalar.access is not None]
    return len(written) == 1 and not any(partially_overlap(written[0], source) for source in sources)
