"""JUnit XML: a test case for each opcode of each part."""

from __future__ import annotations

import re
from collections import defaultdict
from xml.etree import ElementTree

from .findings import Finding, Group, Report

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Report) -> str:
    """One suite. A case fails where a record of its opcode is not legal.

    What could not be checked is an error where it hinders the whole, and skipped elsewhere.
    """
    found: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for one in report.findings:
        found[one.part, one.opcode].append(one)
    cases = [_case(report, group, found[group.part, group.opcode]) for group in report.groups]
    counts = {name: sum(case.find(tag) is not None for case in cases) for name, tag in _COUNTED.items()}
    numbers = {"tests": str(len(cases)), **{name: str(count) for name, count in counts.items()}}
    root = ElementTree.Element("testsuites", numbers)
    suite = ElementTree.SubElement(root, "testsuite", {"name": _clean(f"dvesim {report.file}"), **numbers})
    properties = ElementTree.SubElement(suite, "properties")
    for name in ("generation", "outcome", "total", "checked", "invalid", "omitted", "engine_version", "isa_version"):
        ElementTree.SubElement(properties, "property", name=name, value=str(getattr(report, name)))
    suite.extend(cases)
    ElementTree.SubElement(suite, "system-out").text = _clean(
        "\n".join([*(one.told for one in report.notes), report.sum])
    )
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def _case(report: Report, group: Group, findings: list[Finding]) -> ElementTree.Element:
    scope = ".".join(filter(None, ["dvesim", report.generation, group.part]))
    case = ElementTree.Element("testcase", classname=_clean(scope), name=group.opcode or "stream")
    if group.unchecked:
        tag = "error" if group.hinders else "skipped"
        ElementTree.SubElement(case, tag, message=_clean(group.unchecked))
    elif group.invalid:
        rule = findings[0].rule if findings else "not listed"  # beyond the limit of listed verdicts
        said = f"{group.invalid} of {group.records} records are not legal on {report.generation}"
        failure = ElementTree.SubElement(case, "failure", type=rule, message=said)
        failure.text = _clean("\n".join(one.told for one in findings))
    return case


def _clean(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
