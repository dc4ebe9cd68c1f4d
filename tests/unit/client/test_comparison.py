"""assert_memory: the first difference, under a dtype, and steps between numbers."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from dve_client import BadInput, MemoryRegion, region
from dve_client.testing import assert_memory

BF16 = ml_dtypes.bfloat16
QNAN, OTHER_NAN, NEGATIVE_NAN = 0x7FC0_0000, 0x7F80_0001, 0xFFC0_0000


def at(values: Any, dtype: Any = np.float32) -> MemoryRegion:
    return MemoryRegion.of("sbuf", 32, 512, np.asarray(values, dtype))


def said(*arguments: Any, **options: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        assert_memory(*arguments, **options)
    return str(caught.value)


def test_equal_bits_pass() -> None:
    region_of = at([[1, 2], [3, np.nan]])
    assert_memory(region_of, at([[1, 2], [3, np.nan]]))
    assert_memory(region_of, np.array([[1, 2], [3, np.nan]], np.float32))
    assert_memory([region_of], [at([[1, 2]])])  # a part of it
    assert_memory([at([0], np.uint8), region_of], MemoryRegion.of("sbuf", 33, 516, np.array([np.nan], np.float32)))


def test_the_first_difference_is_told_under_the_dtype() -> None:
    got, wanted = at([[1, 2, 3], [4, -np.inf, 6]]), at([[1, 2, 3], [4, 5, 7]])
    assert said(got, wanted, dtype="float32") == (
        "sbuf partition 33, byte 516: as float32 it is -inf (0xFF800000), expected 5.0 (0x40A00000)\n"
        "2 of 6 elements differ, in 1 of 2 partitions"
    )
    assert said(got, wanted).startswith("sbuf partition 33, byte 518: as uint8 it is 128 (0x80), expected 160 (0xA0)\n")


def test_a_dtype_that_numpy_lacks() -> None:
    told = said(at([1, 1.5], BF16), at([1, 1.25], BF16), dtype="bfloat16")
    assert told.startswith("sbuf partition 32, byte 514: as bfloat16 it is 1.5 (0x3FC0), expected 1.25 (0x3FA0)\n")


def test_zeros_of_both_signs_have_other_bits() -> None:
    assert "it is -0.0 (0x80000000), expected 0.0 (0x00000000)" in said(at([-0.0]), at([0.0]), dtype="float32")


STEPS = [  # bits, bits, steps apart
    (0x3F80_0000, 0x3F80_0001, 1),
    (0x3F80_0000, 0x3F7F_FFFE, 2),
    (0x8000_0001, 0x0000_0001, 2),
    (0xBF80_0000, 0xBF80_0003, 3),
]


@pytest.mark.parametrize(("one", "other", "steps"), STEPS)
def test_steps(one: int, other: int, steps: int) -> None:
    a, b = at([one], np.uint32), at([other], np.uint32)
    assert_memory(a, b, dtype=np.float32, ulp=steps)
    assert_memory(b, a, dtype=np.float32, ulp=steps)
    if steps > 1:
        assert f"\n{steps} steps apart; {steps - 1} are allowed\n" in said(a, b, dtype=np.float32, ulp=steps - 1)
    else:
        said(a, b, dtype=np.float32)


def test_steps_of_eight_bits() -> None:
    a, b = at([0x38, 0xB8], np.uint8), at([0x39, 0xB7], np.uint8)
    assert_memory(a, b, dtype="float8_e4m3fn", ulp=1)
    assert "2 of 2 elements differ" in said(a, b, dtype="float8_e4m3fn")


def test_zeros_and_nans_under_ulp() -> None:
    assert_memory(at([-0.0]), at([0.0]), dtype="float32", ulp=1)
    for other in (OTHER_NAN, NEGATIVE_NAN):
        assert_memory(at([QNAN], np.uint32), at([other], np.uint32), dtype="float32", ulp=1)
    for number in (np.inf, 1):
        assert "it is nan" in said(at([QNAN], np.uint32), at([number]), dtype="float32", ulp=1 << 40)


def test_an_infinity_is_near_nothing() -> None:
    largest = np.finfo(np.float32).max
    assert "it is inf" in said(at([np.inf]), at([largest]), dtype="float32", ulp=1)
    assert "it is inf" in said(at([np.inf]), at([-np.inf]), dtype="float32", ulp=1 << 40)


@pytest.mark.parametrize(
    ("actual", "expected", "options", "said"),
    [
        (at([1]), np.array([1.0]), {"dtype": "float32"}, "is float64, not float32"),
        (at([1, 2]), np.array([1], np.float32), {}, "does not fill"),
        ([at([1]), at([1])], np.array([1], np.float32), {}, "one region, not with 2"),
        (at([1]), MemoryRegion.of("psum", 32, 512, np.zeros(4, np.uint8)), {}, "was not read back"),
        (at([1, 2, 3], np.uint8), at([1, 2, 3], np.uint8), {"dtype": "float32"}, "not whole elements"),
        (at([1]), at([1]), {"dtype": "int32", "ulp": 1}, "not for int32"),
        (at([1]), at([1]), {"dtype": "float8_e8m0fnu", "ulp": 1}, "not for float8_e8m0fnu"),
        (at([1] * 4), at([1] * 4), {"dtype": "complex128"}, "complex128 has 16"),
        (at([1]), at([1]), {"dtype": "float32", "ulp": -1}, "ulp is -1"),
    ],
)
def test_what_cannot_be_compared(actual: Any, expected: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        assert_memory(actual, expected, **options)


def test_nothing_compared_is_no_success() -> None:
    assert said(at([1]), []) == "no memory is expected: nothing was compared"
    empty = MemoryRegion(region("sbuf", 0, 0, 0), np.zeros((1, 0), np.uint8))
    assert said(empty, empty) == "no memory is expected: nothing was compared"
