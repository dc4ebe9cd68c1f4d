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

`tables` says whether the default decode tables shipped with programs list it (y, n, or ? where no program was seen), `bound` whether the
generation binds it to `struct` (? where no struct is known). Both matter only where an assumption asks for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from .generation import GENERATIONS, Generation

LEAVES = {"P": "pseudo_instruction", "O": "other_engine", "N": "not_dispatched", "I": "invalid_opcode"}


@dataclass(frozen=True)
class OpcodeInfo:
    """One row of the catalogue."""

    code: int
    name: str
    roles: str
    tables: str
    bound: str
    struct: str | None
    engines: str
    control: str | None = None  # step, halt, register: what a run does with a control record
    note: str = field(default="", compare=False)

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


CATALOG = {
    info.code: info
    for info in (
        OpcodeInfo(0x01, "LDWEIGHTS", "OOOO", "nn??", "yyyy", "S3_LW", "PE"),
        OpcodeInfo(0x02, "MATMUL", "OOOO", "nn??", "yyyy", "S3_MM", "PE"),
        OpcodeInfo(0x03, "PE_REG_WRITE", "OOOO", "nn??", "????", None, "PE"),
        OpcodeInfo(0x04, "WEIGHT_MASK", "OOOO", "nn??", "????", None, "PE"),
        OpcodeInfo(0x05, "WEIGHT_SHIFT", "OOOO", "nn??", "????", None, "PE"),
        OpcodeInfo(0x06, "LDTAGS", "-OOO", "nn??", "nyyy", "S3_LT", "PE"),
        OpcodeInfo(0x07, "MATMUL_SPARSE", "-OOO", "nn??", "nyyy", "S4D3_MM", "PE"),
        OpcodeInfo(0x08, "PE_MANAGE_SEED", "--OO", "nn??", "nnyy", "S2S1D2_PE_SEED", "PE"),
        OpcodeInfo(0x09, "LDWEIGHTS_MX", "--OO", "nn??", "nnyy", "SMX1_LW", "PE"),
        OpcodeInfo(0x0A, "MATMUL_MX", "--OO", "nn??", "nnyy", "SMX1D3_MM", "PE"),
        OpcodeInfo(0x21, "ACTIVATE", "OOOO", "nn??", "yyyy", "S3D3_AC", "ACT"),
        OpcodeInfo(0x22, "ACTIVATE_QUANTIZE", "OOOO", "nn??", "yyyy", "S3D3_AQ", "ACT"),
        OpcodeInfo(0x23, "ACTIVATION_TABLE_LOAD", "OOOo", "nn??", "yyyy", "CTRL_NO", "ACT DVE"),
        OpcodeInfo(0x24, "ACTIVATION_READ_ACCUMULATOR", "OOOO", "nn??", "yyyy", "D1_RD", "ACT"),
        OpcodeInfo(0x25, "ACTIVATE2", "--Oo", "nn??", "nnyy", "S2D2_AC", "ACT DVE"),
        OpcodeInfo(0x26, "ACTIVATE_MULTIPASS", "---N", "nn??", "nnny", "S1S2D2_AM", ""),
        OpcodeInfo(0x30, "EXPONENTIAL", "NNxx", "nn??", "nnyy", "S3D3_TS", "DVE"),
        OpcodeInfo(0x41, "TENSOR_TENSOR_ARITH_OP", "xxxx", "yy??", "yyyy", "S3S3D3_TT", "POOL DVE"),
        OpcodeInfo(0x42, "TENSOR_REDUCE_ARITH_OP", "xxxx", "yy??", "yyyy", "S4D4_TR", "POOL DVE"),
        OpcodeInfo(0x43, "TENSOR_SCALAR_ARITH_OP", "xxxx", "yy??", "yyyy", "S3D3_TS", "ACT POOL DVE"),
        OpcodeInfo(0x44, "TENSOR_SCALAR_PTR_ARITH_OP", "xxxx", "yy??", "yyyy", "S3D3_TS", "POOL DVE"),
        OpcodeInfo(0x45, "POOL", "xxxx", "yy??", "yyyy", "S4D4_PL", "POOL DVE"),
        OpcodeInfo(0x46, "COPY", "xxxx", "yy??", "yyyy", "S4D4_TR", "ACT POOL DVE"),
        OpcodeInfo(0x47, "CAST", "xxxx", "yy??", "yyyy", "S4D4_TR", "ACT POOL DVE"),
        OpcodeInfo(0x48, "RECIPROCAL", "xxxx", "yy??", "yyyy", "S4D4_TR", "DVE"),
        OpcodeInfo(0x49, "MEMSET", "xxxx", "yy??", "yyyy", "D4_MR", "POOL DVE"),
        OpcodeInfo(0x4A, "REG_LOAD", "NNNN", "nn??", "????", None, ""),
        OpcodeInfo(0x4B, "REG_STORE", "NNNN", "nn??", "yyyy", "D4_MR", ""),
        OpcodeInfo(0x4C, "REG_SHUFFLE", "NNNN", "nn??", "????", None, ""),
        OpcodeInfo(0x4D, "RNG", "xxxx", "yy??", "yyyy", "D4_MR", "POOL DVE"),
        OpcodeInfo(0x4E, "TENSOR_CUMULATIVE_ARITH_OP", "xxxx", "yy??", "yyyy", "S4D4_TR", "DVE"),
        OpcodeInfo(0x4F, "TENSOR_SCALAR_PTR_MULTI_ARITH", "wwww", "ny??", "yyyy", "S4D4_TSM", "DVE"),
        OpcodeInfo(0x51, "TENSOR_TENSOR_BITVEC_OP", "xxxx", "yy??", "yyyy", "S3S3D3_TT", "POOL DVE"),
        OpcodeInfo(0x52, "TENSOR_REDUCE_BITVEC_OP", "xxxx", "yy??", "yyyy", "S4D4_TR", "POOL DVE"),
        OpcodeInfo(0x53, "TENSOR_SCALAR_BITVEC_OP", "xxxx", "yy??", "yyyy", "S3D3_TS", "POOL DVE"),
        OpcodeInfo(0x54, "TENSOR_SCALAR_PTR_BITVEC_OP", "xxxx", "yy??", "yyyy", "S3D3_TS", "POOL DVE"),
        OpcodeInfo(0x58, "MAX_POOL_SELECT", "xxxx", "yy??", "yyyy", "S4D4_PL", "POOL DVE"),
        OpcodeInfo(0x5E, "TENSOR_CUMULATIVE_BITVEC_OP", "xxxx", "yy??", "yyyy", "S4D4_TR", "DVE"),
        OpcodeInfo(0x5F, "TENSOR_SCALAR_PTR_MULTI_BITVEC", "wwww", "ny??", "yyyy", "S4D4_TSM", "DVE"),
        OpcodeInfo(0x60, "BATCH_NORM_STATS", "xxxx", "ny??", "yyyy", "S4D2_BN", "DVE"),
        OpcodeInfo(0x61, "BATCH_NORM_STATS2", "xxxx", "yy??", "yyyy", "S4D2_BN", "DVE"),
        OpcodeInfo(0x62, "BATCH_NORM_AGGREGATE", "xxxx", "yy??", "yyyy", "S4D2_BN", "DVE"),
        OpcodeInfo(0x63, "BATCH_NORM_GRAD_ACCUMULATE", "xxxx", "yy??", "yyyy", "S3S3D1_BN", "DVE"),
        OpcodeInfo(0x64, "BATCH_NORM_PARAM_LOAD", "xxxx", "yy??", "yyyy", "S2_BN", "DVE"),
        OpcodeInfo(0x65, "BATCH_NORM_BACK_PROP", "xxxx", "yy??", "yyyy", "S3S3D3_TT", "DVE"),
        OpcodeInfo(0x66, "LOAD_PARAMETER_RAM", "xxxx", "yy??", "yyyy", "CTRL_IM", "DVE"),
        OpcodeInfo(0x67, "POOL_BUFFER_LOAD", "OOOO", "nn??", "yyyy", "S4_PB", "POOL"),
        OpcodeInfo(0x68, "GATHER", "OOOO", "nn??", "yyyy", "S4D4_GT", "POOL"),
        OpcodeInfo(0x69, "LOAD_MASK_SELECT", "xxxx", "yy??", "yyyy", "CTRL_IM", "DVE"),
        OpcodeInfo(0x6A, "STREAM_SHUFFLE", "xxxx", "yy??", "yyyy", "S4D4_TR", "DVE"),
        OpcodeInfo(0x6B, "STREAM_TRANSPOSE", "xxxx", "yy??", "yyyy", "S4D4_TR", "DVE"),
        OpcodeInfo(0x6C, "MAX8", "xxxx", "yy??", "yyyy", "S4D2_BN", "DVE"),
        OpcodeInfo(0x6D, "MATCH_VALUE_LOAD", "xxxx", "yy??", "yyyy", "S2_BN", "DVE"),
        OpcodeInfo(0x6E, "FIND_INDEX8", "xxxx", "yy??", "yyyy", "S4D2_BN", "DVE"),
        OpcodeInfo(0x6F, "MATCH_REPLACE8", "xxxx", "yy??", "yyyy", "S4D4_MR", "DVE"),
        OpcodeInfo(0x70, "TENSOR_SCALAR_IMM_LD_ARITH", "wwww", "ny??", "yyyy", "S2_BN", "DVE"),
        OpcodeInfo(0x71, "TENSOR_SCALAR_IMM_LD_BITVEC", "wwww", "ny??", "yyyy", "S2_BN", "DVE"),
        OpcodeInfo(0x72, "COPY_PREDICATED", "xxxx", "yy??", "yyyy", "S3S3D3_TT", "DVE"),
        OpcodeInfo(0x73, "ROI_ALIGN", "NNNN", "nn??", "yyyy", "S2S2D3_ROI", ""),
        OpcodeInfo(0x74, "TENSOR_SCALAR_ADDR", "OOOO", "nn??", "yyyy", "S2D2_ADDR", "POOL"),
        OpcodeInfo(0x76, "RAND", "NNNN", "nn??", "yyyy", "D4_RAND", ""),
        OpcodeInfo(0x77, "RAND_GET_STATE", "OOxx", "nn??", "yyyy", "D4_RAND", "ACT POOL DVE"),
        OpcodeInfo(0x78, "RAND_SET_STATE", "OOxx", "nn??", "yyyy", "S1_RAND", "ACT POOL DVE"),
        OpcodeInfo(0x79, "EMBEDDING_UPDATE", "OOOO", "nn??", "????", None, "POOL"),
        OpcodeInfo(0x7A, "LOAD_POOL_ARGUMENT", "OOOO", "nn??", "yyyy", "CTRL_IM", "POOL"),
        OpcodeInfo(0x7B, "TENSOR_DEQUANTIZE", "OOOO", "nn??", "nyyy", "S3D3_TENS_DEQUANT", "POOL"),
        OpcodeInfo(0x7C, "CROSS_LANE_REDUCE_ARITH", "OOOO", "nn??", "yyyy", "S4D4_CR", "POOL"),
        OpcodeInfo(0x7D, "CROSS_LANE_REDUCE_BITVEC", "OOOO", "nn??", "yyyy", "S4D4_CR", "POOL"),
        OpcodeInfo(0x7E, "IOTA", "OOOO", "nn??", "yyyy", "D4_IOTA", "POOL"),
        OpcodeInfo(0x7F, "DROPOUT", "xxxx", "yy??", "yyyy", "S3D3_DROPOUT", "DVE"),
        OpcodeInfo(0x81, "JPEG_DECODE", "-NNN", "nn??", "n???", None, ""),
        OpcodeInfo(0x82, "TRANSPOSE_BATCH_NORM_STATS2", "xxxx", "yy??", "yyyy", "S4D2_BN", "DVE"),
        OpcodeInfo(0x83, "TRANSPOSE_TENSOR_REDUCE_ARITH_OP", "xxxx", "yy??", "yyyy", "S4D4_TR", "DVE"),
        OpcodeInfo(0x84, "TRANSPOSE_TENSOR_REDUCE_BITVEC_OP", "xxxx", "yy??", "yyyy", "S4D4_TR", "DVE"),
        OpcodeInfo(0x85, "CUSTOM_OP_HEADER", "OOOO", "nn??", "ynnn", "CUSTOM_OP_HEADER", "POOL"),
        OpcodeInfo(0x86, "CUSTOM_OP_PAYLOAD", "OOOO", "nn??", "ynnn", "CUSTOM_OP_PAYLOAD", "POOL"),
        OpcodeInfo(0x87, "TENSOR_SCALAR_PTR_MULTI_DUAL_ARITH", "N---", "nn??", "ynnn", "S4D4_TSM", ""),
        OpcodeInfo(0x88, "TENSOR_SCALAR_PTR_MULTI_DUAL_BITVEC", "N---", "nn??", "ynnn", "S4D4_TSM", ""),
        OpcodeInfo(0x8A, "TENSOR_TENSOR_ADD_BF16", "x---", "nn??", "ynnn", "S3S3D3_TT", "POOL DVE"),
        OpcodeInfo(0x8B, "TENSOR_TENSOR_MULT_BF16", "x---", "nn??", "ynnn", "S3S3D3_TT", "POOL DVE"),
        OpcodeInfo(0x8C, "TENSOR_REDUCE_ADD_BF16", "x---", "yn??", "ynnn", "S4D4_TR", "DVE"),
        OpcodeInfo(0x8D, "TENSOR_REDUCE_MAX_BF16", "x---", "yn??", "ynnn", "S4D4_TR", "DVE"),
        OpcodeInfo(0x8E, "BATCH_NORM_PARAM_LOAD2", "xxxx", "yy??", "yyyy", "S2_BNPL2", "DVE"),
        OpcodeInfo(0x8F, "TENSOR_TENSOR_SUB_BF16", "x---", "nn??", "ynnn", "S3S3D3_TT", "POOL DVE"),
        OpcodeInfo(0x92, "TENSOR_SCALAR_AFFINE_SELECT", "OOOO", "nn??", "yyyy", "S2D2_TS_AS", "POOL"),
        OpcodeInfo(0x93, "TRANSPOSE_TENSOR_SCALAR_ARITH_OP", "xxxx", "yy??", "yyyy", "S3D3_TS", "DVE"),
        OpcodeInfo(0x94, "BATCH_NORM_GRAD_ACCUMULATE2", "xxxx", "yn??", "yyyy", "S3S3D1_BN2", "DVE"),
        OpcodeInfo(0x95, "MODIFY_POOL_CONFIG", "OOOO", "nn??", "yyyy", "MODIFY_POOL_CONFIG", "POOL"),
        OpcodeInfo(0x96, "SORT", "OOOO", "nn??", "yyyy", "S1D2_SORT", "POOL"),
        OpcodeInfo(0x98, "TENSOR_SCALAR_SELECT", "xxxx", "ny??", "yyyy", "S3D3_TS_SELECT", "DVE"),
        OpcodeInfo(0x99, "CAST_PREDICATED", "xxxx", "yy??", "yyyy", "S3S3D3_TT", "DVE"),
        OpcodeInfo(0x9A, "TENSOR_SCALAR_CACHE_REDUCE", "xxxx", "ny??", "yyyy", "S3D3_TS", "DVE"),
        OpcodeInfo(0x9B, "DVE_READ_ACCUMULATOR", "xxxx", "ny??", "yyyy", "D1_RD", "DVE"),
        OpcodeInfo(0x9C, "TENSOR_REDUCE_RANGE_CHECK", "NNNN", "nn??", "????", None, ""),
        OpcodeInfo(0x9D, "SCALAR_TENSOR_TENSOR_ARITH", "xxxx", "yy??", "yyyy", "S2S2D2_STT", "DVE"),
        OpcodeInfo(0x9E, "SCALAR_TENSOR_TENSOR_BITVEC", "xxxx", "yy??", "yyyy", "S2S2D2_STT", "DVE"),
        OpcodeInfo(0x9F, "ENGINE_NOP", "cccc", "yn??", "yyyy", "CTRL_IM", "POOL DVE SEQ", "step"),
        OpcodeInfo(0xA0, "EVENT_SEMAPHORE", "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(0xA1, "HALT", "cccc", "nn??", "yyyy", "CTRL", "SEQ", "halt"),
        OpcodeInfo(0xA2, "DRAIN", "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(0xA3, "INSTRUCTION_FLUSH", "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(0xA4, "NOP", "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(0xA5, "WRITE", "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(0xA6, "NOTIFY", "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(0xA7, "MOVE", "cccc", "nn??", "yyyy", "MOVE", "SEQ", "register"),
        OpcodeInfo(0xA8, "ALU_OP", "cccc", "nn??", "????", None, "SEQ", "register"),
        OpcodeInfo(0xA9, "COMPARE_BRANCH", "cccc", "nn??", "????", None, "SEQ", "register"),
        OpcodeInfo(0xAA, "TENSOR_LOAD", "cccc", "nn??", "????", None, "SEQ", "register"),
        OpcodeInfo(0xAB, "TENSOR_STORE", "cccc", "nn??", "????", None, "SEQ", "register"),
        OpcodeInfo(0xB0, "EVENT_SEMAPHORE_RANGE_CLEAR", "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(0xB1, "SET_ORDERING_MODE", "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(0xB2, "MOVE_SHAPE", "cccc", "nn??", "yyyy", "CTRL", "SEQ", "register"),
        OpcodeInfo(0xB3, "POLL_SEM", "cccc", "nn??", "yyyy", "CTRL", "SEQ", "register"),
        OpcodeInfo(0xB4, "TEST_EVENT_SEM", "--cc", "nn??", "nnyy", "CTRL", "SEQ", "register"),
        OpcodeInfo(0xB5, "BRANCH_PREFETCH_HINT", "cccc", "nn??", "yyyy", "CTRL", "SEQ", "step"),
        OpcodeInfo(0xB6, "COMPACT_CONTROL_INST", "---c", "nn??", "nnn?", None, "SEQ", "register"),
        OpcodeInfo(0xB8, "DMAMEMCPY", "OOOO", "nn??", "yyyy", "DMA", "SEQ DMA"),
        OpcodeInfo(0xB9, "DMA_MEMCPY2", "---O", "nn??", "nnny", "DMA", "SEQ DMA"),
        OpcodeInfo(0xBA, "DMA_IMMEDIATE", "---O", "nn??", "nnny", "DMA", "SEQ DMA"),
        OpcodeInfo(0xBB, "DMA_INDIRECT", "OOOO", "nn??", "yyyy", "DMA_INDIRECT1D", "SEQ DMA"),
        OpcodeInfo(0xBC, "RANGE_SELECT", "-xxx", "ny??", "nyyy", "S2D2_RS", "DVE"),
        OpcodeInfo(0xBD, "DMA_TRANSPOSE", "-OOO", "nn??", "nyyy", "DMA", "SEQ DMA"),
        OpcodeInfo(0xBE, "GET_SEQUENCE_BOUNDS", "-OOO", "nn??", "nyyy", "S3D3_SEQ_BOUNDS", "POOL"),
        OpcodeInfo(0xBF, "SB2SB_COLLECTIVE", "-OOO", "nn??", "nyyy", "S3D3_COLLECTIVE", "POOL"),
        OpcodeInfo(0xC1, "PSEUDO_DMATRIGGER", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xC2, "PSEUDO_DMAREARM", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xC3, "PSEUDO_DMABARRIER", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xC4, "PSEUDO_DMAMEMCPY_FULL_IND", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xC5, "PSEUDO_SEMAPHORE_SET", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xC6, "PSEUDO_LOAD_ACT_FUNC_SET", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xC7, "PSEUDO_TRIGGER_ALL_REDUCE", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xC8, "PSEUDO_TRIGGER_COLLECTIVE", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xC9, "PSEUDO_READ_VAR_ADDR", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xCA, "PSEUDO_EMBEDDING_UPDATE", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xCB, "PSEUDO_SEND_RECV", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xCC, "PSEUDO_BRANCH_LABEL", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xCD, "PSEUDO_TENSOR_STORE", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xCE, "PSEUDO_TENSOR_LOAD", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xCF, "PSEUDO_DMASWAP_QUEUE_SET", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xD0, "PSEUDO_SET_RNG_SEED", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xD1, "PSEUDO_FUNCTION_BEGIN", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xD2, "PSEUDO_FUNCTION_RETURN", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xD3, "PSEUDO_FUNCTION_CALL", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xD4, "PSEUDO_DMA_DIRECT2D", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xD5, "PSEUDO_SYNC_BARRIER", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xD6, "PSEUDO_RANGE_CHECK", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xD7, "PSEUDO_JPEG_DECODE", "-PPP", "nn??", "n???", None, ""),
        OpcodeInfo(0xD8, "PSEUDO_CORE_BARRIER", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xD9, "PSEUDO_TRIGGER_COLLECTIVE2", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xDA, "PSEUDO_EXTENSION", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xDB, "PSEUDO_CUR_PROCESSING_RANK_ID", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xDC, "PSEUDO_GID_LOAD", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xDD, "PSEUDO_BRANCH_PREFETCH_HINT", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xDE, "PSEUDO_TENSOR_COMPLETION", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xDF, "PSEUDO_INST", "PPPP", "nn??", "????", None, ""),
        OpcodeInfo(0xE0, "SPARSITY_COMPRESS", "--xx", "nn??", "nnyy", "S3D3_SC", "DVE"),
        OpcodeInfo(0xE1, "SPARSITY_COMPRESS_TAG", "--xx", "nn??", "nnyy", "S2D2D2_SC", "DVE"),
        OpcodeInfo(0xE2, "RAND2", "--xx", "nn??", "nnyy", "D3_RAND", "DVE"),
        OpcodeInfo(0xE3, "QUANTIZE_MX", "--xx", "nn??", "nnyy", "S3DMX1_QUANT", "DVE"),
        OpcodeInfo(0xE4, "CONV_LUT_LOAD", "-OOO", "nn??", "nyyy", "S2_CONVLUT", "POOL"),
        OpcodeInfo(0xE5, "TENSOR_TENSOR_SCAN_ARITH", "xxxx", "yy??", "yyyy", "S2S2D2_STT", "DVE"),
        OpcodeInfo(0xE6, "TENSOR_SCALAR_CACHE_CUMULATIVE", "xxxx", "ny??", "yyyy", "S3D3_TS", "DVE"),
        OpcodeInfo(0xE7, "INDIRECT_COPY", "OOOO", "nn??", "yyyy", "S4D4_IC", "POOL"),
        OpcodeInfo(0xE8, "COPY_PREDICATED_SCALAR", "xxxx", "yy??", "yyyy", "S3D3_CP_PRED_SCALAR", "DVE"),
        OpcodeInfo(0xE9, "DVE_READ_INDICES", "-xxx", "ny??", "nyyy", "D4_MR", "DVE"),
        OpcodeInfo(0xEA, "SELECT_REDUCE", "xxxx", "yy??", "yyyy", "S2S2D2_STT", "DVE"),
        OpcodeInfo(0xF0, "EXTENDED_INST", "OOOO", "yy??", "????", None, "POOL"),
        OpcodeInfo(0xF1, "DMA_GATHER_TRANSPOSE", "-OOO", "yn??", "nyyy", "DMA", "POOL DMA"),
        OpcodeInfo(0xF2, "NONZERO_WITH_COUNT", "-OOO", "yn??", "nyyy", "S3D3_NONZERO_WITH_COUNT", "POOL"),
        OpcodeInfo(0xF3, "TENSOR_TENSOR_INT_WIDE", "---O", "nn??", "nnny", "S2S2D2D2_TT", "POOL"),
        OpcodeInfo(0xF4, "TENSOR_SCALAR_INT_WIDE", "---o", "nn??", "nnny", "S2D2D2_TS_WIDE", "DVE"),
        OpcodeInfo(0xFF, "INVALID", "IIII", "nn??", "????", None, ""),
    )
}

Opcode = IntEnum("Opcode", {info.name: info.code for info in CATALOG.values()})  # type: ignore[misc]

ROSTER_ASSUMPTIONS = {  # which id a verdict or run on an opcode names: header and shipped decode tables disagree on it (isa/06 section 4.5)

    "SUNDA": ("sunda-dve-roster", frozenset((0x4F, 0x5F, 0x60, 0x70, 0x71, 0x8A, 0x8B, 0x8F, 0x98, 0x9A, 0x9B, 0xE6, 0xF0))),
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


def roster_assumption(code: int, generation: Generation) -> str | None:
    """The roster question that a verdict on `code` depends on, if any."""
    identifier, codes = ROSTER_ASSUMPTIONS.get(generation.name, ("", frozenset()))
    return identifier if code in codes else None


def members(generation: Generation) -> frozenset[int]:
    """All opcode bytes that are enumerators of `generation`."""
    return frozenset(c for c, info in CATALOG.items() if info.is_member(generation))


MEMBERS = {generation: members(generation) for generation in GENERATIONS}
