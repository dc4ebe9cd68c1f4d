"""Compiled containers: judge the DVE stream of every core of a NEFF. Knows no transport."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import BinaryIO

from dve_engine import Choices, Generation, neff
from dve_engine.neff import describe
from dve_engine.neff.describe import present

from . import words
from .documents import VERSIONS, Document, assumptions, verdict
from .errors import InvalidField, LimitExceeded, MalformedNeff, PayloadTooLarge, ServiceError
from .limits import Limits
from .orders import Which
from .work import Watch, Work

_IN_MEMORY = 8 << 20  # bytes of an upload before it goes to disk
_LIMITS = {"file": "neff_bytes", "inflated": "neff_inflated_bytes"}  # those of the engine that an operator can set


@dataclass(frozen=True)
class ValidateNeff:
    """A container and the reading it is given.

    generation: None for the recorded one. lenient: leave out an incomplete last record. override_target: judge for the
    generation although another one is recorded.
    """

    generation: Generation | None
    choices: Choices
    verdicts: Which = "invalid"
    lenient: bool = False
    override_target: bool = False


def order(
    generation: str | None, profile: str | None, verdicts: str | None, lenient: bool, override_target: bool
) -> ValidateNeff:
    """The order in the words of the contract.

    Raises UnknownGenerationName, UnknownAssumptionChoice, InvalidField.
    """
    chosen = words.generation(generation) if generation else None
    which = words.which(verdicts, "invalid")
    return ValidateNeff(chosen, words.choices(profile, {}), which, lenient, override_target)


@dataclass(frozen=True)
class ValidatedNeff:
    """The answer to ValidateNeff. The container's archive is closed."""

    container: neff.Neff
    judgement: neff.Judgement

    @property
    def listed(self) -> int:
        """Verdicts in the answer."""
        return sum(len(core.verdicts) for core in self.judgement.cores)


class Containers:
    """The use cases around containers. No state is kept."""

    def __init__(self, work: Work, limits: Limits) -> None:
        self._work, self._limits = work, limits

    def check_size(self, size: int) -> None:
        """Raise PayloadTooLarge for a container of more bytes than are allowed."""
        if size > self._limits.neff_bytes:
            raise PayloadTooLarge("neff_bytes", self._limits.neff_bytes, size)

    @asynccontextmanager
    async def received(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[BinaryIO]:
        """An upload in a temporary file, which goes with the context.

        Raises PayloadTooLarge before more than the limit is kept.
        """
        with SpooledTemporaryFile(_IN_MEMORY) as file:
            async for piece in pieces:
                self.check_size(file.tell() + len(piece))
                file.write(piece)
            yield file  # type: ignore[misc]  # a BinaryIO in all but type

    async def validate(self, order: ValidateNeff, file: BinaryIO) -> ValidatedNeff:
        """Judge the container in a seekable file.

        Raises MalformedNeff, InvalidField, LimitExceeded, TimeLimitExceeded, Overloaded.
        """
        watch = Watch(self._limits.run_seconds)
        async with self._work.slot():
            return await self._work.engine(watch, self._validated, order, file, watch)

    def _validated(self, order: ValidateNeff, file: BinaryIO, watch: Watch) -> ValidatedNeff:
        bounds = _Watched(file=self._limits.neff_bytes, inflated=self._limits.neff_inflated_bytes, watch=watch)
        with _translated(), neff.read_neff(file, bounds) as container:
            generation = neff.generation_of(container, order.generation, override=order.override_target)
            records = sum(core.stream.records for core in container.cores if core.stream)
            self._limits.check("stream_instructions", records)
            judgement = neff.judge(
                container,
                generation,
                order.choices,
                verdicts=order.verdicts,
                lenient=order.lenient,
                listed=self._limits.neff_verdicts,
                watch=watch,
            )
            return ValidatedNeff(container, judgement)


@dataclass(frozen=True)
class _Watched(neff.NeffLimits):
    """Limits that also end a reading whose time is up: every loop over a container asks them."""

    watch: Callable[[], None] = lambda: None

    def check(self, name: str, asked: int) -> None:
        """Raise what the watch raises, and NeffLimitExceeded."""
        self.watch()
        super().check(name, asked)


@contextmanager
def _translated() -> Iterator[None]:
    """Let what the engine raises inside leave as a ServiceError."""
    try:
        yield
    except neff.NeffTargetError as error:
        raise InvalidField("generation", f"{error.reason}; expected {error.expected}") from error
    except neff.NeffError as error:
        raise MalformedNeff(str(error), error.offset, error.within, error.expected) from error
    except neff.NeffLimitExceeded as error:
        raise _limit(error) from error


def _limit(error: neff.NeffLimitExceeded) -> ServiceError:
    kind = PayloadTooLarge if error.limit == "file" else LimitExceeded
    return kind(_LIMITS.get(error.limit, f"neff_{error.limit}"), error.allowed, error.asked)


# --- documents ---------------------------------------------------------------------------------------------


def validated(answer: ValidatedNeff) -> Document:
    """The answer to a validation."""
    judgement = answer.judgement
    return {
        "outcome": judgement.outcome,
        "generation": judgement.generation.name.lower(),
        "container": describe.container(answer.container),
        "summary": _total([core.summary for core in judgement.cores]),
        "cores": [_core(answer.container, core) for core in judgement.cores],
        "assumptions": assumptions(judgement.assumptions),
        **VERSIONS,
    }


def _core(found: neff.Neff, judged: neff.Judged) -> Document:
    core = judged.core
    document: Document = {
        "index": core.index,
        "subgraph": core.subgraph,
        "definition": core.definition,
        "outcome": judged.outcome,
        "summary": _summary(judged.summary),
        "verdicts": [_placed(one) for one in judged.verdicts],
        "omitted": judged.omitted,
        "warnings": list(judged.warnings),
    }
    return document | present({"reason": judged.reason, "stream": describe.stream(found, core)})


def _summary(summary: neff.Summary) -> Document:
    rows = [
        present({"class" if name == "record_class" else name: value for name, value in vars(row).items()})
        for row in summary.by_opcode
    ]
    return {**vars(summary), "by_opcode": rows}


def _total(summaries: list[neff.Summary]) -> Document:
    classes, rules = Counter[str](), Counter[str]()
    for one in summaries:
        classes.update(one.by_class)
        rules.update(one.by_rule)
    numbers = {name: sum(getattr(one, name) for one in summaries) for name in ("total", "checked", "invalid")}
    counted = {"by_class": dict(sorted(classes.items())), "by_rule": dict(sorted(rules.items()))}
    return {**numbers, **counted, "by_opcode": []}


def _placed(placed: neff.PlacedVerdict) -> Document:
    return present({**vars(placed), "verdict": verdict(placed.verdict)})
