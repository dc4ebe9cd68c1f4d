"""Every vector of vectors/vbool.json through the Python API, in the words of the file."""

import json
from collections import Counter
from pathlib import Path

import pytest

from dve_engine import vbool
from dve_engine.isa.assumptions import Choices

VECTORS = json.loads((Path(__file__).parents[3] / "docs/isa/vectors/vbool.json").read_text())


def listed(found, expected):
    """The outputs a vector lists: some leave flags out."""
    return {name: found[name] for name in expected} if isinstance(expected, dict) else found


def test_all_512_vectors():
    passed = 0
    for vector in VECTORS:
        found = vbool.evaluate(vector["op"], vector["inputs"])
        assert listed(found, vector["output"]) == vector["output"], vector
        passed += 1
    assert passed == 512


def test_all_512_vectors_in_one_call_and_what_they_depend_on():
    choices = Choices()
    found = vbool.evaluate_all([(vector["op"], vector["inputs"]) for vector in VECTORS], choices)
    assert [listed(f, v["output"]) for f, v in zip(found, VECTORS, strict=True)] == [v["output"] for v in VECTORS]
    assert choices.used == {"dropout-tie": "rate-rule", "dropout-draw-map": "mantissa-fill"}


def test_the_file_is_the_one_the_page_describes():
    assert Counter(vector["confidence"] for vector in VECTORS) == {"H": 475, "M": 37}
    derived = sum(vector["source"].startswith("derived") for vector in VECTORS)
    assert (len(VECTORS), derived) == (512, 106)


# Operations without a vector are covered by the model alone; a new one is added here on purpose.
def test_operations_without_a_vector_are_counted():
    tested = {vector["op"] for vector in VECTORS}
    assert tested <= vbool.OPERATIONS.keys()
    assert len(vbool.OPERATIONS.keys() - tested) == 415 - len(tested)
    assert len(tested) == 162


@pytest.mark.parametrize(
    ("op", "inputs", "output"),
    [  # isa/07 section 14
        ("predflag2t", {"flags": "0x5"}, "0x0000000000000033"),
        ("ivp_ltrni", {"n": "0x5"}, "0x00000000000003ff"),
        ("ivp_ltr2ni", {"n": "0x21"}, "0x00000001ffffffff"),
        ("ivp_rmaxnumnxf16", {"vec": "007e" * 32}, {"result": "0x7e00", "invalid": "0x0"}),
        ("ivp_movvpr", {"pr": "0x1122334455667788"}, "8877665544332211" * 8),
        (
            "ivp_dextrprn_2x32",
            {"vec": "01000000" * 15 + "02000000", "lane0": "0xf", "lane1": "0x0"},
            "0x0000000100000002",
        ),
        ("ivp_clsfyn_2xf32", {"a": "0000a0ff" * 16}, "61000000" * 16),
        ("bitkill_movgez", {"x": "0x80000000"}, "0x0"),
        ("bitkill_movltz", {"x": "0xffffffff"}, "0x1"),
    ],
)
def test_worked_examples(op, inputs, output):
    assert vbool.evaluate(op, inputs) == output
