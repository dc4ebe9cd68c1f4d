"""The demo, step by step. Every statement it prints with a tick was checked against bytes from the service."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dve_engine import CAYMAN, GENERATIONS, Generation
from dve_engine.builder import BuildError

from ..answers import RunAnswer
from ..connect import connect
from ..errors import InvalidInstructions
from ..memory import region
from ..sync import Client
from . import broken, expected, probes
from .service import Endpoints, private_service
from .show import Show, failure_cells, mark, trace_rows
from .stage import END, LANES, ODD_LANE, ROW_MAX, Inputs, inputs, stage

WINDOW = region("sbuf", 0, 0, END, LANES)


@dataclass(frozen=True)
class Clients:
    """The same service by both transports."""

    http: Client
    grpc: Client


def demo(show: Show) -> None:
    """Start a service, do the main job against it and check every byte."""
    with private_service() as endpoints, connect(endpoints.http) as http, connect(endpoints.grpc) as grpc:
        told(show, endpoints, Clients(http, grpc))
    show.title("Result")
    if show.failed:
        for what in show.failed:
            show.console.print(mark(False), what)
        show.say(f"[bold red]{len(show.failed)} of {show.checks} checks failed")
    else:
        show.say(f"[bold green]all {show.checks} checks hold")


def told(show: Show, endpoints: Endpoints, clients: Clients) -> None:
    """All steps against a service that runs already."""
    version = clients.http.version()
    show.title("A private service")
    show.say(
        f"dvesim {version.service_version}, engine {version.engine_version}, ISA {version.isa_version}\n"
        f"{endpoints.http}   {endpoints.grpc}   store: {endpoints.store}"
    )
    given = inputs()
    the_job(show, clients, given)
    verdicts(show, clients)
    generations(show, clients, given)


# --- the main job ------------------------------------------------------------------------------------------


def the_job(show: Show, clients: Clients, given: Inputs) -> None:
    """Run the stage over HTTP and gRPC and compare every byte."""
    show.title("Masked softmax, row-max stage, on CAYMAN")
    show.say(
        "128 queries, one per lane, 512 keys in two tiles of 256. Scores BF16, scale and bias FP32 behind\n"
        "pointers, a causal UINT8 mask, -inf where it hides a key, the row maxima in the accumulators."
    )
    answers = {name: _run(client, CAYMAN, given) for name, client in vars(clients).items()}
    show.table(("", "opcode", "instruction", "elements/lane", "est. cycles"), trace_rows(answers["http"]))
    reference = expected.sbuf(given)
    for name, answer in answers.items():
        got = answer.memory[0].data
        wrong = int(np.count_nonzero(got != reference))
        show.check(f"{name}: all {reference.size:,} bytes of SBUF are as computed without the engine", wrong == 0)
        if wrong:
            lane, byte = np.argwhere(got != reference)[0]
            show.say(f"  {wrong:,} differ; the first is partition {lane} byte {byte}")
    http, grpc = answers["http"], answers["grpc"]
    show.check("both transports: the same bytes, accumulators, assumptions and digest", http == grpc)
    largest = expected.row_max(given)
    show.check(
        "the accumulators hold the row maxima, bit for bit",
        np.array_equal(http.state.accumulator_bits, largest.view(np.uint32)),
    )
    again = _run(clients.http, CAYMAN, given, profile="nki")
    show.check(
        "profile nki, where SELECT_REDUCE fills and does not merge: the same bytes, so neither reading matters here",
        again.memory == http.memory,
    )
    rows = [
        (lane, f"{largest[lane]:g}", http.bytes_at(region("sbuf", lane, ROW_MAX, 4)).tobytes().hex())
        for lane in (0, ODD_LANE, 127)
    ]
    show.table(("lane", "row max", "bytes read back"), rows)
    used = [(one.id, one.value, one.confidence) for one in http.assumptions]
    show.table(("open question", "answered with", "confidence"), used, title="What the answer rests on")


def _run(client: Client, generation: Generation, given: Inputs, profile: str = "notes") -> RunAnswer:
    return client.run(
        stage(generation), generation, memory=given.memory(), read=[WINDOW], trace="summary", profile=profile
    )


# --- verdicts ----------------------------------------------------------------------------------------------


def verdicts(show: Show, clients: Clients) -> None:
    """One broken instruction of each opcode, and what the specification says of it."""
    show.title("One broken instruction per opcode")
    program = b"".join(case.records() for case in broken.CASES)
    judged = {name: client.validate(program, broken.GENERATION) for name, client in vars(clients).items()}
    rows = []
    for index, case in enumerate(broken.CASES):
        neighbour, verdict = judged["http"].verdicts[2 * index : 2 * index + 2]
        first = verdict.failures[0] if verdict.failures else None
        found = (first.rule, first.field, first.offset) if first else None
        holds = neighbour.valid and found == (case.rule, case.field, case.offset)
        show.check(
            f"{case.opcode}: {case.rule} fails at {case.field}; without the change it is legal", holds, quiet=True
        )
        cells = failure_cells(first) if first else ("(legal)", "", "", "")
        rows.append((mark(holds), f"0x{verdict.opcode:02X}", *cells))
    show.table(("", "opcode", "rule broken", "field @ byte", "value", "expected"), rows)
    show.check("both transports give the same verdicts", judged["http"] == judged["grpc"])
    try:
        clients.grpc.run(program, broken.GENERATION)
        refused = False
    except InvalidInstructions as error:
        refused = error.instruction == 1 and error.code == "invalid_instructions"
    show.check("a run refuses the batch as a whole: invalid_instructions, the first is record 1", refused)


# --- generations -------------------------------------------------------------------------------------------


def generations(show: Show, clients: Clients, given: Inputs) -> None:
    """The same batch on all four, and where they differ."""
    show.title("The same batch on four generations")
    reference, rows = expected.sbuf(given), []
    for generation in GENERATIONS:
        answers = [_run(client, generation, given) for client in vars(clients).values()]
        same = all(np.array_equal(answer.memory[0].data, reference) for answer in answers)
        equal = answers[0] == answers[1]
        show.check(f"{generation.name}: the expected bytes over both transports", same and equal, quiet=True)
        sbuf = generation.sbuf
        rows.append(
            (
                mark(same and equal),
                generation.name,
                generation.nc_version,
                f"0x{sbuf.stride_bytes:X}",
                f"{sbuf.active_bytes // 1024} KiB",
                f"{generation.psum.active_bytes // 1024} KiB" if generation.features.psum_present else "none",
                f"{answers[0].estimated_cycles:,}",
            )
        )
    columns = ("", "generation", "core", "partition stride", "SBUF/partition", "PSUM/partition", "est. cycles")
    show.table(columns, rows, title="The stage, encoded for each")
    address_map(show, clients.http)
    fp8(show, clients, given)


def address_map(show: Show, client: Client) -> None:
    """Records that begin at partition 64 or in PSUM: other words on MAVERICK."""
    half, psum = probes.upper_half_to_fp8(CAYMAN), probes.row_max_to_psum(CAYMAN)
    judged = client.validate(half + psum, CAYMAN)
    everywhere = client.validate(stage(CAYMAN), CAYMAN)
    show.say("\nThe stage begins at partition 0, so the same 64 bytes mean the same everywhere. Elsewhere they do not:")
    rows = [
        ("the stage", ", ".join(everywhere.verdicts[0].legal_on)),
        ("lanes 64..127 to FP8", ", ".join(judged.verdicts[0].legal_on)),
        ("row maxima to PSUM", ", ".join(judged.verdicts[1].legal_on)),
    ]
    show.table(("encoded for CAYMAN", "the same bytes are legal on"), rows)
    names = [generation.name.lower() for generation in GENERATIONS]
    show.check(
        "legal_on names all four for the stage, all but MAVERICK for the others",
        all(list(one.legal_on) == names for one in everywhere.verdicts)
        and all(list(one.legal_on) == names[:3] for one in judged.verdicts),
    )
    on_maverick = client.validate(half + psum, "maverick").verdicts
    show.table(
        ("on MAVERICK", "rule broken", "field @ byte", "value", "expected"),
        [
            (name, *failure_cells(one.failures[0]))
            for name, one in zip(("lanes 64..127", "PSUM"), on_maverick, strict=True)
        ],
    )
    show.say(
        "MAVERICK's partitions are 0x100000 bytes apart, so 0x1000C00 is its partition 16, where 64 channels may not\n"
        "start; and 0x2000000, the first byte of PSUM elsewhere, is its SBUF partition 32."
    )
    maverick = GENERATIONS[3]
    again = client.validate(probes.upper_half_to_fp8(maverick), maverick)
    show.check("encoded anew for its partition stride, the first is legal on MAVERICK", again.valid)
    try:
        probes.row_max_to_psum(maverick)
        refused = False
    except BuildError:
        refused = True
    show.check("the second has no address there: MAVERICK has no PSUM", refused)


def fp8(show: Show, clients: Clients, given: Inputs) -> None:
    """The FP8 code that changed its meaning."""
    show.say("\nLanes 64..127 of the scaled scores as FP8_EXP4: one dtype code, two formats.")
    scaled = expected.scaled(given)[probes.HALF :]
    rows = []
    for generation in GENERATIONS:
        ocp = probes.saturates(generation)
        program = stage(generation) + probes.upper_half_to_fp8(generation)
        wanted = expected.fp8_exp4(scaled, ocp=ocp)
        place = region("sbuf", probes.HALF, probes.FP8_AT, probes.FP8_KEYS, probes.HALF)
        got = [
            client.run(program, generation, memory=given.memory(), read=[place]).memory[0].data
            for client in vars(clients).values()
        ]
        holds = all(np.array_equal(bytes_, wanted) for bytes_ in got)
        show.check(f"{generation.name}: {wanted.size:,} FP8 bytes as ml_dtypes gives them", holds, quiet=True)
        lane = got[0][ODD_LANE - probes.HALF]
        samples = [f"{lane[key]:02X}" for key in (0, 4, 5)]
        rows.append((mark(holds), generation.name, "E4M3FN, clamps at 448" if ocp else "E4M3, infinity", *samples))
    sampled = [f"{value:g}" for value in scaled[ODD_LANE - probes.HALF, [0, 4, 5]].astype(np.float32)]
    show.table(("", "generation", "FP8_EXP4 (code 0x0E)", *sampled), rows)
