"""`dvesim demo`."""

from __future__ import annotations

import io
import sys

import click
from rich.console import Console

from ..errors import BadInput
from .common import LEGAL, NOT_LEGAL, console, json_option, print_json, reported


@click.command()
@json_option
@reported
def demo(as_json: bool) -> None:
    """Start a private service, do the main job against it, and check every byte of the answer."""
    from ..demo.service import ServiceDidNotStart
    from ..demo.show import Show
    from ..demo.story import demo as tell

    show = Show(Console(file=io.StringIO()) if as_json else console())
    try:
        tell(show)
    except ServiceDidNotStart as error:
        raise BadInput(str(error)) from error
    if as_json:
        print_json({"checks": show.checks, "failed": show.failed})
    sys.exit(NOT_LEGAL if show.failed else LEGAL)
