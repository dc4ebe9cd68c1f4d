"""One run, in one thread: state in, program through the engine, answer out. Knows no store and no event loop."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dve_engine import RECORD_BYTES, DeviceMemory, Machine, MachineState, Region, RunResult, Verdict, validate

from . import digest, footprint
from .blocks import Manifest, places_of, rebuild
from .engine_errors import translated
from .limits import Limits
from .machine_state import apply, view
from .metrics import INSTRUCTIONS, RUN_SECONDS
from .orders import Ran, Run, Validate, Validated, Write
from .work import Watch


@dataclass(frozen=True)
class Outcome:
    """A run that succeeded: its answer, the state it left, its memory as a manifest, and the blocks that are new."""

    answer: Ran
    state: MachineState
    manifest: Manifest | None
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


def _listed(verdicts: Sequence[Verdict], which: str) -> Sequence[Verdict]:
    return verdicts if which == "all" else [one for one in verdicts if not one.valid]


def check(order: Run, limits: Limits) -> None:
    """Raise LimitExceeded for what can be seen of a run without judging its records."""
    limits.check("instructions", len(order.program.code) // RECORD_BYTES)
    limits.check("regions", len(order.start.writes))
    limits.check("regions", len(order.read or ()))


def run(order: Run, state: MachineState, base: Manifest | None, limits: Limits, watch: Watch) -> Outcome:
    """Run a program on `state`, which is changed.

    base: the manifest of state.memory if the result is to be kept as an image, else None.
    Raises what the catalogue lists for runs; nothing is kept then.
    """
    program = order.program
    footprint.check(order, limits)
    limits.check("bank_bytes", sum(len(contents) for contents in order.start.banks.values()))
    image = base.image if base and base.blocks else order.start.image
    apply(state, order.start)
    unfinished = digest.of_start(order, image, state)
    result = _engine(order, state, limits, watch)
    wanted = result.written if order.read is None else order.read
    answer = Ran(
        generation=program.generation,
        valid=all(one.valid for one in result.verdicts),
        executed=result.executed,
        verdicts=_listed(result.verdicts, order.verdicts),
        memory=read(state.memory, wanted, limits),
        written=result.written,
        registers=view(state),
        image=None,
        assumptions=result.assumptions,
        diagnostics=result.diagnostics,
        trace=result.trace,
        digest=digest.of_result(unfinished, result.executed, result.written, state),
        estimated_cycles=int(result.estimated_cycles),
    )
    if base is None:
        return Outcome(answer, state, None, {})
    touched = places_of([*(write.region for write in order.start.writes), *result.written])
    return Outcome(answer, state, *rebuild(base, state.memory, touched))


def _engine(order: Run, state: MachineState, limits: Limits, watch: Watch) -> RunResult:
    program, begun = order.program, time.perf_counter()
    machine = Machine(program.generation, program.choices, max_elements=limits.instruction_elements)
    with translated():
        result = machine.run(
            program.code,
            state,
            on_invalid=order.on_invalid,
            trace=order.trace,
            legal_on=order.verdicts == "all",
            check=watch,
            atomic=False,
        )
    name = program.generation.name.lower()
    RUN_SECONDS.labels(name).observe(time.perf_counter() - begun)
    INSTRUCTIONS.labels(name, "run").inc(result.executed)
    return result
