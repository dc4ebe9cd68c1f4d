"""Requests that are not as they should be, and bodies in every encoding."""

from __future__ import annotations

import base64
import gzip
import io
import random
import zipfile

import httpx2
import numpy as np
import pytest
import zstandard

from tests.service.programs import COPY, ILLEGAL, OUTPUT
from tests.service.running import Service

GOOD = {"generation": "cayman", "instructions": [COPY.hex()]}
REGION = {"space": "sbuf", "partition": 0, "byte": 0, "size": 4, "data_hex": "00000000"}


def refused(answer: httpx2.Response, status: int, code: str) -> dict:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["code"] == code
    assert problem["status"] == status
    assert {"type", "title", "detail", "engine_version", "isa_version"} <= problem.keys()
    return problem


@pytest.mark.parametrize(
    ("path", "field", "nearest"),
    [
        ({"instrctions": []}, "instrctions", "instructions"),
        ({"state": {"memmory": []}}, "state.memmory", "memory"),
        ({"state": {"memory": [{**REGION, "bytes": 3}]}}, "state.memory.0.bytes", "byte"),
        ({"read": [{**OUTPUT, "partion": 3}]}, "read.0.partion", "partition"),
    ],
    ids=["top", "nested", "in-a-list", "in-a-union"],
)
def test_unknown_field_names_the_nearest(http: httpx2.Client, path: dict, field: str, nearest: str) -> None:
    problem = refused(http.post("/v1/run", json={**GOOD, **path}), 400, "unknown_field")
    assert (problem["field"], problem["nearest"]) == (field, nearest)


@pytest.mark.parametrize(
    "change",
    [
        {"instructions": None},
        {"instructions": "e8"},
        {"instructions": ["xx" * 64]},
        {"instructions": [1]},
        {"program_base64": "AAAA"},
        {"all_failures": "yes"},
        {"verdicts": "some"},
        {"generation": 5},
        {"assumptions": []},
    ],
    ids=lambda change: "-".join(f"{name}-{value}"[:30] for name, value in change.items()),
)
def test_invalid_field_on_validate(http: httpx2.Client, change: dict) -> None:
    refused(http.post("/v1/validate", json={**GOOD, **change}), 400, "invalid_field")


@pytest.mark.parametrize(
    "change",
    [
        {"read": "everything"},
        {"read": [{"space": "dram", "partition": 0, "byte": 0, "size": 4}]},
        {"read": [{"space": "sbuf", "partition": -1, "byte": 0, "size": 4}]},
        {"read": [{"space": "sbuf", "partition": 1.5, "byte": 0, "size": 4}]},
        {"read": [{"space": "sbuf", "partition": True, "byte": 0, "size": 4}]},
        {"read": [{"space": "sbuf", "partition": 0, "byte": 0, "size": 2**70}]},
        {"on_invalid": "hope"},
        {"trace": "loud"},
        {"state": {"registers": {"64": 1}}},
        {"state": {"registers": {"x": 1}}},
        {"state": {"registers": {"1": 2**32}}},
        {"state": {"accumulators_hex": "00"}},
        {"state": {"accumulators_tainted": [True]}},
        {"state": {"memory": [{**REGION, "data_base64": "AAAAAA=="}]}},
        {"state": {"memory": [{**REGION, "data_hex": "00"}]}},
        {"state": {"memory": [{**REGION, "data_hex": "zz"}]}},
        {"state": {"memory": [{**REGION, "data_hex": None, "data_base64": "A"}]}},
    ],
    ids=str,
)
def test_invalid_field_on_run(http: httpx2.Client, change: dict) -> None:
    refused(http.post("/v1/run", json={**GOOD, **change}), 400, "invalid_field")


