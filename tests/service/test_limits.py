"""Which records count towards the limits of a run, and which error comes first."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from dve_engine import Choices, generation_named
from dve_engine.isa.opcodes import CATALOG
from dve_service import execution
from dve_service.blocks import Manifest
from dve_service.errors import IllegalInstructions, LimitExceeded
from dve_service.limits import Limits
from dve_service.machine_state import fresh
from dve_service.orders import Program, Run
from dve_service.plans import Plans
from dve_service.work import Watch
from tests.service.programs import COPY, ILLEGAL
from tests.service.running import Service
from tests.service.test_requests import refused

CAYMAN = generation_named("cayman")
HUGE = bytearray(ILLEGAL)  # illegal, and its counts are as large as they can be
HUGE[24:32] = HUGE[56:64] = b"\xff" * 8
LIMITS = Limits(elements=32 * 4 * 2, trace_entries=2)


def order(*records: bytes, **change: Any) -> Run:
    return dataclasses.replace(Run(Program(CAYMAN, b"".join(records), Choices())), **change)


def run(asked: Run) -> int:
    prepared = execution.prepare(execution.begin(asked, fresh(CAYMAN), None), Plans(0), LIMITS)
    return execution.finish(prepared, Manifest(CAYMAN, {}), {}, False, LIMITS, Watch(60.0)).answer.executed


def test_illegal_records_come_before_limits() -> None:
    with pytest.raises(IllegalInstructions):
        run(order(COPY, COPY, COPY, bytes(HUGE)))
    with pytest.raises(LimitExceeded, match="elements"):
        run(order(COPY, COPY, COPY))


def test_only_what_is_carried_out_counts() -> None:
    huge = bytes(HUGE)
    assert run(order(COPY, huge, COPY, on_invalid="skip")) == 2
    assert run(order(COPY, huge, COPY, COPY, on_invalid="stop")) == 1
    assert run(order(COPY, huge, COPY, trace="summary", on_invalid="skip")) == 2
    with pytest.raises(LimitExceeded, match="elements"):
        run(order(COPY, huge, COPY, COPY, on_invalid="skip"))


def test_records_behind_a_halt_do_not_count() -> None:
    [halt] = [c for c, info in CATALOG.items() if info.control == "halt"][:1]
    records = [COPY, bytes([halt, 0x10]) + bytes(62), COPY, COPY]
    assert run(order(*records)) == 2


def test_traced_records_are_limited() -> None:
    few = COPY[:34] + b"\x10" + COPY[35:]
    with pytest.raises(LimitExceeded, match="trace_entries"):
        run(order(few, few, few, trace="summary"))


def test_sessions_have_the_same_limits(small: Service) -> None:
    session = small.http.post("/v1/sessions", json={"generation": "cayman"}).json()["session"]
    answer = small.http.post(f"/v1/sessions/{session}/run", json={"instructions": [COPY.hex()] * 101})
    assert refused(answer, 422, "limit_exceeded")["limit"] == "instructions"
