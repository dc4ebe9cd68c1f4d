"""Answers as typed values, from plain dictionaries in the words of the contract in which bytes are bytes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from dve_engine import Region

from . import memory as m
from .answers import (
    BlockPlace,
    Document,
    ImageInfo,
    MachineView,
    RunAnswer,
    Session,
    SessionMemory,
    SessionVersion,
    StoredImage,
    Versions,
)
from .problem import Mistake, Problem
from .verdicts import AssumptionUse, Failure, Validation, Verdict


def verdict(document: Document) -> Verdict:
    """One verdict."""
    known: dict[str, Any] = {name: document[name] for name in _names(Verdict) if name in document}
    known["failures"] = tuple(failure(item) for item in document["failures"])
    known["legal_on"] = tuple(document["legal_on"])
    return Verdict(**known, record_class=document["class"])


def failure(document: Document) -> Failure:
    """One broken rule."""
    return Failure(**{name: document[name] for name in _names(Failure) if name in document})


def assumptions(documents: Iterable[Document]) -> tuple[AssumptionUse, ...]:
    """Open questions and their answers."""
    return tuple(AssumptionUse(item["id"], item["value"], item["confidence"]) for item in documents)


def validation(document: Document) -> Validation:
    """The answer to validate."""
    return Validation(
        generation=document["generation"],
        valid=document["valid"],
        total=document["summary"]["total"],
        invalid=document["summary"]["invalid"],
        verdicts=tuple(verdict(item) for item in document["verdicts"]),
        assumptions=assumptions(document["assumptions"]),
        engine_version=document["engine_version"],
        isa_version=document["isa_version"],
    )


def region(document: Document) -> Region:
    """A region."""
    return m.region(
        document["space"], document["partition"], document["byte"], document["size"], document["partitions"]
    )


def memory(documents: Iterable[Document]) -> tuple[m.MemoryRegion, ...]:
    """Regions and their bytes."""
    return tuple(m.MemoryRegion.from_bytes(region(item), item["data"]) for item in documents)


def state(document: Document) -> MachineView:
    """The machine beside its memory."""
    return MachineView(
        accumulator_bits=np.frombuffer(document["accumulators"], "<u4"),
        tainted=np.array(document["accumulators_tainted"], bool),
        registers={int(number): int(value) for number, value in document["registers"].items()},
        banks=dict(document["banks"]),
        image=document.get("image") or None,
    )


def ran(document: Document) -> RunAnswer:
    """The answer to a run."""
    return RunAnswer(
        valid=document["valid"],
        executed=document["executed"],
        verdicts=tuple(verdict(item) for item in document["verdicts"]),
        memory=memory(document["memory"]),
        written=tuple(region(item) for item in document["written"]),
        state=state(document["state"]),
        assumptions=assumptions(document["assumptions"]),
        diagnostics=tuple(document["diagnostics"]),
        trace=tuple(document.get("trace", ())),
        digest=document["digest"],
        estimated_cycles=document["estimated_cycles"],
        version=document.get("version"),
        cached=document["cached"],
        engine_version=document["engine_version"],
        isa_version=document["isa_version"],
    )


def stored(document: Document) -> StoredImage:
    """The receipt of an image."""
    return StoredImage(document["image"], document["blocks"], document["bytes"])


def image(document: Document) -> ImageInfo:
    """An image and its manifest."""
    places = (BlockPlace(b["space"], b["quadrant"], b["tile"], b["id"]) for b in document["manifest"]["blocks"])
    return ImageInfo(document["image"], document["generation"], tuple(places))


def session(document: Document) -> Session:
    """A session."""
    origin = document.get("forked_from")
    return Session(
        id=document["session"],
        generation=document["generation"],
        version=document["version"],
        image=document["image"],
        ttl_seconds=document["ttl_seconds"],
        state=state(document["state"]),
        forked_from=(origin["session"], origin["version"]) if origin else None,
    )


def session_versions(document: Document) -> tuple[SessionVersion, ...]:
    """The versions a session keeps."""
    return tuple(SessionVersion(one["version"], one["image"], one["created_at"]) for one in document["versions"])


def session_memory(document: Document) -> SessionMemory:
    """Regions of a session."""
    return SessionMemory(document["version"], memory(document["memory"]))


def versions(document: Document) -> Versions:
    """What is running."""
    return Versions(document["service_version"], document["engine_version"], document["isa_version"])


def problem(document: Document) -> Problem:
    """What the service says about an error; members this client does not know are left out."""
    known: dict[str, Any] = {name: document[name] for name in _names(Problem) if document.get(name) is not None}
    known["verdicts"] = tuple(verdict(item) for item in document.get("verdicts") or ())
    known["blocks"] = tuple(document.get("blocks") or ())
    mistakes = document.get("mistakes") or ()
    known["mistakes"] = tuple(Mistake(**{**one, "expected": tuple(one["expected"])}) for one in mistakes)
    return Problem(**known)


def _names(kind: type[Any]) -> list[str]:
    return [item.name for item in dataclasses.fields(kind)]
