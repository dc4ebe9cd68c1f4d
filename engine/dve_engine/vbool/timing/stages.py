"""Pipeline stages and ports of the register files.

A consumer of a vec or vbool value reads at stage 10, so the latency of a dependence is the producer's write stage less
10.
Source: isa/07 section 11; stages [H], the window rule [M].
"""

from __future__ import annotations

from dataclasses import dataclass

STAGES = 16
READ_STAGE = 10  # of vec and vbool operands
FORWARD_WINDOW = (12, 13)  # the interlock scan: a predicate made up to 3 stages earlier forwards without a stall [M]


@dataclass(frozen=True)
class Ports:
    """Stages at which a file is read and written, and how many of each one operation may have."""

    reads: tuple[int, ...]
    writes: tuple[int, ...]
    max_reads: int
    max_writes: int


PORTS = {  # by the prefix of the file
    "vb": Ports((10,), (10, 11), 2, 1),
    "v": Ports((10,), (10, 11, 12, 13), 5, 2),  # load, ALU, multiply and reduce and select, FMA and convert
    "pr": Ports((10,), (10, 11), 1, 1),
    "b": Ports((3, 4), (4,), 2, 1),
    "a": Ports((1, 3, 4, 5), (1, 3, 4, 5, 6, 12), 2, 1),
}
