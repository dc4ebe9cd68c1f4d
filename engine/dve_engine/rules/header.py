"""Header, events, opcode and engine: the checks every validator begins with.

Source: isa/01 sections 1.3 to 1.5, isa/06 section 9.5 [H; place of the engine check M].
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from ..isa.codes import CODE_SPACES, WaitMode
from ..isa.generation import INST_WORD_LEN, Generation
from ..isa.opcodes import CATALOG, MEMBERS, Opcode
from .batch import Batch, Bools
from .fields import among
from .rule import Part, Rule

SATURATE_WORD_LEN = INST_WORD_LEN | 1  # bit 0 of the length byte doubles as the saturate flag of QUANTIZE_MX


def _length(batch: Batch) -> Bools:
    length = batch.column("header.inst_word_len")
    good: Bools = length == INST_WORD_LEN
    flagged = (length == SATURATE_WORD_LEN) & (batch.column("header.opcode") == Opcode.QUANTIZE_MX)
    if flagged.any() and Opcode.QUANTIZE_MX in MEMBERS[batch.generation]:
        good = good | (flagged & (batch.depends("quantize-mx-length-byte", flagged) != "only-0x10"))
    return good


HEADER_PARTS = (
    Part(
        among("header.opcode", lambda generation: MEMBERS[generation]), "header.opcode",
        "an opcode of this generation", "is_valid_enum",
    ),
    Part(_length, "header.inst_word_len", f"{INST_WORD_LEN} (0x10)", "has_valid_inst_len"),
)  # fmt: skip
has_valid_neuron_header = Rule("has_valid_neuron_header", HEADER_PARTS, ("header.opcode", "header.inst_word_len"))

_EVENT_FIELDS = {"events.wait_mode": "WAIT_MODE", "events.update_mode": "UPDATE_MODE"}


@cache
def _printed(space: str) -> frozenset[int]:
    """The modes whose codes are printed in a source, UNORDERED (one source, no generation) left out."""
    return frozenset(int(m) for m in CODE_SPACES[space].names if m is not WaitMode.UNORDERED)


def event_mode_holds(path: str, batch: Batch, space: str = "WAIT_MODE") -> Bools:
    """The field is a member of the mode enumeration; codes known only by inference count by default (`event-modes`)."""
    members = CODE_SPACES[space]
    printed = batch.among(path, _printed(space))
    inferred = batch.among(path, members.codes) & ~printed
    if not inferred.any() or batch.depends("event-modes", inferred) == "printed-codes-only":
        return printed
    return printed | inferred


def _describe(space: str, batch: Batch, _: int) -> str:
    return f"one of {CODE_SPACES[space].describe(batch.generation)}"


def event_mode_part(path: str, space: str, leaf: str | None = "is_valid_enum") -> Part:
    """The elementary check behind E1 and E2."""
    return Part(partial(event_mode_holds, path, space=space), path, partial(_describe, space), leaf)


has_valid_neuron_events = Rule(
    "has_valid_neuron_events",
    tuple(event_mode_part(path, space) for path, space in _EVENT_FIELDS.items()),
    tuple(_EVENT_FIELDS),
)


def opcode_in(function: str, *opcodes: int, named_by_us: bool = False) -> Rule:
    """The opcode rule of a list, which the header lists too. It cannot fail here, since byte 0 chose the list."""
    text = ", ".join(f"0x{c:02X}" for c in opcodes)
    part = Part(among("header.opcode", opcodes), "header.opcode", f"one of {text}")
    return Rule(function, (part,), ("header.opcode",), named_by_us=named_by_us)


def core_version(function: str, *versions: int) -> Rule:
    """The core version is one of `versions`, as the header lists it; true wherever the opcode exists."""
    part = Part(
        lambda batch: np.full(len(batch), batch.generation.core_version in versions),
        "header.opcode",
        f"an opcode of core version {' or '.join(map(str, versions))}",
    )
    return Rule(function, (part,), ("header.opcode",))


check_core_version = core_version("check_core_version", 4, 5)


def engine_check_leaf(opcode: int, generation: Generation, roster: str = "header") -> str | None:
    """Why the DVE of `generation` does not take an opcode, or None where it does.

    roster: the value of the generation's roster assumption. Under `default-tables` an opcode without an entry in the
    shipped decode tables is refused, and one with an entry passes whoever executes it (isa/06 section 4.5). Control
    records are not subject to it.
    """
    info = CATALOG[opcode]
    if info.role(generation) == "c":
        return None
    if roster == "default-tables" and info.in_default_tables(generation) is not None:
        if info.in_default_tables(generation):
            return None
        return info.engine_check_leaf(generation) or "not_in_default_tables"
    return info.engine_check_leaf(generation)


def engine_check(opcode: int, generation: Generation, leaf: str) -> Rule:
    """`instruction_engine_check` for one opcode that fails it."""
    why = {
        "pseudo_instruction": "a record the loader rewrites before an engine sees it",
        "invalid_opcode": "the invalid sentinel",
        "other_engine": f"executed by another engine ({CATALOG[opcode].engines or 'none named'}) on this generation",
        "not_dispatched": "executed by no engine of this generation",
        "not_in_default_tables": "missing from the decode tables shipped with programs",
    }[leaf]
    part = Part(
        lambda batch: np.zeros(len(batch), bool),
        "header.opcode",
        f"an opcode the Vector Engine executes; this one is {why}",
        leaf,
    )
    return Rule("instruction_engine_check", (part,), ("header.opcode",), id="X1", confidence="M")
