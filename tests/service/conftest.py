"""Real servers, once per test session: Valkey, the service as its own process, an HTTP client and a gRPC channel."""

from __future__ import annotations

from collections.abc import Iterator

import grpc
import httpx2
import pytest

from dve_service.store.embedded import EmbeddedServer
from tests.service.running import Service


@pytest.fixture(scope="session")
def valkey() -> Iterator[EmbeddedServer]:
    with EmbeddedServer("1gb") as server:
        yield server


@pytest.fixture(scope="session")
def service(valkey: EmbeddedServer) -> Iterator[Service]:
    running = Service(DVESIM_REDIS_URL=valkey.url)
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="session")
def small(valkey: EmbeddedServer) -> Iterator[Service]:
    """A service with small limits and short lives, on the same store."""
    running = Service(
        DVESIM_REDIS_URL=valkey.url,
        DVESIM_KEY_PREFIX="small",
        DVESIM_ENGINE_THREADS="1",
        DVESIM_IMAGE_TTL_SECONDS="1",
        DVESIM_LIMIT_BODY_BYTES="65536",
        DVESIM_LIMIT_DECOMPRESSED_BODY_BYTES="131072",
        DVESIM_LIMIT_GRPC_MESSAGE_BYTES="65536",
        DVESIM_LIMIT_INSTRUCTIONS="100",
        DVESIM_LIMIT_REGIONS="4",
        DVESIM_LIMIT_READBACK_BYTES="4096",
        DVESIM_LIMIT_RUN_SECONDS="0.000001",
        DVESIM_LIMIT_INSTRUCTION_ELEMENTS="100",
        DVESIM_LIMIT_SESSION_TTL_SECONDS="100",
        DVESIM_LIMIT_QUEUED_RUNS="0",
    )
    yield running
    assert running.stop() == 0


@pytest.fixture
def http(service: Service) -> httpx2.Client:
    return service.http


@pytest.fixture
def channel(service: Service) -> grpc.Channel:
    return service.channel
