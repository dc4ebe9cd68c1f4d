"""`dvesim validate`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from ..reports import Report, of_program
from ..verdicts import Validation, Verdict
from .common import (
    assume_option,
    client_of,
    console,
    generation_option,
    json_option,
    profile_option,
    report_and_exit,
    report_option,
    reported,
    show_sum,
    table,
    target_option,
)
from .programs import input_option, read_program
from .progress import waiting


@click.command()
@click.argument("file", metavar="FILE")
@generation_option
@json_option
@click.option(
    "--first", is_flag=True, help="Only the first failure of each record, as the reference validator reports it."
)
@click.option("--all", "everything", is_flag=True, help="List legal records too.")
@report_option
@input_option
@profile_option
@assume_option
@target_option
@reported
def validate(
    file: str,
    generation: str,
    as_json: bool,
    first: bool,
    everything: bool,
    form: str,
    kind: str,
    profile: str | None,
    assumptions: Sequence[tuple[str, str]],
    target: str,
) -> None:
    """Tell which records of FILE are legal on a generation (FILE - is standard input).

    Exit code 0: every record is legal. 1: some are not. 2: nothing was checked, because the program is empty, or the
    command line or the file cannot be used. 3: no answer from the service.
    """
    program = read_program(file, kind, generation)
    with client_of(target) as client, waiting("Judging"):
        answer = client.validate(
            program.code, generation, profile=profile, assumptions=dict(assumptions), all_failures=not first
        )
    report = of_program(answer, file, as_it_is=program.as_it_is)
    report_and_exit(report, "json" if as_json else form, lambda: show(answer, report, everything=everything))


def show(answer: Validation, report: Report, *, everything: bool) -> None:
    """Print a table of what is not legal, and the sum."""
    listed = [one for one in answer.verdicts if everything or not one.valid]
    show_verdicts(listed)
    out = console()
    warned = [one for one in answer.verdicts if one.valid and not one.executable]
    for one in warned[:10]:
        out.print(f"record {one.index} ({one.mnemonic}) is legal, but a run refuses it: {one.reason}")
    show_sum(report)


def show_verdicts(verdicts: Sequence[Verdict]) -> None:
    """Print one row per failure."""
    rows: list[tuple[object, ...]] = []
    for one in verdicts:
        head: tuple[object, ...] = (one.index, one.title)
        if one.valid:
            rows.append((*head, "legal", "", "", ""))
        for failure in one.failures:
            expected = f"not modelled: {failure.reason}" if failure.not_modelled else failure.expected
            rows.append((*head, failure.title, f"{failure.field} @ {failure.offset}", failure.value, expected))
            head = ("", "")
        if not one.valid:
            rows.append(("", "", f"legal on: {', '.join(one.legal_on) or 'no generation'}", "", "", ""))
    if rows:
        table(("record", "opcode", "rule broken", "field @ byte", "value", "expected"), rows, wrapped=["expected"])
