"""Containers over HTTP, gRPC and in process, the limits of the service, and the command line."""

from __future__ import annotations

import asyncio
import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import grpc
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dve_client import BadInput, aconnect, connect
from dve_client.cli import main
from dve_client.errors import (
    DvesimError,
    InvalidField,
    LimitExceeded,
    MalformedNeff,
    PayloadTooLarge,
    TimeLimitExceeded,
    UnknownAssumption,
    UnknownGeneration,
)
from dve_client.retry import NEVER
from dve_proto.v1 import neff_pb2, neff_pb2_grpc
from tests import neff_files as files
from tests.neff_files import ONE, SOUND, TWO, gzipped, neff, packed, plain, tar
from tests.service.programs import COPY, ILLEGAL
from tests.service.rpc import refused
from tests.service.running import Service

OCTETS = {"content-type": "application/octet-stream"}
TRANSPORTS = ("http", "grpc", "inproc")


def address(transport: str, service: Service) -> str:
    addresses = {"http": f"http://{service.http_address}", "grpc": f"grpc://{service.grpc_address}"}
    return addresses.get(transport, transport)


@pytest.fixture(params=TRANSPORTS)
def target(request: pytest.FixtureRequest, service: Service) -> str:
    return address(request.param, service)


def ask(target: str, *arguments: Any, **options: Any) -> Any:
    async def asked() -> Any:
        async with aconnect(target, retry=NEVER) as client:
            return await client.validate_neff(*arguments, **options)

    return asyncio.run(asked())


# --- answers -----------------------------------------------------------------------------------------------


def test_an_illegal_container(target: str) -> None:
    answer = ask(target, plain(TWO))
    assert (answer.outcome, answer.generation) == ("illegal", "cayman")
    assert [core.outcome for core in answer.cores] == ["legal", "illegal"]
    [placed] = answer.cores[1].verdicts
    start = files.data_offset(tar(TWO), "sg01/DVE.bin")
    assert (placed.offset, placed.archive_offset, placed.file_offset) == (256, start + 256, 1024 + start + 256)
    assert (placed.verdict.index, placed.verdict.failures[0].rule) == (4, "has_valid_reversed_pred")
    assert (answer.summary.total, answer.summary.checked, answer.summary.invalid) == (9, 7, 1)
    assert answer.summary.by_class == {"control": 4, "data": 3, "pseudo": 2}
    assert answer.summary.by_rule == {"has_valid_reversed_pred": 1}
    assert [(row.opcode, row.records, row.invalid) for row in answer.cores[1].summary.by_opcode][-1] == (0xE8, 2, 1)
    assert [use.id for use in answer.assumptions] == ["pseudo-records"]
    container = answer.container
    assert (container["kind"], container["size"], container["target"]) == ("neff", len(plain(TWO)), "cayman")
    assert container["payload"]["hash_matches"] is True
    assert container["metadata"] == {"tool_version": "2.21", "num_tpb": "2", "name": "model"}
    assert [member["name"] for member in container["members"]] == list(TWO)


HOLED = packed(files.members(SOUND, bytes(128), b""))
ANSWERS = {
    "legal": (packed(ONE), {}),
    "everything": (packed(TWO), {"verdicts": "all"}),
    "nothing": (HOLED, {}),
    "raw": (COPY, {"generation": "trn2"}),
    "empty": (b"", {"generation": "cayman"}),
    "bare": (gzipped(tar(TWO)), {"profile": "nki"}),
    "lenient": (packed(files.members(SOUND + b"x")), {"lenient": True}),
    "override": (packed(ONE), {"generation": "mariana", "override_target": True}),
    "odd": (neff(gzipped(tar(ONE)) + b"x", data_size=(1 << 64) - 1, hash=b"", features=(1 << 63) + 2), {}),
    "seed": (packed(files.members(files.SEED)), {}),
}


@pytest.mark.parametrize(("data", "options"), ANSWERS.values(), ids=ANSWERS.keys())
def test_transports_say_the_same(service: Service, data: bytes, options: dict[str, Any]) -> None:
    said = [dataclasses.asdict(ask(address(transport, service), data, **options)) for transport in TRANSPORTS]
    assert said[0] == said[1] == said[2]
    outcomes = {"nothing": "nothing_to_check", "everything": "illegal", "bare": "illegal", "empty": "nothing_to_check",
                "seed": "nothing_to_check"}  # fmt: skip
    name = next(name for name, case in ANSWERS.items() if case[0] is data and case[1] is options)
    assert said[0]["outcome"] == outcomes.get(name, "legal")


