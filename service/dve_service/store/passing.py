"""Storage that passes every call on: what stands in front of a store changes a few of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ports import Replaced, Storage, StoredSession, StoredVersion


class Passing:
    """All of ports.Storage, by another one."""

    def __init__(self, store: Storage) -> None:
        self._store = store

    async def ping(self) -> None:
        await self._store.ping()

    async def missing_blocks(self, blocks: Sequence[str], ttl_seconds: int) -> list[str]:
        return await self._store.missing_blocks(blocks, ttl_seconds)

    async def put_blocks(self, blocks: Mapping[str, bytes], ttl_seconds: int) -> None:
        await self._store.put_blocks(blocks, ttl_seconds)

    async def get_blocks(self, blocks: Sequence[str]) -> dict[str, bytes]:
        return await self._store.get_blocks(blocks)

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

    async def renewed(self, owner: str, ttl_ms: int) -> None:
        await self._store.renewed(owner, ttl_ms)

    async def create_session(self, session: str, record: bytes, ttl_seconds: int) -> bool:
        return await self._store.create_session(session, record, ttl_seconds)

    async def get_session(self, session: str, version: int | None = None) -> StoredSession | None:
        return await self._store.get_session(session, version)

    async def get_history(self, session: str) -> list[StoredVersion]:
        return await self._store.get_history(session)

    async def replace_session(self, session: str, expected: int, record: bytes, token: str) -> Replaced:
        return await self._store.replace_session(session, expected, record, token)

    async def delete_session(self, session: str) -> bool:
        return await self._store.delete_session(session)

    async def close(self) -> None:
        await self._store.close()
