"""The Python example of the README does what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


def test_the_python_example(capsys: pytest.CaptureFixture[str]) -> None:
    [code] = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert "http://127.0.0.1:8080" in code
    exec(code.replace("http://127.0.0.1:8080", "inproc"), {})
    legal_on, first_lane = capsys.readouterr().out.splitlines()
    assert legal_on.startswith("('sunda', 'cayman', 'mariana'")
    assert first_lane == re.search(r"# (\[-inf.*\])", code)[1]  # type: ignore[index]
