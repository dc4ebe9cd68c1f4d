"""Compiled containers: what is answered, and the client's call."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from dve_engine import Generation

from . import documents
from .answers import Document
from .errors import BadInput
from .neff_requests import NeffRequest
from .requests import Which, generation_name
from .retry import Retry
from .transports.port import Transport
from .verdicts import AssumptionUse, Verdict

Outcome = Literal["legal", "illegal", "nothing_to_check"]


@dataclass(frozen=True)
class PlacedVerdict:
    """A verdict and the byte at which its record stands: in its stream, in the archive, and in the file.

    file_offset: None where the archive is compressed.
    """

    offset: int
    archive_offset: int
    file_offset: int | None
    verdict: Verdict


@dataclass(frozen=True)
class NeffStream:
    """An engine's records: bytes `offset .. offset+size-1` of the archive. remainder: bytes of an incomplete record."""

    engine: str
    member: str
    offset: int
    file_offset: int | None
    size: int
    records: int
    remainder: int


@dataclass(frozen=True)
class OpcodeCount:
    """How often an opcode stands in a stream, and how many of its records are not legal."""

    opcode: int
    mnemonic: str | None
    record_class: str
    records: int
    invalid: int


@dataclass(frozen=True)
class NeffSummary:
    """Streams in numbers. checked: all but pseudo records. by_rule: failures of each rule."""

    total: int
    checked: int
    invalid: int
    by_class: Mapping[str, int]
    by_rule: Mapping[str, int]
    by_opcode: tuple[OpcodeCount, ...]


@dataclass(frozen=True)
class NeffCore:
    """What is said of one core. reason: why there was nothing to check. omitted: verdicts that are not listed."""

    index: int
    subgraph: str
    definition: str
    outcome: Outcome
    reason: str | None
    stream: NeffStream | None
    summary: NeffSummary
    verdicts: tuple[PlacedVerdict, ...]
    omitted: int
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class NeffValidation:
    """The answer to validate_neff. container: header, payload, target, metadata, members and warnings, as documents."""

    outcome: Outcome
    generation: str
    container: Document
    summary: NeffSummary
    cores: tuple[NeffCore, ...]
    assumptions: tuple[AssumptionUse, ...]
    engine_version: str
    isa_version: str


def validation(document: Document) -> NeffValidation:
    """The answer to a validation."""
    return NeffValidation(
        outcome=document["outcome"],
        generation=document["generation"],
        container=document["container"],
        summary=_summary(document["summary"]),
        cores=tuple(_core(one) for one in document["cores"]),
        assumptions=documents.assumptions(document["assumptions"]),
        engine_version=document["engine_version"],
        isa_version=document["isa_version"],
    )


def _core(document: Document) -> NeffCore:
    stream = document.get("stream")
    known = {name: document[name] for name in ("index", "subgraph", "definition", "outcome", "omitted")}
    return NeffCore(
        **known,
        reason=document.get("reason"),
        stream=NeffStream(**{"file_offset": None, **stream}) if stream else None,
        summary=_summary(document["summary"]),
        verdicts=tuple(_placed(one) for one in document["verdicts"]),
        warnings=tuple(document["warnings"]),
    )


def _placed(document: Document) -> PlacedVerdict:
    judged = documents.verdict(document["verdict"])
    return PlacedVerdict(document["offset"], document["archive_offset"], document.get("file_offset"), judged)


def _summary(document: Document) -> NeffSummary:
    rows = (
        OpcodeCount(one["opcode"], one.get("mnemonic"), one["class"], one["records"], one["invalid"])
        for one in document["by_opcode"]
    )
    known: dict[str, Any] = {name: document[name] for name in ("total", "checked", "invalid", "by_class", "by_rule")}
    return NeffSummary(**known, by_opcode=tuple(rows))


class NeffCalls:
    """The part of AsyncClient that asks about containers."""

    _transport: Transport
    _retry: Retry

    async def validate_neff(
        self,
        container: bytes | Path | BinaryIO,
        generation: str | Generation | None = None,
        *,
        profile: str | None = None,
        verdicts: Which = "invalid",
        lenient: bool = False,
        override_target: bool = False,
    ) -> NeffValidation:
        """Judge the DVE stream of every core of a container: bytes, a path, or a binary file that can seek.

        generation: where the container records none, or with override_target another one than it records. lenient:
        leave out an incomplete last record. Raises MalformedNeff with offset and expectation; illegal records are an
        answer.
        """
        with _opened(container) as file:
            name = generation_name(generation) if generation else ""
            request = NeffRequest(file, name, profile, verdicts, lenient, override_target)
            return validation(await self._retry.call(lambda: self._transport.validate_neff(request)))


def _opened(container: bytes | Path | BinaryIO) -> AbstractContextManager[BinaryIO]:
    if isinstance(container, bytes | bytearray | memoryview):
        return io.BytesIO(container)
    if isinstance(container, Path):
        try:
            return container.open("rb")
        except OSError as error:
            raise BadInput(f"{container}: {error.strerror or error}") from error
    if not container.seekable():
        raise BadInput("the file cannot seek; give its bytes")
    return nullcontext(container)  # the caller's, which stays open
