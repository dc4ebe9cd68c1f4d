"""RANGE_SELECT. Expected values from isa/04 sections 2.9 and 7, isa/02 section 9 by hand."""

import numpy as np
import pytest

from dve_engine import AlternativeNotOffered, Choices, ExecutionError, Fp8Mode, generation_named, validate
from tests.unit.instructions.search_support import (
    BF16,
    EXP3,
    EXP4,
    EXP5,
    FP16,
    FP32,
    FP32R,
    SINCE_CAYMAN,
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

LOWEST = 0xFF7FFFFF
EQ, GT, GE, LE, LT = range(0x12, 0x17)
IDLE, ACCUMULATE, ZERO_ACCUMULATE = 0, 2, 3
DATA = f32(1, 2, 3, 4)


def select(source=FP32, target=FP32, **fields):
    base = {
        "num_active_channels": 1,
        "in_out_dtype": source | target << 4,
        "reduce_cmd": ZERO_ACCUMULATE,
        "reduce_op": 8,
        "base": 0.0,
        "fill_val": LOWEST,
        "src_mem_pattern": pattern(0x100, 4),
        "dst_mem_pattern": pattern(0x200, 4),
        "comp_op0": GE,
        "comp_op1": LT,
        "bound0": 1.0,
        "bound1": 3.0,
    }
    return record("S2D2_RS", 0xBC, **(base | fields))


def test_no_such_opcode_on_sunda():
    assert first_failure(select(), "SUNDA") == ("H1", "header.opcode")


@pytest.mark.parametrize("generation", SINCE_CAYMAN)
def test_index_decides_value_is_stored(generation):
    done = run(select(), generation, [(sbuf(0, 0x100), f32(50, -7, 9, 60))])
    assert done.elements(sbuf(0, 0x200), "<u4", 4).tolist() == [LOWEST, *f32(-7, 9).view("<u4").tolist(), LOWEST]
    assert done.accumulator(0) == 0x41100000
    assert not done.tainted[0]
    assert done.assumptions["range-select-compare"] == "element-index"


# isa/02 section 9: what the lowest fp32 becomes. CAYMAN overflows to -Inf; OCP with saturation clamps E4M3 and E5M2.
FILLS = [
    ("CAYMAN", FP32, "<u4", 0xFF7FFFFF),
    ("CAYMAN", FP32R, "<u4", 0xFF800000),
    ("CAYMAN", BF16, "<u2", 0xFF80),
    ("CAYMAN", FP16, "<u2", 0xFC00),
    ("CAYMAN", EXP3, "u1", 0xF0),
    ("CAYMAN", EXP4, "u1", 0xF8),
    ("CAYMAN", EXP5, "u1", 0xFC),
    ("MARIANA", BF16, "<u2", 0xFF80),
    ("MARIANA", FP16, "<u2", 0xFC00),
    ("MARIANA", EXP3, "u1", 0xF0),
    ("MARIANA", EXP4, "u1", 0xFE),
    ("MARIANA", EXP5, "u1", 0xFB),
    ("MAVERICK", EXP3, "u1", 0xF0),
    ("MAVERICK", EXP4, "u1", 0xFE),
    ("MAVERICK", EXP5, "u1", 0xFB),
    ("MAVERICK", BF16, "<u2", 0xFF80),
]


@pytest.mark.parametrize(("generation", "target", "kind", "code"), FILLS)
def test_fill_becomes_minus_infinity_or_saturates(generation, target, kind, code):
    done = run(select(target=target, bound1=0.0), generation, [(sbuf(0, 0x100), DATA)])
    assert done.elements(sbuf(0, 0x200), kind, 4).tolist() == [code] * 4
    assert done.accumulator(0) == LOWEST  # folded before the conversion


@pytest.mark.parametrize(
    ("value", "code4", "code5"), [("ocp-saturate", 0xFE, 0xFB), ("ocp-no-saturate", 0xFF, 0xFC), ("legacy", 0xF8, 0xFC)]
)
def test_fill_under_the_modes_of_mariana(value, code4, code5):
    for target, code in ((EXP4, code4), (EXP5, code5)):
        done = run(select(target=target, bound1=0.0), "MARIANA", fp8_mode_mariana=value)
        assert done.elements(sbuf(0, 0x200), "u1", 4).tolist() == [code] * 4
        assert done.assumptions["fp8-mode-mariana"] == value


def test_fill_under_a_given_mode():
    state = prepared("MARIANA")
    state.fp8_mode = Fp8Mode(ocp=False, sat=False, sis=True, sns=False)
    done = run(select(target=EXP4, bound1=0.0), state=state)
    assert done.elements(sbuf(0, 0x200), "u1", 4).tolist() == [0xF7] * 4


@pytest.mark.parametrize(
    ("op0", "op1", "bound0", "bound1", "kept"),
    [
        (EQ, EQ, 2.0, 2.0, [2]),
        (GT, LE, 0.0, 2.0, [1, 2]),
        (GE, GE, 0.0, 3.0, [3]),
        (LT, LE, 3.0, 1.0, [0, 1]),
        (EQ, LT, -0.0, 9.0, [0]),  # zeros of either sign are equal
        (LE, LE, np.inf, np.inf, [0, 1, 2, 3]),
        (GE, LE, np.nan, 9.0, []),  # a NaN bound fills the lane
        (GE, EQ, 0.0, np.nan, []),
        (GE, LT, 0.5, 2.5, [1, 2]),
    ],
)
def test_comparisons_have_the_index_on_the_left(op0, op1, bound0, bound1, kept):
    program = select(comp_op0=op0, comp_op1=op1, bound0=float(bound0), bound1=float(bound1))
    done = run(program, memory=[(sbuf(0, 0x100), DATA)])
    expected = [int(DATA.view("<u4")[k]) if k in kept else LOWEST for k in range(4)]
    assert done.elements(sbuf(0, 0x200), "<u4", 4).tolist() == expected


def test_index_is_the_walk_position_and_starts_at_base_in_every_lane():
    """A negative step and a second dimension: the walk order counts, not the address; bounds per lane."""
    program = select(
        num_active_channels=2,
        base=100.0,
        src_mem_pattern=pattern(0x104, 2, 2, steps=[-1, 4]),
        bound0_src=1,
        bound0=0x40,
        bound1_src=2,
        bound1=3,
    )
    memory = [(sbuf(lane, 0x100), f32(0, 1, 2, 3, 4, 5)) for lane in (0, 1)]
    memory += [
        (sbuf(0, 0x40), f32(101)),
        (sbuf(1, 0x40), f32(100)),
        (sbuf(0, 0x80), f32(103)),
        (sbuf(1, 0x80), f32(101)),
    ]
    done = run(program, memory=memory, registers={3: 0x80})
    assert done.elements(sbuf(0, 0x200), "<f4", 4).tolist() == [
        np.float32(-3.4028235e38),
        0,
        5,
        np.float32(-3.4028235e38),
    ]
    assert done.elements(sbuf(1, 0x200), "<f4", 4).tolist() == [1, *[np.float32(-3.4028235e38)] * 3]
    assert [done.accumulator(lane) for lane in (0, 1)] == [0x40A00000, 0x3F800000]


def test_selected_nan_is_stored_and_ignored_by_the_maximum():
    data = bits(0, 0xFFC00022, 0x3F800000, 0)
    done = run(select(), memory=[(sbuf(0, 0x100), data)])
    assert done.elements(sbuf(0, 0x200), "<u4", 4).tolist() == [LOWEST, 0xFFC00022, 0x3F800000, LOWEST]
    assert done.accumulator(0) == 0x3F800000
    done = run(select(), memory=[(sbuf(0, 0x100), data)], max_nan="propagate")
    assert done.accumulator(0) == 0xFFC00022
    done = run(select(source=BF16, target=BF16), memory=[(sbuf(0, 0x100), bits(0, 0xFF81, 0, 0, kind="<u2"))])
    assert done.elements(sbuf(0, 0x200), "<u2", 2).tolist() == [
        0xFF80,
        0xFFC0,
    ]  # through fp32 even between equal dtypes


def test_minus_infinity_loses_against_the_fill():
    """The maximum covers filled elements: a lane of -Inf with one filled element leaves the lowest finite number."""
    done = run(select(), memory=[(sbuf(0, 0x100), f32(0, -np.inf, -np.inf, 0))])
    assert done.elements(sbuf(0, 0x200), "<u4", 4).tolist() == [LOWEST, 0xFF800000, 0xFF800000, LOWEST]
    assert done.accumulator(0) == LOWEST


@pytest.mark.parametrize(("value", "bits_left"), [("before-conversion", LOWEST), ("after-conversion", 0xFF800000)])
def test_fold_before_or_after_the_conversion(value, bits_left):
    done = run(select(target=BF16, bound1=0.0), memory=[(sbuf(0, 0x100), DATA)], fold_cast_point=value)
    assert done.accumulator(0) == bits_left
    assert done.assumptions["fold-cast-point"] == value


def test_the_cast_point_is_named_only_where_it_shows():
    done = run(select(target=BF16), memory=[(sbuf(0, 0x100), DATA)])
    assert "fold-cast-point" not in done.assumptions


def test_accumulate_folds_onto_the_content():
    seven = {"accumulators": {0: 0x40E00000, 1: 0x3F800000}}
    done = run(select(reduce_cmd=ACCUMULATE), memory=[(sbuf(0, 0x100), DATA)], **seven)
    assert (done.accumulator(0), done.accumulator(1)) == (0x40E00000, 0x3F800000)
    done = run(select(reduce_cmd=ACCUMULATE), memory=[(sbuf(0, 0x100), f32(0, 8, 9, 0))], **seven)
    assert done.accumulator(0) == 0x41100000


def test_two_nans_accumulator_on_the_left():
    """Under maxnum two NaNs leave the right operand, the element."""
    program = select(
        reduce_cmd=ACCUMULATE, src_mem_pattern=pattern(0x100, 1), dst_mem_pattern=pattern(0x200, 1), bound0=0.0
    )
    done = run(program, memory=[(sbuf(0, 0x100), bits(0x7FC00022))], accumulators={0: 0x7FC00011})
    assert done.accumulator(0) == 0x7FC00022


def test_accumulating_onto_an_unseeded_lane_warns_or_fails():
    done = run(select(reduce_cmd=ACCUMULATE), memory=[(sbuf(0, 0x100), DATA)])
    assert done.diagnostics[0]["kind"] == "tainted_accumulator"
    state = prepared("CAYMAN", [(sbuf(0, 0x100), DATA)])
    with pytest.raises(ExecutionError):
        run(select(reduce_cmd=IDLE) + select(reduce_cmd=ACCUMULATE), state=state, accumulator_initial="error")
    assert Done(state, {}).elements(sbuf(0, 0x200), "<u4", 4).tolist() == [0] * 4  # the first record is undone


@pytest.mark.parametrize(("value", "tainted"), [("keep-tainted", True), ("keep", False)])
def test_idle_keeps_the_content(value, tainted):
    done = run(
        select(reduce_cmd=IDLE), memory=[(sbuf(0, 0x100), DATA)], accumulators={0: 0x40E00000}, accumulator_idle=value
    )
    assert (done.accumulator(0), bool(done.tainted[0])) == (0x40E00000, tainted)
    assert done.assumptions["accumulator-idle"] == value


def test_reset_values():
    """All folded values -Inf, so the seed decides: nothing is filled."""
    program = select(bound0=0.0, bound1=9.0)
    data = [(sbuf(0, 0x100), f32(*[-np.inf] * 4))]
    for value, expected in (("operator-identity", 0xFF800000), ("zero", 0), ("fp32-lowest-for-max", LOWEST)):
        assert run(program, memory=data, accumulator_reset_value=value).accumulator(0) == expected


def test_compare_by_value():
    done = run(
        select(bound0=3.0, bound1=60.0),
        memory=[(sbuf(0, 0x100), f32(2, 3, 50, np.nan))],
        range_select_compare="element-value",
    )
    assert done.elements(sbuf(0, 0x200), "<u4", 4).tolist() == [LOWEST, 0x40400000, 0x42480000, LOWEST]


@pytest.mark.parametrize(
    ("base", "rule"),
    [
        (0.0, None),
        (-0.0, None),
        (16777212.0, None),
        (16777213.0, "RS-V10"),
        (16777216.0, "RS-V10"),
        (1e30, "RS-V10"),
        (-1.0, "RS-V10"),
        (np.nan, "RS-V10"),
        (np.inf, "RS-V10"),
        (-np.inf, "RS-V10"),
        (1.5, "RS-V10"),
        (-0.5, "RS-V10"),
    ],
)
def test_base(base, rule):
    failure = first_failure(select(base=float(base)))
    assert failure == (rule and (rule, "base"))


def test_truncated_base():
    """A fraction is dropped; what has no whole number from 0 on stays illegal."""
    for base in (1.5, -0.5):
        assert first_failure(select(base=base), range_select_base="truncate") is None
    for base in (-1.0, np.nan, np.inf, 16777213.0):
        assert first_failure(select(base=float(base)), range_select_base="truncate") == ("RS-V10", "base")
    done = run(select(base=1.75, bound0=2.0, bound1=3.0), memory=[(sbuf(0, 0x100), DATA)], range_select_base="truncate")
    assert done.elements(sbuf(0, 0x200), "<u4", 4).tolist() == [
        LOWEST,
        0x40000000,
        LOWEST,
        LOWEST,
    ]  # indices 1, 2, 3, 4


def test_the_base_question_is_named_only_where_it_matters():
    def named(base):
        answer = validate(select(base=base), generation_named("CAYMAN"), Choices(), legal_on=False)
        return "range-select-base" in answer.assumptions

    assert [named(b) for b in (3.0, 1.5, -0.5, -1.0, float("nan"))] == [False, True, True, False, False]


def test_a_nan_base_is_put_into_words():
    failure = validate(select(base=float("nan")), generation_named("CAYMAN"), Choices()).verdicts[0].failures[0]
    assert (failure.value, failure.offset, failure.size) == (0x7FC00000, 16, 4)
    assert "nan" in failure.message


def test_register_shape_waives_the_sum_only():
    shaped = pattern(0x40000100, 0, 0)
    program = select(base=16777215.0, src_mem_pattern=shaped, dst_mem_pattern=pattern(0x200, 5))
    assert first_failure(program) is None
    assert first_failure(select(base=16777218.0, src_mem_pattern=shaped)) == ("RS-V10", "base")
    static = select(src_mem_pattern=pattern(0x40000100, 4), dst_mem_pattern=pattern(0x200, 5))
    with pytest.raises(ExecutionError, match="counts differ"):
        run(static, shape_register="treat-as-static")


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"fill_val": 0xFF800000}, "RS-V13"),
        ({"reduce_op": 9}, "RS-V20"),
        ({"reduce_op": 9, "reduce_cmd": IDLE}, "RS-V20"),
        ({"reduce_cmd": 1}, "RS-V19"),
        ({"reduce_cmd": 4}, "RS-V19"),
        ({"comp_op0": 0x17}, "RS-V14"),
        ({"comp_op1": 0x11}, "RS-V15"),
        ({"in_out_dtype": 0xBB}, "RS-V11"),
        ({"in_out_dtype": 0x8A}, "RS-V12"),
        ({"bound0_src": 1, "bound0": 0x42}, "RS-V16"),
        ({"bound1_src": 3}, "RS-V17"),
        ({"dst_mem_pattern": pattern(0x200, 3)}, "RS-V9"),
        ({"reserved1": 1}, None),  # the list has no zero check for the padding
    ],
)
def test_first_broken_rule(change, rule):
    failure = first_failure(select(**change))
    assert (failure and failure[0]) == rule


def test_alternative_without_a_meaning():
    with pytest.raises(AlternativeNotOffered):
        run(select(), accumulator_idle="unknown")
