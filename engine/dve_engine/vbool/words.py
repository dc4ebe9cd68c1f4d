"""Instruction words: the 32-bit template of an operation in a slot, and the operand fields that are known.

A template belongs to its slot; the same mnemonic has unrelated words in others. Values, not memory order.
Source: isa/07 section 10 [H].
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .errors import BadInput

# slot: mnemonic without ivp_, word
_TEXT = MappingProxyType({
    "F0_S1_Ld": """
        andb 004a1070  orb 004a10b0  xorb 004a00d0  andnotb 004a00a0  ornotb 004a00c0  joinb 004a00b0  notb 004a10e0
        andnotb1 004a10a0  ornotb1 004a10c0  notb1 004a11e0  ext0ib 004a10d0  mb 004a0fe0  movba1 004a0ce0
        extractbh 004a0de0  extractbl 004a0ee0  randb2n 004a12e0  randbn 004a13e0  randbn_2 004a14e0
        rorb2n 004a15e0  rorbn 004a16e0  rorbn_2 004a17e0  bnorfs2n 004a18e0  borfs2n 004a18e1
        ltrni 004a00e0  ltrn_2i 004a04e0  ltr2n 004a06e0  ltrn 004a07e0  ltrn_2 004a08e0  ltrs2n 004a09e0
        ltrsn 004a0ae0  ltrsn_2 004a0be0  ltr2ni 004a18d0  movvfs 006020ac""",
    "F0_S3_ALU": """
        eq2nx8 80870000  eqnx16 80870002  eqn_2x32 80870004  le2nx8 80870006  lenx16 80870008  len_2x32 8087000a
        leu2nx8 8087000c  leunx16 8087000e  leun_2x32 80870100  lt2nx8 80870102  ltnx16 80870104  ltn_2x32 80870106
        ltu2nx8 80870108  ltunx16 8087010a  ltun_2x32 8087010c  neq2nx8 8087010e  neqnx16 80870200  neqn_2x32 80870202
        addnx16t 66f80000  addsnx16t 67880000  subnx16t 80500000  subsnx16t 80600000  maxnx16t 67a00000
        maxunx16t 67b80000  minnx16t 67d00000  minunx16t 67f80000  negnx16t 64105000  negsnx16t 64105c00
        bmaxnx16 67070000  bmax2nx8 67068000  bmaxn_2x32 67078000  bmaxunx16 80808000  bminnx16 80820000
        bminunx16 80838000  babsnx16 64805400  babssubnx16 67048000  babssubunx16 67058000  baddnormnx16 67060000
        bsubnormnx16 80848000
        raddnx16 869080f1  raddnx16t 86900060  radd2nx8 869000f1  radd2nx8t 86900050  raddn_2x32 869100f1
        raddn_2x32t 86900070  raddunx16 869280f1  raddunx16t 86900061  raddsnx16 869180f1  raddsnx16t 86900041
        rmaxnx16 869480f1  rmaxnx16t 86980050  rmaxunx16 869600f1  rmaxunx16t 86980060  rminnx16 84820070
        rminnx16t 86980051  rminunx16 84920060  rminunx16t 86980061  rmaxnumnxf16 869380f1  rmaxnumnxf16t 86900071
        rmaxnumn_2xf32 869400f1  rmaxnumn_2xf32t 86980040  rminnumnxf16 869780f1  rminnumnxf16t 86980070
        rminnumn_2xf32 84820060  rminnumn_2xf32t 86980041  rbmaxnx16 84808040  rbmaxunx16 84808070
        rbmax2nx8 84800050  rbmaxu2nx8 84808060  rbmaxn_2x32 84808050  rbmaxun_2x32 84810040  rbminnx16 84818040
        rbminunx16 84818070  rbmin2nx8 84810050  rbminu2nx8 84818060  rbminn_2x32 84818050  rbmaxnumnxf16 84800060
        rbmaxnumnxf16t 84800000  rbmaxnumn_2xf32 84800070  rbminnumnxf16 84810060  rbminnumnxf16t 84800020
        rbminnumn_2xf32 84810070
        movab1 64815000  movfsv 6498de00  movprpr 82ba820a  movvpr 85000010  mov2nx8t 80400000  extrprnx16 80ee8000
        extrpr2nx8 86bf8000  extrprn_2x32 80878306  extrpr64n_4x64 868e0100  extrprvrn_2x32 80ee8200
        dextrprn_2x32 67000000  injbinx16 869000e1  injbi2nx8 869040e1  injbin_2x32 86900040  repnx16t 80300010
        rep2nx8t 80300000  repn_2x32t 81000000  selnx16t 80100000  sel2nx8t 80000000  seln_2x32t 80200000
        dcmprs2nx8 81000002""",
    "F0_S0_LdSt": "movpra32 11040600",
    "F1_S2_Mul": "popc2nx8 02fc2080",
    "F1_S3_ALU": """
        oeqnxf16 27054800  oeqn_2xf32 2705c800  olenxf16 27064800  olen_2xf32 2706c800  oltnxf16 27074800
        oltn_2xf32 2707c800  ueqnxf16 27044c00  ueqn_2xf32 2704cc00  ulenxf16 27054c00  ulen_2xf32 2705cc00
        ultnxf16 27074c00  ultn_2xf32 2707cc00  uleqnxf16 27064c00  uleqn_2xf32 2706cc00  ultqnxf16 27804800
        ultqn_2xf32 2780c800  uneqnxf16 27814800  uneqn_2xf32 2781c800  unnxf16 27824800  unn_2xf32 2782c800
        clsfynxf16 25920202  clsfyn_2xf32 259a0202""",
})  # fmt: skip


def _words() -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for slot, text in _TEXT.items():
        parts = text.split()
        for mnemonic, digits in zip(parts[::2], parts[1::2], strict=True):
            found.setdefault(f"ivp_{mnemonic}", {})[slot] = int(digits, 16)
    return found


WORDS: Mapping[str, Mapping[str, int]] = _words()
VBOOL_FIELDS = MappingProxyType({"vbt": 13, "vbr": 0, "vbs": 8})  # of the F0_S1_Ld group: low bit of each 4-bit field
MASK_SHIFT = 15  # of the 4-bit mask field in vector operations


def vbool_word(mnemonic: str, **fields: int) -> int:
    """The word of a mask operation in slot F0_S1_Ld, with vbt, vbr and vbs filled in.

    Raises BadInput for an operation without such a word, another field, or a register that does not exist.
    """
    word = WORDS.get(mnemonic, {}).get("F0_S1_Ld")
    if word is None:
        raise BadInput("", f"{mnemonic} has no word in slot F0_S1_Ld")
    for name, register in fields.items():
        if name not in VBOOL_FIELDS or not 0 <= register < 16:
            raise BadInput(name, f"{register} is no register of a field among {', '.join(VBOOL_FIELDS)}")
        word |= register << VBOOL_FIELDS[name]
    return word
