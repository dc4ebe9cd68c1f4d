"""The opcode catalogue: all 172 codes, who executes them and what this emulator does with each.

Source: isa/01 section 2, isa/06 sections 3, 4 and 9 [H membership, confidence of dispatch in tables/opcodes.json].

One row per opcode. `roles` has one letter per generation (SUNDA CAYMAN MARIANA MAVERICK):

    x  a data instruction the DVE executes
    c  a sequencer control record, run by the front end of every engine
    o  decoded on this generation, semantics only partly known
    w  dispatched, but the device worker does nothing (`stub-opcodes`)
    P  pseudo instruction, rewritten by the loader      -> leaf pseudo_instruction
    O  another engine or a DMA queue executes it        -> leaf other_engine
    N  no engine executes it                            -> leaf not_dispatched
    I  the invalid sentinel                             -> leaf invalid_opcode
    -  not a member of the generation's enum            -> has_valid_neuron_header

`tables` says whether the default decode tables shipped with programs list it (y, n, or ? where no program was seen),
`bound` whether the generation binds it to `struct` (? where no struct is known). Both matter only where an assumption
asks for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .generation import GENERATIONS, Generation


class Opcode(IntEnum):
    """NEURON_ISA_TPB_OPCODE, the codes of all generations."""

    LDWEIGHTS = 0x01
    MATMUL = 0x02
    PE_REG_WRITE = 0x03
    WEIGHT_MASK = 0x04
    WEIGHT_SHIFT = 0x05
    LDTAGS = 0x06
    MATMUL_SPARSE = 0x07
    PE_MANAGE_SEED = 0x08
    LDWEIGHTS_MX = 0x09
    MATMUL_MX = 0x0A
    ACTIVATE = 0x21
    ACTIVATE_QUANTIZE = 0x22
    ACTIVATION_TABLE_LOAD = 0x23
    ACTIVATION_READ_ACCUMULATOR = 0x24
    ACTIVATE2 = 0x25
    ACTIVATE_MULTIPASS = 0x26
    EXPONENTIAL = 0x30
    TENSOR_TENSOR_ARITH_OP = 0x41
    TENSOR_REDUCE_ARITH_OP = 0x42
    TENSOR_SCALAR_ARITH_OP = 0x43
    TENSOR_SCALAR_PTR_ARITH_OP = 0x44
    POOL = 0x45
    COPY = 0x46
    CAST = 0x47
    RECIPROCAL = 0x48
    MEMSET = 0x49
    REG_LOAD = 0x4A
    REG_STORE = 0x4B
    REG_SHUFFLE = 0x4C
    RNG = 0x4D
    TENSOR_CUMULATIVE_ARITH_OP = 0x4E
    TENSOR_SCALAR_PTR_MULTI_ARITH = 0x4F
    TENSOR_TENSOR_BITVEC_OP = 0x51
    TENSOR_REDUCE_BITVEC_OP = 0x52
    TENSOR_SCALAR_BITVEC_OP = 0x53
    TENSOR_SCALAR_PTR_BITVEC_OP = 0x54
    MAX_POOL_SELECT = 0x58
    TENSOR_CUMULATIVE_BITVEC_OP = 0x5E
    TENSOR_SCALAR_PTR_MULTI_BITVEC = 0x5F
    BATCH_NORM_STATS = 0x60
    BATCH_NORM_STATS2 = 0x61
    BATCH_NORM_AGGREGATE = 0x62
    BATCH_NORM_GRAD_ACCUMULATE = 0x63
    BATCH_NORM_PARAM_LOAD = 0x64
    BATCH_NORM_BACK_PROP = 0x65
    LOAD_PARAMETER_RAM = 0x66
    POOL_BUFFER_LOAD = 0x67
    GATHER = 0x68
    LOAD_MASK_SELECT = 0x69
    STREAM_SHUFFLE = 0x6A
    STREAM_TRANSPOSE = 0x6B
    MAX8 = 0x6C
    MATCH_VALUE_LOAD = 0x6D
    FIND_INDEX8 = 0x6E
    MATCH_REPLACE8 = 0x6F
    TENSOR_SCALAR_IMM_LD_ARITH = 0x70
    TENSOR_SCALAR_IMM_LD_BITVEC = 0x71
    COPY_PREDICATED = 0x72
    ROI_ALIGN = 0x73
    TENSOR_SCALAR_ADDR = 0x74
    RAND = 0x76
    RAND_GET_STATE = 0x77
    RAND_SET_STATE = 0x78
    EMBEDDING_UPDATE = 0x79
    LOAD_POOL_ARGUMENT = 0x7A
    TENSOR_DEQUANTIZE = 0x7B
    CROSS_LANE_REDUCE_ARITH = 0x7C
    CROSS_LANE_REDUCE_BITVEC = 0x7D
    IOTA = 0x7E
    DROPOUT = 0x7F
    JPEG_DECODE = 0x81
    TRANSPOSE_BATCH_NORM_STATS2 = 0x82
    TRANSPOSE_TENSOR_REDUCE_ARITH_OP = 0x83
    TRANSPOSE_TENSOR_REDUCE_BITVEC_OP = 0x84
    CUSTOM_OP_HEADER = 0x85
    CUSTOM_OP_PAYLOAD = 0x86
    TENSOR_SCALAR_PTR_MULTI_DUAL_ARITH = 0x87
    TENSOR_SCALAR_PTR_MULTI_DUAL_BITVEC = 0x88
    TENSOR_TENSOR_ADD_BF16 = 0x8A
    TENSOR_TENSOR_MULT_BF16 = 0x8B
    TENSOR_REDUCE_ADD_BF16 = 0x8C
    TENSOR_REDUCE_MAX_BF16 = 0x8D
    BATCH_NORM_PARAM_LOAD2 = 0x8E
    TENSOR_TENSOR_SUB_BF16 = 0x8F
    TENSOR_SCALAR_AFFINE_SELECT = 0x92
    TRANSPOSE_TENSOR_SCALAR_ARITH_OP = 0x93
    BATCH_NORM_GRAD_ACCUMULATE2 = 0x94
    MODIFY_POOL_CONFIG = 0x95
    SORT = 0x96
    TENSOR_SCALAR_SELECT = 0x98
    CAST_PREDICATED = 0x99
    TENSOR_SCALAR_CACHE_REDUCE = 0x9A
    DVE_READ_ACCUMULATOR = 0x9B
    TENSOR_REDUCE_RANGE_CHECK = 0x9C
    SCALAR_TENSOR_TENSOR_ARITH = 0x9D
    SCALAR_TENSOR_TENSOR_BITVEC = 0x9E
    ENGINE_NOP = 0x9F
    EVENT_SEMAPHORE = 0xA0
    HALT = 0xA1
    DRAIN = 0xA2
    INSTRUCTION_FLUSH = 0xA3
    NOP = 0xA4
    WRITE = 0xA5
    NOTIFY = 0xA6
    MOVE = 0xA7
    ALU_OP = 0xA8
    COMPARE_BRANCH = 0xA9
    TENSOR_LOAD = 0xAA
    TENSOR_STORE = 0xAB
    EVENT_SEMAPHORE_RANGE_CLEAR = 0xB0
    SET_ORDERING_MODE = 0xB1
    MOVE_SHAPE = 0xB2
    POLL_SEM = 0xB3
    TEST_EVENT_SEM = 0xB4
    BRANCH_PREFETCH_HINT = 0xB5
    COMPACT_CONTROL_INST = 0xB6
    DMAMEMCPY = 0xB8
    DMA_MEMCPY2 = 0xB9
    DMA_IMMEDIATE = 0xBA
    DMA_INDIRECT = 0xBB
    RANGE_SELECT = 0xBC
    DMA_TRANSPOSE = 0xBD
    GET_SEQUENCE_BOUNDS = 0xBE
    SB2SB_COLLECTIVE = 0xBF
    PSEUDO_DMATRIGGER = 0xC1
    PSEUDO_DMAREARM = 0xC2
    PSEUDO_DMABARRIER = 0xC3
    PSEUDO_DMAMEMCPY_FULL_IND = 0xC4
    PSEUDO_SEMAPHORE_SET = 0xC5
    PSEUDO_LOAD_ACT_FUNC_SET = 0xC6
    PSEUDO_TRIGGER_ALL_REDUCE = 0xC7
    PSEUDO_TRIGGER_COLLECTIVE = 0xC8
    PSEUDO_READ_VAR_ADDR = 0xC9
    PSEUDO_EMBEDDING_UPDATE = 0xCA
    PSEUDO_SEND_RECV = 0xCB
    PSEUDO_BRANCH_LABEL = 0xCC
    PSEUDO_TENSOR_STORE = 0xCD
    PSEUDO_TENSOR_LOAD = 0xCE
    PSEUDO_DMASWAP_QUEUE_SET = 0xCF
    PSEUDO_SET_RNG_SEED = 0xD0
    PSEUDO_FUNCTION_BEGIN = 0xD1
    PSEUDO_FUNCTION_RETURN = 0xD2
    PSEUDO_FUNCTION_CALL = 0xD3
    PSEUDO_DMA_DIRECT2D = 0xD4
    PSEUDO_SYNC_BARRIER = 0xD5
    PSEUDO_RANGE_CHECK = 0xD6
    PSEUDO_JPEG_DECODE = 0xD7
    PSEUDO_CORE_BARRIER = 0xD8
    PSEUDO_TRIGGER_COLLECTIVE2 = 0xD9
    PSEUDO_EXTENSION = 0xDA
    PSEUDO_CUR_PROCESSING_RANK_ID = 0xDB
    PSEUDO_GID_LOAD = 0xDC
    PSEUDO_BRANCH_PREFETCH_HINT = 0xDD
    PSEUDO_TENSOR_COMPLETION = 0xDE
    PSEUDO_INST = 0xDF
    SPARSITY_COMPRESS = 0xE0
    SPARSITY_COMPRESS_TAG = 0xE1
    RAND2 = 0xE2
    QUANTIZE_MX = 0xE3
    CONV_LUT_LOAD = 0xE4
    TENSOR_TENSOR_SCAN_ARITH = 0xE5
    TENSOR_SCALAR_CACHE_CUMULATIVE = 0xE6
    INDIRECT_COPY = 0xE7
    COPY_PREDICATED_SCALAR = 0xE8
    DVE_READ_INDICES = 0xE9
    SELECT_REDUCE = 0xEA
    EXTENDED_INST = 0xF0
    DMA_GATHER_TRANSPOSE = 0xF1
    NONZERO_WITH_COUNT = 0xF2
    TENSOR_TENSOR_INT_WIDE = 0xF3
    TENSOR_SCALAR_INT_WIDE = 0xF4
    INVALID = 0xFF


LEAVES = {"P": "pseudo_instruction", "O": "other_engine", "N": "not_dispatched", "I": "invalid_opcode"}


@dataclass(frozen=True)
class OpcodeInfo:
    """One row of the catalogue."""

    opcode: Opcode
    roles: str
    tables: str
    bound: str
    struct: str | None
    engines: str
    control: str | None = None  # step, halt, register: what a run does with a control record

    @property
    def code(self) -> int:
        """The opcode byte."""
        return int(self.opcode)

    @property
    def name(self) -> str:
        """The enumerator's name."""
        return self.opcode.name

    def role(self, generation: Generation) -> str:
        """The letter of `generation`, see the head of this file."""
        return self.roles[generation.order]

    def is_member(self, generation: Generation) -> bool:
        """Whether the opcode is an enumerator of `generation`."""
        return self.role(generation) != "-"

    def engine_check_leaf(self, generation: Generation) -> str | None:
        """Why `instruction_engine_check` refuses the opcode on the DVE, or None where it does not."""
        return LEAVES.get(self.role(generation))

    def in_default_tables(self, generation: Generation) -> bool | None:
        """Whether the default decode tables list it; None where no compiled program of the generation was seen."""
        return {"y": True, "n": False}.get(self.tables[generation.order])


