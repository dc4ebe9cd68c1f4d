"""`ports.Store` on Redis or Valkey.

Keys, all beginning with the prefix and, in a tenant's view, its name; the braces make one hash slot of what belongs
together:

    <prefix>:b:{<block id>}      a block, see packing.py
    <prefix>:i:{<image id>}      a manifest, likewise
    <prefix>:c:{<key>}           the answer of a run, packed likewise; kept while the server is less than half full
    <prefix>:s:{<session id>}    a session, see scripts.py
    <prefix>:r:{<owner>}         there while the blocks of an image or session need no renewal
    <prefix>:q:{<limit>}         what counts towards a quota, see scripts.py and quotas.py

Commands on many keys travel as pipelines without a transaction: on a Cluster each goes to the node of its key, and a
pipeline that fails in part is asked again as a whole (faults.py says why it may).

The server should not evict keys (`maxmemory-policy noeviction`): a full store is a clear answer, a lost block is not.
"""

from __future__ import annotations

import asyncio
import copy
import hashlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from typing import Any

from ..errors import ServiceError
from ..metrics import STORE_CORRUPT, STORE_ERRORS, STORE_SECONDS
from ..ports import Replaced, StoredSession, StoredVersion
from . import scripts
from .connect import Client, knock, refresh
from .faults import FAILURES, Tries, kind_of
from .packing import BLOCK, IMAGE, Kind, pack, unpacked

log = logging.getLogger(__name__)
_Ask = Callable[[Callable[[], Awaitable[Any]]], Awaitable[Any]]
_PING_SECONDS = 1.5  # those who ask for readiness rarely wait longer than two
_BATCH = 64  # blocks per round trip: 2 MiB
_FEW = 4
_ROOM_SECONDS = 5.0  # between two looks at how full the server is


