"""The engine agrees, bit for bit, with the independent model on generated legal instructions.

The model (tests/model) was written from the specification without the engine in sight. Every case compares all of
memory, the accumulators and their taint, the banks, and that the record is legal to begin with. Opcodes that the
engine does not execute on a generation are left out. `make fuzz` draws new and many more cases.
"""

import copy
import os
import random

import numpy as np
import pytest

from dve_engine import (
    GENERATIONS,
    Choices,
    InvalidInstructions,
    Machine,
    NotModelled,
    Space,
    describe,
    generation_named,
)
from tests import model
from tests.generate import legal_case, legal_generations
from tests.model.banks import fresh
from tests.property.support import state_of

# Cases per opcode and generation; a fifth of that under profile nki. The elementwise core gets the most by default, but
# for its transposing form, whose smallest case is whole 32x32 tiles.
CORE = {0x41, 0x43, 0x44, 0x51, 0x53, 0x54, 0x72, 0x99, 0x9B, 0xE8, 0xEA}
CORE_CASES, OTHER_CASES = 400, 100
CASES = int(os.environ.get("DVESIM_MODEL_CASES", "0"))  # instead of both
SEED = int(os.environ.get("DVESIM_MODEL_SEED", "20261130"))
NAMES = [g.name for g in GENERATIONS]
WHOLE_MEMORY_EVERY = 50  # cases between two checks that every other byte of memory is still zero


def run_engine(case, generation, choices):
    """Run a case on the engine. Returns the state, or None where the engine answers "not modelled"."""
    state = state_of(case, generation)
    try:
        result = Machine(generation, choices).run(case.record, state)
    except NotModelled:
        return None
    return state, result.written


def run_model(case, generation, profile):
    """Run a case on the model. Returns memory, accumulators, taint and banks, or None where the model answers "not
    modelled".
    """
    memory = model.Memory(generation.name)
    memory.load(case.memory)
    accumulators, tainted, banks = list(case.accumulators), list(case.tainted), copy.deepcopy(case.banks)
    try:
        model.run(generation.name, case.record, memory, case.registers, accumulators, tainted, None, profile, banks)
    except model.NotModelled:
        return None
    return memory, accumulators, tainted, banks


