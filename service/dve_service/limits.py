"""How much one request may ask for. Published at GET /v1/limits by these names, which errors use in `limit`."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from .errors import LimitExceeded

MIB = 1 << 20


class Limits(BaseSettings):
    """Upper bounds, from DVESIM_LIMIT_<NAME>."""

    model_config = SettingsConfigDict(env_prefix="DVESIM_LIMIT_", frozen=True, extra="ignore")

    body_bytes: int = Field(128 * MIB, ge=1024, description="an HTTP body as it arrives")
    decompressed_body_bytes: int = Field(256 * MIB, ge=1024, description="an HTTP body after decompression")
    stream_bytes: int = Field(160 * MIB, ge=1, description="an HTTP body of raw memory, .npy or .npz, as it arrives")
    grpc_message_bytes: int = Field(128 * MIB, ge=64 * 1024, description="one gRPC message")
    instructions: int = Field(65_536, ge=1, description="records in one program")
    stream_instructions: int = Field(4_194_304, ge=1, description="records in one ValidateStream")
    regions: int = Field(4_096, ge=1, description="memory regions written, and regions read, by one request")
    image_bytes: int = Field(160 * MIB, ge=1, description="bytes of all regions of one streamed image or write")
    bank_bytes: int = Field(MIB, ge=1, description="bytes of all register banks one request gives")
    blocks: int = Field(4_096, ge=1, description="block ids, or streamed blocks, in one request")
    instruction_elements: int = Field(
        1 << 26, ge=1, description="lanes x elements of the largest walk of one instruction"
    )
    elements: int = Field(1 << 32, ge=1, description="the same, summed over a program")
    text_bytes: int = Field(16 * MIB, ge=1, description="characters of one assembly text")
    vbool_operations: int = Field(65_536, ge=1, description="operations of the predicate unit in one request")
    vbool_words: int = Field(1 << 20, ge=1, description="words in all lists of one evaluation of them")
    vbool_text_bytes: int = Field(4 * MIB, ge=1, description="characters of one of their text programs")
    neff_bytes: int = Field(65 * MIB, ge=1024, description="a NEFF container as it arrives")
    neff_inflated_bytes: int = Field(512 * MIB, ge=1024, description="its archive after decompression")
    neff_verdicts: int = Field(65_536, ge=0, description="verdicts listed for one container; the others are counted")
    run_seconds: float = Field(30.0, gt=0, description="wall time of one run, without waiting")
    readback_bytes: int = Field(128 * MIB, ge=1, description="bytes of all regions one answer returns")
    trace_entries: int = Field(65_536, ge=0, description="instructions in one traced run")
    session_ttl_seconds: int = Field(7 * 86_400, ge=1, description="the longest time to live a session may ask for")
    session_history: int = Field(16, ge=1, description="newest versions that a session keeps")
    tenant_sessions: int = Field(100_000, ge=0, description="sessions of one tenant")
    tenant_bytes: int = Field(64 << 30, ge=0, description="distinct blocks of one tenant, 32 KiB each")
    queued_runs: int = Field(64, ge=0, description="requests waiting for an engine thread or their turn at a session")

    def check(self, name: str, asked: int, **details: object) -> None:
        """Raise LimitExceeded if more than limit `name` is asked for."""
        allowed = getattr(self, name)
        if asked > allowed:
            raise LimitExceeded(name, allowed, asked, **details)
