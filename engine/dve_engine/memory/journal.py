"""Undo: put back what a program wrote before it failed.

Only programs that can fail after their first write keep a journal: those with an index list, whose entries are known no earlier.
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
