"""TENSOR_REDUCE (0x42, 0x52) and its transposed forms (0x83, 0x84), isa/05 section 10 and isa/06 section 5.11."""

import numpy as np
import pytest

from dve_engine import ExecutionError, NotModelled
from tests.unit.instructions.support import (
    BF16,
    FP32,
    INT8,
    INT16,
    INT32,
    UINT8,
    UINT16,
    UINT32,
    at,
    failures,
    fresh,
    get,
    indirect,
    pattern,
    put,
    record,
    run,
)

OUT = 0x4000
BYPASS, NOT, SHIFT_LEFT, ADD, SUBTRACT, MULT, MAX, MIN, AND, XOR, LOGICAL_AND, SHIFT_RIGHT, IS_GT = (
    0x00, 0x01, 0x10, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0A, 0x0C, 0x0D, 0x11, 0x13,
)  # fmt: skip
ABS, SQUARE, CLAMP, CRC32 = 0x19, 0x23, 0x24, 0x1C
X, XY, XYZ, XYZW = 2, 3, 4, 5


def reduce_record(opcode, op, counts, kept, *, subdim=X, source=FP32, target=None, channels=1, **fields):
    defaults = {"src_mem_pattern": pattern(0, *counts), "dst_mem_pattern": pattern(OUT, *kept)}
    return record(
        opcode,
        op=op,
        op_dim=subdim,
        in_dtype=source,
        out_dtype=source if target is None else target,
        num_active_channels=channels,
        **defaults | fields,
    )


def reduced(opcode, op, values, counts, kept, *, source=FP32, target=None, generation="CAYMAN", fields=None, **how):
    """Reduce one lane's values; the stored elements and the answer."""
    subdim = how.pop("subdim", X)
    state = fresh(generation)
    put(state, 0, 0, values)
    program = reduce_record(opcode, op, counts, kept, subdim=subdim, source=source, target=target, **fields or {})
    assert failures(program, generation, **{k: v for k, v in how.items() if k != "profile"}) == []
    answer = run(program, state, **how)
    kind = source if target is None else target
    return get(state, 0, OUT, int(np.prod(kept)), kind), answer


def bits(*words):
    return np.array(words, "<u4").view("<f4")


@pytest.mark.parametrize(
    ("subdim", "kept"), [(X, (3, 4, 5)), (XY, (4, 5)), (XYZ, (5,)), (XYZW, (1,))], ids=["x", "xy", "xyz", "xyzw"]
)
def test_tensor_reduce_over_trailing_axes(subdim, kept):
    values = np.arange(120, dtype="<f4")
    got, _ = reduced(0x42, ADD, values, (2, 3, 4, 5), kept, subdim=subdim)
    axes = tuple(range(4 - (subdim - 1), 4))  # the named dimensions are the innermost ones, so NumPy's last
    assert got.tolist() == values.reshape(5, 4, 3, 2).sum(axis=axes).reshape(-1).tolist()


def test_kept_dims_count_is_a_rule():
    assert failures(reduce_record(0x42, ADD, (2, 3), (2,))) == ["TR-V14"]
    assert failures(reduce_record(0x42, ADD, (2, 3), (1, 3, 1))) == []  # any shape of three


def test_sums_are_sequential():
    values = np.array([1e8, 1, 1, 1, 1, 1, 1, 1, -1e8], "<f4")
    got, answer = reduced(0x42, ADD, values, (9,), (1,))
    assert got.tolist() == [0.0]  # every 1 is lost
    assert answer.assumptions["fold-association"] == "sequential"


def test_uint8_sums_saturate_at_store():
    values = np.array([200, 100, 255, 1], "u1")
    assert reduced(0x42, ADD, values, (2, 2), (2,), source=UINT8)[0].tolist() == [255, 255]  # 300 and 256
    assert reduced(0x42, ADD, values, (2, 2), (2,), source=UINT8, target=UINT16)[0].tolist() == [300, 256]
    assert reduced(0x42, SUBTRACT, values, (2, 2), (2,), source=UINT8)[0].tolist() == [100, 254]
    negative = np.array([-100, -100], "i1")
    assert reduced(0x42, ADD, negative, (2,), (1,), source=INT8)[0].tolist() == [-128]


def test_int32_arithmetic_goes_through_fp32():
    values = np.array([16777216, 1, 1, 16777217, 0, 0], "<i4")
    got, answer = reduced(0x42, ADD, values, (3, 2), (2,), source=INT32)
    assert got.tolist() == [16777216, 16777216]
    assert answer.assumptions["int32-arithmetic"] == "via-fp32"


