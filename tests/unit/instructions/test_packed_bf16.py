"""SUNDA's packed BF16 forms: 0x8A, 0x8B, 0x8F on two tensors, 0x8C and 0x8D as reductions.

isa/03 section 6, isa/05 section 10.3, isa/06 section 8.8.
"""

import numpy as np
import pytest

from dve_engine import ExecutionError, NotModelled
from tests.unit.instructions.support import (
    BF16,
    FP32,
    UINT8,
    failures,
    fresh,
    get,
    pattern,
    put,
    record,
    run,
)

OUT = 0x4000
ADD, MULT, SUB, SUM, LARGEST = 0x8A, 0x8B, 0x8F, 0x8C, 0x8D
OPS = {ADD: 4, MULT: 6, SUB: 5}


def pair(opcode, count=2, *, target=FP32, channels=1, **fields):
    patterns = {f"{n}_mem_pattern": pattern(a, count, dims=3) for n, a in (("src0", 0), ("src1", 0x100), ("dst", OUT))}
    fields = {"in0_in1_dtype": 0x66, "out_dtype": target, "op": OPS[opcode], "num_active_channels": channels} | fields
    return record(opcode, **patterns | fields)


def fold(opcode, counts=(2,), kept=(1,), *, target=FP32, channels=1, op_dim=2, **fields):
    patterns = {"src_mem_pattern": pattern(0, *counts), "dst_mem_pattern": pattern(OUT, *kept)}
    fields = {"in_dtype": BF16, "out_dtype": target, "num_active_channels": channels, "op_dim": op_dim} | fields
    return record(opcode, **patterns | fields)


def sunda(program):
    return failures(program, "SUNDA")


@pytest.mark.parametrize(
    ("opcode", "expected"), [(ADD, [4.0, -1.5]), (MULT, [3.0, -1.0]), (SUB, [-2.0, 2.5])], ids=["add", "mult", "sub"]
)
def test_two_tensors(opcode, expected):
    state = fresh("SUNDA")
    put(state, 0, 0, np.array([0x3F80, 0x3F00], "<u2"))  # 1, 0.5
    put(state, 0, 0x100, np.array([0x4040, 0xC000], "<u2"))  # 3, -2
    answer = run(pair(opcode), state)
    assert get(state, 0, OUT, 2, FP32).tolist() == expected
    assert answer.assumptions == {"sunda-dve-roster": "header", "sunda-bf16-engine": "dve"}


def test_only_sunda_has_them():
    for program in (pair(ADD), fold(SUM)):
        assert sunda(program) == []
        for generation in ("CAYMAN", "MARIANA", "MAVERICK"):
            assert failures(program, generation) == ["H1"]


def test_who_runs_them():
    assert failures(pair(ADD), "SUNDA", sunda_bf16_engine="pool") == ["X1"]
    assert failures(pair(ADD), "SUNDA", sunda_dve_roster="default-tables") == ["X1"]
    assert failures(fold(SUM), "SUNDA", sunda_bf16_engine="pool") == []
    assert failures(fold(SUM), "SUNDA", sunda_dve_roster="default-tables") == []


def test_rules_of_the_pair():
    assert sunda(pair(ADD, op=5)) == ["TTB-V4"]
    assert sunda(pair(SUB, in0_in1_dtype=0x6A)) == ["TTB-V5"]
    assert sunda(pair(ADD, 3)) == ["TTB-V7"]  # odd
    assert sunda(pair(ADD, src1_mem_pattern=pattern(0x100, 2, steps=(2,), dims=3))) == ["TTB-V7"]
    assert sunda(pair(ADD, 4, src0_mem_pattern=pattern(0, 2, 2, steps=(1, 3), dims=3))) == ["TTB-V7"]
    assert sunda(pair(ADD, src0_mem_pattern=pattern(2, 2, dims=3))) == ["TTB-V8"]  # two bytes past a word
    assert sunda(pair(ADD, target=BF16, dst_mem_pattern=pattern(OUT + 2, 2, dims=3))) == []
    assert sunda(pair(ADD, target=0x0B)) == []


