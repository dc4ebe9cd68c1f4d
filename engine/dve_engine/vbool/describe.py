"""The predicate unit as plain data, from the tables it runs on."""

from __future__ import annotations

from typing import Any

from .catalog import GROUP_OF, NOT_MODELLED, OPERATIONS, named
from .operation import Operand, Operation
from .program import syntax
from .registers import FILES
from .timing import FORWARD_WINDOW, PORTS, row
from .words import WORDS

Document = dict[str, Any]


def unit() -> Document:
    """The register files, one line per operation, and what is known and not modelled."""
    return {
        "files": [vars(file) | {"ports": vars(PORTS[file.prefix]) if file.prefix in PORTS else None} for file in FILES],
        "forward_window": list(FORWARD_WINDOW),
        "operations": [_line(one) for one in OPERATIONS.values()],
        "not_modelled": [{"pattern": pattern, "reason": reason} for pattern, reason in NOT_MODELLED],
    }


def operation(mnemonic: str) -> Document:
    """One operation: operands, meaning, text, encoding words, schedule.

    Raises UnknownOperation.
    """
    one = named(mnemonic)
    return _line(one) | {
        "inputs": [_operand(operand) for operand in one.inputs],
        "outputs": [_operand(operand) for operand in one.outputs],
        "note": one.note or None,
        "words": [
            {"slot": slot, "word": f"0x{word:08x}"} for slot, word in sorted(WORDS.get(one.mnemonic, {}).items())
        ],
        "schedule": None if one.routine else _schedule(one.mnemonic),
    }


def _line(one: Operation) -> Document:
    return {
        "op": one.mnemonic,
        "group": GROUP_OF[one.mnemonic],
        "rule": one.rule,
        "section": one.section,
        "confidence": one.confidence,
        "assumptions": list(one.assumes),
        "routine": one.routine,
        "text": None if one.routine else syntax(one),
    }


def _operand(operand: Operand) -> Document:
    return {
        "name": operand.name,
        "kind": operand.kind,
        "bits": operand.bits,
        "tied": operand.tied or None,
        "optional": operand.optional,
        "implicit": operand.implicit,
    }


def _schedule(mnemonic: str) -> Document:
    found = row(mnemonic)
    return {
        "slot": found.slot,
        "results": dict(found.results),
        "reads": {prefix: list(stages) for prefix, stages in found.reads.items()},
        "basis": found.basis,
        "disputed": found.disputed,
        "note": found.note or None,
    }
