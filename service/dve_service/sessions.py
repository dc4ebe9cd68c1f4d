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
import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from dve_engine import Generation, MachineState, Region

from .blocks import Manifest, assemble, places_of, rebuild
from .engine_errors import translated
from .errors import ConcurrentWrites, InvalidField, LimitExceeded, SessionNotFound, VersionConflict
from .images import Images
from .limits import Limits
from .machine_state import apply, fresh, restore
from .orders import Image, Input, Ran, Run, SessionMemory, SessionView, Write
from .ports import Store
from .records import Record
from .runs import Runs
from .work import Turns, Watch, Work

_SESSION = re.compile(r"ses_[0-9a-f]{32}")
T = TypeVar("T")
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.005, 0.5


@dataclass(frozen=True)
class _Open:
    """A session as read from the store, with its manifest."""

    id: str
    version: int
    ttl_seconds: int
    record: Record
    manifest: Manifest

    def view(self) -> SessionView:
        """What callers see."""
        kept = self.record
        return SessionView(self.id, kept.generation, self.version, kept.image, self.ttl_seconds, kept.machine.view())


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
        limits: Limits,
        *,
        ttl_seconds: int,
        write_attempts: int,
    ) -> None:
        self._store, self._images, self._runs, self._work, self._limits = store, images, runs, work, limits
        self._ttl_seconds, self._attempts = ttl_seconds, write_attempts
        self._turns = Turns(limits.queued_runs)

    async def create(
        self, generation: Generation, image: str | None, writes: Sequence[Write], ttl_seconds: int | None
    ) -> SessionView:
        """Start a session from an image (zero memory if None) with writes on top.

        Raises ImageNotFound, BlocksMissing, InvalidRegion, LimitExceeded.
        """
        life = self._life(ttl_seconds)
        base = Manifest(generation, {})
        if image is not None:
            base = (await self._images.get_for(image, generation)).manifest
        async with self._work.slot():
            change = await self._written(None, base, writes)
        return await self._store_new(change.state, change.manifest, change.new, life)

    async def get(self, session: str) -> SessionView:
        """The session as it is now; its life begins anew.

        Raises SessionNotFound, BlocksMissing.
        """
        return (await self._open(session)).view()

    async def fork(self, session: str, ttl_seconds: int | None) -> SessionView:
        """A second session with the state of the first. No memory is copied."""
        parent = await self._open(session)
        life = self._life(ttl_seconds) if ttl_seconds is not None else parent.ttl_seconds
        if life > parent.ttl_seconds:  # the parent's blocks are only known to live as long as the parent needs them
            await self._images.get(parent.record.image, life)
            await self._images.keep_alive(f"{parent.id}.{life}", parent.manifest, life)
        return await self._new(parent.record, life)

    async def delete(self, session: str) -> None:
        """Forget a session. Raises SessionNotFound."""
        if not await self._store.delete_session(_checked(session)):
            raise _gone(session)

    async def read(self, session: str, regions: Sequence[Region]) -> SessionMemory:
        """Contents of regions, all of one version."""
        found = await self._open(session)
        return SessionMemory(found.version, await self._images.read(found.manifest, regions))

    async def write(self, session: str, writes: Sequence[Write], if_match: int | None) -> SessionView:
        """Apply writes in order as one change.

        Raises InvalidRegion, VersionConflict, ConcurrentWrites.
        """
        self._limits.check("regions", len(writes))

        async def attempt(found: _Open) -> tuple[_Change, None]:
            return await self._written(found.record, found.manifest, writes), None

        written, _ = await self._update(session, if_match, attempt)
        return written.view()

    async def run(
        self, session: str, order: Callable[[Generation], Run], if_match: int | None, watch: Watch | None = None
    ) -> Ran:
        """Run on the session's state and keep what it leaves. `order` makes the request once the generation is known.

        Raises what runs raise, VersionConflict and ConcurrentWrites; the session is then as it was.
        """

        async def attempt(found: _Open) -> tuple[_Change, tuple[Ran, Callable[[str], Awaitable[None]] | None]]:
            kept, guard = found.record, watch or Watch(self._limits.run_seconds)
            image = kept.image if found.manifest.blocks else None
            begun = await self._runs.begin(lambda: (order(kept.generation), kept.state()), image)
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

    async def _update(
        self, session: str, if_match: int | None, attempt: Callable[[_Open], Awaitable[tuple[_Change, T]]]
    ) -> tuple[_Open, T]:
        """Read, change, compare-and-set; start over where another writer was faster and the caller named no version."""
        async with self._turns.turn(_checked(session)):
            return await self._compare_and_set(session, if_match, attempt)

    async def _compare_and_set(
        self, session: str, if_match: int | None, attempt: Callable[[_Open], Awaitable[tuple[_Change, T]]]
    ) -> tuple[_Open, T]:
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
            record = Record.of(change.state, image)
            replaced = await self._store.replace_session(session, found.version, record.encode(), secrets.token_hex(8))
            if replaced.done:
                return _Open(session, replaced.version, found.ttl_seconds, record, change.manifest), answer
            if not replaced.version:
                raise _gone(session)
            if if_match is not None:
                raise VersionConflict(if_match, replaced.version)
            current = replaced.version
        raise ConcurrentWrites(self._attempts, current)

    async def _open(self, session: str) -> _Open:
        stored = await self._store.get_session(_checked(session))
        if stored is None:
            raise _gone(session)
        record = Record.decode(stored.record)
        image = await self._images.get(record.image, stored.ttl_seconds)
        await self._images.keep_alive(session, image.manifest, stored.ttl_seconds)
        return _Open(session, stored.version, stored.ttl_seconds, record, image.manifest)

    async def _written(self, record: Record | None, base: Manifest, writes: Sequence[Write]) -> _Change:
        """Apply writes to `record`, or to a machine after reset; only the blocks they touch are fetched."""
        with translated():
            for write in writes:
                write.region.check(base.generation)
        touched = places_of(write.region for write in writes)
        before = base.part(touched)
        contents = await self._images.blocks(before.distinct)

        def change() -> _Change:
            memory = assemble(before, contents)
            state = fresh(base.generation, memory) if record is None else record.state(memory)
            apply(state, Input(writes=tuple(writes)))
            return _Change(state, *rebuild(base, state.memory, touched))

        return await self._work.helper(change)

    async def _store_new(
        self, state: MachineState, manifest: Manifest, new: dict[str, bytes], life: int
    ) -> SessionView:
        image = await self._images.save(manifest, new, life)
        view_of_new = await self._new(Record.of(state, image.id), life)
        await self._images.keep_alive(view_of_new.id, manifest, life)
        return view_of_new

    async def _new(self, record: Record, life: int) -> SessionView:
        session = f"ses_{secrets.token_hex(16)}"
        if not await self._store.create_session(session, record.encode(), life):
            raise AssertionError(f"session id {session} drawn twice")
        return _Open(session, 1, life, record, Manifest(record.generation, {})).view()

    def _life(self, ttl_seconds: int | None) -> int:
        if ttl_seconds is None:
            return self._ttl_seconds
        if ttl_seconds < 1:
            raise InvalidField("ttl_seconds", f"{ttl_seconds} is not at least 1")
        allowed = self._limits.session_ttl_seconds
        if ttl_seconds > allowed:
            raise LimitExceeded("session_ttl_seconds", allowed, ttl_seconds)
        return ttl_seconds


def _checked(session: str) -> str:
    if not _SESSION.fullmatch(session):
        raise _gone(session)
    return session


def _gone(session: str) -> SessionNotFound:
    return SessionNotFound(f"there is no session {session[:80]!r}")
