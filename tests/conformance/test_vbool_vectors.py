"""All 512 vectors of vectors/vbool.json over HTTP and gRPC, in the words of the file."""

from __future__ import annotations

import json
from pathlib import Path

from google.protobuf.json_format import MessageToDict, ParseDict

from dve_proto.v1 import vbool_pb2, vbool_pb2_grpc

VECTORS = json.loads((Path(__file__).parents[2] / "docs/isa/vectors/vbool.json").read_text())
OPS = [{"op": vector["op"], "inputs": vector["inputs"]} for vector in VECTORS]
USED = {"dropout-tie": "rate-rule", "dropout-draw-map": "mantissa-fill"}


def passed(results):
    """How many answers are those of the file; a vector may leave outputs out."""
    count = 0
    for vector, result in zip(VECTORS, results, strict=True):
        assert result["op"] == vector["op"]
        expected, found = vector["output"], result["output"]
        if isinstance(expected, dict):
            found = {name: found[name] for name in expected}
        assert found == expected, vector
        count += 1
    return count


def test_http(service):
    answer = service.http.post("/v1/vbool/eval", json={"ops": OPS})
    assert answer.status_code == 200, answer.text
    document = answer.json()
    assert passed(document["results"]) == 512
    assert {use["id"]: use["value"] for use in document["assumptions"]} == USED
    assert {"engine_version", "isa_version"} <= document.keys()


def test_http_one_at_a_time(service):
    results = [
        service.http.post("/v1/vbool/eval", json={"ops": [op]}).json()["results"][0] for op in OPS[::8]
    ]  # every eighth, for time
    for vector, result in zip(VECTORS[::8], results, strict=True):
        expected = vector["output"]
        found = result["output"]
        assert ({name: found[name] for name in expected} if isinstance(expected, dict) else found) == expected


def test_grpc(service):
    stub = vbool_pb2_grpc.VboolStub(service.channel)
    document = MessageToDict(stub.EvalVbool(ParseDict({"ops": OPS}, vbool_pb2.EvalVboolRequest())))
    assert passed(document["results"]) == 512
    assert {use["id"]: use["value"] for use in document["assumptions"]} == USED
