"""Answers in the words of the contract, as plain dictionaries. Bytes stay bytes: each transport spells them its own
way.

REST turns `data` into `data_base64` or `data_hex` and `accumulators` into hex and numbers; gRPC hands the dictionaries
to its messages, whose fields have the same names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Any

import numpy as np

from dve_engine import ENGINE_VERSION, ISA_VERSION, REGISTRY, Failure, Region, Verdict

from .blocks import BLOCK_BYTES, Manifest
from .orders import History, Image, Ran, Registers, SessionView, Validated, Write

Document = dict[str, Any]
VERSIONS: Mapping[str, str] = {"engine_version": ENGINE_VERSION, "isa_version": ISA_VERSION}


def plain(value: Any) -> Any:
    """A value of the engine as JSON can say it: floats that are no numbers as words, bytes as hex."""
    if isinstance(value, float | np.floating):
        number = float(value)
        return (
            number
            if math.isfinite(number)
            else "NaN"
            if math.isnan(number)
            else "Infinity"
            if number > 0
            else "-Infinity"
        )
    if isinstance(value, np.bool_ | np.integer | Enum):
        return plain(value.item() if isinstance(value, np.generic) else value.value)
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(plain(name)): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, Region):
        return region(value)
    return value.hex() if isinstance(value, bytes) else value


def described(document: Mapping[str, Any]) -> Document:
    """A document about the instruction set."""
    return {**plain(document), **VERSIONS}


def failure(broken: Failure) -> Document:
    """One broken rule."""
    document: Document = {
        "rule": broken.rule,
        "field": broken.field,
        "offset": broken.offset,
        "size": broken.size,
        "value": plain(broken.value),
        "expected": broken.expected,
        "message": broken.message,
        "confidence": broken.confidence,
    }
    if broken.leaf:
        document["leaf"] = broken.leaf
    if broken.not_modelled:
        document |= {"not_modelled": True, "reason": broken.reason}
    if broken.named_by_us:
        document["named_by_us"] = True
    return document


def verdict(judged: Verdict) -> Document:
    """The legality of one record."""
    document: Document = {
        "index": judged.index,
        "opcode": judged.opcode,
        "mnemonic": judged.mnemonic,
        "struct": judged.struct,
        "class": judged.record_class,
        "valid": judged.valid,
        "failures": [failure(broken) for broken in judged.failures],
        "legal_on": list(judged.legal_on),
        "executable": judged.executable,
    }
    if judged.reason:
        document["reason"] = judged.reason
    return document


def assumptions(used: Mapping[str, str]) -> list[Document]:
    """The open questions an answer depended on."""
    return [{"id": name, "value": value, "confidence": REGISTRY[name].confidence} for name, value in used.items()]


def validated(answer: Validated) -> Document:
    """The answer to a validation."""
    verdicts = answer.validation.verdicts
    return {
        "generation": answer.generation.name.lower(),
        "valid": answer.validation.valid,
        "summary": {"total": len(verdicts), "invalid": len(verdicts.failures)},
        "verdicts": [verdict(one) for one in answer.verdicts],
        "assumptions": assumptions(answer.validation.assumptions),
        **VERSIONS,
    }


def region(place: Region) -> Document:
    """A region."""
    return {
        "space": place.space.value,
        "partition": place.partition,
        "partitions": place.partitions,
        "byte": place.byte,
        "size": place.size,
    }


def write(contents: Write) -> Document:
    """A region and its bytes."""
    return {**region(contents.region), "data": contents.data}


def state(registers: Registers, image: str | None) -> Document:
    """The machine after a run, or a session's."""
    return {
        "image": image,
        "accumulators": registers.accumulators.astype("<u4").tobytes(),
        "accumulators_tainted": registers.tainted.tolist(),
        "registers": {int(number): int(value) for number, value in registers.registers.items()},
        "banks": dict(registers.banks),
    }


def ran(answer: Ran) -> Document:
    """The answer to a run."""
    document: Document = {
        "valid": answer.valid,
        "executed": answer.executed,
        "verdicts": [verdict(one) for one in answer.verdicts],
        "memory": [write(one) for one in answer.memory],
        "written": [region(one) for one in answer.written],
        "state": state(answer.registers, answer.image),
        "assumptions": assumptions(answer.assumptions),
        "diagnostics": plain(answer.diagnostics),
        "digest": answer.digest,
        "estimated_cycles": answer.estimated_cycles,
        "cached": answer.cached,
        **VERSIONS,
    }
    if answer.trace:
        document["trace"] = plain(answer.trace)
    if answer.version is not None:
        document["version"] = answer.version
    return document


def stored(image: Image) -> Document:
    """The receipt of an image: distinct blocks, and the bytes they hold."""
    blocks = len(image.manifest.distinct)
    return {"image": image.id, "blocks": blocks, "bytes": blocks * BLOCK_BYTES, **VERSIONS}


def manifest(content: Manifest) -> Document:
    """Blocks by place."""
    return {
        "generation": content.generation.name.lower(),
        "blocks": [
            {"space": place.space, "quadrant": place.quadrant, "tile": place.tile, "id": content.blocks[place]}
            for place in sorted(content.blocks)
        ],
    }


def image(stored_image: Image) -> Document:
    """An image and its manifest."""
    return {
        "image": stored_image.id,
        "generation": stored_image.manifest.generation.name.lower(),
        "manifest": manifest(stored_image.manifest),
        **VERSIONS,
    }


def session(view: SessionView) -> Document:
    """A session."""
    document: Document = {
        "session": view.id,
        "generation": view.generation.name.lower(),
        "version": view.version,
        "image": view.image,
        "ttl_seconds": view.ttl_seconds,
        "state": state(view.registers, view.image),
        **VERSIONS,
    }
    if view.forked_from is not None:
        document["forked_from"] = dict(zip(("session", "version"), view.forked_from, strict=True))
    return document


def history(found: History) -> Document:
    """The versions a session keeps."""
    return {
        "session": found.id,
        "version": found.versions[0].version,
        "versions": [
            {"version": one.version, "image": one.image, "created_at": timestamp(one.made_ms)} for one in found.versions
        ],
        **VERSIONS,
    }


def timestamp(unix_ms: int) -> str:
    """RFC 3339, UTC, in milliseconds."""
    return datetime.fromtimestamp(unix_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
