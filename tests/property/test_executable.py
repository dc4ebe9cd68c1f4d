"""`executable` of a verdict is what a run does, and what the independent model says of the same record.

Legal cases are changed field by field into records that the rules still admit: every ALU code, dtype and small code,
markers in address words, header flags. Whether such a record runs may hang on the record, the generation and the
choices alone; the reasons that hang on data are listed, each with a record that runs or not as its data wants.
"""

import random
from dataclasses import replace
from itertools import islice

import pytest

from dve_engine import Choices, ExecutionError, LimitExceeded, Machine, NotModelled, generation_named
from dve_engine.instructions.catalog import INSTRUCTIONS
from dve_engine.isa.aluops import codes as alu_codes
from dve_engine.isa.dtypes import codes as dtype_codes
from dve_engine.validator import validate
from tests import model
from tests.generate import OPCODES, legal_case, legal_generations
from tests.property.support import state_of
from tests.property.test_model_agreement import legal_under, run_model

SEED, RUNS, PAIRED, MOST_ELEMENTS = 20261201, 14, 150, 1 << 16
MARKS = (0x40, 0x80, 0xC0)
SHIFTS = (0x02, 0x03, 0x10, 0x11)
PAIRS = [(opcode, name) for opcode in OPCODES for name in legal_generations(opcode)]

# Reasons that no verdict can know: opcode, generation, what is chosen, which records to take, and what the data that
# has no answer looks like. The same record runs on memory of zeros, a fresh lane mask and given draws.
ON_DATA = {
    "a shift amount above 31 from memory": (
        0xF4, "MAVERICK", {}, lambda record: record[52] == 1 and record[14] in SHIFTS, "memory",
    ),
    "lane mask bytes 64 to 254": (0x6A, "CAYMAN", {}, lambda record: True, "lane_mask"),
    "the draws given are used up": (
        0x4D, "CAYMAN", {"lfsr-generator": "injected-only"}, lambda record: True, "random_draws",
    ),
    "fewer than eight numbers": (
        0x6C, "CAYMAN", {"max8-nan": "skipped"}, lambda record: record[32] in (0x6, 0x7, 0xA), "memory",
    ),
}  # fmt: skip
NO_ANSWER = {"lane_mask": [200] * 32, "random_draws": [[]] * 128}


def code_bytes(opcode):
    """Offsets of the one-byte fields behind the header."""
    return [f.offset for f in INSTRUCTIONS[opcode].struct.fields if f.size == 1]


def top_bytes(opcode):
    """Offsets of the top byte of every word that may be an address."""
    fields = INSTRUCTIONS[opcode].struct.fields
    words = [f.offset for f in fields if f.size >= 4 and f.name not in ("header", "events")]
    pairs = [f.offset + 4 for f in fields if f.type.startswith("MXMEM")]
    return [offset + 3 for offset in words + pairs]


def changed(record, *bytes_at):
    raw = bytearray(record)
    for offset, value in bytes_at:
        raw[offset] = value
    return bytes(raw)


def variants(rng, record, generation):
    """Records that differ from a legal one in one field, or in two that hold codes."""
    singles, tops = code_bytes(record[0]), top_bytes(record[0])
    values = sorted(alu_codes(generation) | dtype_codes(generation) | set(range(9)) | {d * 17 for d in range(16)})
    found = [changed(record, (offset, value)) for offset in singles for value in values]
    found += [changed(record, (top, record[top] ^ mark)) for top in tops for mark in MARKS]
    found += [changed(record, (offset, value)) for offset in (2, 3) for value in (1, 255)]
    for _ in range(PAIRED * (len(singles) > 1)):
        found.append(changed(record, *((offset, rng.choice(values)) for offset in rng.sample(singles, 2))))
    return list(dict.fromkeys(found))


def small_case(rng, opcode, generation, profile):
    """The least memory of a few cases."""
    drawn = (case for case in iter(lambda: legal_case(rng, opcode, generation), None) if legal_under(case, profile))
    cases = list(islice(drawn, 6))
    return min(cases, key=lambda case: sum(len(data) for *_, data in case.memory))


def spread(case):
    """Registers for every number a changed record may name."""
    case.registers = {number: case.registers.get(number, 0) for number in range(256)}
    return case


def reason_of(case, generation, choices):
    """Why a run of a case is not modelled; None where it runs or fails."""
    try:
        Machine(generation, choices, max_elements=MOST_ELEMENTS).run(case.record, state_of(case, generation))
    except NotModelled as error:
        return error.reason
    except (ExecutionError, LimitExceeded):
        return None
    return None


def difference(case, verdict, generation, choices):
    """None where run and model do what the verdict says. Either may find an error of the run before it finds that."""
    reason = reason_of(case, generation, choices)
    on_data = reason is not None and verdict.executable and reason.startswith(tuple(ON_DATA))
    if reason != verdict.reason and not on_data:
        return f"verdict {verdict.reason}, run {reason}"
    try:
        modelled = run_model(case, generation, choices.profile) is not None
    except model.ModelError:
        return None
    return None if modelled == (reason is None) else f"the model differs; run {reason}"


@pytest.mark.parametrize("profile", ["notes", "nki"])
@pytest.mark.parametrize(("opcode", "name"), PAIRS, ids=lambda c: f"0x{c:02X}" if isinstance(c, int) else c)
def test_a_verdict_says_what_a_run_does(opcode, name, profile):
    rng = random.Random(f"{SEED} {opcode} {name} {profile}")
    generation, choices = generation_named(name), Choices(profile)
    case = spread(small_case(rng, opcode, name, profile))
    records = variants(rng, case.record, generation)
    verdicts = validate(b"".join(records), generation, choices, legal_on=False).verdicts
    legal = [(record, verdict) for record, verdict in zip(records, verdicts, strict=True) if verdict.valid]
    rng.shuffle(legal)
    runs = [pair for pair in legal if pair[1].executable][:RUNS]
    refused = [pair for pair in legal if not pair[1].executable][:RUNS]
    assert runs
    wrong = []
    for record, verdict in runs + refused:
        case.record = record
        if problem := difference(case, verdict, generation, choices):
            wrong.append(f"{record.hex()}: {problem}")
    assert not wrong, "\n".join(wrong)


def without_answer(case, spoiled):
    """The case with data that no source gives a meaning."""
    if spoiled == "memory":  # large integers and NaN
        return replace(case, memory=[(*place, b"\xff" * len(data)) for *place, data in case.memory])
    return replace(case, banks={**case.banks, spoiled: NO_ANSWER[spoiled]})


def with_answer(case):
    """The case on zeros."""
    banks = {"random_draws": [[0] * 4096] * 128}
    return replace(case, memory=[(*place, bytes(len(data))) for *place, data in case.memory], banks=banks)


@pytest.mark.parametrize("reason", ON_DATA)
def test_a_listed_reason_hangs_on_data(reason):
    opcode, name, overrides, wanted, spoiled = ON_DATA[reason]
    generation, choices, rng = generation_named(name), Choices(overrides=overrides), random.Random(f"{SEED} {reason}")
    case = next(case for case in iter(lambda: legal_case(rng, opcode, name), None) if wanted(case.record))
    (verdict,) = validate(case.record, generation, choices).verdicts
    assert verdict.executable
    with pytest.raises(NotModelled) as caught:
        Machine(generation, choices).run(case.record, state_of(without_answer(case, spoiled), generation))
    assert caught.value.reason.startswith(reason)
    assert Machine(generation, choices).run(case.record, state_of(with_answer(case), generation)).executed == 1