def test_paths_files_and_the_synchronous_client(target: str, tmp_path: Path) -> None:
    path = tmp_path / "a.neff"
    path.write_bytes(packed(ONE))
    with connect(target) as client, path.open("rb") as file:
        file.seek(100)
        assert client.validate_neff(path) == client.validate_neff(file) == client.validate_neff(packed(ONE))
        assert not file.closed
        with pytest.raises(BadInput):
            client.validate_neff(tmp_path / "missing")


def test_a_container_of_some_megabytes(target: str) -> None:
    stream = COPY * 40_000
    answer = ask(target, plain(files.members(stream, stream)))
    assert (answer.outcome, answer.summary.checked) == ("legal", 80_000)


# --- errors ------------------------------------------------------------------------------------------------

FAULTS = {
    "malformed": (packed(ONE)[:1100], {}, MalformedNeff, {"offset": 1100, "within": "file"}),
    "member": (packed(files.without(ONE, "sg00/DVE.bin")), {}, MalformedNeff,
               {"offset": 0, "within": "member sg00/def.json", "expected": "a member of the archive"}),
    "remainder": (packed(files.members(SOUND + b"x")), {}, MalformedNeff, {"offset": 256}),
    "link": (neff(tar(ONE, extra=[files.entry("a", b"2", "/etc/passwd")])), {}, MalformedNeff, {"within": "archive"}),
    "bomb": (neff(gzipped(bytes(40 << 20))), {}, LimitExceeded, {"limit": "neff_ratio"}),
    "no-generation": (COPY, {}, InvalidField, {"field": "generation"}),
    "another-generation": (packed(ONE), {"generation": "sunda"}, InvalidField, {"field": "generation"}),
    "unknown-generation": (packed(ONE), {"generation": "trn9"}, UnknownGeneration, {}),
    "unknown-profile": (packed(ONE), {"profile": "x"}, UnknownAssumption, {}),
    "unknown-verdicts": (packed(ONE), {"verdicts": "some"}, InvalidField, {"field": "verdicts"}),
}  # fmt: skip


@pytest.mark.parametrize(("data", "options", "kind", "details"), FAULTS.values(), ids=FAULTS.keys())
def test_what_is_refused(target: str, data: bytes, options: Any, kind: type, details: dict[str, Any]) -> None:
    with pytest.raises(kind) as caught:
        ask(target, data, **options)
    assert type(caught.value) is kind
    assert {name: getattr(caught.value, name) for name in details} == details


@pytest.mark.parametrize(
    ("query", "headers", "status", "code"),
    [
        ("", {"content-type": "application/json"}, 415, "unsupported_media_type"),
        ("", OCTETS | {"content-encoding": "gzip"}, 415, "unsupported_media_type"),
        ("generatoin=cayman", OCTETS, 400, "unknown_field"),
        ("lenient=perhaps", OCTETS, 400, "invalid_field"),
        ("lenient=true&lenient=true", OCTETS, 400, "invalid_field"),
        ("lenient=true&override_target=false", OCTETS, 200, None),
    ],
)
def test_requests(service: Service, query: str, headers: dict[str, str], status: int, code: str | None) -> None:
    answer = service.http.post(f"/v1/neff:validate?{query}", content=packed(ONE), headers=headers)
    assert (answer.status_code, answer.json().get("code")) == (status, code)
    assert answer.json()["engine_version"]


def test_openapi_has_the_query(service: Service) -> None:
    operation = service.http.get("/openapi.json").json()["paths"]["/v1/neff:validate"]["post"]
    assert {one["name"] for one in operation["parameters"]} == {
        "generation", "profile", "verdicts", "lenient", "override_target"}  # fmt: skip
    assert OCTETS["content-type"] in operation["requestBody"]["content"]


def test_grpc_streams(service: Service) -> None:
    stub: Any = neff_pb2_grpc.NeffStub(service.channel)
    data, options = packed(ONE), neff_pb2.NeffOptions(generation="trn2")

    def parts(*items: Any) -> Any:
        return iter([neff_pb2.ValidateNeffRequest(**{"data" if isinstance(i, bytes) else "options": i}) for i in items])

    assert stub.ValidateNeff(parts(data)).outcome == "legal"
    assert stub.ValidateNeff(parts(*(data[at : at + 999] for at in range(0, len(data), 999)))).outcome == "legal"
    assert stub.ValidateNeff(parts(options, data[:1], b"", data[1:])).outcome == "legal"
    assert stub.ValidateNeff(parts(options)).outcome == "nothing_to_check"
    refused(lambda: stub.ValidateNeff(parts()), "invalid_field", grpc.StatusCode.INVALID_ARGUMENT)
    problem = refused(
        lambda: stub.ValidateNeff(parts(data, options)), "invalid_field", grpc.StatusCode.INVALID_ARGUMENT
    )
    assert problem.field == "options"


