"""What callers ask for and what they get, in engine types. Both transports translate to and from these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from dve_engine import Choices, Generation, OnInvalid, Region, TraceLevel, Validation, Verdict

from .blocks import Manifest

Which = Literal["all", "invalid"]


@dataclass(frozen=True)
class Program:
    """Records and the reading they are given."""

    generation: Generation
    code: bytes
    choices: Choices


@dataclass(frozen=True)
class Write:
    """Bytes for a region, row-major (partitions, size)."""

    region: Region
    data: bytes


@dataclass(frozen=True)
class Input:
    """Where a run starts: an image (zero memory if None), then writes in order; None keeps what there is."""

    image: str | None = None
    writes: tuple[Write, ...] = ()
    registers: Mapping[int, int] = field(default_factory=dict)
    accumulators: bytes | None = None  # 128 little-endian fp32 words
    tainted: tuple[bool, ...] | None = None
    banks: Mapping[str, bytes] = field(default_factory=dict)  # little-endian


@dataclass(frozen=True)
class Validate:
    """A validation."""

    program: Program
    all_failures: bool = True
    verdicts: Which = "all"


@dataclass(frozen=True)
class Run:
    """A run. `read` None returns every region the program wrote. cache: whether a kept answer will do."""

    program: Program
    start: Input = Input()
    read: tuple[Region, ...] | None = ()
    on_invalid: OnInvalid = "reject"
    trace: TraceLevel = "none"
    store_image: bool = False
    verdicts: Which = "invalid"
    cache: bool = True


@dataclass(frozen=True)
class Validated:
    """The answer to Validate: the verdicts asked for, and the validation they come from."""

    generation: Generation
    verdicts: Sequence[Verdict]
    validation: Validation


@dataclass(frozen=True)
class Registers:
    """The machine beside its memory."""

    accumulators: npt.NDArray[np.uint32]  # (128,) fp32 bits
    tainted: npt.NDArray[np.bool_]  # (128,)
    registers: Mapping[int, int]
    banks: Mapping[str, bytes]  # those that differ from reset


@dataclass(frozen=True)
class Ran:
    """The answer to Run."""

    generation: Generation
    valid: bool
    executed: int
    verdicts: Sequence[Verdict]
    memory: Sequence[Write]
    written: Sequence[Region]
    registers: Registers
    image: str | None
    assumptions: Mapping[str, str]
    diagnostics: Sequence[Mapping[str, Any]]
    trace: Sequence[Mapping[str, Any]]
    digest: str
    estimated_cycles: int
    version: int | None = None  # of the session
    cached: bool = False  # whether it was kept from an earlier run


@dataclass(frozen=True)
class Image:
    """A stored image."""

    id: str
    manifest: Manifest


@dataclass(frozen=True)
class SessionView:
    """A session as it is now, or was at a version."""

    id: str
    generation: Generation
    version: int
    image: str
    ttl_seconds: int
    registers: Registers
    forked_from: tuple[str, int] | None  # session and version


@dataclass(frozen=True)
class Version:
    """A version that a session keeps."""

    version: int
    image: str
    made_ms: int  # Unix time


@dataclass(frozen=True)
class History:
    """The versions a session keeps, newest first."""

    id: str
    versions: Sequence[Version]


@dataclass(frozen=True)
class SessionMemory:
    """Regions of a session, all of one version."""

    version: int
    memory: Sequence[Write]
