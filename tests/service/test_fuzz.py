"""Whatever the bytes: an answer of the contract, never a fault, and the service lives on."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.service.running import Service

VECTORS = json.loads((Path(__file__).parents[2] / "docs/isa/vectors/instructions.json").read_text())
LEGAL = [bytes.fromhex(row["hex"]) for row in VECTORS["executions"]]
GENERATIONS = ("sunda", "cayman", "mariana", "maverick")
OCTETS = {"content-type": "application/octet-stream"}
suite = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)

changes = st.lists(st.tuples(st.integers(0, 63), st.integers(0, 255)), max_size=3)


@st.composite
def records(draw: st.DrawFn) -> bytes:
    """A vector with up to three bytes changed, or anything at all."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(min_size=64, max_size=64))
    record = bytearray(draw(st.sampled_from(LEGAL)))
    for offset, value in draw(changes):
        record[offset] = value
    return bytes(record)


@suite
@given(
    program=st.lists(records(), max_size=4),
    generation=st.sampled_from(GENERATIONS),
    policy=st.sampled_from(["reject", "skip"]),
)
def test_any_program(service: Service, program: list[bytes], generation: str, policy: str) -> None:
    body = b"".join(program)
    judged = service.http.post(f"/v1/validate?generation={generation}", content=body, headers=OCTETS)
    assert judged.status_code == 200, judged.text
    query = f"generation={generation}&on_invalid={policy}&trace=full&read=written"
    ran = service.http.post(f"/v1/run?{query}", content=body, headers=OCTETS)
    assert ran.status_code in (200, 409, 422), ran.text
    if ran.status_code == 200:
        assert policy == "skip" or judged.json()["valid"]
    else:
        assert ran.json()["code"] in ("execution_error", "not_modelled", "invalid_instructions", "limit_exceeded")


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = (
    "generation", "instructions", "program_base64", "state", "read", "on_invalid", "trace", "profile", "assumptions",
    "memory", "manifest", "blocks", "image", "ttl_seconds", "store_image", "verdicts",
    "ops", "program", "registers", "invalid", "text",
)  # fmt: skip
PATHS = (
    "/v1/validate", "/v1/run", "/v1/images", "/v1/images:missing", "/v1/sessions", "/v1/sessions/ses_0/run",
    "/v1/vbool/eval", "/v1/vbool/run", "/v1/assemble", "/v1/disassemble",
)  # fmt: skip


@suite
@given(
    path=st.sampled_from(PATHS), body=st.dictionaries(st.sampled_from(FIELDS), json_values, max_size=4) | json_values
)
def test_any_json(service: Service, path: str, body: object) -> None:
    answer = service.http.post(path, json=body)
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        assert answer.json()["code"]


@suite
@given(name=st.text(min_size=1, max_size=40), kind=st.sampled_from(["images", "sessions", "blocks", "isa"]))
def test_any_name(service: Service, name: str, kind: str) -> None:
    answer = service.http.get(f"/v1/{kind}/{quote(name, safe='')}")
    assert answer.status_code in (200, 400, 404), answer.text
