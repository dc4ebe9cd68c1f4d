"""The examples of docs/assembly.md and docs/builder.md do what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dve_engine import Choices, assemble, disassemble, generation_named, validate
from dve_engine.assembly.errors import MAX_MISTAKES

DOCS = Path(__file__).parents[2] / "docs"
ASSEMBLY, BUILDER = ((DOCS / name).read_text() for name in ("assembly.md", "builder.md"))
PYTHON = re.findall(r"```python\n(.*?)```", BUILDER, re.DOTALL)
TEXTS = re.findall(r"```dve (\w+)\n(.*?)```", ASSEMBLY, re.DOTALL)


def test_there_are_as_many() -> None:
    assert (len(PYTHON), len(TEXTS)) == (3, 1)
    assert f"up to {MAX_MISTAKES}, each with line" in ASSEMBLY


@pytest.mark.parametrize("code", PYTHON)
def test_a_python_example(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(code, {})
    said = [part for line in code.splitlines() for part in re.findall(r"(?:^|print\(.*\)  )# (.*)$", line)]
    assert [line for line in capsys.readouterr().out.splitlines() if line] == said


@pytest.mark.parametrize(("name", "text"), TEXTS)
def test_a_text_example(name: str, text: str) -> None:
    generation = generation_named(name)
    code = assemble(text, generation)
    assert len(code) == 4 * 64
    assert validate(code, generation, Choices()).valid
    assert assemble("\n".join(disassemble(code, generation)), generation) == code
