"""Requests as JSON bodies, and the bytes of JSON answers."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from typing import Any

from dve_engine import Region

from ..memory import MemoryRegion
from ..requests import RunRequest, ValidateRequest
from ..vbool_requests import VboolEvalRequest


def region(place: Region) -> dict[str, Any]:
    """A region."""
    return {
        "space": place.space.value,
        "partition": place.partition,
        "partitions": place.partitions,
        "byte": place.byte,
        "size": place.size,
    }


def writes(memory: Iterable[MemoryRegion]) -> list[dict[str, Any]]:
    """Regions and their bytes."""
    return [{**region(item.region), "data_base64": b64encode(item.tobytes()).decode()} for item in memory]


def validate(request: ValidateRequest) -> dict[str, Any]:
    """POST /v1/validate."""
    return {
        "generation": request.generation,
        "program_base64": b64encode(request.program).decode(),
        "profile": request.profile,
        "assumptions": dict(request.assumptions),
        "all_failures": request.all_failures,
        "verdicts": request.verdicts,
    }


def session_run(request: RunRequest) -> dict[str, Any]:
    """POST /v1/sessions/{id}/run."""
    return {
        "program_base64": b64encode(request.program).decode(),
        "state": {
            "memory": writes(request.memory),
            "registers": {str(number): value for number, value in request.registers.items()},
            "accumulators_hex": None if request.accumulators is None else request.accumulators.hex(),
            "banks_base64": {name: b64encode(bank).decode() for name, bank in request.banks.items()},
            "accumulators_tainted": None if request.tainted is None else list(request.tainted),
        },
        "read": "written" if request.read is None else [region(place) for place in request.read],
        "on_invalid": request.on_invalid,
        "profile": request.profile,
        "assumptions": dict(request.assumptions),
        "trace": request.trace,
        "verdicts": request.verdicts,
        "cache": request.cache,
    }


def run(request: RunRequest) -> dict[str, Any]:
    """POST /v1/run."""
    body = session_run(request)
    state = {**body["state"], "image": request.image}
    return {**body, "generation": request.generation, "state": state, "store_image": request.store_image}


def vbool_eval(request: VboolEvalRequest) -> dict[str, Any]:
    """POST /v1/vbool/eval."""
    return {**vars(request), "ops": [{"op": op, "inputs": inputs} for op, inputs in request.ops]}


def with_bytes(document: Mapping[str, Any]) -> dict[str, Any]:
    """An answer with `data` and `accumulators` as bytes."""
    answer = dict(document)
    if "memory" in answer:
        answer["memory"] = [{**item, "data": b64decode(item["data_base64"])} for item in answer["memory"]]
    state = answer["state"]
    answer["state"] = {
        **state,
        "accumulators": bytes.fromhex(state["accumulators_hex"]),
        "banks": {name: b64decode(bank) for name, bank in state["banks_base64"].items()},
    }
    return answer
