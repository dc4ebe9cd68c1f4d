"""Use cases of images: immutable snapshots, stored as blocks and a manifest."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence

from dve_engine import Generation, Region

from . import reading
from .blocks import BLOCK_BYTES, ID_DIGITS, Manifest, Place, block_id, exists, parse, places_of
from .drafts import Draft
from .engine_errors import translated
from .errors import BlockMismatch, BlockNotFound, BlocksMissing, ImageNotFound, InvalidField
from .limits import Limits
from .orders import Image, Write
from .ports import Store
from .work import Work

_IMAGE = re.compile(rf"img_[0-9a-f]{{{ID_DIGITS}}}")
_DRAFT_SECONDS = 3600  # of blocks that nothing points to yet: what is given up or refused soon counts no more
_BLOCK = re.compile(rf"[0-9a-f]{{{ID_DIGITS}}}")


class Images:
    """Store, fetch and read images.

    Blocks are stored for twice the life of what needs them, and given that life anew before half of it has passed
    (`keep_alive`). So whatever is alive has all its blocks, and most uses renew nothing.
    """

    def __init__(self, store: Store, work: Work, limits: Limits, ttl_seconds: int) -> None:
        self._store, self._work, self._limits, self.ttl_seconds = store, work, limits, ttl_seconds

    async def create(self, generation: Generation, writes: Sequence[Write]) -> Image:
        """Store zero memory with writes applied in order.

        Raises InvalidRegion.
        """
        draft = self.draft(generation)
        for write in writes:
            await draft.write(write)
        return await self.keep(draft)

    async def collect(self, generation: Generation, writes: AsyncIterator[Write]) -> Image:
        """Store zero memory with writes applied in order, as they come.

        Raises InvalidRegion, and what `writes` raises; there is no image then.
        """
        draft = self.draft(generation)
        async for write in writes:
            await draft.write(write)
        return await self.keep(draft)

    def draft(self, generation: Generation) -> Draft:
        """Begin to collect writes for memory of a generation."""

        async def put(blocks: Mapping[str, bytes]) -> None:
            await self._store.put_blocks(blocks, min(_DRAFT_SECONDS, 2 * self.ttl_seconds))

        return Draft(generation, self._work, self.blocks, put)

    async def lay(self, draft: Draft, base: Manifest, ttl_seconds: int) -> tuple[Manifest, dict[str, bytes]]:
        """The memory of `base`, whose blocks are alive, with the writes of a draft on top; what `save` takes.

        Raises BlocksMissing for blocks that were lost or expired since the draft began.
        """
        manifest, new = await draft.over(base)
        safe = {*base.blocks.values(), *new}
        await self._require([block for block in manifest.distinct if block not in safe], ttl_seconds)
        return manifest, new

    async def keep(self, draft: Draft) -> Image:
        """Store zero memory with the writes of a draft on top."""
        manifest, new = await self.lay(draft, Manifest(draft.generation, {}), self.ttl_seconds)
        return await self.save(manifest, new, self.ttl_seconds)

    async def create_from_manifest(self, generation: Generation, blocks: Mapping[Place, str]) -> Image:
        """Store an image whose blocks are there already.

        Raises InvalidField for a place or id that cannot be, BlocksMissing for blocks that are not stored.
        """
        for place, identifier in blocks.items():
            if not exists(place, generation):
                raise InvalidField(
                    "manifest.blocks", f"{generation.name} has no block at {place.space} {place.quadrant}, {place.tile}"
                )
            _check_block(identifier)
        manifest = Manifest(generation, {place: block for place, block in blocks.items() if block != ZERO_BLOCK})
        begun = time.monotonic()
        await self._require(manifest.distinct, self.ttl_seconds)
        image = await self.save(manifest, {}, self.ttl_seconds)
        await self._renewed(image.id, self.ttl_seconds, begun)  # its first use need not ask for them again
        return image

    async def missing(self, blocks: Sequence[str]) -> list[str]:
        """Name the blocks that are not stored; the others live on."""
        self._limits.check("blocks", len(blocks))
        for identifier in blocks:
            _check_block(identifier)
        return await self._store.missing_blocks(list(dict.fromkeys(blocks)), 2 * self.ttl_seconds)

    async def put_block(self, identifier: str, data: bytes) -> None:
        """Store one block.

        Raises BlockMismatch if the bytes are not those of the id.
        """
        await self.put_blocks({identifier: data})

    async def put_blocks(self, blocks: Mapping[str, bytes]) -> None:
        """Store blocks.

        Raises BlockMismatch, before anything is stored, if the bytes of one are not those of its id.
        """
        for identifier, data in blocks.items():
            check_block(identifier, data)
            if block_id(data) != identifier:
                raise BlockMismatch(f"the BLAKE3 digest of these bytes is {block_id(data)}, not {identifier}")
        await self._store.put_blocks(blocks, 2 * self.ttl_seconds)

    async def block(self, identifier: str) -> bytes:
        """The bytes of one block.

        Raises BlockNotFound.
        """
        found = await self._store.get_blocks([identifier]) if _BLOCK.fullmatch(identifier) else {}
        if identifier not in found:
            raise BlockNotFound(f"there is no block {identifier[:80]!r}")
        return found[identifier]

    async def blocks(self, identifiers: Sequence[str]) -> dict[str, bytes]:
        """The bytes of blocks.

        Raises BlocksMissing.
        """
        found = await self._store.get_blocks(identifiers)
        missing = [identifier for identifier in identifiers if identifier not in found]
        if missing:
            raise BlocksMissing(missing)
        return found

    async def get(self, image: str, ttl_seconds: int | None = None) -> Image:
        """The manifest of an image; its life begins anew.

        Raises ImageNotFound.
        """
        life = 2 * (ttl_seconds or self.ttl_seconds)
        canonical = await self._store.get_image(image, life) if _IMAGE.fullmatch(image) else None
        if canonical is None:
            raise ImageNotFound(f"there is no image {image[:80]!r}")
        return Image(image, parse(canonical))

    async def get_for(self, image: str, generation: Generation) -> Image:
        """The manifest of an image, which must be one of `generation`, and its blocks kept alive."""
        found = await self.get(image)
        if found.manifest.generation is not generation:
            raise InvalidField("image", f"is an image of {found.manifest.generation.name}, not of {generation.name}")
        await self.keep_alive(image, found.manifest, self.ttl_seconds)
        return found

    async def keep_alive(
        self,
        owner: str,
        manifest: Manifest,
        ttl_seconds: int,
        others: Callable[[], Awaitable[Iterable[str]]] | None = None,
    ) -> None:
        """Let the blocks live on if half their life may soon have passed.

        others: more images that the owner needs, looked up only then. What they have lost is no error here, but the
        next use will look again.
        Raises BlocksMissing if the store has lost blocks of the manifest.
        """
        if not await self._store.renewal_due(owner):
            return
        begun, whole = time.monotonic(), True
        blocks = dict.fromkeys(manifest.distinct)
        for image in await others() if others else ():
            try:
                blocks |= dict.fromkeys((await self.get(image, ttl_seconds)).manifest.distinct)
            except ImageNotFound:
                whole = False
        missing = await self._store.missing_blocks(list(blocks), 2 * ttl_seconds)
        needed = set(manifest.distinct).intersection(missing)
        if needed:
            raise BlocksMissing([block for block in missing if block in needed])
        if whole and not missing:
            await self._renewed(owner, ttl_seconds, begun)

    async def _renewed(self, owner: str, ttl_seconds: int, begun: float) -> None:
        """Remember that all blocks of `owner` were given twice the life at time.monotonic() `begun` or later."""
        # an eighth is for writes under way: their blocks are older than the version that needs them
        quiet_ms = int(1000 * (ttl_seconds * 7 / 8 - (time.monotonic() - begun)))
        if quiet_ms > 0:
            await self._store.renewed(owner, quiet_ms)

    async def _require(self, blocks: Sequence[str], ttl_seconds: int) -> None:
        missing = await self._store.missing_blocks(blocks, 2 * ttl_seconds) if blocks else []
        if missing:
            raise BlocksMissing(missing)

    async def revived(self, image: str, base: Image, ttl_seconds: int) -> Image | None:
        """An image, which is given a new life as if it was just saved; None if part of it is gone.

        base: an image that is alive, and so are its blocks.
        """
        if image == base.id:
            return base
        try:
            found = await self.get(image, ttl_seconds)
        except ImageNotFound:
            return None
        alive = set(base.manifest.blocks.values())
        others = [block for block in found.manifest.distinct if block not in alive]
        missing = await self._store.missing_blocks(others, 2 * ttl_seconds) if others else []
        return None if missing else found

    async def save(self, manifest: Manifest, new: Mapping[str, bytes], ttl_seconds: int) -> Image:
        """Store new blocks and then the manifest that needs them; the other blocks are alive."""
        image = Image(manifest.image, manifest)
        await self._store.put_blocks(new, 2 * ttl_seconds)
        await self._store.put_image(image.id, manifest.canonical, 2 * ttl_seconds)
        return image

    async def read(self, manifest: Manifest, regions: Sequence[Region]) -> list[Write]:
        """Contents of regions, whole. Raises what `stream` does."""
        parts = await self.stream(manifest, regions)
        whole = []
        for region in regions:
            data = bytearray()
            while len(data) < region.total_bytes:
                data += (await anext(parts)).data
            whole.append(Write(region, bytes(data)))
        return whole

    async def stream(self, manifest: Manifest, regions: Sequence[Region]) -> AsyncIterator[Write]:
        """Contents of regions in order, in parts of at most 1 MiB.

        Raises InvalidRegion, LimitExceeded, BlocksMissing before there is a first part. A block that the store loses
        after that is BlocksMissing where it is needed.
        """
        self._limits.check("regions", len(regions))
        self._limits.check("readback_bytes", sum(region.total_bytes for region in regions))
        with translated():
            for region in regions:
                region.check(manifest.generation)
        groups = list(reading.groups(regions))
        blocks = await self._blocks_at(manifest, groups[0]) if groups else {}
        later = manifest.part(places_of(region for group in groups[1:] for region in group))
        await self._require([block for block in later.distinct if block not in blocks], self.ttl_seconds)

        async def parts() -> AsyncIterator[Write]:
            for index, group in enumerate(groups):
                if index:
                    blocks.clear()  # before the next are here
                    blocks.update(await self._blocks_at(manifest, group))
                for piece in (piece for region in group for piece in reading.pieces(region)):
                    yield await self._work.helper(reading.contents, piece, manifest, blocks)

        return parts()

    async def _blocks_at(self, manifest: Manifest, regions: Iterable[Region]) -> dict[str, bytes]:
        return await self.blocks(manifest.part(places_of(regions)).distinct)


ZERO_BLOCK = block_id(bytes(BLOCK_BYTES))


def check_block(identifier: str, data: bytes) -> None:
    """Raise InvalidField or BlockMismatch for what cannot be a block; its digest is compared when it is stored."""
    _check_block(identifier)
    if len(data) != BLOCK_BYTES:
        raise BlockMismatch(f"a block has {BLOCK_BYTES} bytes, got {len(data)}")


def _check_block(identifier: str) -> None:
    if not _BLOCK.fullmatch(identifier):
        raise InvalidField("blocks", f"{identifier[:80]!r} is not a block id: {ID_DIGITS} lower-case hex digits")
