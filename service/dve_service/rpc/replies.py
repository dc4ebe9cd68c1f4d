"""Documents as messages: fields have the names of the contract; `class`, `value` and free-form parts differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from google.protobuf.struct_pb2 import ListValue, NullValue, Struct, Value

from dve_proto.v1 import common_pb2, images_pb2, sessions_pb2, simulation_pb2

from .. import documents
from ..documents import Document
from ..orders import History, Image, Ran, SessionView, Validated, Write
from ..reading import pieces as cut

_EXACT = 1 << 53


def value(plain: Any) -> Value:
    """A plain value; integers a double cannot hold as decimal text."""
    if plain is None:
        return Value(null_value=NullValue.NULL_VALUE)
    if isinstance(plain, bool):
        return Value(bool_value=plain)
    if isinstance(plain, int):
        return Value(number_value=plain) if abs(plain) <= _EXACT else Value(string_value=str(plain))
    if isinstance(plain, float):
        return Value(number_value=plain)
    if isinstance(plain, Mapping):
        return Value(struct_value=struct(plain))
    if isinstance(plain, list):
        return Value(list_value=ListValue(values=[value(item) for item in plain]))
    return Value(string_value=str(plain))


def struct(plain: Mapping[str, Any]) -> Struct:
    """A plain dictionary."""
    return Struct(fields={name: value(item) for name, item in plain.items()})


def verdict(document: Document) -> common_pb2.Verdict:
    """The legality of one record."""
    rest = {name: item for name, item in document.items() if name not in ("class", "failures")}
    failures = [common_pb2.Failure(**{**broken, "value": value(broken["value"])}) for broken in document["failures"]]
    return common_pb2.Verdict(**rest, record_class=document["class"], failures=failures)


def validated(answer: Validated, first_index: int = 0) -> simulation_pb2.ValidateResponse:
    """The answer to a validation; indices count from first_index."""
    document = documents.validated(answer)
    verdicts = [verdict({**one, "index": one["index"] + first_index}) for one in document.pop("verdicts")]
    return simulation_pb2.ValidateResponse(**document, verdicts=verdicts)


def ran(answer: Ran) -> simulation_pb2.RunResponse:
    """The answer to a run."""
    document = documents.ran(answer)
    verdicts = [verdict(one) for one in document.pop("verdicts")]
    diagnostics = [struct(one) for one in document.pop("diagnostics")]
    trace = [struct(one) for one in document.pop("trace", ())]
    return simulation_pb2.RunResponse(**document, verdicts=verdicts, diagnostics=diagnostics, trace=trace)


def stored(image: Image) -> images_pb2.PutImageResponse:
    """The receipt of an image."""
    return images_pb2.PutImageResponse(**documents.stored(image))


def image(found: Image) -> images_pb2.ImageInfo:
    """An image and its manifest."""
    return images_pb2.ImageInfo(**documents.image(found))


def session(view: SessionView) -> sessions_pb2.Session:
    """A session."""
    return sessions_pb2.Session(**documents.session(view))


def history(found: History) -> sessions_pb2.ListVersionsResponse:
    """The versions a session keeps."""
    return sessions_pb2.ListVersionsResponse(**documents.history(found))


def region(contents: Write) -> common_pb2.MemoryRegion:
    """A region and its bytes."""
    return common_pb2.MemoryRegion(**documents.write(contents))


def pieces(contents: Write) -> Iterator[common_pb2.MemoryRegion]:
    """A region in parts of at most 1 MiB."""
    at = 0
    for part in cut(contents.region):
        yield region(Write(part, contents.data[at : at + part.total_bytes]))
        at += part.total_bytes
