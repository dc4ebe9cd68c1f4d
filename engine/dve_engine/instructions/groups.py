"""Groups: the consecutive blocks of a source's stream that a sub-dimension field cuts it into. Source: isa/05 section
10.2 [H]."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy.typing as npt

from ..isa.codes import SUBDIMS
from .bound import Binding, BoundTensor
from .errors import ExecutionError


def group_size(tensor: BoundTensor, subdim: int) -> int:
    """Elements per group: the product of the innermost dimensions the field names; an index list is one dimension."""
    return tensor.elements if tensor.access is None else prod(tensor.access.walk.counts[: SUBDIMS[subdim]])


def require_one_per_group(binding: Binding, subdim: int) -> None:
    """Raise ExecutionError unless the destination takes exactly one element per group."""
    src, dst = binding.tensors["src"], binding.tensors["dst"]
    groups = src.elements // group_size(src, subdim)
    if dst.elements != groups:
        raise ExecutionError(f"element counts differ: src has {groups} groups, dst {dst.elements}", operand="dst")


def require_tiles(binding: Binding) -> None:
    """Raise ExecutionError unless lanes and source elements make whole 32 x 32 tiles."""
    elements = binding.tensors["src"].elements
    if elements % 32 or binding.lanes % 32:
        raise ExecutionError(f"src: {binding.lanes} lanes of {elements} elements are no 32 x 32 tiles", operand="src")


def grouped(elements: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """(lanes, elements) as (lanes, groups, size)."""
    return elements.reshape(elements.shape[0], elements.shape[1] // size, size)
