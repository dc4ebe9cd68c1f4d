"""Operands as NumPy users know them: a place, a dtype, a shape and steps. Axis 0 is the lanes, one partition each.

scores = sbuf(0, 1536, "bf16", (128, 512))      # 128 lanes of 512 elements
scores[:, :256]                                  # the first tile
scores[64:]                                      # the lanes of the upper half
scores[:, ::-1]                                  # backwards
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from types import EllipsisType
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from ..assembly.words import codes
from ..isa.dtypes import DTYPES, Dtype, size_bytes
from ..isa.generation import MAVERICK, NUM_ADDRESS_REGISTERS, Generation
from ..memory.address import REGISTER_BIT, Location, address_at
from ..memory.region import Space
from .errors import BuildError

DtypeLike = Dtype | str | int | npt.DTypeLike
Index = SupportsIndex | slice | EllipsisType


def dtype_of(value: DtypeLike) -> Dtype:
    """A dtype from its enumerator, code, word (`bf16`, `float32`, `UINT8`) or NumPy's own.

    Raises BuildError.
    """
    if isinstance(value, int):
        if value in DTYPES:
            return Dtype(value)
    elif isinstance(value, str) and value.upper() in codes("DTYPE", MAVERICK):  # the newest knows every dtype
        return Dtype(codes("DTYPE", MAVERICK)[value.upper()])
    else:
        try:
            name = np.dtype(value).name.upper()
        except TypeError:
            name = ""
        if name in codes("DTYPE", MAVERICK):
            return Dtype(codes("DTYPE", MAVERICK)[name])
    raise BuildError(f"{value!r} is no dtype; such as bf16, fp32, uint8")


@dataclass(frozen=True)
class Operand:
    """Elements of one tile of SBUF or PSUM.

    partition, byte: where element 0 of lane 0 lies. shape: lanes, then elements, outermost axis first as in NumPy.
    steps: in elements, one for each axis behind the lanes; without them the elements lie one behind the other.
    register: the address register (0..63) that holds the address instead of the record.
    """

    space: Space | str
    partition: int
    byte: int
    dtype: DtypeLike
    shape: tuple[int, ...]
    steps: tuple[int, ...] | None = None
    register: int | None = None

    def __post_init__(self) -> None:
        known = {space.value for space in Space}
        if str(getattr(self.space, "value", self.space)) not in known:
            raise BuildError(f"space {self.space!r} is none of {', '.join(sorted(known))}")
        shape = tuple(self.shape)
        if not shape or min(shape) < 1:
            raise BuildError(f"shape {shape} needs a number of lanes, and no axis is empty")
        steps = tuple(self.steps) if self.steps is not None else _contiguous(shape[1:])
        if len(steps) != len(shape) - 1:
            raise BuildError(f"{len(steps)} steps for {len(shape) - 1} axes behind the lanes")
        if self.register is not None and not 0 <= self.register < NUM_ADDRESS_REGISTERS:
            raise BuildError(f"register {self.register} does not lie in 0..{NUM_ADDRESS_REGISTERS - 1}")
        for name, value in (("space", Space(self.space)), ("dtype", dtype_of(self.dtype)), ("shape", shape)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "steps", steps)

    @property
    def lanes(self) -> int:
        """How many lanes."""
        return self.shape[0]

    @property
    def elements(self) -> int:
        """Elements of one lane."""
        return prod(self.shape[1:])

    @property
    def code(self) -> Dtype:
        """The dtype as its enumerator."""
        return dtype_of(self.dtype)

    @property
    def itemsize(self) -> int:
        """Bytes of one element. Raises BuildError where an element is smaller."""
        if not size_bytes(self.code):
            raise BuildError(f"elements of {self.code.name} have no address of their own")
        return size_bytes(self.code)

    def __getitem__(self, index: Index | tuple[Index, ...]) -> Operand:
        """A part of it, by NumPy's basic indexing. Lanes are cut by a slice without a step; a number keeps one."""
        given = list(index) if isinstance(index, tuple) else [index]
        if given.count(...) > 1 or len(given) - given.count(...) > len(self.shape):
            raise BuildError(f"{len(given)} indices for {len(self.shape)} axes")
        at = given.index(...) if ... in given else len(given)
        full: list[Index] = [slice(None)] * (len(self.shape) - len(given) + given.count(...))
        lanes, *rest = given[:at] + full + given[at + 1 :]
        first, count, step = _cut(lanes, self.lanes)
        if step != 1 or (self.register is not None and (first or any(_cut(i, n)[0] for i, n in _behind(self, rest)))):
            raise BuildError("lanes lie side by side, and what a register places has no parts but those that start it")
        byte, shape, steps = self.byte, [count or 1], []
        for (part, length), own in zip(_behind(self, rest), self.steps or (), strict=True):
            start, count, factor = _cut(part, length)
            byte += start * own * self.itemsize if start else 0
            if count is not None:
                shape.append(count)
                steps.append(own * factor)
        return replace(self, partition=self.partition + first, byte=byte, shape=tuple(shape), steps=tuple(steps))

    def transpose(self, *axes: int) -> Operand:
        """The axes behind the lanes in another order: numbers from 1, reversed if none are given."""
        order = axes or tuple(range(len(self.shape) - 1, 0, -1))
        if sorted(order) != list(range(1, len(self.shape))):
            raise BuildError(f"axes {order} are not those of 1..{len(self.shape) - 1} in another order")
        steps = self.steps or ()
        shape = (self.lanes, *(self.shape[axis] for axis in order))
        return replace(self, shape=shape, steps=tuple(steps[axis - 1] for axis in order))

    def broadcast(self, count: int) -> Operand:
        """Every element `count` times over, as a new innermost axis with step 0."""
        return replace(self, shape=(*self.shape, count), steps=(*(self.steps or ()), 0))

    def view(self, dtype: DtypeLike) -> Operand:
        """The same place and shape under another dtype; steps stay in elements."""
        return replace(self, dtype=dtype)

    def word(self, generation: Generation) -> int:
        """The address word. Raises BuildError where the generation has nothing at the place."""
        if self.register is not None:
            return REGISTER_BIT | self.register
        space = Space(self.space)
        geometry = space.geometry(generation)
        inside = 0 <= self.partition < geometry.partitions and 0 <= self.byte < geometry.active_bytes
        if not space.exists(generation) or not inside:
            raise BuildError(f"{generation.name} has no {space.name} partition {self.partition} byte {self.byte}")
        return address_at(Location(space, self.partition, self.byte), generation)