CATALOG: dict[int, OpcodeInfo] = {
    info.code: info
    for info in (
        OpcodeInfo(Opcode.LDWEIGHTS, "OOOO", "nn??", "yyyy", "S3_LW", "PE"),
        OpcodeInfo(Opcode.MATMUL, "OOOO", "nn??", "yyyy", "S3_MM", "PE"),
        OpcodeInfo(Opcode.PE_REG_WRITE, "OOOO", "nn??", "????", None, "PE"),
        OpcodeInfo(Opcode.WEIGHT_MASK, "OOOO", "nn??", "????", None, "PE"),
        OpcodeInfo(Opcode.WEIGHT_SHIFT, "OOOO", "nn??", "????", None, "PE"),
        OpcodeInfo(Opcode.LDTAGS, "-OOO", "nn??", "nyyy", "S3_LT", "PE"),
        OpcodeInfo(Opcode.MATMUL_SPARSE, "-OOO", "nn??", "nyyy", "S4D3_MM", "PE"),
        OpcodeInfo(Opcode.PE_MANAGE_SEED, "--OO", "nn??", "nnyy", "S2S1D2_PE_SEED", "PE"),
        OpcodeInfo(Opcode.LDWEIGHTS_MX, "--OO", "nn??", "nnyy", "SMX1_LW", "PE"),
        OpcodeInfo(Opcode.MATMUL_MX, "--OO", "nn??", "nnyy", "SMX1D3_MM", "PE"),
        OpcodeInfo(Opcode.ACTIVATE, "OOOO", "nn??", "yyyy", "S3D3_AC", "ACT"),
        OpcodeInfo(Opcode.ACTIVATE_QUANTIZE, "OOOO", "nn??", "yyyy", "S3D3_AQ", "ACT"),
        OpcodeInfo(Opcode.ACTIVATION_TABLE_LOAD, "OOOo", "nn??", "yyyy", "CTRL_NO", "ACT DVE"),
        OpcodeInfo(Opcode.ACTIVATION_READ_ACCUMULATOR, "OOOO", "nn??", "yyyy", "D1_RD", "ACT"),
        OpcodeInfo(Opcode.ACTIVATE2, "--Oo", "nn??", "nnyy", "S2D2_AC", "ACT DVE"),
        OpcodeInfo(Opcode.ACTIVATE_MULTIPASS, "---N", "nn??", "nnny", "S1S2D2_AM", ""),
        OpcodeInfo(Opcode.EXPONENTIAL, "NNxx", "nn??", "nnyy", "S3D3_TS", "DVE"),
        OpcodeInfo(Opcode.TENSOR_TENSOR_ARITH_OP, "xxxx", "yy??", "yyyy", "S3S3D3_TT", "POOL DVE"),
        OpcodeInfo(Opcode.TENSOR_REDUCE_ARITH_OP, "xxxx", "yy??", "yyyy", "S4D4_TR", "POOL DVE"),
        OpcodeInfo(Opcode.TENSOR_SCALAR_ARITH_OP, "xxxx", "yy??", "yyyy", "S3D3_TS", "ACT POOL DVE"),
        OpcodeInfo(Opcode.TENSOR_SCALAR_PTR_ARITH_OP, "xxxx", "yy??", "yyyy", "S3D3_TS", "POOL DVE"),
        OpcodeInfo(Opcode.POOL, "xxxx", "yy??", "yyyy", "S4D4_PL", "POOL DVE"),
        OpcodeInfo(Opcode.COPY, "xxxx", "yy??", "yyyy", "S4D4_TR", "ACT POOL DVE"),
        OpcodeInfo(Opcode.CAST, "xxxx", "yy??", "yyyy", "S4D4_TR", "ACT POOL DVE"),
        OpcodeInfo(Opcode.RECIPROCAL, "xxxx", "yy??", "yyyy", "S4D4_TR", "DVE"),
        OpcodeInfo(Opcode.MEMSET, "xxxx", "yy??", "yyyy", "D4_MR", "POOL DVE"),
        OpcodeInfo(Opcode.REG_LOAD, "NNNN", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.REG_STORE, "NNNN", "nn??", "yyyy", "D4_MR", ""),
        OpcodeInfo(Opcode.REG_SHUFFLE, "NNNN", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.RNG, "xxxx", "yy??", "yyyy", "D4_MR", "POOL DVE"),
        OpcodeInfo(Opcode.TENSOR_CUMULATIVE_ARITH_OP, "xxxx", "yy??", "yyyy", "S4D4_TR", "DVE"),
        OpcodeInfo(Opcode.TENSOR_SCALAR_PTR_MULTI_ARITH, "wwww", "ny??", "yyyy", "S4D4_TSM", "DVE"),
        OpcodeInfo(Opcode.TENSOR_TENSOR_BITVEC_OP, "xxxx", "yy??", "yyyy", "S3S3D3_TT", "POOL DVE"),
        OpcodeInfo(Opcode.TENSOR_REDUCE_BITVEC_OP, "xxxx", "yy??", "yyyy", "S4D4_TR", "POOL DVE"),
        OpcodeInfo(Opcode.TENSOR_SCALAR_BITVEC_OP, "xxxx", "yy??", "yyyy", "S3D3_TS", "POOL DVE"),
        OpcodeInfo(Opcode.TENSOR_SCALAR_PTR_BITVEC_OP, "xxxx", "yy??", "yyyy", "S3D3_TS", "POOL DVE"),
        OpcodeInfo(Opcode.MAX_POOL_SELECT, "xxxx", "yy??", "yyyy", "S4D4_PL", "POOL DVE"),
        OpcodeInfo(Opcode.TENSOR_CUMULATIVE_BITVEC_OP, "xxxx", "yy??", "yyyy", "S4D4_TR", "DVE"),
        OpcodeInfo(Opcode.TENSOR_SCALAR_PTR_MULTI_BITVEC, "wwww", "ny??", "yyyy", "S4D4_TSM", "DVE"),
        OpcodeInfo(Opcode.BATCH_NORM_STATS, "xxxx", "ny??", "yyyy", "S4D2_BN", "DVE"),
        OpcodeInfo(Opcode.BATCH_NORM_STATS2, "xxxx", "yy??", "yyyy", "S4D2_BN", "DVE"),
        OpcodeInfo(Opcode.BATCH_NORM_AGGREGATE, "xxxx", "yy??", "yyyy", "S4D2_BN", "DVE"),
        OpcodeInfo(Opcode.BATCH_NORM_GRAD_ACCUMULATE, "xxxx", "yy??", "yyyy", "S3S3D1_BN", "DVE"),
        OpcodeInfo(Opcode.BATCH_NORM_PARAM_LOAD, "xxxx", "yy??", "yyyy", "S2_BN", "DVE"),
        OpcodeInfo(Opcode.BATCH_NORM_BACK_PROP, "xxxx", "yy??", "yyyy", "S3S3D3_TT", "DVE"),
        OpcodeInfo(Opcode.LOAD_PARAMETER_RAM, "xxxx", "yy??", "yyyy", "CTRL_IM", "DVE"),
        OpcodeInfo(Opcode.POOL_BUFFER_LOAD, "OOOO", "nn??", "yyyy", "S4_PB", "POOL"),
        OpcodeInfo(Opcode.GATHER, "OOOO", "nn??", "yyyy", "S4D4_GT", "POOL"),
        OpcodeInfo(Opcode.LOAD_MASK_SELECT, "xxxx", "yy??", "yyyy", "CTRL_IM", "DVE"),
        OpcodeInfo(Opcode.STREAM_SHUFFLE, "xxxx", "yy??", "yyyy", "S4D4_TR", "DVE"),
        OpcodeInfo(Opcode.STREAM_TRANSPOSE, "xxxx", "yy??", "yyyy", "S4D4_TR", "DVE"),
        OpcodeInfo(Opcode.MAX8, "xxxx", "yy??", "yyyy", "S4D2_BN", "DVE"),
        OpcodeInfo(Opcode.MATCH_VALUE_LOAD, "xxxx", "yy??", "yyyy", "S2_BN", "DVE"),
        OpcodeInfo(Opcode.FIND_INDEX8, "xxxx", "yy??", "yyyy", "S4D2_BN", "DVE"),
        OpcodeInfo(Opcode.MATCH_REPLACE8, "xxxx", "yy??", "yyyy", "S4D4_MR", "DVE"),
        OpcodeInfo(Opcode.TENSOR_SCALAR_IMM_LD_ARITH, "wwww", "ny??", "yyyy", "S2_BN", "DVE"),
        OpcodeInfo(Opcode.TENSOR_SCALAR_IMM_LD_BITVEC, "wwww", "ny??", "yyyy", "S2_BN", "DVE"),
        OpcodeInfo(Opcode.COPY_PREDICATED, "xxxx", "yy??", "yyyy", "S3S3D3_TT", "DVE"),
        OpcodeInfo(Opcode.ROI_ALIGN, "NNNN", "nn??", "yyyy", "S2S2D3_ROI", ""),
        OpcodeInfo(Opcode.TENSOR_SCALAR_ADDR, "OOOO", "nn??", "yyyy", "S2D2_ADDR", "POOL"),
        OpcodeInfo(Opcode.RAND, "NNNN", "nn??", "yyyy", "D4_RAND", ""),
        OpcodeInfo(Opcode.RAND_GET_STATE, "OOxx", "nn??", "yyyy", "D4_RAND", "ACT POOL DVE"),
        OpcodeInfo(Opcode.RAND_SET_STATE, "OOxx", "nn??", "yyyy", "S1_RAND", "ACT POOL DVE"),
        OpcodeInfo(Opcode.EMBEDDING_UPDATE, "OOOO", "nn??", "????", None, "POOL"),
        OpcodeInfo(Opcode.LOAD_POOL_ARGUMENT, "OOOO", "nn??", "yyyy", "CTRL_IM", "POOL"),
        OpcodeInfo(Opcode.TENSOR_DEQUANTIZE, "OOOO", "nn??", "nyyy", "S3D3_TENS_DEQUANT", "POOL"),
        OpcodeInfo(Opcode.CROSS_LANE_REDUCE_ARITH, "OOOO", "nn??", "yyyy", "S4D4_CR", "POOL"),
        OpcodeInfo(Opcode.CROSS_LANE_REDUCE_BITVEC, "OOOO", "nn??", "yyyy", "S4D4_CR", "POOL"),
        OpcodeInfo(Opcode.IOTA, "OOOO", "nn??", "yyyy", "D4_IOTA", "POOL"),
        OpcodeInfo(Opcode.DROPOUT, "xxxx", "yy??", "yyyy", "S3D3_DROPOUT", "DVE"),
        OpcodeInfo(Opcode.JPEG_DECODE, "-NNN", "nn??", "n???", None, ""),
        OpcodeInfo(Opcode.TRANSPOSE_BATCH_NORM_STATS2, "xxxx", "yy??", "yyyy", "S4D2_BN", "DVE"),
        OpcodeInfo(Opcode.TRANSPOSE_TENSOR_REDUCE_ARITH_OP, "xxxx", "yy??", "yyyy", "S4D4_TR", "DVE"),
        OpcodeInfo(Opcode.TRANSPOSE_TENSOR_REDUCE_BITVEC_OP, "xxxx", "yy??", "yyyy", "S4D4_TR", "DVE"),
        OpcodeInfo(Opcode.CUSTOM_OP_HEADER, "OOOO", "nn??", "ynnn", "CUSTOM_OP_HEADER", "POOL"),
        OpcodeInfo(Opcode.CUSTOM_OP_PAYLOAD, "OOOO", "nn??", "ynnn", "CUSTOM_OP_PAYLOAD", "POOL"),
        OpcodeInfo(Opcode.TENSOR_SCALAR_PTR_MULTI_DUAL_ARITH, "N---", "nn??", "ynnn", "S4D4_TSM", ""),
        OpcodeInfo(Opcode.TENSOR_SCALAR_PTR_MULTI_DUAL_BITVEC, "N---", "nn??", "ynnn", "S4D4_TSM", ""),
        OpcodeInfo(Opcode.TENSOR_TENSOR_ADD_BF16, "x---", "nn??", "ynnn", "S3S3D3_TT", "POOL DVE"),
        OpcodeInfo(Opcode.TENSOR_TENSOR_MULT_BF16, "x---", "nn??", "ynnn", "S3S3D3_TT", "POOL DVE"),
        OpcodeInfo(Opcode.TENSOR_REDUCE_ADD_BF16, "x---", "yn??", "ynnn", "S4D4_TR", "DVE"),
        OpcodeInfo(Opcode.TENSOR_REDUCE_MAX_BF16, "x---", "yn??", "ynnn", "S4D4_TR", "DVE"),
        OpcodeInfo(Opcode.BATCH_NORM_PARAM_LOAD2, "xxxx", "yy??", "yyyy", "S2_BNPL2", "DVE"),
        OpcodeInfo(Opcode.TENSOR_TENSOR_SUB_BF16, "x---", "nn??", "ynnn", "S3S3D3_TT", "POOL DVE"),
        OpcodeInfo(Opcode.TENSOR_SCALAR_AFFINE_SELECT, "OOOO", "nn??", "yyyy", "S2D2_TS_AS", "POOL"),
        OpcodeInfo(Opcode.TRANSPOSE_TENSOR_SCALAR_ARITH_OP, "xxxx", "yy??", "yyyy", "S3D3_TS", "DVE"),
        OpcodeInfo(Opcode.BATCH_NORM_GRAD_ACCUMULATE2, "xxxx", "yn??", "yyyy", "S3S3D1_BN2", "DVE"),
        OpcodeInfo(Opcode.MODIFY_POOL_CONFIG, "OOOO", "nn??", "yyyy", "MODIFY_POOL_CONFIG", "POOL"),
        OpcodeInfo(Opcode.SORT, "OOOO", "nn??", "yyyy", "S1D2_SORT", "POOL"),
        OpcodeInfo(Opcode.TENSOR_SCALAR_SELECT, "xxxx", "ny??", "yyyy", "S3D3_TS_SELECT", "DVE"),
        OpcodeInfo(Opcode.CAST_PREDICATED, "xxxx", "yy??", "yyyy", "S3S3D3_TT", "DVE"),
        OpcodeInfo(Opcode.TENSOR_SCALAR_CACHE_REDUCE, "xxxx", "ny??", "yyyy", "S3D3_TS", "DVE"),
        OpcodeInfo(Opcode.DVE_READ_ACCUMULATOR, "xxxx", "ny??", "yyyy", "D1_RD", "DVE"),
        OpcodeInfo(Opcode.TENSOR_REDUCE_RANGE_CHECK, "NNNN", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.SCALAR_TENSOR_TENSOR_ARITH, "xxxx", "yy??", "yyyy", "S2S2D2_STT", "DVE"),
        OpcodeInfo(Opcode.SCALAR_TENSOR_TENSOR_BITVEC, "xxxx", "yy??", "yyyy", "S2S2D2_STT", "DVE"),
        OpcodeInfo(Opcode.ENGINE_NOP, "cccc", "yn??", "yyyy", "CTRL_IM", "POOL DVE SEQ", "step"),
        OpcodeInfo(Opcode.EVENT_SEMAPHORE, "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(Opcode.HALT, "cccc", "nn??", "yyyy", "CTRL", "SEQ", "halt"),
        OpcodeInfo(Opcode.DRAIN, "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(Opcode.INSTRUCTION_FLUSH, "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(Opcode.NOP, "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(Opcode.WRITE, "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(Opcode.NOTIFY, "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(Opcode.MOVE, "cccc", "nn??", "yyyy", "MOVE", "SEQ", "register"),
        OpcodeInfo(Opcode.ALU_OP, "cccc", "nn??", "????", None, "SEQ", "register"),
        OpcodeInfo(Opcode.COMPARE_BRANCH, "cccc", "nn??", "????", None, "SEQ", "register"),
        OpcodeInfo(Opcode.TENSOR_LOAD, "cccc", "nn??", "????", None, "SEQ", "register"),
        OpcodeInfo(Opcode.TENSOR_STORE, "cccc", "nn??", "????", None, "SEQ", "register"),
        OpcodeInfo(Opcode.EVENT_SEMAPHORE_RANGE_CLEAR, "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(Opcode.SET_ORDERING_MODE, "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(Opcode.MOVE_SHAPE, "cccc", "nn??", "yyyy", "CTRL", "SEQ", "register"),
        OpcodeInfo(Opcode.POLL_SEM, "cccc", "nn??", "yyyy", "CTRL", "SEQ", "register"),
        OpcodeInfo(Opcode.TEST_EVENT_SEM, "--cc", "nn??", "nnyy", "CTRL", "SEQ", "register"),
        OpcodeInfo(Opcode.BRANCH_PREFETCH_HINT, "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(Opcode.COMPACT_CONTROL_INST, "---c", "nn??", "nnn?", None, "SEQ", "register"),
        OpcodeInfo(Opcode.DMAMEMCPY, "OOOO", "nn??", "yyyy", "DMA", "SEQ DMA"),
        OpcodeInfo(Opcode.DMA_MEMCPY2, "---O", "nn??", "nnny", "DMA", "SEQ DMA"),
        OpcodeInfo(Opcode.DMA_IMMEDIATE, "---O", "nn??", "nnny", "DMA", "SEQ DMA"),
        OpcodeInfo(Opcode.DMA_INDIRECT, "OOOO", "nn??", "yyyy", "DMA_INDIRECT1D", "SEQ DMA"),
        OpcodeInfo(Opcode.RANGE_SELECT, "-xxx", "ny??", "nyyy", "S2D2_RS", "DVE"),
        OpcodeInfo(Opcode.DMA_TRANSPOSE, "-OOO", "nn??", "nyyy", "DMA", "SEQ DMA"),
        OpcodeInfo(Opcode.GET_SEQUENCE_BOUNDS, "-OOO", "nn??", "nyyy", "S3D3_SEQ_BOUNDS", "POOL"),
        OpcodeInfo(Opcode.SB2SB_COLLECTIVE, "-OOO", "nn??", "nyyy", "S3D3_COLLECTIVE", "POOL"),
        OpcodeInfo(Opcode.PSEUDO_DMATRIGGER, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_DMAREARM, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_DMABARRIER, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_DMAMEMCPY_FULL_IND, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_SEMAPHORE_SET, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_LOAD_ACT_FUNC_SET, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_TRIGGER_ALL_REDUCE, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_TRIGGER_COLLECTIVE, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_READ_VAR_ADDR, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_EMBEDDING_UPDATE, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_SEND_RECV, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_BRANCH_LABEL, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_TENSOR_STORE, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_TENSOR_LOAD, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_DMASWAP_QUEUE_SET, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_SET_RNG_SEED, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_FUNCTION_BEGIN, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_FUNCTION_RETURN, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_FUNCTION_CALL, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_DMA_DIRECT2D, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_SYNC_BARRIER, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_RANGE_CHECK, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_JPEG_DECODE, "-PPP", "nn??", "n???", None, ""),
        OpcodeInfo(Opcode.PSEUDO_CORE_BARRIER, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_TRIGGER_COLLECTIVE2, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_EXTENSION, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_CUR_PROCESSING_RANK_ID, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_GID_LOAD, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_BRANCH_PREFETCH_HINT, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_TENSOR_COMPLETION, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.PSEUDO_INST, "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(Opcode.SPARSITY_COMPRESS, "--xx", "nn??", "nnyy", "S3D3_SC", "DVE"),
        OpcodeInfo(Opcode.SPARSITY_COMPRESS_TAG, "--xx", "nn??", "nnyy", "S2D2D2_SC", "DVE"),
        OpcodeInfo(Opcode.RAND2, "--xx", "nn??", "nnyy", "D3_RAND", "DVE"),
        OpcodeInfo(Opcode.QUANTIZE_MX, "--xx", "nn??", "nnyy", "S3DMX1_QUANT", "DVE"),
        OpcodeInfo(Opcode.CONV_LUT_LOAD, "-OOO", "nn??", "nyyy", "S2_CONVLUT", "POOL"),
        OpcodeInfo(Opcode.TENSOR_TENSOR_SCAN_ARITH, "xxxx", "yy??", "yyyy", "S2S2D2_STT", "DVE"),
        OpcodeInfo(Opcode.TENSOR_SCALAR_CACHE_CUMULATIVE, "xxxx", "ny??", "yyyy", "S3D3_TS", "DVE"),
        OpcodeInfo(Opcode.INDIRECT_COPY, "OOOO", "nn??", "yyyy", "S4D4_IC", "POOL"),
        OpcodeInfo(Opcode.COPY_PREDICATED_SCALAR, "xxxx", "yy??", "yyyy", "S3D3_CP_PRED_SCALAR", "DVE"),
        OpcodeInfo(Opcode.DVE_READ_INDICES, "-xxx", "ny??", "nyyy", "D4_MR", "DVE"),
        OpcodeInfo(Opcode.SELECT_REDUCE, "xxxx", "yy??", "yyyy", "S2S2D2_STT", "DVE"),
        OpcodeInfo(Opcode.EXTENDED_INST, "OOOO", "yy??", "????", None, "POOL"),
        OpcodeInfo(Opcode.DMA_GATHER_TRANSPOSE, "-OOO", "yn??", "nyyy", "DMA", "POOL DMA"),
        OpcodeInfo(Opcode.NONZERO_WITH_COUNT, "-OOO", "yn??", "nyyy", "S3D3_NONZERO_WITH_COUNT", "POOL"),
        OpcodeInfo(Opcode.TENSOR_TENSOR_INT_WIDE, "---O", "nn??", "nnny", "S2S2D2D2_TT", "POOL"),
        OpcodeInfo(Opcode.TENSOR_SCALAR_INT_WIDE, "---o", "nn??", "nnny", "S2D2D2_TS_WIDE", "DVE"),
        OpcodeInfo(Opcode.INVALID, "IIII", "nn??", "????", None, ""),
    )
}


# which id a verdict or run on an opcode names: header and shipped decode tables disagree on it (isa/06 section 4.5)
ROSTER_ASSUMPTIONS = {
    "SUNDA": (
        "sunda-dve-roster",
        frozenset((0x4F, 0x5F, 0x60, 0x70, 0x71, 0x8A, 0x8B, 0x8F, 0x98, 0x9A, 0x9B, 0xE6, 0xF0)),
    ),
    "CAYMAN": ("cayman-dve-roster", frozenset((0x94, 0xF0))),
}

OPCODE_ASSUMPTIONS = {  # opcodes whose very execution is an open question
    0x4F: "stub-opcodes",
    0x58: "max-pool-select-on-dve",
    0x5F: "stub-opcodes",
    0x70: "stub-opcodes",
    0x71: "stub-opcodes",
    0x8A: "sunda-bf16-engine",
    0x8B: "sunda-bf16-engine",
    0x8F: "sunda-bf16-engine",
    0xF4: "int-wide-on-dve",
}

# the answer to such a question that takes the opcode from the engine -> leaf of instruction_engine_check
REFUSED_UNDER = {
    ("int-wide-on-dve", "bad-opcode"): "not_dispatched",
    ("sunda-bf16-engine", "pool"): "other_engine",
}


def roster_assumption(code: int, generation: Generation) -> str | None:
    """The roster question that a verdict on `code` depends on, if any."""
    identifier, codes = ROSTER_ASSUMPTIONS.get(generation.name, ("", frozenset()))
    return identifier if code in codes else None


def members(generation: Generation) -> frozenset[int]:
    """All opcode bytes that are enumerators of `generation`."""
    return frozenset(c for c, info in CATALOG.items() if info.is_member(generation))


MEMBERS = {generation: members(generation) for generation in GENERATIONS}
