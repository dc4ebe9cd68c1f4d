"""MATCH_VALUE_LOAD, FIND_INDEX8, MATCH_REPLACE8. Expected values from isa/04 section 8 and isa/06 section 5.10."""

import numpy as np
import pytest

from dve_engine import ExecutionError, NotModelled
from tests.unit.instructions.search_support import (
    ALL_GENERATIONS,
    BF16,
    FP16,
    FP32,
    FP32R,
    INT8,
    INT16,
    INT32,
    UINT8,
    UINT16,
    UINT32,
    bits,
    f32,
    first_failure,
    pattern,
    record,
    run,
    sbuf,
)

MISS = 0xFFFFFFFF


def load(**fields):
    """Keys from 0x40."""
    base = {"src_mem_pattern": pattern(0x40, 8), "num_active_channels": 1, "dtype": FP32}
    return record("S2_BN", 0x6D, **(base | fields))


def find(count, **fields):
    """Stream from 0x100, indices to 0x8000."""
    base = {
        "src_mem_pattern": pattern(0x100, count),
        "dst_mem_pattern": pattern(0x8000, 8),
        "num_active_channels": 1,
        "in_dtype": FP32,
        "out_dtype": UINT32,
    }
    return record("S4D2_BN", 0x6E, **(base | fields))


def replace(count, value=-1.0, **fields):
    """Stream from 0x100 to 0x9000."""
    base = {
        "src_mem_pattern": pattern(0x100, count),
        "dst_mem_pattern": pattern(0x9000, count),
        "num_active_channels": 1,
        "in_dtype": FP32,
        "out_dtype": FP32,
        "immediate": value,
    }
    return record("S4D4_MR", 0x6F, **(base | fields))


def read(step=1, dtype=UINT32, **fields):
    """Index registers to 0xA000, by a negative step from the last of eight."""
    size = 4 if dtype == UINT32 else 2
    start = 0xA000 if step > 0 else 0xA000 + 7 * size
    base = {
        "dst_element_count": 8,
        "dtype": dtype,
        "num_active_channels": 1,
        "dst_mem_pattern": pattern(start, 8, steps=[step]),
    }
    return record("D4_MR", 0xE9, **(base | fields))


def keys_and(stream, keys):
    return [(sbuf(0, 0x40), keys), (sbuf(0, 0x100), stream)]


def procedure(stream, mv, matched):
    """Section 8.3's scan for one lane: element by element, lowest key first."""
    idx, matched = [MISS] * 8, list(matched)
    for e, x in enumerate(stream):
        for n in range(8):
            if not matched[n] and x == mv[n]:
                matched[n], idx[n] = True, e
                break
    return idx, matched


def test_load_reverses_converts_and_arms():
    stream = np.array([1, -2, 3, 4, 5, 6, 7, 127], "i1")
    flags = np.ones((128, 8), "u1")
    done = run(load(dtype=INT8), memory=[(sbuf(0, 0x40), stream)], banks={"match_flags": flags})
    assert done.state.banks["match_values"][0].tolist() == f32(127, 7, 6, 5, 4, 3, -2, 1).view("<u4").tolist()
    assert done.state.banks["match_flags"][0].tolist() == [0] * 8
    assert done.state.banks["match_flags"][1:].all()  # inactive lanes keep theirs
    big = np.array([2**24 + 1, *range(7)], "<u4")
    done = run(load(dtype=UINT32), memory=[(sbuf(0, 0x40), big)])
    assert done.state.banks["match_values"][0, 7] == 0x4B800000
    assert "int32-arithmetic" not in done.assumptions


@pytest.mark.parametrize("shape", [(8, 1), (4, 2), (2, 4), (1, 8)])
def test_load_takes_eight_in_any_shape(shape):
    program = load(src_mem_pattern=pattern(0x40, *shape, steps=[1, shape[0]]))
    done = run(program, memory=[(sbuf(0, 0x40), f32(*range(8)))])
    assert done.state.banks["match_values"][0].tolist() == f32(*range(7, -1, -1)).view("<u4").tolist()


PUBLISHED = f32(1, 2, 3, 4, *[8] * 7)
PUBLISHED_KEYS = f32(3, *[8] * 7)


@pytest.mark.parametrize("generation", ALL_GENERATIONS[1:])
def test_published_match_replace8_example(generation):
    """The NKI page's data, keys and result, indices read backwards into a negative-step destination."""
    done = run(load() + replace(11) + read(step=-1), generation, keys_and(PUBLISHED, PUBLISHED_KEYS))
    assert done.elements(sbuf(0, 0xA000), "<u4", 8).tolist() == [2, 10, 9, 8, 7, 6, 5, 4]
    assert done.elements(sbuf(0, 0x9000), "<f4", 11).tolist() == [1, 2, -1, 4, *[-1] * 7]


