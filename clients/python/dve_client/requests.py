"""What calls ask for, in the words of the contract. Every transport spells these its own way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

import numpy as np
import numpy.typing as npt

from dve_engine import MAX_CHANNELS, Generation, OnInvalid, Region, TraceLevel

from .errors import BadInput
from .memory import MemoryRegion, regions_of, regions_of_read, u32

Which = Literal["all", "invalid"]
Banks = Mapping[str, bytes | npt.NDArray[Any]]
Program = bytes | bytearray | memoryview | npt.NDArray[np.uint8] | Sequence[bytes]
Read = Iterable[Region] | Literal["written"]


@dataclass(frozen=True)
class ValidateRequest:
    """A validation."""

    generation: str
    program: bytes
    profile: str | None = None
    assumptions: Mapping[str, str] = field(default_factory=dict)
    all_failures: bool = True
    verdicts: Which = "all"


@dataclass(frozen=True)
class RunRequest:
    """A run. `read` None: everything the program writes. generation and image are empty for a run on a session."""

    program: bytes
    generation: str = ""
    image: str | None = None
    memory: tuple[MemoryRegion, ...] = ()
    registers: Mapping[int, int] = field(default_factory=dict)
    accumulators: bytes | None = None  # 128 little-endian fp32 words
    tainted: tuple[bool, ...] | None = None
    banks: Mapping[str, bytes] = field(default_factory=dict)  # little-endian
    read: tuple[Region, ...] | None = ()
    on_invalid: OnInvalid = "reject"
    profile: str | None = None
    assumptions: Mapping[str, str] = field(default_factory=dict)
    trace: TraceLevel = "none"
    store_image: bool = False
    verdicts: Which = "invalid"
    cache: bool = True


class RunOptions(TypedDict, total=False):
    """What every run takes beside its program.

    memory: regions put on top of what the run starts from, in order. accumulators: 128 float32 values or uint32 bits,
    untainted unless `tainted` says otherwise. banks: register banks by name, as arrays or little-endian bytes.
    registers: address-register number to 32-bit value. read: regions wanted back, or "written". profile, assumptions:
    how open questions are answered. cache: whether the answer of an earlier run that was the same will do.
    """

    memory: Iterable[MemoryRegion]
    registers: Mapping[int, int]
    accumulators: npt.ArrayLike | None
    tainted: Iterable[bool] | None
    banks: Banks
    read: Read
    on_invalid: OnInvalid
    profile: str | None
    assumptions: Mapping[str, str]
    trace: TraceLevel
    verdicts: Which
    cache: bool


def run_request(
    program: Program, options: RunOptions, *, generation: str = "", image: str | None = None, store_image: bool = False
) -> RunRequest:
    """A run. Raises BadInput for options that cannot be sent, TypeError for one that does not exist."""
    unknown = set(options) - RunOptions.__annotations__.keys()
    if unknown:
        raise TypeError(f"a run has no option {', '.join(sorted(unknown))}")
    return RunRequest(
        program=program_bytes(program),
        generation=generation,
        image=image,
        memory=regions_of(options.get("memory", ())),
        registers={u32("register", n): u32(f"register {n}", v) for n, v in options.get("registers", {}).items()},
        accumulators=accumulator_words(options.get("accumulators")),
        tainted=flags(options.get("tainted")),
        banks=bank_bytes(options.get("banks", {})),
        read=regions_to_read(options.get("read", ())),
        on_invalid=options.get("on_invalid", "reject"),
        profile=options.get("profile"),
        assumptions=dict(options.get("assumptions", {})),
        trace=options.get("trace", "none"),
        store_image=store_image,
        verdicts=options.get("verdicts", "invalid"),
        cache=options.get("cache", True),
    )


def program_bytes(program: Program) -> bytes:
    """A program as bytes: bytes as they are, a uint8 array row by row, or records one after the other."""
    if isinstance(program, bytes | bytearray | memoryview):
        return bytes(program)
    if isinstance(program, np.ndarray):
        if program.dtype != np.uint8:
            raise BadInput(f"a program takes uint8 (n, 64), got {program.dtype}")
        return program.tobytes()
    if isinstance(program, str):
        raise BadInput("a program is bytes, not text; use bytes.fromhex")
    return b"".join(program)


def generation_name(generation: str | Generation) -> str:
    """A generation by name; aliases pass as they are."""
    return generation.name.lower() if isinstance(generation, Generation) else generation


def accumulator_words(values: npt.ArrayLike | None) -> bytes | None:
    """128 accumulators as little-endian fp32 words: float32 by value, uint32 as bits."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.shape != (MAX_CHANNELS,):
        raise BadInput(f"accumulators take {MAX_CHANNELS} values, got shape {array.shape}")
    if array.dtype == np.uint32:
        return array.astype("<u4").tobytes()
    return array.astype("<f4").tobytes()


def bank_bytes(banks: Banks) -> dict[str, bytes]:
    """Register banks as little-endian bytes."""
    return {name: bank if isinstance(bank, bytes) else _little(bank) for name, bank in banks.items()}


def _little(array: npt.NDArray[Any]) -> bytes:
    return array.astype(array.dtype.newbyteorder("<")).tobytes()


def flags(tainted: Iterable[bool] | None) -> tuple[bool, ...] | None:
    """The taint of each lane."""
    return None if tainted is None else tuple(bool(flag) for flag in tainted)


def regions_to_read(read: Read) -> tuple[Region, ...] | None:
    """The regions wanted back; None for what the program writes."""
    if isinstance(read, str):
        if read != "written":
            raise BadInput(f"read takes regions or 'written', got {read!r}")
        return None
    return regions_of_read(read)
