"""A session as it is read from the store, at its newest version or an older one it keeps, and kept alive by that."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .blocks import Manifest
from .errors import SessionNotFound, VersionNotFound
from .images import Images
from .orders import SessionView
from .ports import Store
from .records import Record

_SESSION = re.compile(r"ses_[0-9a-f]{32}")


@dataclass(frozen=True)
class Opened:
    """A session at a version, with its manifest."""

    id: str
    version: int
    ttl_seconds: int
    record: Record
    manifest: Manifest

    def view(self) -> SessionView:
        """What callers see."""
        kept = self.record
        return SessionView(
            self.id, kept.generation, self.version, kept.image, self.ttl_seconds, kept.machine.view(), kept.forked_from
        )


async def opened(store: Store, images: Images, session: str, version: int | None = None) -> Opened:
    """Read a session, the newest version if None. Its life, and that of all versions it keeps, begins anew.

    Raises SessionNotFound, VersionNotFound, ImageNotFound and BlocksMissing for what the version needs.
    """
    stored = await store.get_session(checked(session), version)
    if stored is None:
        raise gone(session)
    if stored.record is None:
        raise VersionNotFound(stored.version, stored.oldest, stored.newest)

    async def others() -> Iterable[str]:
        return {Record.decode(one.record).image for one in await store.get_history(session)}

    record = Record.decode(stored.record)
    image = await images.get(record.image, stored.ttl_seconds)
    await images.keep_alive(session, image.manifest, stored.ttl_seconds, others)
    return Opened(session, stored.version, stored.ttl_seconds, record, image.manifest)


def checked(session: str) -> str:
    """The id, if it can be one. Raises SessionNotFound."""
    if not _SESSION.fullmatch(session):
        raise gone(session)
    return session


def gone(session: str) -> SessionNotFound:
    """The error for a session that is not there."""
    return SessionNotFound(f"there is no session {session[:80]!r}")
