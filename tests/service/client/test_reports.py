"""The formats for continuous integration: each on a fixed program with one illegal record, and the exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from dve_client import connect
from dve_client.cli import main
from dve_client.reports import FORMATS, of_program
from dve_engine import CAYMAN, ENGINE_VERSION, ISA_VERSION, disassemble
from tests import neff_files as files
from tests.service.programs import COPY, ILLEGAL, NO_OPCODE

Run = Callable[..., Result]
TOLD = (
    "record 1 (byte 64) 0xE8 COPY_PREDICATED_SCALAR: has_valid_reversed_pred: "
    "reversed_pred is 2; it must be 0 or 1 [H]; legal on: no generation"
)
SUM = "illegal.bin: 1 of 2 records checked are not legal on cayman"
EMPTY = files.packed(files.members(b""))
PSEUDO = files.packed(files.members(files.LABEL + files.SEED))


@pytest.fixture
def dvesim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DVESIM_TARGET", raising=False)
    contents = {
        "legal.bin": COPY,
        "illegal.bin": COPY + ILLEGAL,
        "illegal.hex": (COPY + ILLEGAL).hex().encode(),
        "illegal.dve": "\n".join(disassemble(COPY + ILLEGAL, CAYMAN)).encode(),
        "nothing.bin": b"",
        "two.neff": files.plain(files.TWO),
        "packed.neff": files.packed(files.TWO),
        "one.neff": files.packed(files.ONE),
        "empty.neff": EMPTY,
        "pseudo.neff": PSEUDO,
    }
    for name, content in contents.items():
        Path(name).write_bytes(content)

    def run(*arguments: str) -> Result:
        result = CliRunner().invoke(main, arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return run


# --- one program, every format -----------------------------------------------------------------------------

SARIF = {
    "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    "version": "2.1.0",
    "runs": [
        {
            "tool": {
                "driver": {
                    "name": "dvesim",
                    "version": ENGINE_VERSION,
                    "rules": [{"id": "has_valid_reversed_pred", "defaultConfiguration": {"level": "error"}}],
                    "properties": {"isa_version": ISA_VERSION},
                }
            },
            "artifacts": [{"location": {"uri": "illegal.bin", "index": 0}}],
            "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": []}],
            "results": [
                {
                    "ruleId": "has_valid_reversed_pred",
                    "ruleIndex": 0,
                    "level": "error",
                    "message": {"text": TOLD},
                    "locations": [
                        {
                            "physicalLocation": {
                                "artifactLocation": {"uri": "illegal.bin", "index": 0},
                                "region": {"byteOffset": 64, "byteLength": 64},
                            },
                            "logicalLocations": [{"name": "record 1", "fullyQualifiedName": "record 1"}],
                        }
                    ],
                    "properties": {
                        "opcode": "0xE8 COPY_PREDICATED_SCALAR",
                        "offset": 64,
                        "ruleTitle": "has_valid_reversed_pred",
                        "field": "reversed_pred",
                        "fieldOffset": 33,
                        "fieldBytes": 1,
                        "confidence": "H",
                        "notModelled": False,
                        "legalOn": [],
                    },
                }
            ],
            "properties": {
                "generation": "cayman",
                "outcome": "illegal",
                "total": 2,
                "checked": 2,
                "invalid": 1,
                "omitted": 0,
            },
        }
    ],
}
GITHUB = f"""\
::error file=illegal.bin,title=0xE8 COPY_PREDICATED_SCALAR%3A has_valid_reversed_pred::{TOLD}
{SUM}
"""
JUNIT = f"""\
<?xml version="1.0" encoding="utf-8"?>
<testsuites tests="1" failures="1" errors="0" skipped="0">
  <testsuite name="dvesim illegal.bin" tests="1" failures="1" errors="0" skipped="0">
    <properties>
      <property name="generation" value="cayman" />
      <property name="outcome" value="illegal" />
      <property name="total" value="2" />
      <property name="checked" value="2" />
      <property name="invalid" value="1" />
      <property name="omitted" value="0" />
      <property name="engine_version" value="{ENGINE_VERSION}" />
      <property name="isa_version" value="{ISA_VERSION}" />
    </properties>
    <testcase classname="dvesim.cayman" name="0xE8 COPY_PREDICATED_SCALAR">
      <failure type="has_valid_reversed_pred" message="1 of 2 records are not legal on cayman">{TOLD}</failure>
    </testcase>
    <system-out>{SUM}</system-out>
  </testsuite>
