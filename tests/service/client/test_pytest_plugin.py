"""The pytest plugin, in runs of pytest of its own."""

from __future__ import annotations

from importlib.metadata import entry_points

import numpy as np
import pytest

from tests.service.running import Service

pytest_plugins = ["pytester"]

HEAD = """
import numpy as np
from dve_client import MemoryRegion, region
from tests.service.programs import COPY, ILLEGAL

def ran(client):
    return client.run(COPY, "cayman", read=[region("sbuf", 32, 512, 16, 32)])
"""
GOLDEN = """
import numpy as np
import pytest
from dve_client import MemoryRegion

@pytest.mark.parametrize("place", ["here"])
def test_kept(dvesim_golden, place):
    dvesim_golden.check(MemoryRegion.of("sbuf", 32, 512, np.full((2, 4), {value}, np.float32)), dtype="float32")
"""
HEAVY = {"dve_client", "dve_engine", "dve_service", "dve_proto", "numpy", "ml_dtypes", "grpc", "click", "rich"}
KEPT = "golden/test_kept/test_kept-here.npz"


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest):
    """Run pytest in a process of its own, with this plugin by its registered name and no other."""
    monkeypatch.delenv("DVESIM_TARGET", raising=False)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini(f"[pytest]\npythonpath = {request.config.rootpath}")

    def once(*arguments: str, **modules: str) -> pytest.RunResult:
        pytester.makepyfile(**modules)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "dvesim", *arguments)

    return once


def test_it_is_registered() -> None:
    assert entry_points(group="pytest11")["dvesim"].value == "dve_pytest"


LIGHT = f"""
import sys

def test_light(pytestconfig):
    assert pytestconfig.pluginmanager.get_plugin("dvesim").__name__ == "dve_pytest"
    assert not sys.modules.keys() & {HEAVY}
"""


def test_nothing_heavy_is_loaded_before_a_fixture_is_used(run) -> None:
    run(test_light=LIGHT).assert_outcomes(passed=1)


def test_assertions(run) -> None:
    text = (
        HEAD
        + """
def test_legal(dvesim):
    dvesim.assert_legal(COPY, "cayman")

def test_illegal(dvesim):
    dvesim.assert_legal(COPY + ILLEGAL, "cayman")

def test_empty(dvesim):
    dvesim.assert_legal(b"", "cayman")

def test_memory(dvesim):
    expected = np.full((32, 4), -np.inf, np.float32)
    dvesim.assert_memory(ran(dvesim), expected)

def test_other_memory(dvesim):
    expected = np.full((32, 4), -np.inf, np.float32)
    expected[3, 2] = 1
    dvesim.assert_memory(ran(dvesim), expected)
"""
    )
    result = run(test_it=text)
    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines_random(
        [
            "E*AssertionError: program: 1 of 2 records checked are not legal on cayman",
            "E*record 1 (byte 64) 0xE8 COPY_PREDICATED_SCALAR: has_valid_reversed_pred: reversed_pred is 2; *",
            "E*AssertionError: program: nothing to check, or not everything: 0 of 0 records checked",
            "E*sbuf partition 35, byte 520: as float32 it is -inf (0xFF800000), expected 1.0 (0x3F800000)",
            "E*1 of 128 elements differ, in 1 of 32 partitions",
        ]
    )
    assert "dve_client/testing" not in result.stdout.str()  # frames of the plugin are not shown


def test_golden_files(run, pytester: pytest.Pytester) -> None:
    kept = pytester.path / KEPT
    missing = run(test_kept=GOLDEN.format(value=1))
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines([f"E*{KEPT}: there is no such golden file; pytest --dvesim-update writes it"])
    assert not kept.exists()

    written = run("--dvesim-update", test_kept=GOLDEN.format(value=1))
    written.assert_outcomes(passed=1)
    written.stdout.fnmatch_lines([f"dvesim: wrote *{KEPT}"])
    with np.load(kept, allow_pickle=False) as arrays:
        assert arrays.files == ["sbuf@32:512"]
        assert np.array_equal(arrays["sbuf@32:512"].view(np.float32), np.ones((2, 4), np.float32))
    assert list(kept.parent.iterdir()) == [kept]

    before = kept.read_bytes()
    run(test_kept=GOLDEN.format(value=1)).assert_outcomes(passed=1)
    other = run(test_kept=GOLDEN.format(value=2))
    other.assert_outcomes(failed=1)
    other.stdout.fnmatch_lines(
        [f"E*{KEPT}: sbuf partition 32, byte 512: as float32 it is 2.0 (0x40000000), expected 1.0*"]
    )
    assert kept.read_bytes() == before


def test_golden_files_that_cannot_serve(run, pytester: pytest.Pytester) -> None:
    text = (
        HEAD
        + """
def test_nothing(dvesim_golden):
    dvesim_golden.check([])

def test_name(dvesim_golden):
    dvesim_golden.check(MemoryRegion.of("sbuf", 0, 0, [1]), "../up")

def test_twice(dvesim_golden):
    dvesim_golden.check([MemoryRegion.of("sbuf", 0, 0, [1])] * 2)

def test_same_file(dvesim_golden):
    one = MemoryRegion.of("psum", 0, 0, [1])
    for _ in range(2):
        try:
            dvesim_golden.check(one)
        except AssertionError:
            pass

def test_places(dvesim_golden):
    dvesim_golden.check(MemoryRegion.of("psum", 0, 0, [1]), "places")

def test_broken(dvesim_golden):
    dvesim_golden.check(MemoryRegion.of("sbuf", 0, 0, [1]), "broken")
"""
    )
    folder = pytester.mkdir("golden") / "test_bad"
    folder.mkdir()
    np.savez(folder / "places.npz", **{"sbuf@0:0": np.zeros(8, np.uint8)})
    (folder / "broken.npz").write_bytes(b"PK")
    result = run(test_bad=text)
    result.assert_outcomes(failed=6)
    result.stdout.fnmatch_lines_random(
        [
            "E*nothing to compare",
            "E*'../up' is no name of a golden file*",
            "E*test_same_file.npz: checked already; *",
            "E*two regions begin at one place",
            "E*places.npz: other regions: only in the file *sbuf*, only in the answer *psum*",
            "E*broken.npz: not an .npz file*",
        ]
    )


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_targets(run, service: Service, monkeypatch: pytest.MonkeyPatch, transport: str) -> None:
    addresses = {"http": f"http://{service.http_address}", "grpc": f"grpc://{service.grpc_address}"}
    text = (
        HEAD
        + """
def test_there(dvesim):
    dvesim.assert_legal(COPY, "cayman")
"""
    )
    nobody = "http://127.0.0.1:1"
    monkeypatch.setenv("DVESIM_TARGET", addresses[transport])
    run(test_there=text).assert_outcomes(passed=1)
    away = run("--dvesim-target", nobody, test_there=text)  # the option is before the environment
    away.assert_outcomes(failed=1)
    away.stdout.fnmatch_lines(["E*Unreachable*"])
