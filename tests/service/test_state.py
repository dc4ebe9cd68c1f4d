"""Images, blocks and sessions over HTTP: contents, versions, lives."""

from __future__ import annotations

import base64
import threading
import time

import httpx2
import pytest
from blake3 import blake3

from tests.service.programs import COPY, FAR, FILL, ILLEGAL, REGISTER
from tests.service.running import Service
from tests.service.test_requests import refused

BLOCK = bytes(range(256)) * 128
BLOCK_ID = blake3(BLOCK).hexdigest()


def region(data: bytes, *, partition: int = 0, partitions: int = 1, byte: int = 0, space: str = "sbuf") -> dict:
    place = {"space": space, "partition": partition, "partitions": partitions, "byte": byte}
    return {**place, "size": len(data) // partitions, "data_base64": base64.b64encode(data).decode()}


def image_of(http: httpx2.Client, *regions: dict, generation: str = "cayman") -> dict:
    answer = http.post("/v1/images", json={"generation": generation, "memory": list(regions)})
    assert answer.status_code == 201, answer.text
    return answer.json()


def session_of(http: httpx2.Client, **body: object) -> dict:
    answer = http.post("/v1/sessions", json={"generation": "cayman", **body})
    assert answer.status_code == 201, answer.text
    return answer.json()


def bytes_of(http: httpx2.Client, path: str, partition: int, byte: int, size: int, partitions: int = 1) -> bytes:
    query = {"space": "sbuf", "partition": partition, "partitions": partitions, "byte": byte, "size": size}
    answer = http.get(path, params=query, headers={"accept": "application/octet-stream"})
    assert answer.status_code == 200, answer.text
    return answer.content


def test_equal_contents_have_equal_ids(http: httpx2.Client) -> None:
    one = image_of(http, region(b"abcd"), region(b"ef", byte=2))
    two = image_of(http, region(b"ef", byte=2), region(b"ab"))
    other = image_of(http, region(b"abef"), generation="mariana")
    assert one["image"] == two["image"] != other["image"]
    assert one["blocks"] == 1
    empty, zeros = image_of(http), image_of(http, region(bytes(4096), partitions=4))
    assert empty["image"] == zeros["image"]
    assert empty["blocks"] == 0


def test_image_reads(http: httpx2.Client) -> None:
    path = f"/v1/images/{image_of(http, region(b'abcdefgh', partition=31, partitions=2, byte=1022))['image']}"
    manifest = http.get(path).json()["manifest"]
    assert [(b["space"], b["quadrant"], b["tile"]) for b in manifest["blocks"]] == [
        ("sbuf", 0, 0), ("sbuf", 0, 1), ("sbuf", 1, 0), ("sbuf", 1, 1),
    ]  # fmt: skip
    assert bytes_of(http, f"{path}/memory", 31, 1021, 6, 2) == b"\0abcd\0" + b"\0efgh\0"
    query = {"space": "sbuf", "partition": 31, "byte": 1022, "size": 4}
    as_json = http.get(f"{path}/memory", params={**query, "bytes": "hex"}).json()
    assert as_json["memory"][0]["data_hex"] == b"abcd".hex()
    refused(http.get(f"{path}/memory", params=query, headers={"accept": "text/html"}), 406, "not_acceptable")
    refused(http.get(f"{path}/memory", params={**query, "size": 229377}), 400, "invalid_region")
    refused(http.get(f"{path}/memory", params={"space": "sbuf"}), 400, "invalid_field")
    refused(http.get(f"{path}/memory", params={**query, "size": "four"}), 400, "invalid_field")


def test_blocks_then_manifest(http: httpx2.Client) -> None:
    place = {"space": "sbuf", "quadrant": 3, "tile": 223, "id": BLOCK_ID}
    unknown = blake3(b"never stored").hexdigest()
    missing = http.post("/v1/images:missing", json={"generation": "cayman", "blocks": [unknown]}).json()["missing"]
    assert missing == [unknown]
    body = {"generation": "cayman", "manifest": {"blocks": [place, {**place, "tile": 0, "id": unknown}]}}
    assert unknown in refused(http.post("/v1/images", json=body), 409, "blocks_missing")["blocks"]
    assert http.put(f"/v1/blocks/{BLOCK_ID}", content=BLOCK).status_code == 200
    assert http.get(f"/v1/blocks/{BLOCK_ID}").content == BLOCK
    made = http.post("/v1/images", json={"manifest": {"generation": "cayman", "blocks": [place]}}).json()
    whole = image_of(http, region(BLOCK, partition=96, partitions=32, byte=223 * 1024))
    assert made["image"] == whole["image"]
    for wrong in ({"space": "dram"}, {"quadrant": 4}, {"tile": 224}, {"id": "zz"}):
        body = {"generation": "cayman", "manifest": {"blocks": [{**place, **wrong}]}}
        refused(http.post("/v1/images", json=body), 400, "invalid_field")
    refused(http.put(f"/v1/blocks/{BLOCK_ID}", content=BLOCK[::-1]), 400, "block_mismatch")
    refused(http.put(f"/v1/blocks/{BLOCK_ID}", content=b""), 400, "block_mismatch")
    refused(http.get(f"/v1/blocks/{unknown}"), 404, "block_not_found")
    refused(http.get("/v1/images/img_x"), 404, "image_not_found")


def test_run_from_an_image_and_store_the_result(http: httpx2.Client) -> None:
    start = image_of(http, region(b"\1\0\1\0", byte=256), region(b"keep", partition=127, byte=9))["image"]
    body = {"generation": "cayman", "instructions": [COPY.hex()], "state": {"image": start}, "store_image": True}
    end = http.post("/v1/run", json=body).json()["state"]["image"]
    assert bytes_of(http, f"/v1/images/{end}/memory", 32, 512, 16) == bytes(4) + FILL + bytes(4) + FILL
    assert bytes_of(http, f"/v1/images/{end}/memory", 127, 9, 4) == b"keep"
    refused(http.post("/v1/run", json={**body, "generation": "mariana"}), 400, "invalid_field")
    body["state"] = {"image": "img_" + "0" * 64}
    refused(http.post("/v1/run", json=body), 404, "image_not_found")


def test_session_keeps_state_between_runs(http: httpx2.Client) -> None:
    path = f"/v1/sessions/{session_of(http, memory=[region(bytes([1, 1, 0, 0]), byte=256)])['session']}"
    words = bytes.fromhex("0000c07f") + bytes(508)
    state = {"registers": {"5": 0x0080_0200}, "accumulators_hex": words.hex()}
    first = http.post(f"{path}/run", json={"instructions": [REGISTER.hex()], "state": state, "read": "written"})
    assert first.status_code == 200, first.text
    assert first.json()["version"] == 2
    assert first.headers["etag"] == '"2"'
    second = http.post(f"{path}/run", json={"instructions": [REGISTER.hex()]}).json()  # the register is remembered
    assert second["version"] == 3
    seen = http.get(path).json()
    assert seen["state"]["accumulators_hex"] == words.hex()
    assert seen["state"]["registers"] == {"5": 0x0080_0200}
    assert seen["image"] == second["state"]["image"]
    assert bytes_of(http, f"{path}/memory", 32, 512, 4) == bytes(4)


def test_register_banks_are_set_returned_and_remembered(http: httpx2.Client) -> None:
    path = f"/v1/sessions/{session_of(http)['session']}"
    mask = bytes(range(31, -1, -1))
    body = {"instructions": [], "state": {"banks_hex": {"lane_mask": mask.hex()}}}
    first = http.post(f"{path}/run?bytes=hex", json=body)
    assert first.status_code == 200, first.text
    assert first.json()["state"]["banks_hex"] == {"lane_mask": mask.hex()}
    again = http.get(path).json()
    assert again["state"]["banks_base64"] == {"lane_mask": base64.b64encode(mask).decode()}
    for wrong in ({"lane_mask": "00"}, {"no_bank": ""}, {"lane_mask": "xx"}):
        refused(
            http.post(f"{path}/run", json={"instructions": [], "state": {"banks_hex": wrong}}), 400, "invalid_field"
        )


def test_failed_runs_leave_the_session_as_it_was(http: httpx2.Client) -> None:
    path = f"/v1/sessions/{session_of(http)['session']}"
    before = http.get(path).json()
    problem = refused(http.post(f"{path}/run", json={"instructions": [COPY.hex(), FAR.hex()]}), 409, "execution_error")
    assert problem["instruction"] == 1
    assert {"operand", "lane", "address"} <= problem.keys()
    refused(http.post(f"{path}/run", json={"instructions": [ILLEGAL.hex()]}), 422, "invalid_instructions")
    refused(http.post(f"{path}/run", json={"generation": "cayman", "instructions": []}), 400, "unknown_field")
    assert http.get(path).json() == before


def test_memory_of_a_session(http: httpx2.Client) -> None:
    path = f"/v1/sessions/{session_of(http)['session']}"
    written = http.put(f"{path}/memory", json={"memory": [region(b"abcd"), region(b"XY", byte=1)]})
    assert written.json()["version"] == 2
    assert bytes_of(http, f"{path}/memory", 0, 0, 4) == b"aXYd"
    octets = {"content-type": "application/octet-stream"}
    raw = http.put(f"{path}/memory?space=psum&partition=3&byte=8&size=4", content=b"wxyz", headers=octets)
    assert raw.json()["version"] == 3
    query = {"space": "psum", "partition": 3, "byte": 8, "size": 4}
    answer = http.get(f"{path}/memory", params=query, headers={"accept": "application/octet-stream"})
    assert (answer.content, answer.headers["etag"]) == (b"wxyz", '"3"')
    refused(http.put(f"{path}/memory", json={"memory": [region(b"x", byte=229376)]}), 400, "invalid_region")
    huge = {"space": "sbuf", "partition": 0, "partitions": 2**32 - 1, "byte": 0, "size": 2**32 - 1, "data_hex": ""}
    refused(http.put(f"{path}/memory", json={"memory": [huge]}), 400, "invalid_field")


def test_if_match(http: httpx2.Client) -> None:
    path = f"/v1/sessions/{session_of(http)['session']}"
    body = {"instructions": [COPY.hex()]}
    assert http.post(f"{path}/run", json=body, headers={"if-match": '"1"'}).json()["version"] == 2
    for request in (
        lambda: http.post(f"{path}/run", json=body, headers={"if-match": '"1"'}),
        lambda: http.put(f"{path}/memory", json={"memory": []}, headers={"if-match": "1"}),
    ):
        assert refused(request(), 412, "version_conflict")["version"] == 2
    refused(http.post(f"{path}/run", json=body, headers={"if-match": "now"}), 400, "invalid_field")
    assert http.post(f"{path}/run", json=body, headers={"if-match": "*"}).json()["version"] == 3


def test_writers_of_one_process_take_turns(http: httpx2.Client, service: Service) -> None:
    session = session_of(http)["session"]
    statuses: list[int] = []

    def write() -> None:
        client = httpx2.Client(base_url=service.http.base_url, timeout=60)
        for _ in range(5):
            answer = client.put(f"/v1/sessions/{session}/memory", json={"memory": [region(b"x")]})
            statuses.append(answer.status_code)

    writers = [threading.Thread(target=write) for _ in range(12)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert statuses == [200] * 60
    assert http.get(f"/v1/sessions/{session}").json()["version"] == 61


def test_two_writers_lose_nothing(http: httpx2.Client, service: Service) -> None:
    session = session_of(http)["session"]
    failed: list[str] = []

    def write(first: int) -> None:
        client = httpx2.Client(base_url=service.http.base_url, timeout=60)
        done = 0
        while done < 10:
            change = region(bytes([first + done]), byte=first + done)
            answer = client.put(f"/v1/sessions/{session}/memory", json={"memory": [change]})
            if answer.status_code == 200:
                done += 1
            elif answer.json()["code"] != "concurrent_writes":
                failed.append(answer.text)
                return

    writers = [threading.Thread(target=write, args=(first,)) for first in (0, 100, 200)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert not failed
    assert http.get(f"/v1/sessions/{session}").json()["version"] == 31
    row = bytes_of(http, f"/v1/sessions/{session}/memory", 0, 0, 256)
    expected = [value if value % 100 < 10 else 0 for value in range(256)]
    assert list(row) == expected


def test_two_writers_with_versions_only_one_wins(http: httpx2.Client, service: Service) -> None:
    session = session_of(http)["session"]
    statuses: list[int] = []
    barrier = threading.Barrier(4)

    def write(byte: int) -> None:
        client = httpx2.Client(base_url=service.http.base_url, timeout=60)
        barrier.wait()
        body = {"memory": [region(b"x", byte=byte)]}
        statuses.append(
            client.put(f"/v1/sessions/{session}/memory", json=body, headers={"if-match": '"1"'}).status_code
        )

    writers = [threading.Thread(target=write, args=(byte,)) for byte in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(statuses) == [200, 412, 412, 412]


def test_fork_is_independent(http: httpx2.Client) -> None:
    parent = session_of(http, memory=[region(b"both")])["session"]
    fork = http.post(f"/v1/sessions/{parent}/fork")
    assert fork.status_code == 201
    child = fork.json()["session"]
    assert fork.json()["version"] == 1
    http.put(f"/v1/sessions/{child}/memory", json={"memory": [region(b"mine")]})
    assert bytes_of(http, f"/v1/sessions/{parent}/memory", 0, 0, 4) == b"both"
    assert bytes_of(http, f"/v1/sessions/{child}/memory", 0, 0, 4) == b"mine"
    longer = http.post(f"/v1/sessions/{parent}/fork", json={"ttl_seconds": 200_000}).json()
    assert longer["ttl_seconds"] == 200_000


@pytest.mark.parametrize("name", ["ses_x", "ses_" + "0" * 32, "ses_" + "0" * 31 + "}", "%00", "ses_" + "A" * 32])
def test_sessions_that_are_not_there(http: httpx2.Client, name: str) -> None:
    refused(http.get(f"/v1/sessions/{name}"), 404, "session_not_found")
    refused(http.delete(f"/v1/sessions/{name}"), 404, "session_not_found")


def test_delete(http: httpx2.Client) -> None:
    path = f"/v1/sessions/{session_of(http)['session']}"
    assert http.delete(path).status_code == 204
    refused(http.post(f"{path}/run", json={"instructions": []}), 404, "session_not_found")


def test_sessions_and_images_expire_and_live_on_while_used(small: Service) -> None:
    http = small.http
    path = f"/v1/sessions/{session_of(http, ttl_seconds=2, memory=[region(b'here')])['session']}"
    image = image_of(http, region(b"gone"))["image"]
    for _ in range(5):
        time.sleep(1.0)
        assert bytes_of(http, f"{path}/memory", 0, 0, 4) == b"here"
    refused(http.get(f"/v1/images/{image}"), 404, "image_not_found")
    time.sleep(2.5)
    refused(http.get(path), 404, "session_not_found")
    refused(http.post("/v1/sessions", json={"generation": "cayman", "ttl_seconds": 0}), 400, "invalid_field")
