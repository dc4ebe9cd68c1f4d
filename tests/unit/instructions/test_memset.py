"""MEMSET (0x49) against the specification, isa/06 section 5.9."""

import pytest

from dve_engine import ExecutionError, Space
from tests.unit.instructions.support import (
    BF16,
    FP16,
    FP32,
    INT8,
    INT32,
    UINT8,
    UINT16,
    UINT32,
    at,
    failures,
    fresh,
    get,
    pattern,
    record,
    run,
)


def memset(value, dtype=FP32, *counts, channels=1, declared=None, address=0, **fields):
    counts = counts or (4,)
    product = 1
    for count in counts:
        product *= count
    return record(
        0x49,
        dtype=dtype,
        set_value=value,
        dst_element_count=product if declared is None else declared,
        num_active_channels=channels,
        **{"dst_mem_pattern": pattern(address, *counts)} | fields,
    )


@pytest.mark.parametrize(
    ("dtype", "value", "kind"),
    [
        (FP32, 0x7F800001, "<u4"),
        (INT32, 0xFFFFFFFF, "<u4"),
        (BF16, 0x7F81, "<u2"),
        (FP16, 0xFFFF, "<u2"),
        (INT8, 0x80, "u1"),
    ],
)
def test_the_bits_are_stored_without_conversion(dtype, value, kind):
    state = fresh()
    run(memset(value, dtype, 3), state)
    assert get(state, 0, 0, 4, kind).tolist() == [value, value, value, 0]


def test_gaps_of_the_pattern_keep_their_bytes():
    state = fresh()
    run(memset(5, UINT8, 3, channels=2, dst_mem_pattern=pattern(0, 3, steps=(2,))), state)
    assert get(state, 1, 0, 6, UINT8).tolist() == [5, 0, 5, 0, 5, 0]
    assert get(state, 2, 0, 1, UINT8).tolist() == [0]


def test_psum():
    psum = at(0, space=Space.PSUM)
    state = fresh()
    run(memset(9, UINT32, address=psum), state)
    assert get(state, 0, 0, 4, UINT32, space=Space.PSUM).tolist() == [9] * 4
    assert failures(memset(9, UINT16, address=psum)) == ["MSET-V5"]


def test_value_must_fit():
    assert failures(memset(0x10000, UINT16)) == ["MSET-V8"]
    assert failures(memset(0xFFFF, UINT16)) == []
    assert failures(memset(0x100, INT8)) == ["MSET-V8"]
    assert failures(memset(0x100, 0x0E)) == ["MSET-V8"]
    assert failures(memset(0, 0x0B)) == ["MSET-V8"]  # FP32R passes the dtype gate and no value suits it
    assert failures(memset(0, 0x11), "MAVERICK") == ["MSET-V8"]


def test_element_count():
    assert failures(memset(0, FP32, 3, 4, declared=11)) == ["MSET-V6"]
    waived = memset(0, FP32, 4, declared=11, dst_mem_pattern=pattern(0x4000_0000, 4))
    assert failures(waived) == []
    assert failures(waived, "SUNDA") == ["MSET-V6"]
    with pytest.raises(ExecutionError):
        run(waived, fresh(), shape_register="treat-as-static")


def test_no_indirect_form():
    assert failures(memset(0, address=0x2000_0000), "MARIANA") == ["MSET-V5"]