def test_regions_outside_memory(http: httpx2.Client) -> None:
    for region in (
        {**REGION, "byte": 229374},
        {**REGION, "partition": 128},
        {**REGION, "space": "psum", "byte": 16384},
    ):
        refused(http.post("/v1/run", json={**GOOD, "state": {"memory": [region]}}), 400, "invalid_region")
    read = {"space": "psum", "partition": 0, "byte": 0, "size": 4}
    refused(
        http.post("/v1/run", json={"generation": "maverick", "instructions": [], "read": [read]}), 400, "invalid_region"
    )


def test_malformed(http: httpx2.Client) -> None:
    json = {"content-type": "application/json"}
    refused(http.post("/v1/run", content=b"{", headers=json), 400, "malformed_request")
    refused(http.post("/v1/run", content=b"[]", headers=json), 400, "invalid_field")
    refused(http.post("/v1/run", content=b"", headers=json), 400, "invalid_field")
    refused(http.post("/v1/run", content=b"\xff\xfe", headers=json), 400, "malformed_request")
    refused(http.post("/v1/run", content=b"a=b", headers={"content-type": "text/plain"}), 415, "unsupported_media_type")


def test_program_length_names_the_remainder(http: httpx2.Client) -> None:
    octets = {"content-type": "application/octet-stream"}
    problem = refused(
        http.post("/v1/validate?generation=cayman", content=COPY + b"123", headers=octets), 400, "program_length"
    )
    assert "remainder of 3" in problem["detail"]
    text = base64.b64encode(COPY[:10]).decode()
    refused(http.post("/v1/validate", json={"generation": "cayman", "program_base64": text}), 400, "program_length")
    refused(http.post("/v1/validate", json={"generation": "cayman", "instructions": ["e810"]}), 400, "program_length")


def test_generation_is_required(http: httpx2.Client) -> None:
    refused(http.post("/v1/validate", json={"instructions": []}), 400, "unknown_generation")
    refused(http.post("/v1/validate", json={"generation": "trn9", "instructions": []}), 400, "unknown_generation")
    refused(http.get("/v1/isa/trn9"), 400, "unknown_generation")


def test_assumptions(http: httpx2.Client) -> None:
    refused(http.post("/v1/run", json={**GOOD, "assumptions": {"max-nam": "x"}}), 400, "unknown_assumption")
    refused(http.post("/v1/run", json={**GOOD, "assumptions": {"max-nan": "x"}}), 400, "unknown_assumption")
    refused(http.post("/v1/run", json={**GOOD, "profile": "x"}), 400, "unknown_assumption")


def test_query_of_a_raw_body_is_checked(http: httpx2.Client) -> None:
    octets = {"content-type": "application/octet-stream"}
    refused(http.post("/v1/run?generation=cayman&gen=1", content=COPY, headers=octets), 400, "unknown_field")
    refused(http.post("/v1/run?generation=cayman&bytes=octal", content=COPY, headers=octets), 400, "invalid_field")


