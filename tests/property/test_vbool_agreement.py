"""The predicate unit against the independent model of tests/vbool_model, bit for bit."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from dve_engine import vbool
from dve_engine.isa.assumptions import Choices
from tests.vbool_model import MODEL, cases, floats, integers, masks
from tests.vbool_model.words import FIELD, FLOATS, TOKENS, lanes, pack

CASES = 60
ALTERNATIVES = {  # every alternative that changes a value, beside the defaults
    "vbool-compare-t-inactive": ["merge"],
    "vbool-predflag": ["sticky-flag"],
    "vbool-ltrs-limit": ["cap-63"],
    "vbool-empty-reduce": ["old-value", "quiet-nan"],
    "vbool-zero-tie-mask": ["numeric-equal"],
    "dropout-tie": ["strict-both", "keep-both"],
    "dropout-draw-map": ["scaled-convert"],
}
VARIANTS = [
    (name, {identifier: value})
    for name, row in vbool.OPERATIONS.items()
    for identifier in row.assumes
    for value in ALTERNATIVES.get(identifier, ())
]


def arrays(operation, given):
    """The cases as the engine takes them: one array per input, case first."""
    return [
        np.frombuffer(b"".join(given[o.name]), np.uint8).reshape(-1, 64)
        if o.kind == "vec"
        else np.array(given[o.name], np.uint64)
        for o in operation.inputs
    ]


def plain(operand, value):
    if operand.kind == "vec":
        return value.tobytes()
    return value.tolist() if operand.kind in ("fs", "list") else int(value)


def agree(name, given, count, overrides=None):
    row = vbool.OPERATIONS[name]
    results = row(*arrays(row, given), choices=Choices(overrides=overrides))
    columns = results if isinstance(results, tuple) else (results,)
    for n in range(count):
        case = {key: values[n] for key, values in given.items()}
        expected = MODEL[name](case, overrides)
        found = {o.name: plain(o, column[n]) for o, column in zip(row.outputs, columns, strict=True)}
        assert list(found.values()) == list(expected.values()), (name, overrides, case, found, expected)


def test_the_model_knows_the_same_operations():
    assert len(MODEL) == 415
    assert MODEL.keys() == vbool.OPERATIONS.keys()


@pytest.mark.parametrize("group", vbool.GROUPS)
def test_every_operation_on_mixed_registers(group):
    for row in vbool.GROUPS[group]:
        agree(row.mnemonic, cases.inputs_for(row, random.Random(row.mnemonic), CASES), CASES)


def said(value):
    return next(iter(value.values())) if isinstance(value, dict) else value


@pytest.mark.parametrize(("name", "overrides"), VARIANTS, ids=said)
def test_every_alternative(name, overrides):
    given = cases.inputs_for(vbool.OPERATIONS[name], random.Random(name), CASES)
    if "pred" in given and "vbool-empty-reduce" in overrides:
        given["pred"][::3] = [0] * len(given["pred"][::3])
    agree(name, given, CASES, overrides)


def test_a_call_of_many_cases_is_many_calls_of_one():
    for name, row in vbool.OPERATIONS.items():
        whole = arrays(row, cases.inputs_for(row, random.Random(name), 6))
        many = row(*whole)
        for n in range(6):
            one = row(*(array[n] for array in whole))
            both = zip(many, one, strict=True) if isinstance(many, tuple) else [(many, one)]
            assert all(np.array_equal(m[n], o) for m, o in both), name


# --- exhaustive and structured sweeps ----------------------------------------------------------------------


def test_all_65536_classes_of_fp16():
    x = np.arange(65536, dtype=np.uint64)
    expected = [floats.classify(bits, 16) for bits in range(65536)]
    assert vbool.clsfy_16f_16f(x).tolist() == expected
    registers = x.astype("<u2").reshape(-1, 32).view(np.uint8)
    assert vbool.ivp_clsfynxf16(registers).view("<u2").ravel().tolist() == expected


def squared(values, width):
    """All pairs, as two columns, filled up to whole registers."""
    pairs = list(itertools.product(values, values))
    pairs += [pairs[-1]] * (-len(pairs) % (512 // width))
    return np.array(pairs, np.uint64).T


@pytest.mark.parametrize("width", [16, 32])
@pytest.mark.parametrize("op", floats.TRUTH)
def test_fp_compares_over_the_boundary_set_squared(op, width):
    a, b = squared(cases.FLOATS[width], width)
    assert len(a) >= 46 * 46
    expected = [floats.compare(op, x, y, width) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    for field in (1, FIELD[width]):
        result, invalid = vbool.OPERATIONS[f"{op}_1_{field}_{width}f_{width}f"](a, b)
        true = (1 << field) - 1
        assert list(zip((result // true).tolist(), invalid.tolist(), strict=True)) == expected
    count = 512 // width
    registers = [column.astype(f"<u{width // 8}").reshape(-1, count).view(np.uint8) for column in (a, b)]
    vb, sticky = vbool.OPERATIONS[f"ivp_{op}{FLOATS[width]}"](*registers)
    groups = [expected[n : n + count] for n in range(0, len(expected), count)]
    assert vb.tolist() == [pack([result for result, _ in group], FIELD[width]) for group in groups]
    assert sticky.tolist() == [max(flag for _, flag in group) for group in groups]


@pytest.mark.parametrize("op", [op for op in integers.COMPARES if op != "geu"])
@pytest.mark.parametrize("width", [8, 16, 32])
def test_integer_compares_over_the_boundary_set_squared(op, width):
    a, b = squared(range(256) if width == 8 else cases.INTEGERS[width], width)
    expected = [integers.compare(op, x, y, width) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    true = (1 << FIELD[width]) - 1
    assert (vbool.OPERATIONS[f"{op}_{FIELD[width]}_{width}_{width}"](a, b) // true).tolist() == expected
    count = 512 // width
    registers = [column.astype(f"<u{width // 8}").reshape(-1, count).view(np.uint8) for column in (a, b)]
    vb = vbool.OPERATIONS[f"ivp_{op}{TOKENS[width]}"](*registers)
    assert vb.tolist() == [pack(expected[n : n + count], FIELD[width]) for n in range(0, len(expected), count)]


def random_masks(count, seed):
    rng = random.Random(seed)
    return cases.MASKS + [rng.getrandbits(64) for _ in range(count)]


@pytest.mark.parametrize("op", masks.BITWISE)
def test_algebra_on_random_masks(op):
    a, b = random_masks(5000, 1), random_masks(5000, 2)
    found = vbool.OPERATIONS[f"ivp_{op}"](np.array(a, np.uint64), np.array(b, np.uint64))
    assert found.tolist() == [masks.bitwise(op, x, y) for x, y in zip(a, b, strict=True)]


def test_width_changes_on_random_masks():
    a, b = random_masks(2000, 3), random_masks(2000, 4)
    first, second = np.array(a, np.uint64), np.array(b, np.uint64)
    assert vbool.ivp_joinb(first, second).tolist() == [masks.joined(x, y) for x, y in zip(a, b, strict=True)]
    assert vbool.ivp_extractbl(first).tolist() == [masks.low_half(x) for x in a]
    assert vbool.ivp_extractbh(first).tolist() == [masks.high_half(x) for x in a]
    halves = vbool.ivp_extractbh(first), vbool.ivp_extractbl(first)
    assert vbool.ivp_joinb(*halves).tolist() == a  # for every mask


@pytest.mark.parametrize(("token", "field"), [("2n", 1), ("n", 2), ("n_2", 4)])
def test_folds_on_random_masks(token, field):
    given = random_masks(3000, 5)
    low = sum(1 << n for n in range(0, 64, field))
    given += [mask | low for mask in given[:500]] + [mask & ~low for mask in given[:500]]  # all lanes true, none true
    given += [low & ~(1 << n) for n in range(64)] + [1 << n for n in range(64)]
    found = np.array(given, np.uint64)
    assert vbool.OPERATIONS[f"ivp_randb{token}"](found).tolist() == [masks.every(x, field) for x in given]
    assert vbool.OPERATIONS[f"ivp_rorb{token}"](found).tolist() == [masks.some(x, field) for x in given]


def test_tails_for_every_count():
    counts = [*range(130), (1 << 32) - 1, (1 << 32) - 5, 1 << 31, (1 << 31) - 1]
    for token, field in (("2n", 1), ("n", 2), ("n_2", 4)):
        n = np.array(counts, np.uint64)
        assert vbool.OPERATIONS[f"ivp_ltr{token}"](n).tolist() == [masks.tail(c, field) for c in counts]
        saturating = vbool.OPERATIONS[f"ivp_ltrs{token}"]
        assert saturating(n).tolist() == [masks.saturating_tail(c, field, False) for c in counts]
        capped = saturating(n, choices=Choices(overrides={"vbool-ltrs-limit": "cap-63"}))
        assert capped.tolist() == [masks.saturating_tail(c, field, True) for c in counts]


def test_a_mask_of_wider_lanes_moves_whole_lanes():
    rng = random.Random(7)
    src, old = rng.randbytes(64), rng.randbytes(64)
    live = [rng.random() < 0.5 for _ in range(32)]
    vb = pack(live, 2)
    moved = vbool.ivp_mov2nx8t(np.frombuffer(src, np.uint8), np.frombuffer(old, np.uint8), vb).tobytes()
    rows = zip(live, lanes(src, 16), lanes(old, 16), strict=True)
    assert lanes(moved, 16) == [new if alive else kept for alive, new, kept in rows]
