"""Plans that are kept: a hit and a miss give the same answer, and memory is bounded."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from dve_engine import GENERATIONS, Choices, Generation, Region, Space
from dve_engine.banks import BY_NAME
from dve_service import execution
from dve_service.blocks import Manifest
from dve_service.errors import ExecutionFailed, IllegalInstructions
from dve_service.limits import Limits
from dve_service.machine_state import fresh
from dve_service.metrics import PLANS
from dve_service.orders import Input, Program, Ran, Run, Write
from dve_service.plans import Plans
from dve_service.work import Watch
from tests.generate import OPCODES, legal_case, legal_generations
from tests.service.programs import COPY, FEW, ILLEGAL, REGISTER

LIMITS = Limits()
CAYMAN = GENERATIONS[1]


def order_of(case: Any, generation: Generation, code: bytes | None = None) -> Run:
    """A generated case as a run that shows everything it can."""
    writes = tuple(Write(Region(Space[s], p, 1, byte, len(data)), bytes(data)) for s, p, byte, data in case.memory)
    words = np.array(case.accumulators, "<u4").tobytes()
    banks = {name: np.asarray(rows, BY_NAME[name].dtype).tobytes() for name, rows in case.banks.items()}
    start = Input(None, writes, case.registers, words, tuple(case.tainted), banks)
    return Run(Program(generation, code or case.record, Choices()), start, None, trace="full", verdicts="all")


def answer(order: Run, plans: Plans) -> execution.Outcome:
    prepared = execution.prepare(execution.begin(order, fresh(order.program.generation), None), plans, LIMITS)
    return execution.finish(prepared, Manifest(order.program.generation, {}), {}, False, LIMITS, Watch(60.0))


def told(ran: Ran) -> list[object]:
    """An answer as something that compares."""
    rest = {name: value for name, value in vars(ran).items() if name != "registers"}
    seen = ran.registers
    return [rest, seen.accumulators.tolist(), seen.tainted.tolist(), seen.registers, seen.banks]


def counted() -> tuple[float, float]:
    return tuple(PLANS.labels(outcome)._value.get() for outcome in ("hit", "miss"))  # type: ignore[return-value]


@pytest.mark.parametrize("generation", GENERATIONS, ids=repr)
def test_a_hit_answers_what_a_miss_answers(generation: Generation) -> None:
    """Assumptions, verdicts, trace, cycles and digest included; the second case of a program has other registers."""
    rng, plans, hits = random.Random(11), Plans(64 << 20), 0
    for opcode in (o for o in sorted(OPCODES) if generation.name in legal_generations(o)):
        order = order_of(legal_case(rng, opcode, generation.name), generation)
        first = told(answer(order, plans).answer)
        before = counted()
        assert told(answer(order, plans).answer) == first, order.program.code.hex()
        assert counted() == (before[0] + 1, before[1])
        assert told(answer(order, Plans(0)).answer) == first
        hits += 1
    assert hits >= 51


def asked(code: bytes, registers: dict[int, int] | None = None, **change: Any) -> Run:
    return Run(Program(CAYMAN, code, change.pop("choices", Choices())), Input(registers=registers or {}), **change)


def test_what_a_plan_is_found_by() -> None:
    plans = Plans(1 << 20)
    variants = [
        asked(COPY),
        asked(FEW),
        asked(COPY, on_invalid="skip"),
        asked(COPY, verdicts="all"),
        asked(COPY, choices=Choices("nki")),
        asked(COPY, choices=Choices(overrides={"merge-of-unselected": "zero"})),
        asked(REGISTER, {5: 0x0080_0200}),
        asked(REGISTER, {5: 0x0080_0400}),
    ]
    before = counted()
    for order in variants * 2:
        answer(order, plans)
    assert counted() == (before[0] + len(variants), before[1] + len(variants))
    answer(asked(COPY, {5: 1}), plans)  # a register it does not look at
    answer(asked(REGISTER, {5: 0x0080_0200, 6: 1}, trace="full"), plans)
    assert counted() == (before[0] + len(variants) + 2, before[1] + len(variants))
    with pytest.raises(ExecutionFailed, match="register 5 is not set"):
        answer(asked(REGISTER), plans)
    with pytest.raises(IllegalInstructions):
        answer(asked(COPY + ILLEGAL), plans)


def test_memory_is_bounded() -> None:
    """Room for two plans of one record: the one not used lately goes, and so do many variants of one program."""
    one = execution.prepare(execution.begin(asked(COPY), fresh(CAYMAN), None), Plans(0), LIMITS).planned.size_bytes
    plans = Plans(2 * one)
    for code in (COPY, FEW, COPY, COPY[:35] + b"\1" + COPY[36:]):
        try:
            answer(asked(code), plans)
        except IllegalInstructions:
            continue
    for register in range(20):
        answer(asked(REGISTER, {5: 0x0080_0200 + 0x100 * register}), plans)
    assert plans._held <= 2 * one
    assert plans._held == sum(p.size_bytes for known in plans._plans.values() for p in known)
    roomy = Plans(100 * one)
    for register in range(20):
        answer(asked(REGISTER, {5: 0x0080_0200 + 0x100 * register}), roomy)
    assert roomy._held == 8 * one
