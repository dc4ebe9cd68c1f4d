"""Open questions: aLU operations.

Source: isa/00 section 4.
"""

from __future__ import annotations

from .model import Assumption

ROWS = (
    Assumption(
        id="max-nan",
        question="NaN operand of MAX/MIN (and ABS_MAX/ABS_MIN, folds, scans)",
        alternatives=("maxnum", "select", "propagate"),
        default="maxnum",
        confidence="M",
        evidence="S001: the masked reduce-max suppresses NaN; elementwise form inferred, NKI silent (03 OPEN-3)",
        instructions=(
            "TENSOR_TENSOR_ARITH_OP TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP "
            "TRANSPOSE_TENSOR_SCALAR_ARITH_OP SCALAR_TENSOR_TENSOR_ARITH TENSOR_TENSOR_SCAN_ARITH "
            "TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE TENSOR_REDUCE_ARITH_OP "
            "TENSOR_CUMULATIVE_ARITH_OP SELECT_REDUCE RANGE_SELECT POOL TRANSPOSE_TENSOR_REDUCE_ARITH_OP"
        ),
    ),
    Assumption(
        id="max-signed-zero",
        question="MAX/MIN of zeros of opposite sign under maxnum",
        alternatives=("positive-above-negative", "right-operand"),
        default="positive-above-negative",
        confidence="M",
        evidence=(
            "executed vectors of the maxnum primitive in either order (07 §8.3); the plain compare form returns the "
            "right operand"
        ),
        instructions=(
            "TENSOR_TENSOR_ARITH_OP TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP "
            "TRANSPOSE_TENSOR_SCALAR_ARITH_OP SCALAR_TENSOR_TENSOR_ARITH TENSOR_TENSOR_SCAN_ARITH "
            "TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE TENSOR_REDUCE_ARITH_OP "
            "TENSOR_CUMULATIVE_ARITH_OP SELECT_REDUCE RANGE_SELECT POOL TRANSPOSE_TENSOR_REDUCE_ARITH_OP"
        ),
    ),
    Assumption(
        id="logical-nan-truth",
        question="Truth value of NaN in LOGICAL_AND/OR/XOR",
        alternatives=("nan-is-true", "nan-is-false"),
        default="nan-is-true",
        confidence="M",
        evidence="NaN != 0; no source (03 OPEN-4)",
        instructions=(
            "TENSOR_TENSOR_ARITH_OP TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP "
            "TRANSPOSE_TENSOR_SCALAR_ARITH_OP SCALAR_TENSOR_TENSOR_ARITH TENSOR_TENSOR_SCAN_ARITH "
            "TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE TENSOR_REDUCE_ARITH_OP "
            "TENSOR_CUMULATIVE_ARITH_OP"
        ),
    ),
    Assumption(
        id="relu-edge",
        question="RE_LU of NaN and -0",
        alternatives=("plus-zero", "keep"),
        default="plus-zero",
        confidence="L",
        evidence="follows MAX(a, +0.0); keep passes NaN and -0 unchanged (03 OPEN-5)",
        instructions=(
            "TENSOR_TENSOR_ARITH_OP TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP "
            "TRANSPOSE_TENSOR_SCALAR_ARITH_OP SCALAR_TENSOR_TENSOR_ARITH TENSOR_TENSOR_SCAN_ARITH "
            "TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE TENSOR_REDUCE_ARITH_OP "
            "TENSOR_CUMULATIVE_ARITH_OP"
        ),
        generations="MARIANA MAVERICK",
    ),
    Assumption(
        id="rsqrt-accuracy",
        question="RSQRT in its one DVE encoding",
        alternatives=("correctly-rounded", "not-modelled"),
        default="correctly-rounded",
        confidence="L",
        evidence="S003 admits the encoding; NKI documentation places the operation on GpSimd (03 OPEN-6)",
        instructions="TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP TRANSPOSE_TENSOR_SCALAR_ARITH_OP",
    ),
    Assumption(
        id="symmetric-clamp",
        question="SYMMETRIC_CLAMP 0x24 in the instructions that want a general-arith code",
        alternatives=("reject", "accept-header-formula", "accept-clamp"),
        default="reject",
        confidence="M",
        evidence=(
            "S003 gives the MAVERICK set as 21 members, i.e. without it; the header formula says max where a clamp "
            "needs min (03 OPEN-1, OPEN-7)"
        ),
        instructions=(
            "TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP TRANSPOSE_TENSOR_SCALAR_ARITH_OP "
            "TENSOR_TENSOR_ARITH_OP SCALAR_TENSOR_TENSOR_ARITH TENSOR_TENSOR_SCAN_ARITH TENSOR_SCALAR_CACHE_REDUCE "
            "TENSOR_SCALAR_CACHE_CUMULATIVE TENSOR_REDUCE_ARITH_OP"
        ),
        generations="MAVERICK",
    ),
    Assumption(
        id="undefined-alu-codes",
        question=(
            "Codes the rules admit but no source defines here: CRC32 in bitvec tensor-scalar and bitvec "
            "reduce, CRC32, RSQRT and integer codes in TensorCumulative"
        ),
        alternatives=("not-modelled", "compute-where-defined"),
        default="not-modelled",
        confidence="L",
        evidence=(
            "CRC32's polynomial is in no source; the DVE rules bar integer ALU codes elsewhere before MAVERICK (03 "
            "OPEN-9, 05 §10.3, §11)"
        ),
        instructions=(
            "TENSOR_SCALAR_BITVEC_OP TENSOR_SCALAR_PTR_BITVEC_OP TENSOR_CUMULATIVE_ARITH_OP "
            "TENSOR_CUMULATIVE_BITVEC_OP TENSOR_REDUCE_BITVEC_OP TRANSPOSE_TENSOR_REDUCE_BITVEC_OP"
        ),
    ),
    Assumption(
        id="shift-count-range",
        question="Shift counts of 32 and more",
        alternatives=("zero-or-sign-fill", "modulo-32"),
        default="zero-or-sign-fill",
        confidence="L",
        evidence="vector core gives 0, host evaluator wraps; counts are unsigned (03 OPEN-8)",
        instructions=(
            "TENSOR_TENSOR_BITVEC_OP TENSOR_SCALAR_BITVEC_OP TENSOR_SCALAR_PTR_BITVEC_OP "
            "SCALAR_TENSOR_TENSOR_BITVEC TENSOR_REDUCE_BITVEC_OP TENSOR_CUMULATIVE_BITVEC_OP"
        ),
    ),
    Assumption(
        id="bitvec-lane-width",
        question="Lane width between the two operations of a bitvec pair on 8/16-bit dtypes",
        alternatives=("32-bit", "dtype-width"),
        default="32-bit",
        confidence="M",
        evidence="a sibling header describes zero-extension to 32 bits (03 OPEN-10)",
        instructions="TENSOR_SCALAR_BITVEC_OP TENSOR_SCALAR_PTR_BITVEC_OP SCALAR_TENSOR_TENSOR_BITVEC",
    ),
    Assumption(
        id="arith-shift-right-narrow",
        question="ARITH_SHIFT_RIGHT on 8/16-bit dtypes where no width rule bars it",
        alternatives=("sign-extend-signed", "32-bit-lane"),
        default="sign-extend-signed",
        confidence="L",
        evidence="the operation is useless otherwise (03 OPEN-11)",
        instructions="TENSOR_TENSOR_BITVEC_OP SCALAR_TENSOR_TENSOR_BITVEC",
    ),
    Assumption(
        id="ts-op1-bypass-reversed",
        question="Tensor-scalar with op1 = BYPASS and the reverse bit of op1 set",
        alternatives=("forward-intermediate", "left-operand"),
        default="forward-intermediate",
        confidence="M",
        evidence="S003's compute sketch returns the intermediate before looking at the flag (03 OPEN-15)",
        instructions=(
            "TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP TRANSPOSE_TENSOR_SCALAR_ARITH_OP "
            "TENSOR_SCALAR_BITVEC_OP TENSOR_SCALAR_PTR_BITVEC_OP"
        ),
    ),
    Assumption(
        id="reversed-unary-op",
        question="Other unary codes (and BYPASS elsewhere) with their reverse bit set",
        alternatives=("left-operand", "stream-operand"),
        default="left-operand",
        confidence="M",
        evidence="operand order is swapped in front of the ALU (03 OPEN-15, 05 §4.2)",
        instructions=(
            "TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP TRANSPOSE_TENSOR_SCALAR_ARITH_OP "
            "TENSOR_SCALAR_BITVEC_OP TENSOR_SCALAR_PTR_BITVEC_OP SCALAR_TENSOR_TENSOR_ARITH "
            "SCALAR_TENSOR_TENSOR_BITVEC TENSOR_TENSOR_SCAN_ARITH"
        ),
    ),
    Assumption(
        id="int-tensor-scalar-dtypes",
        question="Integer-band tensor-scalar on MAVERICK with a dtype outside INT6",
        alternatives=("legal-not-modelled", "type-error"),
        default="legal-not-modelled",
        confidence="M",
        evidence=(
            "S003: the op rule admits the codes, the type rule is true for every arith opcode and is not among the "
            "listed MAVERICK changes, so the verdict is legal; no source says what the operation does with a float "
            "(03 OPEN-12)"
        ),
        instructions="TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP TRANSPOSE_TENSOR_SCALAR_ARITH_OP",
        generations="MAVERICK",
    ),
    Assumption(
        id="int-tensor-scalar-immediate",
        question="Scalar of integer-band tensor-scalar",
        alternatives=("fp32-converted", "raw-int32"),
        default="fp32-converted",
        confidence="M",
        evidence=(
            "S003: an arith immediate is always fp32 and MAVERICK's immediate contract is byte-identical; NKI "
            "documentation, page nki.isa.tensor_scalar, wants float32 (03 OPEN-12)"
        ),
        instructions="TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP TRANSPOSE_TENSOR_SCALAR_ARITH_OP",
        generations="MAVERICK",
    ),
    Assumption(
        id="int-tensor-tensor-on-dve",
        question="Integer-band codes in TensorTensor on the DVE",
        alternatives=("reject", "accept-dve-subset"),
        default="reject",
        confidence="M",
        evidence=(
            "the engine split sends them to POOL; a MAVERICK relaxation is shown for tensor-scalar only (03 OPEN-21)"
        ),
        instructions="TENSOR_TENSOR_ARITH_OP",
    ),
    Assumption(
        id="transpose-scalar-lane",
        question="Pointer scalar of 0x93: indexed by which lane?",
        alternatives=("destination-lane", "source-lane"),
        default="destination-lane",
        confidence="L",
        evidence="analogy with the transposed reduce, which converts, transposes, then operates (03 OPEN-18)",
        instructions="TRANSPOSE_TENSOR_SCALAR_ARITH_OP",
    ),
)
