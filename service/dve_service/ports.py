"""What the use cases need from the outside. Adapters: store/redis_store.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class StoredSession:
    """A version of a session and the range of those that are kept. record: None if this version is not."""

    version: int
    record: bytes | None
    ttl_seconds: int
    newest: int
    oldest: int


@dataclass(frozen=True)
class StoredVersion:
    """A version that a session keeps, and when it was made: Unix time in milliseconds."""

    version: int
    record: bytes
    made_ms: int


@dataclass(frozen=True)
class Replaced:
    """What became of a compare-and-set: `version` is the one it made if done, else the current one, 0 if it is gone."""

    done: bool
    version: int


class Storage(Protocol):
    """Shared, expiring memory of all replicas, as a server has it.

    Every method raises StoreUnavailable when the store cannot be reached or does not answer in time, and StoreFull when
    it has no room; what was written before then stays and expires. An answered write is visible to every later call of
    any replica.
    """

    async def ping(self) -> None:
        """Return if the store answers."""

    async def missing_blocks(self, blocks: Sequence[str], ttl_seconds: int) -> list[str]:
        """Name the blocks that are not stored; let the others live at least ttl_seconds longer."""

    async def put_blocks(self, blocks: Mapping[str, bytes], ttl_seconds: int) -> None:
        """Store blocks under their digests, or let those already there live at least ttl_seconds longer."""

    async def get_blocks(self, blocks: Sequence[str]) -> dict[str, bytes]:
        """Fetch blocks; those not stored, or stored with bytes that are not theirs, are absent from the answer."""

    async def put_image(self, image: str, manifest: bytes, ttl_seconds: int) -> None:
        """Store a manifest, or let it live at least ttl_seconds longer."""

    async def get_image(self, image: str, ttl_seconds: int) -> bytes | None:
        """Fetch a manifest and let it live at least ttl_seconds longer; None if it is not stored, or not intact."""

    async def get_result(self, key: str, most_bytes: int) -> bytes | None:
        """Fetch the kept answer of a run; None if it is not stored or larger."""

    async def put_result(self, key: str, data: bytes, ttl_seconds: int) -> bool:
        """Keep the answer of a run; False if the store would rather keep its room for what cannot be run again."""

    async def renewal_due(self, owner: str) -> bool:
        """Whether the last `renewed` of this image or session has lapsed."""

    async def renewed(self, owner: str, ttl_ms: int) -> None:
        """Remember for ttl_ms that the blocks of an image or session were given a longer life."""

    async def create_session(self, session: str, record: bytes, ttl_seconds: int) -> bool:
        """Store a new session at version 1, or find that very record there; False if the id is taken."""

    async def get_session(self, session: str, version: int | None = None) -> StoredSession | None:
        """Fetch a version of a session, or the newest, and start its time to live anew; None if it is gone."""

    async def get_history(self, session: str) -> list[StoredVersion]:
        """Fetch the versions a session keeps, newest first; none if it is gone."""

    async def replace_session(self, session: str, expected: int, record: bytes, token: str) -> Replaced:
        """Add a version after `expected` if that is the newest, and forget those that are no longer kept, in one step;
        one token twice counts once.
        """

    async def delete_session(self, session: str) -> bool:
        """Forget a session; False if it is already gone."""

    async def close(self) -> None:
        """Let go of all connections. Never raises."""


class Store(Storage, Protocol):
    """The memory of one tenant, which shares nothing with those of others, and how much it may hold.

    put_blocks and claim_session raise QuotaExceeded before anything is written.
    """

    async def claim_session(self, session: str, ttl_seconds: int) -> None:
        """Let a session that is about to be created count; deleting it, or ttl_seconds without use, ends that."""
