"""Requests as messages of dve.v1, and messages as the plain dictionaries that port.py speaks of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct, Value

from dve_engine import Region
from dve_proto.v1 import common_pb2, images_pb2, sessions_pb2, simulation_pb2

from ..memory import MemoryRegion
from ..memory import region as region_named
from ..requests import RunRequest, ValidateRequest

Plain = dict[str, Any]

# --- requests ----------------------------------------------------------------------------------------------


def region(place: Region) -> common_pb2.Region:
    """A region."""
    return common_pb2.Region(
        space=place.space.value,
        partition=place.partition,
        partitions=place.partitions,
        byte=place.byte,
        size=place.size,
    )


def memory_region(item: MemoryRegion) -> common_pb2.MemoryRegion:
    """A region and its bytes."""
    place = item.region
    return common_pb2.MemoryRegion(
        space=place.space.value,
        partition=place.partition,
        partitions=place.partitions,
        byte=place.byte,
        size=place.size,
        data=item.tobytes(),
    )


def validate(request: ValidateRequest) -> simulation_pb2.ValidateRequest:
    """A validation."""
    return simulation_pb2.ValidateRequest(
        generation=request.generation,
        program=request.program,
        profile=request.profile or "",
        assumptions=request.assumptions,
        all_failures=request.all_failures,
        verdicts=request.verdicts,
    )


def run(request: RunRequest) -> simulation_pb2.RunRequest:
    """A run."""
    state = simulation_pb2.InputState(
        image=request.image or "",
        memory=map(memory_region, request.memory),
        registers=request.registers,
        accumulators=request.accumulators or b"",
        accumulators_tainted=request.tainted or (),
        banks=request.banks,
    )
    return simulation_pb2.RunRequest(
        generation=request.generation,
        program=request.program,
        state=state,
        read=map(region, request.read or ()),
        read_written=request.read is None,
        on_invalid=request.on_invalid,
        profile=request.profile or "",
        assumptions=request.assumptions,
        trace=request.trace,
        store_image=request.store_image,
        verdicts=request.verdicts,
        cache=request.cache,
    )


# --- answers -----------------------------------------------------------------------------------------------


def plain(value: Value) -> Any:
    """A JSON value; whole numbers as int."""
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return plain_struct(value.struct_value)
    if kind == "list_value":
        return [plain(item) for item in value.list_value.values]
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    return None if kind in (None, "null_value") else getattr(value, kind)


def plain_struct(struct: Struct) -> Plain:
    """A JSON object."""
    return {name: plain(item) for name, item in struct.fields.items()}


def plain_message(message: Message) -> Plain:
    """Scalar fields by name; optional ones only where they are set."""
    fields = message.DESCRIPTOR.fields
    return {f.name: getattr(message, f.name) for f in fields if not f.has_presence or message.HasField(f.name)}


def place(message: common_pb2.Region | common_pb2.MemoryRegion) -> Region:
    """A region."""
    return region_named(message.space, message.partition, message.byte, message.size, message.partitions)


def memory_documents(memory: Iterable[MemoryRegion]) -> list[Plain]:
    """Regions and their bytes as dictionaries."""
    return [{**_place(item.region), "data": item.tobytes()} for item in memory]


def _place(where: Region) -> Plain:
    return {**vars(where), "space": where.space.value}


def verdict(message: common_pb2.Verdict) -> Plain:
    """One verdict. An opcode without a name or struct has none, not an empty one."""
    document = plain_message(message)
    document["class"] = document.pop("record_class")
    document["failures"] = [_failure(item) for item in message.failures]
    document["mnemonic"] = message.mnemonic or None
    document["struct"] = message.struct or None
    return document


def _failure(message: common_pb2.Failure) -> Plain:
    document = plain_message(message)
    value = plain(message.value)
    # integers a double cannot hold travel as decimal text
    document["value"] = int(value) if isinstance(value, str) and len(value) > 15 and value.isdigit() else value
    return document


def validated(message: simulation_pb2.ValidateResponse) -> Plain:
    """The answer to a validation."""
    return {
        **plain_message(message),
        "summary": plain_message(message.summary),
        "verdicts": [verdict(item) for item in message.verdicts],
        "assumptions": [plain_message(item) for item in message.assumptions],
    }


def ran(message: simulation_pb2.RunResponse) -> Plain:
    """The answer to a run."""
    return {
        **plain_message(message),
        "verdicts": [verdict(item) for item in message.verdicts],
        "memory": [plain_message(item) for item in message.memory],
        "written": [plain_message(item) for item in message.written],
        "state": state(message.state),
        "assumptions": [plain_message(item) for item in message.assumptions],
        "diagnostics": [plain_struct(item) for item in message.diagnostics],
        "trace": [plain_struct(item) for item in message.trace],
    }


def state(message: simulation_pb2.OutputState) -> Plain:
    """The machine beside its memory."""
    return {**plain_message(message), "registers": dict(message.registers), "banks": dict(message.banks)}


def stored(message: images_pb2.PutImageResponse) -> Plain:
    """The receipt of an image."""
    return plain_message(message)


def image(message: images_pb2.ImageInfo) -> Plain:
    """An image and its manifest."""
    blocks = [plain_message(item) for item in message.manifest.blocks]
    return {**plain_message(message), "manifest": {"generation": message.manifest.generation, "blocks": blocks}}


def session(message: sessions_pb2.Session) -> Plain:
    """A session."""
    document = {**plain_message(message), "state": state(message.state)}
    if message.HasField("forked_from"):
        document["forked_from"] = plain_message(message.forked_from)
    return document


def versions(message: sessions_pb2.ListVersionsResponse) -> Plain:
    """The versions a session keeps."""
    return {**plain_message(message), "versions": [plain_message(item) for item in message.versions]}


def problem(message: common_pb2.Problem) -> Plain:
    """What the service says about an error."""
    verdicts = [verdict(item) for item in message.verdicts]
    mistakes = [{**plain_message(item), "expected": list(item.expected)} for item in message.mistakes]
    return {**plain_message(message), "verdicts": verdicts, "blocks": list(message.blocks), "mistakes": mistakes}
