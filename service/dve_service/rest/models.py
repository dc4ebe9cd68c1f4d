"""Request bodies in the words of the contract. Each makes the order it stands for; words.py says what values mean."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from dve_engine import RECORD_BYTES, Generation, Region

from .. import words
from ..blocks import Place
from ..errors import InvalidField, ProgramLength
from ..orders import Input, Program, Run, Validate, Write


class Body(BaseModel):
    """Unknown fields are refused; numbers are not made of strings."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _word(*allowed: str) -> Any:
    return Field(None, json_schema_extra={"enum": list(allowed)})


def unbase64(field: str, text: str) -> bytes:
    """Bytes from base64."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise InvalidField(field, f"is not base64: {error}") from error


def unhex(field: str, text: str) -> bytes:
    """Bytes from hex digits."""
    try:
        return binascii.unhexlify(text)
    except ValueError as error:
        raise InvalidField(field, f"is not hex: {error}") from error


class RegionBody(Body):
    """Bytes `byte .. byte+size-1` of each of `partitions` consecutive partitions."""

    space: str | None = _word("sbuf", "psum")
    partition: int
    partitions: int = 1
    byte: int
    size: int

    def region(self, field: str) -> Region:
        """As the engine's type."""
        return words.region(field, self.space, self.partition, self.partitions, self.byte, self.size)


class MemoryBody(RegionBody):
    """A region and its contents, row-major [partitions, size], as base64 or as hex."""

    data_base64: str | None = None
    data_hex: str | None = None

    def write(self, field: str) -> Write:
        """As a write."""
        if (self.data_base64 is None) == (self.data_hex is None):
            raise InvalidField(field, "takes exactly one of data_base64 and data_hex")
        if self.data_base64 is not None:
            data = unbase64(f"{field}.data_base64", self.data_base64)
        else:
            data = unhex(f"{field}.data_hex", self.data_hex or "")
        return words.write(field, self.region(field), data)


class RecordsBody(Body):
    """Records, in one of the ways they are sent."""

    instructions: list[str] | None = Field(None, description="64-byte records, each as 128 hex digits")
    program_base64: str | None = Field(None, description="the records as base64, instead of `instructions`")

    def records(self, code: bytes | None) -> bytes:
        """The records; `code` is a raw body, if there was one."""
        given = [code is not None, self.instructions is not None, self.program_base64 is not None]
        if sum(given) != 1:
            raise InvalidField("instructions", "takes exactly one of instructions, program_base64 and a raw body")
        if code is not None:
            return code
        return self._listed() if self.program_base64 is None else unbase64("program_base64", self.program_base64)

    def _listed(self) -> bytes:
        records = []
        for index, text in enumerate(self.instructions or ()):
            record = unhex(f"instructions.{index}", text)
            if len(record) != RECORD_BYTES:
                raise ProgramLength(
                    f"instruction {index} has {len(record)} bytes; a record has {RECORD_BYTES}: the remainder is "
                    f"{len(record) % RECORD_BYTES}",
                    field=f"instructions.{index}",
                )
            records.append(record)
        return b"".join(records)


class ProgramBody(RecordsBody):
    """A program and how to read it."""

    profile: str | None = _word("notes", "nki")
    assumptions: dict[str, str] = Field({}, description="open questions by id; see /v1/assumptions")

    def program_on(self, generation: str | None, code: bytes | None) -> Program:
        """The program; `code` is a raw body, if there was one."""
        return words.program(generation, self.records(code), self.profile, self.assumptions)


class ValidateBody(ProgramBody):
    """POST /v1/validate."""

    generation: str | None = Field(None, description="sunda, cayman, mariana, maverick, or an alias such as trn2")
    all_failures: bool = True
    verdicts: str | None = _word("all", "invalid")

    def order(self, code: bytes | None) -> Validate:
        """The validation asked for."""
        program = self.program_on(self.generation, code)
        return Validate(program, self.all_failures, words.which(self.verdicts, "all"))


