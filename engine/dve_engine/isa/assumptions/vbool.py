"""Open questions: predicate ISS (vbool).

Source: isa/00 section 8.
"""

from __future__ import annotations

from .model import Assumption

ROWS = (
    Assumption(
        id="vbool-compare-t-inactive",
        question="Predicated compare, lane with a false mask",
        alternatives=("zero", "merge"),
        default="zero",
        confidence="M",
        evidence=(
            "executed value routine gives 0; S004 describes merging for arithmetic, select, move and store forms "
            "(07 §3.4)"
        ),
        instructions="ivp_o*t ivp_u*t",
    ),
    Assumption(
        id="vbool-geu",
        question="Is there an unsigned greater-or-equal compare?",
        alternatives=("alias-of-swapped-leu", "absent"),
        default="alias-of-swapped-leu",
        confidence="M",
        evidence="listed in S004, absent from public arch-isa notes, page ISA Batch 03 (07 §3.1)",
        instructions="ivp_geu2nx8 ivp_geunx16 ivp_geun_2x32",
    ),
    Assumption(
        id="vbool-predflag",
        question="What does predflag2t/4t/8t compute?",
        alternatives=("packer", "sticky-flag"),
        default="packer",
        confidence="M",
        evidence="S004: packs lane flags; the routine's name grammar suggests one sticky bit (07 §5.4)",
        instructions="predflag2t predflag4t predflag8t",
    ),
    Assumption(
        id="vbool-movvpr",
        question="ivp_movvpr",
        alternatives=("vec-from-pr-replicated", "pr-from-vec"),
        default="vec-from-pr-replicated",
        confidence="L",
        evidence="assembled form has the vec first; S004 says the opposite direction but gives no value rule (07 §9)",
        instructions="ivp_movvpr",
    ),
    Assumption(
        id="vbool-ltrs-limit",
        question="Saturating tail mask with a count above the lane count",
        alternatives=("all-ones", "cap-63"),
        default="all-ones",
        confidence="L",
        evidence="two phrases of one page differ (07 §5.3)",
        instructions="ivp_ltrsn ivp_ltrs2n ivp_ltrsn_2",
    ),
    Assumption(
        id="vbool-joinb-order",
        question="Which source of ivp_joinb is the low half?",
        alternatives=("vbs-low", "vbr-low"),
        default="vbs-low",
        confidence="L",
        evidence="select-crossbar convention (07 §4)",
        instructions="ivp_joinb",
    ),
    Assumption(
        id="vbool-empty-reduce",
        question="Masked max/min reduce with no live lane",
        alternatives=("identity", "old-value", "quiet-nan"),
        default="identity",
        confidence="M",
        evidence="matches the -inf seed S001 gives for a fresh masked maximum (07 §8)",
        instructions="ivp_rmax*t ivp_rmin*t ivp_rb*num*t",
    ),
    Assumption(
        id="vbool-zero-tie-mask",
        question="Winner mask when +0 and -0 tie",
        alternatives=("equal-bits", "numeric-equal"),
        default="equal-bits",
        confidence="L",
        evidence="maxnum orders -0 below +0 (07 §8.3)",
        instructions="ivp_rbmaxnum* ivp_rbminnum*",
    ),
    Assumption(
        id="vbool-compare-latency",
        question="Result stage of compares",
        alternatives=("fp-10-int-11", "port-model"),
        default="fp-10-int-11",
        confidence="M",
        evidence="S004; another page's port model fits equally well; never affects values (07 §11)",
        instructions="ivp_o* ivp_u* ivp_lt* ivp_le* ivp_eq*",
    ),
)
