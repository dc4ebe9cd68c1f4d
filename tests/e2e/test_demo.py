"""`dvesim demo` as its user meets it, and that it would tell if a byte were wrong."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from dve_client import connect
from dve_client.cli import main
from dve_client.demo import broken, expected, probes
from dve_client.demo.service import Endpoints, endpoints_of, private_service
from dve_client.demo.show import Show
from dve_client.demo.stage import FIRST_QUERY, KEYS, LANES, TILE, inputs, stage
from dve_client.demo.story import Clients, told
from dve_engine import CAYMAN


def test_the_demo_holds() -> None:
    ran = subprocess.run([sys.executable, "-m", "dve_client", "demo"], capture_output=True, text=True, timeout=240)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stderr == ""
    assert "✗" not in ran.stdout
    for case in broken.CASES:
        assert case.rule in ran.stdout
    for text in ("all 794,624 bytes", "MAVERICK has no PSUM", "clamps at 448", "checks hold"):
        assert text in ran.stdout


@pytest.fixture(scope="module")
def endpoints() -> Endpoints:
    return Endpoints("inproc", "inproc", "none")


def story(endpoints: Endpoints) -> Show:
    show = Show(Console(file=io.StringIO(), width=120))
    with connect(endpoints.http) as first, connect(endpoints.grpc) as second:
        told(show, endpoints, Clients(first, second))
    return show


def test_all_is_well(endpoints: Endpoints) -> None:
    show = story(endpoints)
    assert show.failed == []
    assert show.checks == 30


def test_one_bit_of_one_byte_is_noticed(endpoints: Endpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    right = expected.sbuf

    def wrong(given: object) -> np.ndarray:  # type: ignore[type-arg]
        memory = right(given)  # type: ignore[arg-type]
        memory[LANES - 1, -1] ^= 1  # a byte that nothing may touch
        return memory

    monkeypatch.setattr(expected, "sbuf", wrong)
    failed = story(endpoints).failed
    assert len(failed) == 2 + 4  # both transports, and each generation


def test_a_mismatch_ends_the_demo_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expected, "row_max", lambda given: np.zeros(LANES, np.float32))
    ran = CliRunner().invoke(main, ["demo", "--json"])
    assert ran.exit_code == 1
    document = json.loads(ran.stdout)
    assert document["checks"] == 30
    assert "the accumulators hold the row maxima, bit for bit" in document["failed"]
    assert len(document["failed"]) == 7  # the bytes over both transports and on each generation, too


def test_a_wrong_verdict_is_noticed(endpoints: Endpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    monkeypatch.setattr(broken, "CASES", (replace(broken.CASES[0], rule="another"), *broken.CASES[1:]))
    assert len(story(endpoints).failed) == 1


def test_the_format_of_a_generation_matters(endpoints: Endpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "saturates", lambda generation: False)
    assert len(story(endpoints).failed) == 2


def test_the_expectation_is_what_a_loop_says() -> None:
    """The demo's expectation against element-by-element arithmetic on a few lanes."""
    import ml_dtypes

    given, largest = inputs(), expected.row_max(inputs())
    for lane in (0, 63, 64, 71, 72, 127):
        best = np.float32("-inf")
        for key in range(KEYS):
            if key <= FIRST_QUERY + lane:
                with np.errstate(over="ignore"):
                    step = np.float32(given.scores[lane, key]) * given.scale[lane, 0]
                    value = np.float32(ml_dtypes.bfloat16(np.float32(step + given.bias[lane, 0])))
                best = max(best, value)
        assert best.tobytes() == largest[lane].tobytes()


def test_the_stage_meets_both_tiles() -> None:
    visible = inputs().mask[:, TILE:] != 0
    assert 0 < visible.any(axis=1).sum() < LANES  # some lanes see nothing of the second tile
    assert not visible.all()
    assert len(stage(CAYMAN)) == 7 * 64


def test_a_private_service_comes_and_goes() -> None:
    with private_service() as found:
        assert found.store == "embedded"
        with connect(found.grpc) as client:
            client.version()
    assert endpoints_of("dvesim ready http=[::1]:1 grpc=[::1]:2 store=embedded") == Endpoints(
        "http://[::1]:1", "grpc://[::1]:2", "embedded"
    )
