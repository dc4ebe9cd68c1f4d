"""The use cases: validate, run, images, sessions, predicates, containers, describe. No HTTP, gRPC or Redis here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dve_engine import RECORD_BYTES, Validation, coverage, describe, validate

from . import containers, execution, predicates, texts, words
from .blocks import Manifest
from .errors import InstructionNotFound, InvalidField
from .images import Images
from .limits import Limits
from .machine_state import fresh
from .orders import Image, Ran, Run, Validate, Validated
from .plans import Plans
from .ports import Store
from .results import Results
from .runs import Runs
from .sessions import Sessions
from .settings import Settings
from .work import Turns, Watch, Work

SELF_CHECK = bytes(64)  # opcode 0 is no instruction on any generation


class Simulator:
    """Everything the service can do for one tenant; keeps nothing between calls but connections and caches.

    work, turns and plans are those of the process.
    """

    def __init__(
        self, store: Store, work: Work, turns: Turns, plans: Plans, limits: Limits, settings: Settings
    ) -> None:
        self.limits = limits
        self._store, self._work = store, work
        self.images = Images(store, work, limits, settings.image_ttl_seconds)
        self._runs = Runs(self.images, work, limits, plans, Results(store, work, settings))
        self.vbool = predicates.Predicates(work, limits)
        self.texts = texts.Texts(work, limits)
        self.neff = containers.Containers(work, limits)
        self.sessions = Sessions(
            store,
            self.images,
            self._runs,
            work,
            turns,
            limits,
            ttl_seconds=settings.session_ttl_seconds,
            write_attempts=settings.write_attempts,
        )

    async def validate(self, order: Validate) -> Validated:
        """Judge a program. Raises LimitExceeded and Overloaded."""
        self.limits.check("instructions", len(order.program.code) // RECORD_BYTES)
        async with self._work.slot():
            return await self._work.engine(Watch(self.limits.run_seconds), execution.validated, order)

    async def run(self, order: Run, watch: Watch | None = None) -> Ran:
        """Run a program on the state the order describes.

        Raises IllegalInstructions, ExecutionFailed, NotModelledByEngine, InvalidRegion, ImageNotFound, BlocksMissing,
        LimitExceeded, Overloaded; the store is needed only for an image, and wanted for kept answers.
        """
        guard = watch or Watch(self.limits.run_seconds)
        generation, start = order.program.generation, order.start.image
        begun = await self._runs.begin(lambda: (order, fresh(generation)), start)
        base = Image("", Manifest(generation, {}))
        if start is not None:
            base = await self.images.get_for(start, generation)
        return await self._runs.once(begun, base, guard)

    def describe(self, topic: str = "", generation: str = "", mnemonic: str = "") -> Mapping[str, Any]:
        """A document about the instruction set; topics as in proto/dve/v1/description.proto.

        Raises UnknownGenerationName, InstructionNotFound, InvalidField, UnknownOperation, NotModelledByEngine.
        """
        if topic == "assumptions":
            return {"assumptions": describe.assumptions()}
        if topic == "vbool":
            return predicates.described(mnemonic)
        if not topic and not generation:
            return {"generations": describe.generations()}
        chosen = words.generation(generation)
        if not topic:
            return dict(describe.generation(chosen))
        if topic == "instructions" and mnemonic:
            try:
                return dict(describe.instruction(chosen, mnemonic))
            except KeyError:
                raise InstructionNotFound(f"{chosen.name} has no instruction {mnemonic[:80]!r}") from None
        lists = {
            "instructions": describe.instructions,
            "dtypes": describe.dtypes,
            "aluops": describe.aluops,
            "coverage": coverage.published,
        }
        if topic not in lists:
            raise InvalidField("topic", f"{topic[:80]!r} is not one of {', '.join([*lists, 'assumptions', 'vbool'])}")
        return {"generation": chosen.name.lower(), topic: lists[topic](chosen)}

    async def not_ready(self) -> dict[str, str]:
        """What keeps this replica from serving: part -> reason. Empty when it is ready."""
        reasons = {}
        try:
            judged: Validation = validate(SELF_CHECK, words.generation("cayman"), words.choices(None, {}))
            if judged.valid:
                reasons["engine"] = "self-check: an all-zero record was judged legal"
        except Exception as error:
            reasons["engine"] = f"self-check: {error}"
        try:
            await self._store.ping()
        except Exception as error:
            reasons["store"] = str(error)
        return reasons

    async def close(self) -> None:
        """Let go of threads and connections."""
        self._work.close()
        await self._store.close()
