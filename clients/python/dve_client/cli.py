"""The command `dvesim`."""

from __future__ import annotations

import sys

import click

from .commands.demo import demo


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """An emulator of the NeuronCore Vector Engine at the level of its encoded 64-byte instructions."""


main.add_command(demo)

@main.command()
@click.option("--port", type=int)
@click.option("--grpc-port", type=int)
def serve(port, grpc_port):
    from dve_service.main import serve
    from dve_service.settings import Settings
    sys.exit(serve(Settings(port=port, grpc_port=grpc_port)))
