"""Tables of the demo."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..answers import RunAnswer
from ..verdicts import Failure


class Show:
    """Prints, and remembers what did not hold."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.checks = 0
        self.failed: list[str] = []

    def title(self, text: str) -> None:
        """Start a section."""
        self.console.print()
        self.console.rule(f"[bold]{text}", align="left")

    def say(self, text: str) -> None:
        """A line of explanation."""
        self.console.print(text)

    def check(self, what: str, holds: bool, *, quiet: bool = False) -> bool:
        """Tell whether something holds; a demo in which something does not ends with a non-zero exit code."""
        self.checks += 1
        if not holds:
            self.failed.append(what)
        if not (quiet and holds):
            self.console.print(mark(holds), what)
        return holds

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
        """A table; numbers to the right."""
        table = Table(*columns, title=title, title_justify="left", header_style="bold")
        for cells in rows:
            table.add_row(*(cell if isinstance(cell, Text) else Text(str(cell)) for cell in cells))
        self.console.print(table)


def mark(holds: bool) -> Text:
    """A tick or a cross."""
    return Text("✓", style="green") if holds else Text("✗", style="bold red")


def trace_rows(answer: RunAnswer) -> Iterable[Sequence[object]]:
    """One row per executed record of a traced run."""
    for entry in answer.trace:
        yield (
            entry["instruction"],
            f"0x{entry['opcode']:02X}",
            entry["mnemonic"],
            f"{entry['elements']:,}",
            f"{entry['estimated_cycles']:,}",
        )


def failure_cells(failure: Failure) -> Sequence[object]:
    """Rule, field, offset, value, expected."""
    return failure.rule, failure.field, failure.offset, failure.value, failure.expected
