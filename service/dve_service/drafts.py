"""Writes on their way to memory, of which only a part is held.

A draft knows the blocks that writes touch, with their bytes and which of them were written. Blocks that are complete go
to the store at once, others when too many are held; blocks nobody ever points to expire. What the draft leaves on a
memory is decided when it is laid over one, which may be done again over another.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import numpy.typing as npt

from dve_engine import Generation, Region

from .blocks import QUADRANT, TILE_BYTES, Manifest, Place, block_id, overlap, places_of, tile
from .engine_errors import translated
from .orders import Write
from .reading import rows_of_blocks
from .work import Work

_HELD = 640  # blocks: a row of them in the widest memory, and some
_BATCH = 64  # blocks: 2 MiB
_ALL = np.uint32(0xFFFF_FFFF)
Columns = npt.NDArray[np.uint32]  # (TILE_BYTES,): bit p says that the byte of partition p was written


@dataclass
class _Tile:
    """A block being written, and which of its bytes were."""

    data: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros((QUADRANT, TILE_BYTES), np.uint8))
    written: Columns = field(default_factory=lambda: np.zeros(TILE_BYTES, np.uint32))

    @property
    def complete(self) -> bool:
        return bool(self.written[0] == _ALL and (self.written == _ALL).all())


@dataclass(frozen=True)
class _Stored:
    """A block put into the store, None for zeros, and which of its bytes were written; None for all."""

    block: str | None
    written: Columns | None

    def laid_open(self, found: Mapping[str, bytes]) -> _Tile:
        """As it was before it was stored."""
        written = np.full(TILE_BYTES, _ALL) if self.written is None else self.written
        return _Tile(tile(found[self.block]).copy(), written) if self.block else _Tile(written=written)


class Draft:
    """Writes for memory of one generation, in order. Used by one task at a time."""

    def __init__(
        self,
        generation: Generation,
        work: Work,
        get: Callable[[Sequence[str]], Awaitable[Mapping[str, bytes]]],
        put: Callable[[Mapping[str, bytes]], Awaitable[None]],
    ) -> None:
        self.generation = generation
        self._work, self._get, self._put = work, get, put
        self._open: dict[Place, _Tile] = {}
        self._complete: set[Place] = set()  # of those that are open
        self._stored: dict[Place, _Stored] = {}

    async def write(self, write: Write) -> None:
        """Take a write.

        Raises InvalidRegion; nothing of it is taken then.
        """
        with translated():
            write.region.check(self.generation)
        data = np.frombuffer(write.data, np.uint8).reshape(write.region.partitions, write.region.size)
        for row in rows_of_blocks(write.region):
            first = row.partition - write.region.partition
            places = places_of([row])
            await self._reopen(places & self._stored.keys())
            await self._work.helper(self._lay, row, places, data[first : first + row.partitions])
            if len(self._complete) >= _BATCH:  # worth a trip
                await self._store(list(self._complete))
            if len(self._open) > _HELD:
                await self._store([place for place in self._open if place not in places])

    async def over(self, base: Manifest) -> tuple[Manifest, dict[str, bytes]]:
        """The memory of `base` with the writes on top, and those of its new blocks that are not in the store yet."""
        blocks = dict(base.blocks)
        for place, kept in self._stored.items():
            if kept.written is None:
                _set(blocks, place, kept.block)
        known = set(base.blocks.values())
        new: dict[str, bytes] = {}
        rest = [*self._open, *(place for place, kept in self._stored.items() if kept.written is not None)]
        for batch in _batched(rest):
            if new:
                await self._put(new)
            overlaid = [self._stored[place].block for place in batch if place in self._stored]
            needed = [*base.part(batch).distinct, *filter(None, overlaid)]
            found = await self._get(list(dict.fromkeys(needed)))
            merged = await self._work.helper(self._merged, base, batch, found)
            for place, data in merged.items():
                _set(blocks, place, block_id(data) if data else None)
            new = {blocks[place]: data for place, data in merged.items() if data and blocks[place] not in known}
        return Manifest(base.generation, blocks), new

    async def _reopen(self, places: Iterable[Place]) -> None:
        kept = {place: self._stored[place] for place in places}
        found = await self._get([one.block for one in kept.values() if one.block]) if kept else {}
        for place, one in kept.items():
            self._open[place] = one.laid_open(found)
            del self._stored[place]

    def _lay(self, region: Region, places: Iterable[Place], data: npt.NDArray[np.uint8]) -> None:
        for place in places:
            target = self._open.get(place)
            if target is None:
                target = self._open[place] = _Tile()
            inside, (rows, columns) = overlap(region, place)
            target.data[rows, columns] = data[inside]
            target.written[columns] |= np.uint32((1 << rows.stop) - (1 << rows.start))
            if target.complete:
                self._complete.add(place)

    async def _store(self, places: Sequence[Place]) -> None:
        for batch in _batched(places):
            packed = await self._work.helper(list, map(_packed, [self._open[place] for place in batch]))
            await self._put({kept.block: data for kept, data in packed if kept.block})
            for place, (kept, _) in zip(batch, packed, strict=True):
                self._stored[place] = kept
                del self._open[place]
                self._complete.discard(place)

    def _merged(self, base: Manifest, places: Iterable[Place], found: Mapping[str, bytes]) -> dict[Place, bytes | None]:
        return {place: self._merge(base.blocks.get(place), place, found) for place in places}

    def _merge(self, below: str | None, place: Place, found: Mapping[str, bytes]) -> bytes | None:
        """The bytes of a block once the draft lies over it, None for zeros."""
        one = self._open.get(place) or self._stored[place].laid_open(found)
        data = one.data
        if below is not None:
            bits = (one.written >> np.arange(QUADRANT, dtype=np.uint32)[:, None]) & 1  # (QUADRANT, TILE_BYTES)
            data = np.where(bits, data, tile(found[below]))
        return data.tobytes() if data.any() else None


def _packed(one: _Tile) -> tuple[_Stored, bytes]:
    data = one.data.tobytes()
    return _Stored(block_id(data) if one.data.any() else None, None if one.complete else one.written), data


def _set(blocks: dict[Place, str], place: Place, block: str | None) -> None:
    if block is None:
        blocks.pop(place, None)
    else:
        blocks[place] = block


def _batched(places: Iterable[Place]) -> Iterator[list[Place]]:
    remaining = iter(places)
    while batch := list(islice(remaining, _BATCH)):
        yield batch
