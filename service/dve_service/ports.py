"""What the use cases need from the outside. Adapters: store/redis_store.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class StoredSession:
    """A session record and its place in history."""

    version: int
    record: bytes
    ttl_seconds: int


@dataclass(frozen=True)
class Replaced:
    """What became of a compare-and-set: `version` is the one it made if done, else the current one, 0 if it is gone."""

    done: bool
    version: int


class Store(Protocol):
    """Shared, expiring memory of all replicas.

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

    async def renewed(self, owner: str, ttl_seconds: int) -> None:
        """Remember for ttl_seconds that the blocks of an image or session were given a longer life."""

    async def create_session(self, session: str, record: bytes, ttl_seconds: int) -> bool:
        """Store a new session at version 1, or find that very record there; False if the id is taken."""

    async def get_session(self, session: str) -> StoredSession | None:
        """Fetch a session and start its time to live anew; None if it is gone."""

    async def replace_session(self, session: str, expected: int, record: bytes, token: str) -> Replaced:
        """Set the record and add 1 to the version if it is `expected`, in one step; one token twice counts once."""

    async def delete_session(self, session: str) -> bool:
        """Forget a session; False if it is already gone."""

    async def close(self) -> None:
        """Let go of all connections. Never raises."""
