"""The coverage matrix: opcode by generation, and the evidence behind every cell.

    python -m tests.conformance.coverage           print the matrix and the gaps that are not on the list
    python -m tests.conformance.coverage --write   publish it: docs/coverage.md and engine/dve_engine/coverage.json

rules      rules of the opcode's list that a vector breaks (or that are listed as unbreakable), of all rules
vectors    execution vectors of the specification
model      whether the independent model answers for the opcode (tests/property compares thousands of cases)
dtypes     of the dtype codes that are legal in some field, those that generated cases of the model use
"""

import argparse
import json
import random
import sys
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from dve_engine import GENERATIONS, Choices, coverage, generation_named, validate
from dve_engine.instructions.catalog import INSTRUCTIONS
from tests import generate, model

ROOT = Path(__file__).parents[2]
PUBLISHED, PAGE = ROOT / "engine/dve_engine/coverage.json", ROOT / "docs/coverage.md"
GAPS = Path(__file__).with_name("known_gaps.json")
SAMPLES = 150
CPTC = 0x19  # from here on: codes that pass the gates behind a register address and have no element size (isa/02 O1)


@dataclass(frozen=True)
class Evidence:
    """What stands behind one executed or control cell."""

    rules_proved: int
    vectors: int
    model: bool
    dtypes_used: int
    dtypes_legal: int


@cache
def proved_rules():
    """(rule id, generation) pairs that a vector breaks or that are listed with a reason."""
    found = set()
    for path in (ROOT / "tests/vectors/rules").glob("*.json"):
        document = json.loads(path.read_text())
        for case in document.get("cases", ()):
            found |= {(case["rule"], generation) for generation in case["expect"]}
        for row in document.get("rules", ()) if path.stem == "unbreakable" else ():
            found |= {(row["id"], generation) for generation in row["generations"]}
    return found


@cache
def executions():
    document = json.loads((ROOT / "docs/isa/vectors/instructions.json").read_text())
    return document["executions"]


def evidence(cell):
    """The evidence of one cell."""
    generation = generation_named(cell.generation)
    rules = INSTRUCTIONS[cell.opcode].rules_on(generation, cell.opcode)
    proved = sum((rule.id, generation.name) in proved_rules() for rule in rules)
    vectors = sum(int(e["opcode"], 16) == cell.opcode and generation.name in e["generations"] for e in executions())
    known = cell.opcode in model.OPCODES
    used, legal = dtypes(cell.opcode, generation) if known else (set(), set())
    return Evidence(proved, vectors, known, len(used), len(used | legal))


def dtypes(opcode, generation):
    """(field, code) pairs that generated cases use, and those that a legal record of the sample could carry instead."""
    layout = INSTRUCTIONS[opcode].struct
    places = [(f.name, f.offset) for f in layout.fields if f.type == "DTYPE"]
    rng = random.Random(f"{opcode} {generation.name}")
    records = [generate.legal_record(rng, opcode, generation.name) for _ in range(SAMPLES)]
    used = {(name, record[offset]) for record in records for name, offset in places}
    tried = [(name, code, swapped(records, offset, code)) for name, offset in places for code in range(CPTC)]
    legal = {
        (name, code) for name, code, records in tried if (name, code) not in used and any_legal(records, generation)
    }
    return used, legal


def swapped(records, offset, code):
    return b"".join(record[:offset] + bytes([code]) + record[offset + 1 :] for record in records[:20])


def any_legal(program, generation):
    return any(v.valid for v in validate(program, generation, Choices(), legal_on=False).verdicts)


def collect():
    """Every cell with its evidence."""
    cells = []
    for cell in coverage.everything():
        proof = evidence(cell) if cell.status in (coverage.EXECUTED, coverage.CONTROL) else None
        cells.append((cell, proof))
    return cells


def gaps(cells):
    """What an executed cell lacks, as sentences."""
    for cell, proof in cells:
        name = f"{cell.mnemonic} {cell.generation}"
        if cell.status == coverage.NOT_MODELLED:
            yield f"{name}: not modelled"
        if proof is None:
            continue
        if proof.rules_proved < cell.rules:
            yield f"{name}: {cell.rules - proof.rules_proved} rules without a vector"
        if cell.status == coverage.EXECUTED and not proof.model:
            yield f"{name}: no independent model"
        if proof.dtypes_used < proof.dtypes_legal:
            yield f"{name}: {proof.dtypes_legal - proof.dtypes_used} legal dtypes the generated cases do not use"


def known_gaps():
    """The gaps that are accepted, each with its reason."""
    return {row["gap"]: row["reason"] for row in json.loads(GAPS.read_text())}


def document(cells):
    """The published form."""
    return [asdict(cell) | {"evidence": asdict(proof) if proof else None} for cell, proof in cells]


def page(cells):
    """The matrix for people."""
    lines = [
        "# Coverage",
        "",
        "Made by `make coverage`; do not edit. Cells: status, proved rules/rules, vectors, dtypes used/legal.",
        "",
    ]
    lines += [
        "| opcode | mnemonic | " + " | ".join(g.name for g in GENERATIONS) + " |",
        "|---|---|" + "---|" * len(GENERATIONS),
    ]
    rows = {}
    for cell, proof in cells:
        rows.setdefault((cell.opcode, cell.mnemonic), []).append(text(cell, proof))
    lines += [
        f"| 0x{opcode:02X} | {mnemonic} | " + " | ".join(found) + " |" for (opcode, mnemonic), found in rows.items()
    ]
    lines += ["", "## Accepted gaps", ""]
    lines += [f"* {gap}: {reason}" for gap, reason in known_gaps().items()] or ["None."]
    return "\n".join(lines) + "\n"


def text(cell, proof):
    if proof is None:
        return (
            cell.status if not cell.reason or cell.status == coverage.NOT_MODELLED else f"{cell.status}: {cell.reason}"
        )
    checked = f"{cell.status}, {proof.rules_proved}/{cell.rules} rules"
    if cell.status != coverage.EXECUTED:
        return checked
    model = ", model" if proof.model else ""
    return f"{checked}, {proof.vectors} vectors{model}, {proof.dtypes_used}/{proof.dtypes_legal} dtypes"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="publish the matrix")
    arguments = parser.parse_args()
    cells = collect()
    if arguments.write:
        PUBLISHED.write_text(json.dumps(document(cells), indent=0) + "\n")
        PAGE.write_text(page(cells))
    print(page(cells))
    unlisted = sorted(set(gaps(cells)) - known_gaps().keys())
    print("\n".join(unlisted) or "no gap that is not on the list")
    sys.exit(bool(unlisted))


if __name__ == "__main__":
    main()
