"""The words of the wire contract and what they mean in engine types. Used by both transports, so that both take the
same words and refuse others with the same error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, cast, get_args

from dve_engine import (
    MAX_CHANNELS,
    NUM_ADDRESS_REGISTERS,
    RECORD_BYTES,
    AlternativeNotOffered,
    Choices,
    Generation,
    OnInvalid,
    Region,
    Space,
    TraceLevel,
    UnknownAssumption,
    UnknownGeneration,
    generation_named,
)

from .blocks import Place
from .engine_errors import translated
from .errors import (
    InvalidField,
    NotModelledByEngine,
    ProgramLength,
    UnknownAssumptionChoice,
    UnknownGenerationName,
)
from .orders import Input, Program, Which, Write

_U32 = 0xFFFF_FFFF
Word = TypeVar("Word", bound=str)


def generation(name: str | None) -> Generation:
    """The generation of a name or alias; there is no default."""
    if not name:
        raise UnknownGenerationName("generation is required; there is no default", field="generation")
    try:
        return generation_named(name)
    except UnknownGeneration as error:
        raise UnknownGenerationName(str(error), field="generation") from error


def choices(profile: str | None, assumptions: Mapping[str, str]) -> Choices:
    """The caller's answers to the open questions."""
    try:
        return Choices(profile or "notes", assumptions)
    except UnknownAssumption as error:
        raise UnknownAssumptionChoice(str(error)) from error
    except AlternativeNotOffered as error:
        raise NotModelledByEngine(str(error), reason=str(error)) from error


def program(name: str | None, code: bytes, profile: str | None, assumptions: Mapping[str, str]) -> Program:
    """Records of a generation, with the caller's choices."""
    if len(code) % RECORD_BYTES:
        whole, remainder = divmod(len(code), RECORD_BYTES)
        raise ProgramLength(
            f"the program has {len(code)} bytes: {whole} records of {RECORD_BYTES} bytes and a remainder of {remainder}"
        )
    return Program(generation(name), code, choices(profile, assumptions))


def _one_of(field: str, value: str | None, words: Any, default: Word) -> Word:
    allowed = get_args(words)
    if value and value not in allowed:
        raise InvalidField(field, f"{value[:80]!r} is not one of {', '.join(allowed)}")
    return cast(Word, value) if value else default


def on_invalid(value: str | None) -> OnInvalid:
    """What a run does with illegal records."""
    return _one_of("on_invalid", value, OnInvalid, "reject")


def trace(value: str | None) -> TraceLevel:
    """How much a run tells about each instruction."""
    return _one_of("trace", value, TraceLevel, "none")


def which(value: str | None, default: Which) -> Which:
    """Which verdicts an answer lists."""
    return _one_of("verdicts", value, Which, default)


def space(field: str, value: str | None) -> Space:
    """A memory."""
    name: Literal["sbuf", "psum", ""] = _one_of(field, value, Literal["sbuf", "psum"], "")
    if not name:
        raise InvalidField(field, "is required; one of sbuf, psum")
    return Space(name)


def region(field: str, space_name: str | None, partition: int, partitions: int | None, byte: int, size: int) -> Region:
    """A region; whether it lies in memory is checked against the generation later."""
    count = 1 if partitions is None else partitions
    for name, value, least in (
        ("partition", partition, 0),
        ("partitions", count, 1),
        ("byte", byte, 0),
        ("size", size, 1),
    ):
        if not least <= value <= _U32:
            raise InvalidField(f"{field}.{name}", f"{value} does not lie in {least}..{_U32}")
    return Region(space(f"{field}.space", space_name), partition, count, byte, size)


def lies_in(target: Region, chosen: Generation) -> None:
    """Raise InvalidRegion for a region that does not lie in memory of a generation."""
    with translated():
        target.check(chosen)


def write(field: str, target: Region, data: bytes) -> Write:
    """A region with its bytes."""
    if len(data) != target.total_bytes:
        raise wrong_size(field, target, len(data))
    return Write(target, data)


def wrong_size(field: str, target: Region, given: int | str) -> InvalidField:
    """The error of data that is not as long as its region."""
    expected = f"{target.partitions} x {target.size} is {target.total_bytes} bytes"
    return InvalidField(field, f"{expected}, the data has {given}")


def places(blocks: Iterable[tuple[Place, str]]) -> dict[Place, str]:
    """The blocks of a manifest; each place stands in it once."""
    found: dict[Place, str] = {}
    for index, (place, identifier) in enumerate(blocks):
        if place in found:
            where = f"{place.space[:80]} {place.quadrant}, {place.tile}"
            raise InvalidField(f"manifest.blocks.{index}", f"names {where} a second time")
        found[place] = identifier
    return found


def start(
    image: str | None,
    writes: Sequence[Write],
    registers: Mapping[int, int],
    accumulators: bytes | None,
    tainted: Sequence[bool] | None,
    banks: Mapping[str, bytes] | None = None,
) -> Input:
    """The state a run starts from."""
    for number, value in registers.items():
        if not 0 <= number < NUM_ADDRESS_REGISTERS:
            raise InvalidField("state.registers", f"register {number} does not lie in 0..{NUM_ADDRESS_REGISTERS - 1}")
        if not 0 <= value <= _U32:
            raise InvalidField(f"state.registers.{number}", f"{value} does not fit into 32 bits")
    if accumulators is not None and len(accumulators) != 4 * MAX_CHANNELS:
        given = f"got {len(accumulators)} bytes"
        raise InvalidField("state.accumulators_hex", f"takes {MAX_CHANNELS} words of 4 bytes, {given}")
    if tainted is not None and len(tainted) != MAX_CHANNELS:
        raise InvalidField("state.accumulators_tainted", f"takes {MAX_CHANNELS} values, got {len(tainted)}")
    flags = None if tainted is None else tuple(tainted)
    return Input(image or None, tuple(writes), dict(registers), accumulators, flags, dict(banks or {}))
