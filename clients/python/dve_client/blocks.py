"""Memory cut into blocks, as the service stores it, so that only what it lacks is uploaded.

A block is one quadrant (32 partitions) x 1024 bytes, row-major, 32 KiB; its id is the BLAKE3 digest of its bytes.
All-zero blocks are absent.
"""

from __future__ import annotations

from collections.abc import Iterable

from blake3 import blake3

from dve_engine import DeviceMemory, RegionError, Space, generation_named

from .answers import BlockPlace
from .errors import BadInput
from .memory import MemoryRegion

PARTITIONS, BYTES = 32, 1024


def cut(generation: str, memory: Iterable[MemoryRegion]) -> tuple[list[BlockPlace], dict[str, bytes]]:
    """The places of the blocks of zero memory with regions on top, and the bytes of each distinct block.

    Raises BadInput for a generation or region that does not exist.
    """
    try:
        device = DeviceMemory(generation_named(generation))
        touched = set()
        for item in memory:
            device.write(item.region, item.data)
            place = item.region
            quadrants = range(place.partition // PARTITIONS, (place.partition + place.partitions - 1) // PARTITIONS + 1)
            tiles = range(place.byte // BYTES, (place.byte + place.size - 1) // BYTES + 1)
            touched |= {(place.space.value, quadrant, tile) for quadrant in quadrants for tile in tiles}
    except (RegionError, ValueError) as error:
        raise BadInput(str(error)) from error
    places, blocks = [], {}
    for space, quadrant, tile in sorted(touched):
        rows = device.arrays[Space(space)][PARTITIONS * quadrant : PARTITIONS * (quadrant + 1)]
        part = rows[:, BYTES * tile : BYTES * (tile + 1)]
        if part.any():
            data = part.tobytes()
            block = blake3(data).hexdigest()
            places.append(BlockPlace(space, quadrant, tile, block))
            blocks[block] = data
    return places, blocks
