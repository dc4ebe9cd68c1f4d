"""Folds against one step per element, and the registers' commands."""

from __future__ import annotations

import numpy as np
import pytest

from dve_engine.isa.aluops import AluOp
from dve_engine.isa.assumptions import NOT_OFFERED, AlternativeNotOffered, Choices
from dve_engine.isa.codes import AccumCmd
from dve_engine.numerics import (
    Accumulators,
    AccumulatorUnseeded,
    AluOpNotDefined,
    alu_f32,
    fold,
    fold_all,
    identity,
)

from . import reference

FOLD_OPS = ("ADD", "SUBTRACT", "MULT", "MAX", "MIN")
SPECIAL = np.array(
    [0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7F800001, 0xFFC00002, 0x00000001,
     0x80800000, 0x7F7FFFFF, 0x33800000],
    np.uint32,
)  # fmt: skip


NO_SUBNORMALS = SPECIAL[:8]


def streams(
    seed: int, lanes: int, elements: int, special: float, pool: np.ndarray = SPECIAL
) -> tuple[np.ndarray, np.ndarray]:
    """Seeds (lanes,) and values (lanes, elements); a share of the values is special."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((lanes, elements)).astype(np.float32)
    values[rng.random(values.shape) < special] = 0
    at = rng.random(values.shape) < special
    values.view(np.uint32)[at] = rng.choice(pool, int(at.sum()))
    return rng.standard_normal(lanes).astype(np.float32), values


def one_by_one(name: str, seed: np.ndarray, values: np.ndarray, element_first: bool) -> list[list[int]]:
    """Every intermediate result of every lane, as bits."""
    results = []
    for start, lane in zip(seed.view(np.uint32).tolist(), values.view(np.uint32).tolist(), strict=True):
        running, row = start, []
        for element in lane:
            running = reference.alu(name, *((element, running) if element_first else (running, element)))
            row.append(running)
        results.append(row)
    return results


@pytest.mark.parametrize("element_first", [True, False])
@pytest.mark.parametrize("name", FOLD_OPS)
@pytest.mark.parametrize(("lanes", "elements", "special"), [(4, 60, 0), (6, 40, 0.02), (6, 12, 0.5), (40, 3, 0.3)])
def test_folds_equal_one_step_per_element(name, element_first, lanes, elements, special) -> None:
    seed, values = streams(lanes * elements, lanes, elements, special)
    want = one_by_one(name, seed, values, element_first)
    every = fold_all(AluOp[name], seed, values, Choices(), element_first=element_first)
    assert every.view(np.uint32).tolist() == want
    last = fold(AluOp[name], seed, values, Choices(), element_first=element_first)
    assert last.view(np.uint32).tolist() == [row[-1] for row in want]


@pytest.mark.parametrize("element_first", [True, False])
@pytest.mark.parametrize("name", ["ADD", "SUBTRACT"])
@pytest.mark.parametrize("elements", [1, 30, 31, 300])
@pytest.mark.parametrize("special", [0, 0.01, 0.4])
def test_sums_over_many_lanes(name, element_first, elements, special) -> None:
    seed, values = streams(elements, 24, elements, special, NO_SUBNORMALS)
    want = [row[-1] for row in one_by_one(name, seed, values, element_first)]
    got = fold(AluOp[name], seed, values, Choices(), element_first=element_first)
    assert got.view(np.uint32).tolist() == want
    strided = np.asfortranarray(np.repeat(values, 2, axis=1))[:, ::2]
    again = fold(AluOp[name], seed, strided, Choices(), element_first=element_first)
    assert again.view(np.uint32).tolist() == want


@pytest.mark.parametrize("lanes", [1, 2, 15, 16, 128, 5000])
def test_additions_are_sequential(lanes) -> None:
    values = np.ones((lanes, 1000), np.float32)
    values[:, 0] = 2.0**24
    seed = np.zeros(lanes, np.float32)
    assert (fold(AluOp.ADD, seed, values, Choices(), element_first=True) == 2.0**24).all()
    assert (fold_all(AluOp.ADD, seed, values, Choices(), element_first=True)[:, -1] == 2.0**24).all()


def test_subtract_alternates_with_the_element_first() -> None:
    values, seed = np.array([[5, 3, 1]], np.float32), np.array([2], np.float32)
    assert fold(AluOp.SUBTRACT, seed, values, Choices(), element_first=True)[0] == 1 - (3 - (5 - 2))
    assert fold(AluOp.SUBTRACT, seed, values, Choices(), element_first=False)[0] == 2 - 5 - 3 - 1


def test_groups_of_a_reduction() -> None:
    rng = np.random.default_rng(7)
    for groups, size in ((300, 4), (2, 300)):
        values = rng.standard_normal((3, groups, size)).astype(np.float32)
        for name in FOLD_OPS:
            got = fold(AluOp[name], values[..., 0], values[..., 1:], Choices(), element_first=False)
            flat = values.reshape(-1, size)
            want = fold(AluOp[name], flat[:, 0], flat[:, 1:], Choices(), element_first=False)
            assert got.shape == (3, groups)
            assert np.array_equal(got.ravel().view(np.uint32), want.view(np.uint32))


@pytest.mark.parametrize("element_first", [False, True])
@pytest.mark.parametrize("op", [AluOp.ADD, AluOp.SUBTRACT, AluOp.MULT, AluOp.MAX, AluOp.MIN])
@pytest.mark.parametrize("lanes", [1, 15, 16, 128, 4096])
def test_signs_of_zeros(op: AluOp, lanes: int, element_first: bool) -> None:
    """Every pattern of three signed zeros, in few and in many lanes: -0 + -0 stays -0."""
    signs = np.array([[k >> 2 & 1, k >> 1 & 1, k & 1] for k in range(8)] * lanes, np.uint32)[: max(lanes, 8)]
    zeros = (signs << np.uint32(31)).view(np.float32)
    got = fold(op, zeros[:, 0], zeros[:, 1:], Choices(), element_first=element_first)
    expected = zeros[:, 0]
    for k in (1, 2):
        pair = (zeros[:, k], expected) if element_first else (expected, zeros[:, k])
        expected = alu_f32(op, *pair, Choices())
    assert np.array_equal(got.view(np.uint32), np.asarray(expected).view(np.uint32))


def test_nothing_to_fold_leaves_the_seed() -> None:
    seed = np.array([1, 2], np.float32)
    for name in FOLD_OPS:
        assert (fold(AluOp[name], seed, np.empty((2, 0), np.float32), Choices(), element_first=True) == seed).all()
    assert fold_all(AluOp.ADD, seed, np.empty((2, 0), np.float32), Choices(), element_first=True).shape == (2, 0)


def test_other_operations_fold_too() -> None:
    values = np.array([[3, 1, 0]], np.float32)
    assert fold(AluOp.IS_GT, np.array([2], np.float32), values, Choices(), element_first=False)[0] == 0
    assert fold(AluOp.LOGICAL_OR, np.array([0], np.float32), values, Choices(), element_first=False)[0] == 1
    with pytest.raises(AluOpNotDefined):
        fold(AluOp.DIVIDE, np.array([2], np.float32), values, Choices(), element_first=False)


def asked(name: str, seed: float, values: list[float]) -> str:
    choices = Choices()
    fold(AluOp[name], np.array([seed], np.float32), np.array([values], np.float32), choices, element_first=True)
    return " ".join(choices.used)


def test_asks_only_where_the_answer_depends() -> None:
    assert asked("ADD", 0, [1, 2, 3]) == ""
    assert asked("ADD", 0, [1.5, 2]) == "fold-association"
    assert asked("ADD", 0.25, [1.5]) == ""
    assert asked("ADD", 0, [2.0**24, 1]) == "fold-association"
    assert asked("MULT", 1, [1.5, 2.5]) == ""
    assert asked("MAX", -np.inf, [1, np.nan]) == "max-nan"
    assert asked("MAX", -np.inf, [-0.0, 0.0]) == "max-signed-zero"
    assert asked("MAX", -np.inf, [-0.0, 0.0, 1.0]) == ""
    assert asked("MIN", np.inf, [1e-40, 1.0]) == "fp32-subnormals"
    assert asked("ADD", 0, [np.inf, 1.0, -np.inf]) == "nan-results fold-association"


def test_flush_reaches_every_step() -> None:
    choices = Choices(overrides={"fp32-subnormals": "flush"})
    tiny = np.float32(2.0**-126)
    values = np.array([[tiny * 1.5, -tiny, tiny, 0]], np.float32)
    for elements in (values, np.repeat(values, 40, axis=0)):
        seed = np.zeros(len(elements), np.float32)
        assert (fold(AluOp.ADD, seed, elements, choices, element_first=True) == tiny).all()
        assert (fold_all(AluOp.ADD, seed, elements, choices, element_first=True)[:, 1] == 0).all()


# -- registers --------------------------------------------------------------------------------------------------------


LANES = slice(0, 4)


@pytest.mark.parametrize(
    ("name", "value"), [("ADD", 0.0), ("SUBTRACT", 0.0), ("MULT", 1.0), ("MAX", -np.inf), ("MIN", np.inf)]
)
def test_identity(name, value) -> None:
    got = identity(AluOp[name], Choices())
    assert got.dtype == np.float32
    assert got == value
    assert not np.signbit(got) or value < 0


def test_identity_alternatives() -> None:
    lowest = Choices(overrides={"accumulator-reset-value": "fp32-lowest-for-max"})
    assert identity(AluOp.MAX, lowest) == -np.finfo(np.float32).max
    assert identity(AluOp.MIN, lowest) == np.inf
    assert identity(AluOp.MULT, Choices(overrides={"accumulator-reset-value": "zero"})) == 0


def test_commands() -> None:
    registers, choices = Accumulators(), Choices()
    assert registers.tainted.all()
    registers.command(AccumCmd.ZERO_ACCUMULATE, LANES, AluOp.MAX, choices)
    assert (registers.values[:4] == -np.inf).all()
    assert (registers.values[4:] == 0).all()
    assert not registers.tainted[:4].any()
    assert registers.tainted[4:].all()
    load = np.array([1, 2, 3, 4], np.float32)
    registers.command(AccumCmd.LOAD_ACCUMULATE, LANES, AluOp.ADD, choices, load)
    registers.command(AccumCmd.ACCUMULATE, LANES, AluOp.ADD, choices)
    result = registers.accumulate(AluOp.ADD, LANES, np.ones((4, 3), np.float32), choices)
    assert (result == load + 3).all()
    assert (registers.read(LANES, choices)[0] == result).all()
    registers.command(AccumCmd.ZERO, slice(0, 2), AluOp.MULT, choices)
    assert registers.values[:4].tolist() == [1, 1, 6, 7]
    with pytest.raises(ValueError, match="load"):
        registers.command(AccumCmd.LOAD_ACCUMULATE, LANES, AluOp.ADD, choices)
    with pytest.raises(ValueError, match="9"):
        registers.command(9, LANES, AluOp.ADD, choices)


def test_idle_keeps_and_taints() -> None:
    choices = Choices()
    registers = Accumulators(np.arange(128))
    assert not registers.tainted.any()
    registers.command(AccumCmd.IDLE, LANES, AluOp.ADD, choices)
    assert registers.tainted[:4].all()
    assert not registers.tainted[4:].any()
    assert (registers.values == np.arange(128)).all()
    assert list(choices.used) == ["accumulator-idle"]


@pytest.mark.skipif(
    ("accumulator-idle", "keep") in NOT_OFFERED, reason="no built instruction has an idle command that this decides"
)
def test_idle_may_keep_the_taint_as_it_is() -> None:
    kept = Accumulators(np.arange(128))
    kept.command(AccumCmd.IDLE, LANES, AluOp.ADD, Choices(overrides={"accumulator-idle": "keep"}))
    assert not kept.tainted.any()
    with pytest.raises(AlternativeNotOffered):
        Choices(overrides={"accumulator-idle": "unknown"})


def test_reading_before_seeding() -> None:
    choices = Choices()
    values, tainted = Accumulators().read(LANES, choices)
    assert (values == 0).all()
    assert tainted.all()
    assert list(choices.used) == ["accumulator-initial"]
    strict = Choices(overrides={"accumulator-initial": "error"})
    registers = Accumulators()
    registers.command(AccumCmd.ZERO_ACCUMULATE, slice(0, 2), AluOp.ADD, strict)
    with pytest.raises(AccumulatorUnseeded, match="lanes 2 to 3"):
        registers.read(LANES, strict)
    assert Accumulators(np.zeros(128)).read(LANES, strict)[0].tolist() == [0, 0, 0, 0]


def test_copies_are_independent() -> None:
    registers = Accumulators()
    twin = registers.copy()
    twin.command(AccumCmd.ZERO_ACCUMULATE, LANES, AluOp.MULT, Choices())
    assert (registers.values == 0).all()
    assert registers.tainted.all()
    read, _ = twin.read(LANES, Choices())
    read[:] = 9
    assert (twin.values[:4] == 1).all()
