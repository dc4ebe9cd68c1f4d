"""What an operator can set: environment variables DVESIM_<NAME>. Limits are in limits.py."""

from __future__ import annotations

import os

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Where to listen, where the store is, how long things live."""

    model_config = SettingsConfigDict(env_prefix="DVESIM_", frozen=True, extra="ignore")

    host: str = Field("127.0.0.1", description="address both servers listen on")
    port: int = Field(8080, ge=0, le=65535, description="HTTP port; 0 picks a free one")
    grpc_port: int = Field(8081, ge=0, le=65535, description="gRPC port; 0 picks a free one")
    workers: int = Field(1, ge=1, le=256, description="processes that share both ports")
    drain_seconds: float = Field(20.0, ge=0, description="how long running requests may take to finish after SIGTERM")

    redis_url: str | None = Field(
        None,
        description="redis://, rediss://, unix://, redis+cluster://, redis+sentinel://host:port,host:port/service/db; "
        "options follow as a query; unset: a private server that lives as long as the service",
    )
    redis_timeout_seconds: float = Field(5.0, gt=0, description="waiting for one answer of the store, tries included")
    redis_connections: int = Field(64, ge=1, description="connections to the store per process")
    key_prefix: str = Field(
        "dvesim", pattern=r"^[A-Za-z0-9_.:-]{1,64}$", description="first part of every key in the store"
    )
    embedded_max_memory: str = Field("2gb", pattern=r"^\d+(kb|mb|gb)?$", description="memory of the private server")

    image_ttl_seconds: int = Field(86_400, ge=1, description="life of images and blocks since they were last used")
    session_ttl_seconds: int = Field(
        86_400, ge=1, description="life of a session since it was last used, unless it says"
    )
    write_attempts: int = Field(8, ge=1, description="tries of a session write without If-Match")

    result_ttl_seconds: int = Field(
        3600, ge=0, description="life of answers of runs that are kept for the next same request; 0: none is kept"
    )
    result_cache_entry_bytes: int = Field(4 << 20, ge=0, description="the largest answer that is kept")

    plan_cache_bytes: int = Field(64 << 20, ge=0, description="programs each process keeps decoded, judged and bound")
    block_cache_bytes: int = Field(256 << 20, ge=0, description="blocks each process keeps at hand")
    engine_threads: int = Field(min(8, os.cpu_count() or 1), ge=1, description="runs at the same time per process")
    log_level: str = Field("info", pattern="^(debug|info|warning|error)$", description="what is logged")
