"""What calls answer, beside verdicts (verdicts.py) and memory (memory.py)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from dve_engine import Region

from .memory import MemoryRegion, bytes_within
from .verdicts import AssumptionUse, Verdict

Document = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class MachineView:
    """The machine beside its memory, after a run or in a session.

    accumulator_bits: uint32 (128,), exact. tainted: bool (128,). banks: those register banks that differ from
    reset, little-endian (dve_engine.banks names them). image: of the memory, if one was stored.
    """

    accumulator_bits: npt.NDArray[np.uint32]
    tainted: npt.NDArray[np.bool_]
    registers: Mapping[int, int]
    banks: Mapping[str, bytes]
    image: str | None

    @property
    def accumulators(self) -> npt.NDArray[np.float32]:
        """The accumulators as float32 (128,): the same bits."""
        return self.accumulator_bits.view(np.float32)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MachineView):
            return NotImplemented
        return (
            np.array_equal(self.accumulator_bits, other.accumulator_bits)
            and np.array_equal(self.tainted, other.tainted)
            and (dict(self.registers), dict(self.banks)) == (dict(other.registers), dict(other.banks))
            and self.image == other.image
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class RunAnswer:
    """What a run did.

    executed: records carried out. memory: the regions asked for. written: what the program's destinations cover.
    digest: equal for the same program, start and result, whichever transport. version: of the session, if it was one.
    cached: whether this is the answer of an earlier run that was the same; no part of what makes answers equal.
    """

    valid: bool
    executed: int
    verdicts: tuple[Verdict, ...]
    memory: tuple[MemoryRegion, ...]
    written: tuple[Region, ...]
    state: MachineView
    assumptions: tuple[AssumptionUse, ...]
    diagnostics: tuple[Document, ...]
    trace: tuple[Document, ...]
    digest: str
    estimated_cycles: int
    version: int | None
    cached: bool = field(compare=False)
    engine_version: str
    isa_version: str

    def bytes_at(self, place: Region) -> npt.NDArray[np.uint8]:
        """The bytes of a region that lies inside one of those read back, uint8 (partitions, size).

        Raises BadInput if it does not.
        """
        return bytes_within(self.memory, place)


@dataclass(frozen=True)
class StoredImage:
    """The receipt of an image: its id, distinct blocks, and the bytes they hold."""

    image: str
    blocks: int
    bytes: int


@dataclass(frozen=True, order=True)
class BlockPlace:
    """One block of an image: partitions 32*quadrant ..

    +31, bytes 1024*tile .. +1023 of a memory. id: its BLAKE3 digest.
    """

    space: str
    quadrant: int
    tile: int
    id: str


@dataclass(frozen=True)
class ImageInfo:
    """An image and the places of its blocks; all-zero blocks are absent."""

    image: str
    generation: str
    blocks: tuple[BlockPlace, ...]


@dataclass(frozen=True)
class Session:
    """A session as it is now. A run or write makes a new version; this object stays as it was."""

    id: str
    generation: str
    version: int
    image: str
    ttl_seconds: int
    state: MachineView
    forked_from: tuple[str, int] | None = None  # session and version


@dataclass(frozen=True)
class SessionVersion:
    """A version that a session keeps. created_at: when it was made, RFC 3339, UTC."""

    version: int
    image: str
    created_at: str


@dataclass(frozen=True)
class SessionMemory:
    """Regions of a session, all of one version."""

    version: int
    memory: tuple[MemoryRegion, ...]


@dataclass(frozen=True)
class Versions:
    """What is running."""

    service_version: str
    engine_version: str
    isa_version: str
