"""Open questions: data types and conversion.

Source: isa/00 section 3.
"""

from __future__ import annotations

from .model import Assumption

ROWS = (
    Assumption(
        id="extended-dtype-codes",
        question="Which dtype codes >= 0x10 pass the plain gates?",
        alternatives=("header-chain", "reject-all"),
        default="header-chain",
        confidence="M",
        evidence=(
            "S000 prints the chain, public arch-isa notes, page The Unified Datatype Model, adds MARIANA's and "
            "MAVERICK's checks: only 0x11 on MAVERICK is usable, CPTC fails at alignment (02 §4.3)"
        ),
        generations="MARIANA MAVERICK",
    ),
    Assumption(
        id="dtype-64-small-codes",
        question="Does is_valid_dtype_64 reject 4-bit and scale codes?",
        alternatives=("reject", "chain-as-printed"),
        default="reject",
        confidence="L",
        evidence=(
            "the printed chain of this gate lacks the two checks that is_valid_dtype has on the same generation; no "
            "rule addresses a sub-byte element (02 §4.2, O3)"
        ),
        instructions=(
            "TENSOR_TENSOR_ARITH_OP TENSOR_REDUCE_ARITH_OP TENSOR_TENSOR_BITVEC_OP TENSOR_REDUCE_BITVEC_OP "
            "TRANSPOSE_TENSOR_REDUCE_ARITH_OP TRANSPOSE_TENSOR_REDUCE_BITVEC_OP"
        ),
        generations="MARIANA MAVERICK",
    ),
    Assumption(
        id="fp8-e2m5-format",
        question="Special values of FP8_EXP2 (0x11)",
        alternatives=("finite-only", "inf-nan-at-top", "not-modelled"),
        default="finite-only",
        confidence="L",
        evidence="name and exponent width only; by analogy with the other 2-exponent-bit formats (02 O6)",
        generations="MAVERICK",
    ),
    Assumption(
        id="fp8-e4m3-variant",
        question="What does code 0x0E mean?",
        alternatives=("by-generation-and-mode", "ieee-240", "fn-448"),
        default="by-generation-and-mode",
        confidence="M",
        evidence=(
            "NKI documentation lists both readings; SUNDA/CAYMAN 240 with Inf, MAVERICK 448, MARIANA by engine "
            "mode; the switch changes the format only, saturation follows the mode (02 §6)"
        ),
    ),
    Assumption(
        id="fp8-mode-mariana",
        question="Power-on FP8 mode of MARIANA",
        alternatives=("ocp-saturate", "ocp-no-saturate", "legacy"),
        default="ocp-saturate",
        confidence="M",
        evidence="runtime defaults in public arch-isa notes; some public set-ups switch it on explicitly (02 O2)",
        generations="MARIANA",
    ),
    Assumption(
        id="fp8-underflow-half-step",
        question="Inputs between half and one smallest subnormal of E4M3FN / E5M2",
        alternatives=("round-to-nearest", "flush-to-zero"),
        default="round-to-nearest",
        confidence="M",
        evidence="NKI's published dtypes round; a vendor host encoder flushes (02 C5)",
    ),
    Assumption(
        id="float-to-int-rounding",
        question="FP32 to integer",
        alternatives=("rne-saturate", "truncate-saturate", "truncate-wrap"),
        default="rne-saturate",
        confidence="H",
        evidence="NKI documentation, page NKI release notes (0.6.0) states it as the hardware behaviour (02 §10)",
    ),
    Assumption(
        id="float-to-int-nan",
        question="NaN to integer",
        alternatives=("sign-saturate", "zero", "max"),
        default="sign-saturate",
        confidence="M",
        evidence=(
            "vendor host arithmetic described in public arch-isa notes, page bir::CastToNewDType; nothing official "
            "(02 O5b)"
        ),
    ),
    Assumption(
        id="int32-arithmetic",
        question="INT32/UINT32 operands of base-band arithmetic codes",
        alternatives=("via-fp32", "exact"),
        default="via-fp32",
        confidence="H",
        evidence="NKI documentation, page nki.isa.tensor_tensor: exact only on the other engine (02 §12)",
        instructions=(
            "TENSOR_TENSOR_ARITH_OP TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP "
            "TRANSPOSE_TENSOR_SCALAR_ARITH_OP SCALAR_TENSOR_TENSOR_ARITH TENSOR_TENSOR_SCAN_ARITH "
            "TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE TENSOR_REDUCE_ARITH_OP "
            "TENSOR_CUMULATIVE_ARITH_OP"
        ),
    ),
    Assumption(
        id="fp32-subnormals",
        question="FP32 subnormals in the ALU",
        alternatives=("keep", "flush"),
        default="keep",
        confidence="M",
        evidence=(
            "no source mentions a flush; S004 and its siblings show integer-exact subnormal handling in the vector core"
        ),
    ),
    Assumption(
        id="nan-code-on-narrowing",
        question="NaN code written by a conversion from fp32 to another float, FP32R included",
        alternatives=("quiet-keep-sign", "quiet-positive"),
        default="quiet-keep-sign",
        confidence="M",
        evidence=(
            "host conversion keeps the sign, another model does not; by class against hardware only (02 O5, §11.1)"
        ),
    ),
    Assumption(
        id="nan-results",
        question="NaN produced or passed on by an fp32 addition, subtraction or multiplication",
        alternatives=("first-operand-else-positive-quiet", "always-canonical"),
        default="first-operand-else-positive-quiet",
        confidence="M",
        evidence=(
            "vector-core slice of public arch-isa notes, page ISA Batch 02; an invalid operation gives 0x7FC00000 "
            "where a host CPU may give 0xFFC00000 (02 §11.1)"
        ),
        instructions=(
            "TENSOR_TENSOR_ARITH_OP TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP "
            "TRANSPOSE_TENSOR_SCALAR_ARITH_OP SCALAR_TENSOR_TENSOR_ARITH TENSOR_TENSOR_SCAN_ARITH "
            "TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE TENSOR_REDUCE_ARITH_OP "
            "TENSOR_CUMULATIVE_ARITH_OP EXPONENTIAL POOL BATCH_NORM_STATS BATCH_NORM_STATS2 BATCH_NORM_AGGREGATE "
            "BATCH_NORM_GRAD_ACCUMULATE BATCH_NORM_BACK_PROP TRANSPOSE_BATCH_NORM_STATS2 "
            "TRANSPOSE_TENSOR_REDUCE_ARITH_OP TENSOR_TENSOR_ADD_BF16 TENSOR_TENSOR_MULT_BF16 TENSOR_REDUCE_ADD_BF16 "
            "TENSOR_TENSOR_SUB_BF16 BATCH_NORM_GRAD_ACCUMULATE2 RAND2"
        ),
    ),
    Assumption(
        id="fp32r-mantissa-bits",
        question="Explicit mantissa bits kept by FP32R",
        alternatives=("11", "10", "13"),
        default="11",
        nki="10",
        confidence="M",
        evidence="host conversion keeps 11; NKI documentation, page NKI API Common Fields, gives tfloat32 10 (02 C4)",
        instructions=(
            "TENSOR_TENSOR_ARITH_OP TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP "
            "TRANSPOSE_TENSOR_SCALAR_ARITH_OP SCALAR_TENSOR_TENSOR_ARITH TENSOR_TENSOR_SCAN_ARITH "
            "TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE TENSOR_REDUCE_ARITH_OP "
            "TENSOR_CUMULATIVE_ARITH_OP SELECT_REDUCE RANGE_SELECT EXPONENTIAL CAST RECIPROCAL MAX8 MATCH_REPLACE8 "
            "DVE_READ_ACCUMULATOR RAND2 POOL BATCH_NORM_BACK_PROP TRANSPOSE_TENSOR_REDUCE_ARITH_OP"
        ),
    ),
    Assumption(
        id="stochastic-rounding",
        question="Rounding mode of float narrowing",
        alternatives=("nearest-even", "stochastic"),
        default="nearest-even",
        confidence="H",
        evidence="engine-wide mode, off by default; generator bits unknown (02 §14)",
    ),
    Assumption(
        id="equal-dtype-conversion",
        question="CAST, CAST_PREDICATED, SELECT_REDUCE data and MATCH_REPLACE8 pass-through with equal dtypes",
        alternatives=("raw-bits", "via-fp32"),
        default="raw-bits",
        confidence="M",
        evidence=(
            "NKI documentation, page nki.isa.tensor_copy: bit-accurate when dtypes match; inferred for the others "
            "(02 §7, 04 §8.3)"
        ),
        instructions="CAST CAST_PREDICATED MATCH_REPLACE8 SELECT_REDUCE",
    ),
    Assumption(
        id="bypass-equal-dtypes",
        question="Arithmetic BYPASS/BYPASS with equal dtypes",
        alternatives=("via-fp32", "raw-bits"),
        default="via-fp32",
        confidence="M",
        evidence=(
            "arithmetic classes convert every dtype to fp32 (NKI documentation, page NKI API Common Fields; 02 O13)"
        ),
        instructions=(
            "TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP TRANSPOSE_TENSOR_SCALAR_ARITH_OP TENSOR_TENSOR_ARITH_OP"
        ),
    ),
    Assumption(
        id="quantize-mx-scale",
        question="Block scale of QUANTIZE_MX",
        alternatives=("emax", "emax-minus-1"),
        default="emax",
        nki="emax-minus-1",
        confidence="M",
        evidence=(
            "public arch-isa notes, page MX Device Bodies: floor(log2 amax) - EMAX, mode off; NKI documentation, "
            "page nki.isa.quantize_mx (0.5.0): EMAX - 1 (06 §7.5)"
        ),
        instructions="QUANTIZE_MX",
        generations="MARIANA MAVERICK",
    ),
    Assumption(
        id="quantize-mx-zero-block",
        question="E8M0 of an all-zero block",
        alternatives=("one", "zero"),
        default="one",
        nki="zero",
        confidence="M",
        evidence="functional reference gives 1; NKI documentation, page nki.isa.quantize_mx: 2^-127, i.e. 0",
        instructions="QUANTIZE_MX",
        generations="MARIANA MAVERICK",
    ),
)
