"""Every error a caller can meet: one catalogue of stable codes for both transports.

    ServiceError                              code                     HTTP  gRPC
    ├── MalformedRequest                      malformed_request        400   INVALID_ARGUMENT
    │   ├── UnknownField                      unknown_field            400   INVALID_ARGUMENT
    │   ├── InvalidField                      invalid_field            400   INVALID_ARGUMENT
    │   ├── InvalidRegion                     invalid_region           400   INVALID_ARGUMENT
    │   ├── ProgramLength                     program_length           400   INVALID_ARGUMENT
    │   ├── UnknownGenerationName             unknown_generation       400   INVALID_ARGUMENT
    │   ├── UnknownAssumptionChoice           unknown_assumption       400   INVALID_ARGUMENT
    │   ├── UnknownOperation                  unknown_operation        400   INVALID_ARGUMENT
    │   ├── ProgramText                       program_text             400   INVALID_ARGUMENT
    │   ├── MalformedNeff                     malformed_neff           400   INVALID_ARGUMENT
    │   └── BlockMismatch                     block_mismatch           400   INVALID_ARGUMENT
    ├── UnsupportedMediaType                  unsupported_media_type   415   INVALID_ARGUMENT
    ├── NotAcceptable                         not_acceptable           406   INVALID_ARGUMENT
    ├── RangeNotSatisfiable                   range_not_satisfiable    416   OUT_OF_RANGE
    ├── NotFound                              not_found                404   NOT_FOUND
    │   ├── ImageNotFound                     image_not_found          404   NOT_FOUND
    │   ├── BlockNotFound                     block_not_found          404   NOT_FOUND
    │   ├── SessionNotFound                   session_not_found        404   NOT_FOUND
    │   ├── VersionNotFound                   version_not_found        404   NOT_FOUND
    │   └── InstructionNotFound               instruction_not_found    404   NOT_FOUND
    ├── MethodNotAllowed                      method_not_allowed       405   UNIMPLEMENTED
    ├── IllegalInstructions                   invalid_instructions     422   FAILED_PRECONDITION
    ├── NotModelledByEngine                   not_modelled             422   UNIMPLEMENTED
    ├── ExecutionFailed                       execution_error          409   FAILED_PRECONDITION
    ├── BlocksMissing                         blocks_missing           409   FAILED_PRECONDITION
    ├── VersionConflict                       version_conflict         412   ABORTED
    ├── ConcurrentWrites                      concurrent_writes        409   ABORTED
    ├── LimitExceeded                         limit_exceeded           422   OUT_OF_RANGE
    │   ├── PayloadTooLarge                   payload_too_large        413   RESOURCE_EXHAUSTED
    │   └── TimeLimitExceeded                 time_limit_exceeded      422   DEADLINE_EXCEEDED
    ├── QuotaExceeded                         quota_exceeded           429   RESOURCE_EXHAUSTED
    ├── Overloaded                            overloaded               429   RESOURCE_EXHAUSTED
    ├── StoreUnavailable                      store_unavailable        503   UNAVAILABLE
    │   └── StoreFull                         store_full               503   UNAVAILABLE
    └── InternalError                         internal                 500   INTERNAL

A code, once published, keeps its meaning. `tests/service/test_catalogue.py` meets every class over both transports.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from dve_engine import Verdict


class ServiceError(Exception):
    """An error with a stable code. `details` are the extra members of the problem document, by their wire names."""

    code: ClassVar[str]
    http_status: ClassVar[int]
    grpc_status: ClassVar[str]
    title: ClassVar[str]
    retry_after_seconds: ClassVar[int | None] = None

    def __init__(self, detail: str, **details: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.details = {name: value for name, value in details.items() if value is not None}


class MalformedRequest(ServiceError):
    """The request cannot be read at all."""

    code, http_status, grpc_status = "malformed_request", 400, "INVALID_ARGUMENT"
    title = "The request cannot be read"


class UnknownField(MalformedRequest):
    """A field that the endpoint does not have."""

    code, title = "unknown_field", "A field is not known"

    def __init__(self, field: str, known: Iterable[str]) -> None:
        field = field[-200:]  # a caller's text is never reflected, nor searched, at full length
        name = field.rpartition(".")[2][:80]
        near = difflib.get_close_matches(name, list(known), 1, 0.0)
        hint = f"; the nearest known name is {near[0]}" if near else ""
        super().__init__(f"there is no field {field!r}{hint}", field=field, nearest=near[0] if near else None)


class InvalidField(MalformedRequest):
    """A field whose value is not one of those it may have."""

    code, title = "invalid_field", "A field has a value it cannot have"

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}", field=field)


class InvalidRegion(MalformedRequest):
    """A region outside memory, or data of another size."""

    code, title = "invalid_region", "A region does not lie in memory"


class ProgramLength(MalformedRequest):
    """The program is not a whole number of records."""

    code, title = "program_length", "The program is not a whole number of 64-byte records"


class UnknownGenerationName(MalformedRequest):
    """Neither a generation nor an alias."""

    code, title = "unknown_generation", "The generation is not known"


class UnknownAssumptionChoice(MalformedRequest):
    """A profile, an assumption or a value of one that the registry does not hold."""

    code, title = "unknown_assumption", "The profile, assumption or value is not known"


class UnknownOperation(MalformedRequest):
    """No operation of the predicate unit has this mnemonic."""

    code, title = "unknown_operation", "The operation is not known"

    def __init__(self, field: str, detail: str, nearest: str | None = None) -> None:
        super().__init__(detail, field=field, nearest=nearest)


class ProgramText(MalformedRequest):
    """A text program that cannot be read. Line and column count from 1 and are those of the first mistake.

    mistakes: all of them, where the reader finds more than one: line, column, found, expected, message.
    """

    code, title = "program_text", "The program's text cannot be read"

    def __init__(
        self, detail: str, line: int, column: int, mistakes: Sequence[Mapping[str, Any]] | None = None
    ) -> None:
        super().__init__(detail, line=line, column=column, mistakes=mistakes)


class MalformedNeff(MalformedRequest):
    """A container that is broken, or none. The offset counts bytes of `within`: the file, its archive or a member."""

    code, title = "malformed_neff", "The container cannot be read"

    def __init__(self, detail: str, offset: int, within: str, expected: str) -> None:
        super().__init__(detail, offset=offset, within=within, expected=expected)


class BlockMismatch(MalformedRequest):
    """Uploaded bytes whose digest is not the id they were sent under, or not one block long."""

    code, title = "block_mismatch", "The bytes are not those of the block"


class UnsupportedMediaType(ServiceError):
    """A content type or content encoding the endpoint does not read."""

    code, http_status, grpc_status = "unsupported_media_type", 415, "INVALID_ARGUMENT"
    title = "The content type or encoding is not supported here"


class NotAcceptable(ServiceError):
    """A representation the endpoint does not offer."""

    code, http_status, grpc_status = "not_acceptable", 406, "INVALID_ARGUMENT"
    title = "The representation asked for is not offered"


class RangeNotSatisfiable(ServiceError):
    """No part of the representation, or more than one, is asked for."""

    code, http_status, grpc_status = "range_not_satisfiable", 416, "OUT_OF_RANGE"
    title = "The range asked for cannot be given"

    def __init__(self, asked: str, size_bytes: int) -> None:
        super().__init__(f"Range {asked[:80]!r} is not one range of {size_bytes} bytes")
        self.size_bytes = size_bytes


class NotFound(ServiceError):
    """No such route."""

    code, http_status, grpc_status = "not_found", 404, "NOT_FOUND"
    title = "There is nothing here"


class ImageNotFound(NotFound):
    """Never stored, or expired."""

    code, title = "image_not_found", "The image is unknown or has expired"


class BlockNotFound(NotFound):
    """Never stored, or expired."""

    code, title = "block_not_found", "The block is unknown or has expired"


class SessionNotFound(NotFound):
    """Never created, deleted, or expired."""

    code, title = "session_not_found", "The session is unknown or has expired"


class VersionNotFound(NotFound):
    """A version the session does not keep: never made, or older than those it keeps, oldest .. version."""

    code, title = "version_not_found", "The session does not keep this version"

    def __init__(self, asked: int, oldest: int, newest: int) -> None:
        super().__init__(
            f"there is no version {asked}; the session keeps {oldest} to {newest}", version=newest, oldest=oldest
        )


class InstructionNotFound(NotFound):
    """No instruction of this mnemonic."""

    code, title = "instruction_not_found", "The generation has no such instruction"


class MethodNotAllowed(ServiceError):
    """The route exists, the method does not."""

    code, http_status, grpc_status = "method_not_allowed", 405, "UNIMPLEMENTED"
    title = "The method is not offered here"


class IllegalInstructions(ServiceError):
    """The program holds illegal records and the caller asked to reject such programs. Nothing ran."""

    code, http_status, grpc_status = "invalid_instructions", 422, "FAILED_PRECONDITION"
    title = "Some instructions are not legal on this generation"

    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        first = verdicts[0]
        rule = first.failures[0].rule if first.failures else "unknown"
        super().__init__(
            f"{len(verdicts)} illegal instructions; the first is {first.index}, which fails {rule}",
            instruction=first.index,
            verdicts=tuple(verdicts),
        )


class NotModelledByEngine(ServiceError):
    """Known to the emulator, but not modelled. Nothing was kept."""

    code, http_status, grpc_status = "not_modelled", 422, "UNIMPLEMENTED"
    title = "The emulator knows this but does not model it"


class ExecutionFailed(ServiceError):
    """The program failed while it ran. Nothing was kept."""

    code, http_status, grpc_status = "execution_error", 409, "FAILED_PRECONDITION"
    title = "The program failed while it ran"


class BlocksMissing(ServiceError):
    """Blocks that an image needs are not stored, or no longer. Upload them and repeat the request."""

    code, http_status, grpc_status = "blocks_missing", 409, "FAILED_PRECONDITION"
    title = "Blocks of the image are not stored"

    def __init__(self, blocks: Sequence[str]) -> None:
        super().__init__(f"{len(blocks)} blocks are missing; upload them and repeat the request", blocks=tuple(blocks))


class VersionConflict(ServiceError):
    """The session is at another version than the caller expects."""

    code, http_status, grpc_status = "version_conflict", 412, "ABORTED"
    title = "The session has another version"

    def __init__(self, expected: int, current: int) -> None:
        super().__init__(f"expected version {expected}, the session is at version {current}", version=current)


class ConcurrentWrites(ServiceError):
    """Other writers were faster each time."""

    code, http_status, grpc_status = "concurrent_writes", 409, "ABORTED"
    title = "Other writers kept changing the session"

    def __init__(self, attempts: int, current: int) -> None:
        super().__init__(f"gave up after {attempts} attempts; the session is at version {current}", version=current)


class LimitExceeded(ServiceError):
    """More than this service takes in one request; see /v1/limits."""

    code, http_status, grpc_status = "limit_exceeded", 422, "OUT_OF_RANGE"
    title = "The request exceeds a limit of this service"

    def __init__(self, limit: str, allowed: int | float, asked: int | float | None = None, **details: Any) -> None:
        amount = "" if asked is None else f", the request needs {asked}"
        super().__init__(f"{limit} is limited to {allowed}{amount}", limit=limit, **details)


class PayloadTooLarge(LimitExceeded):
    """The body is too long."""

    code, http_status, grpc_status = "payload_too_large", 413, "RESOURCE_EXHAUSTED"
    title = "The request body is too large"


class TimeLimitExceeded(LimitExceeded):
    """The run took too long and was stopped. Nothing was kept."""

    code, grpc_status = "time_limit_exceeded", "DEADLINE_EXCEEDED"
    title = "The run took longer than this service allows"


class QuotaExceeded(ServiceError):
    """The tenant has as much as it may; deleting sessions, or waiting for something to expire, makes room."""

    code, http_status, grpc_status = "quota_exceeded", 429, "RESOURCE_EXHAUSTED"
    title = "The tenant holds as much as it may"
    retry_after_seconds = 60

    def __init__(self, limit: str, allowed: int, used: int, asked: int) -> None:
        super().__init__(
            f"{limit} is limited to {allowed}: {used} are in use, {asked} more were asked for",
            limit=limit, used=used, asked=asked,
        )  # fmt: skip


class Overloaded(ServiceError):
    """Too much work is waiting; try again."""

    code, http_status, grpc_status = "overloaded", 429, "RESOURCE_EXHAUSTED"
    title = "The service is busy"
    retry_after_seconds = 1

    def __init__(self, limit: str, allowed: int) -> None:
        super().__init__(f"{allowed} requests are already waiting; try again", limit=limit)


class StoreUnavailable(ServiceError):
    """The store cannot be reached; try again."""

    code, http_status, grpc_status = "store_unavailable", 503, "UNAVAILABLE"
    title = "The store cannot be reached"
    retry_after_seconds = 2


class StoreFull(StoreUnavailable):
    """The store has no room; try again when something has expired."""

    code, title = "store_full", "The store is full"
    retry_after_seconds = 30


class InternalError(ServiceError):
    """A fault of this service."""

    code, http_status, grpc_status = "internal", 500, "INTERNAL"
    title = "The service has a fault"


def catalogue() -> Iterator[type[ServiceError]]:
    """Every error class, depth first."""

    def below(parent: type[ServiceError]) -> Iterator[type[ServiceError]]:
        for child in parent.__subclasses__():
            yield child
            yield from below(child)

    return below(ServiceError)
