"""The engine's exceptions as errors of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dve_engine import ExecutionError, InvalidInstructions, NotModelled, ProgramLengthError, RegionError
from dve_engine import LimitExceeded as EngineLimit

from .errors import (
    ExecutionFailed,
    IllegalInstructions,
    InvalidRegion,
    LimitExceeded,
    NotModelledByEngine,
    ProgramLength,
)


@contextmanager
def translated() -> Iterator[None]:
    """Let what the engine raises inside leave as a ServiceError."""
    try:
        yield
    except InvalidInstructions as error:
        raise IllegalInstructions(error.verdicts.invalid) from error
    except NotModelled as error:
        raise NotModelledByEngine(str(error), instruction=error.instruction, reason=error.reason) from error
    except ExecutionError as error:
        raise ExecutionFailed(
            str(error),
            instruction=error.instruction,
            operand=error.operand,
            lane=error.lane,
            address=error.address,
        ) from error
    except EngineLimit as error:
        raise LimitExceeded(
            f"instruction_{error.limit}", error.allowed, error.asked, instruction=error.instruction
        ) from error
    except ProgramLengthError as error:
        raise ProgramLength(str(error)) from error
    except RegionError as error:
        raise InvalidRegion(str(error)) from error
