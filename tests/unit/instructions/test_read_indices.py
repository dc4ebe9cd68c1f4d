"""DVE_READ_INDICES. Expected values from isa/05 section 9 by hand."""

import numpy as np
import pytest

from dve_engine import ExecutionError
from tests.unit.instructions.search_support import (
    SINCE_CAYMAN,
    UINT16,
    UINT32,
    first_failure,
    pattern,
    record,
    run,
    sbuf,
)

INDICES = np.full((128, 8), 0xFFFFFFFF, np.uint32)
INDICES[0] = 3, 0, 0xFFFFFFFF, 7, 1, 2, 0x12345, 8
INDICES[1] = range(8)


def read(**fields):
    base = {
        "dst_element_count": 8,
        "dtype": UINT32,
        "num_active_channels": 2,
        "dst_mem_pattern": pattern(0x100, 8),
    }
    return record("D4_MR", 0xE9, **(base | fields))


@pytest.mark.parametrize("generation", SINCE_CAYMAN)
def test_slots_in_order_low_half_for_uint16(generation):
    banks = {"index_registers": INDICES}
    done = run(read(), generation, banks=banks)
    assert done.elements(sbuf(0, 0x100), "<u4", 8).tolist() == INDICES[0].tolist()
    assert done.elements(sbuf(1, 0x100), "<u4", 8).tolist() == list(range(8))
    assert done.elements(sbuf(2, 0x100), "<u4", 8).tolist() == [0] * 8
    done = run(read(dtype=UINT16), generation, banks=banks)
    assert done.elements(sbuf(0, 0x100), "<u2", 8).tolist() == [3, 0, 0xFFFF, 7, 1, 2, 0x2345, 8]
    assert np.array_equal(done.state.banks["index_registers"], INDICES)  # reading changes nothing


def test_registers_hold_all_ones_after_reset():
    done = run(read())
    assert done.elements(sbuf(0, 0x100), "<u4", 8).tolist() == [0xFFFFFFFF] * 8
    assert "read-indices-order" not in done.assumptions  # the same in either order


def test_registers_go_by_channel():
    """Channel 0 of an operand that starts in partition 32 reads register row 0."""
    done = run(read(num_active_channels=1, dst_mem_pattern=pattern(0x00800100, 8)), banks={"index_registers": INDICES})
    assert done.elements(sbuf(32, 0x100), "<u4", 8).tolist() == INDICES[0].tolist()


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"reserved1": 1}, "RDI-V4"),
        ({"serialization_mode": 1}, "RDI-V5"),
        ({"dtype": 8}, "RDI-V6"),
        ({"num_active_channels": 0}, "RDI-V7"),
        ({"dst_mem_pattern": pattern(0x00040100, 8)}, "RDI-V7a"),
        ({"dst_mem_pattern": pattern(0x02000100, 8)}, None),
        ({"dst_mem_pattern": pattern(0x02000100, 8), "dtype": UINT16}, "RDI-V8"),
        ({"dst_element_count": 264}, "RDI-V9"),
        ({"set_value": 1 << 31}, "RDI-V10"),
        ({"dst_mem_pattern": pattern(0x100, 2, 2, 2)}, None),
        ({"dst_mem_pattern": pattern(0x100, 7)}, "RDI-V11"),
    ],
)
def test_first_broken_rule(change, rule):
    failure = first_failure(read(**change))
    assert (failure and failure[0]) == rule


def test_a_shape_from_a_register():
    with pytest.raises(ExecutionError, match="dst: 9 elements"):
        run(read(dst_mem_pattern=pattern(0x40000100, 9)), shape_register="treat-as-static")
