"""Undo: put back what a program wrote before it failed.

Binding finds nearly everything that can be wrong before the first write. Known later are the entries of an index list
and what only the elements show: a code without a definition, an overlap or an accumulator the caller wants refused. So
a program that writes more than once keeps a journal.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .access import Access, GatherAccess
from .image import DeviceMemory
from .region import Region

_GENEROUS = 8  # copying this much more costs less than copying piece by piece


class Journal:
    """The old bytes of every region about to be written, newest last."""

    def __init__(self, memory: DeviceMemory) -> None:
        self._memory = memory
        self._saved: list[tuple[Region, npt.NDArray[np.uint8]]] = []

    def save(self, access: Access | GatherAccess) -> None:
        """Remember the bytes an operand covers; in one piece where that is not many times as much."""
        for band in access.bands():
            whole = band.window.total_bytes <= _GENEROUS * band.total_bytes
            regions = [band.window] if whole else band.regions()
            self._saved += [(region, self._memory.read(region)) for region in regions]

    def undo(self) -> None:
        """Restore everything saved, newest first."""
        for region, data in reversed(self._saved):
            self._memory.write(region, data)
        self._saved.clear()
