"""How much one tenant may hold. What counts is a sorted set for each quota (scripts.CLAIM), changed in one step.

A claim comes before what it is for is written, and is counted a little longer than that lives; so what is stored is
always counted. What is renewed was let in before and is never refused, nor are reads where the store is too full to
renew a claim: one that lapses is made again by a later use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from ..blocks import BLOCK_BYTES
from ..errors import QuotaExceeded, StoreFull
from ..limits import Limits
from ..ports import StoredSession
from .passing import Passing
from .redis_store import RedisStore

_SESSIONS, _BYTES = "tenant_sessions", "tenant_bytes"  # as in limits.py
_MARGIN_MS = 10_000  # of a claim over the life of what it is for: the longest time between the two
_BATCH = 4096  # blocks that are renewed in one step


class Quotas(Passing):
    """The Store of one tenant: a view of the server, within bounds."""

    def __init__(self, redis: RedisStore, limits: Limits) -> None:
        super().__init__(redis)
        self._redis, self._limits = redis, limits

    async def put_blocks(self, blocks: Mapping[str, bytes], ttl_seconds: int) -> None:
        if blocks:
            await self._claim(_BYTES, [bytes.fromhex(block) for block in blocks], ttl_seconds, BLOCK_BYTES)
        await self._store.put_blocks(blocks, ttl_seconds)

    async def missing_blocks(self, blocks: Sequence[str], ttl_seconds: int) -> list[str]:
        missing = await self._store.missing_blocks(blocks, ttl_seconds)
        alive = list(set(blocks).difference(missing))
        with suppress(StoreFull):
            for first in range(0, len(alive), _BATCH):
                members = [bytes.fromhex(block) for block in alive[first : first + _BATCH]]
                await self._redis.claim(_BYTES, members, _ms(ttl_seconds), None)
        return missing

    async def claim_session(self, session: str, ttl_seconds: int) -> None:
        await self._claim(_SESSIONS, [session], ttl_seconds, 1)

    async def get_session(self, session: str, version: int | None = None) -> StoredSession | None:
        found = await self._store.get_session(session, version)
        if found is None:
            return None
        with suppress(StoreFull):
            if await self._redis.counts(_SESSIONS, session, _ms(found.ttl_seconds)):
                return found
            # the store was full, or a process died between these two calls; or the session has just been deleted
            await self._redis.claim(_SESSIONS, [session], _ms(found.ttl_seconds), None)
        found = await self._store.get_session(session, version)
        if found is None:
            await self._redis.release(_SESSIONS, session)
        return found

    async def delete_session(self, session: str) -> bool:
        deleted = await self._store.delete_session(session)
        await self._redis.release(_SESSIONS, session)
        return deleted

    async def _claim(self, quota: str, members: Sequence[str | bytes], ttl_seconds: int, unit: int) -> None:
        allowed = getattr(self._limits, quota)
        used, refused = await self._redis.claim(quota, members, _ms(ttl_seconds), allowed // unit)
        if refused:
            raise QuotaExceeded(quota, allowed, used * unit, refused * unit)


def _ms(ttl_seconds: int) -> int:
    return 1000 * ttl_seconds + _MARGIN_MS
