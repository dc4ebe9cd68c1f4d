"""Verdicts: which records of a program are legal on a generation, and which rules the others break.

Order: header (H1, H2), engine (X1), then the opcode's own list. Source: isa/01 section 1.5.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .instructions.catalog import INSTRUCTIONS, NOT_BUILT, NOT_BUILT_YET
from .instructions.instruction import Instruction
from .instructions.unmodelled import Refusal, refusals
from .isa.assumptions import Choices
from .isa.generation import GENERATIONS, Generation
from .isa.layout import layout_of
from .isa.opcodes import CATALOG, OPCODE_ASSUMPTIONS, REFUSED_UNDER, roster_assumption
from .isa.struct import decode
from .rules.batch import Batch
from .rules.header import engine_check, engine_check_leaf, has_valid_neuron_events, has_valid_neuron_header
from .rules.rule import Failure, Part, Rule
from .verdicts import Validation, Verdicts, record_class

Program = npt.NDArray[np.uint8]  # (n, 64)
_H2 = replace(has_valid_neuron_header, parts=has_valid_neuron_header.parts[1:], id="H2")
_SKIPPED = "a record the loader rewrites before an engine sees it; a run skips it (pseudo-records)"
_H1 = replace(has_valid_neuron_header, id="H1")


def validate(
    program: bytes | Program,
    generation: Generation,
    choices: Choices,
    *,
    all_failures: bool = True,
    legal_on: bool = True,
) -> Validation:
    """Judge every record.

    program: n x 64 bytes. all_failures: list every broken rule, not only the first. legal_on: also ask the other
    generations.
    Raises ProgramLengthError if the length is not a multiple of 64.
    """
    records = decode(program)
    choices = choices.fresh()
    failures, refused = _judge(records, generation, choices, all_failures)
    on = np.zeros(len(records), np.uint8)
    if legal_on:
        for bit, other in enumerate(GENERATIONS):
            here = other is generation
            legal = _without(failures, len(records)) if here else _legal(records, other, choices.fresh())
            on |= legal.astype(np.uint8) << np.uint8(bit)
    return Validation(Verdicts(records[:, 0].copy(), generation, failures, refused, on), choices.used)


def legality(program: bytes | Program, generation: Generation, choices: Choices) -> npt.NDArray[np.bool_]:
    """Only whether each record is legal, bool (n,); for bulk work."""
    return _legal(decode(program), generation, choices)


def not_executable(opcode: int, generation: Generation, choices: Choices) -> str | None:
    """Why `run` refuses every legal record of this opcode, or None where it does not."""
    if record_class(opcode, generation) == "pseudo":  # legal only where the caller wants it skipped
        return _SKIPPED
    family = INSTRUCTIONS.get(opcode)
    if family is None:
        return NOT_BUILT.get(opcode, NOT_BUILT_YET)
    return next((str(entry.reason) for entry in family.of_every_record if entry.standing(choices)[0]), None)


def _groups(records: Program) -> Iterable[tuple[int, npt.NDArray[np.intp]]]:
    """The opcodes of a program and the positions of each one's records."""
    opcodes = records[:, 0]
    for opcode in np.unique(opcodes).tolist():
        yield opcode, np.flatnonzero(opcodes == opcode)


def _rules(opcode: int, generation: Generation, choices: Choices) -> tuple[Sequence[Rule], Instruction | None]:
    """The list that judges an opcode on a generation, and the family it comes from."""
    info = CATALOG.get(opcode)
    if info is None or not info.is_member(generation):
        return (_H1,), None
    roster = roster_assumption(opcode, generation)
    leaf = engine_check_leaf(opcode, generation, choices[roster] if roster else "header")
    if opcode in OPCODE_ASSUMPTIONS and leaf is None:
        identifier = OPCODE_ASSUMPTIONS[opcode]
        leaf = REFUSED_UNDER.get((identifier, choices[identifier]))
    if leaf == "pseudo_instruction" and choices["pseudo-records"] == "skip":
        return (_H2,), None
    if leaf is not None:
        return (_H2, engine_check(opcode, generation, leaf)), None
    family = INSTRUCTIONS.get(opcode)
    if family is None:
        return (has_valid_neuron_header, has_valid_neuron_events, _unknown_list(opcode)), None
    return family.rules_on(generation, opcode), family


def _unknown_list(opcode: int) -> Rule:
    """A record whose own rules the emulator does not have: not legal, not illegal, and never a wrong answer."""
    part = Part(
        lambda batch: np.zeros(len(batch), bool),
        "header.opcode",
        "an opcode whose rules are built",
        not_modelled=NOT_BUILT.get(opcode, NOT_BUILT_YET),
    )
    return Rule(f"has_{CATALOG[opcode].name.lower()}_opcode", (part,), ("header.opcode",), named_by_us=True)


def _batch(
    opcode: int, records: Program, family: Instruction | None, generation: Generation, choices: Choices
) -> Batch:
    layout = family.struct if family is not None else layout_of(opcode)
    return Batch(layout, records, generation, choices)


def _judge(
    records: Program, generation: Generation, choices: Choices, all_failures: bool
) -> tuple[dict[int, tuple[Failure, ...]], dict[int, Refusal]]:
    """The rules that records break, and of records that break none what a run refuses; by position."""
    failures: dict[int, tuple[Failure, ...]] = {}
    refused: dict[int, Refusal] = {}
    for opcode, rows in _groups(records):
        rules, family = _rules(opcode, generation, choices)
        batch = _batch(opcode, records[rows], family, generation, choices)
        broken = _broken(rules, batch, all_failures)
        failures |= {int(rows[row]): tuple(listed) for row, listed in broken.items()}
        refused |= {int(rows[row]): refusal for row, refusal in _refused(opcode, family, batch, broken).items()}
    return failures, refused


def _without(failures: Collection[int], count: int) -> npt.NDArray[np.bool_]:
    """Which of `count` positions are not among those of the failures."""
    legal = np.ones(count, bool)
    legal[list(failures)] = False
    return legal


def _broken(rules: Sequence[Rule], batch: Batch, all_failures: bool) -> dict[int, list[Failure]]:
    found: dict[int, list[Failure]] = {}
    for rule in rules:
        codes = rule.first_failing(batch)
        for row in np.flatnonzero(codes).tolist():
            if all_failures or row not in found:
                part = rule.parts[codes[row] - 1]
                found.setdefault(row, []).append(rule.failure(batch, row, part))
    return found


def _refused(opcode: int, family: Instruction | None, batch: Batch, broken: Collection[int]) -> Mapping[int, Refusal]:
    """What a run makes of the records that break no rule; one that is not listed is carried out."""
    legal = _without(broken, len(batch))
    if family is not None:
        return refusals(family.refused, batch, legal)
    reason = not_executable(opcode, batch.generation, batch.choices) if legal.any() else None
    return dict.fromkeys(np.flatnonzero(legal).tolist(), Refusal(reason))


def _legal(records: Program, generation: Generation, choices: Choices) -> npt.NDArray[np.bool_]:
    result = np.zeros(len(records), bool)
    for opcode, rows in _groups(records):
        rules, family = _rules(opcode, generation, choices)
        batch = _batch(opcode, records[rows], family, generation, choices)
        good = batch.all_true()
        for rule in rules:
            good &= rule.first_failing(batch) == 0
        result[rows] = good
    return result
