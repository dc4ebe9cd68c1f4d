"""SARIF 2.1.0 (OASIS): results with the bytes they are about."""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import quote

from dve_engine import RECORD_BYTES

from .findings import Finding, Report

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(report: Report) -> str:
    """One run. Where nothing was checked, or not everything, the run says that it did not succeed."""
    rules = list(dict.fromkeys(one.rule for one in report.findings))
    totals = ("generation", "outcome", "total", "checked", "invalid", "omitted")
    run = {
        "tool": {
            "driver": {
                "name": "dvesim",
                "version": report.engine_version,
                "rules": [{"id": rule, "defaultConfiguration": {"level": "error"}} for rule in rules],
                "properties": {"isa_version": report.isa_version},
            }
        },
        "artifacts": [{"location": _location(report)}],
        "invocations": [
            {
                "executionSuccessful": report.outcome != "nothing_to_check",
                "toolExecutionNotifications": [*_notes(report)],
            }
        ],
        "results": [_result(report, one, rules.index(one.rule)) for one in report.findings],
        "properties": {name: getattr(report, name) for name in totals},
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _location(report: Report) -> dict[str, Any]:
    return {"uri": quote(os.fsencode(report.file)), "index": 0}


def _notes(report: Report) -> list[dict[str, Any]]:
    told = [("warning", one.told) for one in report.notes] + [("error", one.told) for one in report.hindrances]
    if report.outcome == "nothing_to_check":
        told.append(("error", report.sum))
    return [{"level": level, "message": {"text": text}} for level, text in told]


def _result(report: Report, one: Finding, rule_index: int) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _location(report)}
    if one.file_offset is not None:
        physical["region"] = {"byteOffset": one.file_offset, "byteLength": RECORD_BYTES}
    name = f"record {one.index}"
    logical = {"name": name, "fullyQualifiedName": f"{one.part}/{name}" if one.part else name}
    return {
        "ruleId": one.rule,
        "ruleIndex": rule_index,
        "level": "error",
        "message": {"text": one.told},
        "locations": [{"physicalLocation": physical, "logicalLocations": [logical]}],
        "properties": {
            "opcode": one.opcode,
            "offset": one.offset,
            "ruleTitle": one.rule_title,
            "field": one.field,
            "fieldOffset": one.field_offset,
            "fieldBytes": one.field_bytes,
            "confidence": one.confidence,
            "notModelled": one.not_modelled,
            "legalOn": list(one.legal_on),
        },
    }
