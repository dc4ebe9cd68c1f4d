"""Everything a call can raise: one tree, whichever transport carried it.

    DvesimError                               code                     of the service
    ├── BadInput (also a ValueError)          bad_input                found before anything was sent
    ├── NoAnswer
    │   ├── Unreachable                       unreachable              no connection, or it broke
    │   ├── TimedOut                          timed_out                no answer within the client's timeout
    │   └── UnexpectedAnswer                  unexpected_answer        something answered, but not as dvesim does
    └── ServiceError                          (any code not below)     the service answered with an error
        ├── MalformedRequest                  malformed_request
        │   ├── UnknownField                  unknown_field
        │   ├── InvalidField                  invalid_field
        │   ├── InvalidRegion                 invalid_region
        │   ├── ProgramLength                 program_length
        │   ├── UnknownGeneration             unknown_generation
        │   ├── UnknownAssumption             unknown_assumption
        │   ├── UnknownOperation              unknown_operation        .field, .nearest
        │   ├── ProgramText                   program_text             .line, .column, .mistakes
        │   ├── MalformedNeff                 malformed_neff           .offset, .within, .expected
        │   └── BlockMismatch                 block_mismatch
        ├── UnsupportedMediaType              unsupported_media_type
        ├── NotAcceptable                     not_acceptable
        ├── RangeNotSatisfiable               range_not_satisfiable
        ├── NotFound                          not_found
        │   ├── ImageNotFound                 image_not_found
        │   ├── BlockNotFound                 block_not_found
        │   ├── SessionNotFound               session_not_found
        │   ├── VersionNotFound               version_not_found        .oldest, .version
        │   └── InstructionNotFound           instruction_not_found
        ├── MethodNotAllowed                  method_not_allowed
        ├── InvalidInstructions               invalid_instructions     .verdicts
        ├── NotModelled                       not_modelled             .instruction, .reason
        ├── ExecutionFailed                   execution_error          .instruction, .operand, .lane, .address
        ├── BlocksMissing                     blocks_missing           .blocks
        ├── VersionConflict                   version_conflict         .version
        ├── ConcurrentWrites                  concurrent_writes        .version
        ├── LimitExceeded                     limit_exceeded           .limit
        │   ├── PayloadTooLarge               payload_too_large
        │   └── TimeLimitExceeded             time_limit_exceeded
        ├── QuotaExceeded                     quota_exceeded           .limit, .used, .asked
        ├── Overloaded                        overloaded
        ├── StoreUnavailable                  store_unavailable
        │   └── StoreFull                     store_full
        └── InternalError                     internal

The codes are those of the service's catalogue; `tests/service/client/test_errors.py` proves that every one of them
has its class here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from .problem import Problem


class DvesimError(Exception):
    """Anything a call can raise. `code` is stable."""

    code: str = "error"


class BadInput(DvesimError, ValueError):
    """An argument that cannot be sent; nothing was."""

    code = "bad_input"


class NoAnswer(DvesimError):
    """No usable answer came back. Whether the service did the work is not known."""

    code = "no_answer"


class Unreachable(NoAnswer):
    """The service could not be reached, or the connection broke."""

    code = "unreachable"


class TimedOut(NoAnswer):
    """No answer came within the client's timeout."""

    code = "timed_out"


class UnexpectedAnswer(NoAnswer):
    """Something answered, but not as dvesim does."""

    code = "unexpected_answer"


class ServiceError(DvesimError):
    """The service answered with an error. What does not apply to an error is None or empty; `problem` has it all."""

    stable_code: ClassVar[str | None] = None

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail or problem.title)
        self.problem, self.code, self.status = problem, problem.code, problem.status
        self.title, self.detail, self.reason = problem.title, problem.detail, problem.reason
        self.instruction, self.operand, self.lane = problem.instruction, problem.operand, problem.lane
        self.address, self.space, self.limit = problem.address, problem.space, problem.limit
        self.field, self.nearest, self.version = problem.field, problem.nearest, problem.version
        self.oldest, self.used, self.asked = problem.oldest, problem.used, problem.asked
        self.verdicts, self.blocks, self.omitted = problem.verdicts, problem.blocks, problem.omitted
        self.mistakes = problem.mistakes
        self.retry_after_seconds, self.line, self.column = problem.retry_after_seconds, problem.line, problem.column
        self.offset, self.within, self.expected = problem.offset, problem.within, problem.expected


class MalformedRequest(ServiceError):
    """The request cannot be read."""

    stable_code = "malformed_request"


class UnknownField(MalformedRequest):
    """A field the service does not have; `nearest` is the known name nearest to it."""

    stable_code = "unknown_field"


class InvalidField(MalformedRequest):
    """A field whose value is not one of those it may have."""

    stable_code = "invalid_field"


