"""NEFF containers: where a compiled DVE program comes from. Read, described, judged; never unpacked to disk.

container.py    what the bytes are: header, payload, members, cores   (header, source, tar, documents, kelf)
judging.py      verdicts of every core's DVE stream, on dve_engine.validator
describe.py     a container as plain data
errors.py       NeffError with offset and expectation; NeffLimitExceeded
limits.py       how much a container may ask for

A wing: no floor of the engine knows it, and reading knows no floor. Source: isa/09.
"""

from . import describe
from .container import Neff, Payload, read_neff
from .errors import NeffError, NeffLimitExceeded, NeffTargetError
from .header import Header
from .judging import (
    Judged,
    Judgement,
    OpcodeCount,
    Outcome,
    PlacedVerdict,
    Summary,
    check_whole,
    generation_of,
    judge,
    pieces,
)
from .kelf import Core, Stream
from .limits import NeffLimits
from .tar import Member

__all__ = [
    "Core", "Header", "Judged", "Judgement", "Member", "Neff", "NeffError", "NeffLimitExceeded", "NeffLimits",
    "NeffTargetError", "OpcodeCount", "Outcome", "Payload", "PlacedVerdict", "Stream", "Summary", "check_whole",
    "describe", "generation_of", "judge", "pieces", "read_neff",
]  # fmt: skip
