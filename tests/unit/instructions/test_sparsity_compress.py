"""SPARSITY_COMPRESS and SPARSITY_COMPRESS_TAG. Known answers from isa/06 section 7.4 and W13, the rest by hand."""

import numpy as np
import pytest

from dve_engine import ExecutionError
from dve_engine.instructions.sparsity_compress import pack
from tests.unit.instructions.support import (
    BF16,
    COMPONENTS,
    E3M4,
    E4M3,
    E5M2,
    FP16,
    FP32,
    INT32,
    UINT8,
    UINT16,
    UINT32,
    at,
    bf16,
    f32,
    failures,
    fresh,
    get,
    pattern,
    put,
    record,
    run,
)

MIN, MAX, ABS_MIN, ABS_MAX = 0x08, 0x09, 0x20, 0x21
GROUP = [5, -8, 3, 3, -1, 7]
WINNERS = {  # (value, tag), W13
    MAX: [(3, 2), (3, 3), (5, 0), (7, 5)],
    MIN: [(3, 2), (3, 3), (-1, 4), (-8, 1)],
    ABS_MAX: [(3, 2), (5, 0), (7, 5), (-8, 1)],
    ABS_MIN: [(5, 0), (3, 2), (3, 3), (-1, 4)],
}


def compress(op=MAX, group=6, groups=1, source=FP32, data=BF16, struct=UINT32, lanes=1, **fields):
    base = {
        "in_dtype": source,
        "src_mem_pattern": pattern(0, group, groups, dims=3),
        "out_data_dtype": data,
        "out_struct_dtype": struct,
        "num_active_channels": lanes,
        "op": op,
        "op_dim": 2,
        "dst_mem_pattern": pattern(0x400, 4, groups, dims=3),
    }
    return record(0xE0, **(base | fields))


def tagged(op=MAX, group=6, groups=1, source=FP32, data=FP32, tag=UINT8, packed=0, lanes=1, **fields):
    base = {
        "in_dtype": source,
        "packed_tags": packed,
        "src_mem_pattern": pattern(0, group, groups, dims=2),
        "out_data_dtype": data,
        "out_tag_dtype": tag,
        "num_active_channels": lanes,
        "op": op,
        "op_dim": 2,
        "data_dst_mem_pattern": pattern(0x400, 4, groups, dims=2),
        "tag_dst_mem_pattern": pattern(0x800, 1 if packed else 4, groups, dims=2),
    }
    return record(0xE1, **(base | fields))


def pairs(values, op=MAX, profile="notes", **choices):
    """(value, tag) of the four winners of one group, in the order written."""
    state = fresh("MARIANA")
    put(state, 0, 0, f32(*values))
    run(tagged(op, len(values), tag=UINT32), state, profile, **choices)
    return list(zip(get(state, 0, 0x400, 4).tolist(), get(state, 0, 0x800, 4, "<u4").tolist(), strict=True))


@pytest.mark.parametrize("op", WINNERS)
def test_winners_least_extreme_first(op):
    """The codes stand opposite to the ALU's: 0x08 is MIN, 0x09 MAX."""
    assert pairs(GROUP, op) == WINNERS[op]


@pytest.mark.parametrize(("op", "values"), [(MAX, GROUP), (ABS_MAX, [-v for v in GROUP])])
def test_packed_tags_component(op, values):
    component = COMPONENTS["06-W13-packed-tags"]
    assert component["group"] == GROUP
    state = fresh("MARIANA")
    put(state, 0, 0, f32(*values))
    run(tagged(op, packed=1, tag=UINT16), state)
    if op == MAX:
        assert get(state, 0, 0x800, 1, "<u2").tolist() == [int(component["packed"], 16)]
    else:
        assert get(state, 0, 0x800, 1, "<u2").tolist() == [0x1502]


def test_pack_masks_to_four_bits():
    assert pack(np.array([[2, 3, 0, 5, 17, 0, 0, 1]], np.uint32)).tolist() == [[0x5032, 0x1001]]


# -- ties, NaN, signs --------------------------------------------------------------------------------------------------


def test_ties_prefer_the_earlier():
    assert pairs([1, 1, 1, 1, 1, 0]) == [(1, 0), (1, 1), (1, 2), (1, 3)]
    later = pairs([1, 1, 1, 1, 1, 0], sparsity_ranking="later-index-nan-last-signed")
    assert later == [(1, 4), (1, 3), (1, 2), (1, 1)]


