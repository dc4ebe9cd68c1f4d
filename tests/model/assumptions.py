"""The rows of docs/isa/00-decisions.md on which the modelled opcodes depend, and what this model does with them."""

from .errors import NotModelled

# id -> alternatives this model follows; the first one is the default, i.e. the value of profile "notes".
FOLLOWED = {
    "maverick-inst-flags-byte": ("byte-3", "byte-2"),
    "maverick-tile-range": ("zero-only", "ignore-flags"),
    "psum-on-maverick": ("empty-region",),
    "walk-out-of-bounds": ("error-before-write", "wrap-in-partition"),
    "partial-overlap": ("snapshot",),
    "duplicate-destination": ("last-wins", "first-wins"),
    "uninitialised-memory": ("zero",),
    "register-address-checks": ("at-run-time", "never"),
    "shape-register": ("not-modelled",),
    "indirect-index-dtype": ("uint16", "uint32"),
    "indirect-index-layout": ("snake-16", "per-partition"),
    "indirect-index-out-of-range": ("error",),
    "indirect-index-region": ("sbuf-only", "sbuf-or-psum"),
    "s3s3d3-indirect": ("src0-and-dst", "no-operand", "all-operands"),
    "fp8-e2m5-format": ("finite-only", "not-modelled"),
    "fp8-e4m3-variant": ("by-generation-and-mode", "ieee-240", "fn-448"),
    "fp8-mode-mariana": ("ocp-saturate", "ocp-no-saturate", "legacy"),
    "fp8-underflow-half-step": ("round-to-nearest", "flush-to-zero"),
    "float-to-int-rounding": ("rne-saturate", "truncate-saturate", "truncate-wrap"),
    "float-to-int-nan": ("sign-saturate", "zero", "max"),
    "int32-arithmetic": ("via-fp32",),
    "fp32-subnormals": ("keep",),
    "nan-code-on-narrowing": ("quiet-keep-sign", "quiet-positive"),
    "nan-results": ("first-operand-else-positive-quiet", "always-canonical"),
    "fp32r-mantissa-bits": ("11", "10", "13"),
    "stochastic-rounding": ("nearest-even",),
    "equal-dtype-conversion": ("raw-bits", "via-fp32"),
    "bypass-equal-dtypes": ("via-fp32", "raw-bits"),
    "max-nan": ("maxnum", "select", "propagate"),
    "max-signed-zero": ("positive-above-negative", "right-operand"),
    "logical-nan-truth": ("nan-is-true", "nan-is-false"),
    "relu-edge": ("plus-zero", "keep"),
    "rsqrt-accuracy": ("correctly-rounded", "not-modelled"),
    "symmetric-clamp": ("reject", "accept-header-formula", "accept-clamp"),
    "undefined-alu-codes": ("not-modelled", "compute-where-defined"),
    "shift-count-range": ("zero-or-sign-fill", "modulo-32"),
    "bitvec-lane-width": ("32-bit", "dtype-width"),
    "arith-shift-right-narrow": ("sign-extend-signed", "32-bit-lane"),
    "ts-op1-bypass-reversed": ("forward-intermediate", "left-operand"),
    "reversed-unary-op": ("left-operand", "stream-operand"),
    "int-tensor-scalar-dtypes": ("legal-not-modelled", "type-error"),
    "int-tensor-scalar-immediate": ("fp32-converted", "raw-int32"),
    "transpose-scalar-lane": ("destination-lane", "source-lane"),
    "merge-of-unselected": ("keep-bytes", "zero"),
    "cps-polarity": ("write-where-false", "write-where-true"),
    "select-reduce-false-lanes": ("merge", "fill"),
    "select-reduce-reverse": ("negate-predicate", "no-effect"),
    "select-reduce-idle": ("single-shot", "keep-tainted"),
    "select-reduce-axis": ("free-axis-per-lane",),
    "select-reduce-output-conversion": ("convert",),
    "accumulator-location": ("lane-register-fp32",),
    "accumulator-lane": ("channel-index",),
    "accumulator-read-effect": ("unchanged", "cleared"),
    "accumulator-reset-value": ("operator-identity", "zero", "fp32-lowest-for-max"),
    "accumulator-idle": ("keep-tainted", "keep"),
    "fold-operand-order": ("element-first", "accumulator-first"),
    "stt-fold-operator": ("add",),
    "stt-accumulate-and-store": ("both",),
    "cache-reduce-destination": ("elementwise-result",),
    "scan-recurrence": ("state-recurrence",),
    "scan-state-precision": ("fp32", "dst-dtype"),
    "tensor-reduce-operand-order": ("accumulator-first", "element-first"),
    "tensor-reduce-seed": ("first-element",),
    "unary-op-in-fold": ("running-value", "element"),
    "pool-scale-order": ("sum-then-multiply",),
    "max-pool-select-on-dve": ("execute",),
    "sunda-bf16-engine": ("dve",),
    "reciprocal-accuracy": ("correctly-rounded",),
    "mask-byte-32-63": ("lane-unmodified",),
    "transpose-mask-enable": ("keep-masked-lanes", "no-effect"),
    "transpose-short-destination": ("truncate",),
    "range-select-compare": ("element-index",),
    "range-select-base": ("reject",),
    "dropout-tie": ("rate-rule",),
    "dropout-scale": ("mask-only",),
    "dropout-draw-map": ("mantissa-fill",),
    "lfsr-generator": ("fibonacci-32-22-2-1",),
    "max8-nan": ("fills-empty-slot",),
    "match-flags-lifetime": ("only-by-load", "per-instruction"),
    "find-index-feeds-read-indices": ("replace-only", "find-and-replace"),
    "read-indices-order": ("slot-0-first", "slot-7-first"),
    "bn-accumulation": ("pairwise-update", "sum-and-square"),
    "bn-param-load2-roles": ("imm0-mean", "imm1-mean"),
    "rand2-lane-map": ("i-mod-4",),
    "xorwow-word-order": ("word-major", "lane-major"),
    "sparsity-ranking": ("earlier-index-nan-last-signed",),
    "quantize-mx-length-byte": ("accept-always-saturate",),
    "quantize-mx-scale": ("emax", "emax-minus-1"),
    "quantize-mx-zero-block": ("one", "zero"),
    "int-wide-on-dve": ("model-behind-flag",),
    "exponential-accuracy": ("correctly-rounded",),
    "fold-cast-point": ("before-conversion", "after-conversion"),
    "fold-association": ("sequential",),
}

# Rows in which profile "nki" differs, as far as the modelled opcodes see them.
NKI = {
    "fp32r-mantissa-bits": "10",
    "select-reduce-false-lanes": "fill",
    "select-reduce-idle": "keep-tainted",
    "quantize-mx-scale": "emax-minus-1",
    "quantize-mx-zero-block": "zero",
}


def choices(assumptions: dict[str, str] | None, profile: str) -> dict[str, str]:
    """Merge defaults, profile and the caller's values into one id -> value table.

    Ids that do not concern the modelled opcodes are passed over.
    Raises NotModelled for an alternative this model does not follow, ValueError for an unknown profile.
    """
    if profile not in ("notes", "nki"):
        raise ValueError(f"unknown profile {profile!r}")
    table = {name: followed[0] for name, followed in FOLLOWED.items()}
    if profile == "nki":
        table.update(NKI)
    for name, value in (assumptions or {}).items():
        if name not in FOLLOWED:
            continue
        if str(value) not in FOLLOWED[name]:
            raise NotModelled(f"{name} = {value}")
        table[name] = str(value)
    return table
