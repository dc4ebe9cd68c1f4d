"""Memory over HTTP in pieces: ranges, streamed bodies, how little is held, and what is left when something breaks."""

from __future__ import annotations

import gzip
import io
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
import redis
import zstandard

from dve_proto.v1 import common_pb2, images_pb2, sessions_pb2
from dve_service.store.embedded import EmbeddedServer
from tests.service.rpc import Stubs
from tests.service.running import Service
from tests.service.test_requests import refused
from tests.service.test_state import image_of, region, session_of

OCTETS, NPY, NPZ = "application/octet-stream", "application/x-npy", "application/x-npz"
WIDTH = 192 * 1024  # bytes of a partition: 24 MiB in all
MIB = 1 << 20
WHOLE = {"space": "sbuf", "partitions": 128, "size": WIDTH}
VALUES = np.random.default_rng(5).integers(1, 256, (128, WIDTH), np.uint8)
DATA = bytes(range(1, 241))
PLACE = {"space": "sbuf", "partition": 31, "partitions": 3, "byte": 1000, "size": 80}  # of two quadrants, two tiles


@pytest.fixture(scope="module")
def lean(valkey: EmbeddedServer) -> Iterator[Service]:
    """A service that keeps hardly any blocks at hand."""
    running = Service(
        DVESIM_REDIS_URL=valkey.url,
        DVESIM_KEY_PREFIX="lean",
        DVESIM_BLOCK_CACHE_BYTES=str(MIB),
    )
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def image(service: Service) -> str:
    return f"/v1/images/{image_of(service.http, region(DATA, partition=31, partitions=3, byte=1000))['image']}/memory"


def get(http: httpx2.Client, path: str, **headers: str) -> httpx2.Response:
    return http.get(
        path, params=PLACE, headers={"accept": OCTETS, **{n.replace("_", "-"): v for n, v in headers.items()}}
    )


# --- ranges ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "start", "stop"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=3-9", 3, 10),
        ("bytes=70-90", 70, 91),
        ("bytes=10-230", 10, 231),
        ("bytes=80-159", 80, 160),
        ("bytes=200-", 200, 240),
        ("bytes=-7", 233, 240),
        ("bytes=-999", 0, 240),
        ("bytes=100-99999999999", 100, 240),
        ("Bytes = 1-2", 1, 3),
    ],
)
def test_one_range(http: httpx2.Client, image: str, asked: str, start: int, stop: int) -> None:
    answer = get(http, image, range=asked)
    assert answer.status_code == 206, answer.text
    assert answer.headers["content-range"] == f"bytes {start}-{stop - 1}/240"
    assert answer.headers["content-length"] == str(stop - start)
    assert answer.content == DATA[start:stop]


@pytest.mark.parametrize("asked", ["bytes=240-", "bytes=9-8", "bytes=-0", "bytes=0-1,3-4", "bytes=-", "bytes=a-b"])
def test_what_is_not_one_range(http: httpx2.Client, image: str, asked: str) -> None:
    answer = get(http, image, range=asked)
    refused(answer, 416, "range_not_satisfiable")
    assert answer.headers["content-range"] == "bytes */240"


def test_ranges_that_do_not_count(http: httpx2.Client, image: str) -> None:
    whole = get(http, image)
    assert (whole.status_code, whole.headers["accept-ranges"], whole.content) == (200, "bytes", DATA)
    tag = whole.headers["etag"]
    assert tag == f'"{image.split("/")[3]}"'
    assert get(http, image, range="bytes=0-3", if_range=tag).status_code == 206
    for headers in (
        {"range": "bytes=0-3", "if_range": f"W/{tag}"},
        {"range": "bytes=0-3", "if_range": "Tue, 01 Dec 2026 00:00:00 GMT"},
        {"range": "rows=0-3"},
        {"range": "bytes"},
        {"range": "bytes=0-3", "accept": "application/json"},
    ):
        assert get(http, image, **headers).status_code == 200, headers
    array = get(http, image, range="bytes=0-3", accept=NPY)
    assert (array.status_code, "etag" in array.headers) == (200, False)
    assert np.array_equal(np.load(io.BytesIO(array.content)), np.frombuffer(DATA, np.uint8).reshape(3, 80))


def test_a_download_is_resumed_only_on_the_same_version(http: httpx2.Client) -> None:
    session = (
        f"/v1/sessions/{session_of(http, memory=[region(DATA, partition=31, partitions=3, byte=1000)])['session']}"
    )
    tag = get(http, f"{session}/memory", range="bytes=0-99").headers["etag"]
    assert tag == '"1"'
    rest = get(http, f"{session}/memory", range="bytes=100-", if_range=tag)
    assert (rest.status_code, rest.content) == (206, DATA[100:])
    http.put(f"{session}/memory", json={"memory": [region(b"x", partition=31, byte=1000)]})
    anew = get(http, f"{session}/memory", range="bytes=100-", if_range=tag)
    assert (anew.status_code, anew.headers["etag"], anew.content) == (200, '"2"', b"x" + DATA[1:])


