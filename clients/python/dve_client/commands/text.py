"""`dvesim assemble` and `dvesim disassemble`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from dve_engine import RECORD_BYTES

from ..errors import BadInput, ProgramText
from .common import client_of, generation_option, json_option, print_json, reported, target_option
from .programs import input_option, misread, read_program, read_text


@click.command()
@click.argument("file", metavar="FILE")
@generation_option
@click.option("-o", "--out", metavar="FILE", help="Write the records as raw bytes; - is standard output.")
@json_option
@target_option
@reported
def assemble(file: str, generation: str, out: str | None, as_json: bool, target: str) -> None:
    """Read a program from text (FILE - is standard input); without --out, print 128 hex digits a record.

    Exit code 0: it was read. 2: it was not; every mistake is told with line and column. 3: no answer from the service.
    """
    text = read_text(file)
    with client_of(target) as client:
        try:
            code = client.assemble(text, generation)
        except ProgramText as error:
            raise misread(file, error.mistakes, error.omitted) from error
    records = [code[at : at + RECORD_BYTES] for at in range(0, len(code), RECORD_BYTES)]
    if as_json and out == "-":
        raise BadInput("--json and the records would both go to standard output")
    if as_json:
        print_json({"generation": generation, "records": records})
    elif out is None:
        for record in records:
            click.echo(record.hex())
    if out is None:
        return
    if out == "-":
        sys.stdout.buffer.write(code)
    else:
        try:
            Path(out).write_bytes(code)
        except OSError as error:
            raise BadInput(f"{out}: {error.strerror or error}") from error


@click.command()
@click.argument("file", metavar="FILE")
@generation_option
@input_option
@json_option
@target_option
@reported
def disassemble(file: str, generation: str, kind: str, as_json: bool, target: str) -> None:
    """Print the records of FILE (- is standard input) as text, one a line, legal or not.

    Exit code 0: done. 2: the command line or the file cannot be used. 3: no answer from the service.
    """
    program = read_program(file, kind, generation).code
    with client_of(target) as client:
        lines = client.disassemble(program, generation)
    if as_json:
        print_json({"generation": generation, "lines": lines})
    else:
        for line in lines:
            click.echo(line)
