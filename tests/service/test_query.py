"""Queries: a name the endpoint does not know, or given twice, is told and not ignored; numbers are decimal integers."""

from __future__ import annotations

import httpx2
import pytest

from tests.service.programs import COPY
from tests.service.test_requests import refused
from tests.service.test_state import image_of

MEMORY = "/v1/images/{image}/memory?space=sbuf&size=4"
OCTETS = {"content-type": "application/octet-stream"}
JSON = {"content-type": "application/json"}
NPZ = {"content-type": "application/x-npz"}


@pytest.mark.parametrize(
    ("path", "field", "nearest"),
    [
        (f"{MEMORY}&partitons=9", "query.partitons", "partitions"),
        ("/v1/images/{image}?bytes=hex", "query.bytes", None),
        ("/v1/isa?x=1", "query.x", None),
        ("/v1/limits?x=1", "query.x", None),
        ("/v1/vbool/operations?x=1", "query.x", None),
        ("/v1/sessions/{image}?byte=hex", "query.byte", "bytes"),
    ],
)
def test_unknown_names_in_a_query(http: httpx2.Client, path: str, field: str, nearest: str | None) -> None:
    problem = refused(http.get(path.format(**image_of(http))), 400, "unknown_field")
    assert (problem["field"], problem.get("nearest")) == (field, nearest)


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "nearest"),
    [
        ("POST", "/v1/validate?generaton=cayman", OCTETS, COPY, "generation"),
        ("POST", "/v1/run?generation=cayman&traces=full", OCTETS, COPY, "trace"),
        ("POST", "/v1/validate?generation=sunda", JSON, b"{}", "bytes"),
        ("POST", "/v1/images?generations=cayman", NPZ, b"", "generation"),
        ("POST", "/v1/vbool/eval?profile=nki", JSON, b'{"ops":[]}', "bytes"),
        ("PUT", "/v1/sessions/ses_0/memory?space=sbuf&size=4&bite=1", OCTETS, bytes(4), "byte"),
        ("PUT", "/v1/sessions/ses_0/memory?space=sbuf", JSON, b'{"memory":[]}', "bytes"),
    ],
)
def test_unknown_names_beside_a_body(
    http: httpx2.Client, method: str, path: str, headers: dict[str, str], body: bytes, nearest: str
) -> None:
    problem = refused(http.request(method, path, content=body, headers=headers), 400, "unknown_field")
    assert problem["nearest"] == nearest


def test_names_stand_once(http: httpx2.Client) -> None:
    image = image_of(http)
    problem = refused(http.get(f"{MEMORY}&space=psum".format(**image)), 400, "invalid_field")
    assert problem["field"] == "query.space"
    twice = http.post("/v1/validate?generation=cayman&generation=sunda", content=COPY, headers=OCTETS)
    refused(twice, 400, "invalid_field")
    npz = http.post("/v1/images?generation=cayman&generation=sunda", content=b"", headers=NPZ)
    refused(npz, 400, "invalid_field")


@pytest.mark.parametrize("number", ["1.0", "%20%201", "1_0", "%2B1", "0x1", "", "\N{ARABIC-INDIC DIGIT ONE}"])
def test_numbers_are_decimal_integers(http: httpx2.Client, number: str) -> None:
    answer = http.get(f"{MEMORY}&partition={number}".format(**image_of(http)))
    refused(answer, 400, "invalid_field")
