"""MAX8. Expected values from isa/06 section 5.10, by hand and by its procedure, element by element."""

import numpy as np
import pytest

from dve_engine import Choices, ExecutionError, NotModelled, generation_named, validate
from tests.unit.instructions.search_support import (
    ALL_GENERATIONS,
    BF16,
    FP16,
    FP32,
    FP32R,
    INT8,
    INT32,
    UINT16,
    Done,
    bits,
    f32,
    first_failure,
    pattern,
    prepared,
    record,
    run,
    sbuf,
)


def max8(count=8, source=FP32, target=FP32, **fields):
    base = {
        "src_mem_pattern": pattern(0x100, count),
        "dst_mem_pattern": pattern(0x8000, 8),
        "num_active_channels": 1,
        "in_dtype": source,
        "out_dtype": target,
    }
    return record("S4D2_BN", 0x6C, **(base | fields))


def eight(values, kind="<u4", **choices):
    done = run(max8(len(values)), memory=[(sbuf(0, 0x100), values)], **choices)
    return done.elements(sbuf(0, 0x8000), kind, 8)


def procedure(values):
    """Section 5.10's loop for one lane: eight slots, largest first, then written smallest first."""
    slot = []
    for value in values:
        carry = value
        for k in range(8):
            if k == len(slot):
                slot.append(carry)
                break
            if carry > slot[k]:
                slot[k], carry = carry, slot[k]
    return np.array(slot[::-1], np.float32)


@pytest.mark.parametrize("generation", ALL_GENERATIONS)
def test_ascending_on_the_wire_descending_by_step(generation):
    data = f32(3, 1, 7, 7, -2, 9, 5, 4, -8, 6)
    done = run(max8(10), generation, [(sbuf(0, 0x100), data)])
    assert done.elements(sbuf(0, 0x8000), "<f4", 8).tolist() == [1, 3, 4, 5, 6, 7, 7, 9]
    done = run(max8(10, dst_mem_pattern=pattern(0x801C, 8, steps=[-1])), generation, [(sbuf(0, 0x100), data)])
    assert done.elements(sbuf(0, 0x8000), "<f4", 8).tolist() == [9, 7, 7, 6, 5, 4, 3, 1]


MINUS = 0x80000000


def test_zeros_of_both_signs():
    """Equal: in the order of arrival, but every larger element sends the first of them behind the others."""
    low = f32(-1, -2, -3, -4, -5).view("<u4").tolist()
    assert eight(bits(MINUS, 0, 0, *low)).tolist()[5:] == [0, 0, MINUS]
    assert eight(bits(MINUS, 0, 0, 0x3F800000, *low)).tolist()[4:] == [MINUS, 0, 0, 0x3F800000]
    assert eight(bits(MINUS, 0, 0, 0x3F800000, 0x3F800000, *low)).tolist() == [
        *f32(-3, -2, -1).view("<u4").tolist(), 0, MINUS, 0, 0x3F800000, 0x3F800000
    ]  # fmt: skip
    full = bits(MINUS, *[0] * 7, 0x3F800000, MINUS)  # no room: the first falls out, the last does not enter
    assert eight(full).tolist() == [*[0] * 7, 0x3F800000]


def test_infinities_are_ordinary_values():
    assert eight(f32(*[-np.inf] * 8, np.inf), "<f4").tolist() == [-np.inf] * 7 + [np.inf]


NAN = 0x7FC00033


def test_a_late_nan_is_ignored():
    data = f32(1, 2, 3, 4, 5, 6, 7, 8, 0, 9)
    data.view("<u4")[8] = NAN
    done = run(max8(10), memory=[(sbuf(0, 0x100), data)])
    assert done.elements(sbuf(0, 0x8000), "<f4", 8).tolist() == [2, 3, 4, 5, 6, 7, 8, 9]
    assert "max8-nan" not in done.assumptions


def test_an_early_nan_fills_its_slot_for_good():
    data = f32(1, 0, 3, 0, 5, 6, 7, 8, 9, 10)
    data.view("<u4")[[1, 3]] = NAN, NAN | 0x80000000
    expected = [*f32(5, 6, 7, 8).view("<u4").tolist(), NAN | 0x80000000, 0x41100000, NAN, 0x41200000]
    assert eight(data).tolist() == expected
    assert eight(data).tolist() == procedure(data).view("<u4").tolist()
    done = run(max8(10), memory=[(sbuf(0, 0x100), data)], max8_nan="skipped")
    assert done.elements(sbuf(0, 0x8000), "<f4", 8).tolist() == [1, 3, 5, 6, 7, 8, 9, 10]
    assert done.assumptions["max8-nan"] == "skipped"


