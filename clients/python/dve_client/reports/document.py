"""JSON: the answer as the client has it."""

from __future__ import annotations

import dataclasses
import json

from .findings import Report


def document(report: Report) -> str:
    """The whole answer and the file's name."""
    return json.dumps({"file": report.file, **dataclasses.asdict(report.answer)}, indent=2)
