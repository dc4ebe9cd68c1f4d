"""Reading memory piece by piece: which blocks are needed together, and the bytes they hold.

Rows of a region cross many blocks, and a block holds a piece of 32 rows. So blocks are held for one row of them at a
time, which is what bounds the memory of a read: 8 MiB, or one row of blocks where the memory is wider than that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from dve_engine import Region

from .blocks import BLOCK_BYTES, QUADRANT, TILE_BYTES, Manifest, Place, places_of, tile
from .orders import Write

PIECE_BYTES = 1 << 20
_HELD = 256  # blocks
_ZEROS = tile(bytes(BLOCK_BYTES))


def rows_of_blocks(region: Region) -> Iterator[Region]:
    """A region cut where one row of blocks ends and the next begins."""
    first, end = region.partition, region.partition + region.partitions
    while first < end:
        upto = min(end, (first // QUADRANT + 1) * QUADRANT)
        yield Region(region.space, first, upto - first, region.byte, region.size)
        first = upto


def pieces(region: Region) -> Iterator[Region]:
    """A region in parts of at most PIECE_BYTES, row-major: whole partitions, or parts of one that is longer."""
    rows = max(1, PIECE_BYTES // region.size)
    for first in range(0, region.partitions, rows):
        count = min(rows, region.partitions - first)
        for byte in range(0, region.size, PIECE_BYTES):
            size = min(PIECE_BYTES, region.size - byte)
            yield Region(region.space, region.partition + first, count, region.byte + byte, size)


def groups(regions: Iterable[Region]) -> Iterator[Sequence[Region]]:
    """Regions in order, cut and grouped so that the blocks of a group may be held at once."""
    group: list[Region] = []
    held = 0
    for region in regions:
        for row in rows_of_blocks(region):
            needed = len(places_of([row]))
            if group and held + needed > _HELD:
                yield group
                group, held = [], 0
            group.append(row)
            held += needed
    if group:
        yield group


def contents(region: Region, manifest: Manifest, blocks: Mapping[str, bytes]) -> Write:
    """A region inside one row of blocks, and its bytes. blocks: by id, all those that the manifest has there."""
    quadrant, row = divmod(region.partition, QUADRANT)
    first = region.byte // TILE_BYTES
    ids = [
        manifest.blocks.get(Place(region.space.value, quadrant, number))
        for number in range(first, -(-(region.byte + region.size) // TILE_BYTES))
    ]
    tiles = [(tile(blocks[one]) if one else _ZEROS)[row : row + region.partitions] for one in ids]
    start = region.byte - TILE_BYTES * first
    return Write(region, np.concatenate(tiles, axis=1)[:, start : start + region.size].tobytes())


def rectangles(region: Region, start: int, stop: int) -> list[Region]:
    """The regions that make up bytes start .. stop-1 of the row-major bytes of a region, in order."""
    first, head = divmod(start, region.size)
    last, tail = divmod(stop, region.size)

    def part(row: int, rows: int, byte: int, size: int) -> Region:
        return Region(region.space, region.partition + row, rows, region.byte + byte, size)

    if first == last:
        return [part(first, 1, head, tail - head)]
    whole = first + (head > 0)
    begun = [part(first, 1, head, region.size - head)] if head else []
    full = [part(whole, last - whole, 0, region.size)] if last > whole else []
    return [*begun, *full, *([part(last, 1, 0, tail)] if tail else [])]
