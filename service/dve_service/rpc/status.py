"""Errors as google.rpc.Status in the trailers: ErrorInfo, BadRequest, RetryInfo, and dve.v1.Problem with everything
else.

HTTP/2 trailers are small (clients take 8 KiB unless told otherwise), so texts are cut by their length on the wire,
lists to what then fits, and `omitted` counts the rest.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2

from dve_proto.v1 import common_pb2

from .. import documents
from ..errors import InternalError, MalformedRequest, ServiceError
from ..metrics import REQUESTS, SECONDS
from . import replies

log = logging.getLogger(__name__)
_DOMAIN = "dvesim"
_DETAIL_BYTES = 512  # of the detail, which travels four times
_TEXT_BYTES = 1536  # of the other texts of a Problem together
_PROBLEM_BYTES = 3072  # of a Problem with its lists
_NAME_BYTES = 80
_EXPECTED = 8  # legal words told with a mistake
_PLAIN = frozenset(range(0x20, 0x7F)) - {ord("%")}  # bytes that grpc-message does not spell as %XX
_TEXT = ("operand", "field", "limit", "space", "nearest", "reason", "within", "expected")
_NUMBERS = ("instruction", "lane", "address", "version", "oldest", "used", "asked", "line", "column", "offset")


def _mistake(one: Mapping[str, Any]) -> common_pb2.TextMistake:
    texts = {name: cut(one[name], _NAME_BYTES) for name in ("found", "message")}
    return common_pb2.TextMistake(**{**one, **texts, "expected": one["expected"][:_EXPECTED]})


_LISTS: Mapping[str, Callable[[Any], Any]] = {  # details that are lists, and what an item becomes
    "verdicts": lambda one: replies.verdict(documents.verdict(one)), "blocks": str, "mistakes": _mistake,
}  # fmt: skip


def cut(text: str, most: int) -> str:
    """The beginning of a text that takes at most this many bytes percent-encoded."""
    for index, character in enumerate(text[: most + 1]):
        most -= sum(1 if byte in _PLAIN else 3 for byte in character.encode(errors="replace"))
        if most < 0:
            return text[:index]
    return text


def problem(error: ServiceError) -> common_pb2.Problem:
    """The error as a message, its texts and lists cut to size."""
    details = error.details
    known: dict[str, Any] = {}
    room = _TEXT_BYTES
    for name in _TEXT:
        if name in details:
            known[name] = cut(str(details[name]), min(_DETAIL_BYTES, room))
            room -= len(known[name].encode())
    known |= {name: int(details[name]) for name in _NUMBERS if name in details}
    known |= documents.VERSIONS
    message = common_pb2.Problem(
        code=error.code,
        title=error.title,
        status=error.http_status,
        detail=cut(error.detail, _DETAIL_BYTES),
        retry_after_seconds=error.retry_after_seconds,
        **known,
    )
    room = _PROBLEM_BYTES - message.ByteSize()
    for name, made in _LISTS.items():
        for one in details.get(name, ()):
            item = made(one)
            room -= (len(item) if isinstance(item, str) else item.ByteSize()) + 4
            if room < 0:
                message.omitted = sum(len(details.get(name, ())) - len(getattr(message, name)) for name in _LISTS)
                return message
            getattr(message, name).append(item)
    return message


def status(error: ServiceError) -> status_pb2.Status:
    """The error as a google.rpc.Status."""
    metadata = {
        name: cut(str(error.details[name]), _NAME_BYTES) for name in (*_TEXT, *_NUMBERS) if name in error.details
    }
    details: list[Any] = [
        error_details_pb2.ErrorInfo(reason=error.code.upper(), domain=_DOMAIN, metadata=metadata),
        problem(error),
    ]
    if isinstance(error, MalformedRequest):
        field, text = cut(str(error.details.get("field", "")), _NAME_BYTES), cut(error.detail, _DETAIL_BYTES)
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=field, description=text, reason=error.code.upper()
        )
        details.append(error_details_pb2.BadRequest(field_violations=[violation]))
    if error.retry_after_seconds is not None:
        details.append(error_details_pb2.RetryInfo(retry_delay=Duration(seconds=error.retry_after_seconds)))
    packed = []
    for detail in details:
        packed.append(AnyMessage())
        packed[-1].Pack(detail)
    code: int = grpc.StatusCode[error.grpc_status].value[0]
    return status_pb2.Status(code=code, message=cut(error.detail, _DETAIL_BYTES), details=packed)


@asynccontextmanager
async def answering(context: grpc.aio.ServicerContext[Any, Any], operation: str) -> AsyncIterator[None]:
    """Count and time a call, and end it with a status where a use case raises."""
    begun, outcome = time.perf_counter(), "ok"
    try:
        yield
    except ServiceError as error:
        outcome = error.code
        await _abort(context, error)
    except (asyncio.CancelledError, GeneratorExit):
        outcome = "cancelled"
        raise
    except grpc.aio.AbortError:
        raise
    except Exception:
        outcome = InternalError.code
        log.exception("fault while answering %s", operation)
        await _abort(context, InternalError("the service has a fault; it has been logged"))
    finally:
        REQUESTS.labels("grpc", operation, outcome).inc()
        SECONDS.labels("grpc", operation).observe(time.perf_counter() - begun)


async def _abort(context: grpc.aio.ServicerContext[Any, Any], error: ServiceError) -> None:
    trailer = ("grpc-status-details-bin", status(error).SerializeToString())
    await context.abort(grpc.StatusCode[error.grpc_status], cut(error.detail, _DETAIL_BYTES), (trailer,))
