"""What is tried again, how often, and what never is."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from dve_client.errors import DvesimError, Unreachable, error_of
from dve_client.problem import Problem
from dve_client.retry import NEVER, Retry


def failing(*errors: DvesimError) -> tuple[Any, list[int]]:
    """Work that fails with each error in turn and then answers how often it was done."""
    left, done = list(errors), [0]

    async def work() -> int:
        done[0] += 1
        if left:
            raise left.pop(0)
        return done[0]

    return work, done


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("dve_client.retry.asyncio.sleep", sleep)
    monkeypatch.setattr("dve_client.retry.random.uniform", lambda low, high: high)
    return slept


def said(code: str, retry_after: float | None = None) -> DvesimError:
    return error_of(Problem(code, retry_after_seconds=retry_after))


async def test_pauses_grow_to_a_cap(pauses: list[float]) -> None:
    work, _ = failing(*[said("store_unavailable")] * 5)
    assert await Retry(attempts=6, base_seconds=1, cap_seconds=4).call(work) == 6
    assert pauses == [1, 2, 4, 4, 4]


async def test_the_service_may_ask_for_a_longer_pause_within_the_cap(pauses: list[float]) -> None:
    work, _ = failing(said("overloaded", 2.0))
    assert await Retry(base_seconds=0.5, cap_seconds=5).call(work) == 2
    assert pauses == [3.0]
    work, done = failing(said("store_unavailable", 30.0))
    with pytest.raises(DvesimError):
        await Retry(cap_seconds=5).call(work)
    assert done == [1]


async def test_the_last_error_is_raised(pauses: list[float]) -> None:
    work, done = failing(*[Unreachable("gone")] * 9)
    with pytest.raises(Unreachable):
        await Retry(attempts=3).call(work)
    assert done == [3]
    assert len(pauses) == 2


@pytest.mark.parametrize("code", ["invalid_field", "execution_error", "store_full", "internal", "version_conflict"])
async def test_other_codes_are_not_tried_again(pauses: list[float], code: str) -> None:
    work, done = failing(said(code))
    with pytest.raises(DvesimError):
        await Retry().call(work)
    assert done == [1]
    assert not pauses


@pytest.mark.parametrize(
    ("error", "times"), [(Unreachable("?"), 1), (said("store_unavailable"), 1), (said("overloaded"), 2)]
)
async def test_what_changes_a_session_only_where_nothing_was_done(
    pauses: list[float], error: DvesimError, times: int
) -> None:
    work, done = failing(error)
    with contextlib.suppress(DvesimError):
        await Retry().call(work, repeatable=False)
    assert done == [times]


async def test_never(pauses: list[float]) -> None:
    work, done = failing(said("overloaded"))
    with pytest.raises(DvesimError):
        await NEVER.call(work)
    assert done == [1]
