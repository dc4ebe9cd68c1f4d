"""The asynchronous client: typed calls over any transport.

The synchronous one (sync.py) is this one behind a thread.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TypeVar, Unpack

from dve_engine import Generation, Region

from . import documents
from .answers import Document, ImageInfo, RunAnswer, Session, SessionMemory, SessionVersion, StoredImage, Versions
from .errors import BadInput
from .memory import MemoryRegion, regions_of, regions_of_read, u32
from .neff import NeffCalls
from .requests import Program, RunOptions, ValidateRequest, Which, generation_name, program_bytes, run_request
from .retry import Retry
from .texts import TextCalls
from .transports.port import Transport
from .vbool import VboolCalls
from .verdicts import Validation

T = TypeVar("T")
INCREMENTAL_FROM_BYTES = 1 << 20  # of an image, from which only missing blocks are uploaded
_TOPICS = ("instructions", "dtypes", "aluops", "coverage")


class AsyncClient(TextCalls, VboolCalls, NeffCalls):
    """Calls to one service. Make it with `aconnect`; use it with `async with`, or call `aclose`.

    A generation is a name, an alias or a Generation. Every method raises ServiceError for what the service refuses,
    NoAnswer where no answer came, BadInput for arguments that cannot be sent (errors.py).
    """

    def __init__(self, transport: Transport, retry: Retry) -> None:
        self._transport, self._retry = transport, retry

    # --- verdicts and runs ---------------------------------------------------------------------------------

    async def validate(
        self,
        program: Program,
        generation: str | Generation,
        *,
        profile: str | None = None,
        assumptions: Mapping[str, str] | None = None,
        all_failures: bool = True,
        verdicts: Which = "all",
    ) -> Validation:
        """Judge every record of a program. Illegal records are an answer, not an error."""
        request = ValidateRequest(
            generation_name(generation),
            program_bytes(program),
            profile,
            dict(assumptions or {}),
            all_failures,
            verdicts,
        )
        return documents.validation(await self._try(lambda: self._transport.validate(request)))

    async def run(
        self,
        program: Program,
        generation: str | Generation,
        *,
        image: str | None = None,
        store_image: bool = False,
        **options: Unpack[RunOptions],
    ) -> RunAnswer:
        """Run a program on an image (zero memory if None) with regions on top, in order.

        store_image: keep the resulting memory; its id is answer.state.image. The other options are those of RunOptions.
        """
        name = generation_name(generation)
        request = run_request(program, options, generation=name, image=image, store_image=store_image)
        return documents.ran(await self._try(lambda: self._transport.run(request)))

    # --- images --------------------------------------------------------------------------------------------

    async def put_image(
        self, memory: Iterable[MemoryRegion], generation: str | Generation, *, incremental: bool | None = None
    ) -> StoredImage:
        """Store zero memory with regions on top. Equal contents have equal ids.

        incremental: upload only blocks the service lacks; None does so for large images.
        """
        given, name = regions_of(memory), generation_name(generation)
        if incremental is None:
            incremental = _is_large(given)
        if incremental:
            with contextlib.suppress(BadInput):  # the service says what is wrong, with its own code
                return await self._put_missing(given, name)
        return documents.stored(await self._try(lambda: self._transport.put_image(name, given)))

    async def _put_missing(self, memory: tuple[MemoryRegion, ...], generation: str) -> StoredImage:
        from .blocks import cut

        places, blocks = cut(generation, memory)
        lacking = await self.missing_blocks(list(blocks), generation)
        new = {block: blocks[block] for block in lacking}
        return documents.stored(await self._try(lambda: self._transport.put_blocks(generation, new, places)))

    async def missing_blocks(self, blocks: Sequence[str], generation: str | Generation) -> list[str]:
        """Name the blocks the service lacks; the others live on."""
        name = generation_name(generation)
        return await self._try(lambda: self._transport.missing_blocks(name, blocks))

    async def image(self, image: str) -> ImageInfo:
        """The manifest of an image."""
        return documents.image(await self._try(lambda: self._transport.image(image)))

    async def read_image(self, image: str, regions: Iterable[Region]) -> tuple[MemoryRegion, ...]:
        """Contents of regions of an image."""
        wanted = regions_of_read(regions)
        return await self._try(lambda: self._transport.read_image(image, wanted))

    # --- sessions ------------------------------------------------------------------------------------------

    async def create_session(
        self,
        generation: str | Generation,
        *,
        image: str | None = None,
        memory: Iterable[MemoryRegion] = (),
        ttl_seconds: int | None = None,
    ) -> Session:
        """Start a session from an image (zero memory if None) with regions on top.

        Much memory without an image is stored as one first, so that only blocks the service lacks are uploaded.
        """
        name, given, ttl_seconds = generation_name(generation), regions_of(memory), _maybe("ttl_seconds", ttl_seconds)
        if image is None and _is_large(given):
            image, given = (await self.put_image(given, name)).image, ()
        made = self._once(lambda: self._transport.create_session(name, image, given, ttl_seconds))
        return documents.session(await made)

    async def session(self, session: str, *, version: int | None = None) -> Session:
        """The session as it is now, or was at a version it keeps; VersionNotFound if it does not."""
        at = _maybe("version", version)
        return documents.session(await self._try(lambda: self._transport.session(session, at)))

    async def versions(self, session: str) -> tuple[SessionVersion, ...]:
        """The versions a session keeps, newest first."""
        return documents.session_versions(await self._try(lambda: self._transport.versions(session)))

    async def run_session(
        self,
        session: str,
        program: Program,
        *,
        if_match: int | None = None,
        at_version: int | None = None,
        store_image: bool = False,
        **options: Unpack[RunOptions],
    ) -> RunAnswer:
        """Run on a session's state and keep what it leaves, as a new version.

        if_match: the version the caller expects; another one raises VersionConflict. Without it, the service runs
        again on the newest state where another writer was faster.
        at_version: run on the state of that version instead, and leave the session as it is; store_image then keeps the
        resulting memory.
        """
        request, if_match = run_request(program, options, store_image=store_image), _maybe("if_match", if_match)
        at = _maybe("at_version", at_version)

        def work() -> Awaitable[Document]:
            return self._transport.run_session(session, request, if_match, at)

        return documents.ran(await (self._once(work) if at is None else self._try(work)))

    async def fork_session(
        self, session: str, *, ttl_seconds: int | None = None, version: int | None = None
    ) -> Session:
        """Start a second session from the state of one, now or at a version it keeps. No memory is copied."""
        life, at = _maybe("ttl_seconds", ttl_seconds), _maybe("version", version)
        return documents.session(await self._once(lambda: self._transport.fork_session(session, life, at)))

    async def delete_session(self, session: str) -> None:
        """Forget a session."""
        await self._once(lambda: self._transport.delete_session(session))

    async def read_session(
        self, session: str, regions: Iterable[Region], *, version: int | None = None
    ) -> SessionMemory:
        """Contents of regions of a session, all of one version: the newest, or one it keeps."""
        wanted, at = regions_of_read(regions), _maybe("version", version)
        if not wanted:
            return SessionMemory((await self.session(session, version=at)).version, ())
        return documents.session_memory(await self._try(lambda: self._transport.read_session(session, wanted, at)))

    async def write_session(
        self, session: str, memory: Iterable[MemoryRegion], *, if_match: int | None = None
    ) -> Session:
        """Write regions in order, as one change and a new version."""
        given, if_match = regions_of(memory), _maybe("if_match", if_match)
        return documents.session(await self._once(lambda: self._transport.write_session(session, given, if_match)))

    # --- what is emulated ----------------------------------------------------------------------------------

    async def describe(self, generation: str | Generation = "", topic: str = "", mnemonic: str = "") -> Document:
        """A document about the instruction set.

        Nothing given: the generations. A generation: its geometry and features; with topic "instructions", "dtypes",
        "aluops" or "coverage": that list; with "instructions" and a mnemonic: layout, rules and semantics of one. Topic
        "assumptions": the registry of open questions; "vbool": the predicate unit, with a mnemonic one operation.
        """
        name = generation_name(generation)
        if topic and topic not in ("assumptions", "vbool") and (topic not in _TOPICS or not name):
            expected = f"assumptions, vbool, or with a generation one of {', '.join(_TOPICS)}"
            raise BadInput(f"topic {topic!r}: expected {expected}")
        if mnemonic and topic not in ("instructions", "vbool"):
            raise BadInput("a mnemonic goes with topic instructions or vbool")
        return await self._try(lambda: self._transport.describe(topic, name, mnemonic))

    async def version(self) -> Versions:
        """What is running."""
        return documents.versions(await self._try(self._transport.version))

    async def limits(self) -> Mapping[str, float]:
        """How much one request may ask for, by the names that LimitExceeded.limit uses."""
        return await self._try(self._transport.limits)

    # --- the connection ------------------------------------------------------------------------------------

    async def aclose(self) -> None:
        """Let go of connections."""
        await self._transport.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _try(self, work: Callable[[], Awaitable[T]]) -> T:
        return await self._retry.call(work)

    async def _once(self, work: Callable[[], Awaitable[T]]) -> T:
        return await self._retry.call(work, repeatable=False)


def _is_large(memory: Iterable[MemoryRegion]) -> bool:
    return sum(item.region.total_bytes for item in memory) >= INCREMENTAL_FROM_BYTES


def _maybe(what: str, value: int | None) -> int | None:
    return None if value is None else u32(what, value)