class RedisStore:
    """One client for all requests of a process."""

    def __init__(
        self, client: Client, prefix: str, connections: int = 64, timeout_seconds: float = 5.0, history: int = 16
    ) -> None:
        """connections: how many the client may open; callers wait for one, which the client itself would refuse.

        timeout_seconds: of one answer, whatever is tried meanwhile, and of the wait for a connection.
        history: versions a session keeps.
        """
        self._client: Any = client  # the two client classes share the commands, not their types
        self._prefix, self._seconds, self._history = prefix, timeout_seconds, history
        self._free = asyncio.Semaphore(connections)
        self._tries = Tries(timeout_seconds, lambda: refresh(client))
        self._room, self._room_known_until = True, 0.0
        self._create = client.register_script(scripts.CREATE)
        self._read = client.register_script(scripts.READ)
        self._replace = client.register_script(scripts.REPLACE)
        self._versions = client.register_script(scripts.HISTORY)
        self._claim, self._renew = client.register_script(scripts.CLAIM), client.register_script(scripts.RENEW)

    def of(self, tenant: str) -> RedisStore:
        """The same store and connections, with keys of a tenant's own."""
        view = copy.copy(self)
        view._prefix = f"{self._prefix}:{tenant}"
        return view

    def _key(self, kind: str, name: str) -> str:
        return f"{self._prefix}:{kind}:{{{name}}}"

    @asynccontextmanager
    async def _answering(self, operation: str, level: int = logging.WARNING) -> AsyncIterator[_Ask]:
        """Time a store operation and turn its failures into errors of the catalogue, logged at `level`. Gives the way
        to ask.
        """
        begun = time.perf_counter()

        async def ask(request: Callable[[], Awaitable[Any]]) -> Any:
            return await self._tries.answer(operation, request)

        try:
            async with asyncio.timeout(self._seconds):
                await self._free.acquire()
            try:
                yield ask
            finally:
                self._free.release()
        except FAILURES as error:
            raise _failed(operation, error, level) from error
        finally:
            STORE_SECONDS.labels(operation).observe(time.perf_counter() - begun)

    def _pipelined(self, commands: Sequence[tuple[Any, ...]]) -> Callable[[], Awaitable[Any]]:
        """One round trip for commands, made anew for every try: a pipeline forgets them when it was executed."""

        def request() -> Awaitable[Any]:
            pipe = self._client.pipeline(transaction=False)
            for command in commands:
                pipe.execute_command(*command)
            answers: Awaitable[Any] = pipe.execute()
            return answers

        return request

    async def ping(self) -> None:
        async with self._answering("ping") as ask, asyncio.timeout(min(_PING_SECONDS, self._seconds)):
            await ask(lambda: knock(self._client, self._key("p", "ping")))

    async def missing_blocks(self, blocks: Sequence[str], ttl_seconds: int) -> list[str]:
        missing = []
        async with self._answering("missing_blocks") as ask:
            for batch in _batched(blocks, 16 * _BATCH):
                keys = [self._key("b", block) for block in batch]
                commands = [part for key in keys for part in (_longer(key, ttl_seconds), ("EXISTS", key))]
                answers = await ask(self._pipelined(commands))
                missing += [block for block, there in zip(batch, answers[1::2], strict=True) if not there]
        return missing

    async def put_blocks(self, blocks: Mapping[str, bytes], ttl_seconds: int) -> None:
        few = len(blocks) <= _FEW  # sending them again costs less than asking
        absent = list(blocks) if few else await self.missing_blocks(list(blocks), ttl_seconds)
        async with self._answering("put_blocks") as ask:
            for batch in _batched(absent, _BATCH):
                await self._put(ask, BLOCK, {block: blocks[block] for block in batch}, ttl_seconds)

    async def get_blocks(self, blocks: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        async with self._answering("get_blocks") as ask:
            for batch in _batched(blocks, _BATCH):
                answers = await ask(self._pipelined([self._fetch(BLOCK, block) for block in batch]))
                found |= await self._verified(ask, BLOCK, dict(zip(batch, answers, strict=True)))
        return found

    async def put_image(self, image: str, manifest: bytes, ttl_seconds: int) -> None:
        async with self._answering("put_image") as ask:
            await self._put(ask, IMAGE, {image: manifest}, ttl_seconds)

    async def get_image(self, image: str, ttl_seconds: int) -> bytes | None:
        async with self._answering("get_image") as ask:
            commands = [_longer(self._key("i", image), ttl_seconds), self._fetch(IMAGE, image)]
            _, stored = await ask(self._pipelined(commands))
            return (await self._verified(ask, IMAGE, {image: stored})).get(image)

    async def _put(self, ask: _Ask, kind: Kind, values: Mapping[str, bytes], ttl_seconds: int) -> None:
        """Store values; those already there live at least ttl_seconds longer."""
        packed = await asyncio.to_thread(pack, values.values())
        commands: list[tuple[Any, ...]] = []
        for name, stored in zip(values, packed, strict=True):
            key = self._key(kind.letter, name)
            commands += [("SET", key, stored, "EX", ttl_seconds, "NX"), _longer(key, ttl_seconds)]
        await ask(self._pipelined(commands))

    def _fetch(self, kind: Kind, name: str) -> tuple[Any, ...]:
        """A read that is bounded: a value that is longer than it can be is cut, and no digest fits it."""
        return ("GETRANGE", self._key(kind.letter, name), 0, kind.most_bytes)

    async def _verified(self, ask: _Ask, kind: Kind, stored: Mapping[str, bytes]) -> dict[str, bytes]:
        """The values that are what their names say; the others are removed, as if they had never been stored.

        An empty answer is a value that is not there, or an empty one: the script finds out.
        """
        values = await asyncio.to_thread(lambda: {name: kind.unpack(name, data) for name, data in stored.items()})
        refused = [name for name, value in values.items() if value is None]
        if refused:
            commands = [
                ("EVAL", scripts.EVICT, 1, self._key(kind.letter, name), hashlib.sha1(stored[name]).hexdigest(),
                 kind.most_bytes)
                for name in refused
            ]  # fmt: skip
            for name, removed in zip(refused, await ask(self._pipelined(commands)), strict=True):
                if removed:
                    log.error("store: %s %s was corrupt and has been removed", kind.name, name)
                    STORE_CORRUPT.labels(kind.name).inc()
        return {name: value for name, value in values.items() if value is not None}

    async def get_result(self, key: str, most_bytes: int) -> bytes | None:
        async with self._answering("get_result", logging.DEBUG) as ask:
            stored = await ask(lambda: self._client.getrange(self._key("c", key), 0, most_bytes))
        return await asyncio.to_thread(unpacked, stored, most_bytes)

    async def put_result(self, key: str, data: bytes, ttl_seconds: int) -> bool:
        async with self._answering("put_result", logging.DEBUG) as ask:
            if not await self._roomy(ask):
                return False
            [packed] = await asyncio.to_thread(pack, [data])
            await ask(lambda: self._client.set(self._key("c", key), packed, ex=ttl_seconds))
        return True

    async def _roomy(self, ask: _Ask) -> bool:
        """Whether the server, of a Cluster every one, is less than half full; asked once in a while."""
        now = time.monotonic()
        if now >= self._room_known_until:
            answer = await ask(lambda: self._client.info("memory"))
            servers = [answer] if "used_memory" in answer else list(answer.values())
            self._room = all(s["used_memory"] < s["maxmemory"] / 2 for s in servers if s.get("maxmemory"))
            self._room_known_until = now + _ROOM_SECONDS
        return self._room

    async def renewal_due(self, owner: str) -> bool:
        async with self._answering("renewal_due") as ask:
            return not await ask(lambda: self._client.exists(self._key("r", owner)))

    async def renewed(self, owner: str, ttl_ms: int) -> None:
        async with self._answering("renewed") as ask:
            await ask(lambda: self._client.set(self._key("r", owner), b"", px=ttl_ms))

    async def create_session(self, session: str, record: bytes, ttl_seconds: int) -> bool:
        async with self._answering("create_session") as ask:
            return bool(await ask(lambda: self._create(keys=[self._key("s", session)], args=[record, ttl_seconds])))

    async def get_session(self, session: str, version: int | None = None) -> StoredSession | None:
        asked = [] if version is None else [version]
        async with self._answering("get_session") as ask:
            found = await ask(lambda: self._read(keys=[self._key("s", session)], args=asked))
        if found is None:
            return None
        newest, oldest, ttl_seconds = map(int, found[:3])
        return StoredSession(newest if version is None else version, found[3], ttl_seconds, newest, oldest)

    async def get_history(self, session: str) -> list[StoredVersion]:
        async with self._answering("get_history") as ask:
            found = await ask(lambda: self._versions(keys=[self._key("s", session)])) or []
        rows = zip(found[::3], found[1::3], found[2::3], strict=True)
        return [StoredVersion(int(version), record, int(made)) for version, record, made in rows]

    async def replace_session(self, session: str, expected: int, record: bytes, token: str) -> Replaced:
        async with self._answering("replace_session") as ask:
            key = self._key("s", session)
            done, version = await ask(lambda: self._replace(keys=[key], args=[expected, record, token, self._history]))
        return Replaced(bool(done), int(version))

    async def delete_session(self, session: str) -> bool:
        async with self._answering("delete_session") as ask:
            return bool(await ask(lambda: self._client.delete(self._key("s", session))))

    async def claim(self, quota: str, members: Sequence[str | bytes], ttl_ms: int, most: int | None) -> tuple[int, int]:
        """Count members for ttl_ms or longer, unless there would be more than `most`: (those there are, new ones that
        were refused). None refuses nothing.
        """
        bound = 1 << 53 if most is None else most
        async with self._answering("claim") as ask:
            key = self._key("q", quota)
            done, used, *refused = await ask(lambda: self._claim(keys=[key], args=[bound, ttl_ms, *members]))
        return int(used), 0 if done else int(refused[0])

    async def counts(self, quota: str, member: str, ttl_ms: int) -> bool:
        """Whether a member is counted; if so, it is for ttl_ms or longer."""
        async with self._answering("counts") as ask:
            return bool(await ask(lambda: self._renew(keys=[self._key("q", quota)], args=[member, ttl_ms])))

    async def release(self, quota: str, member: str) -> None:
        """Stop counting a member."""
        async with self._answering("release") as ask:
            await ask(lambda: self._client.zrem(self._key("q", quota), member))

    async def close(self) -> None:
        try:
            await self._client.aclose()
        except FAILURES:
            return


def _batched(blocks: Iterable[str], size: int) -> Iterator[tuple[str, ...]]:
    items = iter(blocks)
    while batch := tuple(islice(items, size)):
        yield batch


def _longer(key: str, ttl_seconds: int) -> tuple[Any, ...]:
    return ("EXPIRE", key, ttl_seconds, "GT")


def _failed(operation: str, error: BaseException, level: int) -> ServiceError:
    """The error callers see; what the client says, with the address of the store, goes to the log alone."""
    log.log(level, "store: %s: %s: %s", operation, type(error).__name__, str(error)[:200])
    failure = kind_of(error)(f"{operation}: {type(error).__name__}")
    STORE_ERRORS.labels(operation, failure.code).inc()
    return failure
