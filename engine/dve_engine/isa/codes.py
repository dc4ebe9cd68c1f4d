"""Small enumerations: every one other than OPCODE, DTYPE and ALU_OP.

Members whose name no source gives are listed by code only (`unnamed`): they are members, and nothing more is known.
Source: tables/enums.json, which names page and section of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from .generation import CAYMAN, MARIANA, MAVERICK, Generation, since


class WaitMode(IntEnum):
    """WAIT_MODE. Source: 01 section 1.4."""

    NONE = 0
    SEM_EQ_IMM = 1
    SEM_LT_IMM = 2
    SEM_LE_IMM = 3
    SEM_GT_IMM = 4
    SEM_GE_IMM = 5
    EVT_SET = 6
    EVT_SET_THEN_CLEAR = 7
    EVT_CLEAR = 14
    EVT_CLEAR_THEN_SET = 15
    UNORDERED = 0xFE


class UpdateMode(IntEnum):
    """UPDATE_MODE. Source: 01 section 1.4."""

    NONE = 0
    EVT_SET_READ = 1
    EVT_CLR_READ = 2
    SEM_INC_READ = 3
    SEM_DEC_READ = 4
    SEM_ADD_IMM_READ = 5
    SEM_SUB_IMM_READ = 7
    SEM_WR_IMM_READ = 9
    EVT_SET_COMPLETE = 0x11
    EVT_CLR_COMPLETE = 0x12
    SEM_INC_COMPLETE = 0x13
    SEM_DEC_COMPLETE = 0x14
    SEM_ADD_IMM_COMPLETE = 0x15
    SEM_SUB_IMM_COMPLETE = 0x17
    SEM_WR_IMM_COMPLETE = 0x19


class DebugCmd(IntEnum):
    """DEBUG_CMD. Source: 01 section 1.3."""

    NONE = 0
    NOTIFY = 1
    START = 3
    END = 5
    START_END = 7
    INS_FIELD = 9


class ImmSrc(IntEnum):
    """IMM_SRC. Source: 01 section 7.1, 03 section 3.3."""

    INSTRUCTION_IMMEDIATE = 0
    POINTER_IMMEDIATE = 1
    REG_PTR_IMMEDIATE = 2


class ImmSrcN(IntEnum):
    """IMM_SRC_N. Source: 01 section 7.1, 03 section 3.3."""

    POINTER_IMMEDIATE = 0
    INSTRUCTION_IMMEDIATE = 1
    REG_PTR_IMMEDIATE = 2


class AccumCmd(IntEnum):
    """ACCUM_CMD. Source: 05 section 2.2, section 3.2."""

    IDLE = 0
    ZERO = 1
    ACCUMULATE = 2
    ZERO_ACCUMULATE = 3
    LOAD_ACCUMULATE = 4


class ReverseOps(IntEnum):
    """TENS_SCALAR_REV_OPS. Source: 03 section 4.2, 05 section 2.2."""

    NONE = 0
    FIRST = 1
    SECOND = 2
    BOTH = 3


class TensorSubdim(IntEnum):
    """TENSOR_SUBDIM. Source: 05 section 2.2, 06 section 2."""

    UNUSED = 0
    X = 2
    XY = 3
    XYZ = 4
    XYZW = 5


SUBDIMS: Mapping[int, int] = {  # how many of the innermost dimensions a code names
    TensorSubdim.X: 1, TensorSubdim.XY: 2, TensorSubdim.XYZ: 3, TensorSubdim.XYZW: 4,
}  # fmt: skip


class PoolType(IntEnum):
    """POOL_TYPE. Source: 05 section 2.2."""

    NONE = 0
    MAX_POOL = 1
    AVG_POOL = 2


class RegSerialMode(IntEnum):
    """REG_SERIAL_MODE. Source: 05 section 2.2, 06 section 5.9, 09 section 14."""

    SERIAL = 0


class DropoutThresholdType(IntEnum):
    """DROPOUT_THRESHOLD_TYPE. Source: 04 section 2.4."""

    DROP_RATE = 0
    KEEP_RATE = 1


class RandAlgorithm(IntEnum):
    """RAND_ALGORITHM. Source: 06 section 7."""

    LFSR = 0
    PCG32 = 1
    PHILOX = 2
    XORWOW = 3


class RandSrc(IntEnum):
    """RAND_SRC. Source: 06 section 7."""

    RNG_LFSR = 0
    RNG_XORWOW = 1
    RNG_PHILOX = 2
    OUTPUT_CVT_LFSR = 3


class RandPostProc(IntEnum):
    """RAND_POST_PROC. Source: 06 section 7."""

    RAW_U32 = 0
    UNIFORM_IN_RANGE = 1
    NORMAL = 2


class RandStateUpdate(IntEnum):
    """RAND_STATE_UPDATE. Source: 06 section 7."""

    SRC_TENSOR = 0
    IMM_SINGLE = 1
    IMM_LANE = 2


class CompressOp(IntEnum):
    """COMPRESS_OP. Source: 06 section 7.4."""

    MIN = 8
    MAX = 9
    ABS_MIN = 0x20
    ABS_MAX = 0x21


class BoolFlag(IntEnum):
    """BOOL_FLAG. Source: 02 section 3."""

    FALSE = 0
    TRUE = 1


class Addr4Marker(IntEnum):
    """ADDR4_MARKER. Source: 01 section 3.2."""

    ADDR4_MARKER_IMM = 0
    ADDR4_MARKER_ADDR_REG = 0x80
    ADDR4_MARKER_SHAPE_REG = 0x40
    ADDR4_MARKER_ADDR_SHAPE_REG = 0xC0
    INDIRECT_IMM = 0x20
    INDIRECT_REG = 0xA0
    MXTENSOR_V2 = 1


class IsaEngine(IntEnum):
    """ISA_ENGINE. Source: 01 section 1.5, 06 section 1."""

    PE = 0
    ACT = 1
    POOL = 2
    DVE = 3
    TPB_SP = 4
    TOP_SP = 5


class NeuronCoreVersion(IntEnum):
    """NEURON_CORE_VERSION. Source: 06 section 1."""

    V2 = 2
    V3 = 3
    V4 = 4
    V5 = 5


class RangeSelectCompOp(IntEnum):
    """RANGE_SELECT_COMP_OP. Source: 04 section 7.1."""

    IS_EQ = 0x12
    IS_GT = 0x13
    IS_GE = 0x14
    IS_LE = 0x15
    IS_LT = 0x16


class CrossLaneReduceOp(IntEnum):
    """CROSS_LANE_REDUCE_OP. Source: 05 section 14."""

    ADD = 0
    AVERAGE = 1
    MAX = 2
    OR = 3
    AND = 4
    XOR = 5


class CrossLaneReduceAxis(IntEnum):
    """CROSS_LANE_REDUCE_AXIS. Source: 05 section 14."""

    ALL = 0
    PARTITIONS = 1


class DequantFmt(IntEnum):
    """DEQUANT_FMT. Source: 06 section 8.6."""

    E2M1_TO_E5M2 = 1
    INT4_TO_E5M2 = 2
    NF4_TO_E4M3 = 3
    E2M3_TO_E4M3 = 4


@dataclass(frozen=True)
class CodeSpace:
    """The legal codes of one enumeration: names where known, bare codes where not, and when a code appeared."""

    name: str
    names: type[IntEnum]
    unnamed: tuple[int, ...] = ()
    first: tuple[tuple[int, Generation], ...] = ()  # (code, first generation), where not all of them have it
    width_bytes: int = 1

    @cache  # noqa: B019 - the spaces are module constants
    def codes(self, generation: Generation) -> frozenset[int]:
        """Every member of `generation`."""
        late = dict(self.first)
        named = (int(m) for m in self.names if m not in late or generation in since(late[m]))
        return frozenset(named) | frozenset(self.unnamed)

    def describe(self, generation: Generation) -> str:
        """The legal set as a verdict prints it: codes with their names."""
        legal = self.codes(generation)
        named = [f"{int(m)} {m.name}" for m in self.names if m in legal]
        return ", ".join(named + [str(c) for c in self.unnamed])


CODE_SPACES = {
    space.name: space
    for space in (
        CodeSpace("WAIT_MODE", WaitMode, unnamed=(8, 9, 10, 11, 12, 13)),
        CodeSpace("UPDATE_MODE", UpdateMode, unnamed=(6, 8, 10, 22, 24, 26)),
        CodeSpace("DEBUG_CMD", DebugCmd),
        CodeSpace("IMM_SRC", ImmSrc),
        CodeSpace("IMM_SRC_N", ImmSrcN),
        CodeSpace("ACCUM_CMD", AccumCmd),
        CodeSpace("TENS_SCALAR_REV_OPS", ReverseOps),
        CodeSpace("TENSOR_SUBDIM", TensorSubdim),
        CodeSpace("POOL_TYPE", PoolType),
        CodeSpace("REG_SERIAL_MODE", RegSerialMode),
        CodeSpace("DROPOUT_THRESHOLD_TYPE", DropoutThresholdType),
        CodeSpace("RAND_ALGORITHM", RandAlgorithm, first=((3, CAYMAN),)),
        CodeSpace("RAND_SRC", RandSrc, first=((1, CAYMAN), (3, CAYMAN))),
        CodeSpace("RAND_POST_PROC", RandPostProc),
        CodeSpace("RAND_STATE_UPDATE", RandStateUpdate),
        CodeSpace("COMPRESS_OP", CompressOp),
        CodeSpace("BOOL_FLAG", BoolFlag),
        CodeSpace(
            "ADDR4_MARKER",
            Addr4Marker,
            first=((64, CAYMAN), (192, CAYMAN), (32, MARIANA), (160, MARIANA), (1, MAVERICK)),
        ),
        CodeSpace("ISA_ENGINE", IsaEngine),
        CodeSpace("NEURON_CORE_VERSION", NeuronCoreVersion),
        CodeSpace("RANGE_SELECT_COMP_OP", RangeSelectCompOp),
        CodeSpace("CROSS_LANE_REDUCE_OP", CrossLaneReduceOp),
        CodeSpace("CROSS_LANE_REDUCE_AXIS", CrossLaneReduceAxis),
        CodeSpace("DEQUANT_FMT", DequantFmt),
    )
}
