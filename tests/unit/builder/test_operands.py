"""Operands against NumPy: a part of an operand visits the bytes that the same part of an array does."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dve_engine import CAYMAN, GENERATIONS, MAVERICK
from dve_engine.builder import BuildError, Operand, at_register, psum, sbuf
from dve_engine.isa.dtypes import Dtype

LANES, FREE = 5, (3, 4, 6)
BASE = sbuf(32, 1000, "int16", (LANES, *FREE))
OFFSETS = np.arange(np.prod(FREE)).reshape(FREE)  # in elements, of one lane


def visited(operand):
    """Per lane, elements in NumPy order: (lane partition, byte)."""
    axes = [range(count) for count in operand.shape[1:]]
    steps = operand.steps
    walk = [operand.byte + 2 * sum(i * s for i, s in zip(at, steps, strict=True)) for at in itertools.product(*axes)]
    return [(operand.partition + lane, byte) for lane in range(operand.lanes) for byte in walk]


def expected(lanes, elements):
    return [(32 + lane, 1000 + 2 * int(element)) for lane in np.arange(LANES)[lanes] for element in elements.ravel()]


def part(length):
    step = st.sampled_from((None, 1, 2, 3, -1, -2))
    ends = st.one_of(st.none(), st.integers(-length - 1, length + 1))
    return st.one_of(st.integers(-length, length - 1), st.builds(slice, ends, ends, step))


@given(lanes=st.builds(slice, st.integers(0, LANES - 1), st.none()), index=st.tuples(*map(part, FREE)))
def test_parts_are_numpy_s(lanes, index):
    wanted = OFFSETS[index]
    if wanted.size == 0:
        with pytest.raises(BuildError):
            BASE[(lanes, *index)]
        return
    got = BASE[(lanes, *index)]
    assert got.shape[1:] == wanted.shape
    assert visited(got) == expected(lanes, wanted)


@pytest.mark.parametrize(
    "index", [(..., 0), (slice(1, 3), ...), (slice(None), 1, ...), (slice(None), ..., slice(1, 3)), ...]
)
def test_ellipsis(index):
    whole = np.stack([OFFSETS] * LANES)
    wanted = whole[index]
    assert BASE[index].shape == wanted.shape


@given(axes=st.permutations((1, 2, 3)), count=st.integers(1, 4))
def test_axes_in_another_order(axes, count):
    moved = BASE.transpose(*axes)
    assert visited(moved) == expected(slice(None), OFFSETS.transpose([axis - 1 for axis in axes]))
    repeated = moved.broadcast(count)
    assert visited(repeated) == [place for place in visited(moved) for _ in range(count)]
    assert BASE.transpose() == BASE.transpose(3, 2, 1)


def test_numpy_integers_are_indices():
    assert BASE[:, np.int64(1)] == BASE[:, 1]


def test_one_lane_stays_a_lane():
    assert BASE[2].shape == (1, *FREE)
    assert BASE[2].partition == 34


@pytest.mark.parametrize(
    ("dtype", "known"),
    [
        ("bf16", Dtype.BFLOAT16), ("bfloat16", Dtype.BFLOAT16), (ml_dtypes.bfloat16, Dtype.BFLOAT16),
        (np.float32, Dtype.FP32), (np.dtype("u1"), Dtype.UINT8), ("fp8e4", Dtype.FP8_EXP4), (10, Dtype.FP32),
        ("INT32", Dtype.INT32), (Dtype.INT8, Dtype.INT8), (float, None), ("fp33", None), (0x77, None), (None, None),
    ],
)  # fmt: skip
def test_dtypes(dtype, known):
    if known is None:
        with pytest.raises(BuildError, match="is no dtype"):
            sbuf(0, 0, dtype, (1, 1))
    else:
        assert sbuf(0, 0, dtype, (1, 1)).code is known


@pytest.mark.parametrize("generation", GENERATIONS, ids=repr)
def test_addresses_follow_the_partition_stride(generation):
    stride = 0x10_0000 if generation is MAVERICK else 0x4_0000
    assert sbuf(3, 17, "uint8", (1, 1)).word(generation) == 3 * stride + 17
    for partition, byte in ((128, 0), (-1, 0), (0, stride), (0, -1)):
        with pytest.raises(BuildError, match=f"{generation.name} has no SBUF"):
            sbuf(partition, byte, "uint8", (1, 1)).word(generation)
    if generation is MAVERICK:
        with pytest.raises(BuildError, match="MAVERICK has no PSUM"):
            psum(0, 0, "fp32", (1, 1)).word(generation)
    else:
        assert psum(2, 4, "fp32", (1, 1)).word(generation) == 0x200_0000 + 2 * 0x8000 + 4
    assert at_register(5, "fp32", (1, 1)).word(generation) == 0x8000_0005


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Operand("dram", 0, 0, "fp32", (1,)), "none of sbuf, psum|none of psum, sbuf"),
        (lambda: sbuf(0, 0, "fp32", ()), "number of lanes"),
        (lambda: sbuf(0, 0, "fp32", (4, 0)), "no axis is empty"),
        (lambda: sbuf(0, 0, "fp32", (4, 2), (1, 1)), "2 steps for 1 axes"),
        (lambda: at_register(64, "fp32", (1, 1)), "0..63"),
        (lambda: BASE[0, 0, 0, 0, 0], "5 indices for 4 axes"),
        (lambda: BASE[..., ...], "2 indices for 4 axes"),
        (lambda: BASE[:, 3], "index 3"),
        (lambda: BASE[::2], "side by side"),
        (lambda: BASE[:, "a"], "no index"),
        (lambda: BASE.transpose(1, 2), "another order"),
        (lambda: at_register(1, "fp32", (4, 8))[:, 4:], "a register places"),
        (lambda: sbuf(0, 0, "fp4_exp2", (4, 8))[:, 4:], "no address of their own"),
    ],
)
def test_what_is_no_operand(make, said):
    with pytest.raises(BuildError, match=said):
        make()


def test_the_start_of_what_a_register_places():
    assert at_register(1, "fp32", (4, 8))[:, :4] == at_register(1, "fp32", (4, 4))
    assert sbuf(0, 64, "int32", (4, 8)).view("fp32").word(CAYMAN) == 64
