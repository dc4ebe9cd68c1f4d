"""Memory against what it should hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from ..answers import RunAnswer, SessionMemory
from ..errors import BadInput
from ..memory import MemoryRegion, bytes_within

Memory = RunAnswer | SessionMemory | MemoryRegion | Iterable[MemoryRegion]


def assert_memory(
    actual: Memory, expected: Memory | npt.NDArray[Any], *, dtype: npt.DTypeLike | None = None, ulp: int = 0
) -> None:
    """Assert that memory holds what is expected; regions of `actual` that `expected` does not name may hold anything.

    expected: regions, or an array (partitions, elements) where `actual` is one region. dtype: how the bytes are read,
    for messages and for ulp; None for that of the array, or uint8. ulp: 0 compares bits; more lets numbers of a
    floating dtype lie so many steps apart, where zeros of both signs are one, an infinity matches only itself, and
    every NaN matches every NaN.
    Raises AssertionError that names the first difference, BadInput for what cannot be compared.
    """
    __tracebackhide__ = True
    if ulp < 0:
        raise BadInput(f"ulp is {ulp}; it must be 0 or more")
    got = regions(actual)
    wanted, kind = _expected(expected, got, dtype)
    if not any(one.data.size for one in wanted):
        raise AssertionError("no memory is expected: nothing was compared")
    for one in wanted:
        place = one.region
        found = MemoryRegion(place, bytes_within(got, place))
        told = _difference(found, one, kind, ulp)
        if told:
            raise AssertionError(told)


def regions(memory: Memory) -> tuple[MemoryRegion, ...]:
    """The regions of an answer, or those given."""
    if isinstance(memory, RunAnswer | SessionMemory):
        return memory.memory
    return (memory,) if isinstance(memory, MemoryRegion) else tuple(memory)


def _expected(
    expected: Memory | npt.NDArray[Any], got: tuple[MemoryRegion, ...], dtype: npt.DTypeLike | None
) -> tuple[tuple[MemoryRegion, ...], np.dtype[Any]]:
    if not isinstance(expected, np.ndarray):
        return regions(expected), np.dtype(np.uint8 if dtype is None else dtype)
    kind = expected.dtype if dtype is None else np.dtype(dtype)
    if expected.dtype != kind:
        raise BadInput(f"the expected array is {expected.dtype}, not {kind}")
    if len(got) != 1:
        raise BadInput(f"an array is compared with one region, not with {len(got)}")
    place = got[0].region
    one = MemoryRegion.of(place.space, place.partition, place.byte, expected)
    if one.region != place:
        raise BadInput(f"an array of {expected.dtype} {expected.shape} does not fill {place}")
    return (one,), kind


def _difference(found: MemoryRegion, wanted: MemoryRegion, kind: np.dtype[Any], ulp: int) -> str | None:
    place = found.region
    if kind.itemsize not in (1, 2, 4, 8) or kind.hasobject:
        raise BadInput(f"elements have 1, 2, 4 or 8 bytes; {kind} has {kind.itemsize}")
    if place.size % kind.itemsize:
        raise BadInput(f"{place.size} bytes are not whole elements of {kind}")
    if ulp and not _counts_steps(kind):
        raise BadInput(f"ulp is for floating dtypes with a sign, not for {kind}")
    got, expected = found.view(kind), wanted.view(kind)  # (partitions, elements)
    bits = np.dtype(f"<u{kind.itemsize}")
    differs = found.view(bits) != wanted.view(bits)
    apart = None
    if ulp:
        apart = _steps(found.view(bits), wanted.view(bits))
        finite, nan = np.isfinite(got) & np.isfinite(expected), np.isnan(got) & np.isnan(expected)
        differs &= ~nan & (~finite | (apart > ulp))
    if not differs.any():
        return None
    row, column = (int(number) for number in np.argwhere(differs)[0])
    byte = place.byte + column * kind.itemsize
    digits = 2 * kind.itemsize
    told = [
        f"{place.space.value} partition {place.partition + row}, byte {byte}: as {kind} it is {got[row, column]} "
        f"(0x{int(found.view(bits)[row, column]):0{digits}X}), expected {expected[row, column]} "
        f"(0x{int(wanted.view(bits)[row, column]):0{digits}X})"
    ]
    if apart is not None:
        told.append(f"{int(apart[row, column])} steps apart; {ulp} are allowed")
    rows = int(differs.any(axis=1).sum())
    told.append(f"{int(differs.sum())} of {differs.size} elements differ, in {rows} of {place.partitions} partitions")
    return "\n".join(told)


def _counts_steps(kind: np.dtype[Any]) -> bool:
    try:
        return float(ml_dtypes.finfo(kind).min) < 0  # type: ignore[no-untyped-call]
    except ValueError:
        return False


def _steps(got: npt.NDArray[Any], expected: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """How many representable numbers lie between bits of the same floating format."""
    sign = np.uint64(1 << (8 * got.itemsize - 1))
    (a, b) = (word.astype(np.uint64) for word in (got, expected))
    (low, high) = (word & (sign - np.uint64(1)) for word in (a, b))
    across = (a & sign) != (b & sign)
    return np.where(across, low + high, np.maximum(low, high) - np.minimum(low, high))
