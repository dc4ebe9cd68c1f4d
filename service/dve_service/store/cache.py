"""Blocks this process has seen lately. A block never changes, so a copy is always right; the store stays the owner."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

from ..blocks import BLOCK_BYTES
from ..metrics import BLOCK_CACHE
from ..ports import Store
from .passing import Passing


class BlockMemory:
    """Blocks of several owners in one room, least recently used ones first to go."""

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity = capacity_bytes // BLOCK_BYTES
        self._blocks: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    def recall(self, owner: str, blocks: Sequence[str]) -> dict[str, bytes]:
        """Those of an owner's blocks that are here."""
        return {block: self._blocks[owner, block] for block in blocks if (owner, block) in self._blocks}

    def remember(self, owner: str, blocks: Mapping[str, bytes]) -> None:
        """Keep an owner's blocks for a while."""
        for block, data in blocks.items():
            self._blocks[owner, block] = data
            self._blocks.move_to_end((owner, block))
        while len(self._blocks) > self._capacity:
            self._blocks.popitem(last=False)


class BlockCache(Passing):
    """A Store that remembers blocks it fetched or stored. owner: whose they are; nobody else is answered with them."""

    def __init__(self, store: Store, memory: BlockMemory, owner: str) -> None:
        super().__init__(store)
        self._bounded, self._memory, self._owner = store, memory, owner

    async def get_blocks(self, blocks: Sequence[str]) -> dict[str, bytes]:
        here = self._memory.recall(self._owner, blocks)
        absent = [block for block in blocks if block not in here]
        BLOCK_CACHE.labels("hit").inc(len(here))
        BLOCK_CACHE.labels("miss").inc(len(absent))
        fetched = await self._store.get_blocks(absent) if absent else {}
        self._memory.remember(self._owner, here | fetched)
        return here | fetched

    async def put_blocks(self, blocks: Mapping[str, bytes], ttl_seconds: int) -> None:
        await self._store.put_blocks(blocks, ttl_seconds)
        self._memory.remember(self._owner, blocks)

    async def claim_session(self, session: str, ttl_seconds: int) -> None:
        await self._bounded.claim_session(session, ttl_seconds)
