"""The 32 x 32 tile transpose. Source: isa/03 section 4.8, isa/06 section 5.8 [H]."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

TILE = 32


def transpose32(elements: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Swap lane and element inside every aligned 32 x 32 tile; tiles stay where they are. (lanes, elements) both ways.

    Raises ValueError unless both are multiples of 32.
    """
    lanes, count = elements.shape
    tiles = elements.reshape(lanes // TILE, TILE, count // TILE, TILE)
    return tiles.transpose(0, 3, 2, 1).reshape(lanes, count)
