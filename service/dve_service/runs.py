"""How a run is driven: begun in a helper thread, looked for among kept answers, or planned, fed and finished.

Only the blocks that a run can depend on are fetched, between planning and execution; both happen in engine threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from dve_engine import MachineState

from . import execution
from .blocks import Manifest
from .codec import Kept
from .execution import Begun, Outcome
from .images import Images
from .limits import Limits
from .machine_state import Snapshot, snapshot
from .metrics import RESULTS
from .orders import Image, Ran, Run
from .plans import Plans
from .results import Results
from .work import Watch, Work


@dataclass(frozen=True)
class Hit:
    """A kept answer. image: the memory it left, if it was stored; it is alive."""

    answer: Ran
    machine: Snapshot
    image: Image | None


class Runs:
    """Carries runs out for whoever holds a slot."""

    def __init__(self, images: Images, work: Work, limits: Limits, plans: Plans, results: Results) -> None:
        self._images, self._work, self._limits, self._plans, self._results = images, work, limits, plans, results

    async def begin(self, make: Callable[[], tuple[Run, MachineState]], image: str | None) -> Begun:
        """Put a run and the machine it starts on together, off the event loop: programs and regions may be large."""

        def begun() -> Begun:
            order, state = make()
            execution.check(order, self._limits)
            return execution.begin(order, state, image)

        return await self._work.helper(begun)

    def caches(self, begun: Begun) -> bool:
        """Whether a kept answer will do, and this one is to be kept."""
        return self._results.on and begun.order.cache

    async def kept(self, begun: Begun, base: Image, ttl_seconds: int) -> Hit | None:
        """The answer of an earlier run that was the same.

        base: the memory it starts from, which is alive. ttl_seconds: of the image the answer names, if any, which is
        given this life as if it was stored now.
        """
        if not self.caches(begun):
            return None
        found = await self._results.get(begun.key)
        image = None
        if found is not None and found.answer.image is not None:
            image = await self._images.revived(found.answer.image, base, ttl_seconds)
        if found is None or (image is None and found.answer.image is not None):
            RESULTS.labels("miss").inc()
            return None
        RESULTS.labels("hit").inc()
        return Hit(found.answer, found.machine, image)

    async def keep(self, begun: Begun, done: Outcome, image: str | None) -> None:
        """Keep an answer for the next same run. image: that of the memory it left, if it was stored."""
        if self.caches(begun):
            await self._results.put(begun.key, Kept(replace(done.answer, image=image), snapshot(done.state)))

    async def once(self, begun: Begun, base: Image, guard: Watch) -> Ran:
        """Answer a run that changes nothing. What it leaves is stored only if the order says so.

        base: the memory it starts from, which is alive, as long as a new image if it may be stored.
        """
        life = self._images.ttl_seconds
        hit = await self.kept(begun, base, life)
        if hit is not None:
            return hit.answer
        async with self._work.slot():
            done = await self.carry_out(begun, base.manifest, guard)
        image = None
        if begun.order.store_image:
            image = (await self._images.save(done.manifest, done.new, life)).id
        await self.keep(begun, done, image)
        return replace(done.answer, image=image)

    async def carry_out(self, begun: Begun, base: Manifest, guard: Watch) -> Outcome:
        """Run, on the memory that `base` describes."""
        limits, keep = self._limits, begun.order.store_image

        def prepare() -> execution.Prepared:
            return execution.prepare(begun, self._plans, limits)

        if not base.blocks:  # nothing to fetch: one visit to the engine's threads will do
            return await self._work.engine(
                guard, lambda: execution.finish(prepare(), base, {}, keep, limits, guard)
            )
        prepared = await self._work.engine(guard, prepare)
        contents = await self._images.blocks(base.part(prepared.places).distinct)
        return await self._work.engine(guard, execution.finish, prepared, base, contents, keep, limits, guard)
