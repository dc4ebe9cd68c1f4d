"""Clients of dvesim: HTTP, gRPC and in-process behind one interface, synchronous and asynchronous.

    with connect("http://127.0.0.1:8080") as client:
        answer = client.run(program, "cayman", memory=[MemoryRegion.of("sbuf", 0, 0, scores)], read="written")

connect.py     from a target to a client
core.py        AsyncClient: every call, typed; sync.py is the same behind a thread
verdicts.py, answers.py, memory.py    what is asked and answered
errors.py      what can go wrong: one tree for all transports; retry.py when a call is tried again
vbool.py       the predicate unit
neff.py        compiled containers
transports/    how calls travel
reports/       verdicts in the formats of continuous integration; testing/ what tests assert
cli.py         the command `dvesim`; demo/ is `dvesim demo`
"""

from dve_engine import Region, Space

from .answers import (
    BlockPlace,
    ImageInfo,
    MachineView,
    RunAnswer,
    Session,
    SessionMemory,
    SessionVersion,
    StoredImage,
    Versions,
)
from .connect import aconnect, connect
from .core import AsyncClient
from .errors import BadInput, DvesimError, NoAnswer, ServiceError
from .memory import MemoryRegion, region
from .neff import NeffCore, NeffStream, NeffSummary, NeffValidation, PlacedVerdict
from .retry import NEVER, Retry
from .sync import Client
from .vbool import VboolEvaluation, VboolRun, VboolStep
from .verdicts import AssumptionUse, Failure, Validation, Verdict

__all__ = [
    "NEVER",
    "AssumptionUse",
    "AsyncClient",
    "BadInput",
    "BlockPlace",
    "Client",
    "DvesimError",
    "Failure",
    "ImageInfo",
    "MachineView",
    "MemoryRegion",
    "NeffCore",
    "NeffStream",
    "NeffSummary",
    "NeffValidation",
    "NoAnswer",
    "PlacedVerdict",
    "Region",
    "Retry",
    "RunAnswer",
    "ServiceError",
    "Session",
    "SessionMemory",
    "SessionVersion",
    "Space",
    "StoredImage",
    "Validation",
    "VboolEvaluation",
    "VboolRun",
    "VboolStep",
    "Verdict",
    "Versions",
    "aconnect",
    "connect",
    "region",
]
