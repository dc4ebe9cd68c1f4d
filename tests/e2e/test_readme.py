"""The Python examples of the README do what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


def examples() -> list[str]:
    """Every Python block, run in this process instead of a service."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert all("http://127.0.0.1:8080" in code for code in blocks)
    return [code.replace("http://127.0.0.1:8080", "inproc") for code in blocks]


def test_there_are_two() -> None:
    assert len(examples()) == 2


@pytest.mark.parametrize("code", examples())
def test_a_python_example(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(code, {})
    *before, first_lane = capsys.readouterr().out.splitlines()
    assert all(line.startswith("('sunda', 'cayman', 'mariana'") for line in before)
    assert first_lane == re.search(r"# (\[.*\])$", code, re.MULTILINE)[1]  # type: ignore[index]
