"""A plan says which bytes a run can depend on: with every other byte replaced, the run is the same."""

import random

import numpy as np
import pytest

from dve_engine import (
    GENERATIONS,
    MARIANA,
    Accumulators,
    Choices,
    DeviceMemory,
    Machine,
    MachineState,
    Region,
    Space,
)
from tests.generate import OPCODES, legal_case, legal_generations
from tests.unit.records import DST, FP32, floats, gather, pattern, state_with, tensor_scalar

CASES = 9  # per opcode and generation
OPCODES_ON = {"SUNDA": 54, "CAYMAN": 51, "MARIANA": 58, "MAVERICK": 59}
INDIRECT = 0x2000_0000


def state_of(case, memory):
    state = MachineState(memory.generation, memory, dict(case.registers))
    state.accumulators = Accumulators(np.array(case.accumulators, np.uint32).view(np.float32), case.tainted)
    for name, rows in case.banks.items():
        state.banks.load(name, rows)
    return state


def left(state, result):
    """All that a run leaves and answers."""
    return (
        [(region, state.memory.read(region).tobytes()) for region in result.written],
        state.accumulators.values.view(np.uint32).tolist(),
        state.accumulators.tainted.tolist(),
        state.accumulators.unseeded.tolist(),
        {name: bank.tobytes() for name, bank in state.banks.changed()},
        (result.executed, result.verdicts, list(result.assumptions.items()), result.estimated_cycles),
        (result.diagnostics, result.trace),
    )


def window(memory, region):
    """The bytes of a region in place: many small ones are visited here."""
    rows = slice(region.partition, region.partition + region.partitions)
    return memory.arrays[region.space][rows, region.byte : region.byte + region.size]


def regions(bands):
    return [region for band in bands for region in band.regions()]


@pytest.mark.parametrize("generation", GENERATIONS, ids=repr)
def test_bytes_outside_reads_and_writes_do_not_matter(generation):
    """Two memories live through all cases: one of zeros, one of ones. Each is put back where the plan says it was
    touched, so that at the end a byte that is not as it was is one the plan did not know of.
    """
    zeros, ones = DeviceMemory(generation), DeviceMemory(generation)
    for array in ones.arrays.values():
        array[...] = 0xFF
    rng, ran = random.Random(20261201), 0
    for opcode in (o for o in sorted(OPCODES) if generation.name in legal_generations(o)):
        for _ in range(CASES):
            case = legal_case(rng, opcode, generation.name)
            machine = Machine(generation, Choices())
            plan = machine.plan(case.record, case.registers)
            given = [Region(Space[s], p, 1, byte, len(data)) for s, p, byte, data in case.memory]
            for region, (*_, data) in zip(given, case.memory, strict=True):
                window(zeros, region)[0] = np.frombuffer(data, np.uint8)
                window(ones, region)[0] = ~np.frombuffer(data, np.uint8)
            touched = regions(plan.reads + plan.writes)
            for region in touched:
                window(ones, region)[...] = window(zeros, region)
            outcomes = []
            for memory in (zeros, ones):
                state = state_of(case, memory)
                outcomes.append(left(state, machine.execute(plan, state, trace="full")))
            assert outcomes[0] == outcomes[1], case.record.hex()
            ran += 1
            for region in [*given, *touched]:
                window(zeros, region)[...] = 0
                window(ones, region)[...] = 0xFF
    assert not any(array.any() for array in zeros.arrays.values())
    assert all((array == 0xFF).all() for array in ones.arrays.values())
    assert ran == CASES * OPCODES_ON[generation.name]


@pytest.mark.parametrize("generation", GENERATIONS, ids=repr)
def test_a_plan_may_be_executed_again(generation):
    """What a plan gives the second time, and what a run that plans anew gives, is what it gave the first time."""
    rng, ran = random.Random(7), 0
    machine = Machine(generation, Choices())
    for opcode in (o for o in sorted(OPCODES) if generation.name in legal_generations(o)):
        case = legal_case(rng, opcode, generation.name)
        states = []
        for _ in range(3):
            memory = DeviceMemory(generation)
            for space, partition, byte, data in case.memory:
                memory.write(Region(Space[space], partition, 1, byte, len(data)), data)
            states.append(state_of(case, memory))
        plan = machine.plan(case.record, case.registers)
        results = [machine.execute(plan, states[0]), machine.execute(plan, states[1])]
        results.append(machine.run(case.record, states[2]))
        first, *others = [left(state, result) for state, result in zip(states, results, strict=True)]
        assert others == [first, first], case.record.hex()
        ran += 1
    assert ran == OPCODES_ON[generation.name]


def test_direct_operands_are_exact():
    """Two elements 8 bytes apart are read, two that are 12 apart written, on three lanes; a pointer is read."""
    places = {"src": pattern(0x100, (2,), (2,)), "dst": pattern(DST, (2,), (3,))}
    record = tensor_scalar(4, **places, channels=3, imm0_src=1, imm0=0x300)
    plan = Machine(MARIANA, Choices()).plan(record, {})
    assert regions(plan.reads) == [
        Region(Space.SBUF, 0, 3, 0x100, 4),
        Region(Space.SBUF, 0, 3, 0x108, 4),
        Region(Space.SBUF, 0, 3, 0x300, 4),
    ]
    assert regions(plan.writes) == [Region(Space.SBUF, 0, 3, DST, 4), Region(Space.SBUF, 0, 3, DST + 12, 4)]


def test_an_index_list_is_read_and_leads_anywhere_behind_its_data():
    """65,536 entries of FP32 reach beyond the partition's end."""
    record = tensor_scalar(0, src=gather(INDIRECT | 0x200, 0x3000, 1), dst=pattern(DST))
    plan = Machine(MARIANA, Choices()).plan(record, {})
    end = MARIANA.sbuf.active_bytes
    data, index = regions(plan.reads)
    assert (data.byte, data.byte + data.size, data.partitions) == (0x3000, end - (end - 0x3000) % 4, 1)
    assert index == Region(Space.SBUF, 0, 16, 0x200, 2)


def test_a_plan_holds_for_the_registers_it_looked_at():
    record = tensor_scalar(0, src=pattern(0x8000_0005))
    machine = Machine(MARIANA, Choices())
    plan = machine.plan(record, {5: 0x100, 6: 1})
    assert plan.registers == {5: 0x100}
    assert plan.holds_for({5: 0x100}) and not plan.holds_for({5: 0x104}) and not plan.holds_for({})
    state = state_with("MARIANA", [(0, 0x104, floats(1))])
    state.registers = {5: 0x104}
    with pytest.raises(ValueError, match="other address registers"):
        machine.execute(plan, state)


def test_a_plan_keeps_its_own_records():
    """The caller's array may change afterwards."""
    records = np.frombuffer(tensor_scalar(0), np.uint8).copy()
    machine = Machine(MARIANA, Choices())
    plan = machine.plan(records, {})
    before = machine.execute(plan, state_with("MARIANA"), trace="full")
    records[:] = 0
    assert machine.execute(plan, state_with("MARIANA"), trace="full") == before
    assert FP32 in plan.steps[0].record.tobytes()