@pytest.fixture(scope="module")
def tight(valkey: Any) -> Any:
    running = Service(
        DVESIM_REDIS_URL=valkey.url,
        DVESIM_LIMIT_NEFF_BYTES="20000",
        DVESIM_LIMIT_NEFF_INFLATED_BYTES="30000",
        DVESIM_LIMIT_NEFF_VERDICTS="2",
        DVESIM_LIMIT_STREAM_INSTRUCTIONS="8",
    )
    yield running
    assert running.stop() == 0


@pytest.mark.parametrize("transport", ["http", "grpc"])
@pytest.mark.parametrize(
    ("data", "kind", "limit"),
    [
        (packed(ONE) + bytes(20_000), PayloadTooLarge, "neff_bytes"),
        (packed(files.members(bytes(64 * 1000))), LimitExceeded, "neff_inflated_bytes"),
        (packed(files.members(SOUND, SOUND, SOUND)), LimitExceeded, "stream_instructions"),
    ],
)
def test_limits(tight: Service, transport: str, data: bytes, kind: type, limit: str) -> None:
    with pytest.raises(kind) as caught:
        ask(address(transport, tight), data)
    assert (type(caught.value), caught.value.limit) == (kind, limit)


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_the_list_of_verdicts_is_bounded(tight: Service, transport: str) -> None:
    [core] = ask(address(transport, tight), packed(files.members(ILLEGAL * 5))).cores
    assert (len(core.verdicts), core.omitted, core.summary.invalid) == (2, 3, 5)


def test_an_upload_without_a_length_is_bounded(tight: Service) -> None:
    answer = tight.http.post("/v1/neff:validate", content=iter([bytes(9000)] * 3), headers=OCTETS)
    assert (answer.status_code, answer.json()["limit"]) == (413, "neff_bytes")


def test_limits_are_published(service: Service) -> None:
    limits = service.http.get("/v1/limits").json()["limits"]
    assert limits["neff_bytes"] == 65 << 20
    assert {"neff_inflated_bytes", "neff_verdicts"} <= limits.keys()


def test_judging_has_its_time(small: Service) -> None:
    with pytest.raises(TimeLimitExceeded):
        ask(address("http", small), packed(ONE))


BASE = packed(ONE), plain(ONE)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(base=st.sampled_from(BASE), at=st.integers(0, 12000), new=st.binary(max_size=20), cut=st.integers(0, 12000))
@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_any_container(service: Service, transport: str, base: bytes, at: int, new: bytes, cut: int) -> None:
    data = base[:at] + new + base[at + len(new) : len(base) - cut // 4]
    with connect(address(transport, service), retry=NEVER) as client:
        try:
            code = client.validate_neff(data, "cayman", lenient=True, override_target=True).outcome
        except DvesimError as error:
            code = error.code
    assert code in ("legal", "illegal", "nothing_to_check", "malformed_neff", "limit_exceeded")


# --- the command line --------------------------------------------------------------------------------------

FILES = {"one": packed(ONE), "two": plain(TWO), "holed": HOLED, "cut": packed(ONE)[:1200], "raw": COPY,
         "empty": packed(files.members(b"")), "odd": packed(files.members(SOUND + b"x"))}  # fmt: skip


@pytest.fixture
def dvesim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DVESIM_TARGET", raising=False)
    for name, data in FILES.items():
        Path(name).write_bytes(data)

    def run(*arguments: str, stdin: bytes | None = None) -> Any:
        result = CliRunner().invoke(main, ["neff", *arguments], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return run


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("one",), 0, "3 records checked, all legal on cayman"),
        (("two",), 1, "1 of 7 records checked are not legal on cayman"),
        (("holed",), 2, "the stream is zero-filled"),
        (("empty",), 2, "nothing to check"),
        (("cut",), 2, "malformed_neff"),
        (("odd",), 2, "a remainder of 1 bytes"),
        (("odd", "--lenient"), 0, "all legal"),
        (("raw",), 2, "no target is recorded"),
        (("raw", "-g", "trn2"), 0, "1 records checked, all legal on cayman"),
        (("one", "-g", "sunda"), 2, "the target is 'cayman'"),
        (("one", "-g", "sunda", "--override-target"), 0, "all legal on sunda"),
        (("missing",), 2, "missing"),
        (("one", "--format", "xml"), 2, "xml"),
        (("one", "--target", "http://127.0.0.1:1"), 3, "unreachable"),
    ],
)
def test_command_validate(dvesim: Any, arguments: tuple[str, ...], code: int, said: str) -> None:
    result = dvesim("validate", *arguments)
    assert (result.exit_code, said in result.output) == (code, True), result.output


