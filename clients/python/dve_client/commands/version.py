"""`dvesim version`."""

from __future__ import annotations

import dataclasses

import click

from .common import client_of, json_option, print_json, reported, target_option


@click.command()
@json_option
@target_option
@reported
def version(as_json: bool, target: str) -> None:
    """Tell what is running."""
    with client_of(target) as client:
        answer = client.version()
    if as_json:
        print_json(dataclasses.asdict(answer))
    else:
        click.echo(f"dvesim {answer.service_version}, engine {answer.engine_version}, ISA {answer.isa_version}")