def differences(state, written, expected, whole_memory):
    """What the engine left that the model did not."""
    memory, accumulators, tainted, banks = expected
    pages = memory.pages()
    found = []
    for space, partition, byte, data in pages:
        got = state.memory.arrays[Space[space]][partition, byte : byte + len(data)]
        if got.tobytes() != data:
            at = next(i for i in range(len(data)) if got[i] != data[i])
            found.append(f"{space} partition {partition} byte {byte + at}: engine {got[at]:02x}, model {data[at]:02x}")
    known = {(space, partition, byte // len(data)) for space, partition, byte, data in pages}
    found += [f"the engine says it wrote {r}" for r in written if any(p not in known for p in pages_of(r))]
    if whole_memory:
        for space, partition, byte, data in pages:
            state.memory.arrays[Space[space]][partition, byte : byte + len(data)] = 0
        found += [
            f"{space.name} has bytes the model never touched"
            for space, rest in state.memory.arrays.items()
            if rest.any()
        ]
    bits = state.accumulators.values.view(np.uint32).tolist()
    found += [
        f"accumulator {i}: engine {a:08x}, model {b:08x}"
        for i, (a, b) in enumerate(zip(bits, accumulators, strict=True))
        if a != b
    ]
    found += [
        f"taint of {i}"
        for i, (a, b) in enumerate(zip(state.accumulators.tainted, tainted, strict=True))
        if bool(a) != b
    ]
    changed, banks = unused_draws({name: array.tolist() for name, array in state.banks.changed()}), unused_draws(banks)
    for name in changed.keys() | banks.keys():
        got, wanted = changed.get(name, fresh(name)), banks.get(name, fresh(name))
        found += [
            f"bank {name} row {i}: engine {a}, model {b}"
            for i, (a, b) in enumerate(zip(got, wanted, strict=True))
            if a != b
        ]
    return found


def unused_draws(banks):
    """The banks with only those draws that are still to come: how many used ones are kept is nobody's business."""
    draws = banks.get("random_draws", fresh("random_draws"))
    used = banks.get("random_draws_used", fresh("random_draws_used"))
    return {
        **banks,
        "random_draws": [row[n:] for row, n in zip(draws, used, strict=True)],
        "random_draws_used": fresh("random_draws_used"),
    }


def pages_of(region):
    """The model's pages that a region touches."""
    last = (region.byte + region.size - 1) // model.PAGE
    for partition in range(region.partition, region.partition + region.partitions):
        for page in range(region.byte // model.PAGE, last + 1):
            yield region.space.name, partition, page


def disagreement(case, generation, profile, whole_memory):
    """None where engine and model agree, else what differs."""
    try:
        run = run_engine(case, generation, Choices(profile))
    except InvalidInstructions as error:
        return f"the engine calls it illegal: {error.verdicts[0].failures[0].message}"
    expected = run_model(case, generation, profile)
    if run is None or expected is None:
        return (
            None
            if run is None and expected is None
            else f"modelled by {'the model' if run is None else 'the engine'} only"
        )
    found = differences(*run, expected, whole_memory)
    return "; ".join(found[:4]) if found else None


def legal_under(case, profile):
    """The generator knows the default rules; nki takes fewer dtypes (`predicate-dtype-set`, `cache-int32-output`)."""
    if profile == "notes" or case.record[0] not in NKI_DTYPES:
        return True
    byte, taken = NKI_DTYPES[case.record[0]]
    return case.record[byte] & 0xF in taken


UNSIGNED, NARROW = (0x3, 0x5, 0x9), (0x2, 0x3, 0x4, 0x5)
NO_INT32 = tuple(code for code in range(0x10) if code not in (0x8, 0x9))
NKI_DTYPES = {
    0x72: (12, UNSIGNED),
    0x99: (12, UNSIGNED),
    0xE8: (32, UNSIGNED),
    0xEA: (40, NARROW),
    0x9A: (33, NO_INT32),
    0xE6: (33, NO_INT32),
}


EXECUTED = {g.name: {row["opcode"] for row in describe.instructions(g) if row["executable"]} for g in GENERATIONS}
CONTROL = {0x9F, *range(0xA0, 0xAC), *range(0xB0, 0xB7)}
PAIRS = [
    (code, name)
    for code in sorted(model.OPCODES)
    for name in NAMES
    if name in legal_generations(code) and code in EXECUTED[name]
]


def test_every_executed_opcode_is_modelled():
    """Control records change no state that the model knows."""
    unmodelled = {name: sorted(codes - set(model.OPCODES) - CONTROL) for name, codes in EXECUTED.items()}
    assert unmodelled == {name: [] for name in NAMES}


@pytest.mark.parametrize("profile", ["notes", "nki"])
@pytest.mark.parametrize(("opcode", "generation"), PAIRS, ids=lambda c: f"0x{c:02X}" if isinstance(c, int) else c)
def test_engine_agrees_with_model(opcode, generation, profile):
    rng = random.Random(f"{SEED} {opcode} {generation} {profile}")
    wrong = []
    cases = CASES or (CORE_CASES if opcode in CORE else OTHER_CASES)
    if profile == "nki":
        cases = max(1, cases // 5)
    for number in range(cases):
        case = next(c for c in iter(lambda: legal_case(rng, opcode, generation), None) if legal_under(c, profile))
        problem = disagreement(case, generation_named(generation), profile, number % WHOLE_MEMORY_EVERY == 0)
        if problem:
            wrong.append(f"case {number} {case.record.hex()}: {problem}")
    assert not wrong, f"{len(wrong)} of {cases} disagree\n" + "\n".join(wrong[:5])
