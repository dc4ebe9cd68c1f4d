"""What each operation takes: slot, the stage at which it writes each file, the stages at which it reads.

`basis` says where a row comes from: "printed" for that instruction, "file" from the write stages of its class in the
file table, "inferred" for everything else. A disputed row stands in one page and fits another page differently; values
never depend on it.
Source: isa/07 section 11.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from ...isa.assumptions import Choices

Basis = Literal["printed", "file", "inferred"]


@dataclass(frozen=True)
class Row:
    """The schedule of one operation.

    results, reads: by file prefix. Two read stages: that of a destination's old value, then that of the mask.
    """

    slot: str
    results: Mapping[str, int]
    reads: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    basis: Basis = "inferred"
    disputed: bool = False
    note: str = ""


_LOAD, _ALU, _MUL = "S1_Ld", "S3_ALU", "S2_Mul"
_VEC, _MASK, _SCALAR = {"v": (10,)}, {"vb": (10,)}, {"a": (3,)}
_SWAPPED = "the page prints vec @10 read @12; the file table writes this class at 12, as for movvpr"

_LATE = "the row has vbool @12, the file table writes vbool at 10 or 11"

_COMPARE = r"(?:oeq|olt|ole|ueq|ult|ule|ultq|uleq|uneq|un)(?:nxf16|n_2xf32)"
_ALU_NAMES = r"add|sub|neg|max|min|bmax|bmin|babs|badd|bsub|bxor"
_WIDTHS = r"(?:2nx8|nx16|n_2x32)"

# The compares as S004 reads them; `vbool-compare-latency` = port-model: written at 11, the mask read at 10.
FP_COMPARE = Row(f"{_MUL}/{_ALU}", {"vb": 10}, _VEC, "file", disputed=True)
FP_COMPARE_T = replace(FP_COMPARE, reads={"v": (10,), "vb": (10, 11)})

ROWS: tuple[tuple[str, Row], ...] = (  # the first pattern that fits the whole mnemonic
    (r"ivp_olen_2xf32t", replace(FP_COMPARE_T, basis="printed")),
    (rf"ivp_{_COMPARE}t", FP_COMPARE_T),
    (rf"ivp_{_COMPARE}", FP_COMPARE),
    (r"ivp_ltnx16", Row(f"{_MUL}/{_ALU}", {"vb": 11}, _VEC, "printed")),
    (rf"ivp_(?:eq|neq|leu?|ltu?|geu){_WIDTHS}", Row(f"{_MUL}/{_ALU}", {"vb": 11}, _VEC, "file")),
    (r"ivp_andb", Row(_LOAD, {"vb": 10}, _MASK, "printed", note="and a set-def of an AR at stage 3")),
    (r"ivp_(?:and|or|xor|andnot|ornot|not|join)b|ivp_mb|ivp_extractb[lh]", Row(_LOAD, {"vb": 10}, _MASK, "file")),
    (r"ivp_ext0ib", Row(_LOAD, {"vb": 10}, _MASK | _SCALAR)),
    (r"ivp_(?:andnot|ornot|not)b1", Row(_LOAD, {"vb": 10, "b": 4}, _MASK | {"b": (3,)})),
    (r"ivp_r(?:and|or)b(?:2n|n|n_2)", Row(_LOAD, {"vb": 10, "b": 10}, _MASK, disputed=True, note="a result like AR's")),
    (r"ivp_ltrs?(?:2n|n|n_2)i?", Row(_LOAD, {"vb": 10}, _SCALAR, disputed=True)),
    (r"ivp_movba1", Row(_LOAD, {"vb": 10, "b": 4}, _SCALAR)),
    (r"ivp_movab1", Row(_ALU, {"a": 12}, _MASK | {"b": (3,)}, "file")),
    (r"predflag[248]t", Row(_LOAD, {"vb": 10}, _MASK | _SCALAR)),
    (r"bitkill_mov\w+", Row(_ALU, {"vb": 10, "b": 4}, _SCALAR)),
    (rf"ivp_extbi{_WIDTHS}", Row(_ALU, {"vb": 11}, _VEC | _SCALAR)),
    (rf"ivp_injbi{_WIDTHS}", Row(_ALU, {"v": 11}, _VEC | _MASK | _SCALAR)),
    (r"ivp_mov2nx8t", Row(_ALU, {"v": 10}, _VEC | _MASK, "printed")),
    (r"ivp_selnx16t?", Row(_ALU, {"v": 12}, _VEC | _MASK, "printed", True, "printed as vec @10, control read @12")),
    (rf"ivp_sel{_WIDTHS}t?", Row(_ALU, {"v": 12}, _VEC | _MASK, "file")),
    (r"ivp_dcmprs2nx8", Row(_ALU, {"v": 12}, _VEC | _MASK, "printed", True, "the page also prints pr @12")),
    (rf"ivp_rep{_WIDTHS}t?", Row(_ALU, {"v": 11}, _VEC | _MASK | _SCALAR)),
    (r"ivp_raddnx16", Row(_ALU, {"v": 12}, _VEC, "printed", True, _SWAPPED)),
    (r"ivp_rbminnx16", Row(_ALU, {"v": 12, "vb": 12}, _VEC, "printed", True, _LATE)),
    (r"ivp_rb(?:max|min)\w+", Row(_ALU, {"v": 12, "vb": 12}, _VEC | _MASK, "file", True, _LATE)),
    (r"ivp_r(?:add|max|min)\w+", Row(_ALU, {"v": 12}, _VEC | _MASK, "file")),
    (r"ivp_popc2nx8", Row(_MUL, {"v": 15}, _VEC, "printed", True, "reaches stage 15; the file table ends at 13")),
    (r"ivp_muln_2xf32t?", Row(_MUL, {"v": 13}, _VEC | _MASK, "file")),
    (r"ivp_clsfy\w+", Row(_ALU, {"v": 11}, _VEC | _MASK)),
    (rf"ivp_(?:{_ALU_NAMES})\w+", Row(_ALU, {"v": 11, "vb": 11}, _VEC | _MASK, "file")),
    (r"ivp_bn?orfs2n", Row(_LOAD, {"vb": 10}, {"fs": (10,)})),
    (r"ivp_movvfs", Row(_LOAD, {"v": 10}, {"fs": (10,)})),
    (r"ivp_movfsv", Row(_ALU, {"fs": 11}, _VEC)),
    (r"ivp_fs[0-7]ltu2nx8", Row(_ALU, {"fs": 11}, _VEC)),
    (r"ivp_movprpr", Row(_ALU, {"pr": 10}, {"pr": (10,)})),
    (r"ivp_movpra32", Row("S0_LdSt", {"pr": 10}, _SCALAR)),
    (r"ivp_d?extrpr\w+", Row(_ALU, {"pr": 11}, _VEC | _SCALAR)),
    (r"ivp_movvpr", Row(_ALU, {"v": 12}, {"pr": (10,)}, "printed", True, "printed the other way round")),
)


def row(mnemonic: str, choices: Choices | None = None) -> Row:
    """The schedule of an operation; that of a floating-point compare is `vbool-compare-latency`.

    Raises KeyError for a mnemonic without a row.
    """
    found = next((one for pattern, one in ROWS if re.fullmatch(pattern, mnemonic)), None)
    if found is None:
        raise KeyError(mnemonic)
    if re.fullmatch(rf"ivp_{_COMPARE}t?", mnemonic) and choices and choices["vbool-compare-latency"] == "port-model":
        masked = {"vb": (10,)} if "vb" in found.reads else {}
        return replace(found, results={"vb": 11}, reads={"v": (10,)} | masked)
    return found
