"""Fused records: the usual case of a record, made ready when it is planned. No operation is built, nothing is asked.

A fused record reads, computes and writes on memory alone, in buffers that are used again. It says whether it did:
where a number is special (numerics/chain.py) it has written nothing, and the family's `execute` carries the record out.
Everything that could make a choice count is ruled out when it is made.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property

import ml_dtypes
import numpy as np

from ..isa.dtypes import Dtype
from ..memory.access import Access
from ..memory.image import DeviceMemory
from ..memory.overlap import partially_overlap
from ..numerics.arrays import F32, codes_below
from ..numerics.chain import Chain
from .bound import Binding

FLOATS = {Dtype.FP32: np.dtype(np.float32), Dtype.BFLOAT16: np.dtype(ml_dtypes.bfloat16)}
_LARGEST = 1 << 18  # elements; one lane may walk over any number of them
_SHORT_ROW = 8192  # bytes of a lane from which on a ufunc takes memory as it lies; shorter ones are gathered first


class _Scratch(threading.local):
    """Room for the elements of one record, as fp32; each thread has its own."""

    def __init__(self) -> None:
        self.room: F32 = np.empty(0, np.float32)

    def of(self, elements: int) -> F32:
        if self.room.size < elements:
            self.room = np.empty(elements, np.float32)
        return self.room[:elements]


_SCRATCH = _Scratch()


@dataclass(frozen=True)
class FusedChain:
    """A chain of fp32 steps with scalars from `source` to `target`, whose elements are of the types beside them.

    elements: of all lanes.
    """

    source: Access
    source_type: np.dtype[np.float32]
    target: Access
    target_type: np.dtype[np.float32]
    chain: Chain
    elements: int

    def __call__(self, memory: DeviceMemory) -> bool:
        """Carry the record out, under np.errstate(all="ignore")."""
        result, given = _SCRATCH.of(self.elements), self.source.view_as(memory, self.source_type)
        if self._as_it_lies:
            values, result = given, result.reshape(given.shape)
            codes = self.source.view(memory)
        else:
            result.reshape(given.shape)[...] = given
            values, codes = result, result.view(np.uint32)
        if codes_below(codes, self.chain.least) or not self.chain.into(result, values):
            return False
        target = self.target.view_as(memory, self.target_type)
        target[...] = result.reshape(target.shape)
        return True

    @cached_property
    def _as_it_lies(self) -> bool:
        return self.source_type == np.float32 and self.source.elements * self.source.itemsize >= _SHORT_ROW


def fused_chain(binding: Binding, source: str, target: str, chain: Chain) -> FusedChain | None:
    """The chain on two tensor operands, where nothing but special numbers can make it another result."""
    a, b = (binding.tensors[name] for name in (source, target))
    if a.access is None or b.access is None or a.dtype not in FLOATS or b.dtype not in FLOATS:
        return None
    if not b.access.visits_once or partially_overlap(b.access, a.access) or a.visits > _LARGEST:
        return None
    types = (FLOATS[Dtype(tensor.dtype)] for tensor in (a, b))
    return FusedChain(a.access, next(types), b.access, next(types), chain, a.visits)