class InvalidRegion(MalformedRequest):
    """A region outside memory."""

    stable_code = "invalid_region"


class ProgramLength(MalformedRequest):
    """The program is not a whole number of 64-byte records."""

    stable_code = "program_length"


class UnknownGeneration(MalformedRequest):
    """Neither a generation nor an alias of one."""

    stable_code = "unknown_generation"


class UnknownAssumption(MalformedRequest):
    """A profile, an assumption or a value of one that the registry does not hold."""

    stable_code = "unknown_assumption"


class UnknownOperation(MalformedRequest):
    """The predicate unit has no such operation."""

    stable_code = "unknown_operation"


class ProgramText(MalformedRequest):
    """A text program cannot be read; `line` and `column` are those of the first of its `mistakes`."""

    stable_code = "program_text"


class MalformedNeff(MalformedRequest):
    """A container that is broken, or none: at byte `offset` of `within`, where `expected` should stand."""

    stable_code = "malformed_neff"


class BlockMismatch(MalformedRequest):
    """Uploaded bytes that are not those of the block id."""

    stable_code = "block_mismatch"


class UnsupportedMediaType(ServiceError):
    """A content type the endpoint does not read."""

    stable_code = "unsupported_media_type"


class NotAcceptable(ServiceError):
    """A representation the endpoint does not offer."""

    stable_code = "not_acceptable"


class RangeNotSatisfiable(ServiceError):
    """The service cannot give the range of bytes that was asked for."""

    stable_code = "range_not_satisfiable"


class NotFound(ServiceError):
    """No such thing."""

    stable_code = "not_found"


class ImageNotFound(NotFound):
    """The image was never stored, or has expired."""

    stable_code = "image_not_found"


class BlockNotFound(NotFound):
    """The block was never stored, or has expired."""

    stable_code = "block_not_found"


class SessionNotFound(NotFound):
    """The session was never created, was deleted, or has expired."""

    stable_code = "session_not_found"


class VersionNotFound(NotFound):
    """The session does not keep this version; it keeps `oldest` to `version`."""

    stable_code = "version_not_found"


class InstructionNotFound(NotFound):
    """The generation has no such instruction."""

    stable_code = "instruction_not_found"


class MethodNotAllowed(ServiceError):
    """The method is not offered here."""

    stable_code = "method_not_allowed"


class InvalidInstructions(ServiceError):
    """Some records are illegal and nothing ran.

    `omitted` counts verdicts that did not fit into the answer (gRPC trailers are small).
    """

    stable_code = "invalid_instructions"


class NotModelled(ServiceError):
    """The emulator knows this but does not model it. Nothing was kept."""

    stable_code = "not_modelled"


class ExecutionFailed(ServiceError):
    """The program failed while it ran. Nothing was kept."""

    stable_code = "execution_error"


class BlocksMissing(ServiceError):
    """Blocks of an image are not stored. Upload them and repeat the request."""

    stable_code = "blocks_missing"


class VersionConflict(ServiceError):
    """The session is at another version than the caller expects: `version`."""

    stable_code = "version_conflict"


class ConcurrentWrites(ServiceError):
    """Other writers were faster each time; the session is at `version`."""

    stable_code = "concurrent_writes"


class LimitExceeded(ServiceError):
    """More than the service takes in one request; `limit` names which bound."""

    stable_code = "limit_exceeded"


class PayloadTooLarge(LimitExceeded):
    """The request is too long."""

    stable_code = "payload_too_large"


class TimeLimitExceeded(LimitExceeded):
    """The run took too long and was stopped. Nothing was kept."""

    stable_code = "time_limit_exceeded"


class QuotaExceeded(ServiceError):
    """The tenant holds as much as it may: of `limit`, `used` are in use and `asked` more were asked for."""

    stable_code = "quota_exceeded"


class Overloaded(ServiceError):
    """The service is busy and has done nothing."""

    stable_code = "overloaded"


class StoreUnavailable(ServiceError):
    """The store behind the service cannot be reached."""

    stable_code = "store_unavailable"


class StoreFull(StoreUnavailable):
    """The store has no room until something expires."""

    stable_code = "store_full"


class InternalError(ServiceError):
    """A fault of the service."""

    stable_code = "internal"


def _below(parent: type[ServiceError]) -> Iterator[type[ServiceError]]:
    for child in parent.__subclasses__():
        yield child
        yield from _below(child)


BY_CODE = {kind.stable_code: kind for kind in _below(ServiceError)}


def error_of(problem: Problem) -> ServiceError:
    """The exception of a problem; plain ServiceError for a code this client does not know."""
    return BY_CODE.get(problem.code, ServiceError)(problem)