</testsuites>
"""


def told(dvesim: Run, form: str, *arguments: str) -> str:
    result = dvesim(*(arguments or ("validate", "illegal.bin", "-g", "trn2")), "--format", form)
    assert result.exit_code == 1, result.output
    return result.stdout


def test_sarif(dvesim: Run) -> None:
    assert json.loads(told(dvesim, "sarif")) == SARIF


def test_github(dvesim: Run) -> None:
    assert told(dvesim, "github") == GITHUB


def test_junit(dvesim: Run) -> None:
    assert told(dvesim, "junit") == JUNIT


def test_json(dvesim: Run) -> None:
    document = json.loads(told(dvesim, "json"))
    assert document == json.loads(dvesim("validate", "illegal.bin", "-g", "cayman", "--json").stdout)
    assert (document["file"], document["total"], document["invalid"]) == ("illegal.bin", 2, 1)
    assert document["verdicts"][1]["failures"][0]["rule"] == "has_valid_reversed_pred"


def test_text(dvesim: Run) -> None:
    shown = told(dvesim, "text")
    for text in ("has_valid_reversed_pred", "reversed_pred @ 33", "1 of 2 records checked are not legal on cayman"):
        assert text in shown


# --- places and containers ---------------------------------------------------------------------------------


def results(text: str) -> list[dict[str, Any]]:
    [run] = json.loads(text)["runs"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
    return run["results"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", ["illegal.hex", "illegal.dve"])
def test_text_has_no_bytes_to_point_at(dvesim: Run, name: str) -> None:
    [result] = results(told(dvesim, "sarif", "validate", name, "-g", "cayman"))
    [location] = result["locations"]
    assert location["physicalLocation"] == {"artifactLocation": {"uri": name, "index": 0}}
    assert location["logicalLocations"][0]["name"] == "record 1"


def test_a_container_points_into_the_file_where_it_is_not_compressed(dvesim: Run) -> None:
    start = 1024 + files.data_offset(files.tar(files.TWO), "sg01/DVE.bin")
    [plain] = results(told(dvesim, "sarif", "neff", "validate", "two.neff"))
    assert plain["locations"][0]["physicalLocation"]["region"] == {"byteOffset": start + 256, "byteLength": 64}
    assert plain["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "core 1 sg01/record 4"
    [packed] = results(told(dvesim, "sarif", "neff", "validate", "packed.neff"))
    assert "region" not in packed["locations"][0]["physicalLocation"]


def test_a_container_has_a_case_for_each_opcode_of_each_core(dvesim: Run) -> None:
    root = ElementTree.fromstring(told(dvesim, "junit", "neff", "validate", "two.neff"))
    assert root.attrib == {"tests": "8", "failures": "1", "errors": "0", "skipped": "2"}
    cases = {(case.get("classname"), case.get("name")): [part.tag for part in case] for case in root.iter("testcase")}
    assert len(cases) == 8
    assert cases["dvesim.cayman.core 1 sg01", "0xE8 COPY_PREDICATED_SCALAR"] == ["failure"]
    assert cases["dvesim.cayman.core 0 sg00", "0xE8 COPY_PREDICATED_SCALAR"] == []
    assert cases["dvesim.cayman.core 0 sg00", "0xCC PSEUDO_BRANCH_LABEL"] == ["skipped"]


# --- signs -------------------------------------------------------------------------------------------------

ODD = "a b,c:d%e\n<&\"'\x01.bin"


@pytest.fixture(scope="module")
def odd() -> dict[str, str]:
    with connect("inproc") as client:
        report = of_program(client.validate(ILLEGAL, "cayman"), ODD, as_it_is=True)
    assert len(FORMATS) == 4
    return {name: form(report) for name, form in FORMATS.items()}


def test_signs_in_annotations(odd: dict[str, str]) -> None:
    first, last = odd["github"].splitlines()
    assert first.startswith("::error file=a b%2Cc%3Ad%25e%0A<&\"'\x01.bin,title=")
    assert last.startswith("a b,c:d%25e%0A<&\"'")


def test_signs_in_xml(odd: dict[str, str]) -> None:
    [suite] = ElementTree.fromstring(odd["junit"])
    assert suite.get("name") == "dvesim " + ODD.replace("\x01", "\ufffd")


def test_signs_in_sarif(odd: dict[str, str]) -> None:
    [artifact] = json.loads(odd["sarif"])["runs"][0]["artifacts"]
    assert artifact["location"]["uri"] == "a%20b%2Cc%3Ad%25e%0A%3C%26%22%27%01.bin"


# --- exit codes --------------------------------------------------------------------------------------------

CODES = {
    ("validate", "legal.bin", "-g", "cayman"): 0,
    ("validate", "illegal.bin", "-g", "cayman"): 1,
    ("validate", "nothing.bin", "-g", "cayman"): 2,
    ("neff", "validate", "one.neff"): 0,
    ("neff", "validate", "two.neff"): 1,
    ("neff", "validate", "empty.neff"): 2,
    ("neff", "validate", "pseudo.neff"): 2,
}


@pytest.mark.parametrize("form", ["text", *FORMATS])
@pytest.mark.parametrize("arguments", CODES, ids="-".join)
def test_exit_codes_are_those_of_every_format(dvesim: Run, arguments: tuple[str, ...], form: str) -> None:
    assert dvesim(*arguments, "--format", form).exit_code == CODES[arguments]


def test_nobody_there_is_exit_code_3(dvesim: Run) -> None:
    result = dvesim("validate", "legal.bin", "-g", "cayman", "--format", "sarif", "--target", "http://127.0.0.1:1")
    assert (result.exit_code, result.stdout) == (3, "")


@pytest.mark.parametrize("name", ["empty.neff", "pseudo.neff"])
def test_nothing_checked_is_no_success_in_any_format(dvesim: Run, name: str) -> None:
    def output(form: str) -> str:
        return dvesim("neff", "validate", name, "--format", form).stdout

    assert f"::error file={name},title=nothing to check::{name}: nothing to check" in output("github")
    root = ElementTree.fromstring(output("junit"))
    assert int(root.attrib["errors"]) == len(list(root.iter("testcase"))) > 0
    [invocation] = json.loads(output("sarif"))["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "nothing to check" in invocation["toolExecutionNotifications"][-1]["message"]["text"]


def test_a_rule_is_listed_once(dvesim: Run) -> None:
    Path("many.bin").write_bytes(ILLEGAL + NO_OPCODE + ILLEGAL)
    text = told(dvesim, "sarif", "validate", "many.bin", "-g", "cayman", "--first")
    assert [one["ruleIndex"] for one in results(text)] == [0, 1, 0]
    assert [one["properties"]["offset"] for one in results(text)] == [0, 64, 128]
