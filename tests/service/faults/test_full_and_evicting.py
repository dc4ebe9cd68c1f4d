"""A store without room, and one that makes room by forgetting."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import httpx2

from tests.service.faults.history import create
from tests.service.running import Service
from tests.service.servers import Server, running
from tests.service.test_requests import refused
from tests.service.test_state import bytes_of, region

SIZE = 32 * 4096


def write(http: httpx2.Client, session: str, data: bytes) -> httpx2.Response:
    return http.put(f"/v1/sessions/{session}/memory", json={"memory": [region(data, partitions=32)]})


def test_a_full_store_keeps_what_was_answered_and_takes_more_when_there_is_room(tmp_path: Path) -> None:
    with running(Server(tmp_path, maxmemory="12mb", **{"maxmemory-policy": "noeviction"})) as (store,):
        service = Service(DVESIM_REDIS_URL=store.url, DVESIM_LOG_LEVEL="error", DVESIM_BLOCK_CACHE_BYTES="0")
        try:
            http = service.http
            session, last, version = create(http), bytes(SIZE), 1
            for _ in range(200):
                answer = write(http, session, data := os.urandom(SIZE))
                if answer.status_code != 200:
                    break
                last, version = data, answer.json()["version"]
            assert version > 20
            refused(answer, 503, "store_full")
            assert int(answer.headers["retry-after"]) >= 1
            store.client.config_set("maxmemory", "1mb")  # small writes would still fit
            refused(http.post("/v1/sessions", json={"generation": "cayman"}), 503, "store_full")
            path = f"/v1/sessions/{session}"
            assert http.get(path).json()["version"] == version
            assert bytes_of(http, f"{path}/memory", 0, 0, 4096, 32) == last
            assert http.get("/healthz/ready").status_code == 200  # reads go on
            store.client.config_set("maxmemory", "100mb")
            assert write(http, session, last).json()["version"] == version + 1
            assert bytes_of(http, f"{path}/memory", 0, 0, 4096, 32) == last
        finally:
            assert service.stop() == 0


def test_an_evicting_store_loses_blocks_but_never_changes_them(tmp_path: Path) -> None:
    options = {"maxmemory": "10mb", "maxmemory-policy": "allkeys-lru"}
    with running(Server(tmp_path, **options)) as (store,):
        service = Service(DVESIM_REDIS_URL=store.url, DVESIM_LOG_LEVEL="error", DVESIM_BLOCK_CACHE_BYTES="0")
        try:
            http = service.http
            contents: dict[str, bytes] = {}
            for _ in range(120):
                data = os.urandom(SIZE)
                body = {"generation": "cayman", "memory": [region(data, partitions=32)]}
                contents[http.post("/v1/sessions", json=body).json()["session"]] = data
                for kept in list(contents)[:5]:  # used all the time, but not their blocks
                    http.get(f"/v1/sessions/{kept}")
            outcomes: Counter[str] = Counter()
            for session, data in contents.items():
                outcomes[_read(http, session, data)] += 1
            assert set(outcomes) <= {"right", "blocks_missing", "image_not_found", "session_not_found"}
            assert outcomes["right"] >= 10
            assert outcomes["blocks_missing"] >= 2
        finally:
            assert service.stop() == 0


def _read(http: httpx2.Client, session: str, data: bytes) -> str:
    """`right`, or the code of the error; an answer with other bytes fails the test."""
    query = {"space": "sbuf", "partition": 0, "partitions": 32, "byte": 0, "size": 4096}
    answer = http.get(f"/v1/sessions/{session}/memory", params=query, headers={"accept": "application/octet-stream"})
    if answer.status_code == 200:
        assert answer.content == data
        return "right"
    problem: dict[str, Any] = answer.json()
    if problem["code"] == "blocks_missing":
        assert 1 <= len(problem["blocks"]) <= 4
    code: str = problem["code"]
    return code