def test_published_example_in_slot_order_and_the_other_reading():
    done = run(load() + replace(11) + read(), memory=keys_and(PUBLISHED, PUBLISHED_KEYS))
    assert done.elements(sbuf(0, 0xA000), "<u4", 8).tolist() == [4, 5, 6, 7, 8, 9, 10, 2]
    done = run(
        load() + replace(11) + read(), memory=keys_and(PUBLISHED, PUBLISHED_KEYS), read_indices_order="slot-7-first"
    )
    assert done.elements(sbuf(0, 0xA000), "<u4", 8).tolist() == [2, 10, 9, 8, 7, 6, 5, 4]
    assert done.assumptions["read-indices-order"] == "slot-7-first"


@pytest.mark.parametrize(("dtype", "kind", "ones"), [(UINT32, "<u4", MISS), (UINT16, "<u2", 0xFFFF)])
def test_find_index8_miss_is_all_ones(dtype, kind, ones):
    program = load(src_mem_pattern=pattern(0x5C, 8, steps=[-1])) + find(8, out_dtype=dtype)
    keys = f32(5, 100, 3, -7, 0, np.nan, 4, 6)
    done = run(program, memory=keys_and(f32(0, 1, 2, 3, 4, 5, 6, 7), keys))
    assert done.elements(sbuf(0, 0x8000), kind, 8).tolist() == [5, ones, 3, ones, 0, ones, 4, 6]


def test_find_index8_equal_keys_get_successive_occurrences():
    program = load(src_mem_pattern=pattern(0x5C, 8, steps=[-1])) + find(10)
    stream = f32(7, 5, 7, 5, 7, 5, 9, 9, 7, 1)
    done = run(program, memory=keys_and(stream, f32(7, 5, 7, 5, 7, 7, 7, 9)))
    assert done.elements(sbuf(0, 0x8000), "<u4", 8).tolist() == [0, 1, 2, 3, 4, 8, MISS, 6]


def test_zero_of_either_sign_and_nan():
    """Section 12.7: a key 0.0 takes -0.0; the later +0.0 is not replaced, the NaN never."""
    keys = f32(0, np.nan, 5, 9, 9, 9, 9, 9)
    stream = bits(0x7FC00000, 0x80000000, 0, 0x40A00000)
    done = run(load() + replace(4), memory=keys_and(stream, keys))
    assert done.elements(sbuf(0, 0x9000), "<u4", 4).tolist() == [0x7FC00000, 0xBF800000, 0, 0xBF800000]
    assert done.state.banks["index_registers"][0].tolist() == [MISS] * 5 + [3, MISS, 1]


def test_flags_persist_until_the_next_load():
    program = load() + find(8) + find(8, dst_mem_pattern=pattern(0x8100, 8))
    stream = f32(*range(8))
    done = run(program, memory=keys_and(stream, stream))
    assert done.elements(sbuf(0, 0x8000), "<u4", 8).tolist() == [7, 6, 5, 4, 3, 2, 1, 0]
    assert done.elements(sbuf(0, 0x8100), "<u4", 8).tolist() == [MISS] * 8
    assert done.assumptions["match-flags-lifetime"] == "only-by-load"
    done = run(program, memory=keys_and(stream, stream), match_flags_lifetime="per-instruction")
    assert done.elements(sbuf(0, 0x8100), "<u4", 8).tolist() == [7, 6, 5, 4, 3, 2, 1, 0]


def test_a_key_matched_earlier_gets_all_ones_in_the_index_registers():
    """Every MATCH_REPLACE8 rewrites all eight entries; the second stream meets only the key the first left over."""
    program = load() + replace(8) + replace(8, src_mem_pattern=pattern(0x200, 8))
    memory = [*keys_and(f32(0, 1, 2, 3, 4, 5, 6, 70), f32(*range(8))), (sbuf(0, 0x200), f32(*range(8)))]
    done = run(program, memory=memory)
    assert done.state.banks["index_registers"][0].tolist() == [7, *[MISS] * 7]
    assert done.elements(sbuf(0, 0x9000), "<f4", 8).tolist() == [0, 1, 2, 3, 4, 5, 6, -1]


def test_the_flags_question_is_named_only_when_a_flag_is_set():
    done = run(load() + find(8), memory=keys_and(f32(*range(8)), f32(*range(8))))
    assert "match-flags-lifetime" not in done.assumptions


