"""Tables of the demo."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..answers import RunAnswer
from ..verdicts import Failure

LONG = "expected"  # the column that is wrapped
WIDE = 110  # characters, below which all columns are


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
        """A table."""
        table = Table(title=title, title_justify="left", header_style="bold", box=SIMPLE_HEAD, pad_edge=False)
        for column in columns:
            table.add_column(column, no_wrap=column != LONG and self.console.width >= WIDE, overflow="fold")
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
    """Rule, field with its byte offset, value, expected."""
    value = failure.value
    shown = f"0x{value:X}" if isinstance(value, int) and value > 0xFFFF else value
    return failure.rule, f"{failure.field} @ {failure.offset}", shown, failure.expected
