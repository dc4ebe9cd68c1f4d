"""LOAD_PARAMETER_RAM (0x66) against the specification, isa/06 section 6.1."""

import numpy as np
import pytest

from dve_engine import NotModelled
from tests.unit.instructions.support import failures, fresh, record, run

WORDS = np.array([0x3F800000, 0x3F000000, 0x3EAAAAAB, 4, 5, 6, 7, 0xFFFFFFFF], "<u4")


def load(offset):
    return record(0x66, param_ram_offset=offset, immediate=WORDS.tobytes())


def test_eight_words_at_the_offset():
    state = fresh()
    run(load(0) + load(248), state)
    ram = state.banks["parameter_ram"]
    assert ram[:8].tolist() == WORDS.tolist()
    assert ram[248:].tolist() == WORDS.tolist()
    assert not ram[8:248].any()


def test_a_failing_run_leaves_the_ram():
    state = fresh()
    with pytest.raises(NotModelled):
        run(load(8) + load(9), state)
    assert not state.banks["parameter_ram"].any()


@pytest.mark.parametrize("offset", [1, 4, 252, 256, 0xFFF8])
def test_other_offsets_have_no_meaning(offset):
    assert failures(load(offset)) == []
    with pytest.raises(NotModelled):
        run(load(offset), fresh())


def test_reserved_bytes():
    assert failures(record(0x66, imm_ptr_select=1)) == ["LPR-V1"]
    assert failures(record(0x66, reserved0=np.arange(17))) == ["LPR-V2"]
