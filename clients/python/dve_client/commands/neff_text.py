"""How `dvesim neff validate` shows its answer to people."""

from __future__ import annotations

from rich.text import Text

from ..neff import NeffCore, NeffValidation
from ..reports import Report
from .common import COLOURS, console, show_sum, table


def show(answer: NeffValidation, report: Report) -> None:
    """Print tables of what is not legal, core by core, and the sum."""
    out = console()
    for warning in answer.container["warnings"]:
        out.print(Text(f"warning: {warning}", "yellow"))
    for core in answer.cores:
        _show(core)
    show_sum(report)


def _show(core: NeffCore) -> None:
    out, stream = console(), core.stream
    where = f"{stream.member or 'raw records'}, byte {stream.offset} of the archive" if stream else "no stream"
    counts = ", ".join(f"{count} {name}" for name, count in core.summary.by_class.items())
    name = f"core {core.index} {core.subgraph}".rstrip()
    said = f"{core.outcome.replace('_', ' ')}, {core.reason or counts}"
    out.print(Text(f"{name} ({where}): {said}", COLOURS[core.outcome]))
    for warning in core.warnings:
        out.print(Text(f"warning: {warning}", "yellow"))
    opcodes = [
        (f"0x{row.opcode:02X}", row.mnemonic, row.record_class, row.records, row.invalid or "")
        for row in core.summary.by_opcode
    ]
    if opcodes:
        table(("opcode", "mnemonic", "class", "records", "not legal"), opcodes)
    if core.summary.by_rule:
        table(("rule broken", "failures"), core.summary.by_rule.items())
    rows: list[tuple[object, ...]] = []
    for placed in core.verdicts:
        one = placed.verdict
        head: tuple[object, ...] = (one.index, placed.offset, placed.archive_offset, one.title)
        if one.valid:
            rows.append((*head, "legal", "", ""))
        for failure in one.failures:
            rows.append((*head, failure.rule, f"{failure.field} @ {failure.offset}: {failure.value}", failure.expected))
            head = ("", "", "", "")
    if rows:
        columns = ("record", "byte", "in archive", "opcode", "rule broken", "field @ byte: value", "expected")
        table(columns, rows, wrapped=["expected", "field @ byte: value"])
    if core.omitted:
        out.print(f"{core.omitted} more records are counted above, not listed", highlight=False)