@pytest.mark.parametrize(
    ("value", "seen"), [("replace-only", [MISS] * 8), ("find-and-replace", [7, 6, 5, 4, 3, 2, 1, 0])]
)
def test_which_search_feeds_read_indices(value, seen):
    done = run(
        load() + find(8) + read(),
        memory=keys_and(f32(*range(8)), f32(*range(8))),
        find_index_feeds_read_indices=value,
    )
    assert done.elements(sbuf(0, 0xA000), "<u4", 8).tolist() == seen
    assert done.assumptions["find-index-feeds-read-indices"] == value


def test_sunda_has_no_read_indices_and_no_such_question():
    done = run(load() + find(8), "SUNDA", keys_and(f32(*range(8)), f32(*range(8))))
    assert "find-index-feeds-read-indices" not in done.assumptions


def test_lanes_search_on_their_own():
    memory = []
    for lane in range(3):
        memory += [(sbuf(lane, 0x40), f32(*range(lane, lane + 8))), (sbuf(lane, 0x100), f32(*range(8)))]
    done = run(load(num_active_channels=3) + find(8, num_active_channels=3), memory=memory)
    assert done.elements(sbuf(2, 0x8000), "<u4", 8).tolist() == [MISS, MISS, 7, 6, 5, 4, 3, 2]
    assert done.elements(sbuf(0, 0x8000), "<u4", 8).tolist() == [7, 6, 5, 4, 3, 2, 1, 0]
    assert done.state.banks["match_flags"][2].tolist() == [0, 0, 1, 1, 1, 1, 1, 1]