def test_signed_zeros_tie():
    assert [tag for _, tag in pairs([-0.0, 0.0, -0.0, 0.0, -1])] == [0, 1, 2, 3]


def test_nan_never_wins_against_a_number():
    got = pairs([np.nan, 1, -np.inf, np.nan, 2, 3], MAX)
    assert got == [(-np.inf, 2), (1, 1), (2, 4), (3, 5)]
    assert pairs([np.nan, 1, np.inf, np.nan, 2, 3], MIN) == [(np.inf, 2), (3, 5), (2, 4), (1, 1)]


def test_nan_fills_up_as_the_least_extreme():
    got = pairs([7, np.nan, 8, np.nan], MAX)
    assert [tag for _, tag in got] == [1, 3, 0, 2]
    assert np.isnan([value for value, _ in got[:2]]).all()


def test_magnitude_alternative():
    magnitude = "earlier-index-nan-last-magnitude"
    assert pairs(GROUP, ABS_MAX, sparsity_ranking=magnitude) == [(3, 2), (5, 0), (7, 5), (8, 1)]
    assert pairs(GROUP, MIN, sparsity_ranking=magnitude) == WINNERS[MIN]


def test_the_ranking_is_named_only_where_it_matters():
    def named(values, op):
        state = fresh("MARIANA")
        put(state, 0, 0, f32(*values))
        return "sparsity-ranking" in run(tagged(op, len(values)), state).assumptions

    assert not named([1, 2, 3, 4, 5, 5.5], MAX)
    assert not named([1, 1, 3, 4, 5, 6], MAX)  # the tie is among the losers
    assert named([2, 2, 1, 4, 5, 6], MAX)  # a tie at the cut
    assert named([-1, 2, 3, 4, 5, 6], ABS_MIN)
    assert not named([-1, 2, 3, 4, 5, 6], ABS_MAX)


# -- groups and formats ------------------------------------------------------------------------------------------------


def test_groups_and_lanes():
    state = fresh("MARIANA")
    put(state, 0, 0, bf16(*GROUP, *range(6)), bf16(*range(12)))
    run(compress(groups=2, source=BF16, lanes=2), state)
    words = get(state, 0, 0x400, 8, "<u4")
    assert (words >> 16).tolist() == [2, 3, 0, 5, 2, 3, 4, 5]
    assert (words & 0xFFFF).tolist() == bf16(3, 3, 5, 7, 2, 3, 4, 5).tolist()
    assert (get(state, 1, 0x400, 8, "<u4") & 0xFFFF).tolist() == bf16(2, 3, 4, 5, 8, 9, 10, 11).tolist()


@pytest.mark.parametrize("op_dim", [4, 5])
def test_group_over_all_dimensions_counts_through(op_dim):
    """XYZ and XYZW are all three dimensions; the tag is the place in the walk."""
    state = fresh("MARIANA")
    put(state, 0, 0, f32(*range(12)))
    shape = {"src_mem_pattern": pattern(0, 2, 3, 2, dims=3, steps=[1, 2, 6]), "op_dim": op_dim}
    program = compress(MIN, dst_mem_pattern=pattern(0x400, 4, dims=3), **shape)
    assert failures(program, "MARIANA") == []
    run(program, state)
    assert (get(state, 0, 0x400, 4, "<u4") >> 16).tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize(("dtype", "codes"), [(E3M4, [0x48, 0x48, 0x54, 0x5C]), (E5M2, [0x42, 0x42, 0x45, 0x47])])
def test_fp8_structs_are_two_bytes(dtype, codes):
    state = fresh("MARIANA")
    put(state, 0, 0, f32(*GROUP))
    run(compress(data=dtype, struct=UINT16), state)
    assert get(state, 0, 0x400, 8, "u1").tolist() == [codes[0], 2, codes[1], 3, codes[2], 0, codes[3], 5]


def test_overlong_tags_keep_their_low_bits():
    values = np.zeros(300, "<f4")
    values[[0, 255, 256, 299]] = 1, 2, 3, 4
    state = fresh("MARIANA")
    put(state, 0, 0x1000, values)
    run(compress(data=E4M3, struct=UINT16, src_mem_pattern=pattern(0x1000, 300, dims=3)), state)
    assert get(state, 0, 0x400, 8, "u1")[1::2].tolist() == [0, 255, 0, 43]
    run(tagged(packed=1, tag=UINT16, src_mem_pattern=pattern(0x1000, 300, dims=2)), state)
    assert get(state, 0, 0x800, 1, "<u2").tolist() == [0xB0F0]


