"""`dvesim demo`."""

from __future__ import annotations

import sys

import click

LINE = 120  # characters, where the output is no terminal


@click.command()
def demo() -> None:
    """Start a private service, do the main job against it, and check every byte of the answer."""
    from rich.console import Console

    from ..demo.story import demo as tell

    console = Console()
    if not console.is_terminal:
        console = Console(width=LINE)
    sys.exit(tell(console))
