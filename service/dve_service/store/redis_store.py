"""`ports.Store` on Redis or Valkey.

Keys, all beginning with the prefix; the braces make one hash slot of what belongs together:

    <prefix>:b:{<block id>}      a block: one byte 0 (raw) or 1 (zstd), then the bytes
    <prefix>:i:{<image id>}      a manifest, written like a block
    <prefix>:s:{<session id>}    a session, see scripts.py
    <prefix>:r:{<owner>}         there while the blocks of an image or session need no renewal

The server should not evict keys (`maxmemory-policy noeviction`): a full store is a clear answer, a lost block is not.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from typing import Any

import zstandard
from redis.exceptions import OutOfMemoryError, ReadOnlyError, RedisError, ResponseError

from ..errors import ServiceError, StoreFull, StoreUnavailable
from ..metrics import STORE_ERRORS, STORE_SECONDS
from ..ports import Replaced, StoredSession
from . import scripts
from .connect import Client

log = logging.getLogger(__name__)
_PING_SECONDS = 1.5  # those who ask for readiness rarely wait longer than two
_BATCH = 64  # blocks per round trip: 2 MiB
_FEW = 4
_RAW, _ZSTD = b"\0", b"\1"


class RedisStore:
    """One client for all requests of a process."""

    def __init__(self, client: Client, prefix: str, connections: int = 64, timeout_seconds: float = 5.0) -> None:
        """connections: how many the client may open; callers wait for one, which the client itself would refuse.

        timeout_seconds: of one answer, whatever the client tries meanwhile, and of the wait for a connection.
        """
        self._client: Any = client  # the two client classes share the commands, not their types
        self._prefix, self._seconds = prefix, timeout_seconds
        self._free = asyncio.Semaphore(connections)
        self._create = client.register_script(scripts.CREATE)
        self._read = client.register_script(scripts.READ)
        self._replace = client.register_script(scripts.REPLACE)

    def _key(self, kind: str, name: str) -> str:
        return f"{self._prefix}:{kind}:{{{name}}}"

    @asynccontextmanager
    async def _answering(self, operation: str) -> AsyncIterator[None]:
        """Time a store operation and turn its failures into errors of the catalogue."""
        begun = time.perf_counter()
        try:
            await self._answer(self._free.acquire())
            try:
                yield
            finally:
                self._free.release()
        except (OutOfMemoryError, ReadOnlyError) as error:
            raise _failed(
                operation, StoreFull if isinstance(error, OutOfMemoryError) else StoreUnavailable, error
            ) from error
        except ResponseError as error:
            full = "OOM" in str(error)  # a script that was refused for lack of memory
            raise _failed(operation, StoreFull if full else StoreUnavailable, error) from error
        except (TimeoutError, RedisError, OSError) as error:
            raise _failed(operation, StoreUnavailable, error) from error
        finally:
            STORE_SECONDS.labels(operation).observe(time.perf_counter() - begun)

    async def _answer(self, awaited: Awaitable[Any]) -> Any:
        """What the store says, or TimeoutError when it takes too long."""
        async with asyncio.timeout(self._seconds):
            return await awaited

    async def ping(self) -> None:
        async with self._answering("ping"), asyncio.timeout(min(_PING_SECONDS, self._seconds)):
            await self._client.ping()

    async def missing_blocks(self, blocks: Sequence[str], ttl_seconds: int) -> list[str]:
        missing = []
        async with self._answering("missing_blocks"):
            for batch in _batched(blocks, 16 * _BATCH):
                pipe = self._client.pipeline(transaction=False)
                for block in batch:
                    pipe.expire(self._key("b", block), ttl_seconds, gt=True)
                    pipe.exists(self._key("b", block))
                answers = await self._answer(pipe.execute())
                missing += [block for block, there in zip(batch, answers[1::2], strict=True) if not there]
        return missing

    async def put_blocks(self, blocks: Mapping[str, bytes], ttl_seconds: int) -> None:
        few = len(blocks) <= _FEW  # sending them again costs less than asking
        absent = list(blocks) if few else await self.missing_blocks(list(blocks), ttl_seconds)
        async with self._answering("put_blocks"):
            for batch in _batched(absent, _BATCH):
                packed = await asyncio.to_thread(_packed, [blocks[block] for block in batch])
                pipe = self._client.pipeline(transaction=False)
                for block, data in zip(batch, packed, strict=True):
                    pipe.set(self._key("b", block), data, ex=ttl_seconds, nx=True)
                    pipe.expire(self._key("b", block), ttl_seconds, gt=True)
                await self._answer(pipe.execute())

    async def get_blocks(self, blocks: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        async with self._answering("get_blocks"):
            for batch in _batched(blocks, _BATCH):
                pipe = self._client.pipeline(transaction=False)
                for block in batch:
                    pipe.get(self._key("b", block))
                answers = dict(zip(batch, await self._answer(pipe.execute()), strict=True))
                present = {block: data for block, data in answers.items() if data is not None}
                found |= zip(present, await asyncio.to_thread(_unpacked, present.values()), strict=True)
        return found

    async def put_image(self, image: str, manifest: bytes, ttl_seconds: int) -> None:
        async with self._answering("put_image"):
            [packed] = await asyncio.to_thread(_packed, [manifest])
            pipe = self._client.pipeline(transaction=False)
            pipe.set(self._key("i", image), packed, ex=ttl_seconds, nx=True)
            pipe.expire(self._key("i", image), ttl_seconds, gt=True)
            await self._answer(pipe.execute())

    async def get_image(self, image: str, ttl_seconds: int) -> bytes | None:
        async with self._answering("get_image"):
            pipe = self._client.pipeline(transaction=False)
            pipe.expire(self._key("i", image), ttl_seconds, gt=True)
            pipe.get(self._key("i", image))
            packed = (await self._answer(pipe.execute()))[1]
        return None if packed is None else next(iter(_unpacked([packed])))

    async def renewal_due(self, owner: str) -> bool:
        async with self._answering("renewal_due"):
            return not await self._answer(self._client.exists(self._key("r", owner)))

    async def renewed(self, owner: str, ttl_seconds: int) -> None:
        async with self._answering("renewed"):
            await self._answer(self._client.set(self._key("r", owner), b"", ex=ttl_seconds))

    async def create_session(self, session: str, record: bytes, ttl_seconds: int) -> bool:
        async with self._answering("create_session"):
            return bool(await self._answer(self._create(keys=[self._key("s", session)], args=[record, ttl_seconds])))

    async def get_session(self, session: str) -> StoredSession | None:
        async with self._answering("get_session"):
            found = await self._answer(self._read(keys=[self._key("s", session)]))
        return None if found is None else StoredSession(int(found[0]), found[1], int(found[2]))

    async def replace_session(self, session: str, expected: int, record: bytes, token: str) -> Replaced:
        async with self._answering("replace_session"):
            asked = self._replace(keys=[self._key("s", session)], args=[expected, record, token])
            done, version = await self._answer(asked)
        return Replaced(bool(done), int(version))

    async def delete_session(self, session: str) -> bool:
        async with self._answering("delete_session"):
            return bool(await self._answer(self._client.delete(self._key("s", session))))

    async def close(self) -> None:
        try:
            await self._client.aclose()
        except (RedisError, OSError):
            return


def _batched(blocks: Iterable[str], size: int) -> Iterator[tuple[str, ...]]:
    items = iter(blocks)
    while batch := tuple(islice(items, size)):
        yield batch


def _failed(operation: str, kind: Callable[[str], ServiceError], error: BaseException) -> ServiceError:
    """The error callers see; what the client says, with the address of the store, goes to the log alone."""
    log.warning("store: %s: %s: %s", operation, type(error).__name__, str(error)[:200])
    failure = kind(f"{operation}: {type(error).__name__}")
    STORE_ERRORS.labels(operation, failure.code).inc()
    return failure


def _packed(blocks: Iterable[bytes]) -> list[bytes]:
    """Blocks as stored: compressed where that saves an eighth or more."""
    compressor = zstandard.ZstdCompressor(level=1)
    packed = []
    for data in blocks:
        small = compressor.compress(data)
        packed.append(_ZSTD + small if len(small) < len(data) * 7 // 8 else _RAW + data)
    return packed


def _unpacked(stored: Iterable[bytes]) -> list[bytes]:
    """Blocks as they were."""
    decompressor = zstandard.ZstdDecompressor()
    return [decompressor.decompress(data[1:]) if data[:1] == _ZSTD else data[1:] for data in stored]