def test_transposed_source():
    """After the tile transpose lane p holds element p of the 32 lanes."""
    state = fresh("MARIANA")
    put(state, 0, 0, *(f32(*(lane * 100 + k for k in range(32))) for lane in range(32)))
    program = compress(group=32, lanes=32, transpose_src=1, source=FP32, data=FP16)
    run(program, state)
    words = get(state, 3, 0x400, 4, "<u4")
    assert (words >> 16).tolist() == [28, 29, 30, 31]
    assert (words & 0xFFFF).astype("<u2").view("<f2").tolist() == [2804, 2904, 3004, 3104]  # 28xx ties to 4


# -- rules -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "rules"),
    [
        ({"group": 4}, []),
        ({"group": 3}, ["V6"]),
        ({"dst_mem_pattern": pattern(0x400, 5, dims=3)}, ["V7"]),
        ({"op_dim": 3}, []),
        ({"op_dim": 0}, ["V5", "V6", "V7"]),
        ({"op": 0x0A}, ["V4"]),
        ({"source": 0x0B}, ["V3"]),
        ({"transpose_src": 2}, ["V9"]),
        ({"transpose_src": 1}, ["V9"]),
        ({"transpose_src": 1, "lanes": 32, "group": 32}, []),
        ({"transpose_src": 1, "lanes": 32, "group": 33}, ["V9"]),
        ({"data": FP16}, []),
        ({"data": FP32}, ["V10"]),
        ({"data": E5M2}, ["V10"]),
        ({"data": E5M2, "struct": UINT16}, []),
        ({"reserved2": [0] * 9 + [1]}, ["V2"]),
    ],
)
def test_struct_form_breaks(fields, rules):
    assert failures(compress(**fields), "MARIANA") == [f"SC-{r}" for r in rules]


@pytest.mark.parametrize(
    ("fields", "rules"),
    [
        ({}, []),
        ({"op_dim": 4}, ["V5"]),
        ({"data": 0x0C}, ["V10"]),
        ({"data": INT32}, []),
        ({"tag": 0x02}, ["V10"]),
        ({"packed": 1, "tag": UINT16}, []),
        ({"packed": 1, "tag": UINT8}, ["V10"]),
        ({"packed": 2, "tag": UINT16}, ["V10"]),
        ({"tag_dst_mem_pattern": pattern(0x800, 3, dims=2)}, ["V10"]),
        ({"packed": 1, "tag": UINT16, "tag_dst_mem_pattern": pattern(0x800, 4, dims=2)}, ["V10"]),
        ({"tag_dst_mem_pattern": pattern(at(32, 0x800), 4, dims=2)}, ["V11"]),
        ({"tag_dst_mem_pattern": pattern(0x200_0800, 4, dims=2)}, ["V11"]),
        ({"tag_dst_mem_pattern": pattern(0x8000_0003, 4, dims=2)}, []),
    ],
)
def test_tag_form_breaks(fields, rules):
    assert failures(tagged(**fields), "MARIANA") == [f"SCT-{r}" for r in rules]


def test_lists_without_pattern_rules_are_bounded_at_run_time():
    """A zero count that no rule of these lists sees is never carried out."""
    nothing = compress(groups=1, src_mem_pattern=pattern(0, 6, 0, dims=3), dst_mem_pattern=pattern(0x400, 4, 0, dims=3))
    assert failures(nothing, "MARIANA") == []
    with pytest.raises(ExecutionError, match="count of 0"):
        run(nothing, fresh("MARIANA"))
    outside = compress(dst_mem_pattern=pattern(0x1FFF_0000, 4, dims=3))
    assert failures(outside, "MARIANA") == []
    with pytest.raises(ExecutionError):
        run(outside, fresh("MARIANA"))


def test_waived_counts_are_compared_at_run_time():
    program = compress(dst_mem_pattern=pattern(0x4000_0400, 5, dims=3))
    assert failures(program, "MARIANA") == []
    with pytest.raises(ExecutionError, match="expected 4"):
        run(program, fresh("MARIANA"), shape_register="treat-as-static")