def test_bf16_sums_are_rounded_once():
    values = np.array([0x3F80, 0x3B80, 0x3B80], "<u2")  # 1 + 2**-8 + 2**-8: each alone is half a bf16 step
    assert reduced(0x42, ADD, values, (3,), (1,), source=BF16)[0].tolist() == [0x3F81]


def test_operand_order():
    values = np.array([10, 3, 2, 1], "<f4")
    got, answer = reduced(0x42, SUBTRACT, values, (4,), (1,))
    assert got.tolist() == [4.0]
    assert answer.assumptions["tensor-reduce-operand-order"] == "accumulator-first"
    other, _ = reduced(0x42, SUBTRACT, values, (4,), (1,), tensor_reduce_operand_order="element-first")
    assert other.tolist() == [1 - (2 - (3 - 10))]
    _, sums = reduced(0x42, ADD, values, (4,), (1,))
    assert "tensor-reduce-operand-order" not in sums.assumptions


def test_comparisons_chain_on_their_results():
    values = np.array([5, 3, 0.5, 1, 2, 3], "<f4")
    assert reduced(0x42, IS_GT, values, (3, 2), (2,))[0].tolist() == [1.0, 0.0]  # (5>3)>0.5, (1>2)>3


def test_single_elements_are_copied_and_converted():
    values = np.array([-1.5, 2.5], "<f4")
    assert reduced(0x42, LOGICAL_AND, values, (1, 2), (2,))[0].tolist() == [-1.5, 2.5]
    seeded, _ = reduced(0x42, LOGICAL_AND, values, (1, 2), (2,), tensor_reduce_seed="identity")
    assert seeded.tolist() == [1.0, 1.0]


def test_minus_zero_and_nan_show_the_seed():
    zeros = bits(0x80000000, 0x80000000)
    got, answer = reduced(0x42, ADD, zeros, (2,), (1,))
    assert got.view("<u4").tolist() == [0x80000000]
    assert answer.assumptions["tensor-reduce-seed"] == "first-element"
    assert reduced(0x42, ADD, zeros, (2,), (1,), tensor_reduce_seed="identity")[0].view("<u4").tolist() == [0]
    nans = bits(0x7FC00001, 0x7FC00002)
    assert reduced(0x42, MAX, nans, (2,), (1,))[0].view("<u4").tolist() == [0x7FC00002]  # maxnum: the right one is left
    assert reduced(0x42, MAX, nans, (2,), (1,), tensor_reduce_seed="identity")[0].tolist() == [-np.inf]


def test_plain_numbers_do_not_depend_on_the_seed():
    values = np.array([1, 2, 3, 4], "<f4")
    for op in (ADD, MULT, MAX, MIN):
        got, answer = reduced(0x42, op, values, (4,), (1,))
        assert not {"tensor-reduce-seed", "tensor-reduce-operand-order"} & answer.assumptions.keys()
        for other in ({"tensor_reduce_seed": "identity"}, {"tensor_reduce_operand_order": "element-first"}):
            assert reduced(0x42, op, values, (4,), (1,), **other)[0].tolist() == got.tolist()


def test_max_ignores_nan():
    assert reduced(0x42, MAX, bits(0x7FC00000, 0x3F800000, 0x7FC00000), (3,), (1,))[0].tolist() == [1.0]


def test_negated_multiplies_the_result():
    values = np.array([1, 2, 0, 0], "<f4")
    got, _ = reduced(0x42, ADD, values, (2, 2), (2,), fields={"negated": 1})
    assert got.view("<u4").tolist() == [0xC0400000, 0x80000000]  # +0 becomes -0
    nan, _ = reduced(0x42, MAX, bits(0x7FC00001, 0x7FC00001), (2,), (1,), fields={"negated": 1})
    assert nan.view("<u4").tolist() == [0x7FC00001]  # a NaN keeps its sign
    assert failures(reduce_record(0x52, AND, (2,), (1,), source=UINT32, negated=1)) == ["TR-V15"]


def test_negation_of_an_unsigned_sum_saturates_to_zero():
    values = np.array([5, 6], "u1")
    assert reduced(0x42, ADD, values, (2,), (1,), source=UINT8, fields={"negated": 1})[0].tolist() == [0]