def test_index_is_the_walk_position():
    program = load() + find(8, src_mem_pattern=pattern(0x11C, 8, steps=[-1]))
    done = run(program, memory=keys_and(f32(*range(8)), f32(*range(8))))
    assert done.elements(sbuf(0, 0x8000), "<u4", 8).tolist() == [0, 1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("seed", range(20))
def test_against_the_procedure(seed):
    random = np.random.default_rng(seed)
    count = int(random.integers(8, 60))
    palette = np.array([0.0, -0.0, 1, 2, 3, np.nan, np.inf, 1e-45], np.float32)
    stream, keys = palette[random.integers(0, 8, (4, count))], palette[random.integers(0, 8, (4, 8))]
    flags = (random.random((128, 8)) < 0.3).astype("u1")
    values = np.zeros((128, 8), np.uint32)
    values[:4] = keys.view(np.uint32)
    banks = {"match_values": values, "match_flags": flags}
    memory = [(sbuf(lane, 0x100), stream[lane]) for lane in range(4)]
    found = run(find(count, num_active_channels=4), memory=memory, banks=banks)
    replaced = run(replace(count, num_active_channels=4), memory=memory, banks=banks)
    for lane in range(4):
        idx, matched = procedure(stream[lane], keys[lane], flags[lane])
        assert found.elements(sbuf(lane, 0x8000), "<u4", 8).tolist() == idx
        assert found.state.banks["match_flags"][lane].tolist() == [int(m) for m in matched]
        assert replaced.state.banks["index_registers"][lane].tolist() == idx
        expected = stream[lane].copy()
        expected[[i for i in idx if i != MISS]] = -1
        assert replaced.elements(sbuf(lane, 0x9000), "<u4", count).tolist() == expected.view("<u4").tolist()


def test_subnormal_keys_under_flush():
    memory = keys_and(f32(*[9] * 7, 1e-45), f32(*[0] * 8))
    done = run(load() + find(8), memory=memory)
    assert done.elements(sbuf(0, 0x8000), "<u4", 8).tolist() == [MISS] * 8
    done = run(load() + find(8), memory=memory, fp32_subnormals="flush")
    assert done.elements(sbuf(0, 0x8000), "<u4", 8).tolist() == [7, *[MISS] * 7]


def test_pass_through_of_equal_dtypes_moves_bits():
    """INT32 keeps more than 24 bits, BF16 its NaN payload; matching uses the fp32 value all the same."""
    odd = np.array([2**24 + 1, 2**24, 7, -5], "<i4")
    memory = keys_and(odd, f32(2**24, *[3] * 7))
    done = run(load() + replace(4, 1e10, in_dtype=INT32, out_dtype=INT32), memory=memory)
    assert done.elements(sbuf(0, 0x9000), "<i4", 4).tolist() == [2**31 - 1, 2**24, 7, -5]  # 2**24 + 1 rounds to the key
    assert done.assumptions["equal-dtype-conversion"] == "raw-bits"
    memory = keys_and(np.array([2**24 + 3, 1, 2, 4], "<i4"), f32(*[3] * 8))
    program = load() + replace(4, in_dtype=INT32, out_dtype=INT32)
    assert run(program, memory=memory).elements(sbuf(0, 0x9000), "<i4", 1)[0] == 2**24 + 3
    done = run(program, memory=memory, equal_dtype_conversion="via-fp32")
    assert done.elements(sbuf(0, 0x9000), "<i4", 1)[0] == 2**24 + 4
    program = load() + replace(4, in_dtype=BF16, out_dtype=BF16)
    done = run(program, memory=keys_and(bits(0x7F81, 1, 2, 3, kind="<u2"), f32(*[3] * 8)))
    assert done.elements(sbuf(0, 0x9000), "<u2", 4).tolist() == [0x7F81, 1, 2, 3]


@pytest.mark.parametrize(
    ("source", "target", "data", "value", "expected"),
    [
        (FP32, UINT8, f32(3, 300, -2, 2.5), 7.5, [8, 255, 0, 2]),
        (FP32, INT32, f32(3, 1.5, -2.5, 9), -3e9, [0x80000000, 2, 0xFFFFFFFE, 9]),
        (FP32, BF16, f32(3, 1, -2, 0), 1.00390625, [0x3F80, 0x3F80, 0xC000, 0]),
        (UINT16, FP16, np.array([3, 65535, 2048, 2049], "<u2"), 0.5, [0x3800, 0x7C00, 0x6800, 0x6800]),
        (FP16, FP32, np.array([3, 1, -2, 0], "<f2"), float("inf"), [0x7F800000, 0x3F800000, 0xC0000000, 0]),
    ],
)
def test_conversion_of_stream_and_value(source, target, data, value, expected):
    """Element 0 equals the key 3 and is replaced by the value, converted from fp32."""
    kind = {UINT8: "u1", INT32: "<u4", BF16: "<u2", FP16: "<u2", FP32: "<u4"}[target]
    program = load() + replace(4, value, in_dtype=source, out_dtype=target)
    done = run(program, memory=keys_and(data, f32(3, *[1e6] * 7)))
    assert done.elements(sbuf(0, 0x9000), kind, 4).tolist() == expected


def test_value_keeps_nan_bits():
    program = bytearray(load() + replace(4))
    program[64 + 40 : 64 + 44] = (0xFF800001).to_bytes(4, "little")
    done = run(bytes(program), memory=keys_and(f32(3, 0, 0, 0), f32(*[3] * 8)))
    assert done.elements(sbuf(0, 0x9000), "<u4", 1)[0] == 0xFF800001


def test_in_place():
    program = load() + replace(11, dst_mem_pattern=pattern(0x100, 11))
    done = run(program, memory=keys_and(PUBLISHED, PUBLISHED_KEYS))
    assert done.elements(sbuf(0, 0x100), "<f4", 11).tolist() == [1, 2, -1, 4, *[-1] * 7]


@pytest.mark.parametrize(
    ("program", "rule"),
    [
        (load(src_mem_pattern=pattern(0x40, 3, 3)), "MVL-V9"),
        (load(src_mem_pattern=pattern(0x40000040, 3, 3)), None),
        (load(imm0_ptr=0x80000000, imm1=0x80000000), None),  # -0.0 equals 0.0
        (load(imm1=1), "MVL-V10"),
        (load(imm0_src=2), "MVL-V10"),
        (load(reserved3=1), "MVL-V4"),
        (load(dtype=FP32R), "MVL-V5"),
        (find(7), "FI8-V10"),
        (find(16384), None),
        (find(16385), "FI8-V10"),
        (find(8, dst_mem_pattern=pattern(0x8000, 7)), "FI8-V11"),
        (find(8, out_dtype=FP32R), "FI8-V6a"),
        (find(8, out_dtype=1), "FI8-V6"),
        (find(8, even_count=2.0), "FI8-V12"),
        (replace(1), None),
        (replace(16384), None),
        (replace(16385), "MR-V9"),
        (replace(4, dst_mem_pattern=pattern(0x9000, 2)), "MR-V10"),
        (replace(4, in_dtype=INT8), "MR-V6"),
        (replace(4, in_dtype=INT16), "MR-V6"),
        (replace(4, out_dtype=FP32R), "MR-V6"),
        (replace(4, in_dtype=FP32R), "MR-V5a"),
        (replace(4, out_dtype=0x0E), "MR-V6"),
    ],
)
def test_first_broken_rule(program, rule):
    failure = first_failure(program)
    assert (failure and failure[0]) == rule


def test_waived_counts_are_asked_of_the_run():
    program = load(src_mem_pattern=pattern(0x40000040, 3, 3))
    with pytest.raises(NotModelled):
        run(program)
    with pytest.raises(ExecutionError, match="src: 9 elements"):
        run(program, shape_register="treat-as-static")
    done = run(load(src_mem_pattern=pattern(0x40000040, 8)), shape_register="treat-as-static")
    assert "shape-register" in done.assumptions
