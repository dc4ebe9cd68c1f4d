"""Open questions: records, header, events, opcodes.

Source: isa/00 section 1.
"""

from __future__ import annotations

from .model import Assumption

ROWS = (
    Assumption(
        id="maverick-inst-flags-byte",
        question="Which byte of the 4-byte header holds `inst_flags`?",
        alternatives=("byte-3", "byte-2"),
        default="byte-3",
        confidence="L",
        evidence=(
            "S000 and S003 show the member is read by the channel check; its place is nowhere printed; byte 3 is "
            "the old debug_hint slot (01 §1.3)"
        ),
        generations="MAVERICK",
    ),
    Assumption(
        id="maverick-tile-range",
        question="What does `has_valid_active_channel_range_with_tile` do when the flags are not 0?",
        alternatives=("zero-only", "ignore-flags", "share-of-128"),
        default="zero-only",
        confidence="L",
        evidence=(
            'S000: name and arguments only; 0 must mean no tile, anything else is answered "not modelled" (01 §9.1)'
        ),
        generations="MAVERICK",
    ),
    Assumption(
        id="event-modes",
        question="Which event modes and pairs are legal beyond the printed codes?",
        alternatives=("inferred-codes-all-pairs", "printed-codes-only"),
        default="inferred-codes-all-pairs",
        confidence="L",
        evidence=(
            "register-operand codes are inferred from gaps, 0xFE UNORDERED has one source, and only the name of the "
            "combined check is known; compiled streams hold waits 0 and 5 with updates 0 and 19 in all four pairs; "
            "events never change data (01 §1.4, 09 §9)"
        ),
    ),
    Assumption(
        id="quantize-mx-length-byte",
        question="Byte 1 of QUANTIZE_MX: is 0x11 legal, and does its bit 0 switch saturation?",
        alternatives=("accept-always-saturate", "accept-follow-flag", "only-0x10"),
        default="accept-always-saturate",
        confidence="L",
        evidence=(
            "the encoder sets bit 0 of the length byte as a saturate flag, the header rule wants 0x10 (01 §1.3); "
            "device arithmetic is described as saturating (06 §7.5)"
        ),
        instructions="QUANTIZE_MX",
        generations="MARIANA MAVERICK",
    ),
    Assumption(
        id="sunda-dve-roster",
        question=(
            "Does the header or the decode tables shipped with programs decide which opcodes the SUNDA DVE takes?"
        ),
        alternatives=("header", "default-tables"),
        default="header",
        confidence="L",
        evidence=(
            "header-legal (enum member, DVE struct, validator) but without an entry in SUNDA's default decode "
            "tables: 4F 5F 60 70 71 8A 8B 8F 98 9A 9B E6; F0 has one; other table sets may exist, and EA got its "
            "entry with a later compiler (06 §4.5, 09 §8)"
        ),
        instructions=(
            "TENSOR_SCALAR_PTR_MULTI_ARITH TENSOR_SCALAR_PTR_MULTI_BITVEC BATCH_NORM_STATS "
            "TENSOR_SCALAR_IMM_LD_ARITH TENSOR_SCALAR_IMM_LD_BITVEC TENSOR_TENSOR_ADD_BF16 TENSOR_TENSOR_MULT_BF16 "
            "TENSOR_TENSOR_SUB_BF16 TENSOR_SCALAR_SELECT TENSOR_SCALAR_CACHE_REDUCE DVE_READ_ACCUMULATOR "
            "TENSOR_SCALAR_CACHE_CUMULATIVE EXTENDED_INST"
        ),
        generations="SUNDA",
    ),
    Assumption(
        id="cayman-dve-roster",
        question="The same on CAYMAN",
        alternatives=("header", "default-tables"),
        default="header",
        confidence="M",
        evidence=(
            "0x94 has a handler in the CAYMAN image but no entry in the default decode table of compiled programs; "
            "F0 has an entry, though its meaning belongs to POOL (06 §4.5, 09 §8)"
        ),
        instructions="BATCH_NORM_GRAD_ACCUMULATE2 EXTENDED_INST",
        generations="CAYMAN",
    ),
    Assumption(
        id="stub-opcodes",
        question="What do 0x4F, 0x5F, 0x70, 0x71 do, whose firmware workers only log?",
        alternatives=("not-wired", "documented-loop"),
        default="not-wired",
        confidence="H",
        evidence="public arch-isa notes, pages TensorScalarImmLd and TensorScalarPtrMulti",
        instructions=(
            "TENSOR_SCALAR_PTR_MULTI_ARITH TENSOR_SCALAR_PTR_MULTI_BITVEC TENSOR_SCALAR_IMM_LD_ARITH "
            "TENSOR_SCALAR_IMM_LD_BITVEC"
        ),
    ),
    Assumption(
        id="max-pool-select-on-dve",
        question="Does the DVE execute 0x58 MAX_POOL_SELECT?",
        alternatives=("execute", "not-wired"),
        default="execute",
        confidence="M",
        evidence=(
            "in the DVE decode tables shipped with SUNDA and CAYMAN programs, armed in MAVERICK's, counted among "
            "CAYMAN's slots; otherwise named for POOL, and decoded is not executed (05 §12, 06 §8.4, 09 §8)"
        ),
        instructions="MAX_POOL_SELECT",
    ),
    Assumption(
        id="int-wide-on-dve",
        question="Is 0xF4 reachable on the DVE?",
        alternatives=("model-behind-flag", "bad-opcode"),
        default="model-behind-flag",
        confidence="L",
        evidence=(
            "header contract uses the DVE channel constant, but the code lies outside the firmware table and has no "
            "handler name (06 §4.4)"
        ),
        instructions="TENSOR_SCALAR_INT_WIDE",
        generations="MAVERICK",
    ),
    Assumption(
        id="sunda-bf16-engine",
        question="Who runs SUNDA's packed-BF16 forms 0x8A, 0x8B, 0x8F?",
        alternatives=("dve", "pool"),
        default="dve",
        confidence="L",
        evidence=(
            "page attribution to POOL is by analogy and the twice-rate mode is a Vector feature; but the DVE's "
            "default decode tables list only their reducing siblings 0x8C and 0x8D, whose engine is thereby settled "
            "(06 §8.8, 09 §8)"
        ),
        instructions="TENSOR_TENSOR_ADD_BF16 TENSOR_TENSOR_MULT_BF16 TENSOR_TENSOR_SUB_BF16",
        generations="SUNDA",
    ),
    Assumption(
        id="control-record-body",
        question="Bytes of a control record that no source describes (0xA0: 12-31, 40-63; 0xA4, 0xB1: 12-63)",
        alternatives=("ignored", "must-be-zero"),
        default="ignored",
        confidence="L",
        evidence="zero in all compiled records of the three opcodes; no validator for them is known (06 §9.2)",
        instructions="EVENT_SEMAPHORE NOP SET_ORDERING_MODE",
    ),
    Assumption(
        id="control-waits",
        question="What happens to the waits and updates of records?",
        alternatives=("trace-only", "local-counters"),
        default="trace-only",
        confidence="H",
        evidence="events never change data; the engines that would satisfy a wait are not part of the run (06 §9.3)",
    ),
    Assumption(
        id="control-halt",
        question="What does 0xA1 HALT do to a run?",
        alternatives=("ends-run", "ignored"),
        default="ends-run",
        confidence="M",
        evidence="name and shared handler only; no compiled stream holds one (06 §9.1)",
        instructions="HALT",
    ),
    Assumption(
        id="control-register-ops",
        question="What does a run do at a control record that works on registers, branches or memory?",
        alternatives=("not-modelled", "skip"),
        default="not-modelled",
        confidence="H",
        evidence=(
            "legal in every queue, but no source gives the operands in full; skipping would leave registers and the "
            "program counter wrong (06 §9.1)"
        ),
        instructions=(
            "MOVE ALU_OP COMPARE_BRANCH TENSOR_LOAD TENSOR_STORE MOVE_SHAPE POLL_SEM TEST_EVENT_SEM "
            "COMPACT_CONTROL_INST"
        ),
    ),
    Assumption(
        id="pseudo-records",
        question="What is a loader-resolved pseudo record (0xC1..0xDF) in a list of records?",
        alternatives=("refuse", "skip"),
        default="refuse",
        confidence="H",
        evidence=(
            "top three bits 110: never reaches an engine, the loader rewrites it; container intake always counts "
            "and skips it (06 §9.4, 09 §9)"
        ),
        instructions=(
            "PSEUDO_DMATRIGGER PSEUDO_DMAREARM PSEUDO_DMABARRIER PSEUDO_DMAMEMCPY_FULL_IND PSEUDO_SEMAPHORE_SET "
            "PSEUDO_LOAD_ACT_FUNC_SET PSEUDO_TRIGGER_ALL_REDUCE PSEUDO_TRIGGER_COLLECTIVE PSEUDO_READ_VAR_ADDR "
            "PSEUDO_EMBEDDING_UPDATE PSEUDO_SEND_RECV PSEUDO_BRANCH_LABEL PSEUDO_TENSOR_STORE PSEUDO_TENSOR_LOAD "
            "PSEUDO_DMASWAP_QUEUE_SET PSEUDO_SET_RNG_SEED PSEUDO_FUNCTION_BEGIN PSEUDO_FUNCTION_RETURN "
            "PSEUDO_FUNCTION_CALL PSEUDO_DMA_DIRECT2D PSEUDO_SYNC_BARRIER PSEUDO_RANGE_CHECK PSEUDO_JPEG_DECODE "
            "PSEUDO_CORE_BARRIER PSEUDO_TRIGGER_COLLECTIVE2 PSEUDO_EXTENSION PSEUDO_CUR_PROCESSING_RANK_ID "
            "PSEUDO_GID_LOAD PSEUDO_BRANCH_PREFETCH_HINT PSEUDO_TENSOR_COMPLETION PSEUDO_INST"
        ),
    ),
)
