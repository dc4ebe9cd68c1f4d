"""Open questions: looked up where an answer depends on them, and only there."""

import numpy as np
import pytest

from dve_engine import vbool
from dve_engine.isa.assumptions import REGISTRY, AlternativeNotOffered, Choices
from dve_engine.isa.assumptions.not_offered import NOT_OFFERED

ONES, ZEROS = "000080 3f".replace(" ", "") * 16, "00" * 64
MINUS_ZERO_FIRST = "00000080" + "00000000" * 15
FULL, NONE = "0x" + "f" * 16, "0x" + "0" * 16


def asked(op, overrides=None, **inputs):
    choices = Choices(overrides=overrides)
    answer = vbool.evaluate(op, inputs, choices)
    return answer, choices.used


@pytest.mark.parametrize(
    ("identifier", "op", "inputs", "without"),
    [
        (
            "vbool-compare-t-inactive",
            "ivp_oeqn_2xf32t",
            {"a": ONES, "b": ONES, "pred": "0x1", "old": FULL},
            {"a": ONES, "b": ONES, "pred": FULL},
        ),
        ("vbool-ltrs-limit", "ivp_ltrsn", {"n": "0x20"}, {"n": "0x1f"}),
        ("vbool-empty-reduce", "ivp_rmaxnumn_2xf32t", {"vec": ONES, "pred": NONE}, {"vec": ONES, "pred": "0x1"}),
        ("vbool-empty-reduce", "ivp_rmaxnx16t", {"vec": ONES, "pred": NONE}, {"vec": ONES, "pred": "0x1"}),
        (
            "vbool-zero-tie-mask",
            "ivp_rbmaxnumn_2xf32",
            {"vec": MINUS_ZERO_FIRST},
            {"vec": ONES},
        ),
        (
            "dropout-tie",
            "dropout.keep_rate",
            {"rand": ONES, "src": ONES, "threshold": "0x3f800000"},
            {"rand": ONES, "src": ONES, "threshold": "0x3f000000"},
        ),
    ],
)
def test_asked_only_where_the_answer_hangs_on_it(identifier, op, inputs, without):
    assert list(asked(op, **inputs)[1]) == [identifier]
    assert asked(op, **without)[1] == {}


@pytest.mark.parametrize(
    ("identifier", "value", "op", "inputs", "answer"),
    [
        (
            "vbool-compare-t-inactive", "merge", "ivp_oeqn_2xf32t",
            {"a": ONES, "b": ONES, "pred": "0x000000000000000f", "old": "0xa0000000000000f0"},
            {"vb": "0xa0000000000000ff", "invalid": "0x0"},
        ),
        ("vbool-predflag", "sticky-flag", "predflag2t", {"flags": "0x5", "vb": "0x3c"}, "0x0000000000000001"),
        ("vbool-predflag", "sticky-flag", "predflag2t", {"flags": "0x5", "vb": "0x0c"}, "0x0000000000000000"),
        ("vbool-ltrs-limit", "cap-63", "ivp_ltrs2n", {"n": "0x40"}, "0x7fffffffffffffff"),
        ("vbool-empty-reduce", "quiet-nan", "ivp_rmaxnumn_2xf32t", {"vec": ONES, "pred": NONE},
         {"result": "0x7fc00000", "invalid": "0x0"}),
        ("vbool-empty-reduce", "old-value", "ivp_rmaxnx16t", {"vec": ONES, "pred": NONE, "old": "0x1234"}, "0x1234"),
        ("vbool-zero-tie-mask", "numeric-equal", "ivp_rbmaxnumn_2xf32", {"vec": MINUS_ZERO_FIRST},
         {"result": "0x00000000", "vb": FULL, "invalid": "0x0"}),
        ("dropout-draw-map", "scaled-convert", "dropout.uniform01", {"u": ["0xffffffff"]}, ["0x3f800000"]),
    ],
)  # fmt: skip
def test_alternatives(identifier, value, op, inputs, answer):
    assert asked(op, {identifier: value}, **inputs) == (answer, {identifier: value})


def test_geu_may_be_absent():
    assert asked("ivp_geu2nx8", a=ONES, b=ONES) == ({"vb": FULL}, {"vbool-geu": "alias-of-swapped-leu"})
    with pytest.raises(vbool.UnknownOperation, match="vbool-geu is absent"):
        asked("ivp_geu2nx8", {"vbool-geu": "absent"}, a=ONES, b=ONES)


def test_old_value_needs_the_old_value():
    with pytest.raises(vbool.MissingInput, match="old-value"):
        asked("ivp_rmaxnx16t", {"vbool-empty-reduce": "old-value"}, vec=ONES, pred=NONE)


def test_the_other_direction_of_movvpr_is_not_offered():
    with pytest.raises(AlternativeNotOffered, match="which bits"):
        Choices(overrides={"vbool-movvpr": "pr-from-vec"})
    assert asked("ivp_movvpr", pr=FULL)[1] == {"vbool-movvpr": "vec-from-pr-replicated"}


def test_joinb_order_is_a_matter_of_the_text():
    run = {}
    for value in ("vbs-low", "vbr-low"):
        machine, registers = vbool.VboolMachine(Choices(overrides={"vbool-joinb-order": value})), vbool.Registers()
        registers[vbool.Name("vb", 1)], registers[vbool.Name("vb", 2)] = np.uint64(0xF0), np.uint64(0xFF0F)
        result = machine.run("ivp_joinb vb0, vb1, vb2", registers)
        run[value] = int(result.registers[vbool.Name("vb", 0)])
        assert result.assumptions == {"vbool-joinb-order": value}
    assert run == {"vbs-low": 0x0000000C000000F3, "vbr-low": 0x000000F30000000C}


def test_every_vbool_row_has_an_operation_and_every_alternative_an_answer():
    rows = {identifier for identifier in REGISTRY if identifier.startswith("vbool-")}
    named = {identifier for row in vbool.OPERATIONS.values() for identifier in row.assumes}
    assert rows - named == {"vbool-joinb-order", "vbool-compare-latency"}  # of text and of timing
    assert [pair for pair in NOT_OFFERED if pair[0].startswith("vbool-")] == [("vbool-movvpr", "pr-from-vec")]
