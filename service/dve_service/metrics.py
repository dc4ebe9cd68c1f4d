"""What Prometheus sees. Labels are closed sets: generations, outcomes by error code, transports, operations."""

from __future__ import annotations

import os

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

REQUESTS = Counter(
    "dvesim_requests",
    "Requests by transport, operation and outcome (ok or error code)",
    ("transport", "operation", "outcome"),
)
SECONDS = Histogram("dvesim_request_seconds", "Time to answer a request", ("transport", "operation"), buckets=_SECONDS)
RUN_SECONDS = Histogram("dvesim_run_seconds", "Engine time of a run", ("generation",), buckets=_SECONDS)
INSTRUCTIONS = Counter("dvesim_instructions", "Records executed or judged", ("generation", "use"))
RUNS_ACTIVE = Gauge("dvesim_runs_active", "Runs that hold an engine slot", multiprocess_mode="livesum")
RUNS_QUEUED = Gauge("dvesim_runs_queued", "Runs that wait for an engine slot", multiprocess_mode="livesum")
STORE_SECONDS = Histogram("dvesim_store_seconds", "Time of a store operation", ("operation",), buckets=_SECONDS)
STORE_ERRORS = Counter("dvesim_store_errors", "Store operations that failed", ("operation", "code"))
STORE_RETRIES = Counter("dvesim_store_retries", "Tries of store operations after one that failed", ("operation",))
STORE_CORRUPT = Counter("dvesim_store_corrupt", "Values that were not what their digest says, and removed", ("kind",))
STORE_RESTARTS = Counter("dvesim_store_restarts", "Private stores that died and were replaced by empty ones")
BLOCK_CACHE = Counter("dvesim_block_cache", "Blocks looked for in the process-local cache", ("outcome",))

RESULTS = Counter("dvesim_results", "Answers of runs looked for, kept or refused by the result cache", ("outcome",))
RESULT_BYTES = Counter("dvesim_result_bytes", "Answers of runs as sent to and from the result cache", ("direction",))
PLANS = Counter("dvesim_plans", "Programs looked for among those ready to run", ("outcome",))


def exposition() -> tuple[bytes, str]:
    """All metrics in the text format, of all workers where there are several, and the content type."""
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry), CONTENT_TYPE_LATEST
