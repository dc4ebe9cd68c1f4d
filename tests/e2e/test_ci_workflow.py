"""The workflow of docs/ci.md: it parses, and its commands do what the page says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import neff_files as files
from tests.service.programs import COPY, ILLEGAL

ROOT = Path(__file__).parents[2]


def steps() -> dict[str, str]:
    page = (ROOT / "docs/ci.md").read_text()
    workflow = yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0])
    return {step["name"]: step["run"] for step in workflow["jobs"]["dve"]["steps"] if "run" in step}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "container", "status"), [(COPY, files.ONE, 0), (COPY + ILLEGAL, files.TWO, 1)], ids=["legal", "illegal"]
)
def test_the_steps(tmp_path: Path, code: bytes, container: files.Members, status: int) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build/scale.bin").write_bytes(code)
    (tmp_path / "build/model.neff").write_bytes(files.packed(container))
    (tmp_path / "dvesim").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dve_client "$@"\n')
    (tmp_path / "dvesim").chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "DVESIM_TARGET": "inproc"}
    commands = steps()

    def step(name: str) -> subprocess.CompletedProcess[str]:
        shell = ["bash", "-e", "-c", commands[name]]
        return subprocess.run(shell, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)

    judged = step("Are they legal")
    assert judged.returncode == status, judged.stderr
    assert judged.stdout.count("::error file=build/scale.bin") == status
    reported = step("Reports")
    assert (reported.returncode, reported.stderr) == (0, "")
    assert sorted(path.name for path in (tmp_path / "reports").iterdir()) == ["model.sarif", "scale.xml"]
    assert ("<failure" in (tmp_path / "reports/scale.xml").read_text()) is bool(status)