def test_command_validate_shows_places(dvesim: Any) -> None:
    shown = dvesim("validate", "two").stdout
    start = files.data_offset(tar(TWO), "sg01/DVE.bin")
    for text in ("has_valid_reversed_pred", "reversed_pred @ 33: 2", "256", str(start + 256), "PSEUDO_BRANCH_LABEL"):
        assert text in shown
    assert "legal" in dvesim("validate", "one", "--all").stdout
    document = json.loads(dvesim("validate", "two", "--json").stdout)
    assert document == json.loads(dvesim("validate", "two", "--format", "json").stdout)
    assert (document["file"], document["cores"][1]["verdicts"][0]["offset"]) == ("two", 256)
    assert json.loads(dvesim("validate", "-", "--json", stdin=FILES["one"]).stdout)["outcome"] == "legal"


def test_command_inspect(dvesim: Any) -> None:
    shown = dvesim("inspect", "two").stdout
    for text in ("two: neff", "compression: none", "target: cayman", "core 1 sg01", "member: sg01/DVE.bin",
                 "records: 5", "tool_version: 2.21", "sg00/default_opcode_table.bin  1024 bytes"):  # fmt: skip
        assert text in shown, text
    document = json.loads(dvesim("inspect", "two", "--json").stdout)
    assert [core["stream"]["records"] for core in document["cores"]] == [4, 5]
    assert document["container"]["header"]["pkg_version"] == 1
    assert "no records: the DVE stream is empty" in dvesim("inspect", "empty").stdout
    result = dvesim("inspect", "cut")
    assert (result.exit_code, "byte 1200" in result.output) == (2, True)


def test_command_disassemble(dvesim: Any) -> None:
    result = dvesim("disassemble", "two")
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert (result.exit_code, len(lines)) == (0, 9)
    assert lines[0] == ["0", "0", "0", "SET_ORDERING_MODE"]
    assert lines[8][:3] == ["1", "4", "256"]
    assert lines[8][3].startswith("COPY_PREDICATED_SCALAR")
    assert lines[8][3].endswith("reversed_pred=2")
    for arguments in (("raw",), ("empty",), ("odd",), ("cut",), ("raw", "-g", "trn9")):
        assert dvesim("disassemble", *arguments).exit_code == 2
    assert len(dvesim("disassemble", "odd", "--lenient").stdout.splitlines()) == 4


def test_command_extract(dvesim: Any, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    result = dvesim("extract", "two", "out")
    assert result.exit_code == 0, result.output
    written = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert written == {"core0.dve.bin": SOUND, "core1.dve.bin": SOUND + ILLEGAL}
    assert sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "out"])
    (tmp_path / "out/core1.dve.bin").write_bytes(b"mine")
    (tmp_path / "out/core0.dve.bin").unlink()
    refused = dvesim("extract", "two", "out")
    assert (refused.exit_code, "--force" in refused.output) == (2, True)
    assert [path.read_bytes() for path in (tmp_path / "out").iterdir()] == [b"mine"]
    assert dvesim("extract", "two", "out", "--force").exit_code == 0
    assert (tmp_path / "out/core1.dve.bin").read_bytes() == SOUND + ILLEGAL
    assert dvesim("extract", "empty", "none").exit_code == 2
    assert dvesim("extract", "odd", "none").exit_code == 2
    assert not (tmp_path / "none").exists()
    assert dvesim("extract", "odd", "some", "--lenient").exit_code == 0
    assert (tmp_path / "some/core0.dve.bin").read_bytes() == SOUND
    assert dvesim("extract", "one", "raw").exit_code == 2  # a file, not a directory


def test_extract_names_come_from_nowhere_else(dvesim: Any, tmp_path: Path) -> None:
    name = "DVE.bin; rm -rf x"
    (tmp_path / "hostile").write_bytes(packed(files.members(SOUND, name=name)))
    assert dvesim("extract", "hostile", "out").exit_code == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["core0.dve.bin"]


def test_standard_input_is_read(dvesim: Any) -> None:
    assert dvesim("inspect", "-", stdin=FILES["one"]).exit_code == 0
    assert len(dvesim("disassemble", "-", stdin=FILES["one"]).stdout.splitlines()) == 4
    with pytest.raises(BadInput):
        ask("inproc", type("Pipe", (io.BytesIO,), {"seekable": lambda self: False})(FILES["one"]))


