"""The table of operations and the words of its values."""

import ast
import inspect
import sys
from pathlib import Path

import numpy as np
import pytest

import dve_engine.vbool as package
from dve_engine import vbool
from dve_engine.isa.assumptions import Choices


def test_mnemonics_are_attributes():
    assert vbool.ivp_andb is vbool.OPERATIONS["ivp_andb"]
    assert int(vbool.ivp_andb(0xF0, 0x3C)) == 0x30
    with pytest.raises(AttributeError):
        _ = vbool.ivp_unheard_of


def test_the_table_is_complete_enough_to_describe():
    for row in vbool.OPERATIONS.values():
        assert row.rule and row.section and row.confidence in "HML"
        assert row.inputs and row.outputs
        assert row.bare <= (len(row.outputs) == 1)
        tied = {operand.tied for operand in row.inputs if operand.tied}
        assert tied <= {operand.name for operand in row.outputs}


def test_counts_of_the_page():
    names = vbool.OPERATIONS.keys()
    integer = [n for n in names if n.startswith(tuple(f"ivp_{op}" for op in ("eq", "neq", "le", "lt")))]
    assert len([n for n in integer if not n.startswith("ivp_ltr")]) == 18
    compares = [row for row in vbool.GROUPS["compare_fp"] if not row.routine]
    assert len(compares) == 40
    flagged = [n for n in names if n.startswith("ivp_rb") and "num" not in n]
    assert len(flagged) == 12


def test_inputs_broadcast_and_are_never_written():
    a = np.arange(128, dtype=np.uint8).reshape(2, 64)
    before = a.copy()
    assert vbool.ivp_eq2nx8(a, a[0]).tolist() == [(1 << 64) - 1, 0]
    vbool.ivp_addnx16t(a, a, a, np.array([1, 2], np.uint64))
    assert np.array_equal(a, before)


def test_single_values_wrap_like_arrays():
    with np.errstate(all="raise"):
        assert int(vbool.add_16_16_16(0xFFFF, 2)) == 1
        assert int(vbool.neg_16_16(0x8000)) == 0x8000


def test_a_vector_register_is_64_bytes():
    with pytest.raises(ValueError, match="64 bytes"):
        vbool.ivp_movfsv(np.zeros(32, np.uint8))
    with pytest.raises(vbool.MissingInput, match="ivp_andb needs it"):
        vbool.ivp_andb(1)


@pytest.mark.parametrize(
    ("op", "inputs", "said"),
    [
        ("ivp_andb", {"a": "0x1", "c": "0x1"}, "c: ivp_andb takes a, b"),
        ("ivp_andb", {"a": "0x1"}, "b: ivp_andb needs it"),
        ("ivp_andb", {"a": "1", "b": "0x1"}, "a: '1' is not '0x'"),
        ("ivp_andb", {"a": "0x", "b": "0x1"}, "a: '0x' is not"),
        ("ivp_andb", {"a": "0x-1", "b": "0x1"}, "a: '0x-1' is not"),
        ("ivp_andb", {"a": "0x1_0", "b": "0x1"}, "a: '0x1_0' is not"),
        ("ivp_andb", {"a": "0x\u0661", "b": "0x1"}, "is not '0x'"),
        ("ivp_andb", {"a": 5, "b": "0x1"}, "a: 5 is not"),
        ("lt_2_16_16", {"a": "0x10000", "b": "0x1"}, "a: 0x10000 does not fit into 16 bits"),
        ("ivp_notb", {"a": "0x" + "1" * 17}, "is not '0x' and 1 to 16"),
        ("ivp_movfsv", {"vec": "00" * 63}, "is not 128 hex digits"),
        ("ivp_movfsv", {"vec": "zz" * 64}, "is not 128 hex digits"),
        ("ivp_borfs2n", {"masks": ["0x1"] * 7}, "masks: takes 8 words, got 7"),
        ("ivp_borfs2n", {"masks": "0x1"}, "is not a list"),
        ("ivp_borfs2n", {"masks": ["0x1"] * 7 + ["1"]}, "masks.7: '1' is not"),
    ],
)
def test_values_that_cannot_be(op, inputs, said):
    with pytest.raises(vbool.BadInput) as caught:
        vbool.evaluate(op, inputs)
    assert said in str(caught.value)


def test_unknown_operations_name_the_nearest_or_a_reason():
    with pytest.raises(vbool.UnknownOperation) as caught:
        vbool.evaluate("ivp_ltnx61", {})
    assert caught.value.nearest == "ivp_ltnx16"
    with pytest.raises(vbool.UnknownOperation, match="second output") as caught:
        vbool.evaluate("ivp_dselnx16t", {})
    assert caught.value.reason


def test_a_list_names_the_operation_at_fault():
    good, bad = ("ivp_notb", {"a": "0x0"}), ("ivp_notb", {"a": "no"})
    with pytest.raises(vbool.EvaluationError) as caught:
        vbool.evaluate_all([good, good, bad], Choices())
    assert caught.value.position == 2
    assert isinstance(caught.value.cause, vbool.BadInput)


def test_lists_of_different_lengths_are_different_calls():
    ops = [("dropout.uniform01", {"u": ["0x0"] * n}) for n in (1, 3, 0, 1)]
    assert [len(answer) for answer in vbool.evaluate_all(ops, Choices())] == [1, 3, 0, 1]


FOLDER = Path(inspect.getfile(package)).parent


def test_files_stay_short():
    assert [p for p in FOLDER.rglob("*.py") if len(p.read_text().splitlines()) >= 300] == []


def imported(path):
    """The absolute names of the modules a file imports."""
    here = ["dve_engine", "vbool", *path.relative_to(FOLDER).with_suffix("").parts]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level] if node.level else []
            yield ".".join([*base, *([node.module] if node.module else [])])


def test_the_wing_stands_on_the_facts_alone():
    allowed = ("dve_engine.vbool", "dve_engine.isa.", "numpy")
    for path in FOLDER.rglob("*.py"):
        for module in imported(path):
            top = module.partition(".")[0]
            assert module.startswith(allowed) or top in sys.stdlib_module_names, (path.name, module)


def test_flags_and_masks_in_both_directions():
    assert int(vbool.flags_to_vb(np.uint64(0b101), vbool.HALVES)) == 0x33
    assert int(vbool.sticky_flag(np.uint64(0b101), np.uint64(0x3C), vbool.HALVES)) == 1
    assert int(vbool.sticky_flag(np.uint64(0b101), np.uint64(0x0C), vbool.HALVES)) == 0
    kept, written = vbool.kill_t(np.uint64(3), vbool.HALVES), vbool.kill_f(np.uint64(3), vbool.HALVES)
    assert kept.tolist() == [0] + [0xFFFF] * 31
    assert (kept ^ written).tolist() == [0xFFFF] * 32


def test_a_masked_store_leaves_other_bytes_of_memory():
    memory, data = np.full(64, 0xEE, np.uint8), np.arange(64, dtype=np.uint8)
    stored = vbool.masked_store(memory, data, np.uint64(0b10), vbool.BYTES)
    assert stored.tolist() == [0xEE, 1] + [0xEE] * 62
