"""Open questions: addresses, patterns, memory.

Source: isa/00 section 2.
"""

from __future__ import annotations

from .model import Assumption

ROWS = (
    Assumption(
        id="start-partition-table",
        question="Which start partitions are legal for n channels?",
        alternatives=("32-64-128-table", "any"),
        default="32-64-128-table",
        confidence="H",
        evidence=(
            "NKI documentation, page Trainium/Inferentia2 Architecture Guide: n<=32: 0/32/64/96; <=64: 0/64; more: "
            "0; windows from header literals (01 §9.4)"
        ),
    ),
    Assumption(
        id="psum-on-maverick",
        question="Does MAVERICK have a PSUM address region?",
        alternatives=("empty-region", "v4-map"),
        default="empty-region",
        confidence="M",
        evidence=('header constant PSUM_BUF_SZ is 0 there, although validators still say "allowed in PSUM" (01 §4.1)'),
        generations="MAVERICK",
    ),
    Assumption(
        id="psum-narrow-write",
        question="May a DVE instruction write a dtype that is not 4 bytes wide to PSUM?",
        alternatives=("reject", "accept"),
        default="reject",
        confidence="H",
        evidence=(
            "address validator rule V10 (01 §9.3); no counterexample in 13,098 compiled PSUM destinations (09 §14); "
            "NKI pages list PSUM and narrow dtypes for one dst without saying the pair is legal"
        ),
        generations="SUNDA CAYMAN MARIANA",
    ),
    Assumption(
        id="walk-out-of-bounds",
        question="An element of a walk falls outside the partition's active bytes",
        alternatives=("error-before-write", "wrap-in-partition", "touch-padding"),
        default="error-before-write",
        confidence="M",
        evidence=(
            "no validator checks the end of a walk; behaviour undocumented; every operand counts, an element under "
            "a false predicate too (01 §10.7)"
        ),
    ),
    Assumption(
        id="partial-overlap",
        question="Source and destination overlap other than exactly in place",
        alternatives=("snapshot", "streaming", "error"),
        default="snapshot",
        confidence="M",
        evidence="only exact in-place use is documented; all files take read-all-then-write (01 §10.8)",
    ),
    Assumption(
        id="duplicate-destination",
        question="A destination walk (or scatter) visits one address twice",
        alternatives=("last-wins", "first-wins"),
        default="last-wins",
        confidence="M",
        evidence="engines stream elements in walk order (01 §10.4)",
    ),
    Assumption(
        id="uninitialised-memory",
        question="Value of memory never written",
        alternatives=("zero", "poison"),
        default="zero",
        confidence="M",
        evidence=(
            "arbitrary on hardware; NKI documentation, page NKI CPU Simulator, fills its own tensors with sentinels "
            "as a debugging aid"
        ),
    ),
    Assumption(
        id="register-address-checks",
        question="Are the static placement rules applied to an address that comes from a register?",
        alternatives=("at-run-time", "never"),
        default="at-run-time",
        confidence="M",
        evidence=(
            "validators skip register words; violation behaviour unknown; applied: V6 to V11, V25 and the pointer "
            "rules, not the quadrant rules (01 §3.4)"
        ),
    ),
    Assumption(
        id="shape-register",
        question="What supplies a shape when bit 30 of the start word is set?",
        alternatives=("not-modelled", "treat-as-static"),
        default="not-modelled",
        confidence="L",
        evidence="only validators read the bit, no compiler sets it (01 §3.2)",
        generations="CAYMAN MARIANA MAVERICK",
    ),
    Assumption(
        id="shape-marker-on-sunda",
        question="Bit 30 (shape marker) in an address word on SUNDA",
        alternatives=("ignored", "reject"),
        default="ignored",
        confidence="L",
        evidence=(
            "no shape escape is known there and the published address check masks the bit; the later generations "
            "give it a meaning (01 §3.2)"
        ),
        generations="SUNDA",
    ),
    Assumption(
        id="indirect-marker-in-plain-pattern",
        question="Indirect marker in a TENSORnD field (SUNDA/CAYMAN, or plain fields later)",
        alternatives=("reject", "ignore-bit"),
        default="reject",
        confidence="M",
        evidence="no indirect form exists there; the address mask would hide the bit (01 §5.2, 04 §4.4)",
    ),
    Assumption(
        id="s3s3d3-indirect",
        question="May the three patterns of S3S3D3_TT be indirect on MARIANA+?",
        alternatives=("src0-and-dst", "no-operand", "all-operands"),
        default="src0-and-dst",
        confidence="M",
        evidence=(
            "NKI documentation, pages nki.isa.tensor_tensor and nki.isa.tensor_copy_predicated: dst and first "
            "operand yes, the other no; a v4 helper takes two MEM_PATTERN3D sources; S000 lists indirection as an "
            "extra of 0xE8 only (01 §5.2, 04 §3.1)"
        ),
        instructions="TENSOR_TENSOR_ARITH_OP TENSOR_TENSOR_BITVEC_OP COPY_PREDICATED CAST_PREDICATED",
        generations="MARIANA MAVERICK",
    ),
    Assumption(
        id="indirect-index-dtype",
        question="Type of the entries of an index list",
        alternatives=("uint16", "uint32"),
        default="uint16",
        confidence="H",
        evidence=(
            "NKI documentation, page tensor indirection tutorial; the u32 reading came from the alignment code of "
            "the index word (01 §6.2)"
        ),
        instructions=(
            "TENSOR_TENSOR_ARITH_OP TENSOR_TENSOR_BITVEC_OP COPY_PREDICATED CAST_PREDICATED COPY_PREDICATED_SCALAR "
            "TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP TRANSPOSE_TENSOR_SCALAR_ARITH_OP "
            "TENSOR_SCALAR_BITVEC_OP TENSOR_SCALAR_PTR_BITVEC_OP TENSOR_SCALAR_CACHE_REDUCE "
            "TENSOR_SCALAR_CACHE_CUMULATIVE EXPONENTIAL TENSOR_REDUCE_ARITH_OP TENSOR_REDUCE_BITVEC_OP "
            "TENSOR_CUMULATIVE_ARITH_OP TENSOR_CUMULATIVE_BITVEC_OP COPY CAST RECIPROCAL STREAM_SHUFFLE "
            "STREAM_TRANSPOSE"
        ),
        generations="MARIANA MAVERICK",
    ),
    Assumption(
        id="indirect-index-layout",
        question="Where does entry k of an index list live?",
        alternatives=("snake-16", "per-partition"),
        default="snake-16",
        confidence="H",
        evidence=(
            "NKI documentation, page nki.language.NkiTensor (indirect): index[k % 16, k // 16] per group of 16 "
            "partitions on this engine (01 §6.2)"
        ),
        instructions=(
            "TENSOR_TENSOR_ARITH_OP TENSOR_TENSOR_BITVEC_OP COPY_PREDICATED CAST_PREDICATED COPY_PREDICATED_SCALAR "
            "TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP TRANSPOSE_TENSOR_SCALAR_ARITH_OP "
            "TENSOR_SCALAR_BITVEC_OP TENSOR_SCALAR_PTR_BITVEC_OP TENSOR_SCALAR_CACHE_REDUCE "
            "TENSOR_SCALAR_CACHE_CUMULATIVE EXPONENTIAL TENSOR_REDUCE_ARITH_OP TENSOR_REDUCE_BITVEC_OP "
            "TENSOR_CUMULATIVE_ARITH_OP TENSOR_CUMULATIVE_BITVEC_OP COPY CAST RECIPROCAL STREAM_SHUFFLE "
            "STREAM_TRANSPOSE"
        ),
        generations="MARIANA MAVERICK",
    ),
    Assumption(
        id="indirect-index-out-of-range",
        question="An index whose element lies outside the partition",
        alternatives=("error", "skip", "clamp"),
        default="error",
        confidence="L",
        evidence="no source for this form; skip is documented for other engines' gathers only (01 §6.2)",
        instructions=(
            "TENSOR_TENSOR_ARITH_OP TENSOR_TENSOR_BITVEC_OP COPY_PREDICATED CAST_PREDICATED COPY_PREDICATED_SCALAR "
            "TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP TRANSPOSE_TENSOR_SCALAR_ARITH_OP "
            "TENSOR_SCALAR_BITVEC_OP TENSOR_SCALAR_PTR_BITVEC_OP TENSOR_SCALAR_CACHE_REDUCE "
            "TENSOR_SCALAR_CACHE_CUMULATIVE EXPONENTIAL TENSOR_REDUCE_ARITH_OP TENSOR_REDUCE_BITVEC_OP "
            "TENSOR_CUMULATIVE_ARITH_OP TENSOR_CUMULATIVE_BITVEC_OP COPY CAST RECIPROCAL STREAM_SHUFFLE "
            "STREAM_TRANSPOSE"
        ),
        generations="MARIANA MAVERICK",
    ),
    Assumption(
        id="indirect-index-region",
        question="May the index list be in PSUM?",
        alternatives=("sbuf-only", "sbuf-or-psum"),
        default="sbuf-only",
        confidence="M",
        evidence=(
            "NKI documentation, page nki.language.NkiTensor calls it an SBUF tensor; recovered flag values "
            "contradict themselves (01 §9.6)"
        ),
        instructions=(
            "TENSOR_TENSOR_ARITH_OP TENSOR_TENSOR_BITVEC_OP COPY_PREDICATED CAST_PREDICATED COPY_PREDICATED_SCALAR "
            "TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP TRANSPOSE_TENSOR_SCALAR_ARITH_OP "
            "TENSOR_SCALAR_BITVEC_OP TENSOR_SCALAR_PTR_BITVEC_OP TENSOR_SCALAR_CACHE_REDUCE "
            "TENSOR_SCALAR_CACHE_CUMULATIVE EXPONENTIAL TENSOR_REDUCE_ARITH_OP TENSOR_REDUCE_BITVEC_OP "
            "TENSOR_CUMULATIVE_ARITH_OP TENSOR_CUMULATIVE_BITVEC_OP COPY CAST RECIPROCAL STREAM_SHUFFLE "
            "STREAM_TRANSPOSE"
        ),
        generations="MARIANA MAVERICK",
    ),
    Assumption(
        id="indirect-dst-size-limit",
        question="Limit enforced by `indirect_dst_size_limit_m3d`",
        alternatives=("no-limit", "unknown-limit"),
        default="no-limit",
        confidence="L",
        evidence="S003 names the check without a body (01 §9.7)",
        instructions=(
            "TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP TRANSPOSE_TENSOR_SCALAR_ARITH_OP "
            "TENSOR_SCALAR_BITVEC_OP TENSOR_SCALAR_PTR_BITVEC_OP TENSOR_SCALAR_CACHE_REDUCE "
            "TENSOR_SCALAR_CACHE_CUMULATIVE EXPONENTIAL"
        ),
        generations="MARIANA MAVERICK",
    ),
    Assumption(
        id="indirect-src-dst-quadrant",
        question="Body of `indirect_quadrant_check_src3d_dst3d`",
        alternatives=("nki-base-partition", "dst-own-index", "no-rule"),
        default="nki-base-partition",
        confidence="M",
        evidence=(
            "NKI documentation repeats the rule on every page with indirect operands, e.g. nki.isa.tensor_scalar; "
            "S000/S003 give only the name (01 §9.8)"
        ),
        instructions=(
            "TENSOR_TENSOR_ARITH_OP TENSOR_TENSOR_BITVEC_OP COPY_PREDICATED CAST_PREDICATED COPY_PREDICATED_SCALAR "
            "TENSOR_SCALAR_ARITH_OP TENSOR_SCALAR_PTR_ARITH_OP TRANSPOSE_TENSOR_SCALAR_ARITH_OP "
            "TENSOR_SCALAR_BITVEC_OP TENSOR_SCALAR_PTR_BITVEC_OP TENSOR_SCALAR_CACHE_REDUCE "
            "TENSOR_SCALAR_CACHE_CUMULATIVE EXPONENTIAL TENSOR_REDUCE_ARITH_OP TENSOR_REDUCE_BITVEC_OP "
            "TENSOR_CUMULATIVE_ARITH_OP TENSOR_CUMULATIVE_BITVEC_OP COPY CAST RECIPROCAL STREAM_SHUFFLE "
            "STREAM_TRANSPOSE"
        ),
        generations="MARIANA MAVERICK",
    ),
    Assumption(
        id="immediate-register-bound",
        question="Highest legal register number in an immediate or address register field",
        alternatives=("64-registers", "256-registers"),
        default="64-registers",
        confidence="M",
        evidence="NUM_ADDR_REGISTERS = 64; the immediate rule's own bound is not printed (01 §7.3)",
    ),
    Assumption(
        id="narrow-immediate-high-bytes",
        question="Non-zero upper bytes of an inline 1- or 2-byte immediate of 0xE8",
        alternatives=("ignored", "reject"),
        default="ignored",
        confidence="M",
        evidence="S000: an instruction immediate is always valid; only the low bytes are stored (04 §2.5)",
        instructions="COPY_PREDICATED_SCALAR",
    ),
)