def test_unary_codes_act_on_the_running_value():
    values = np.array([-3, -4, -5], "<f4")
    got, answer = reduced(0x42, ABS, values, (3,), (1,))
    assert got.tolist() == [3.0]
    assert answer.assumptions["unary-op-in-fold"] == "running-value"
    assert reduced(0x42, ABS, values, (3,), (1,), unary_op_in_fold="element")[0].tolist() == [5.0]
    assert reduced(0x42, BYPASS, values, (3,), (1,))[0].tolist() == [-3.0]
    assert reduced(0x42, BYPASS, values, (3,), (1,), unary_op_in_fold="element")[0].tolist() == [-5.0]
    assert reduced(0x42, SQUARE, values, (3,), (1,), generation="MARIANA")[0].tolist() == [81.0]  # squared twice
    single, one = reduced(0x42, ABS, values, (1, 3), (3,))
    assert single.tolist() == values.tolist() and "unary-op-in-fold" not in one.assumptions


def test_seed_by_identity_where_there_is_none():
    for op in (IS_GT, ABS, BYPASS):
        with pytest.raises(NotModelled):
            reduced(0x42, op, np.ones(2, "<f4"), (2,), (1,), tensor_reduce_seed="identity")
    got, _ = reduced(
        0x42, ABS, np.array([-1, -2], "<f4"), (1, 2), (2,), tensor_reduce_seed="identity", unary_op_in_fold="element"
    )
    assert got.tolist() == [1.0, 2.0]


def test_bit_vectors_fold_raw_bits():
    values = np.array([0xF0, 0xCC, 0xAA, 0x0F], "u1")
    assert reduced(0x52, AND, values, (2, 2), (2,), source=UINT8)[0].tolist() == [0xC0, 0x0A]
    assert reduced(0x52, XOR, values, (4,), (1,), source=UINT8)[0].tolist() == [0xF0 ^ 0xCC ^ 0xAA ^ 0x0F]
    shifted = np.array([3, 4, 1, 0x81, 7, 30], "u1")
    assert reduced(0x52, SHIFT_LEFT, shifted, (3, 2), (2,), source=UINT8)[0].tolist() == [96, 0]
    assert reduced(0x52, NOT, shifted, (2, 3), (3,), source=UINT8)[0].tolist() == [252, 254, 248]
    words = np.array([0xFFFF_FFFF, 4], "<u4")
    assert reduced(0x52, SHIFT_RIGHT, words, (2,), (1,), source=INT32)[0].tolist() == [0x0FFFFFFF]


def test_bit_vector_dtypes():
    for dtype, legal in ((UINT8, True), (UINT16, True), (UINT32, True), (INT32, True), (INT8, False), (INT16, False)):
        assert (failures(reduce_record(0x52, AND, (2,), (1,), source=dtype)) == []) is legal
    assert failures(reduce_record(0x52, AND, (2,), (1,), source=FP32)) == ["TR-V10"]
    assert failures(reduce_record(0x52, SHIFT_RIGHT, (2,), (1,), source=UINT32)) == ["TR-V10"]
    assert failures(reduce_record(0x52, AND, (2,), (1,), source=UINT8, target=UINT16)) == ["TR-V10"]


def test_which_codes_are_legal():
    assert failures(reduce_record(0x42, AND, (2,), (1,))) == ["TR-V8"]
    assert failures(reduce_record(0x52, ADD, (2,), (1,), source=UINT32)) == ["TR-V8"]
    assert failures(reduce_record(0x42, 0xDE, (2,), (1,), source=INT32)) == ["TR-V9"]  # argmax: the other engine's
    assert failures(reduce_record(0x42, 0x1D, (2,), (1,))) == ["TR-V8"]  # RSQRT is no general arithmetic
    assert failures(reduce_record(0x42, 0x30, (2,), (1,))) == ["TR-V7", "TR-V8"]
    assert failures(reduce_record(0x42, ADD, (2,), (1,), source=0x0C)) == ["TR-V9"]  # INT64 passes the wide gate only
    assert failures(reduce_record(0x42, ADD, (2,), (1,), source=0x0C), "SUNDA")[0] == "TR-V6a"


def test_symmetric_clamp_by_assumption():
    program = reduce_record(0x42, CLAMP, (2,), (1,))
    assert failures(program, "MAVERICK") == ["TR-V8"]
    assert failures(program, "MAVERICK", symmetric_clamp="accept-clamp") == []
    got, _ = reduced(
        0x42, CLAMP, np.array([-5, 2], "<f4"), (2,), (1,), generation="MAVERICK", symmetric_clamp="accept-clamp"
    )
    assert got.tolist() == [-2.0]


