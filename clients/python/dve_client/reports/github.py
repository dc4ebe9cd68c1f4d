"""Annotations of a GitHub workflow run: one command a line on standard output."""

from __future__ import annotations

from .findings import Report

_DATA = {ord(sign): f"%{ord(sign):02X}" for sign in "%\r\n"}
_PROPERTY = _DATA | {ord(sign): f"%{ord(sign):02X}" for sign in ":,"}


def github(report: Report) -> str:
    """An error for each finding, a warning for each note, and the totals.

    The totals are an error as well where not everything could be checked.
    """
    lines = [_command("error", report.file, f"{one.opcode}: {one.rule}", one.told) for one in report.findings]
    lines += [_command("warning", report.file, one.part or "container", one.message) for one in report.notes]
    if report.omitted:
        lines.append(_command("warning", report.file, "not listed", f"{report.omitted} more records are not legal"))
    if report.outcome == "nothing_to_check":
        told = "\n".join([report.sum, *(one.told for one in report.hindrances)])
        lines.append(_command("error", report.file, "nothing to check", told))
    else:
        lines.append(report.sum.translate(_DATA))
    return "\n".join(lines)


def _command(level: str, file: str, title: str, message: str) -> str:
    where = f"file={file.translate(_PROPERTY)},title={title.translate(_PROPERTY)}"
    return f"::{level} {where}::{message.translate(_DATA)}"
