"""Instruction words against isa/07 section 10, and the descriptions that show them."""

import re
from pathlib import Path

import pytest

from dve_engine import vbool
from dve_engine.vbool import describe
from dve_engine.vbool.words import MASK_SHIFT, WORDS, vbool_word

PAGE = (Path(__file__).parents[3] / "docs/isa/07-vbool-predicate-iss.md").read_text()
SECTION = PAGE[PAGE.index("## 10. Encodings") : PAGE.index("## 11. Timing")]


def test_every_word_stands_in_the_page():
    words = [(mnemonic, word) for mnemonic, slots in WORDS.items() for word in slots.values()]
    assert len(words) == 160
    for mnemonic, word in words:
        short = mnemonic.removeprefix("ivp_")
        if word >> 16 == 0x8087 and word & 0xFFFF < 0x300:
            assert f"0x{word & 0xFFFF:04x}" in SECTION, mnemonic
        else:
            assert f"0x{word:08x}" in SECTION, (short, hex(word))


def test_every_word_of_a_modelled_operation_is_taken():
    printed = set(re.findall(r"0x[0-9a-f]{8}\b", SECTION))
    known = {f"0x{word:08x}" for slots in WORDS.values() for word in slots.values()}
    assert printed - known == {"0x00000000", "0x20000000"}  # dselnx16t, dseln_2x32t: not modelled
    assert WORDS.keys() <= vbool.OPERATIONS.keys()


def test_worked_words():
    assert vbool_word("ivp_andb", vbt=5, vbr=2, vbs=9) == 0x004AB972
    assert vbool_word("ivp_randbn", vbt=1, vbr=7) == 0x004A33E7
    assert WORDS["ivp_addnx16t"]["F0_S3_ALU"] | 2 << MASK_SHIFT == 0x66F90000
    with pytest.raises(vbool.BadInput):
        vbool_word("ivp_andb", vbt=16)
    with pytest.raises(vbool.BadInput):
        vbool_word("ivp_addnx16t", vbt=1)


def test_the_structure_the_page_derives():
    fp16, fp32 = "nxf16", "n_2xf32"
    for mnemonic, slots in WORDS.items():
        for word in slots.values():
            if "F0_S1_Ld" in slots and mnemonic != "ivp_movvfs":
                assert word >> 17 == 0x0025
        if mnemonic.endswith(fp16) and mnemonic.startswith(("ivp_o", "ivp_u")):
            twin = mnemonic.replace(fp16, fp32)
            assert WORDS[twin]["F1_S3_ALU"] == slots["F1_S3_ALU"] | 1 << 15
    predicates, tokens = ("eq", "le", "leu", "lt", "ltu", "neq"), ("2nx8", "nx16", "n_2x32")
    order = [f"ivp_{predicate}{token}" for predicate in predicates for token in tokens]
    for number, mnemonic in enumerate(order):
        assert WORDS[mnemonic]["F0_S3_ALU"] == 0x80870000 | (number >> 3) << 8 | (number & 7) << 1


def test_descriptions():
    whole = describe.unit()
    assert len(whole["operations"]) == len(vbool.OPERATIONS) == 415
    assert [one["prefix"] for one in whole["files"] if one["modelled"]] == ["a", "b", "v", "vb", "pr", "fs"]
    for line in whole["operations"]:
        one = describe.operation(line["op"])
        assert line.items() <= one.items()
        assert (one["schedule"] is None) == one["routine"] == (one["text"] is None)
    add = describe.operation("ivp_addnx16t")
    assert add["text"] == "ivp_addnx16t v#, v#, v#, vb#"
    assert [(o["name"], o["tied"]) for o in add["inputs"]] == [("a", None), ("b", None), ("old", "vec"), ("vb", None)]
    assert add["words"] == [{"slot": "F0_S3_ALU", "word": "0x66f80000"}]
    assert add["schedule"] == {
        "slot": "S3_ALU", "results": {"v": 11, "vb": 11}, "reads": {"v": [10], "vb": [10]}, "basis": "file",
        "disputed": False, "note": None,
    }  # fmt: skip
