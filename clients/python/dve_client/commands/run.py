"""`dvesim run`."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from typing import Any

import click

from dve_engine import OnInvalid, Region, TraceLevel

from ..answers import RunAnswer
from ..errors import InvalidInstructions
from . import arrays
from .common import (
    LEGAL,
    NOT_LEGAL,
    assume_option,
    client_of,
    console,
    generation_option,
    json_option,
    print_json,
    profile_option,
    reported,
    table,
    target_option,
)
from .programs import input_option, read_program
from .progress import waiting
from .validate import show_verdicts


@click.command()
@click.argument("file", metavar="FILE")
@generation_option
@click.option(
    "--memory", type=click.Path(), help="An .npz file: arrays sbuf, psum (uint8 (128, n)), or sbuf@PARTITION:BYTE."
)
@click.option("--out", type=click.Path(), help="Where to write what the program wrote, or what --read names, as .npz.")
@click.option("--image", help="A stored image to start from, beneath --memory.")
@click.option(
    "--read",
    multiple=True,
    type=arrays.region_named,
    metavar="REGION",
    help="A region wanted back, such as sbuf@0:512+256x128.",
)
@click.option(
    "--register",
    "registers",
    multiple=True,
    type=arrays.register_set,
    help="An address register, such as 5=0x800100.",
)
@click.option("--on-invalid", type=click.Choice(["reject", "stop", "skip"]), default="reject", show_default=True)
@click.option("--trace", type=click.Choice(["none", "summary", "full"]), default="none", show_default=True)
@click.option("--no-cache", is_flag=True, help="Run even if the service keeps the answer of an earlier such run.")
@json_option
@input_option
@profile_option
@assume_option
@target_option
@reported
def run(
    file: str,
    generation: str,
    memory: str | None,
    out: str | None,
    image: str | None,
    read: Sequence[Region],
    registers: Sequence[tuple[int, int]],
    on_invalid: OnInvalid,
    trace: TraceLevel,
    no_cache: bool,
    as_json: bool,
    kind: str,
    profile: str | None,
    assumptions: Sequence[tuple[str, str]],
    target: str,
) -> None:
    """Run FILE (- is standard input) on zero memory, an image, or memory from an .npz file.

    Exit code 0: it ran. 1: it is not legal, fails while it runs, or is not modelled; nothing is written then. 2: the
    command line or a file cannot be used. 3: no answer from the service.
    """
    program = read_program(file, kind, generation).code
    given = arrays.load(memory) if memory else arrays.Start()
    with client_of(target) as client, waiting("Running"):
        try:
            answer = client.run(
                program,
                generation,
                image=image,
                memory=given.memory,
                accumulators=given.accumulators,
                tainted=given.tainted,
                registers=dict(registers),
                read=read or "written",
                on_invalid=on_invalid,
                profile=profile,
                assumptions=dict(assumptions),
                trace=trace,
                cache=not no_cache,
            )
        except InvalidInstructions as error:
            if not as_json:
                show_verdicts(error.verdicts)
            raise
    if out:
        arrays.save(out, answer)
    if as_json:
        print_json(document(answer))
    else:
        show(answer)
    sys.exit(LEGAL if answer.valid else NOT_LEGAL)


def show(answer: RunAnswer) -> None:
    """Print what happened."""
    if answer.trace:
        columns = ("record", "opcode", "elements", "est. cycles")
        table(
            columns,
            [
                (t["instruction"], f"0x{t['opcode']:02X} {t['mnemonic']}", t["elements"], t["estimated_cycles"])
                for t in answer.trace
            ],
        )
    show_verdicts(answer.verdicts)
    rows = [
        (arrays.place_name(item.region), item.region.partitions, item.region.size, _begin(item.tobytes()))
        for item in answer.memory
    ]
    table(("region", "partitions", "bytes each", "begins"), rows, wrapped=["begins"])
    out = console()
    out.print(
        f"{answer.executed} records executed, about {answer.estimated_cycles} cycles, {answer.digest}", highlight=False
    )
    for one in answer.diagnostics:
        out.print(f"note: {one}", highlight=False)
    if answer.assumptions:
        out.print("depends on: " + ", ".join(f"{one.id}={one.value}" for one in answer.assumptions), highlight=False)


def _begin(data: bytes) -> str:
    return data[:16].hex(" ", 4) + (" …" if len(data) > 16 else "")


def document(answer: RunAnswer) -> dict[str, Any]:
    """The answer as JSON; bytes as hex."""
    return {
        "valid": answer.valid,
        "executed": answer.executed,
        "verdicts": [dataclasses.asdict(one) for one in answer.verdicts],
        "memory": [{**_region(item.region), "data_hex": item.tobytes().hex()} for item in answer.memory],
        "written": [_region(place) for place in answer.written],
        "accumulators_hex": answer.state.accumulator_bits.astype("<u4").tobytes().hex(),
        "accumulators_tainted": answer.state.tainted.tolist(),
        "banks_hex": {name: bank.hex() for name, bank in answer.state.banks.items()},
        "registers": {str(number): value for number, value in answer.state.registers.items()},
        "assumptions": [dataclasses.asdict(one) for one in answer.assumptions],
        "diagnostics": list(answer.diagnostics),
        "trace": list(answer.trace),
        "digest": answer.digest,
        "estimated_cycles": answer.estimated_cycles,
        "cached": answer.cached,
    }


def _region(place: Region) -> dict[str, Any]:
    return {**vars(place), "space": place.space.value}
