"""Text over every way to the service: the same records, the same lines, the same mistakes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import grpc
import httpx2
import pytest
from click.testing import CliRunner, Result

from dve_client import AsyncClient, aconnect
from dve_client.cli import main
from dve_client.errors import LimitExceeded, ProgramLength, ProgramText, UnknownGeneration
from dve_client.retry import NEVER
from dve_engine import CAYMAN, assemble, disassemble
from dve_proto.v1 import text_pb2, text_pb2_grpc
from tests.generate import OPCODES, legal_generations, legal_record
from tests.service.programs import COPY, ILLEGAL
from tests.service.rpc import refused
from tests.service.running import Service

T = TypeVar("T")
RNG = random.Random(11)
MANY = b"".join(legal_record(RNG, opcode, "CAYMAN") for opcode in OPCODES if "CAYMAN" in legal_generations(opcode))
ODD = ILLEGAL + bytes(64) + RNG.randbytes(64 * 20)
WRONG = ".equ A 1\nCOPPY\nCOPY channels=999 op=MULTIPLI src=fp32@B[1][1]\n"
PLAIN = {"content-type": "text/plain"}
MISTAKES = [
    (2, 1, "COPPY", "CAYMAN has no mnemonic 'COPPY'; did you mean COPY?"),
    (3, 6, "channels=999", "999 does not lie in 0..255"),
    (3, 22, "MULTIPLI", "CAYMAN has no ALU_OP 'MULTIPLI'; did you mean MULTIPLY?"),
    (3, 40, "B", "the text defines no 'B'; it has A"),
]


@pytest.fixture(params=["http", "grpc", "inproc"])
def target(request: pytest.FixtureRequest, service: Service) -> str:
    addresses = {"http": f"http://{service.http_address}", "grpc": f"grpc://{service.grpc_address}", "inproc": "inproc"}
    return addresses[request.param]


def ask(target: str, call: Callable[[AsyncClient], Awaitable[T]]) -> T:
    async def asked() -> T:
        async with aconnect(target, retry=NEVER) as client:
            return await call(client)

    return asyncio.run(asked())


@pytest.mark.parametrize("code", [MANY, ODD, b""], ids=["legal", "odd", "empty"])
def test_there_and_back(target: str, code: bytes) -> None:
    lines = ask(target, lambda client: client.disassemble(code, "trn2"))
    assert lines == disassemble(code, CAYMAN)
    assert len(lines) == len(code) // 64
    assert ask(target, lambda client: client.assemble("\n".join(lines), "trn2")) == code


def test_every_mistake_is_told(target: str) -> None:
    with pytest.raises(ProgramText) as caught:
        ask(target, lambda client: client.assemble(WRONG, "cayman"))
    error = caught.value
    assert [(one.line, one.column, one.found, one.message) for one in error.mistakes] == MISTAKES
    assert (error.line, error.column, error.omitted) == (2, 1, 0)
    assert str(error) == f"line 2, column 1: {MISTAKES[0][3]} (and 3 more)"
    assert {"BYPASS", "ADD"} <= set(error.mistakes[2].expected)


def test_other_errors(target: str) -> None:
    with pytest.raises(UnknownGeneration):
        ask(target, lambda client: client.assemble("NOP", "trn9"))
    with pytest.raises(UnknownGeneration):
        ask(target, lambda client: client.disassemble(COPY, "trn9"))
    with pytest.raises(LimitExceeded) as caught:
        ask(target, lambda client: client.assemble("#" * (1 << 24) + "#", "cayman"))
    assert caught.value.limit == "text_bytes"
    with pytest.raises(LimitExceeded) as caught:
        ask(target, lambda client: client.assemble("NOP\n" * 65_537, "cayman"))
    assert caught.value.limit == "instructions"


# --- REST --------------------------------------------------------------------------------------------------


@pytest.fixture
def http(service: Service) -> httpx2.Client:
    return service.http


def test_the_words_of_the_contract(http: httpx2.Client) -> None:
    answer = http.post("/v1/assemble", json={"generation": "cayman", "text": "NOP S[3]>=2 # wait\n"}).json()
    assert answer["instructions"] == [assemble("NOP S[3]>=2", CAYMAN).hex()]
    assert answer.keys() == {"generation", "instructions", "engine_version", "isa_version"}
    back = http.post("/v1/disassemble", json={"generation": "cayman", "instructions": answer["instructions"]}).json()
    assert (back["lines"], back["text"]) == (["NOP S[3]>=2"], "NOP S[3]>=2\n")
    assert back.keys() == {"generation", "text", "lines", "engine_version", "isa_version"}


def test_raw_bodies(http: httpx2.Client) -> None:
    text = "\n".join(disassemble(MANY, CAYMAN))
    plain = {"content-type": "text/plain; charset=utf-8"}
    read = http.post("/v1/assemble?generation=trn2", content=text, headers=plain)
    assert bytes.fromhex("".join(read.json()["instructions"])) == MANY
    octets = {"content-type": "application/octet-stream"}
    written = http.post("/v1/disassemble?generation=trn2", content=MANY, headers=octets)
    assert written.json()["lines"] == text.split("\n")


@pytest.mark.parametrize(
    ("path", "request_", "code"),
    [
        ("assemble", {"json": {"generation": "cayman"}}, "invalid_field"),
        ("assemble", {"json": {"generation": "cayman", "txt": ""}}, "unknown_field"),
        ("assemble", {"json": {"text": "NOP"}}, "unknown_generation"),
        ("assemble?text=NOP", {"content": b"NOP", "headers": PLAIN}, "invalid_field"),
        ("assemble?generation=cayman", {"content": b"\xff", "headers": PLAIN}, "malformed_request"),
        ("assemble", {"content": b"NOP", "headers": {"content-type": "text/html"}}, "unsupported_media_type"),
        ("disassemble", {"json": {"generation": "cayman"}}, "invalid_field"),
        ("disassemble", {"json": {"generation": "cayman", "instructions": ["e8"]}}, "program_length"),
        ("disassemble", {"json": {"generation": "cayman", "program_base64": "6BA="}}, "program_length"),
        ("disassemble", {"json": {"generation": "cayman", "instructions": [], "profile": "nki"}}, "unknown_field"),
    ],
)  # fmt: skip
def test_requests_that_are_not_as_they_should_be(
    http: httpx2.Client, path: str, request_: dict[str, Any], code: str
) -> None:
    answer = http.post(f"/v1/{path}", **request_)
    assert (answer.status_code // 100, answer.json()["code"]) == (4, code)


# --- gRPC --------------------------------------------------------------------------------------------------


def test_many_mistakes_are_cut_to_the_trailers(service: Service) -> None:
    stub = text_pb2_grpc.TextStub(service.channel)
    request = text_pb2.AssembleRequest(generation="cayman", text="COPPY\n" * 50)
    problem = refused(lambda: stub.Assemble(request), "program_text", grpc.StatusCode.INVALID_ARGUMENT)
    assert 5 < len(problem.mistakes) < 50
    assert len(problem.mistakes) + problem.omitted == 50
    with pytest.raises(ProgramText) as caught:
        ask(f"grpc://{service.grpc_address}", lambda client: client.assemble("COPPY\n" * 50, "cayman"))
    assert caught.value.omitted == problem.omitted


def test_a_length_that_is_no_program(service: Service) -> None:
    stub = text_pb2_grpc.TextStub(service.channel)
    request = text_pb2.DisassembleRequest(generation="cayman", program=bytes(65))
    refused(lambda: stub.Disassemble(request), "program_length", grpc.StatusCode.INVALID_ARGUMENT)
    with pytest.raises(ProgramLength):
        ask(f"http://{service.http_address}", lambda client: client.disassemble([COPY[:-1], COPY[:2]], "cayman"))


# --- commands ----------------------------------------------------------------------------------------------


@pytest.fixture
def dvesim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.chdir(tmp_path)
    Path("p.dve").write_text("\n".join(disassemble(MANY, CAYMAN)))
    Path("p.bin").write_bytes(MANY)
    Path("wrong.dve").write_text(WRONG)
    return lambda *arguments, stdin=None: CliRunner().invoke(main, [*arguments, "-g", "trn2"], input=stdin)


def test_commands_there_and_back(dvesim: Callable[..., Result]) -> None:
    printed = dvesim("assemble", "p.dve")
    assert printed.exit_code == 0
    assert bytes.fromhex(printed.stdout) == MANY
    assert dvesim("assemble", "p.dve", "-o", "out.bin").exit_code == 0
    assert Path("out.bin").read_bytes() == MANY
    assert dvesim("assemble", "-", "-o", "-", stdin="NOP").stdout_bytes == assemble("NOP", CAYMAN)
    for file, stdin in (("p.bin", None), ("p.dve", None), ("-", MANY), ("-", MANY.hex())):
        lines = dvesim("disassemble", file, stdin=stdin).stdout
        assert lines.splitlines() == disassemble(MANY, CAYMAN)


@pytest.mark.parametrize("command", ["validate", "run"])
def test_commands_read_text(dvesim: Callable[..., Result], command: str) -> None:
    text = "\n".join(disassemble(COPY, CAYMAN))
    Path("copy.txt").write_text(f"# by content\n{text}\n")
    for name in ("copy.txt", "-"):
        assert dvesim(command, name, stdin=text).exit_code == 0
    Path("copy").write_text(text)
    assert dvesim(command, "copy", "--input", "text").exit_code == 0


@pytest.mark.parametrize("command", ["assemble", "validate", "run", "disassemble"])
def test_commands_tell_every_mistake(dvesim: Callable[..., Result], command: str) -> None:
    result = dvesim(command, "wrong.dve")
    assert result.exit_code == 2
    told = [f"wrong.dve:{line}:{column}: {message}" for line, column, _, message in MISTAKES]
    assert result.stderr == "dvesim: " + "\n".join(told) + "\n"


def test_commands_name_what_cannot_be_used(dvesim: Callable[..., Result]) -> None:
    assert dvesim("assemble", "absent.dve").exit_code == 2
    assert "No such file" in dvesim("assemble", "p.dve", "-o", "no/such/dir").stderr
    assert "unknown generation" in CliRunner().invoke(main, ["validate", "p.dve", "-g", "trn9"]).stderr
