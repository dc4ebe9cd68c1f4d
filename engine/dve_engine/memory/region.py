"""How callers name bytes: a memory and a rectangle of partitions and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ..isa.generation import Generation, MemoryGeometry


class Space(Enum):
    """The two on-chip memories."""

    SBUF = "sbuf"
    PSUM = "psum"

    __hash__ = object.__hash__  # members are single; Enum's own is a Python call for each look-up of a memory

    def geometry(self, generation: Generation) -> MemoryGeometry:
        """Where the memory lies on `generation`."""
        return generation.sbuf if self is Space.SBUF else generation.psum

    def exists(self, generation: Generation) -> bool:
        """Whether any address of `generation` leads there."""
        return self.geometry(generation).region_bytes > 0


class RegionError(ValueError):
    """A region that does not lie inside an existing memory, or data of the wrong size for it."""


@dataclass(frozen=True)
class Region:
    """Bytes `byte` to `byte + size - 1` of each of `partitions` consecutive partitions."""

    space: Space
    partition: int
    partitions: int
    byte: int
    size: int

    @property
    def total_bytes(self) -> int:
        """Bytes in the whole rectangle."""
        return self.partitions * self.size

    def check(self, generation: Generation) -> None:
        """Raise RegionError unless the region lies inside memory that exists on `generation`."""
        geometry = self.space.geometry(generation)
        if not self.space.exists(generation):
            raise RegionError(f"{generation.name} has no {self.space.name}")
        if self.partition < 0 or self.partitions < 1 or self.partition + self.partitions > geometry.partitions:
            raise RegionError(
                f"partitions {self.partition}..{self.partition + self.partitions - 1} do not lie in "
                f"0..{geometry.partitions - 1}"
            )
        if self.byte < 0 or self.size < 1 or self.byte + self.size > geometry.active_bytes:
            raise RegionError(
                f"bytes {self.byte}..{self.byte + self.size - 1} do not lie in 0..{geometry.active_bytes - 1} "
                f"of a {generation.name} {self.space.name} partition"
            )
