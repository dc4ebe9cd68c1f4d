"""`dvesim demo`."""

from __future__ import annotations

import sys

import click

from ..errors import BadInput
from .common import console, reported


@click.command()
@reported
def demo() -> None:
    """Start a private service, do the main job against it, and check every byte of the answer."""
    from ..demo.service import ServiceDidNotStart
    from ..demo.story import demo as tell

    try:
        sys.exit(tell(console()))
    except ServiceDidNotStart as error:
        raise BadInput(str(error)) from error