# --- bodies ------------------------------------------------------------------------------------------------


def npy(array: np.ndarray) -> bytes:  # type: ignore[type-arg]
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


ARRAY = np.frombuffer(DATA, np.uint8).reshape(3, 80)
BODIES = {
    "raw": (OCTETS, DATA, PLACE),
    "npy": (NPY, npy(ARRAY), {"space": "sbuf", "partition": 31, "byte": 1000}),
    "npy-with-its-shape": (NPY, npy(ARRAY), PLACE),
    "npy-by-columns": (NPY, npy(np.asfortranarray(ARRAY)), {"space": "sbuf", "partition": 31, "byte": 1000}),
}


@pytest.mark.parametrize("encoding", ["identity", "gzip", "zstd"])
@pytest.mark.parametrize("name", BODIES)
def test_bodies_of_memory(http: httpx2.Client, image: str, name: str, encoding: str) -> None:
    kind, body, query = BODIES[name]
    body = {"identity": bytes, "gzip": gzip.compress, "zstd": zstandard.compress}[encoding](body)
    headers = {"content-type": kind, "content-encoding": encoding}
    made = http.post("/v1/images", params={**query, "generation": "cayman"}, content=body, headers=headers)
    assert made.status_code == 201, made.text
    assert f"/v1/images/{made.json()['image']}/memory" == image
    session = f"/v1/sessions/{session_of(http)['session']}/memory"
    written = http.put(session, params=query, content=body, headers=headers)
    assert (written.status_code, written.headers["etag"]) == (200, '"2"'), written.text
    assert get(http, session).content == DATA


@pytest.mark.parametrize(
    ("kind", "body", "query", "code"),
    [
        (OCTETS, DATA[:-1], {}, "invalid_field"),
        (OCTETS, DATA + b"x", {}, "invalid_field"),
        (OCTETS, DATA, {"byte": 229_376}, "invalid_region"),
        (OCTETS, DATA, {"bite": 1}, "unknown_field"),
        (NPY, npy(ARRAY)[:-1], {}, "invalid_field"),
        (NPY, npy(ARRAY) + b"x", {}, "invalid_field"),
        (NPY, npy(ARRAY.astype(np.uint16)), {}, "invalid_field"),
        (NPY, npy(ARRAY[0]), {}, "invalid_field"),
        (NPY, npy(ARRAY), {"size": 79}, "invalid_field"),
        (NPY, b"\x93NUMPY\x02\x00" + b"\xff" * 4, {}, "invalid_field"),
        (NPY, b"", {}, "invalid_field"),
    ],
    ids=["short", "long", "outside", "query", "npy-short", "npy-long", "dtype", "1-d", "shape", "header", "empty"],
)
def test_bodies_that_are_refused(http: httpx2.Client, kind: str, body: bytes, query: dict, code: str) -> None:
    headers = {"content-type": kind}
    path = f"/v1/sessions/{session_of(http)['session']}"
    refused(http.put(f"{path}/memory", params={**PLACE, **query}, content=body, headers=headers), 400, code)
    assert http.get(path).json()["version"] == 1
    query = {**PLACE, **query, "generation": "cayman"}
    refused(http.post("/v1/images", params=query, content=body, headers=headers), 400, code)


def test_streamed_bodies_have_a_limit_of_their_own(service: Service, valkey: EmbeddedServer) -> None:
    assert service.http.get("/v1/limits").json()["limits"]["stream_bytes"] >= 64 * MIB
    strict = Service(DVESIM_REDIS_URL=valkey.url, DVESIM_LIMIT_STREAM_BYTES="200", DVESIM_LIMIT_BODY_BYTES="1024")
    for more in ({"content": DATA}, {"content": iter([DATA[:150], DATA[150:]])}):
        answer = strict.http.post(
            "/v1/images", params={**PLACE, "generation": "cayman"}, headers={"content-type": OCTETS}, **more
        )
        assert refused(answer, 413, "payload_too_large")["limit"] == "stream_bytes"
    assert strict.stop() == 0


def test_a_stale_version_is_told_before_the_body_is_read(http: httpx2.Client) -> None:
    path = f"/v1/sessions/{session_of(http)['session']}/memory"
    headers = {"content-type": OCTETS, "if-match": '"7"'}
    refused(http.put(path, params=PLACE, content=b"", headers=headers), 412, "version_conflict")


