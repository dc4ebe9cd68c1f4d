"""What the cost of an instruction depends on, and nothing else.

Source: isa/08 section 2. Scalars and the accumulator are not streams: they cost nothing (section 4.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ..isa.dtypes import size_bytes
from ..isa.generation import Generation
from ..isa.opcodes import CATALOG

Space = Literal["SBUF", "PSUM"]
SCATTERED = 0  # inner step of an operand that has no constant one
EXECUTED_ROLES = frozenset("xcow")  # letters of isa/opcodes.py under which the DVE queue accepts a record


class BadOpcode(ValueError):
    """The generation's DVE does not execute the opcode, so it has no cost."""

    def __init__(self, opcode: int, generation: Generation) -> None:
        self.opcode, self.generation = opcode, generation
        super().__init__(f"BadOpcode: the DVE of {generation.name} does not execute 0x{opcode:02X}")


@dataclass(frozen=True)
class Stream:
    """One operand as its port sees it.

    dtype: wire code. count: elements per partition, re-read elements counted again. inner_step: |step| in elements of
    the first dimension with more than one element, 1 if there is none, SCATTERED for a gather or scatter.
    """

    space: Space
    dtype: int
    count: int
    inner_step: int = 1

    @property
    def contiguous(self) -> bool:
        """Whether neighbouring elements are neighbours in memory."""
        return self.inner_step == 1


@dataclass(frozen=True)
class Work:
    """One instruction without its addresses.

    sources, destinations: in struct order. ops: ALU codes in struct order. accumulator_cmd: 0 where the struct has
    none. fill: raw bits a Memset writes, None elsewhere. indices: index vectors of indirect operands.
    """

    opcode: int
    sources: tuple[Stream, ...] = ()
    destinations: tuple[Stream, ...] = ()
    ops: tuple[int, ...] = ()
    accumulator_cmd: int = 0
    fill: int | None = None
    indices: tuple[Stream, ...] = ()

    @cached_property
    def n(self) -> int:
        """Elements per partition: of the first source, without one of the first destination."""
        first = self.sources[:1] or self.destinations[:1]
        return first[0].count if first else 0

    @property
    def operands(self) -> tuple[Stream, ...]:
        """Sources, then destinations."""
        return self.sources + self.destinations

    @property
    def source_spaces(self) -> frozenset[Space]:
        """The memories the sources are in."""
        return frozenset(s.space for s in self.sources)


@dataclass(frozen=True)
class Traffic:
    """Bytes moved over all lanes, under the names of the official profile schema."""

    sbuf_read_bytes: int
    sbuf_write_bytes: int
    psum_read_bytes: int
    psum_write_bytes: int


def traffic(work: Work, channels: int) -> Traffic:
    """Count the bytes an instruction moves; scalars, index vectors and the outputs of QuantizeMx are left out.

    channels: `num_active_channels`.
    Source: isa/08 section 11.
    """

    def moved(streams: tuple[Stream, ...], space: Space) -> int:
        return channels * sum(s.count * size_bytes(s.dtype) for s in streams if s.space == space)

    reads, writes = work.sources, work.destinations
    return Traffic(moved(reads, "SBUF"), moved(writes, "SBUF"), moved(reads, "PSUM"), moved(writes, "PSUM"))


def require_executed(opcode: int, generation: Generation) -> None:
    """Refuse an opcode that is not executed by the DVE of `generation`.

    Raises BadOpcode.
    Source: isa/08 sections 10 and 12.3.
    """
    info = CATALOG.get(opcode)
    if info is None or info.role(generation) not in EXECUTED_ROLES:
        raise BadOpcode(opcode, generation)
