"""Memory as content-addressed blocks.

A block is a tile of one quadrant (32 partitions) x 1024 bytes, row-major, 32 KiB; its id is the BLAKE3 digest of these
bytes in hex. An image is a manifest: every block that is not all zeros with its place. Its id is `img_` and the BLAKE3
digest of the manifest's canonical JSON, which begins with the generation; so equal contents of one generation have
equal ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import orjson
from blake3 import blake3

from dve_engine import Band, DeviceMemory, Generation, Region, Space, generation_named

QUADRANT = 32
TILE_BYTES = 1024
BLOCK_BYTES = QUADRANT * TILE_BYTES
ID_DIGITS = 64
MANIFEST_BYTES = 1 << 20  # no canonical manifest is longer
Tiles = Mapping[Space, npt.NDArray[np.bool_]]  # (quadrants, tiles) of each memory


@dataclass(frozen=True, order=True)
class Place:
    """Where a block lies: partitions 32*quadrant .. +31, bytes 1024*tile .. +1023. Ordered by space, quadrant, tile."""

    space: str
    quadrant: int
    tile: int


@dataclass(frozen=True)
class Manifest:
    """The blocks of an image by place; all-zero blocks are absent."""

    generation: Generation
    blocks: Mapping[Place, str]

    @property
    def canonical(self) -> bytes:
        """The bytes that the image id digests and the store keeps."""
        rows = [[place.space, place.quadrant, place.tile, self.blocks[place]] for place in sorted(self.blocks)]
        return orjson.dumps({"generation": self.generation.name.lower(), "blocks": rows})

    def part(self, places: Iterable[Place]) -> Manifest:
        """Only the blocks at these places."""
        return Manifest(self.generation, {place: self.blocks[place] for place in places if place in self.blocks})

    @property
    def image(self) -> str:
        """The image id."""
        return image_id(self.canonical)

    @property
    def distinct(self) -> list[str]:
        """Each block id once, in order."""
        return list(dict.fromkeys(self.blocks[place] for place in sorted(self.blocks)))


def parse(canonical: bytes) -> Manifest:
    """Read what `Manifest.canonical` wrote."""
    document = orjson.loads(canonical)
    rows = {Place(space, quadrant, tile): block for space, quadrant, tile, block in document["blocks"]}
    return Manifest(generation_named(document["generation"]), rows)


def block_id(data: bytes) -> str:
    """The id of a block."""
    return blake3(data).hexdigest()


def image_id(canonical: bytes) -> str:
    """The id of an image."""
    return f"img_{blake3(canonical).hexdigest()}"


def exists(place: Place, generation: Generation) -> bool:
    """Whether the place lies in memory that exists on `generation`."""
    try:
        space = Space(place.space)
    except ValueError:
        return False
    width = space.geometry(generation).active_bytes if space.exists(generation) else 0
    return 0 <= place.quadrant < 4 and 0 <= place.tile < -(-width // TILE_BYTES)


def places_of(regions: Iterable[Region]) -> set[Place]:
    """The places of all blocks that any of the regions touches."""
    return {
        Place(region.space.value, quadrant, tile)
        for region in regions
        for quadrant in _covering(region.partition, region.partitions, QUADRANT)
        for tile in _covering(region.byte, region.size, TILE_BYTES)
    }


def tiles_under(bands: Iterable[Band], generation: Generation) -> Tiles:
    """Which blocks any of the bands touches."""
    widths = {s: -(-s.geometry(generation).active_bytes // TILE_BYTES) for s in Space}
    steps = {s: np.zeros((4, width + 1), np.int64) for s, width in widths.items()}  # +1 begins, -1 ends a row of tiles
    for band in bands:
        over = _covering(band.partition, band.partitions, QUADRANT)
        for quadrant in steps[band.space][over.start : over.stop]:
            np.add.at(quadrant, band.intervals[:, 0] // TILE_BYTES, 1)
            np.add.at(quadrant, (band.intervals[:, 1] - 1) // TILE_BYTES + 1, -1)
    return {space: rows.cumsum(axis=1) > 0 for space, rows in steps.items()}


def places_at(tiles: Tiles) -> set[Place]:
    """Their places."""
    return {Place(space.value, *found) for space, rows in tiles.items() for found in np.argwhere(rows).tolist()}


def _covering(start: int, count: int, unit: int) -> range:
    return range(start // unit, (start + count - 1) // unit + 1)


def cut(memory: DeviceMemory, places: Iterable[Place]) -> Iterator[tuple[Place, bytes | None]]:
    """The bytes of each block, None where they are all zero."""
    for place in places:
        tile = memory.arrays[Space(place.space)][_window(place)]
        yield place, tile.tobytes() if tile.any() else None


def lay(memory: DeviceMemory, place: Place, data: bytes) -> None:
    """Put a block into memory."""
    target = memory.arrays[Space(place.space)][_window(place)]
    target[...] = np.frombuffer(data, np.uint8).reshape(QUADRANT, TILE_BYTES)


def _window(place: Place) -> tuple[slice, slice]:
    row, column = QUADRANT * place.quadrant, TILE_BYTES * place.tile
    return slice(row, row + QUADRANT), slice(column, column + TILE_BYTES)


def rebuild(base: Manifest, memory: DeviceMemory, touched: Iterable[Place]) -> tuple[Manifest, dict[str, bytes]]:
    """The manifest after the touched places changed, and the blocks that `base` does not have."""
    blocks, new = dict(base.blocks), {}
    known = set(blocks.values())
    for place, data in cut(memory, touched):
        if data is None:
            blocks.pop(place, None)
            continue
        blocks[place] = identifier = block_id(data)
        if identifier not in known:
            new[identifier] = data
    return Manifest(base.generation, blocks), new


def assemble(manifest: Manifest, contents: Mapping[str, bytes]) -> DeviceMemory:
    """The memory an image describes. `contents` holds every block of it."""
    memory = DeviceMemory(manifest.generation)
    fill(memory, manifest, contents)
    return memory


def fill(memory: DeviceMemory, manifest: Manifest, contents: Mapping[str, bytes]) -> None:
    """Put all blocks of a manifest into memory. `contents` holds every one of them."""
    for place, identifier in manifest.blocks.items():
        lay(memory, place, contents[identifier])
