"""`dvesim serve`."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..errors import BadInput
from .common import reported


@click.command()
@click.option("--host", help="Address both servers listen on.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="HTTP port; 0 picks a free one.  [default: 8080]")
@click.option("--grpc-port", type=click.IntRange(0, 65535), help="gRPC port; 0 picks a free one.  [default: 8081]")
@click.option("--workers", type=click.IntRange(1, 256), help="Processes that share both ports.  [default: 1]")
@reported
def serve(host: str | None, port: int | None, grpc_port: int | None, workers: int | None) -> None:
    """Start the service: HTTP and gRPC.

    Prints one line when it is ready. Everything else is set by DVESIM_* environment variables, which options override.
    """
    try:
        from pydantic import ValidationError

        from dve_service.main import serve as serve_until_stopped
        from dve_service.settings import Settings
    except ModuleNotFoundError as error:
        raise BadInput(f"serving needs {error.name}: install dvesim[service]") from error
    given: dict[str, Any] = {"host": host, "port": port, "grpc_port": grpc_port, "workers": workers}
    try:
        settings = Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"DVESIM_{str(first['loc'][0]).upper()}: {first['msg']}") from error
    sys.exit(serve_until_stopped(settings))
