"""The FastAPI application: endpoints, errors as problem documents, OpenAPI."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException

from ..errors import InternalError, InvalidField, MalformedRequest, MethodNotAllowed, NotFound, ServiceError
from ..tenants import Tenants
from ..version import SERVICE_VERSION
from ..work import Work
from . import images, isa, neff, operations, sessions, simulation, text, vbool
from .answers import problem
from .common import BODIES
from .compression import Compression
from .observing import Observing

log = logging.getLogger(__name__)
_SUMMARY = "A shared emulator of the NeuronCore Vector Engine at the level of its encoded 64-byte instructions."


def create_app(tenants: Tenants, work: Work) -> FastAPI:
    """Build the application over the use cases."""
    app = FastAPI(title="dvesim", summary=_SUMMARY, version=SERVICE_VERSION, redoc_url=None, redirect_slashes=False)
    app.state.tenants, app.state.limits, app.state.work = tenants, tenants.of(()).limits, work
    for part in (simulation, text, images, sessions, vbool, neff, isa, operations):
        app.include_router(part.router)
    app.add_exception_handler(ServiceError, _service_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _query_error)
    app.add_exception_handler(Exception, _fault)
    app.add_middleware(Compression)
    app.add_middleware(Observing)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


def _said(request: Request, error: ServiceError) -> Response:
    request.state.code = error.code
    return problem(error)


async def _service_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ServiceError)
    return _said(request, error)


async def _http_error(request: Request, error: Exception) -> Response:
    """Errors of the framework itself."""
    assert isinstance(error, HTTPException)
    kind = {404: NotFound, 405: MethodNotAllowed}.get(error.status_code, MalformedRequest)
    response = _said(request, kind(f"{request.method} {request.url.path}"[:200]))
    response.headers.update(error.headers or {})
    return response


async def _query_error(request: Request, error: Exception) -> Response:
    """A path or query parameter of the wrong type."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return _said(request, InvalidField(str(first["loc"][-1]), first["msg"]))


async def _fault(request: Request, error: Exception) -> Response:
    """Anything else is a fault of ours; it is logged with its place, and the caller learns nothing about the inside."""
    log.exception("fault while answering %s %s", request.method, request.url.path, exc_info=error)
    return _said(request, InternalError("the service has a fault; it has been logged"))


def _openapi(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
        bodies = sorted(BODIES, key=lambda model: model.__name__)
        _, models = models_json_schema(
            [(model, "validation") for model in bodies], ref_template="#/components/schemas/{model}"
        )
        schema.setdefault("components", {}).setdefault("schemas", {}).update(models["$defs"])
        app.openapi_schema = schema
    return app.openapi_schema
