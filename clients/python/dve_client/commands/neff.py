"""`dvesim neff`: compiled containers."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click
from rich.text import Text
from rich.tree import Tree

from dve_engine import RECORD_BYTES, Generation, UnknownGeneration, assembly, generation_named
from dve_engine import neff as containers
from dve_engine.neff import describe

from ..errors import BadInput
from ..reports import of_container
from .common import (
    client_of,
    console,
    json_option,
    print_json,
    profile_option,
    report_and_exit,
    report_option,
    reported,
)
from .common import target_option as service_option
from .neff_text import show
from .progress import reading

generation_option = click.option(
    "-g", "--generation", metavar="GEN", help="Where the container records none, or with --override-target."
)
override_option = click.option(
    "--override-target", is_flag=True, help="Take GEN although the container records another target."
)
lenient_option = click.option("--lenient", is_flag=True, help="Leave out an incomplete last record of a stream.")


@click.group()
def neff() -> None:
    """Look into compiled containers (NEFF), judge and list their DVE streams.

    FILE is a NEFF, its bare payload (tar or tar.gz), or a raw dump of records; - is standard input.
    """


@neff.command()
@click.argument("file", metavar="FILE")
@json_option
@reported
def inspect(file: str, as_json: bool) -> None:
    """Show what is in a container."""
    with _read(file) as found:
        if as_json:
            cores = [describe.core(found, core) for core in found.cores]
            print_json({"container": describe.container(found), "cores": cores})
        else:
            console().print(_tree(file, found))


def _tree(file: str, found: containers.Neff) -> Tree:
    root = Tree(Text(f"{file}: {found.kind}, {found.size} bytes", "bold"), highlight=False)
    document = describe.container(found)
    for name in ("header", "payload", "metadata"):
        if document.get(name):
            branch = root.add(name)
            for key, value in document[name].items():
                branch.add(Text(f"{key}: {value}"))
    root.add(Text(f"target: {found.target or 'none recorded'}"))
    cores = root.add(f"cores: {len(found.cores)}")
    for core in found.cores:
        branch = cores.add(Text(f"core {core.index} {core.subgraph}".rstrip()))
        for key, value in (describe.stream(found, core) or {}).items():
            branch.add(Text(f"{key}: {value}"))
        if core.absent:
            branch.add(Text(f"no records: {core.absent}"))
    if found.members:
        members = root.add(f"members: {len(found.members)}")
        for member in found.members.values():
            members.add(Text(f"{member.name}  {member.size} bytes at {member.offset}"))
    for warning in found.warnings:
        root.add(Text(f"warning: {warning}", "yellow"))
    return root


@neff.command()
@click.argument("file", metavar="FILE")
@generation_option
@override_option
@lenient_option
@click.option("--all", "everything", is_flag=True, help="List legal records too.")
@report_option
@json_option
@profile_option
@service_option
@reported
def validate(
    file: str,
    generation: str | None,
    override_target: bool,
    lenient: bool,
    everything: bool,
    form: str,
    as_json: bool,
    profile: str | None,
    target: str,
) -> None:
    """Tell whether the DVE streams of a container are legal, and where they are not.

    Exit code 0: something was checked, and every record is legal. 1: some records are not. 2: the container is
    malformed, or there was nothing to check. 3: no answer from the service.
    """
    with _opened(file) as content, client_of(target) as client, reading(content, "Judging") as watched:
        answer = client.validate_neff(
            watched,
            generation,
            profile=profile,
            verdicts="all" if everything else "invalid",
            lenient=lenient,
            override_target=override_target,
        )
    report = of_container(answer, file)
    report_and_exit(report, "json" if as_json else form, lambda: show(answer, report))


@neff.command()
@click.argument("file", metavar="FILE")
@generation_option
@override_option
@lenient_option
@json_option
@reported
def disassemble(file: str, generation: str | None, override_target: bool, lenient: bool, as_json: bool) -> None:
    """Print the records of every core, one a line: core, record, byte in its stream, text. --json: an object a line."""
    with _read(file) as found, _malformed():
        chosen = containers.generation_of(found, _generation(generation), override=override_target)
        for core, stream in _streams(found, lenient):
            for first, records in containers.pieces(found, stream):
                for index, line in enumerate(assembly.disassemble(records, chosen), first):
                    place = {"core": core.index, "record": index, "offset": index * RECORD_BYTES, "text": line}
                    click.echo(json.dumps(place) if as_json else "\t".join(map(str, place.values())))


@neff.command()
@click.argument("file", metavar="FILE")
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
@lenient_option
@json_option
@reported
def extract(file: str, directory: Path, force: bool, lenient: bool, as_json: bool) -> None:
    """Write the DVE stream of every core to DIR, as core<N>.dve.bin."""
    with _read(file) as found, _malformed():
        targets = [(directory / f"core{core.index}.dve.bin", stream) for core, stream in _streams(found, lenient)]
        there = [str(path) for path, _ in targets if path.exists()]
        if there and not force:
            raise BadInput(f"{', '.join(there)}: there already; --force overwrites")
        try:
            directory.mkdir(parents=True, exist_ok=True)
            for path, stream in targets:
                with path.open("wb" if force else "xb") as out:
                    for _, records in containers.pieces(found, stream):
                        out.write(records.tobytes())
                if not as_json:
                    click.echo(f"{path}: {stream.records} records")
        except OSError as error:
            raise BadInput(f"{error.filename}: {error.strerror or error}") from error
        if as_json:
            print_json([{"file": str(path), "records": stream.records} for path, stream in targets])


def _streams(found: containers.Neff, lenient: bool) -> list[tuple[containers.Core, containers.Stream]]:
    """The cores that have records.

    Raises BadInput where none has, NeffError for an incomplete record.
    """
    streams = [(core, core.stream) for core in found.cores if core.stream and core.stream.size]
    for _, stream in streams:
        if not lenient:
            containers.check_whole(stream)
    if not streams:
        raise BadInput("; ".join(core.absent or "no DVE stream" for core in found.cores))
    return streams


def _generation(name: str | None) -> Generation | None:
    try:
        return generation_named(name) if name else None
    except UnknownGeneration as error:
        raise BadInput(str(error)) from error


@contextmanager
def _read(file: str) -> Iterator[containers.Neff]:
    """A container, described."""
    with _opened(file) as content, _malformed(), containers.read_neff(content) as found:
        yield found


@contextmanager
def _malformed() -> Iterator[None]:
    """Let what is wrong with a container leave as a mistake of the caller's."""
    try:
        yield
    except (containers.NeffError, containers.NeffLimitExceeded) as error:
        raise BadInput(f"malformed_neff: {error}") from error


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    """A file that can seek; standard input is read whole, up to the limit."""
    if file == "-":
        most = containers.NeffLimits().file
        data = sys.stdin.buffer.read(most + 1)
        if len(data) > most:
            raise BadInput(f"standard input: more than {most} bytes")
        yield io.BytesIO(data)
        return
    try:
        content = Path(file).open("rb")  # noqa: SIM115 - errors of the body are not those of opening
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror or error}") from error
    with content:
        if not content.seekable():
            raise BadInput(f"{file}: cannot seek; use -")
        yield content
