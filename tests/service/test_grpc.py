"""gRPC: the same answers as HTTP, streams, errors with their details, health, reflection."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import grpc
import httpx2
import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from dve_proto.v1 import common_pb2, description_pb2, images_pb2, sessions_pb2, simulation_pb2
from tests.service.programs import COPY, FAR, FEW, FILL, ILLEGAL, OUTPUT, REGISTER_MOVE
from tests.service.rpc import Stubs, refused
from tests.service.running import Service

VECTORS = json.loads((Path(__file__).parents[2] / "docs/isa/vectors/instructions.json").read_text())
EXECUTIONS = VECTORS["executions"]
Status = grpc.StatusCode


@pytest.fixture(scope="session")
def stubs(service: Service) -> Stubs:
    return Stubs(service.channel)


def as_contract(message: Message) -> Any:
    """A message in the spelling of the REST answer."""
    document = MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    return _spelled(document)


def _spelled(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        renamed = {"record_class": "class", "data": "data_base64"}
        return {renamed.get(key, key): _spelled(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if name in ("estimated_cycles", "version") else value


def same(rest: dict[str, Any], rpc: dict[str, Any]) -> None:
    """Compare; gRPC has no null and no absent scalar, so empty values of either side are left out."""
    assert _full(rest) == _full(rpc)


def _full(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {name: _full(item) for name, item in value.items()}
        return {name: item for name, item in kept.items() if item not in (None, "", [], {}, False, 0)}
    return [_full(item) for item in value] if isinstance(value, list) else value


def state_of(vector: dict[str, Any]) -> tuple[dict[str, Any], simulation_pb2.InputState]:
    """The start of an execution vector, for both transports."""
    memory, regions = [], []
    for part in vector["memory_in"]:
        data = bytes.fromhex(part["hex"])
        place = {
            "space": part["space"].lower(),
            "partition": part["partition"],
            "byte": part["byte"],
            "size": len(data),
        }
        memory.append({**place, "data_base64": base64.b64encode(data).decode()})
        regions.append(common_pb2.MemoryRegion(**place, data=data))
    registers = {int(name): int(str(value), 0) for name, value in vector["registers"].items()}
    rest = {"memory": memory, "registers": {str(name): value for name, value in registers.items()}}
    return rest, simulation_pb2.InputState(memory=regions, registers=registers)


@pytest.mark.parametrize("vector", EXECUTIONS, ids=lambda vector: vector["id"])
def test_run_is_the_same_over_both(http: httpx2.Client, stubs: Stubs, vector: dict[str, Any]) -> None:
    rest_state, rpc_state = state_of(vector)
    for name in vector["generations"]:
        body = {
            "generation": name.lower(),
            "instructions": [vector["hex"]],
            "state": rest_state,
            "read": "written",
            "trace": "full",
            "verdicts": "all",
        }
        rest = http.post("/v1/run", json=body)
        request = simulation_pb2.RunRequest(
            generation=name.lower(),
            program=bytes.fromhex(vector["hex"]),
            state=rpc_state,
            read_written=True,
            trace="full",
            verdicts="all",
        )
        if rest.status_code != 200:
            problem = rest.json()
            with pytest.raises(grpc.RpcError) as caught:
                stubs.simulation.Run(request)
            assert problem["detail"][:512] == caught.value.details()  # type: ignore[attr-defined]
            continue
        rpc = stubs.simulation.Run(request)
        document, answer = as_contract(rpc), rest.json()
        assert rpc.state.accumulators.hex() == answer["state"].pop("accumulators_hex")
        del answer["state"]["accumulators"], document["state"]["accumulators"]
        answer["state"]["banks"] = answer["state"].pop("banks_base64")
        del answer["cached"]
        assert document.pop("cached")  # from the run over HTTP
        same(answer, document)


def test_how_many_vectors_were_compared() -> None:
    assert len(EXECUTIONS) == 133


def test_validate_is_the_same_over_both(http: httpx2.Client, stubs: Stubs) -> None:
    records = [bytes.fromhex(row["hex"]) for row in VECTORS["encodings"]]
    for name in ("sunda", "cayman", "mariana", "maverick"):
        body = {"generation": name, "program_base64": base64.b64encode(b"".join(records)).decode()}
        rest = http.post("/v1/validate", json=body).json()
        rpc = stubs.simulation.Validate(simulation_pb2.ValidateRequest(generation=name, program=b"".join(records)))
        same(rest, as_contract(rpc))
    assert len(records) == 473


def test_validate_stream_counts_over_all_messages(stubs: Stubs) -> None:
    requests = [
        simulation_pb2.ValidateRequest(generation="cayman", program=COPY + ILLEGAL, verdicts="invalid"),
        simulation_pb2.ValidateRequest(program=ILLEGAL),
        simulation_pb2.ValidateRequest(program=COPY, verdicts="all"),
    ]
    answers = list(stubs.simulation.ValidateStream(iter(requests)))
    assert [[verdict.index for verdict in answer.verdicts] for answer in answers] == [[1], [2], [3]]
    assert [answer.valid for answer in answers] == [False, False, True]


def test_run_stream_gives_the_run_in_events(stubs: Stubs) -> None:
    request = simulation_pb2.RunRequest(generation="cayman", program=COPY * 3, read_written=True, trace="summary")
    whole = stubs.simulation.Run(request)
    events = list(stubs.simulation.RunStream(request))
    kinds = [event.WhichOneof("event") for event in events if event.WhichOneof("event") != "progress"]
    assert kinds == ["memory", "trace", "trace", "trace", "finished"]
    assert events[-1].finished.digest == whole.digest
    assert not events[-1].finished.memory
    assert [event.memory for event in events if event.HasField("memory")] == list(whole.memory)


def test_large_regions_come_in_pieces(stubs: Stubs) -> None:
    region = common_pb2.Region(space="sbuf", partition=0, partitions=128, byte=0, size=40_000)
    data = bytes(range(256)) * 20_000
    half = [
        common_pb2.MemoryRegion(space="sbuf", partition=64 * k, partitions=64, byte=0, size=40_000, data=data[k::2])
        for k in range(2)
    ]
    parts = [images_pb2.PutImageRequest(generation="cayman"), *(images_pb2.PutImageRequest(memory=one) for one in half)]
    image = stubs.images.PutImage(iter(parts)).image
    pieces = list(stubs.images.ReadImageMemory(images_pb2.ReadImageMemoryRequest(image=image, read=[region])))
    assert len(pieces) > 4
    assert b"".join(piece.memory.data for piece in pieces) == data[0::2] + data[1::2]
    assert sum(piece.memory.partitions for piece in pieces) == 128
    parts = list(stubs.images.GetImage(images_pb2.GetImageRequest(image=image, blocks=True)))
    distinct = {place.id for place in parts[0].image.manifest.blocks}
    assert {part.block.id for part in parts[1:]} == distinct
    upload = [images_pb2.PutImageRequest(generation="cayman")]
    upload += [images_pb2.PutImageRequest(block=part.block) for part in parts[1:]]
    upload += [images_pb2.PutImageRequest(manifest=parts[0].image.manifest)]
    assert stubs.images.PutImage(iter(upload)).image == image


def test_sessions(stubs: Stubs, http: httpx2.Client) -> None:
    zeros = common_pb2.MemoryRegion(space="sbuf", partition=0, byte=256, size=4, data=b"\1\0\1\0")
    made = stubs.sessions.CreateSession(sessions_pb2.CreateSessionRequest(generation="trn2", memory=[zeros]))
    run = simulation_pb2.RunRequest(program=COPY, read=[common_pb2.Region(**OUTPUT)])
    ran = stubs.sessions.RunSession(sessions_pb2.RunSessionRequest(session=made.session, run=run, if_match=1))
    assert ran.version == 2
    assert ran.memory[0].data[:16] == bytes(4) + FILL + bytes(4) + FILL
    stale = sessions_pb2.RunSessionRequest(session=made.session, run=run, if_match=1)
    assert refused(lambda: stubs.sessions.RunSession(stale), "version_conflict", Status.ABORTED).version == 2
    writes = [
        sessions_pb2.WriteMemoryRequest(header=sessions_pb2.WriteMemoryHeader(session=made.session)),
        sessions_pb2.WriteMemoryRequest(memory=zeros),
    ]
    assert stubs.sessions.WriteMemory(iter(writes)).version == 3
    read = sessions_pb2.ReadMemoryRequest(session=made.session, read=[common_pb2.Region(**OUTPUT)])
    [piece] = stubs.sessions.ReadMemory(read)
    assert (piece.version, piece.memory.data) == (3, ran.memory[0].data)
    fork = stubs.sessions.ForkSession(sessions_pb2.ForkSessionRequest(session=made.session))
    same(
        {**http.get(f"/v1/sessions/{fork.session}").json(), "state": None},
        {**as_contract(stubs.sessions.GetSession(sessions_pb2.GetSessionRequest(session=fork.session))), "state": None},
    )
    stubs.sessions.DeleteSession(sessions_pb2.DeleteSessionRequest(session=fork.session))
    gone = sessions_pb2.GetSessionRequest(session=fork.session)
    refused(lambda: stubs.sessions.GetSession(gone), "session_not_found", Status.NOT_FOUND)


def test_errors_have_details(stubs: Stubs) -> None:
    def run(**fields: Any) -> Any:
        return lambda: stubs.simulation.Run(
            simulation_pb2.RunRequest(**{"generation": "cayman", "program": COPY, **fields})
        )

    problem = refused(run(program=COPY + ILLEGAL), "invalid_instructions", Status.FAILED_PRECONDITION)
    assert problem.verdicts[0].failures[0].rule == "has_valid_reversed_pred"
    problem = refused(run(program=ILLEGAL * 1000), "invalid_instructions", Status.FAILED_PRECONDITION)
    assert problem.omitted + len(problem.verdicts) == 1000
    problem = refused(run(program=COPY + FAR), "execution_error", Status.FAILED_PRECONDITION)
    assert (problem.instruction, problem.operand, problem.lane) == (1, "dst", 0)
    assert problem.HasField("address")
    problem = refused(run(program=REGISTER_MOVE), "not_modelled", Status.UNIMPLEMENTED)
    assert problem.HasField("instruction")
    refused(run(program=COPY[:10]), "program_length", Status.INVALID_ARGUMENT)
    refused(run(generation=""), "unknown_generation", Status.INVALID_ARGUMENT)
    refused(run(assumptions={"x": "y"}), "unknown_assumption", Status.INVALID_ARGUMENT)
    refused(run(trace="loud"), "invalid_field", Status.INVALID_ARGUMENT)
    region = common_pb2.Region(space="sbuf", partition=0, byte=0, size=1 << 31)
    refused(run(read=[region]), "limit_exceeded", Status.OUT_OF_RANGE)
    refused(run(read=[region], read_written=True), "invalid_field", Status.INVALID_ARGUMENT)
    far = common_pb2.MemoryRegion(space="psum", partition=128, byte=0, size=1, data=b"x")
    refused(run(state=simulation_pb2.InputState(memory=[far])), "invalid_region", Status.INVALID_ARGUMENT)
    refused(run(state=simulation_pb2.InputState(image="x")), "image_not_found", Status.NOT_FOUND)
    place = images_pb2.BlockPlace(space="sbuf", id="0" * 64)
    parts = [
        images_pb2.PutImageRequest(generation="cayman"),
        images_pb2.PutImageRequest(manifest=images_pb2.Manifest(blocks=[place])),
    ]
    problem = refused(lambda: stubs.images.PutImage(iter(parts)), "blocks_missing", Status.FAILED_PRECONDITION)
    assert problem.blocks == ["0" * 64]
    refused(lambda: stubs.images.PutImage(iter(parts[1:])), "malformed_request", Status.INVALID_ARGUMENT)
    refused(lambda: stubs.images.PutImage(iter([])), "malformed_request", Status.INVALID_ARGUMENT)
    stream = stubs.simulation.ValidateStream(iter([simulation_pb2.ValidateRequest(program=COPY)]))
    refused(lambda: list(stream), "unknown_generation", Status.INVALID_ARGUMENT)


def test_limits_over_grpc(small: Service) -> None:
    stubs = Stubs(small.channel)

    def run(program: bytes) -> Any:
        return lambda: stubs.simulation.Run(simulation_pb2.RunRequest(generation="cayman", program=program))

    assert refused(run(COPY * 101), "limit_exceeded", Status.OUT_OF_RANGE).limit == "instructions"
    assert refused(run(COPY), "limit_exceeded", Status.OUT_OF_RANGE).limit == "instruction_elements"
    assert refused(run(FEW), "time_limit_exceeded", Status.DEADLINE_EXCEEDED).limit == "run_seconds"
    with pytest.raises(grpc.RpcError) as caught:
        run(COPY * 2000)()
    assert caught.value.code() is Status.RESOURCE_EXHAUSTED  # type: ignore[attr-defined]


def test_description(stubs: Stubs, http: httpx2.Client) -> None:
    for topic, generation, mnemonic, path in (
        ("", "", "", "isa"),
        ("", "trn2", "", "isa/trn2"),
        ("instructions", "cayman", "COPY_PREDICATED_SCALAR", "isa/cayman/instructions/COPY_PREDICATED_SCALAR"),
        ("dtypes", "cayman", "", "isa/cayman/dtypes"),
        ("assumptions", "", "", "assumptions"),
    ):
        request = description_pb2.DescribeIsaRequest(topic=topic, generation=generation, mnemonic=mnemonic)
        document = MessageToDict(stubs.description.DescribeIsa(request).document)
        assert _spelled(document) == _spelled(http.get(f"/v1/{path}").json())
    limits = stubs.description.GetLimits(description_pb2.GetLimitsRequest()).limits
    assert dict(limits) == {name: int(value) for name, value in http.get("/v1/limits").json()["limits"].items()}
    assert stubs.description.GetVersion(description_pb2.GetVersionRequest()).engine_version
    refused(
        lambda: stubs.description.DescribeIsa(description_pb2.DescribeIsaRequest(topic="x", generation="trn2")),
        "invalid_field",
        Status.INVALID_ARGUMENT,
    )


def test_health_and_reflection(channel: grpc.Channel) -> None:
    answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service="dve.v1.Simulation"))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
    services = set(ProtoReflectionDescriptorDatabase(channel).get_services())
    assert {"dve.v1.Simulation", "dve.v1.Images", "dve.v1.Sessions", "dve.v1.Description"} <= services
