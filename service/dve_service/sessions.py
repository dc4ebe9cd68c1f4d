"""Use cases of sessions: named, versioned machine states.

Two writers of one session, both at version 3:

    A  reads 3 ── runs ── stores its new blocks ── replaces 3 by 4: done
    B  reads 3 ── runs ── stores its new blocks ────────────────── replaces 3 by 4: refused, the session is at 4

B then answers version_conflict if its caller named the version, or starts over. New blocks are stored before the
session points to them, so a process that dies in between leaves the session as it was. Writers in one process take
turns, so that only those of different processes meet in this way.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from dve_engine import Generation, MachineState, Region

from .blocks import Manifest
from .drafts import Draft
from .errors import ConcurrentWrites, InvalidField, LimitExceeded, StoreUnavailable, VersionConflict
from .execution import Begun
from .images import Images
from .limits import Limits
from .machine_state import fresh, restore
from .opened import Opened, checked, gone, opened
from .orders import History, Image, Ran, Run, SessionMemory, SessionView, Version, Write
from .ports import Store
from .records import Record
from .runs import Runs
from .work import Turns, Watch, Work

T = TypeVar("T")
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.005, 0.5


@dataclass(frozen=True)
class _Change:
    """The state a write leaves, and what to store for it. image: of its memory, where that is stored already."""

    state: MachineState
    manifest: Manifest
    new: dict[str, bytes]
    image: str | None = None


class Sessions:
    """Create, read, run, fork and delete sessions."""

    def __init__(
        self,
        store: Store,
        images: Images,
        runs: Runs,
        work: Work,
        turns: Turns,
        limits: Limits,
        *,
        ttl_seconds: int,
        write_attempts: int,
    ) -> None:
        self._store, self._images, self._runs, self._work, self._limits = store, images, runs, work, limits
        self._turns, self._ttl_seconds, self._attempts = turns, ttl_seconds, write_attempts

    async def create(
        self, generation: Generation, image: str | None, writes: Sequence[Write], ttl_seconds: int | None
    ) -> SessionView:
        """Start a session from an image (zero memory if None) with writes on top.

        Raises ImageNotFound, BlocksMissing, InvalidRegion, LimitExceeded, QuotaExceeded.
        """
        life = self._life(ttl_seconds)
        base = Manifest(generation, {})
        if image is not None:
            base = (await self._images.get_for(image, generation)).manifest
        async with self._place(life) as new:
            draft = self._images.draft(generation)
            for write in writes:
                await draft.write(write)
            stored = await self._images.save(*await self._images.lay(draft, base, life), life)
            made = await self._new(new, Record.of(fresh(generation), stored.id), life)
            await self._images.keep_alive(new, stored.manifest, life)
        return made

    async def get(self, session: str, version: int | None = None) -> SessionView:
        """The session as it is now, or was at a version; its life begins anew.

        Raises SessionNotFound, VersionNotFound, BlocksMissing.
        """
        return (await self._open(session, version)).view()

    async def versions(self, session: str) -> History:
        """The versions the session keeps."""
        await self._open(session)
        kept = await self._store.get_history(session)
        if not kept:
            raise gone(session)
        return History(session, [Version(one.version, Record.decode(one.record).image, one.made_ms) for one in kept])

    async def fork(self, session: str, ttl_seconds: int | None, version: int | None = None) -> SessionView:
        """A second session with the state of the first, as it is now or was at a version. No memory is copied."""
        parent = await self._open(session, version)
        life = self._life(ttl_seconds) if ttl_seconds is not None else parent.ttl_seconds
        if life > parent.ttl_seconds:  # the parent's blocks are only known to live as long as the parent needs them
            await self._images.get(parent.record.image, life)
            await self._images.keep_alive(f"{parent.record.image}.{life}", parent.manifest, life)
        async with self._place(life) as new:
            return await self._new(new, replace(parent.record, forked_from=(parent.id, parent.version)), life)

    async def delete(self, session: str) -> None:
        """Forget a session. Raises SessionNotFound."""
        if not await self._store.delete_session(checked(session)):
            raise gone(session)

    async def memory(self, session: str, version: int | None = None) -> tuple[int, Manifest]:
        """The version the session has now, or the one asked for, and its memory; both stay as they are when the session
        moves on.
        """
        found = await self._open(session, version)
        return found.version, found.manifest

    async def read(self, session: str, regions: Sequence[Region], version: int | None = None) -> SessionMemory:
        """Contents of regions, all of one version: the newest if None."""
        seen, manifest = await self.memory(session, version)
        return SessionMemory(seen, await self._images.read(manifest, regions))

    async def write(self, session: str, writes: Sequence[Write], if_match: int | None) -> SessionView:
        """Apply writes in order as one change.

        Raises InvalidRegion, VersionConflict, ConcurrentWrites.
        """
        self._limits.check("regions", len(writes))

        async def attempt(found: Opened) -> tuple[_Change, None]:
            draft = self._images.draft(found.manifest.generation)
            for write in writes:
                await draft.write(write)
            return await self._laid(found, draft), None

        written, _ = await self._update(session, if_match, attempt)
        return written.view()

    async def write_stream(
        self, session: str, writes: Callable[[Generation], AsyncIterator[Write]], if_match: int | None
    ) -> SessionView:
        """Apply writes in order as one change, at the end. `writes` begins once the generation is known.

        Raises InvalidRegion, VersionConflict, ConcurrentWrites; the session is then as it was.
        """
        begun = await self._open(session)
        if if_match is not None and begun.version != if_match:
            raise VersionConflict(if_match, begun.version)
        draft = self._images.draft(begun.manifest.generation)
        async for write in writes(draft.generation):
            await draft.write(write)

        async def attempt(found: Opened) -> tuple[_Change, None]:
            return await self._laid(found, draft), None

        written, _ = await self._update(session, if_match, attempt)
        return written.view()

    async def _laid(self, found: Opened, draft: Draft) -> _Change:
        return _Change(found.record.state(), *await self._images.lay(draft, found.manifest, found.ttl_seconds))

    async def run(
        self,
        session: str,
        order: Callable[[Generation], Run],
        if_match: int | None,
        watch: Watch | None = None,
        *,
        at_version: int | None = None,
    ) -> Ran:
        """Run on the session's state and keep what it leaves. `order` makes the request once the generation is known.

        at_version: run on the state of that version instead, and leave the session as it is.
        Raises what runs raise, VersionConflict and ConcurrentWrites; the session is then as it was.
        """
        guard = watch or Watch(self._limits.run_seconds)
        if at_version is not None:
            if if_match is not None:
                raise InvalidField("at_version", "excludes the version of If-Match: the session stays as it is")
            return await self._run_at(await self._open(session, at_version), order, guard)

        async def attempt(found: Opened) -> tuple[_Change, tuple[Ran, Callable[[str], Awaitable[None]] | None]]:
            kept = found.record
            begun = await self._begin(found, lambda generation: replace(order(generation), store_image=True))
            hit = await self._runs.kept(begun, Image(kept.image, found.manifest), found.ttl_seconds)
            if hit is not None and hit.image is not None:
                state = restore(fresh(kept.generation), hit.machine)
                return _Change(state, hit.image.manifest, {}, hit.image.id), (hit.answer, None)
            done = await self._runs.carry_out(begun, found.manifest, guard)
            return _Change(done.state, done.manifest, done.new), (done.answer, partial(self._runs.keep, begun, done))

        written, (answer, keep) = await self._update(session, if_match, attempt)
        if keep is not None:
            await keep(written.record.image)
        return replace(answer, image=written.record.image, version=written.version)

    async def _run_at(self, found: Opened, order: Callable[[Generation], Run], guard: Watch) -> Ran:
        begun, image = await self._begin(found, order), Image(found.record.image, found.manifest)
        if begun.order.store_image:  # its blocks and, where the run changes nothing, its manifest live as images do
            image = await self._images.get_for(image.id, found.record.generation)
        return replace(await self._runs.once(begun, image, guard), version=found.version)

    async def _begin(self, found: Opened, order: Callable[[Generation], Run]) -> Begun:
        kept = found.record
        image = kept.image if found.manifest.blocks else None
        return await self._runs.begin(lambda: (order(kept.generation), kept.state()), image)

    async def _update(
        self, session: str, if_match: int | None, attempt: Callable[[Opened], Awaitable[tuple[_Change, T]]]
    ) -> tuple[Opened, T]:
        """Read, change, compare-and-set; start over where another writer was faster and the caller named no version."""
        async with self._turns.turn(checked(session)):
            return await self._compare_and_set(session, if_match, attempt)

    async def _compare_and_set(
        self, session: str, if_match: int | None, attempt: Callable[[Opened], Awaitable[tuple[_Change, T]]]
    ) -> tuple[Opened, T]:
        current = 0
        for tried in range(self._attempts):
            if tried:  # writers that met once would meet again; the longest pause doubles, the length is drawn
                await asyncio.sleep(random.uniform(0, min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2**tried)))
            found = await self._open(session)
            if if_match is not None and found.version != if_match:
                raise VersionConflict(if_match, found.version)
            async with self._work.slot():
                change, answer = await attempt(found)
            image = change.image
            if image is None:
                image = (await self._images.save(change.manifest, change.new, found.ttl_seconds)).id
            record = Record.of(change.state, image, found.record.forked_from)
            replaced = await self._store.replace_session(session, found.version, record.encode(), secrets.token_hex(8))
            if replaced.done:
                return Opened(session, replaced.version, found.ttl_seconds, record, change.manifest), answer
            if not replaced.version:
                raise gone(session)
            if if_match is not None:
                raise VersionConflict(if_match, replaced.version)
            current = replaced.version
        raise ConcurrentWrites(self._attempts, current)

    async def _open(self, session: str, version: int | None = None) -> Opened:
        return await opened(self._store, self._images, session, version)

    @asynccontextmanager
    async def _place(self, life: int) -> AsyncIterator[str]:
        """The id of a session to be made inside, for which there is room; if that fails, there is no such session."""
        session = f"ses_{secrets.token_hex(16)}"
        try:
            await self._store.claim_session(session, life)
            yield session
        except BaseException:
            with suppress(StoreUnavailable):
                await self._store.delete_session(session)
            raise

    async def _new(self, session: str, record: Record, life: int) -> SessionView:
        if not await self._store.create_session(session, record.encode(), life):
            raise AssertionError(f"session id {session} drawn twice")
        return Opened(session, 1, life, record, Manifest(record.generation, {})).view()

    def _life(self, ttl_seconds: int | None) -> int:
        if ttl_seconds is None:
            return self._ttl_seconds
        if ttl_seconds < 1:
            raise InvalidField("ttl_seconds", f"{ttl_seconds} is not at least 1")
        allowed = self._limits.session_ttl_seconds
        if ttl_seconds > allowed:
            raise LimitExceeded("session_ttl_seconds", allowed, ttl_seconds)
        return ttl_seconds
