"""The stateless NumPy engine of dvesim: verdicts and runs of encoded Vector-Engine instructions.

Depends on numpy and ml_dtypes only and knows no network.
"""

from . import describe
from .assembly import AssemblyError, assemble, disassemble
from .instructions.errors import EngineError, ExecutionError, LimitExceeded, NotModelled
from .isa.assumptions import PROFILES, REGISTRY, AlternativeNotOffered, Assumption, Choices, UnknownAssumption
from .isa.generation import (
    CAYMAN,
    GENERATIONS,
    MARIANA,
    MAVERICK,
    MAX_CHANNELS,
    NUM_ADDRESS_REGISTERS,
    RECORD_BYTES,
    SUNDA,
    Fp8Mode,
    Generation,
    UnknownGeneration,
    generation_named,
)
from .isa.struct import ProgramLengthError
from .machine import Machine, RunResult
from .memory.footprint import Band
from .memory.image import DeviceMemory
from .memory.region import Region, RegionError, Space
from .numerics import Accumulators
from .plan import InvalidInstructions, OnInvalid, Plan
from .rules.rule import Failure
from .state import MachineState, RegisterError
from .trace import TraceLevel
from .validator import validate
from .verdicts import Validation, Verdict, Verdicts
from .version import ENGINE_VERSION, ISA_VERSION

__all__ = [
    "CAYMAN",
    "ENGINE_VERSION",
    "GENERATIONS",
    "ISA_VERSION",
    "MARIANA",
    "MAVERICK",
    "MAX_CHANNELS",
    "NUM_ADDRESS_REGISTERS",
    "PROFILES",
    "RECORD_BYTES",
    "REGISTRY",
    "SUNDA",
    "Accumulators",
    "AlternativeNotOffered",
    "AssemblyError",
    "Assumption",
    "Band",
    "Choices",
    "DeviceMemory",
    "EngineError",
    "ExecutionError",
    "Failure",
    "Fp8Mode",
    "Generation",
    "InvalidInstructions",
    "LimitExceeded",
    "Machine",
    "MachineState",
    "NotModelled",
    "OnInvalid",
    "Plan",
    "ProgramLengthError",
    "Region",
    "RegionError",
    "RegisterError",
    "RunResult",
    "Space",
    "TraceLevel",
    "UnknownAssumption",
    "UnknownGeneration",
    "Validation",
    "Verdict",
    "Verdicts",
    "assemble",
    "describe",
    "disassemble",
    "generation_named",
    "validate",
]
