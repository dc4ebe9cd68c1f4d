"""How far a run reaches: work it refuses, and the regions it says it wrote."""

import time
import tracemalloc

import numpy as np
import pytest

from dve_engine import Choices, LimitExceeded, Machine, Region, Space, validate
from tests.unit.isa.tables import ORDER
from tests.unit.records import DST, FP32, UINT8, gather, pattern, record, run, state_with, tensor_scalar, two_sources

ADD, ONE = 4, 0x3F80_0000
WAIT = record(0xA0)

each_generation = pytest.mark.parametrize("generation", ORDER)


# --- limits ----------------------------------------------------------------------------------------------------------


HUGE = (65_535,) * 3


@each_generation
@pytest.mark.parametrize("channels", [1, 128])
def test_a_walk_without_end_is_refused_at_once(generation, channels):
    """65,535^3 visits of one element are legal; they are refused without being looked at."""
    still = pattern(DST, HUGE, (0, 0, 0))
    program = tensor_scalar(0, src=pattern(0, HUGE, (0, 0, 0)), dst=still, channels=channels)
    state = state_with(generation)
    assert validate(program, state.generation, Choices()).valid
    tracemalloc.start()
    began = time.process_time()
    with pytest.raises(LimitExceeded, match="elements") as caught:
        run(program, generation, state)
    seconds, (_, peak) = time.process_time() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (caught.value.limit, caught.value.asked) == ("elements", channels * 65_535**3)
    assert caught.value.instruction == 0
    assert peak < 1 << 20
    assert seconds < 2


def test_the_limit_is_per_operand_and_can_be_set():
    program = tensor_scalar(0, count=64, channels=32)
    state = state_with("CAYMAN")
    Machine(state.generation, Choices(), max_elements=64 * 32).run(program, state)
    with pytest.raises(LimitExceeded) as caught:
        Machine(state.generation, Choices(), max_elements=64 * 32 - 1).run(program, state)
    assert (caught.value.allowed, caught.value.asked) == (2047, 2048)


def test_an_index_list_counts_towards_the_limit():
    state = state_with("MARIANA")
    program = tensor_scalar(0, src=gather(0x2000_0200, 0, 100), dst=pattern(DST, (100,)))
    with pytest.raises(LimitExceeded):
        Machine(state.generation, Choices(), max_elements=99).run(program, state)


# --- written regions -------------------------------------------------------------------------------------------------


def test_written_is_exactly_what_changed():
    """Strided destination on three lanes, then its gaps: first two rectangles per row, together one."""
    sparse = tensor_scalar(ADD, dst=pattern(DST, (2,), (2,)), count=2, channels=3, imm0=ONE)
    result, state = run(sparse)
    assert result.written == (Region(Space.SBUF, 0, 3, DST, 4), Region(Space.SBUF, 0, 3, DST + 8, 4))
    changed = np.argwhere(state.memory.arrays[Space.SBUF])
    assert {(p, b & ~3) for p, b in changed.tolist()} == {(p, b) for p in range(3) for b in (DST, DST + 8)}
    gap = tensor_scalar(ADD, dst=pattern(DST + 4, (1,)), channels=3, imm0=ONE)
    assert run(sparse + gap)[0].written == (Region(Space.SBUF, 0, 3, DST, 12),)


def test_written_names_what_a_predicate_left_alone_too():
    """The region is what the destination covers, not which of its elements were selected."""
    result, _ = run(two_sources(0x72, (UINT8, FP32, FP32), count=4))
    assert result.written == (Region(Space.SBUF, 0, 1, DST, 16),)


def test_written_of_a_scatter():
    state = state_with("MARIANA", [(0, 0x200, b"\x05\0"), (1, 0x200, b"\x02\0")])
    result, _ = run(tensor_scalar(0, dst=gather(0x2000_0200, 0x800, 2), count=2), "MARIANA", state)
    assert result.written == (Region(Space.SBUF, 0, 1, 0x808, 4), Region(Space.SBUF, 0, 1, 0x814, 4))


def test_written_in_psum():
    result, _ = run(tensor_scalar(0, dst=pattern(0x200_0000 + 32 * 0x8000 + 64), channels=2))
    assert result.written == (Region(Space.PSUM, 32, 2, 64, 4),)


def test_control_records_write_nothing():
    assert run(WAIT + WAIT)[0].written == ()
