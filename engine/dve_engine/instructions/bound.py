"""Bound operands: where the operands of a record lie in memory, and which bytes they may touch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..memory import address as ad
from ..memory.access import Access, GatherAccess, OutOfBounds
from ..memory.footprint import Band
from ..memory.image import DeviceMemory
from ..memory.indirect import IndexLayout, resolve
from ..memory.overlap import partially_overlap
from ..rules.operands import TensorOperand
from .errors import ExecutionError


@dataclass(frozen=True)
class BoundTensor:
    """A tensor operand in its place. `access` is None where an index list has still to be read (`gather`)."""

    operand: TensorOperand
    dtype: int
    elements: int
    access: Access | None
    gather: PendingGather | None = None

    def at(self, memory: DeviceMemory) -> Access | GatherAccess:
        """The operand's elements; reads the index list of an indirect one.

        Raises ExecutionError where an entry leads outside memory.
        """
        if self.access is not None:
            return self.access
        assert self.gather is not None
        with reported(self.operand.name):
            return self.gather.resolve(memory)

    @property
    def visits(self) -> int:
        """Elements over all lanes, repeats included."""
        lanes = self.gather.lanes if self.gather is not None else self.access.lanes if self.access is not None else 0
        return lanes * self.elements

    def reach(self) -> Iterator[Band]:
        """The bytes the elements may lie in: exactly theirs, unless an index list has still to be read."""
        if self.access is not None:
            yield from self.access.bands()
        elif self.gather is not None:
            yield from self.gather.reach()


@dataclass(frozen=True)
class PendingGather:
    """What is known of an indirect operand before its list is read."""

    index: Access
    data: ad.Location
    lanes: int
    num: int
    itemsize: int
    layout: IndexLayout

    def resolve(self, memory: DeviceMemory) -> GatherAccess:
        """Read the list."""
        return resolve(self.index, memory, self.data, self.lanes, self.num, self.itemsize, self.layout)

    def reach(self) -> Iterator[Band]:
        """The bytes that entries may lead to, whatever the list holds."""
        geometry = self.data.space.geometry(self.index.generation)
        lanes = min(self.lanes, geometry.partitions - self.data.partition)
        room = (geometry.active_bytes - self.data.byte) // self.itemsize
        elements = min(room, 1 << 8 * self.layout.entry_bytes)
        if lanes > 0 and elements > 0:
            end = self.data.byte + elements * self.itemsize
            yield Band(self.data.space, self.data.partition, lanes, np.array([[self.data.byte, end]]))


@dataclass(frozen=True)
class BoundScalar:
    """A scalar operand: its bits where the record holds them, else where each lane finds them."""

    inline: int | None
    access: Access | None


@dataclass(frozen=True)
class Binding:
    """All operands of one record."""

    lanes: int
    tensors: dict[str, BoundTensor]
    scalars: dict[str, BoundScalar]
    codes: dict[str, int] = field(default_factory=dict)  # fields of the record that were asked for

    @cached_property
    def places(self) -> dict[str, Access | GatherAccess] | None:
        """Where the tensor operands lie; None if index lists have still to be read."""
        known = {name: tensor.access for name, tensor in self.tensors.items() if tensor.access is not None}
        return {**known} if len(known) == len(self.tensors) else None

    @cached_property
    def crossings(self) -> dict[str, tuple[str, ...]]:
        """For each operand the others that it overlaps other than exactly in place; of direct operands only."""
        places = self.places or {}
        return {a: tuple(b for b in places if b != a and partially_overlap(places[a], places[b])) for a in places}

    def part(self, first: int, lanes: int) -> Binding:
        """`lanes` lanes from lane `first` on. Direct operands only."""
        tensors = {
            name: replace(tensor, access=tensor.access and tensor.access.part(first, lanes))
            for name, tensor in self.tensors.items()
        }
        scalars = {
            name: replace(scalar, access=scalar.access and scalar.access.part(first, lanes))
            for name, scalar in self.scalars.items()
        }
        return Binding(lanes, tensors, scalars, self.codes)

    def reads(self) -> Iterator[Band]:
        """The bytes of sources, index lists and scalars behind pointers."""
        for tensor in self.tensors.values():
            if not tensor.operand.write:
                yield from tensor.reach()
            if tensor.gather is not None:
                yield from tensor.gather.index.bands()
        for scalar in self.scalars.values():
            if scalar.access is not None:
                yield from scalar.access.bands()

    def writes(self) -> Iterator[Band]:
        """The bytes that destinations may cover."""
        for tensor in self.tensors.values():
            if tensor.operand.write:
                yield from tensor.reach()


class reported:
    """Turns a bounds error into an ExecutionError that names the operand."""

    def __init__(self, operand: str) -> None:
        self.operand = operand

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OutOfBounds):
            raise ExecutionError(
                f"{self.operand}: {error}", operand=self.operand, lane=error.lane, address=error.address
            ) from None