def test_what_the_pair_has_no_rule_for_is_met_at_run_time():
    unequal = pair(ADD, dst_mem_pattern=pattern(OUT, 3, dims=3))
    assert sunda(unequal) == []
    state = fresh("SUNDA")
    with pytest.raises(ExecutionError):
        run(unequal, state)
    with pytest.raises(ExecutionError):
        run(pair(ADD, channels=129), state)
    assert run(pair(ADD, channels=0), state).executed == 1
    assert sunda(pair(ADD, channels=5, src0_mem_pattern=pattern(7 << 18, 2, dims=3))) == []  # no start rule
    run(pair(ADD, channels=5, src0_mem_pattern=pattern(7 << 18, 2, dims=3)), state)


def test_a_register_address_must_still_be_a_whole_word():
    program = pair(ADD, src0_mem_pattern=pattern(0x8000_0003, 2, dims=3))
    assert sunda(program) == []
    state = fresh("SUNDA")
    for address, good in ((4, True), (2, False), (7 << 18, True)):
        state.registers = {3: address}
        if good:
            run(program, state)
        else:
            with pytest.raises(ExecutionError):
                run(program, state)


def test_sum_and_maximum():
    state = fresh("SUNDA")
    put(state, 0, 0, np.array([0x3F80, 0x4000, 0xC040, 0x7FC0], "<u2"))  # 1, 2, -3, NaN
    run(fold(SUM, (2, 2), (2,)), state)
    assert get(state, 0, OUT, 1, FP32).tolist() == [3.0]
    assert get(state, 0, OUT + 4, 1, "<u4").tolist() == [0x7FC00000]
    run(fold(LARGEST, (2, 2), (2,)), state)
    assert get(state, 0, OUT, 2, FP32).tolist() == [2.0, -3.0]
    run(fold(SUM, (2, 2), (1,), op_dim=3, negated=1, src_mem_pattern=pattern(0, 2, 1)), state)
    assert get(state, 0, OUT, 1, FP32).tolist() == [-3.0]


def test_sum_is_sequential_and_saturates_at_store():
    state = fresh("SUNDA")
    put(state, 0, 0, np.array([0x4CBF, 0x3F80, 0x3F80, 0xCCBF], "<u2"))  # 1.00139e8, 1, 1, -1.00139e8
    run(fold(SUM, (4,)), state)
    assert get(state, 0, OUT, 1, FP32).tolist() == [0.0]
    put(state, 0, 0, np.array([0x4348, 0x42C8], "<u2"))  # 200, 100
    run(fold(SUM, target=UINT8), state)
    assert get(state, 0, OUT, 1, UINT8).tolist() == [255]


def test_the_op_byte_of_the_reductions_is_not_looked_at():
    state = fresh("SUNDA")
    put(state, 0, 0, np.array([0x3F80, 0x4000], "<u2"))
    run(fold(LARGEST, op=4), state)
    assert get(state, 0, OUT, 1, FP32).tolist() == [2.0]


def test_rules_of_the_reduction():
    assert sunda(fold(SUM, in_dtype=FP32)) == ["TRB-V6"]
    assert sunda(fold(SUM, (3,))) == ["TRB-V8"]
    assert sunda(fold(SUM, src_mem_pattern=pattern(2, 2))) == ["TRB-V8"]
    assert sunda(fold(SUM, (4,), src_mem_pattern=pattern(0, 2, 2, steps=(1, 3)))) == ["TRB-V8"]
    assert sunda(fold(SUM, mask_enable=1)) == ["TRB-V5"]
    assert sunda(fold(SUM, channels=129)) == ["TRB-V9"]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"op_dim": 0}, NotModelled),
        ({"op_dim": 1}, NotModelled),
        ({"negated": 2}, NotModelled),
        ({"kept": (2,)}, ExecutionError),
        ({"src_mem_pattern": pattern(0, 2, 0)}, ExecutionError),
        ({"src_mem_pattern": pattern(0x2FFFC, 4)}, ExecutionError),
    ],
)
def test_what_the_reduction_has_no_rule_for_is_met_at_run_time(fields, error):
    program = fold(SUM, **fields)
    assert sunda(program) == []
    with pytest.raises(error):
        run(program, fresh("SUNDA"))
