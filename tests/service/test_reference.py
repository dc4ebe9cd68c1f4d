"""The generated tables of docs/service.md are up to date, and the wire code is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dve_service.reference import rendered

ROOT = Path(__file__).parents[2]


def test_service_page() -> None:
    text = (ROOT / "docs/service.md").read_text(encoding="utf-8")
    assert rendered(text) == text, "run: python -m dve_service.reference docs/service.md"


def test_generated_wire_code() -> None:
    result = subprocess.run(
        [sys.executable, ROOT / "proto/build.py", "--check"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
