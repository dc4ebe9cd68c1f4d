"""Open questions: accumulator, folds, scans, reductions.

Source: isa/00 section 6.
"""

from __future__ import annotations

from .model import Assumption

ROWS = (
    Assumption(
        id="accumulator-location",
        question="Where does the accumulator live?",
        alternatives=("lane-register-fp32", "psum"),
        default="lane-register-fp32",
        confidence="H",
        evidence=(
            'no record addresses it, 0x9B reads one fp32 per lane; S001\'s "PSUM accumulator" is taken as loose '
            "wording; NKI documentation: engine registers (05 §3.1)"
        ),
        instructions=(
            "SCALAR_TENSOR_TENSOR_ARITH TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE EXPONENTIAL "
            "SELECT_REDUCE RANGE_SELECT DVE_READ_ACCUMULATOR"
        ),
    ),
    Assumption(
        id="accumulator-initial",
        question="Accumulator before the first seeding instruction",
        alternatives=("zero-tainted", "error"),
        default="zero-tainted",
        confidence="M",
        evidence="undefined on hardware; reading warns (05 §3.1)",
        instructions=(
            "SCALAR_TENSOR_TENSOR_ARITH TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE EXPONENTIAL "
            "SELECT_REDUCE RANGE_SELECT DVE_READ_ACCUMULATOR"
        ),
    ),
    Assumption(
        id="accumulator-idle",
        question="Effect of Idle on the accumulator (all but 0xEA)",
        alternatives=("keep-tainted", "keep", "unknown"),
        default="keep-tainted",
        confidence="M",
        evidence=(
            "NKI documentation, pages nki.isa.exponential and nki.isa.select_reduce: state may be modified (05 §3.1)"
        ),
        instructions="SCALAR_TENSOR_TENSOR_ARITH EXPONENTIAL RANGE_SELECT",
    ),
    Assumption(
        id="accumulator-lane",
        question="Which lane does channel c use?",
        alternatives=("channel-index", "absolute-partition"),
        default="channel-index",
        confidence="M",
        evidence="per-lane descriptions loop from 0 whatever the start partition (05 §3.1)",
        instructions=(
            "SCALAR_TENSOR_TENSOR_ARITH TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE EXPONENTIAL "
            "SELECT_REDUCE RANGE_SELECT DVE_READ_ACCUMULATOR"
        ),
    ),
    Assumption(
        id="accumulator-read-effect",
        question="Does 0x9B clear the accumulator?",
        alternatives=("unchanged", "cleared"),
        default="unchanged",
        confidence="M",
        evidence=(
            "NKI documentation, page nki.isa.tensor_scalar_reduce: chaining and negation leave the registers alone "
            "(05 §8.2)"
        ),
        instructions="DVE_READ_ACCUMULATOR",
    ),
    Assumption(
        id="accumulator-reset-value",
        question="Seed of ZeroAccumulate",
        alternatives=("operator-identity", "zero", "fp32-lowest-for-max"),
        default="operator-identity",
        confidence="H",
        evidence=(
            "S001: -inf for the maximum of floats; NKI documentation, pages nki.isa.select_reduce, "
            "nki.isa.tensor_scalar_reduce, nki.isa.tensor_scalar_cumulative; integer identities cannot apply to an "
            "fp32 register (05 §3.2)"
        ),
        instructions=(
            "SCALAR_TENSOR_TENSOR_ARITH TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE EXPONENTIAL "
            "SELECT_REDUCE RANGE_SELECT"
        ),
    ),
    Assumption(
        id="fold-operand-order",
        question="Accumulating folds of 0x9A/0xE6: operand order",
        alternatives=("element-first", "accumulator-first"),
        default="element-first",
        confidence="H",
        evidence=(
            "NKI documentation, page nki.isa.tensor_scalar_cumulative; visible for Subtract; the maximum folds of "
            "0xEA and 0xBC are accumulator-first whatever this says, after S001's pseudo-code (05 §3.3)"
        ),
        instructions="TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE",
    ),
    Assumption(
        id="fold-cast-point",
        question="Is the folded value taken before the output conversion?",
        alternatives=("before-conversion", "after-conversion"),
        default="before-conversion",
        confidence="M",
        evidence="NKI documentation can be read either way; the register sits in the fp32 datapath (05 §3.3)",
        instructions=(
            "SCALAR_TENSOR_TENSOR_ARITH TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE EXPONENTIAL "
            "SELECT_REDUCE RANGE_SELECT"
        ),
    ),
    Assumption(
        id="fold-association",
        question="Order of additions in folds and scans",
        alternatives=("sequential", "pairwise"),
        default="sequential",
        confidence="M",
        evidence=(
            "NKI documentation, page NKI CPU Simulator: order not reproduced there either; performance modes may "
            "reassociate (05 §3.3)"
        ),
        instructions=(
            "SCALAR_TENSOR_TENSOR_ARITH TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE EXPONENTIAL "
            "SELECT_REDUCE RANGE_SELECT TENSOR_TENSOR_SCAN_ARITH TENSOR_REDUCE_ARITH_OP TENSOR_REDUCE_BITVEC_OP "
            "TENSOR_CUMULATIVE_ARITH_OP TENSOR_CUMULATIVE_BITVEC_OP"
        ),
    ),
    Assumption(
        id="stt-fold-operator",
        question="Fold operator of 0x9D when accumulating",
        alternatives=("add", "op1"),
        default="add",
        confidence="H",
        evidence="NKI documentation, open NKI core-IR operator notes (05 §3.2)",
        instructions="SCALAR_TENSOR_TENSOR_ARITH",
    ),
    Assumption(
        id="stt-accumulate-and-store",
        question="Does an accumulating 0x9D also write dst?",
        alternatives=("both", "accumulate-only"),
        default="both",
        confidence="H",
        evidence="NKI documentation, open NKI core-IR operator notes (05 §4.2)",
        instructions="SCALAR_TENSOR_TENSOR_ARITH",
    ),
    Assumption(
        id="stt-quadrant-erratum",
        question="Extra quadrant gate of scalar-tensor-tensor",
        alternatives=("not-enforced", "strict"),
        default="not-enforced",
        confidence="L",
        evidence="only its name is known (05 §4.3)",
        instructions="SCALAR_TENSOR_TENSOR_ARITH SCALAR_TENSOR_TENSOR_BITVEC",
    ),
    Assumption(
        id="cache-reduce-destination",
        question="What does 0x9A write to dst?",
        alternatives=("elementwise-result", "final-value-only"),
        default="elementwise-result",
        confidence="H",
        evidence=(
            "NKI documentation, page nki.isa.tensor_scalar_reduce; the notes' collapse reading contradicts the "
            "count rule (05 §6.2)"
        ),
        instructions="TENSOR_SCALAR_CACHE_REDUCE",
    ),
    Assumption(
        id="cache-int32-output",
        question="INT32/UINT32 output of 0x9A/0xE6",
        alternatives=("accept", "reject"),
        default="accept",
        nki="reject",
        confidence="M",
        evidence=(
            "the header rule bars 32-bit integers on the input only; NKI documentation, page "
            "nki.isa.tensor_scalar_cumulative, bars outputs too; reported by the input's type rule (05 §6.3 V5)"
        ),
        instructions="TENSOR_SCALAR_CACHE_REDUCE TENSOR_SCALAR_CACHE_CUMULATIVE",
    ),
    Assumption(
        id="scan-recurrence",
        question="0xE5",
        alternatives=("state-recurrence", "combine-then-scan"),
        default="state-recurrence",
        confidence="H",
        evidence="NKI documentation, page nki.isa.tensor_tensor_scan (05 §5.1)",
        instructions="TENSOR_TENSOR_SCAN_ARITH",
    ),
    Assumption(
        id="scan-state-precision",
        question="State carried by 0xE5",
        alternatives=("fp32", "dst-dtype"),
        default="fp32",
        confidence="M",
        evidence=(
            "NKI documentation states fp32 math with the cast at the output; its array sketch could be read "
            "otherwise (05 §5.1)"
        ),
        instructions="TENSOR_TENSOR_SCAN_ARITH",
    ),
    Assumption(
        id="tensor-reduce-operand-order",
        question="Operand order of 0x42 folds",
        alternatives=("accumulator-first", "element-first"),
        default="accumulator-first",
        confidence="M",
        evidence="functional reference; visible for Subtract (05 §10.2)",
        instructions=(
            "TENSOR_REDUCE_ARITH_OP TENSOR_REDUCE_BITVEC_OP TRANSPOSE_TENSOR_REDUCE_ARITH_OP "
            "TRANSPOSE_TENSOR_REDUCE_BITVEC_OP"
        ),
    ),
    Assumption(
        id="tensor-reduce-seed",
        question="Seed of 0x42/0x52",
        alternatives=("first-element", "identity"),
        default="first-element",
        confidence="M",
        evidence="functional reference; visible for single elements, NaN and -0 (05 §10.2)",
        instructions=(
            "TENSOR_REDUCE_ARITH_OP TENSOR_REDUCE_BITVEC_OP TRANSPOSE_TENSOR_REDUCE_ARITH_OP "
            "TRANSPOSE_TENSOR_REDUCE_BITVEC_OP"
        ),
    ),
    Assumption(
        id="unary-op-in-fold",
        question="Unary codes inside TensorReduce and TensorCumulative",
        alternatives=("running-value", "element"),
        default="running-value",
        confidence="L",
        evidence="one rule everywhere: unary codes act on the left operand (05 §10.2, 06 §5.5)",
        instructions=(
            "TENSOR_REDUCE_ARITH_OP TENSOR_REDUCE_BITVEC_OP TENSOR_CUMULATIVE_ARITH_OP TENSOR_CUMULATIVE_BITVEC_OP"
        ),
    ),
    Assumption(
        id="exponential-accuracy",
        question="exp(x - max)",
        alternatives=("correctly-rounded", "table-model"),
        default="correctly-rounded",
        confidence="L",
        evidence="hardware coefficients are not public; subnormal results kept (05 §13)",
        instructions="EXPONENTIAL",
        generations="MARIANA MAVERICK",
    ),
    Assumption(
        id="exponential-upper-dims",
        question="Parity rule on the upper source dims",
        alternatives=("not-enforced", "strict"),
        default="not-enforced",
        confidence="L",
        evidence="described in one phrase that would bar ordinary tiles (05 §13)",
        instructions="EXPONENTIAL",
        generations="MARIANA MAVERICK",
    ),
    Assumption(
        id="pool-scale-order",
        question="Average pooling",
        alternatives=("sum-then-multiply", "scale-each"),
        default="sum-then-multiply",
        confidence="M",
        evidence="functional reference (05 §12)",
        instructions="POOL",
    ),
)
