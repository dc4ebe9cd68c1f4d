"""Banks: the engine registers that instructions leave behind for later ones, as data.

Each bank is an array with a name, a shape and a reset value; a request sets banks by name, an answer and a session
return those that differ from reset. Inactive channels keep their rows. Source: isa/06 section 5.0 [reset values OPEN,
the candidates named there].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .isa.generation import MAX_CHANNELS

Bank = npt.NDArray[np.uint32] | npt.NDArray[np.uint8]


class BankError(ValueError):
    """A bank that does not exist, or contents of another size."""


@dataclass(frozen=True)
class BankSpec:
    """One bank: `shape` and `dtype` of its array (fp32 values are kept as bits), `reset` value of every word.

    A shape that ends in 0 grows with its contents: a queue per lane.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    reset: int | tuple[int, ...]
    meaning: str

    def fresh(self) -> Bank:
        """The bank after reset."""
        return np.broadcast_to(np.array(self.reset, self.dtype), self.shape).copy()


_ONES = 0xFFFF_FFFF
SPECS = (
    BankSpec("match_values", (MAX_CHANNELS, 8), "<u4", 0, "search keys, fp32 bits; loaded by MATCH_VALUE_LOAD"),
    BankSpec("match_flags", (MAX_CHANNELS, 8), "u1", 0, "1 where a key has been matched since it was loaded"),
    BankSpec("index_registers", (MAX_CHANNELS, 8), "<u4", _ONES, "stream indices of matches; read by DVE_READ_INDICES"),
    BankSpec("lane_mask", (32,), "u1", tuple(range(32)), "source lane of each lane of a 32-lane block; 255 keeps it"),
    BankSpec("parameter_ram", (256,), "<u4", 0, "fp32 bits; loaded by LOAD_PARAMETER_RAM"),
    BankSpec("batch_norm", (MAX_CHANNELS, 5), "<u4", 0, "N, mean, A, B, C as fp32 bits"),
    BankSpec("scalar_registers", (MAX_CHANNELS, 8), "<u4", 0, "scalars of the TENSOR_SCALAR_IMM_LD forms, raw bits"),
    BankSpec("scalar_count", (MAX_CHANNELS,), "u1", 0, "how many of scalar_registers were loaded"),
    BankSpec("xorwow", (MAX_CHANNELS, 4, 6), "<u4", 1, "XORWOW state: four generators of six words per lane"),
    BankSpec("lfsr", (MAX_CHANNELS, 4), "<u4", 1, "LFSR state, four words per lane"),
    BankSpec("output_lfsr", (MAX_CHANNELS, 4), "<u4", 1, "LFSR state of the output converter (stochastic rounding)"),
    BankSpec("random_draws", (MAX_CHANNELS, 0), "<u4", 0, "draws to use before the generator, first to last"),
    BankSpec("random_draws_used", (MAX_CHANNELS,), "<u4", 0, "how many of random_draws each lane has used"),
)
BY_NAME: Mapping[str, BankSpec] = {spec.name: spec for spec in SPECS}


class Banks:
    """The arrays of all banks, by name."""

    __slots__ = ("_arrays",)

    def __init__(self) -> None:
        self._arrays: dict[str, Bank] = {}

    def __getitem__(self, name: str) -> Bank:
        if name not in self._arrays:
            self._arrays[name] = BY_NAME[name].fresh()
        return self._arrays[name]

    def load(self, name: str, contents: bytes | npt.ArrayLike) -> None:
        """Set a bank from little-endian bytes or an array.

        Raises BankError for an unknown name or a size that is not the bank's.
        """
        spec = BY_NAME.get(name)
        if spec is None:
            raise BankError(f"unknown bank {name!r}; expected one of {', '.join(BY_NAME)}")
        raw = np.frombuffer(contents, np.uint8) if isinstance(contents, bytes) else np.asarray(contents, spec.dtype)
        words = raw.tobytes()
        itemsize = np.dtype(spec.dtype).itemsize
        shape = spec.shape if spec.shape[-1] else (*spec.shape[:-1], len(words) // (itemsize * spec.shape[0]))
        if len(words) != itemsize * int(np.prod(shape)):
            raise BankError(f"bank {name} takes {itemsize * int(np.prod(shape))} bytes, got {len(words)}")
        self._arrays[name] = np.frombuffer(words, spec.dtype).reshape(shape).copy()

    def replace(self, name: str, array: Bank) -> None:
        """Put an array of the bank's type in its place."""
        self._arrays[name] = array

    def changed(self) -> Iterator[tuple[str, Bank]]:
        """The banks that differ from reset, in the order of SPECS."""
        for spec in SPECS:
            array = self._arrays.get(spec.name)
            if array is not None and not np.array_equal(array, spec.fresh()):
                yield spec.name, array

    def copy(self) -> Banks:
        """An independent copy."""
        twin = Banks()
        twin._arrays = {name: array.copy() for name, array in self._arrays.items()}
        return twin
