"""A run that fails leaves the state as it was, wherever it fails; a run that succeeds is its records one after the
other.
"""

import random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dve_engine import (
    GENERATIONS,
    Accumulators,
    Choices,
    EngineError,
    ExecutionError,
    Machine,
    MachineState,
    Region,
    Space,
    generation_named,
)
from tests.generate import OPCODES, legal_case
from tests.unit.records import DST, FP32, floats, gather, pattern, record, state_with, tensor_scalar

each_generation = pytest.mark.parametrize("generation", GENERATIONS, ids=repr)
FEW = settings(max_examples=max(10, settings.default.max_examples // 5))  # each compares all of memory
ADD, ONE, TWO = 4, 0x3F80_0000, 0x4000_0000
INDIRECT = 0x2000_0000


def snapshot(state):
    """Everything a run may change, as bytes."""
    arrays = [state.memory.arrays[space][:, ::1] for space in Space]
    return (
        [array.copy() for array in arrays],
        dict(state.registers),
        state.accumulators.values.view(np.uint32).tolist(),
        state.accumulators.tainted.tolist(),
        state.accumulators.unseeded.tolist(),
        [(name, array.tobytes()) for name, array in state.banks.changed()],
    )


def unchanged(before, state):
    after = snapshot(state)
    return before[1:] == after[1:] and all(np.array_equal(a, b) for a, b in zip(before[0], after[0], strict=True))


def program_of(rng, generation, length):
    """Legal records and one state: each brings its own memory, later rows over earlier ones."""
    cases = [legal_case(rng, rng.choice(sorted(OPCODES)), generation.name) for _ in range(length)]
    state = MachineState.fresh(generation)
    for case in cases:
        for space, partition, byte, data in case.memory:
            state.memory.write(Region(Space[space], partition, 1, byte, len(data)), data)
        state.registers |= case.registers
    values = np.array(cases[-1].accumulators, np.uint32).view(np.float32)
    state.accumulators = Accumulators(values, cases[-1].tainted)
    return [case.record for case in cases], state


@each_generation
@FEW
@given(seed=st.integers(0, 2**32), length=st.integers(1, 5))
def test_a_program_is_its_records_in_order(generation, seed, length):
    records, state = program_of(random.Random(seed), generation, length)
    twin = state.copy()
    machine = Machine(generation, Choices())
    try:
        machine.run(b"".join(records), state)
    except EngineError:
        assume(False)
    for one in records:
        machine.run(one, twin)
    assert unchanged(snapshot(state), twin)


@each_generation
@FEW
@given(seed=st.integers(0, 2**32), length=st.integers(1, 5), stop=st.integers(0, 4))
def test_a_check_that_raises_undoes_everything(generation, seed, length, stop):
    """The callback runs before each record; whatever it raises leaves the state as it was."""

    class Stopped(BaseException):
        pass

    records, state = program_of(random.Random(seed), generation, length)
    assume(stop < length)
    calls = []

    def check():
        calls.append(None)
        if len(calls) > stop:
            raise Stopped

    before = snapshot(state)
    try:
        with pytest.raises(Stopped):
            Machine(generation, Choices()).run(b"".join(records), state, check=check)
    except EngineError:
        assume(False)
    assert len(calls) == stop + 1
    assert unchanged(before, state)


@each_generation
@FEW
@given(seed=st.integers(0, 2**32), length=st.integers(1, 4), register=st.integers(0, 63))
def test_a_failing_record_undoes_its_predecessors(generation, seed, length, register):
    """The last record fails: an unset register, which binding sees before anything is written."""
    records, state = program_of(random.Random(seed), generation, length)
    assume(register not in state.registers)
    failing = tensor_scalar(0, src=pattern(0x8000_0000 | register))
    before = snapshot(state)
    try:
        with pytest.raises(ExecutionError, match=f"address register {register} is not set") as caught:
            Machine(generation, Choices()).run(b"".join([*records, failing]), state)
    except EngineError:
        assume(False)
    if caught.value.instruction == length:
        assert caught.value.operand == "src"
    assert unchanged(before, state)


def computed_index(entry, **fields):
    """Two records: the first computes an index list at 0x200 as UINT32 words, the second follows it."""
    write = tensor_scalar(ADD, dtypes=(FP32, 0x05), dst=pattern(0x200, (1,)), imm0=floats(entry))
    follow = tensor_scalar(0, src=gather(INDIRECT | 0x200, 0, 1), dst=pattern(DST), **fields)
    return write + follow


@pytest.mark.parametrize("generation", ["MARIANA", "MAVERICK"])
def test_an_index_computed_by_the_program(generation):
    """Entry 3 is what the first record wrote."""
    index = np.float32(3).view(np.uint32)
    state = state_with(generation, [(0, 12, floats(TWO))])
    Machine(state.generation, Choices()).run(computed_index(index), state)
    assert state.memory.arrays[Space.SBUF][0, DST : DST + 4].tobytes() == floats(TWO)


def late_failure(last):
    """A program whose index list is legal when it is bound and leads outside when it is read; `last` follows."""
    outside = np.float32(65_535).view(np.uint32)
    source = gather(INDIRECT | 0x200, 0x3000, 1)
    seed = record(
        0xEA, in0_in1_dtype=0xA3, out_dtype=FP32, num_active_channels=1, op1=8, imm0_dtype=FP32, accumulator_cmd=3,
        src0_mem_pattern=pattern(0, dims=2), src1_mem_pattern=pattern(0x100, dims=2),
        dst_mem_pattern=pattern(0x600, dims=2),
    )  # fmt: skip
    write = tensor_scalar(ADD, dtypes=(FP32, 0x05), dst=pattern(0x200, (1,)), imm0=floats(outside))
    return seed + write + tensor_scalar(0, src=source, dst=pattern(DST)) + last


def test_an_index_that_fails_late_undoes_memory_and_accumulators():
    """65,535 FP32 elements lie outside a MARIANA partition. The two records before it have written by then."""
    state = state_with("MARIANA", [(0, 0, b"\1"), (0, 0x100, floats(ONE)), (0, 0x200, b"\7\0")], accumulators=[TWO])
    before = snapshot(state)
    with pytest.raises(ExecutionError, match="element 0 of lane 0") as caught:
        Machine(state.generation, Choices()).run(late_failure(tensor_scalar(0)), state)
    assert (caught.value.instruction, caught.value.operand, caught.value.lane) == (2, "src", 0)
    assert unchanged(before, state)


def test_a_scatter_that_fails_late_undoes_its_own_list():
    """The destination's list is overwritten by the program before the scatter reads it."""
    outside = np.float32(65_535).view(np.uint32)
    write = tensor_scalar(ADD, dtypes=(FP32, 0x05), dst=pattern(0x200, (1,)), imm0=floats(outside))
    scatter = tensor_scalar(0, dst=gather(INDIRECT | 0x200, 0x3000, 1))
    state = state_with("MARIANA", [(0, 0x200, b"\7\0")])
    before = snapshot(state)
    with pytest.raises(ExecutionError) as caught:
        Machine(state.generation, Choices()).run(write + scatter, state)
    assert (caught.value.instruction, caught.value.operand) == (1, "dst")
    assert unchanged(before, state)


def test_not_modelled_after_a_write_undoes_it():
    """RSQRT is only known not to be modelled when it is computed."""
    choices = Choices(overrides={"rsqrt-accuracy": "not-modelled"})
    state = state_with("CAYMAN")
    before = snapshot(state)
    with pytest.raises(EngineError) as caught:
        Machine(generation_named("cayman"), choices).run(tensor_scalar(ADD, imm0=ONE) + tensor_scalar(0x1D), state)
    assert caught.value.instruction == 1
    assert unchanged(before, state)


def test_an_overlap_refused_after_a_write_undoes_it():
    choices = Choices(overrides={"partial-overlap": "error"})
    state = state_with("CAYMAN")
    before = snapshot(state)
    program = tensor_scalar(ADD, imm0=ONE) + tensor_scalar(0, dst=pattern(4, (2,)), count=2)
    with pytest.raises(ExecutionError, match="overlaps"):
        Machine(state.generation, choices).run(program, state)
    assert unchanged(before, state)


def test_an_unseeded_accumulator_refused_after_a_write_undoes_it():
    choices = Choices(overrides={"accumulator-initial": "error"})
    state = state_with("CAYMAN")
    before = snapshot(state)
    read = record(
        0x9B, dst_element_count=1, dtype=FP32, num_active_channels=1, dst_mem_pattern=pattern(DST, dims=1)
    )  # fmt: skip
    with pytest.raises(ExecutionError, match="before it was seeded"):
        Machine(state.generation, choices).run(tensor_scalar(ADD, imm0=ONE) + read, state)
    assert unchanged(before, state)
