"""What a transport does: one call each, no retries, no typed answers.

Answers are plain dictionaries in the words of the contract, with bytes as bytes (`data`, `accumulators`). Every
method raises ServiceError for an error of the service and NoAnswer where none came.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from dve_engine import Region

from ..answers import BlockPlace, Document
from ..memory import MemoryRegion
from ..neff_requests import NeffRequest
from ..requests import RunRequest, ValidateRequest
from ..vbool_requests import VboolEvalRequest, VboolRunRequest


class Transport(Protocol):
    """One way to reach the service."""

    async def validate(self, request: ValidateRequest) -> Document:
        """Judge a program."""

    async def run(self, request: RunRequest) -> Document:
        """Run on the state the request describes."""

    async def put_image(self, generation: str, memory: Sequence[MemoryRegion]) -> Document:
        """Store zero memory with regions on top."""

    async def put_blocks(self, generation: str, blocks: Mapping[str, bytes], places: Sequence[BlockPlace]) -> Document:
        """Upload blocks, then store the image they and others already stored make up."""

    async def missing_blocks(self, generation: str, blocks: Sequence[str]) -> list[str]:
        """Name the blocks that are not stored."""

    async def image(self, image: str) -> Document:
        """The manifest of an image."""

    async def read_image(self, image: str, regions: Sequence[Region]) -> tuple[MemoryRegion, ...]:
        """Contents of regions of an image."""

    async def create_session(
        self, generation: str, image: str | None, memory: Sequence[MemoryRegion], ttl_seconds: int | None
    ) -> Document:
        """Start a session."""

    async def session(self, session: str, version: int | None) -> Document:
        """A session as it is now, or was at a version."""

    async def versions(self, session: str) -> Document:
        """The versions a session keeps."""

    async def run_session(
        self, session: str, request: RunRequest, if_match: int | None, at_version: int | None
    ) -> Document:
        """Run on a session's state and keep what it leaves; at a version: keep nothing."""

    async def fork_session(self, session: str, ttl_seconds: int | None, version: int | None) -> Document:
        """Start a second session from the state of one."""

    async def delete_session(self, session: str) -> None:
        """Forget a session."""

    async def read_session(self, session: str, regions: Sequence[Region], version: int | None) -> Document:
        """Contents of regions, all of one version: {"version", "memory"}."""

    async def write_session(self, session: str, memory: Sequence[MemoryRegion], if_match: int | None) -> Document:
        """Write regions as one change."""

    async def assemble(self, generation: str, text: str) -> bytes:
        """Read a program from text."""

    async def disassemble(self, generation: str, program: bytes) -> list[str]:
        """Write a program down, a line per record."""

    async def vbool_eval(self, request: VboolEvalRequest) -> Document:
        """Evaluate operations of the predicate unit."""

    async def vbool_run(self, request: VboolRunRequest) -> Document:
        """Run a text program of the predicate unit."""

    async def validate_neff(self, request: NeffRequest) -> Document:
        """Judge the DVE streams of a container."""

    async def describe(self, topic: str, generation: str, mnemonic: str) -> Document:
        """A document about the instruction set."""

    async def version(self) -> Document:
        """What is running."""

    async def limits(self) -> Document:
        """Bounds by name."""

    async def aclose(self) -> None:
        """Let go of connections. Never raises."""
