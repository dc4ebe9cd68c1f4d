"""Streamed images: what is refused as it arrives, and how little of it is held."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from dve_proto.v1 import images_pb2
from dve_service.blocks import BLOCK_BYTES, block_id
from dve_service.errors import BlockMismatch, InvalidField, LimitExceeded, ServiceError
from dve_service.limits import Limits
from dve_service.rpc.streams import put_image

GENERATION = images_pb2.PutImageRequest(generation="cayman")
BLOCK = bytes(range(256)) * (BLOCK_BYTES // 256)


def block(data: bytes, identifier: str = "0" * 64) -> images_pb2.PutImageRequest:
    return images_pb2.PutImageRequest(block=images_pb2.Block(id=identifier, data=data))


@pytest.mark.parametrize(
    ("parts", "error"),
    [
        ([block(bytes(1 << 20))], BlockMismatch),
        ([block(b"")], BlockMismatch),
        ([block(BLOCK, "no id")], InvalidField),
        ([block(BLOCK, block_id(BLOCK))] * 5, LimitExceeded),
    ],
    ids=["long", "empty", "bad-id", "too-many"],
)
async def test_a_block_is_judged_when_it_arrives(
    parts: list[images_pb2.PutImageRequest], error: type[ServiceError]
) -> None:
    taken = 0

    async def stream() -> AsyncIterator[images_pb2.PutImageRequest]:
        nonlocal taken
        for part in [GENERATION, *parts, *[block(BLOCK, block_id(BLOCK))] * 9]:
            taken += 1
            yield part

    simulator: Any = SimpleNamespace(limits=Limits(blocks=4), images=None)
    with pytest.raises(error):
        await put_image(simulator, stream())
    assert taken == 1 + len(parts)
