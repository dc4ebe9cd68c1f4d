"""Undo: put back what a program wrote before it failed.

A program of one record needs no journal, since a record that fails has not written; nor does a caller that throws the state away.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .access import Access, GatherAccess
from .image import DeviceMemory
from .region import Region


class Journal:
    """The old bytes of every region about to be written, newest last."""

    def __init__(self, memory: DeviceMemory) -> None:
        self._memory = memory
        self._saved: list[tuple[Region, npt.NDArray[np.uint8]]] = []

    def save(self, access: Access | GatherAccess) -> None:
        """Remember the bytes an operand covers."""
        self._saved += [(region, self._memory.read(region)) for region in access.regions()]

    def undo(self) -> None:
        """Restore everything saved, newest first."""
        for region, data in reversed(self._saved):
            self._memory.write(region, data)
        self._saved.clear()
