"""One run, in threads: state in, program through the engine, answer out. Knows no store and no event loop.

A run is begun (the machine it starts on), prepared (its plan, and so which blocks of memory it touches) and finished
(on these blocks). Whoever drives it fetches the blocks in between; see runs.py.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dve_engine import RECORD_BYTES, DeviceMemory, Machine, MachineState, Region, RunResult, Verdict, Verdicts, validate

from . import digest
from .blocks import Manifest, Place, fill, places_of, rebuild
from .engine_errors import translated
from .limits import Limits
from .machine_state import set_machine, view, write
from .metrics import INSTRUCTIONS, RUN_SECONDS
from .orders import Ran, Run, Validate, Validated, Write
from .plans import Planned, Plans
from .work import Watch


@dataclass(frozen=True)
class Begun:
    """A run before its program is looked at.

    state: what it starts on, with zeros for memory; the run changes it. digest: of the start. key: the name of the
    answer in the result cache.
    """

    order: Run
    state: MachineState
    digest: digest.Digest
    key: str


@dataclass(frozen=True)
class Prepared:
    """A run that is legal and within limits. places: of all blocks that its answer can depend on."""

    begun: Begun
    planned: Planned
    places: set[Place]


@dataclass(frozen=True)
class Outcome:
    """A run that succeeded: its answer, the state it left, its memory as a manifest, and the blocks that are new."""

    answer: Ran
    state: MachineState
    manifest: Manifest
    new: dict[str, bytes]


def read(memory: DeviceMemory, regions: Iterable[Region], limits: Limits) -> list[Write]:
    """Contents of regions.

    Raises InvalidRegion, or LimitExceeded before anything is copied.
    """
    wanted = list(regions)
    limits.check("readback_bytes", sum(region.total_bytes for region in wanted))
    with translated():
        return [Write(region, memory.read(region).tobytes()) for region in wanted]


def validated(order: Validate) -> Validated:
    """Judge a program."""
    program = order.program
    with translated():
        judged = validate(program.code, program.generation, program.choices, all_failures=order.all_failures)
    INSTRUCTIONS.labels(program.generation.name.lower(), "validate").inc(len(judged.verdicts))
    return Validated(program.generation, _listed(judged.verdicts, order.verdicts), judged)


def _listed(verdicts: Verdicts, which: str) -> tuple[Verdict, ...]:
    return tuple(verdicts) if which == "all" else verdicts.invalid


def check(order: Run, limits: Limits) -> None:
    """Raise LimitExceeded for what can be seen of a run without judging its records."""
    limits.check("instructions", len(order.program.code) // RECORD_BYTES)
    limits.check("regions", len(order.start.writes))
    limits.check("regions", len(order.read or ()))
    limits.check("bank_bytes", sum(len(contents) for contents in order.start.banks.values()))


def begin(order: Run, state: MachineState, image: str | None) -> Begun:
    """Put what the order gives beside memory on top of `state`, which is changed.

    image: the id of the memory that the run starts from, None if that is zero.
    Raises InvalidRegion, InvalidField.
    """
    with translated():
        for one in order.start.writes:
            one.region.check(state.generation)
    set_machine(state, order.start)
    start = digest.of_start(order, image, state)
    return Begun(order, state, start, digest.key_of_result(start, order, state))


def prepare(begun: Begun, plans: Plans, limits: Limits) -> Prepared:
    """Plan the run.

    Raises what the catalogue lists for runs, as far as it shows before memory is seen.
    """
    order, generation = begun.order, begun.state.generation
    machine = Machine(generation, order.program.choices, max_elements=limits.instruction_elements)
    with translated():
        planned = plans.of(machine, order, begun.state.registers)
    limits.check("elements", planned.plan.elements)
    if order.trace != "none":
        limits.check("trace_entries", len(planned.plan.steps))
    wanted = order.read or ()
    limits.check("readback_bytes", sum(region.total_bytes for region in wanted))
    with translated():
        for region in wanted:
            region.check(generation)
    given = places_of([*(one.region for one in order.start.writes), *wanted])
    return Prepared(begun, planned, planned.places | given)


def finish(
    prepared: Prepared, base: Manifest, contents: Mapping[str, bytes], keep: bool, limits: Limits, watch: Watch
) -> Outcome:
    """Carry the run out.

    base: the memory it starts from, as an image. contents: those blocks of it that lie at prepared.places. keep:
    whether the memory it leaves is asked for as an image; Outcome.manifest is `base` if not.
    Raises what the catalogue lists for runs; nothing is kept then.
    """
    begun = prepared.begun
    order, state = begun.order, begun.state
    fill(state.memory, base.part(prepared.places), contents)
    write(state.memory, order.start.writes)
    result = _engine(order, prepared.planned, state, watch)
    wanted = result.written if order.read is None else order.read
    answer = Ran(
        generation=state.generation,
        valid=not result.verdicts.failures,
        executed=result.executed,
        verdicts=_listed(result.verdicts, order.verdicts),
        memory=read(state.memory, wanted, limits),
        written=result.written,
        registers=view(state),
        image=None,
        assumptions=result.assumptions,
        diagnostics=result.diagnostics,
        trace=result.trace,
        digest=digest.of_result(begun.digest.copy(), result.executed, result.written, state),
        estimated_cycles=int(result.estimated_cycles),
    )
    if not keep:
        return Outcome(answer, state, base, {})
    touched = places_of([*(one.region for one in order.start.writes), *result.written])
    return Outcome(answer, state, *rebuild(base, state.memory, touched))


def _engine(order: Run, planned: Planned, state: MachineState, watch: Watch) -> RunResult:
    program, begun = order.program, time.perf_counter()
    with translated():
        result = Machine(program.generation, program.choices).execute(
            planned.plan, state, trace=order.trace, check=watch, atomic=False
        )
    name = program.generation.name.lower()
    RUN_SECONDS.labels(name).observe(time.perf_counter() - begun)
    INSTRUCTIONS.labels(name, "run").inc(result.executed)
    return result
