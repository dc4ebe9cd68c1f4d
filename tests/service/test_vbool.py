"""The predicate unit over both transports: answers, errors, limits, and that the two say the same."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import grpc
import numpy as np
import pytest
from click.testing import CliRunner
from google.protobuf.json_format import ParseDict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dve_client import BadInput, aconnect
from dve_client.cli import main
from dve_client.errors import InvalidField, LimitExceeded, NotModelled, ProgramText, UnknownAssumption, UnknownOperation
from dve_client.retry import NEVER
from dve_client.vbool import spelled
from dve_engine import vbool
from dve_proto.v1 import vbool_pb2, vbool_pb2_grpc
from tests.service.rpc import refused
from tests.service.running import Service

VECTORS = Path(__file__).parents[2] / "docs/isa/vectors/vbool.json"
PROGRAM = """\
ivp_ltnx16 vb0, v0, v1
ivp_addnx16t v2, v0, v1, vb0  # where v0 < v1
ivp_raddnx16 v3, v2
ivp_addnx16 v4, v3, v3
"""
START = {"v0": "0100" * 32, "v1": "0200" * 32}


@pytest.fixture(params=["http", "grpc", "inproc"])
def target(request: pytest.FixtureRequest, service: Service) -> str:
    addresses = {"http": f"http://{service.http_address}", "grpc": f"grpc://{service.grpc_address}", "inproc": "inproc"}
    return addresses[request.param]


def ask(target, call):
    async def asked():
        async with aconnect(target, retry=NEVER) as client:
            return await call(client)

    return asyncio.run(asked())


def test_evaluation(target: str) -> None:
    ops = [
        ("ivp_randbn", {"vb": 0x5555555555555555}),
        ("ivp_movfsv", {"vec": b"\x80" + bytes(63)}),
        ("ivp_borfs2n", {"masks": [1, 2, 4, 8, 16, 32, 64, "0x80"]}),
    ]
    answer = ask(target, lambda client: client.vbool_eval(ops))
    bank = ["0x0000000000000000"] * 7 + ["0x0000000000000001"]
    assert answer.outputs == ("0x1", {"fs": bank}, "0x00000000000000ff")
    assert answer.assumptions == ()


def test_a_run(target: str) -> None:
    answer = ask(target, lambda client: client.vbool_run(PROGRAM, registers=START, invalid=True))
    assert answer.registers.keys() == {"vb0", "v2", "v3", "v4"}
    assert answer.registers["vb0"] == "0x" + "f" * 16
    assert answer.registers["v3"] == "60000000" * 16
    assert (answer.cycles, answer.invalid) == (5, True)
    last = answer.steps[-1]
    assert (last.line, last.op, last.issue, last.stalls, last.waits_for) == (4, "ivp_addnx16", 4, 1, "v3")
    assert answer.steps[1].text == "ivp_addnx16t v2, v0, v1, vb0"


def test_a_run_reads_what_is_asked(target: str) -> None:
    answer = ask(target, lambda client: client.vbool_run("", registers={"a3": 7}, read=["a3", "b1", "fs2"]))
    assert answer.registers == {"a3": "0x00000007", "b1": "0x0", "fs2": "0x0000000000000000"}
    assert (answer.steps, answer.cycles) == ((), 0)


def test_choices_are_reported(target: str) -> None:
    ops = [("ivp_ltrs2n", {"n": 64})]
    answer = ask(target, lambda client: client.vbool_eval(ops, assumptions={"vbool-ltrs-limit": "cap-63"}))
    assert answer.outputs == ("0x7fffffffffffffff",)
    assert [(use.id, use.value, use.confidence) for use in answer.assumptions] == [("vbool-ltrs-limit", "cap-63", "L")]
    run = ask(target, lambda client: client.vbool_run("ivp_joinb vb0, vb1, vb2"))
    assert [use.id for use in run.assumptions] == ["vbool-joinb-order"]


@pytest.mark.parametrize(
    ("call", "kind", "details"),
    [
        (lambda c: c.vbool_eval([("ivp_notb", {"a": 0}), ("ivp_randbm", {})]), UnknownOperation,
         {"field": "ops.1.op", "nearest": "ivp_randbn"}),
        (lambda c: c.vbool_eval([("ivp_dselnx16t", {})]), NotModelled, {"field": "ops.0.op"}),
        (lambda c: c.vbool_eval([("ivp_andb", {"a": "f0", "b": 1})]), InvalidField, {"field": "ops.0.inputs.a"}),
        (lambda c: c.vbool_eval([("ivp_andb", {"a": 1})]), InvalidField, {"field": "ops.0.inputs.b"}),
        (lambda c: c.vbool_eval([("ivp_andb", {"a": 1, "b": 1, "c": 1})]), InvalidField, {"field": "ops.0.inputs.c"}),
        (lambda c: c.vbool_eval([("ivp_borfs2n", {"masks": [1]})]), InvalidField, {"field": "ops.0.inputs.masks"}),
        (lambda c: c.vbool_eval([], assumptions={"vbool-movvpr": "pr-from-vec"}), NotModelled, {}),
        (lambda c: c.vbool_eval([], assumptions={"vbool-movpvr": "x"}), UnknownAssumption, {}),
        (lambda c: c.vbool_run("\n  ivp_notb vb0, v1"), ProgramText, {"line": 2, "column": 17}),
        (lambda c: c.vbool_run("", registers={"vb16": 1}), InvalidField, {"field": "registers.vb16"}),
        (lambda c: c.vbool_run("", registers={"b1": 2}), InvalidField, {"field": "registers.b1"}),
        (lambda c: c.vbool_run("", read=["w1"]), InvalidField, {"field": "read.w1"}),
    ],
)  # fmt: skip
def test_what_cannot_be(target: str, call, kind, details) -> None:
    with pytest.raises(kind) as caught:
        ask(target, call)
    assert {name: getattr(caught.value, name) for name in details} == details


def test_descriptions(target: str) -> None:
    whole = ask(target, lambda client: client.describe(topic="vbool"))
    assert len(whole["vbool"]["operations"]) == len(vbool.OPERATIONS)
    one = ask(target, lambda client: client.describe(topic="vbool", mnemonic="ivp_andb"))
    assert one["words"] == [{"slot": "F0_S1_Ld", "word": "0x004a1070"}]
    with pytest.raises(UnknownOperation):
        ask(target, lambda client: client.describe(topic="vbool", mnemonic="ivp_adnb"))


# --- over HTTP alone ---------------------------------------------------------------------------------------


def test_unknown_fields_are_refused_with_the_nearest_name(service: Service) -> None:
    answer = service.http.post("/v1/vbool/eval", json={"ops": [{"op": "ivp_notb", "input": {"a": "0x0"}}]})
    assert (answer.status_code, answer.json()["code"], answer.json()["nearest"]) == (400, "unknown_field", "inputs")


@pytest.mark.parametrize("inputs", [{"a": 5}, {"a": None}, {"a": [1]}, {"a": {"x": "0x1"}}, "0x1", None])
def test_inputs_are_text(service: Service, inputs: object) -> None:
    answer = service.http.post("/v1/vbool/eval", json={"ops": [{"op": "ivp_notb", "inputs": inputs}]})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_field")
    assert answer.json()["field"].startswith("ops.0.inputs")


def test_grpc_inputs_are_text(service: Service) -> None:
    stub = vbool_pb2_grpc.VboolStub(service.channel)
    request = ParseDict({"ops": [{"op": "ivp_notb", "inputs": {"a": 5}}]}, vbool_pb2.EvalVboolRequest())
    problem = refused(lambda: stub.EvalVbool(request), "invalid_field", grpc.StatusCode.INVALID_ARGUMENT)
    assert problem.field == "ops.0.inputs.a"


def test_openapi_has_the_bodies(service: Service) -> None:
    schema = service.http.get("/openapi.json").json()
    assert {"/v1/vbool/eval", "/v1/vbool/run", "/v1/vbool/operations"} <= schema["paths"].keys()
    assert {"EvaluateBody", "OperationBody", "RunTextBody"} <= schema["components"]["schemas"].keys()


@pytest.fixture(scope="module")
def tight(valkey):
    running = Service(
        DVESIM_REDIS_URL=valkey.url,
        DVESIM_LIMIT_VBOOL_OPERATIONS="3",
        DVESIM_LIMIT_VBOOL_WORDS="8",
        DVESIM_LIMIT_VBOOL_TEXT_BYTES="100",
    )
    yield running
    assert running.stop() == 0


@pytest.mark.parametrize(
    ("call", "limit"),
    [
        (lambda c: c.vbool_eval([("ivp_notb", {"a": 0})] * 4), "vbool_operations"),
        (lambda c: c.vbool_eval([("dropout.uniform01", {"u": [0] * 9})]), "vbool_words"),
        (lambda c: c.vbool_run("#\n#\n#\n#"), "vbool_operations"),
        (lambda c: c.vbool_run("#" * 101), "vbool_text_bytes"),
    ],
)
@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_limits(tight: Service, transport: str, call, limit: str) -> None:
    address = tight.http_address if transport == "http" else tight.grpc_address
    with pytest.raises(LimitExceeded) as caught:
        ask(f"{transport}://{address}", call)
    assert caught.value.limit == limit
    assert ask(f"{transport}://{address}", lambda c: c.vbool_eval([("ivp_notb", {"a": 0})] * 3)).outputs


def test_a_run_has_its_time(small: Service) -> None:
    answer = small.http.post("/v1/vbool/run", json={"program": "ivp_notb vb0, vb1\n" * 50})
    assert (answer.status_code, answer.json()["code"]) == (422, "time_limit_exceeded")


values = st.text(max_size=20) | st.from_regex(r"0x[0-9a-f]{1,18}", fullmatch=True) | st.just("00" * 64)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data(), name=st.sampled_from([*vbool.OPERATIONS, "ivp_dselnx16t", "x"]))
def test_any_operation_on_any_text(service: Service, data: st.DataObject, name: str) -> None:
    row = vbool.OPERATIONS.get(name)
    names = [operand.name for operand in row.inputs] if row else ["a"]
    inputs = {one: data.draw(values | st.lists(values, max_size=9)) for one in names}
    answer = service.http.post("/v1/vbool/eval", json={"ops": [{"op": name, "inputs": inputs}]})
    assert answer.status_code in (200, 400, 422), answer.text


OPERANDS = ["v0", "v31", "vb1", "vb16", "pr2", "a3", "b4", "fs1", "5", "0x99999999999", "-1", "", "\0", "\u0661"]
lines = st.builds(
    lambda op, operands: f"{op} {', '.join(operands)}",
    st.sampled_from([*vbool.OPERATIONS, "", "#"]),
    st.lists(st.sampled_from(OPERANDS), max_size=5),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.lists(lines, max_size=3).map("\n".join) | st.text(max_size=40))
def test_any_program(service: Service, text: str) -> None:
    answer = service.http.post("/v1/vbool/run", json={"program": text})
    assert answer.status_code in (200, 400), answer.text
    assert answer.status_code == 200 or answer.json()["code"] == "program_text"


# --- the client's words and the command line ---------------------------------------------------------------


def test_values_are_spelled_for_the_caller() -> None:
    assert spelled(bytes(range(64))) == bytes(range(64)).hex()
    assert spelled([1, "0x2"]) == ["0x1", "0x2"]
    for wrong in (-1, np.zeros((2, 64), np.uint8)):
        with pytest.raises(BadInput):
            spelled(wrong)


@pytest.fixture
def dvesim(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DVESIM_TARGET", raising=False)

    def run(*arguments: str, stdin: str | None = None):
        result = CliRunner().invoke(main, ["vbool", *arguments], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return run


def test_command_eval(dvesim) -> None:
    result = dvesim("eval", "ivp_andb", "a=0xf0", "b=0x3c")
    assert (result.exit_code, "0x0000000000000030" in result.stdout) == (0, True)
    result = dvesim("eval", "ivp_borfs2n", "masks=" + ",".join(["0x1"] * 8), "--json")
    assert json.loads(result.stdout)["outputs"] == ["0x0000000000000001"]
    result = dvesim("eval", str(VECTORS), "--json")
    assert len(json.loads(result.stdout)["outputs"]) == 512
    assert "depends on: " in dvesim("eval", "-", stdin='[{"op": "predflag2t", "inputs": {"flags": "0x5"}}]').stdout


def test_command_run(dvesim, tmp_path) -> None:
    (tmp_path / "add.vbool").write_text(PROGRAM)
    result = dvesim("run", "add.vbool", "-r", f"v0={START['v0']}", "-r", f"v1={START['v1']}")
    assert result.exit_code == 0, result.output
    assert "5 cycles, Invalid 0" in result.stdout
    result = dvesim("run", "-", "--json", "--read", "vb1", "--invalid", stdin="ivp_notb vb1, vb0")
    assert json.loads(result.stdout)["registers"] == {"vb1": "0x" + "f" * 16}


@pytest.mark.parametrize(
    ("arguments", "stdin", "said"),
    [
        (("eval", "ivp_anbd", "a=0x1"), None, "unknown_operation"),
        (("eval", "ivp_andb", "a"), None, "is not NAME=VALUE"),
        (("eval", "-"), "[5]", "not a JSON list"),
        (("eval", "-"), "no", "not a JSON list"),
        (("eval", "missing.json"), None, "missing.json"),
        (("run", "-"), "ivp_anbd vb1", "line 1, column 1"),
        (("run", "missing.txt"), None, "missing.txt"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(dvesim, arguments, stdin, said) -> None:
    result = dvesim(*arguments, stdin=stdin)
    assert (result.exit_code, said in result.output) == (2, True), result.output


def test_command_ops(dvesim) -> None:
    assert "ivp_addnx16t" in dvesim("ops").stdout
    shown = dvesim("ops", "ivp_addnx16t").stdout
    assert "text: ivp_addnx16t v#, v#, v#, vb#" in shown
    assert json.loads(dvesim("ops", "ivp_addnx16t", "--json").stdout)["op"] == "ivp_addnx16t"
