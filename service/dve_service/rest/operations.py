"""For operators: health, metrics, version."""

from __future__ import annotations

from fastapi import APIRouter, Response

from ..documents import VERSIONS
from ..metrics import exposition
from ..version import SERVICE_VERSION
from .answers import json
from .common import Uses

router = APIRouter(tags=["operations"])


@router.get("/healthz/live")
async def live() -> Response:
    """The process is up."""
    return json({"live": True, **VERSIONS})


@router.get("/healthz/ready")
async def ready(simulator: Uses) -> Response:
    """Whether this replica can serve; if not, why."""
    reasons = await simulator.not_ready()
    return json({"ready": not reasons, "reasons": reasons, **VERSIONS}, 503 if reasons else 200)


@router.get("/metrics")
async def metrics() -> Response:
    """Prometheus metrics."""
    data, kind = exposition()
    return Response(data, media_type=kind)


@router.get("/version")
async def version() -> Response:
    """What is running."""
    return json({"service_version": SERVICE_VERSION, **VERSIONS})
