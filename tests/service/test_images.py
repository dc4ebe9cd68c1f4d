"""Images: which representation an Accept header gets, and what a manifest may say."""

from __future__ import annotations

import grpc
import httpx2
import pytest

from dve_proto.v1 import common_pb2, images_pb2, images_pb2_grpc
from tests.service.rpc import refused as refused_rpc
from tests.service.test_requests import refused
from tests.service.test_state import BLOCK_ID, image_of


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("", "application/json"),
        (",", "application/json"),
        ("application/x-npy;q=inf, */*;q=0.1", "application/json"),
        ("application/x-npy;q=-1, application/octet-stream;q=0.5", "application/octet-stream"),
        ("application/json;q=0, */*", "application/octet-stream"),
        ("application/x-npy;q=1.000, application/json;q=0.999", "application/x-npy"),
        ("application/x-npy;q=2", None),
        ("*/*;q=nan", None),
    ],
)
def test_accept(http: httpx2.Client, accept: str, kind: str | None) -> None:
    path = f"/v1/images/{image_of(http)['image']}/memory"
    query = {"space": "sbuf", "partition": 0, "byte": 0, "size": 4}
    answer = http.get(path, params=query, headers={"accept": accept})
    if kind is None:
        refused(answer, 406, "not_acceptable")
    else:
        assert (answer.status_code, answer.headers["content-type"]) == (200, kind)


def test_a_manifest_names_a_place_once(http: httpx2.Client, channel: grpc.Channel) -> None:
    place = {"space": "sbuf", "quadrant": 0, "tile": 1, "id": BLOCK_ID}
    blocks = [place, {**place, "tile": 2}, {**place, "id": "0" * 64}]
    problem = refused(
        http.post("/v1/images", json={"generation": "cayman", "manifest": {"blocks": blocks}}), 400, "invalid_field"
    )
    assert problem["field"] == "manifest.blocks.2"
    manifest = images_pb2.Manifest(blocks=[images_pb2.BlockPlace(**one) for one in blocks])
    parts = [images_pb2.PutImageRequest(generation="cayman"), images_pb2.PutImageRequest(manifest=manifest)]
    call = images_pb2_grpc.ImagesStub(channel).PutImage
    refused_rpc(lambda: call(iter(parts)), "invalid_field", grpc.StatusCode.INVALID_ARGUMENT)
    refused_rpc(lambda: call(iter(parts[:1] * 2)), "invalid_field", grpc.StatusCode.INVALID_ARGUMENT)
    memory = images_pb2.PutImageRequest(memory=common_pb2.MemoryRegion(space="sbuf", size=1, data=b"x"))
    whole = images_pb2.PutImageRequest(manifest=images_pb2.Manifest())
    refused_rpc(lambda: call(iter([parts[0], memory, whole])), "invalid_field", grpc.StatusCode.INVALID_ARGUMENT)