def sbuf(
    partition: int, byte: int, dtype: DtypeLike, shape: Sequence[int], steps: Sequence[int] | None = None
) -> Operand:
    """An operand in SBUF."""
    return Operand(Space.SBUF, partition, byte, dtype, tuple(shape), None if steps is None else tuple(steps))


def psum(
    partition: int, byte: int, dtype: DtypeLike, shape: Sequence[int], steps: Sequence[int] | None = None
) -> Operand:
    """An operand in PSUM."""
    return Operand(Space.PSUM, partition, byte, dtype, tuple(shape), None if steps is None else tuple(steps))


def at_register(register: int, dtype: DtypeLike, shape: Sequence[int], steps: Sequence[int] | None = None) -> Operand:
    """An operand whose address an address register holds."""
    return Operand(Space.SBUF, 0, 0, dtype, tuple(shape), None if steps is None else tuple(steps), register)


@dataclass(frozen=True)
class Indirect:
    """A gather or scatter (MARIANA and later): elements of `data` in the order of the list at `index`.

    data: where offset 0 lies; its elements per lane are how many the list names.
    """

    data: Operand
    index: Operand


@dataclass(frozen=True)
class Microscaled:
    """A microscaled destination: packed groups of four elements, and their scale bytes.

    data: one element per group, with the dtype of the elements in it. scales: where the scale bytes go.
    """

    data: Operand
    scales: Operand
    scale_partition_index: int = 0


@dataclass(frozen=True)
class Scalar:
    """A scalar held in the record, with its dtype where the instruction has a field for it."""

    value: float
    dtype: DtypeLike


@dataclass(frozen=True)
class Bits:
    """The bits of a 4-byte field as they are, with the scalar's dtype where it has a field for it."""

    bits: int
    dtype: DtypeLike | None = None


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))


def _behind(operand: Operand, parts: Sequence[Index]) -> list[tuple[Index, int]]:
    return list(zip(parts, operand.shape[1:], strict=True))


def _cut(part: Index, length: int) -> tuple[int, int | None, int]:
    """First index, count (None for a single one) and step of a part of an axis."""
    if isinstance(part, slice):
        start, stop, step = part.indices(length)
        count = len(range(start, stop, step))
        if count == 0:
            raise BuildError(f"{part} takes nothing of {length}")
        return start, count, step
    if not isinstance(part, SupportsIndex):
        raise BuildError(f"{part!r} is no index")
    at = part.__index__()
    if not -length <= at < length:
        raise BuildError(f"index {at} does not lie in an axis of {length}")
    return at % length, None, 1