def test_streamed_writes_of_many_meet_on_one_session(http: httpx2.Client, service: Service) -> None:
    """Each write covers some rows of the same blocks, so a write that is laid over an old version would lose others."""
    session = f"/v1/sessions/{session_of(http)['session']}"
    statuses: list[int] = []

    def write(number: int) -> None:
        with httpx2.Client(base_url=service.http.base_url, timeout=60) as client:
            query = {"space": "sbuf", "partition": 8 * number, "partitions": 8, "byte": 5, "size": 3000}
            headers = {"content-type": OCTETS}
            body = iter([bytes([number + 1]) * 12_000] * 2)
            statuses.append(client.put(f"{session}/memory", params=query, content=body, headers=headers).status_code)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(16)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert statuses == [200] * 16
    query = {"space": "sbuf", "partitions": 128, "byte": 5, "size": 3000}
    read = http.get(f"{session}/memory", params=query, headers={"accept": OCTETS})
    assert read.headers["etag"] == '"17"'
    assert read.content == b"".join(bytes([number + 1]) * 24_000 for number in range(16))


# --- how little is held, and what is left when something breaks ---------------------------------------------


def grown(service: Service, work: object) -> float:
    """MiB by which the process grew at most while `work` was done."""
    process = Path(f"/proc/{service.process.pid}")

    def of(name: str) -> float:
        return next(int(line.split()[1]) for line in (process / "status").open() if line.startswith(name)) / 1024

    before = of("VmRSS:")
    (process / "clear_refs").write_text("5")
    work()  # type: ignore[operator]
    return of("VmHWM:") - before


def test_24_mib_through_a_few(lean: Service) -> None:
    http = lean.http
    data = VALUES.tobytes()
    small = {"space": "sbuf", "partitions": 128, "size": 1024}
    archive = io.BytesIO()
    np.savez(archive, sbuf=VALUES)
    session = f"/v1/sessions/{session_of(http)['session']}/memory"
    images: list[str] = []
    bodies = {OCTETS: (data, {**WHOLE}), NPY: (npy(VALUES), {"space": "sbuf"}), NPZ: (archive.getvalue(), {})}

    def post(kind: str, body: bytes, query: dict) -> None:
        made = http.post(
            "/v1/images", params={**query, "generation": "cayman"}, content=body, headers={"content-type": kind}
        )
        images.append(made.json()["image"])

    def put(query: dict, body: bytes) -> None:
        assert http.put(session, params=query, content=body, headers={"content-type": OCTETS}).status_code == 200

    def read(path: str, query: dict, kind: str) -> None:
        seen = 0
        with http.stream("GET", path, params=query, headers={"accept": kind}) as answer:
            assert answer.status_code == 200
            for piece in answer.iter_bytes():
                if kind == OCTETS:
                    assert piece == data[seen : seen + len(piece)]
                seen += len(piece)
        assert seen == int(answer.headers["content-length"]) >= query["partitions"] * query["size"]

    put(small, bytes(128 * 1024))
    growth = {f"post {kind}": grown(lean, lambda b=body, k=kind: post(k, *b)) for kind, body in bodies.items()}
    growth["put"] = grown(lean, lambda: put(WHOLE, data))
    assert len(images) == 3 and len(set(images)) == 1
    for path in (f"/v1/images/{images[0]}/memory", session):
        for kind in (OCTETS, NPY):
            growth[f"get {path[4:7]} {kind}"] = grown(lean, lambda p=path, k=kind: read(p, WHOLE, k))
    assert len(growth) == 8
    assert max(growth.values()) < 24, growth
    assert max(mib for name, mib in growth.items() if name.startswith("get")) < 12, growth


def test_24_mib_through_a_few_over_grpc(lean: Service) -> None:
    stubs = Stubs(lean.channel)
    rows = 5
    pieces = [
        common_pb2.MemoryRegion(space="sbuf", partition=p, partitions=len(part), size=WIDTH, data=part.tobytes())
        for p, part in ((first, VALUES[first : first + rows]) for first in range(0, 128, rows))
    ]
    wanted = [common_pb2.Region(space="sbuf", partitions=128, size=WIDTH)]
    session = stubs.sessions.CreateSession(sessions_pb2.CreateSessionRequest(generation="cayman")).session
    images: list[str] = []

    def put_image() -> None:
        parts = [images_pb2.PutImageRequest(generation="cayman")]
        parts += [images_pb2.PutImageRequest(memory=piece) for piece in pieces]
        images.append(stubs.images.PutImage(iter(parts)).image)

    def write() -> None:
        parts = [sessions_pb2.WriteMemoryRequest(header=sessions_pb2.WriteMemoryHeader(session=session, if_match=1))]
        parts += [sessions_pb2.WriteMemoryRequest(memory=piece) for piece in pieces]
        assert stubs.sessions.WriteMemory(iter(parts)).image == images[0]

    def read(stream: Iterator[Any]) -> None:
        first = 0
        for part in stream:
            assert len(part.memory.data) <= MIB
            assert part.memory.partition == first
            assert part.memory.data == VALUES[first : first + part.memory.partitions].tobytes()
            first += part.memory.partitions
        assert first == 128

    growth = [grown(lean, put_image), grown(lean, write)]
    reads = [
        lambda: read(stubs.images.ReadImageMemory(images_pb2.ReadImageMemoryRequest(image=images[0], read=wanted))),
        lambda: read(stubs.sessions.ReadMemory(sessions_pb2.ReadMemoryRequest(session=session, read=wanted))),
    ]
    growth += [grown(lean, one) for one in reads]
    assert max(growth) < 24, growth


