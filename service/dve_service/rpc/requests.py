"""Messages as orders. What values mean is decided in words.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dve_engine import Generation, Region
from dve_proto.v1 import common_pb2, images_pb2, sessions_pb2, simulation_pb2

from .. import words
from ..blocks import Place
from ..errors import InvalidField
from ..orders import Input, Program, Run, Validate, Write


def region(field: str, message: common_pb2.Region | common_pb2.MemoryRegion) -> Region:
    """A region."""
    count = message.partitions if message.HasField("partitions") else None
    return words.region(field, message.space, message.partition, count, message.byte, message.size)


def regions(field: str, messages: Iterable[common_pb2.Region]) -> list[Region]:
    """Regions."""
    return [region(f"{field}.{index}", message) for index, message in enumerate(messages)]


def write(field: str, message: common_pb2.MemoryRegion) -> Write:
    """A region and its bytes."""
    return words.write(field, region(field, message), message.data)


def writes(field: str, messages: Iterable[common_pb2.MemoryRegion]) -> list[Write]:
    """Regions and their bytes."""
    return [write(f"{field}.{index}", message) for index, message in enumerate(messages)]


def validate(message: simulation_pb2.ValidateRequest) -> Validate:
    """A validation."""
    program = words.program(message.generation, message.program, message.profile, message.assumptions)
    all_failures = message.all_failures if message.HasField("all_failures") else True
    return Validate(program, all_failures, words.which(message.verdicts, "all"))


def run(message: simulation_pb2.RunRequest) -> Run:
    """A stateless run."""
    program = words.program(message.generation, message.program, message.profile, message.assumptions)
    return _run(message, program, message.store_image)


def session_run(message: simulation_pb2.RunRequest) -> Callable[[Generation], Run]:
    """A run on a session, once its generation is known."""
    for field, given in (("generation", message.generation), ("state.image", message.state.image)):
        if given:
            raise InvalidField(f"run.{field}", "stays empty: the session has one")

    def order(generation: Generation) -> Run:
        name = generation.name.lower()
        program = words.program(name, message.program, message.profile, message.assumptions)
        return _run(message, program, message.store_image)

    return order


def _run(message: simulation_pb2.RunRequest, program: Program, store_image: bool) -> Run:
    if message.read_written and message.read:
        raise InvalidField("read_written", "excludes read")
    return Run(
        program,
        _input(message.state),
        None if message.read_written else tuple(regions("read", message.read)),
        words.on_invalid(message.on_invalid),
        words.trace(message.trace),
        store_image,
        words.which(message.verdicts, "invalid"),
        message.cache if message.HasField("cache") else True,
    )


def _input(message: simulation_pb2.InputState) -> Input:
    return words.start(
        message.image,
        writes("state.memory", message.memory),
        message.registers,
        message.accumulators or None,
        message.accumulators_tainted or None,
        message.banks,
    )


def places(message: images_pb2.Manifest) -> dict[Place, str]:
    """Blocks by place."""
    return words.places((Place(block.space, block.quadrant, block.tile), block.id) for block in message.blocks)


def if_match(message: sessions_pb2.RunSessionRequest | sessions_pb2.WriteMemoryHeader) -> int | None:
    """The version the caller expects."""
    if not message.HasField("if_match"):
        return None
    if message.if_match > 1 << 53:
        raise InvalidField("if_match", f"{message.if_match} is no version")
    return message.if_match


def version(
    message: sessions_pb2.GetSessionRequest | sessions_pb2.ForkSessionRequest | sessions_pb2.ReadMemoryRequest,
) -> int | None:
    """The version of a session that is asked for; None for the newest."""
    return message.version if message.HasField("version") else None
