"""The engine agrees, bit for bit, with the independent model on generated legal instructions.

The model (tests/model) was written from the specification without the engine in sight. Every case compares all of memory, the accumulators and
their taint, and that the record is legal to begin with.
"""

import os
import random

import numpy as np
import pytest

from dve_engine import GENERATIONS, Accumulators, Choices, Machine, MachineState, NotModelled, Region, Space, generation_named, validate
from tests import model
from tests.generate import legal_case

CASES = int(os.environ.get("DVESIM_MODEL_CASES", "120"))  # per opcode, generation and profile
SEED = int(os.environ.get("DVESIM_MODEL_SEED", "20261130"))
NAMES = [g.name for g in GENERATIONS]


def run_engine(case, generation, choices):
    """Run a case on the engine. Returns the state, or None where the engine answers "not modelled"."""
    state = MachineState.fresh(generation)
    for space, partition, byte, data in case.memory:
        state.memory.write(Region(Space[space], partition, 1, byte, len(data)), data)
    state.registers = dict(case.registers)
    state.accumulators = Accumulators(np.array(case.accumulators, np.uint32).view(np.float32), case.tainted)
    try:
        Machine(generation, choices).run(case.record, state)
    except NotModelled:
        return None
    return state


def run_model(case, generation, profile, assumptions):
    """Run a case on the model. Returns memory, accumulators and taint, or None where the model answers "not modelled"."""
    memory = model.Memory(generation.name)
    memory.load(case.memory)
    accumulators, tainted = list(case.accumulators), list(case.tainted)
    try:
        model.run(generation.name, case.record, memory, case.registers, accumulators, tainted, assumptions, profile)
    except model.NotModelled:
        return None
    return memory, accumulators, tainted


def differences(case, generation, state, expected):
    """What the engine left that the model did not."""
    memory, accumulators, tainted = expected
    found = []
    left = {space: array.copy() for space, array in state.memory.arrays.items()}
    for space, partition, byte, data in memory.pages():
        got = left[Space[space]][partition, byte : byte + len(data)]
        if got.tobytes() != data:
            at = next(i for i in range(len(data)) if got[i] != data[i])
            found.append(f"{space} partition {partition} byte {byte + at}: engine {got[at]:02x}, model {data[at]:02x}")
        got[:] = 0
    found += [f"{space.name} was written where the model wrote nothing" for space, rest in left.items() if rest.any()]
    bits = state.accumulators.values.view(np.uint32).tolist()
    found += [f"accumulator {i}: engine {a:08x}, model {b:08x}" for i, (a, b) in enumerate(zip(bits, accumulators, strict=True)) if a != b]
    found += [f"taint of {i}" for i, (a, b) in enumerate(zip(state.accumulators.tainted, tainted, strict=True)) if bool(a) != b]
    return found


def disagreement(case, generation, profile="notes", assumptions=None):
    """None where engine and model agree, else what differs."""
    choices = Choices(profile, assumptions)
    verdict = validate(case.record, generation, choices).verdicts[0]
    if not verdict.valid:
        return f"the engine calls it illegal: {verdict.failures[0].message}"
    state, expected = run_engine(case, generation, choices), run_model(case, generation, profile, assumptions)
    if state is None or expected is None:
        return None if state is None and expected is None else f"modelled by {'the model' if state is None else 'the engine'} only"
    found = differences(case, generation, state, expected)
    return "; ".join(found[:4]) if found else None


@pytest.mark.parametrize("profile", ["notes", "nki"])
@pytest.mark.parametrize("generation", NAMES)
@pytest.mark.parametrize("opcode", sorted(model.OPCODES), ids=lambda c: f"0x{c:02X}")
def test_engine_agrees_with_model(opcode, generation, profile):
    rng = random.Random(f"{SEED} {opcode} {generation} {profile}")
    wrong = []
    cases = CASES if profile == "notes" or opcode in (0xEA, 0x43) else CASES // 4
    for number in range(cases):
        case = legal_case(rng, opcode, generation)
        problem = disagreement(case, generation_named(generation), profile)
        if problem:
            wrong.append(f"case {number} {case.record.hex()}: {problem}")
    assert not wrong, f"{len(wrong)} of {cases} disagree\n" + "\n".join(wrong[:5])
