"""`dvesim vbool`: the predicate unit."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

import click
from rich.text import Text

from ..errors import BadInput
from ..vbool import Operation, VboolRun
from .common import (
    assume_option,
    client_of,
    console,
    json_option,
    print_json,
    profile_option,
    reported,
    table,
    target_option,
)
from .programs import read_text


@click.group()
def vbool() -> None:
    """Evaluate and run operations of the predicate unit."""


def _pair(text: str) -> tuple[str, str]:
    """Read NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise click.BadParameter(f"{text!r} is not NAME=VALUE")
    return name, value


@vbool.command()
@click.argument("op", metavar="OP|FILE.json|-")
@click.argument("inputs", nargs=-1, type=_pair, metavar="[NAME=VALUE]...")
@json_option
@profile_option
@assume_option
@target_option
@reported
def eval(
    op: str,
    inputs: tuple[tuple[str, str], ...],
    as_json: bool,
    profile: str | None,
    assumptions: tuple[tuple[str, str], ...],
    target: str,
) -> None:
    """Evaluate one operation, or a list of them from a JSON file.

    VALUE is 0x and hex digits, 128 hex digits for a vector register, or several words with commas between. A file
    holds [{"op": "ivp_andb", "inputs": {"a": "0xf0", "b": "0x3c"}}, ...]; docs/isa/vectors/vbool.json is one.
    """
    if op.endswith(".json") or op == "-":
        if inputs:
            raise BadInput(f"{op}: a file holds its own inputs")
        ops = _listed(op, read_text(op))
    else:
        ops = [(op, {name: value.split(",") if "," in value else value for name, value in inputs})]
    with client_of(target) as client:
        answer = client.vbool_eval(ops, profile=profile, assumptions=dict(assumptions))
    if as_json:
        print_json(dataclasses.asdict(answer))
        return
    table(("operation", "output"), [(op, _shown(output)) for (op, _), output in zip(ops, answer.outputs, strict=True)])
    _depends(answer.assumptions)


def _listed(path: str, text: str) -> list[Operation]:
    try:
        return [(one["op"], one["inputs"]) for one in json.loads(text)]
    except (ValueError, TypeError, KeyError) as error:
        raise BadInput(f'{path}: not a JSON list of {{"op", "inputs"}}: {error}') from error


def _shown(output: Any) -> str:
    if isinstance(output, dict):
        return ", ".join(f"{name} {_shown(value)}" for name, value in output.items())
    return " ".join(output) if isinstance(output, list) else str(output)


@vbool.command()
@click.argument("file", metavar="FILE")
@click.option("-r", "--register", "registers", multiple=True, type=_pair, metavar="NAME=VALUE", help="As in v0=00..")
@click.option("--read", multiple=True, metavar="NAME", help="A register to show; else those the program writes.")
@click.option("--invalid", is_flag=True, help="Start with the sticky Invalid bit set.")
@json_option
@profile_option
@assume_option
@target_option
@reported
def run(
    file: str,
    registers: tuple[tuple[str, str], ...],
    read: tuple[str, ...],
    invalid: bool,
    as_json: bool,
    profile: str | None,
    assumptions: tuple[tuple[str, str], ...],
    target: str,
) -> None:
    """Run a text program: one operation per line, destinations first."""
    text = read_text(file)
    with client_of(target) as client:
        answer = client.vbool_run(
            text,
            registers=dict(registers),
            invalid=invalid,
            read=read,
            profile=profile,
            assumptions=dict(assumptions),
        )
    if as_json:
        print_json(dataclasses.asdict(answer))
    else:
        _show(answer)


def _show(answer: VboolRun) -> None:
    rows = [(one.issue, one.stalls or "", one.waits_for, one.slot, one.line, one.text) for one in answer.steps]
    table(("cycle", "stalls", "for", "slot", "line", "operation"), rows, wrapped="operation")
    table(("register", "value"), answer.registers.items())
    console().print(f"{answer.cycles} cycles, Invalid {int(answer.invalid)}", highlight=False)
    _depends(answer.assumptions)


def _depends(assumptions: Iterable[Any]) -> None:
    used = ", ".join(f"{one.id}={one.value}" for one in assumptions)
    if used:
        console().print(f"depends on: {used}", highlight=False)


@vbool.command()
@click.argument("mnemonic", default="")
@json_option
@target_option
@reported
def ops(mnemonic: str, as_json: bool, target: str) -> None:
    """The operations, or everything about one."""
    with client_of(target) as client:
        document = client.describe(topic="vbool", mnemonic=mnemonic)
    if as_json:
        print_json(document)
    elif not mnemonic:
        rows = [(o["op"], o["group"], o["confidence"], o["rule"]) for o in document["vbool"]["operations"]]
        table(("operation", "group", "", "rule"), rows, wrapped="rule")
    else:
        _show_one(document)


def _show_one(document: Any) -> None:
    out = console()
    out.print(f"[bold]{document['op']}[/bold] (isa/07 section {document['section']}, {document['confidence']})")
    for name in ("rule", "text", "note"):
        if document[name]:
            out.print(Text(f"{name}: {document[name]}"))
    operands = [(side, o) for side in ("inputs", "outputs") for o in document[side]]
    table(("", "name", "kind", "bits"), [(side[:-1], o["name"], o["kind"], o["bits"]) for side, o in operands])
    if document["schedule"]:
        row = document["schedule"]
        out.print(Text(f"slot {row['slot']}, writes {row['results']}, reads {row['reads']} ({row['basis']})"))