class SessionStateBody(Body):
    """What a run puts on top of the state it starts from."""

    memory: list[MemoryBody] = []
    registers: dict[str, int] = Field({}, description="address-register number 0..63 -> 32-bit value")
    accumulators_hex: str | None = Field(None, description="128 little-endian fp32 words")
    accumulators_tainted: list[bool] | None = None
    banks_base64: dict[str, str] = Field({}, description="register banks by name, little-endian; or `banks_hex`")
    banks_hex: dict[str, str] = {}

    def start_from(self, image: str | None) -> Input:
        """As an input."""
        numbers = {}
        for name, value in self.registers.items():
            if not (name.isascii() and name.isdigit()):
                raise InvalidField("state.registers", f"{name[:80]!r} is not a register number")
            numbers[int(name[:9])] = value
        accumulators = None if self.accumulators_hex is None else unhex("state.accumulators_hex", self.accumulators_hex)
        writes = [item.write(f"state.memory.{index}") for index, item in enumerate(self.memory)]
        banks = {name: unbase64(f"state.banks_base64.{name}", text) for name, text in self.banks_base64.items()}
        banks |= {name: unhex(f"state.banks_hex.{name}", text) for name, text in self.banks_hex.items()}
        return words.start(image, writes, numbers, accumulators, self.accumulators_tainted, banks)


class StateBody(SessionStateBody):
    """The state a run starts from."""

    image: str | None = Field(None, description="a stored image; zero memory if absent")


def _kind(value: object) -> str:
    return "written" if isinstance(value, str) else "regions"


Read = Annotated[
    Annotated[Literal["written"], Tag("written")] | Annotated[list[RegionBody], Tag("regions")], Discriminator(_kind)
]


class AnyRunBody(ProgramBody):
    """What every run takes."""

    read: Read = Field([], description='regions wanted back, or "written"')
    on_invalid: str | None = _word("reject", "stop", "skip")
    trace: str | None = _word("none", "summary", "full")
    verdicts: str | None = _word("invalid", "all")
    cache: bool = Field(True, description="whether the answer of an earlier run that was the same will do")

    def run(self, program: Program, start: Input, store_image: bool) -> Run:
        """The run asked for."""
        read = None
        if not isinstance(self.read, str):
            read = tuple(item.region(f"read.{index}") for index, item in enumerate(self.read))
        return Run(
            program,
            start,
            read,
            words.on_invalid(self.on_invalid),
            words.trace(self.trace),
            store_image,
            words.which(self.verdicts, "invalid"),
            self.cache,
        )


class RunBody(AnyRunBody):
    """POST /v1/run."""

    generation: str | None = Field(None, description="sunda, cayman, mariana, maverick, or an alias such as trn2")
    state: StateBody | None = None
    store_image: bool = False

    def order(self, code: bytes | None) -> Run:
        """The run asked for."""
        state = self.state or StateBody()
        return self.run(self.program_on(self.generation, code), state.start_from(state.image), self.store_image)


class SessionRunBody(AnyRunBody):
    """POST /v1/sessions/{id}/run: a run whose generation and image are the session's."""

    state: SessionStateBody | None = None
    at_version: int | None = Field(None, description="run on this version, and leave the session as it is")
    store_image: bool = Field(False, description="with at_version: keep the memory it leaves; else that is kept anyway")

    def order(self, code: bytes | None) -> Callable[[Generation], Run]:
        """The run asked for, once the generation is known."""
        start = (self.state or SessionStateBody()).start_from(None)
        return lambda generation: self.run(self.program_on(generation.name.lower(), code), start, self.store_image)


class BlockPlaceBody(Body):
    """Where a block lies: partitions 32*quadrant .. +31, bytes 1024*tile .. +1023."""

    space: str
    quadrant: int
    tile: int
    id: str


class ManifestBody(Body):
    """Blocks by place; all-zero blocks are absent."""

    generation: str | None = None
    blocks: list[BlockPlaceBody]

    def places(self) -> dict[Place, str]:
        """As a mapping."""
        return words.places((Place(block.space, block.quadrant, block.tile), block.id) for block in self.blocks)


class ImageBody(Body):
    """POST /v1/images: regions, or a manifest of blocks that are stored already."""

    generation: str | None = None
    memory: list[MemoryBody] | None = None
    manifest: ManifestBody | None = None


class MissingBody(Body):
    """POST /v1/images:missing."""

    generation: str | None = None
    blocks: list[str]


class SessionBody(Body):
    """POST /v1/sessions."""

    generation: str | None = None
    image: str | None = None
    memory: list[MemoryBody] = []
    ttl_seconds: int | None = None


class ForkBody(Body):
    """POST /v1/sessions/{id}/fork."""

    ttl_seconds: int | None = None
    version: int | None = Field(None, description="a version the session keeps; else the newest")


class WriteBody(Body):
    """PUT /v1/sessions/{id}/memory."""

    memory: list[MemoryBody]


def writes(memory: list[MemoryBody]) -> list[Write]:
    """Regions with their contents."""
    return [item.write(f"memory.{index}") for index, item in enumerate(memory)]
