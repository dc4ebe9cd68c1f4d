"""The answers the contract promises, over HTTP."""

from __future__ import annotations

import base64
import re

import httpx2
import pytest

from tests.service.programs import COPY, FILL, ILLEGAL, NO_OPCODE, OUTPUT, PREDICATE, REGISTER_MOVE


def validate(http: httpx2.Client, *records: bytes, **more: object) -> dict:
    body = {"generation": "cayman", "instructions": [record.hex() for record in records], **more}
    answer = http.post("/v1/validate", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def run(http: httpx2.Client, **body: object) -> dict:
    answer = http.post("/v1/run", json={"generation": "cayman", "instructions": [COPY.hex()], **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_validate_names_the_broken_rule(http: httpx2.Client) -> None:
    answer = validate(http, ILLEGAL)
    assert answer["generation"] == "cayman"
    assert answer["valid"] is False
    assert answer["summary"] == {"total": 1, "invalid": 1}
    [verdict] = answer["verdicts"]
    expected = {"index": 0, "opcode": 232, "mnemonic": "COPY_PREDICATED_SCALAR", "struct": "S3D3_CP_PRED_SCALAR"}
    assert expected.items() <= verdict.items()
    assert verdict["failures"] == [
        {
            "rule": "has_valid_reversed_pred",
            "field": "reversed_pred",
            "offset": 33,
            "size": 1,
            "value": 2,
            "expected": "0 or 1",
            "message": "reversed_pred is 2; it must be 0 or 1",
            "confidence": "H",
        }
    ]
    assert verdict["legal_on"] == []
    assert {"engine_version", "isa_version"} <= answer.keys()


def test_validate_tells_where_a_record_is_legal(http: httpx2.Client) -> None:
    [verdict] = validate(http, COPY)["verdicts"]
    assert verdict["legal_on"] == ["sunda", "cayman", "mariana"]
    assert verdict["class"] == "data"


def test_validate_unknown_opcode_has_a_leaf(http: httpx2.Client) -> None:
    [verdict] = validate(http, NO_OPCODE)["verdicts"]
    assert verdict["failures"][0]["rule"] == "has_valid_neuron_header"
    assert verdict["failures"][0]["leaf"] == "is_valid_enum"


def test_validate_says_what_a_run_would_not_do(http: httpx2.Client) -> None:
    [verdict] = validate(http, REGISTER_MOVE)["verdicts"]
    assert (verdict["valid"], verdict["executable"], verdict["class"]) == (True, False, "control")
    assert verdict["reason"]


def test_validate_can_list_only_illegal_records(http: httpx2.Client) -> None:
    answer = validate(http, COPY, ILLEGAL, COPY, verdicts="invalid")
    assert [verdict["index"] for verdict in answer["verdicts"]] == [1]
    assert answer["summary"] == {"total": 3, "invalid": 1}


@pytest.mark.parametrize("alias", ["cayman", "CAYMAN", "nc-v3", "trn2"])
def test_generation_aliases(http: httpx2.Client, alias: str) -> None:
    assert validate(http, COPY, generation=alias)["generation"] == "cayman"


def test_program_forms_are_equal(http: httpx2.Client) -> None:
    as_hex = validate(http, COPY, ILLEGAL)
    body = {"generation": "cayman", "program_base64": base64.b64encode(COPY + ILLEGAL).decode()}
    assert http.post("/v1/validate", json=body).json() == as_hex
    octets = {"content-type": "application/octet-stream"}
    raw = http.post("/v1/validate?generation=cayman", content=COPY + ILLEGAL, headers=octets)
    assert raw.json() == as_hex


def test_run_reads_back_what_it_wrote(http: httpx2.Client) -> None:
    predicate = bytes([0, 1, 0, 1] * 32)
    old = bytes(range(256)) * 2
    memory = [
        {**PREDICATE, "data_base64": base64.b64encode(predicate).decode()},
        {**OUTPUT, "data_hex": old.hex()},
    ]
    answer = run(http, state={"image": None, "memory": memory, "registers": {"5": 8389120}}, read=[OUTPUT])
    expected = b"".join(FILL if k % 2 == 0 else old[4 * k : 4 * k + 4] for k in range(128))
    assert answer["valid"] is True
    assert answer["executed"] == 1
    assert answer["verdicts"] == []
    [region] = answer["memory"]
    assert base64.b64decode(region.pop("data_base64")) == expected
    assert region == OUTPUT
    assert answer["written"] == [OUTPUT]
    assert answer["state"]["registers"] == {"5": 8389120}
    assert answer["state"]["image"] is None
    assert len(answer["state"]["accumulators_hex"]) == 1024
    assert len(answer["state"]["accumulators"]) == len(answer["state"]["accumulators_tainted"]) == 128
    assert {"id", "value", "confidence"} == answer["assumptions"][0].keys()
    assert answer["digest"].startswith("blake3:")
    assert answer["estimated_cycles"] > 0


def test_run_read_written_in_hex(http: httpx2.Client) -> None:
    answer = http.post(
        "/v1/run?bytes=hex", json={"generation": "cayman", "instructions": [COPY.hex()], "read": "written"}
    )
    [region] = answer.json()["memory"]
    assert region["data_hex"] == FILL.hex() * 128


def test_run_of_a_raw_program(http: httpx2.Client) -> None:
    octets = {"content-type": "application/octet-stream"}
    answer = http.post("/v1/run?generation=trn2&read=written&trace=summary", content=COPY, headers=octets).json()
    assert base64.b64decode(answer["memory"][0]["data_base64"]) == FILL * 128
    assert answer["trace"][0]["mnemonic"] == "COPY_PREDICATED_SCALAR"


def test_stop_and_skip(http: httpx2.Client) -> None:
    program = [COPY.hex(), ILLEGAL.hex(), COPY.hex()]
    assert run(http, instructions=program, on_invalid="stop")["executed"] == 1
    answer = run(http, instructions=program, on_invalid="skip")
    assert answer["executed"] == 2
    assert answer["valid"] is False
    assert [verdict["index"] for verdict in answer["verdicts"]] == [1]
    assert len(run(http, instructions=program, on_invalid="skip", verdicts="all")["verdicts"]) == 3


def test_accumulators_travel_as_bits_and_as_json(http: httpx2.Client) -> None:
    words = bytes.fromhex("0000c07f0000807f000080ff0000803f") + bytes(4 * 124)
    state = {"accumulators_hex": words.hex(), "accumulators_tainted": [False] * 127 + [True]}
    answer = run(http, instructions=[], state=state)
    assert answer["state"]["accumulators_hex"] == words.hex()
    assert answer["state"]["accumulators"][:5] == ["NaN", "Infinity", "-Infinity", 1.0, 0.0]
    assert answer["state"]["accumulators_tainted"] == [False] * 127 + [True]


def test_digest_follows_program_start_and_result_only(http: httpx2.Client) -> None:
    first = run(http)["digest"]
    assert run(http, read="written", trace="full")["digest"] == first
    assert run(http, instructions=[COPY.hex()] * 2)["digest"] != first
    assert run(http, state={"registers": {"1": 2}})["digest"] != first


def test_assumptions_can_be_chosen(http: httpx2.Client) -> None:
    first = run(http)["assumptions"]
    rows = {row["id"]: row for row in http.get("/v1/assumptions").json()["assumptions"]}
    assert {used["id"] for used in first} <= rows.keys()
    assert run(http, profile="nki")["executed"] == 1


def test_trace_full_is_json(http: httpx2.Client) -> None:
    [entry] = run(http, trace="full")["trace"]
    assert entry["writes"] == [OUTPUT]


def test_isa_pages(http: httpx2.Client) -> None:
    names = [row["name"] for row in http.get("/v1/isa").json()["generations"]]
    assert names == ["sunda", "cayman", "mariana", "maverick"]
    assert http.get("/v1/isa/trn2").json()["name"] == "cayman"
    listed = http.get("/v1/isa/cayman/instructions").json()["instructions"]
    assert any(row["mnemonic"] == "COPY_PREDICATED_SCALAR" for row in listed)
    one = http.get("/v1/isa/cayman/instructions/copy_predicated_scalar").json()
    assert one["rules"]
    assert http.get("/v1/isa/cayman/dtypes").json()["dtypes"]
    assert http.get("/v1/isa/cayman/aluops").json()["aluops"]
    cells = {cell["opcode"]: cell for cell in http.get("/v1/isa/cayman/coverage").json()["coverage"]}
    assert cells[0x43]["status"] == "executed"
    assert cells[0x43]["evidence"]["rules_proved"] == cells[0x43]["rules"] > 0
    assert cells[0x30] == {**cells[0x30], "status": "refused", "evidence": None}
    assert "engine_version" in one


def test_operations(http: httpx2.Client) -> None:
    assert http.get("/healthz/live").json()["live"] is True
    assert http.get("/healthz/ready").json()["ready"] is True
    assert {"service_version", "engine_version", "isa_version"} <= http.get("/version").json().keys()
    assert "dvesim_requests_total" in http.get("/metrics").text
    assert http.get("/docs").status_code == 200
    limits = http.get("/v1/limits").json()["limits"]
    assert {
        "body_bytes",
        "decompressed_body_bytes",
        "instructions",
        "elements",
        "run_seconds",
        "readback_bytes",
    } <= limits.keys()


def test_openapi_describes_bodies(http: httpx2.Client) -> None:
    document = http.get("/openapi.json").json()
    schemas = document["components"]["schemas"]
    assert "instructions" in schemas["RunBody"]["properties"]
    text = http.get("/openapi.json").text
    for reference in set(re.findall(r'"#/components/schemas/(\w+)"', text)):
        assert reference in schemas