def test_nothing_here(http: httpx2.Client) -> None:
    refused(http.get("/v2/run"), 404, "not_found")
    answer = http.get("/v1/run")
    refused(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "POST"
    refused(http.get("/v1/isa/cayman/instructions/NOPE"), 404, "instruction_not_found")


@pytest.mark.parametrize("encoding", ["gzip", "zstd", "identity", "gzip, zstd"])
def test_compressed_requests(http: httpx2.Client, encoding: str) -> None:
    body = b'{"generation":"cayman","instructions":["%s"]}' % COPY.hex().encode()
    for one in encoding.split(","):
        body = {"gzip": gzip.compress, "zstd": zstandard.compress, "identity": bytes}[one.strip()](body)
    headers = {"content-type": "application/json", "content-encoding": encoding}
    assert http.post("/v1/validate", content=body, headers=headers).json()["valid"] is True


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_compressed_responses(service: Service, encoding: str) -> None:
    raw = httpx2.Client(base_url=service.http.base_url, headers={"accept-encoding": encoding})
    with raw.stream("POST", "/v1/run", json={**GOOD, "read": [OUTPUT]}) as answer:
        assert answer.headers["content-encoding"] == encoding
        data = b"".join(answer.iter_raw())
    assert b'"executed":1' in (gzip.decompress(data) if encoding == "gzip" else zstandard.decompress(data))


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_decompression_is_bounded(small: Service, encoding: str) -> None:
    bomb = {"gzip": gzip.compress, "zstd": zstandard.compress}[encoding](bytes(50_000_000))
    headers = {"content-type": "application/json", "content-encoding": encoding}
    problem = refused(small.http.post("/v1/run", content=bomb, headers=headers), 413, "payload_too_large")
    assert problem["limit"] == "decompressed_body_bytes"


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_broken_compression(http: httpx2.Client, encoding: str) -> None:
    headers = {"content-type": "application/json", "content-encoding": encoding}
    whole = {"gzip": gzip.compress, "zstd": zstandard.compress}[encoding](b'{"generation":"cayman","instructions":[]}')
    refused(http.post("/v1/validate", content=b"nothing of the kind", headers=headers), 400, "malformed_request")
    answer = http.post("/v1/validate", content=whole[:-9], headers=headers)
    assert answer.status_code == 400
    headers["content-encoding"] = "br"
    refused(http.post("/v1/validate", content=b"", headers=headers), 415, "unsupported_media_type")


def test_limits(small: Service) -> None:
    def limit(status: int, code: str, name: str, **change: object) -> None:
        assert refused(small.http.post("/v1/run", json={**GOOD, **change}), status, code)["limit"] == name

    limit(422, "limit_exceeded", "instructions", instructions=[COPY.hex()] * 101)
    limit(422, "limit_exceeded", "regions", read=[OUTPUT] * 5)
    limit(422, "limit_exceeded", "instruction_elements")
    limit(422, "limit_exceeded", "readback_bytes", instructions=[], read=[{**OUTPUT, "size": 200}])
    problem = refused(small.http.post("/v1/run", content=bytes(70_000)), 413, "payload_too_large")
    assert problem["limit"] == "body_bytes"
    refused(small.http.post("/v1/sessions", json={"generation": "cayman", "ttl_seconds": 101}), 422, "limit_exceeded")


def test_chunked_bodies_are_bounded(small: Service) -> None:
    answer = small.http.post("/v1/run", content=(bytes(8192) for _ in range(32)))
    refused(answer, 413, "payload_too_large")


def test_illegal_instructions_carry_their_verdicts(http: httpx2.Client) -> None:
    problem = refused(
        http.post("/v1/run", json={**GOOD, "instructions": [COPY.hex(), ILLEGAL.hex()]}), 422, "invalid_instructions"
    )
    assert problem["instruction"] == 1
    assert [verdict["index"] for verdict in problem["verdicts"]] == [1]


def _npz(**arrays: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def test_npz_images(http: httpx2.Client) -> None:
    sbuf = np.arange(128 * 2048, dtype=np.uint8).reshape(128, 2048)
    headers = {"content-type": "application/x-npz"}
    made = http.post(
        "/v1/images?generation=cayman", content=_npz(sbuf=sbuf, psum=np.asfortranarray(sbuf[:, :64])), headers=headers
    )
    assert made.status_code == 201, made.text
    where = f"/v1/images/{made.json()['image']}/memory?space=psum&partitions=128&size=64"
    back = http.get(where, headers={"accept": "application/x-npy"})
    assert np.array_equal(np.load(io.BytesIO(back.content)), sbuf[:, :64])


def test_npz_images_that_are_none(http: httpx2.Client, small: Service) -> None:
    headers = {"content-type": "application/x-npz"}

    def post(body: bytes, client: httpx2.Client = http) -> httpx2.Response:
        return client.post("/v1/images?generation=cayman", content=body, headers=headers)

    refused(post(b"PK nothing"), 400, "malformed_request")
    refused(post(_npz(dram=np.zeros((128, 4), np.uint8))), 400, "unknown_field")
    refused(post(_npz(sbuf=np.zeros((128, 4), np.float32))), 400, "invalid_field")
    refused(post(_npz(sbuf=np.zeros((64, 4), np.uint8))), 400, "invalid_field")
    refused(post(_npz(sbuf=np.zeros((128, 0), np.uint8))), 400, "invalid_field")
    refused(post(_npz(sbuf=np.array([object()]))), 400, "invalid_field")
    refused(post(_npz(sbuf=np.zeros((128, 229377), np.uint8))), 400, "invalid_region")
    refused(post(_npz(sbuf=np.zeros((128, 100_000), np.uint8)), small.http), 413, "payload_too_large")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(
            "sbuf.npy", b"\x93NUMPY\x01\x00v\x00{'descr': '|u1', 'fortran_order': False, 'shape': (128, 9999999), }"
        )
    refused(post(stream.getvalue()), 400, "invalid_field")


def npz(*members: tuple[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return packed.getvalue()


def npy(header: str) -> bytes:
    text = header.encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


HOSTILE_ARCHIVES = {
    "unfinished-header": npz(("sbuf.npy", npy("{'descr':'|u1',(\n"))),
    "deep-header": npz(("sbuf.npy", npy("-" * 9000 + "1"))),
    "shape-of-bools": npz(("sbuf.npy", npy("{'descr':'|u1','fortran_order':False,'shape':(128,True)}") + bytes(128))),
    "pickled": npz(("sbuf.npy", npy("{'descr':'|O','fortran_order':False,'shape':(128,1)}") + bytes(128))),
    "lzma": npz(("sbuf.npy", bytes(200)), method=zipfile.ZIP_LZMA),
    "twice": npz(("sbuf.npy", bytes(8)), ("sbuf", bytes(8))),
    "not-a-zip": b"PK\x03\x04" + bytes(60),
    "empty": b"",
}


@pytest.mark.parametrize("name", HOSTILE_ARCHIVES)
def test_hostile_archives_are_refused(http: httpx2.Client, name: str) -> None:
    answer = http.post(
        "/v1/images?generation=cayman", content=HOSTILE_ARCHIVES[name], headers={"content-type": "application/x-npz"}
    )
    assert answer.status_code == 400, answer.text
    assert answer.json()["code"] in ("malformed_request", "invalid_field")


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_cut_body_is_not_a_shorter_body(http: httpx2.Client, encoding: str) -> None:
    plain = random.Random(1).randbytes(64 * 512)
    packed = gzip.compress(plain) if encoding == "gzip" else zstandard.compress(plain)
    for cut in (0, 5, len(packed) // 2, len(packed) - 1):
        answer = http.post(
            "/v1/validate?generation=cayman",
            content=packed[:cut],
            headers={"content-type": "application/octet-stream", "content-encoding": encoding},
        )
        assert answer.status_code == 400, (cut, answer.text)
        assert answer.json()["code"] == "malformed_request"


def test_many_frames_are_one_body_in_reasonable_time(http: httpx2.Client) -> None:
    frames = gzip.compress(b"") * 20_000 + gzip.compress(bytes(64)) + gzip.compress(bytes(64))
    answer = http.post(
        "/v1/validate?generation=cayman",
        content=frames,
        headers={"content-type": "application/octet-stream", "content-encoding": "gzip"},
    )
    assert answer.json()["summary"]["total"] == 2


@pytest.mark.parametrize("field", ["generation", "profile", "verdicts"])
def test_a_callers_text_is_not_reflected_at_length(http: httpx2.Client, field: str) -> None:
    body = {"generation": "cayman", "program_base64": "", field: "x" * 200_000}
    answer = http.post("/v1/validate", json=body)
    assert answer.status_code == 400
    assert len(answer.content) < 2_000
