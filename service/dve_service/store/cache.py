"""Blocks this process has seen lately. A block never changes, so a copy is always right; the store stays the owner."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

from ..blocks import BLOCK_BYTES
from ..metrics import BLOCK_CACHE
from ..ports import Replaced, Store, StoredSession


class BlockCache:
    """A Store that remembers blocks it fetched or stored, least recently used ones first to go."""

    def __init__(self, store: Store, capacity_bytes: int) -> None:
        self._store = store
        self._capacity = capacity_bytes // BLOCK_BYTES
        self._blocks: OrderedDict[str, bytes] = OrderedDict()

    async def get_blocks(self, blocks: Sequence[str]) -> dict[str, bytes]:
        here = {block: self._blocks[block] for block in blocks if block in self._blocks}
        absent = [block for block in blocks if block not in here]
        BLOCK_CACHE.labels("hit").inc(len(here))
        BLOCK_CACHE.labels("miss").inc(len(absent))
        fetched = await self._store.get_blocks(absent) if absent else {}
        self._remember(here | fetched)
        return here | fetched

    async def put_blocks(self, blocks: Mapping[str, bytes], ttl_seconds: int) -> None:
        await self._store.put_blocks(blocks, ttl_seconds)
        self._remember(blocks)

    def _remember(self, blocks: Mapping[str, bytes]) -> None:
        for block, data in blocks.items():
            self._blocks[block] = data
            self._blocks.move_to_end(block)
        while len(self._blocks) > self._capacity:
            self._blocks.popitem(last=False)

    async def ping(self) -> None:
        await self._store.ping()

    async def missing_blocks(self, blocks: Sequence[str], ttl_seconds: int) -> list[str]:
        return await self._store.missing_blocks(blocks, ttl_seconds)

    async def put_image(self, image: str, manifest: bytes, ttl_seconds: int) -> None:
        await self._store.put_image(image, manifest, ttl_seconds)

    async def get_image(self, image: str, ttl_seconds: int) -> bytes | None:
        return await self._store.get_image(image, ttl_seconds)

    async def get_result(self, key: str, most_bytes: int) -> bytes | None:
        return await self._store.get_result(key, most_bytes)

    async def put_result(self, key: str, data: bytes, ttl_seconds: int) -> bool:
        return await self._store.put_result(key, data, ttl_seconds)

    async def renewal_due(self, owner: str) -> bool:
        return await self._store.renewal_due(owner)

    async def renewed(self, owner: str, ttl_seconds: int) -> None:
        await self._store.renewed(owner, ttl_seconds)

    async def create_session(self, session: str, record: bytes, ttl_seconds: int) -> bool:
        return await self._store.create_session(session, record, ttl_seconds)

    async def get_session(self, session: str) -> StoredSession | None:
        return await self._store.get_session(session)

    async def replace_session(self, session: str, expected: int, record: bytes, token: str) -> Replaced:
        return await self._store.replace_session(session, expected, record, token)

    async def delete_session(self, session: str) -> bool:
        return await self._store.delete_session(session)

    async def close(self) -> None:
        await self._store.close()
