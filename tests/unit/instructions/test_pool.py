"""POOL (0x45) and MAX_POOL_SELECT (0x58) against the specification, isa/05 section 12."""

import numpy as np
import pytest

from dve_engine import ExecutionError, NotModelled
from tests.unit.instructions.support import (
    FP32,
    INT8,
    UINT8,
    UINT16,
    UINT32,
    failures,
    fresh,
    get,
    pattern,
    put,
    record,
    run,
)

OUT = 0x4000
MAX_POOL, AVG_POOL = 1, 2
ONE = 0x3F800000
X, XY = 2, 3


def pool_record(opcode, counts, kept, *, func=MAX_POOL, scale=ONE, dim=X, source=FP32, target=None, **fields):
    patterns = {"src_mem_pattern": pattern(0, *counts), "dst_mem_pattern": pattern(OUT, *kept)}
    target = source if target is None else target
    fields = {"in_dtype": source, "out_dtype": target, "num_active_channels": 1, "pool_scale": scale} | fields
    return record(opcode, pool_func=func, pool_dim=dim, **patterns | fields)


def pooled(values, counts, kept, *, opcode=0x45, generation="CAYMAN", how=None, **fields):
    state = fresh(generation)
    put(state, 0, 0, values)
    program = pool_record(opcode, counts, kept, **fields)
    assert failures(program, generation) == []
    answer = run(program, state, **how or {})
    target = fields.get("target") or fields.get("source", FP32)
    return get(state, 0, OUT, int(np.prod(kept)), target), answer


def position(values, counts, kept, *, target=UINT8, **fields):
    return pooled(values, counts, kept, opcode=0x58, func=0, target=target, **fields)


def bits(*words):
    return np.array(words, "<u4").view("<f4")


def test_overlapping_windows():
    values = np.array([1, 5, 2, 4, 3], "<f4")  # windows of 3 at stride 1
    got, _ = pooled(values, (3, 3), (3,), src_mem_pattern=pattern(0, 3, 3, steps=(1, 1)))
    assert got.tolist() == [5, 5, 4]


def test_maximum_starts_with_the_first_element():
    got, _ = pooled(bits(0xFF800000, 0xFF800000, 0x7FC00001, 0x7FC00002), (2, 2), (2,))
    assert got.view("<u4").tolist() == [0xFF800000, 0x7FC00002]


def test_average_is_a_sum_and_one_multiplication():
    values = np.array([1, 2, 4], "<f4")
    third = 0x3EAAAAAB
    got, answer = pooled(values, (3,), (1,), func=AVG_POOL, scale=third)
    assert got.tolist() == [np.float32(7) * bits(third)[0]]
    assert answer.assumptions["pool-scale-order"] == "sum-then-multiply"
    scaled = [np.float32(v) * bits(third)[0] for v in values]
    each, _ = pooled(values, (3,), (1,), func=AVG_POOL, scale=third, how={"pool_scale_order": "scale-each"})
    assert each.tolist() == [scaled[0] + scaled[1] + scaled[2]]


def test_uint8_average_rounds_and_saturates():
    values = np.array([200, 101, 255, 255], "u1")
    half = 0x3F000000  # 150.5 is a tie to even
    assert pooled(values, (2, 2), (2,), func=AVG_POOL, scale=half, source=UINT8)[0].tolist() == [150, 255]
    assert pooled(values, (2, 2), (2,), func=AVG_POOL, source=UINT8)[0].tolist() == [255, 255]


def test_sums_are_sequential():
    values = np.array([1e8, 1, 1, -1e8], "<f4")
    assert pooled(values, (4,), (1,), func=AVG_POOL)[0].tolist() == [0.0]


def test_position_of_the_maximum():
    values = np.array([1, 9, 3, 7, 7, 2, -1, -1, -2], "<f4")
    assert position(values, (3, 3), (3,))[0].tolist() == [1, 0, 0]
    assert position(values, (3, 3), (1,), dim=XY)[0].tolist() == [1]
    assert position(np.array([-3, 4, 4], "i1"), (3,), (1,), source=INT8, target=UINT32)[0].tolist() == [1]


def test_zeros_are_equal_and_nan_follows_max():
    assert position(bits(0x80000000, 0x00000000), (2,), (1,))[0].tolist() == [0]
    nan = bits(0x7FC00000, 0x3F800000, 0x7FC00000)
    got, answer = position(nan, (3,), (1,))
    assert got.tolist() == [1] and answer.assumptions["max-nan"] == "maxnum"
    assert position(nan, (3,), (1,), how={"max_nan": "propagate"})[0].tolist() == [0]
    assert position(nan, (3,), (1,), how={"max_nan": "select"})[0].tolist() == [2]
    assert position(bits(0x7FC00000, 0x7FC00000), (2,), (1,))[0].tolist() == [0]


def test_a_position_that_does_not_fit():
    values = np.zeros(257, "<f4")
    values[255] = 1
    assert position(values, (256,), (1,))[0].tolist() == [255]
    with pytest.raises(NotModelled):
        position(values, (257,), (1,))
    assert position(values, (257,), (1,), target=UINT16)[0].tolist() == [255]


def test_whether_the_engine_executes_the_position_form():
    program = pool_record(0x58, (2,), (1,), func=0, target=UINT8)
    assert run(program, fresh()).assumptions["max-pool-select-on-dve"] == "execute"
    assert failures(program, max_pool_select_on_dve="not-wired") == []
    with pytest.raises(NotModelled):
        run(program, fresh(), max_pool_select_on_dve="not-wired")
    assert "max-pool-select-on-dve" not in run(pool_record(0x45, (2,), (1,)), fresh()).assumptions


def test_rules_of_the_fields():
    assert failures(pool_record(0x58, (2,), (1,), target=UINT8)) == ["PL-V8"]
    assert failures(pool_record(0x58, (2,), (1,), func=0, target=FP32)) == ["PL-V11"]
    assert failures(pool_record(0x45, (2,), (1,), func=3)) == ["PL-V8"]
    assert failures(pool_record(0x45, (2,), (1,), scale=0x3F000000)) == ["PL-V13"]
    assert failures(pool_record(0x45, (2,), (1,), func=AVG_POOL, scale=0x7FC00000)) == []
    assert failures(pool_record(0x45, (2,), (1,), num_active_channels=0))[0] == "PL-V7a"


def test_destination_count_is_met_at_run_time():
    program = pool_record(0x45, (2, 3), (2,))
    assert failures(program) == []
    state = fresh()
    with pytest.raises(ExecutionError):
        run(program, state)


def test_tile_flags_are_refused_though_no_rule_looks_at_them():
    program = bytearray(pool_record(0x45, (2,), (1,)))
    program[3] = 1
    assert failures(bytes(program), "MAVERICK") == []
    with pytest.raises(NotModelled):
        run(bytes(program), fresh("MAVERICK"))
