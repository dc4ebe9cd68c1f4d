"""ACTIVATE2 on MAVERICK's Vector Engine: judged, never executed. Rules from isa/06 section 8.2."""

import pytest

from dve_engine import Choices, NotModelled, generation_named, validate
from tests.unit.instructions.support import (
    FP32,
    failures,
    fresh,
    pattern,
    record,
    run,
)

G = "MAVERICK"
BYPASS, ADD, SUBTRACT, MULT, MAX = 0, 4, 5, 6, 8


def activate(op0=MULT, op1=ADD, reduce_cmd=0, reduce_op=0, **fields):
    base = {
        "src_mem_pattern": pattern(0, 4, dims=2),
        "dst_mem_pattern": pattern(0x100, 4, dims=2),
        "in_dtype": FP32,
        "imm_dtype": FP32,
        "out_dtype": FP32,
        "num_active_channels": 1,
        "op0": op0,
        "op1": op1,
        "reduce_cmd": reduce_cmd,
        "reduce_op": reduce_op,
    }
    return record(0x25, **(base | fields))


def test_operation_pairs():
    legal = {(MULT, ADD), (MULT, SUBTRACT), (MULT, BYPASS), (ADD, BYPASS), (SUBTRACT, BYPASS), (BYPASS, BYPASS)}
    for op0 in range(12):
        for op1 in range(12):
            assert failures(activate(op0, op1), G) == ([] if (op0, op1) in legal else ["AC2-V3"])


def test_dtypes_and_reduction():
    assert failures(activate(in_dtype=0x0B), G) == failures(activate(imm_dtype=0x0B), G) == ["AC2-V2"]
    assert failures(activate(out_dtype=0x0B), G) == []
    assert failures(activate(reduce_op=ADD), G) == failures(activate(reduce_cmd=2), G) == ["AC2-V4"]
    assert failures(activate(reduce_cmd=2, reduce_op=MAX), G) == []


@pytest.mark.parametrize(("generation", "rule"), [("SUNDA", "H1"), ("CAYMAN", "H1"), ("MARIANA", "X1")])
def test_elsewhere(generation, rule):
    assert failures(activate(), generation) == [rule]


def test_not_modelled():
    verdict = validate(activate(), generation_named(G), Choices()).verdicts[0]
    assert verdict.valid and not verdict.executable
    with pytest.raises(NotModelled, match="activation function tables"):
        run(activate(), fresh(G))


def test_table_load_has_no_rules_in_any_source():
    """0x23 is armed on MAVERICK; its record is described nowhere."""
    program = bytes([0x23, 16]) + bytes(62)
    failure = validate(program, generation_named(G), Choices()).verdicts[0].failures[0]
    assert failure.not_modelled and "ACTIVATION_TABLE_LOAD" in failure.reason