def test_too_few_numbers_have_no_answer():
    """An empty slot has no content in any source; what the records before it wrote is taken back."""
    data = f32(*range(8))
    data.view("<u4")[0] = NAN
    numbers = f32(*range(10, 18))
    state = prepared("CAYMAN", [(sbuf(0, 0x100), data), (sbuf(0, 0x200), numbers)])
    fine = max8(8, src_mem_pattern=pattern(0x200, 8))
    with pytest.raises(NotModelled, match="max8-nan"):
        run(fine + max8(8, dst_mem_pattern=pattern(0x9000, 8)), state=state, max8_nan="skipped")
    assert Done(state, {}).elements(sbuf(0, 0x8000), "<u4", 8).tolist() == [0] * 8
    run(fine, state=state, max8_nan="skipped")
    assert Done(state, {}).elements(sbuf(0, 0x8000), "<f4", 8).tolist() == numbers.tolist()


@pytest.mark.parametrize("seed", range(60))
def test_against_the_procedure(seed):
    """Small integers (ties), zeros of both signs, infinities, some NaN; four lanes at once."""
    random = np.random.default_rng(seed)
    count = int(random.integers(8, 60))
    data = random.integers(-6, 7, (4, count)).astype(np.float32)
    data[random.random(data.shape) < 0.2] = -0.0
    data[random.random(data.shape) < 0.05] = np.inf
    data[random.random(data.shape) < 0.05] = -np.inf
    data[random.random(data.shape) < (0.2 if seed % 2 else 0.0)] = np.nan
    done = run(max8(count, num_active_channels=4), memory=[(sbuf(lane, 0x100), data[lane]) for lane in range(4)])
    for lane in range(4):
        got = done.elements(sbuf(lane, 0x8000), "<u4", 8).tolist()
        assert got == procedure(data[lane]).view("<u4").tolist()


def test_dtypes_go_through_fp32():
    done = run(max8(9, INT8, UINT16), memory=[(sbuf(0, 0x100), np.array([5, -1, 127, -128, 0, 3, 2, 1, 4], "i1"))])
    assert done.elements(sbuf(0, 0x8000), "<u2", 8).tolist() == [0, 0, 1, 2, 3, 4, 5, 127]
    big = np.array([2**24 + 1, *range(7)], "<i4")
    done = run(max8(8, INT32, INT32), memory=[(sbuf(0, 0x100), big)])
    assert done.elements(sbuf(0, 0x8000), "<i4", 8).tolist() == [*range(7), 2**24]
    assert "int32-arithmetic" not in done.assumptions  # a conversion, no ALU operation
    done = run(max8(8, FP16, BF16), memory=[(sbuf(0, 0x100), np.arange(8).astype("<f2"))])
    assert done.elements(sbuf(0, 0x8000), "<u2", 8).tolist() == (np.arange(8, dtype="f4").view("<u4") >> 16).tolist()
    done = run(max8(8, FP32, FP32R), memory=[(sbuf(0, 0x100), bits(0x3F800FFF, *[0] * 7))])
    assert done.elements(sbuf(0, 0x801C), "<u4", 1)[0] == 0x3F801000


def test_flushed_subnormals_are_zeros():
    data = bits(1, 2, 3, 4, 5, 6, 7, 0x80000008)
    assert eight(data).tolist() == [0x80000008, 1, 2, 3, 4, 5, 6, 7]
    assert eight(data, fp32_subnormals="flush").tolist() == [0x80000000, *[0] * 7]


def test_destination_may_be_the_source():
    program = max8(9, dst_mem_pattern=pattern(0x100, 8))
    done = run(program, memory=[(sbuf(0, 0x100), f32(*range(9)))])
    assert done.elements(sbuf(0, 0x100), "<f4", 9).tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 8]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"src_mem_pattern": pattern(0x100, 7)}, "M8-V10"),
        ({"src_mem_pattern": pattern(0x100, 128, 128)}, None),
        ({"src_mem_pattern": pattern(0x100, 16385)}, "M8-V10"),
        ({"src_mem_pattern": pattern(0x40000100, 7)}, None),  # a shape from a register: asked of the run
        ({"dst_mem_pattern": pattern(0x8000, 2, 4)}, None),
        ({"dst_mem_pattern": pattern(0x8000, 9)}, "M8-V11"),
        ({"even_count": -0.0}, None),  # a float compare
        ({"odd_count": 1e-45}, "M8-V12"),
        ({"odd_count": float("nan")}, "M8-V12"),
        ({"in_dtype": FP32R}, "M8-V5"),
        ({"out_dtype": 1}, "M8-V6"),
        ({"reserved1": 1}, "M8-V4"),
    ],
)
def test_first_broken_rule(change, rule):
    failure = first_failure(max8(**change))
    assert (failure and failure[0]) == rule


def test_a_shape_from_a_register():
    program = max8(src_mem_pattern=pattern(0x40000100, 7))
    assert first_failure(program, "SUNDA") == ("M8-V10", "src_mem_pattern.num_elem")
    with pytest.raises(NotModelled, match="shape-register"):
        run(program)
    with pytest.raises(ExecutionError, match="src: 7 elements"):
        run(program, shape_register="treat-as-static")


def test_failure_names_the_float():
    failure = validate(max8(odd_count=1.0), generation_named("CAYMAN"), Choices()).verdicts[0].failures[0]
    assert (failure.field, failure.offset, failure.value) == ("odd_count", 44, 0x3F800000)
    assert failure.message == "odd_count is 0x3F800000 (1.0); it must be 0.0"