def test_a_read_stays_on_its_version(lean: Service) -> None:
    http = lean.http
    session = f"/v1/sessions/{session_of(http)['session']}/memory"
    headers = {"content-type": OCTETS}
    assert http.put(session, params=WHOLE, content=bytes([1]) * (24 * MIB), headers=headers).status_code == 200
    with (
        httpx2.Client(base_url=http.base_url, timeout=60) as other,
        other.stream("GET", session, params=WHOLE, headers={"accept": OCTETS}) as answer,
    ):
        pieces = answer.iter_bytes()
        first = next(pieces)
        assert http.put(session, params=WHOLE, content=bytes([2]) * (24 * MIB), headers=headers).status_code == 200
        read = first + b"".join(pieces)
    assert read == bytes([1]) * (24 * MIB)


def stored_blocks(valkey: EmbeddedServer, prefix: str) -> tuple[redis.Redis, list[bytes]]:
    store = redis.Redis.from_url(valkey.url)
    return store, list(store.scan_iter(f"{prefix}:public:b:*", 1000))


def test_a_missing_block_is_told_before_the_first_byte(valkey: EmbeddedServer) -> None:
    alone = Service(
        DVESIM_REDIS_URL=valkey.url,
        DVESIM_KEY_PREFIX="gaps",
        DVESIM_BLOCK_CACHE_BYTES=str(MIB),
    )
    query = {**WHOLE, "generation": "cayman"}
    headers = {"content-type": OCTETS}
    made = alone.http.post("/v1/images", params=query, content=VALUES.tobytes(), headers=headers).json()
    path = f"/v1/images/{made['image']}/memory"
    manifest = alone.http.get(f"/v1/images/{made['image']}").json()["manifest"]["blocks"]
    last = next(b["id"] for b in manifest if (b["quadrant"], b["tile"]) == (3, 7))
    store, keys = stored_blocks(valkey, "gaps")
    assert len(keys) == made["blocks"] == 768
    [key] = [key for key in keys if last in key.decode()]
    kept = store.dump(key)

    store.delete(key)
    for kind in (OCTETS, NPY):
        answer = alone.http.get(path, params=WHOLE, headers={"accept": kind})
        assert refused(answer, 409, "blocks_missing")["blocks"] == [last]
    store.restore(key, 60_000, kept)

    # lost while it is on its way: the connection ends early, and the caller can tell
    with (
        httpx2.Client(base_url=alone.http.base_url, timeout=60) as client,
        client.stream("GET", path, params=WHOLE, headers={"accept": OCTETS}) as answer,
    ):
        assert answer.status_code == 200
        pieces = answer.iter_bytes()
        next(pieces)
        store.delete(key)
        with pytest.raises(httpx2.RemoteProtocolError):
            list(pieces)
    assert alone.http.get("/healthz/live").status_code == 200
    assert alone.stop() == 0
    store.delete(*keys)


def test_a_caller_that_goes_away_changes_nothing(http: httpx2.Client, service: Service) -> None:
    path = f"/v1/sessions/{session_of(http, memory=[region(b'here')])['session']}"
    host, port = service.http_address.split(":")
    for target, query in ((f"PUT {path}/memory", ""), ("POST /v1/images", "generation=cayman&")):
        method, where = target.split()
        head = f"{method} {where}?{query}space=sbuf&partitions=128&size={WIDTH} HTTP/1.1\r\nhost: x\r\n"
        head += f"content-type: {OCTETS}\r\ncontent-length: {24 * MIB}\r\n\r\n"
        with socket.create_connection((host, int(port))) as caller:
            caller.sendall(head.encode() + bytes([9]) * (10 * MIB))
        time.sleep(0.2)
    seen = http.get(path).json()
    assert seen["version"] == 1
    query = {"space": "sbuf", "size": 4}
    assert http.get(f"{path}/memory", params=query, headers={"accept": OCTETS}).content == b"here"
