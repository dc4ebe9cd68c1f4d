"""DeviceMemory: SBUF and PSUM as two byte arrays."""

from __future__ import annotations

import contextlib
import mmap

import numpy as np
import numpy.typing as npt

from ..isa.generation import Generation
from .region import Region, RegionError, Space

Bytes = npt.NDArray[np.uint8]
_MAPPED_BYTES = 1 << 20  # smaller arrays come from the heap
_PADDING = 128  # bytes behind each partition: rows a power of two apart would share few sets of the caches


class DeviceMemory:
    """The on-chip memory of one engine.

    arrays: for each Space a uint8 array (128, active bytes per partition), zero to begin with. Fresh pages cost nothing
    until touched. buffers: the same bytes as they lie in the machine, partitions `pitch_of` bytes apart.
    """

    __slots__ = ("arrays", "buffers", "generation")

    def __init__(self, generation: Generation) -> None:
        self.generation = generation
        self.arrays: dict[Space, Bytes] = {}
        self.buffers: dict[Space, memoryview] = {}
        for space in Space:
            geometry = space.geometry(generation)
            width = geometry.active_bytes if space.exists(generation) else 0
            padded = _zeros(geometry.partitions, pitch_of(width))
            self.buffers[space], self.arrays[space] = padded.data, padded[:, :width]

    def read(self, region: Region) -> Bytes:
        """Copy a region out as uint8 (partitions, size).

        Raises RegionError if it does not lie in memory.
        """
        return self._window(region).copy()

    def write(self, region: Region, data: bytes | Bytes) -> None:
        """Store row-major bytes (partitions, size) into a region.

        Raises RegionError if the region does not lie in memory or the data has another size.
        """
        raw = np.frombuffer(data, np.uint8) if isinstance(data, bytes | bytearray | memoryview) else np.asarray(data)
        if raw.dtype != np.uint8 or raw.size != region.total_bytes:
            raise RegionError(
                f"a region of {region.partitions} x {region.size} bytes takes {region.total_bytes}, got {raw.nbytes}"
            )
        self._window(region)[...] = raw.reshape(region.partitions, region.size)

    def copy(self) -> DeviceMemory:
        """An independent copy."""
        twin = DeviceMemory(self.generation)
        for space, array in self.arrays.items():
            twin.arrays[space][...] = array
        return twin

    def _window(self, region: Region) -> Bytes:
        region.check(self.generation)
        rows = slice(region.partition, region.partition + region.partitions)
        return self.arrays[region.space][rows, region.byte : region.byte + region.size]


def pitch_of(width: int) -> int:
    """How far apart partitions of `width` bytes lie in the machine's memory."""
    return width + _PADDING if width else 0


def _zeros(rows: int, width: int) -> Bytes:
    """Zero bytes straight from the operating system: np.zeros would clear recycled heap pages one by one.

    Huge pages, where there are any, make touching all of it several times cheaper.
    """
    if rows * width < _MAPPED_BYTES or not hasattr(mmap, "MAP_ANONYMOUS"):
        return np.zeros((rows, width), np.uint8)
    pages = mmap.mmap(-1, rows * width, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel without them
            pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, np.uint8).reshape(rows, width)
