"""`dvesim isa`: the instruction set, from the tables the engine runs on."""

from __future__ import annotations

import click
from rich.text import Text

from ..answers import Document
from .common import client_of, console, generation_option, json_option, print_json, reported, table, target_option


@click.group()
def isa() -> None:
    """Show the instruction set: generations, instructions, dtypes, ALU codes, open questions."""


def _asked(target: str, as_json: bool, generation: str = "", topic: str = "", mnemonic: str = "") -> Document | None:
    """The document, or None where it was printed as JSON."""
    with client_of(target) as client:
        document = client.describe(generation, topic, mnemonic)
    if not as_json:
        return document
    print_json(document)
    return None


@isa.command()
@json_option
@target_option
@reported
def generations(as_json: bool, target: str) -> None:
    """The four generations and their aliases."""
    document = _asked(target, as_json)
    if document:
        rows = [(g["name"], g["nc_version"], ", ".join(g["aliases"])) for g in document["generations"]]
        table(("generation", "core", "aliases"), rows)


@isa.command()
@generation_option
@json_option
@target_option
@reported
def generation(generation: str, as_json: bool, target: str) -> None:
    """Geometry and features of one generation."""
    document = _asked(target, as_json, generation)
    if document:
        spaces = [(name, *(document[name][key] for key in _GEOMETRY)) for name in ("sbuf", "psum")]
        table(("memory", *_GEOMETRY), spaces)
        table(("feature", "has it"), [(name, "yes" if value else "no") for name, value in document["features"].items()])


_GEOMETRY = ("base", "region_size", "partitions", "partition_stride", "partition_active_bytes")


@isa.command()
@generation_option
@json_option
@target_option
@reported
def coverage(generation: str, as_json: bool, target: str) -> None:
    """What becomes of every opcode of a generation, and the evidence behind it."""
    document = _asked(target, as_json, generation, "coverage")
    if document:
        table(
            ("opcode", "mnemonic", "status", "rules", "proved", "vectors", "model", "remark"),
            [
                (f"0x{one['opcode']:02X}", one["mnemonic"], one["status"], one["rules"], *_proof(one), one["reason"])
                for one in document["coverage"]
                if one["status"] != "absent"
            ],
            wrapped=["remark"],
        )


def _proof(cell: Document) -> tuple[object, ...]:
    proof = cell["evidence"]
    return (proof["rules_proved"], proof["vectors"], "yes" if proof["model"] else "no") if proof else ("", "", "")


@isa.command()
@generation_option
@json_option
@click.option("--all", "everything", is_flag=True, help="Those of other engines and pseudo instructions too.")
@target_option
@reported
def instructions(generation: str, as_json: bool, everything: bool, target: str) -> None:
    """The opcodes of a generation and what the emulator does with each."""
    document = _asked(target, as_json, generation, "instructions")
    if document:
        listed = [
            one for one in document["instructions"] if one["member"] and (everything or not one["engine_check_leaf"])
        ]
        table(
            ("opcode", "mnemonic", "struct", "class", "executed", "remark"),
            [
                (
                    f"0x{one['opcode']:02X}",
                    one["mnemonic"],
                    one["struct"],
                    one["class"],
                    "yes" if one["executable"] else "no",
                    one["engine_check_leaf"] or one["reason"],
                )
                for one in listed
            ],
            wrapped=["remark"],
        )


@isa.command()
@click.argument("mnemonic")
@generation_option
@json_option
@target_option
@reported
def instruction(mnemonic: str, generation: str, as_json: bool, target: str) -> None:
    """Layout, rules in header order and meaning of one instruction."""
    document = _asked(target, as_json, generation, "instructions", mnemonic)
    if document:
        _show_instruction(document)


def _show_instruction(document: Document) -> None:
    out = console()
    out.print(
        f"[bold]{document['mnemonic']}[/bold] (0x{document['opcode']:02X}), struct {document['struct']}",
        highlight=False,
    )
    for key in ("semantics", "source", "reason"):
        if document.get(key):
            out.print(Text(f"{key}: {document[key]}"))
    layout = document["layout"] or []
    table(("byte", "size", "field", "type"), [(f["offset"], f["size"], f["name"], f["type"]) for f in layout])
    rows = [
        (rule["position"] + 1, rule["rule"], _expected(rule), rule["confidence"]) for rule in document.get("rules", ())
    ]
    if rows:
        table(("", "rule, in header order", "field: expected", "confidence"), rows, wrapped=["field: expected"])


def _expected(rule: Document) -> str:
    said = [f"{check['field']}: {check['expected']}" for check in rule["checks"] if check["expected"]]
    return "\n".join(dict.fromkeys(said)) or ", ".join(rule["fields"])


@isa.command()
@generation_option
@json_option
@target_option
@reported
def dtypes(generation: str, as_json: bool, target: str) -> None:
    """The dtype codes of a generation."""
    document = _asked(target, as_json, generation, "dtypes")
    if document:
        rows = [
            (f"0x{d['code']:02X}", d["name"], d["size_bytes"], d["alignment"], d["kind"]) for d in document["dtypes"]
        ]
        table(("code", "dtype", "bytes", "alignment", "kind"), rows)


@isa.command()
@generation_option
@json_option
@target_option
@reported
def aluops(generation: str, as_json: bool, target: str) -> None:
    """The ALU codes of a generation."""
    document = _asked(target, as_json, generation, "aluops")
    if document:
        rows = [(f"0x{a['code']:02X}", a["name"], a["formula"], ", ".join(a["classes"])) for a in document["aluops"]]
        table(("code", "ALU op", "formula", "classes"), rows, wrapped=["classes"])


@isa.command()
@json_option
@target_option
@reported
def assumptions(as_json: bool, target: str) -> None:
    """The open questions, their alternatives and defaults."""
    document = _asked(target, as_json, topic="assumptions")
    if document:
        rows = [
            (
                a["id"],
                a["default"],
                ", ".join(v for v in a["alternatives"] if v != a["default"]),
                a["confidence"],
                a["question"],
            )
            for a in document["assumptions"]
        ]
        table(("id", "default", "alternatives", "", "question"), rows, wrapped=["alternatives", "question"])
