"""From a target to a client."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from .core import AsyncClient
from .errors import BadInput
from .retry import Retry
from .sync import Client
from .transports.port import Transport

TIMEOUT_SECONDS = 60.0


def connect(
    target: str, *, tenant: str | None = None, timeout_seconds: float = TIMEOUT_SECONDS, retry: Retry | None = None
) -> Client:
    """A synchronous client of a target.

    target: http://host:port or https://..., grpc://host:port or grpcs://..., or `inproc` for the service's use cases
    in this process.
    tenant: whose images and sessions these are; None for those of the public.
    timeout_seconds: of one attempt. Nothing connects before the first call. Raises BadInput for a target that means
    nothing.
    """
    return Client(aconnect(target, tenant=tenant, timeout_seconds=timeout_seconds, retry=retry))


def aconnect(
    target: str, *, tenant: str | None = None, timeout_seconds: float = TIMEOUT_SECONDS, retry: Retry | None = None
) -> AsyncClient:
    """An asynchronous client of a target; see `connect`."""
    if tenant is not None and not (tenant.isascii() and tenant.isprintable()):
        raise BadInput(f"tenant {tenant!r} is no tenant")
    return AsyncClient(_transport(target, timeout_seconds, () if tenant is None else (tenant,)), retry or Retry())


def _transport(target: str, timeout_seconds: float, tenant: Sequence[str]) -> Transport:
    try:
        parts = urlsplit(target)
        parts.port  # noqa: B018 - raises where it is no number
    except ValueError as error:
        raise BadInput(f"target {target!r} cannot be read: {error}") from error
    try:
        if target == "inproc":
            from .transports.inproc import InprocTransport

            return InprocTransport(timeout_seconds, tenant)
        if parts.scheme in ("http", "https") and parts.hostname:
            from .transports.http import HttpTransport

            return HttpTransport(target.rstrip("/"), timeout_seconds, tenant)
        if parts.scheme in ("grpc", "grpcs") and parts.hostname and parts.path in ("", "/"):
            from .transports.rpc import GrpcTransport

            return GrpcTransport(parts.netloc, timeout_seconds, tenant, tls=parts.scheme == "grpcs")
    except ModuleNotFoundError as error:
        extra = "service" if target == "inproc" else "client"
        raise BadInput(f"target {target!r} needs {error.name}: install dvesim[{extra}]") from error
    raise BadInput(f"target {target!r} means nothing; expected http://host:port, grpc://host:port or inproc")
