"""`dvesim demo`."""

from __future__ import annotations

import sys

import click


@click.command()
def demo() -> None:
    """Start a private service, do the main job against it, and check every byte of the answer."""
    from rich.console import Console

    from ..demo.story import demo as tell

    sys.exit(tell(Console()))
