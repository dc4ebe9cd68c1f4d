"""The engine agrees, bit for bit, with the independent model on generated legal instructions.

The model (tests/model) was written from the specification without the engine in sight. Every case compares all of memory, the accumulators and
their taint, and that the record is legal to begin with.
"""

import os
import random

import numpy as np
import pytest

from dve_engine import (
    GENERATIONS,
    Accumulators,
    Choices,
    Machine,
    MachineState,
    NotModelled,
    Region,
    Space,
    generation_named,
    validate,
)
from tests import model
from tests.generate import legal_case

CASES = int(
    os.environ.get("DVESIM_MODEL_CASES", "1000")
)  # per opcode and generation; a fifth of that under profile nki
SEED = int(os.environ.get("DVESIM_MODEL_SEED", "20261130"))
NAMES = [g.name for g in GENERATIONS]
WHOLE_MEMORY_EVERY = 50  # cases between two checks that every other byte of memory is still zero


def run_engine(case, generation, choices):
    """Run a case on the engine. Returns the state, or None where the engine answers "not modelled"."""
    state = MachineState.fresh(generation)
    for space, partition, byte, data in case.memory:
        state.memory.write(Region(Space[space], partition, 1, byte, len(data)), data)
    state.registers = dict(case.registers)
    state.accumulators = Accumulators(np.array(case.accumulators, np.uint32).view(np.float32), case.tainted)
    try:
        result = Machine(generation, choices).run(case.record, state)
    except NotModelled:
        return None
    return state, result.written


def run_model(case, generation, profile):
    """Run a case on the model. Returns memory, accumulators and taint, or None where the model answers "not modelled"."""
    memory = model.Memory(generation.name)
    memory.load(case.memory)
    accumulators, tainted = list(case.accumulators), list(case.tainted)
    try:
        model.run(generation.name, case.record, memory, case.registers, accumulators, tainted, None, profile)
    except model.NotModelled:
        return None
    return memory, accumulators, tainted


def differences(state, written, expected, whole_memory):
    """What the engine left that the model did not."""
    memory, accumulators, tainted = expected
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
    return found


def pages_of(region):
    """The model's pages that a region touches."""
    last = (region.byte + region.size - 1) // model.PAGE
    for partition in range(region.partition, region.partition + region.partitions):
        for page in range(region.byte // model.PAGE, last + 1):
            yield region.space.name, partition, page


def disagreement(case, generation, profile, whole_memory):
    """None where engine and model agree, else what differs."""
    choices = Choices(profile)
    verdict = validate(case.record, generation, choices, legal_on=False).verdicts[0]
    if not verdict.valid:
        return f"the engine calls it illegal: {verdict.failures[0].message}"
    run, expected = run_engine(case, generation, choices), run_model(case, generation, profile)
    if run is None or expected is None:
        return (
            None
            if run is None and expected is None
            else f"modelled by {'the model' if run is None else 'the engine'} only"
        )
    found = differences(*run, expected, whole_memory)
    return "; ".join(found[:4]) if found else None


def legal_under(case, profile):
    """The generator knows the default rules; profile nki takes fewer predicate dtypes (`predicate-dtype-set`)."""
    if profile == "notes" or case.record[0] not in PREDICATE_DTYPE:
        return True
    byte, nki = PREDICATE_DTYPE[case.record[0]]
    return case.record[byte] & 0xF in nki


UNSIGNED, NARROW = (0x3, 0x5, 0x9), (0x2, 0x3, 0x4, 0x5)
PREDICATE_DTYPE = {0x72: (12, UNSIGNED), 0x99: (12, UNSIGNED), 0xE8: (32, UNSIGNED), 0xEA: (40, NARROW)}


@pytest.mark.parametrize("profile", ["notes", "nki"])
@pytest.mark.parametrize("generation", NAMES)
@pytest.mark.parametrize("opcode", sorted(model.OPCODES), ids=lambda c: f"0x{c:02X}")
def test_engine_agrees_with_model(opcode, generation, profile):
    rng = random.Random(f"{SEED} {opcode} {generation} {profile}")
    wrong = []
    cases = CASES if profile == "notes" else CASES // 5
    for number in range(cases):
        case = next(c for c in iter(lambda: legal_case(rng, opcode, generation), None) if legal_under(c, profile))
        problem = disagreement(case, generation_named(generation), profile, number % WHOLE_MEMORY_EVERY == 0)
        if problem:
            wrong.append(f"case {number} {case.record.hex()}: {problem}")
    assert not wrong, f"{len(wrong)} of {cases} disagree\n" + "\n".join(wrong[:5])