def test_crc32_is_legal_and_not_modelled():
    program = reduce_record(0x52, CRC32, (2,), (1,), source=UINT32)
    assert failures(program) == []
    for choice in ("not-modelled", "compute-where-defined"):
        with pytest.raises(NotModelled):
            run(program, fresh(), undefined_alu_codes=choice)


def test_nothing_is_written_before_a_later_record_is_refused():
    state = fresh()
    put(state, 0, 0, np.ones(2, "<u4"))
    first = reduce_record(0x52, AND, (2,), (1,), source=UINT32)
    with pytest.raises(NotModelled):
        run(first + reduce_record(0x52, CRC32, (2,), (1,), source=UINT32), state)
    assert get(state, 0, OUT, 1, UINT32).tolist() == [0]


def test_an_index_list_is_one_dimension():
    state = fresh("MARIANA")
    put(state, 0, 0, np.arange(8, dtype="<f4"))
    put(state, 0, 0x800, np.array([[7], [1], [2]], "<u2"))
    program = reduce_record(0x42, ADD, (1,), (1,), src_mem_pattern=indirect(0x800, 0, 3))
    assert failures(program, "MARIANA") == []
    run(program, state)
    assert get(state, 0, OUT, 1, FP32).tolist() == [10.0]
    three = reduce_record(0x42, ADD, (1,), (3,), src_mem_pattern=indirect(0x800, 0, 3))
    assert failures(three, "MARIANA") == ["TR-V14"]


def test_scatter_of_the_groups():
    state = fresh("MARIANA")
    put(state, 0, 0, np.arange(6, dtype="<f4"))
    put(state, 0, 0x800, np.array([[4], [0], [2]], "<u2"))
    program = reduce_record(0x42, ADD, (2, 3), (1,), dst_mem_pattern=indirect(0x800, OUT, 3))
    assert failures(program, "MARIANA") == []
    run(program, state)
    assert get(state, 0, OUT, 5, FP32).tolist() == [5, 0, 9, 0, 1]


def test_counts_behind_a_waiver_are_met_at_run_time():
    program = reduce_record(0x42, ADD, (2, 3), (2,), dst_mem_pattern=pattern(OUT | 0x4000_0000, 2))
    assert failures(program) == []
    with pytest.raises(NotModelled):
        run(program, fresh())
    with pytest.raises(ExecutionError):
        run(program, fresh(), shape_register="treat-as-static")


def test_transposed_reduce_is_over_lanes_of_a_tile():
    values = np.arange(32 * 64, dtype="<f4").reshape(32, 64)
    state = fresh()
    put(state, 0, 0, values)
    run(reduce_record(0x83, ADD, (32, 2), (2,), channels=32), state)
    for lane in (0, 1, 31):  # lane e of the output sums element e of every lane of its tile
        sums = [np.add.accumulate(values[:, 32 * tile + lane])[-1] for tile in range(2)]
        assert get(state, lane, OUT, 2, FP32).tolist() == sums


def test_transposed_bits():
    values = np.random.default_rng(3).integers(0, 256, (64, 32), dtype="u1")
    state = fresh()
    put(state, 0, 0, values)
    run(reduce_record(0x84, XOR, (32,), (1,), channels=64, source=UINT8), state)
    for lane in (0, 5, 33, 63):
        block = values[lane // 32 * 32 : lane // 32 * 32 + 32]
        assert get(state, lane, OUT, 1, UINT8)[0] == np.bitwise_xor.reduce(block[:, lane % 32])


def test_transposed_preconditions():
    assert failures(reduce_record(0x83, ADD, (32,), (1,), channels=33)) == ["TTR-V16"]
    assert failures(reduce_record(0x83, ADD, (31,), (1,), channels=32)) == ["TTR-V17"]
    assert failures(reduce_record(0x83, ADD, (32,), (1,), channels=96)) == []


def test_many_lanes_and_partitions():
    state = fresh()
    put(state, 0, 0, np.arange(128 * 4, dtype="<f4").reshape(128, 4))
    run(reduce_record(0x42, MAX, (2, 2), (2,), channels=128), state)
    assert get(state, 127, OUT, 2, FP32).tolist() == [509.0, 511.0]
    quadrant = reduce_record(0x42, MAX, (2,), (1,), channels=64, src_mem_pattern=pattern(at(32), 2))
    assert failures(quadrant) == ["TR-V13a"]
