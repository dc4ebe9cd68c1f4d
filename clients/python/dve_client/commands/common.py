"""What the commands share: options, the console, and errors as one line and an exit code."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..connect import connect
from ..errors import (
    DvesimError,
    ExecutionFailed,
    InternalError,
    InvalidInstructions,
    NoAnswer,
    NotModelled,
    Overloaded,
    ServiceError,
    StoreUnavailable,
)
from ..neff import Outcome
from ..reports import FORMATS, Report
from ..sync import Client

LEGAL, NOT_LEGAL, USAGE, NO_ANSWER = 0, 1, 2, 3
COLOURS: Mapping[Outcome, str] = {"legal": "green", "illegal": "bold red", "nothing_to_check": "bold yellow"}
LINE = 120  # characters, where the output is no terminal
EXIT: Mapping[Outcome, int] = {"legal": LEGAL, "illegal": NOT_LEGAL, "nothing_to_check": USAGE}
Command = TypeVar("Command", bound=Callable[..., Any])

generation_option = click.option(
    "-g",
    "--generation",
    required=True,
    metavar="GEN",
    help="sunda, cayman, mariana, maverick, or an alias such as trn2.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
report_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", *FORMATS]),
    default="text",
    show_default=True,
    help="text: for people. sarif, github, junit: for continuous integration.",
)
profile_option = click.option(
    "--profile", metavar="NAME", help="notes (default) or nki: how open questions are answered."
)
target_option = click.option(
    "--target",
    default="inproc",
    show_default=True,
    envvar="DVESIM_TARGET",
    show_envvar=True,
    metavar="TARGET",
    help="http://host:port, grpc://host:port, or inproc: in this process.",
)


def assumption(text: str) -> tuple[str, str]:
    """Read ID=VALUE."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise click.BadParameter(f"{text!r} is not ID=VALUE")
    return name, value


assume_option = click.option(
    "--assume",
    "assumptions",
    multiple=True,
    type=assumption,
    metavar="ID=VALUE",
    help="Answer an open question; see `dvesim isa assumptions`.",
)


def console(*, stderr: bool = False) -> Console:
    """Where to print; wide where it is no terminal."""
    made = Console(stderr=stderr)
    return made if made.is_terminal else Console(width=LINE, stderr=stderr)


def print_json(document: Any) -> None:
    """Print a document; bytes as hex."""
    click.echo(
        json.dumps(document, indent=2, default=lambda item: item.hex() if isinstance(item, bytes) else str(item))
    )


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, wrapped: Sequence[str] = ()) -> None:
    """Print a table of which only some columns may wrap."""
    out, made = console(), Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, no_wrap=column not in wrapped and out.width >= LINE, overflow="fold")
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else Text("" if cell is None else str(cell)) for cell in row))
    out.print(made)


def show_sum(report: Report) -> None:
    """Print the totals, and what they depend on."""
    out = console()
    out.print(Text(report.sum, COLOURS[report.outcome]))
    if report.answer.assumptions:
        used = ", ".join(f"{one.id}={one.value}" for one in report.answer.assumptions)
        out.print(f"depends on: {used}", highlight=False)


def report_and_exit(report: Report, form: str, show: Callable[[], None]) -> NoReturn:
    """Print a report in a format, `text` by `show`, and end the command with the exit code of its outcome."""
    if form == "text":
        show()
    else:
        click.echo(FORMATS[form](report))
    sys.exit(EXIT[report.outcome])


def client_of(target: str) -> Client:
    """A client of the target of the command line, for the tenant of DVESIM_TENANT."""
    return connect(target, tenant=os.environ.get("DVESIM_TENANT"))


def exit_code(error: DvesimError) -> int:
    """The exit code an error stands for."""
    if isinstance(error, InvalidInstructions | NotModelled | ExecutionFailed):
        return NOT_LEGAL
    if isinstance(error, NoAnswer | Overloaded | StoreUnavailable | InternalError):
        return NO_ANSWER
    return USAGE


def reported(command: Command) -> Command:
    """Let errors end the command with one line on standard error and an exit code."""

    @functools.wraps(command)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except DvesimError as error:
            told = f"{error.code}: {error}" if isinstance(error, ServiceError | NoAnswer) else str(error)
            nearest = getattr(error, "nearest", None)
            click.echo(
                f"dvesim: {told}" + (f" (did you mean {nearest}?)" if nearest and nearest not in told else ""), err=True
            )
            sys.exit(exit_code(error))
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(USAGE)

    return guarded  # type: ignore[return-value]
