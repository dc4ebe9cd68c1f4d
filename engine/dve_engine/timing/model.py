"""The cost of one instruction.

stream_cycles is the time of the slowest port or of the compute stage, rounded up once; issue and latency add fixed
costs.
Source: isa/08 sections 1, 4, 7.1 and 7.2. Values are [M] at best: the fixed costs are fitted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from ..isa.dtypes import size_bytes
from ..isa.generation import Generation
from .parameters import MIN_ISSUE_CYCLES, PARAMETERS, PERFORMANCE_WEIGHTS, WIDE_STRIDE_BYTES, Parameters, Tag, weakest
from .rates import CONTROLS, RATES, Condition, Control, Rate, documented_cycles
from .work import Stream, Work, require_executed

Bound = Literal["compute", "sbuf_read", "psum_read", "write", "control"]
PerformanceMode = Literal["4x", "2x"]
_MODES: dict[int, PerformanceMode] = {4: "4x", 2: "2x"}  # by elements per lane per cycle


@dataclass(frozen=True)
class Cost:
    """What one instruction costs.

    n: elements per partition. issue: distance to the next independent instruction. latency: start until results are
    visible. bound: the term that set stream_cycles, the first of equals. tag: weakest confidence of the rules used.
    reason: what a control record is charged for, else empty.
    """

    n: int
    doc_cycles: int
    stream_cycles: int
    issue_cycles: int
    latency_cycles: int
    issue_ns: float
    latency_ns: float
    performance_mode: PerformanceMode | None
    bound: Bound
    tag: Tag
    reason: str = ""


@dataclass(frozen=True)
class _Flow:
    """A stream with its weight in cycles per element."""

    stream: Stream
    weight: Fraction
    tag: Tag

    @property
    def cycles(self) -> Fraction:
        return self.stream.count * self.weight


def _performance_flow(stream: Stream, row: Parameters) -> _Flow:
    """Weight with performance mode on. Source: isa/08 section 4.4."""
    return _Flow(stream, *PERFORMANCE_WEIGHTS[stream.space, stream.dtype in row.fast_dtypes, stream.contiguous])


def _port_flow(stream: Stream, row: Parameters, halved: bool) -> _Flow:
    """Weight under the port rules of SUNDA. Source: isa/08 sections 4.2 (SU4 to SU6) and 4.3."""
    weight = Fraction(1, 2) if halved else Fraction(1)
    if stream.inner_step * size_bytes(stream.dtype) > WIDE_STRIDE_BYTES:
        weight *= row.wide_stride_factor
    return _Flow(stream, weight, "M" if halved or row.performance_modes else "H")


def _flows(work: Work, rate: Rate, row: Parameters, performance: bool) -> tuple[list[_Flow], list[_Flow]]:
    """Sources (index vectors included) and destinations with their weights."""
    sources, destinations = work.sources + work.indices, work.destinations
    if performance:
        return [_performance_flow(s, row) for s in sources], [_performance_flow(d, row) for d in destinations]

    def holds(condition: Condition | None) -> bool:
        return condition is not None and condition(work)

    half_source = row.packed_bf16 and holds(rate.half_source)
    half_destination = holds(rate.half_destination)
    reads = [_port_flow(s, row, half_source) for s in work.sources] + [_port_flow(i, row, False) for i in work.indices]
    return reads, [_port_flow(d, row, half_destination) for d in destinations]


def _port_times(reads: list[_Flow], writes: list[_Flow], performance: bool) -> Iterator[tuple[Bound, Fraction]]:
    """The busy time of every port.

    With performance mode each stream has a port of its own; otherwise each memory has one read port. Each destination
    has its own write port.
    Source: isa/08 sections 4.1, 4.2 and 4.4; write ports as in section 10.
    """
    ports: tuple[tuple[Bound, str], ...] = (("sbuf_read", "SBUF"), ("psum_read", "PSUM"))
    for bound, space in ports:
        times = [flow.cycles for flow in reads if flow.stream.space == space]
        yield bound, max(times, default=Fraction(0)) if performance else sum(times, Fraction(0))
    yield "write", max((flow.cycles for flow in writes), default=Fraction(0))


def _control_cost(control: Control, row: Parameters) -> Cost:
    ns = control.ns or control.cycles / row.clock_ghz
    tag = weakest(control.tag, row.clock_tag)
    return Cost(0, 0, 0, control.cycles, control.cycles, ns, ns, None, "control", tag, control.reason)


@lru_cache(maxsize=8192)
def cost(work: Work, generation: Generation, performance_mode: bool = True) -> Cost:
    """Estimate one instruction.

    performance_mode: the program's permission; SUNDA has no such mode and ignores it.
    Raises BadOpcode if the DVE of `generation` does not execute the opcode.
    Source: isa/08 sections 4 to 7.
    """
    require_executed(work.opcode, generation)
    row = PARAMETERS[generation]
    if work.opcode in CONTROLS:
        return _control_cost(CONTROLS[work.opcode], row)
    performance = performance_mode and row.performance_modes
    rate = RATES[work.opcode]
    limit = (rate.on if performance else rate.off).of(work)
    reads, writes = _flows(work, rate, row, performance)

    terms: list[tuple[Bound, Fraction]] = [("compute", work.n / limit.per_cycle)]
    terms += _port_times(reads, writes, performance)
    bound, time = max(terms, key=lambda term: term[1])
    stream = math.ceil(time)

    touches_psum = any(o.space == "PSUM" for o in work.operands)
    extra = row.psum_extra_cycles if touches_psum else 0
    issue = max(MIN_ISSUE_CYCLES, stream + row.bubble_cycles + extra)
    latency = stream + row.drain_cycles + extra

    mode = None
    if performance and rate.reports_mode:
        mode = _MODES.get(int(1 / max(1 / limit.per_cycle, *(flow.weight for flow in reads + writes), Fraction(0))))
    tag = weakest(row.clock_tag, row.fixed_tag, limit.tag, *(flow.tag for flow in reads + writes))
    if touches_psum:
        tag = weakest(tag, row.psum_extra_tag)
    ghz, documented = row.clock_ghz, documented_cycles(work)
    return Cost(work.n, documented, stream, issue, latency, issue / ghz, latency / ghz, mode, bound, tag)
