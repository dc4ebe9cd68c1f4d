"""The register files, and their contents over any axes of independent cases.

vbool and b32_pr have the same geometry and never alias; no register is hard-wired. Source: isa/07 section 1.1 [H].
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from .errors import BadInput
from .formats import VECTOR_BYTES, Mask
from .operation import Array
from .spelling import hexadecimal, number, register


@dataclass(frozen=True)
class RegisterFile:
    """One file: the prefix of its registers in text, how many text can name, how wide, and how many there are."""

    name: str
    prefix: str
    count: int
    bits: int
    physical: int
    role: str
    modelled: bool = True


FILES = (
    RegisterFile("AR", "a", 16, 32, 64, "scalars; the window of 16 that an operation can name"),
    RegisterFile("BR", "b", 16, 1, 16, "scalar booleans; BR2 to BR16 are views of them, not files"),
    RegisterFile("vec", "v", 32, 512, 32, "vector data"),
    RegisterFile("vbool", "vb", 16, 64, 16, "predicates, one bit per byte of a vector register"),
    RegisterFile("valign", "u", 4, 512, 4, "unaligned access state", modelled=False),
    RegisterFile("wvec", "wv", 4, 1536, 4, "wide accumulators", modelled=False),
    RegisterFile("b32_pr", "pr", 16, 64, 16, "packed scalar operands; data, not predicates"),
    RegisterFile("gvr", "gr", 8, 512, 8, "gather and scatter staging", modelled=False),
    RegisterFile("FS", "fs", 8, 64, 8, "flag state: written by fsNltu2nx8 and movfsv, read by movvfs and the folds"),
)
BY_PREFIX: Mapping[str, RegisterFile] = {file.prefix: file for file in FILES if file.modelled}
_NAME = re.compile(r"([a-z]+)(0|[1-9][0-9]?)")


@dataclass(frozen=True, order=True)
class Name:
    """One register."""

    prefix: str
    index: int

    def __str__(self) -> str:
        return f"{self.prefix}{self.index}"

    @property
    def file(self) -> RegisterFile:
        """The file it is in."""
        return BY_PREFIX[self.prefix]

    @classmethod
    def of(cls, text: str) -> Name:
        """Read a name such as vb3.

        Raises BadInput.
        """
        found = _NAME.fullmatch(text)
        if not found or found[1] not in BY_PREFIX:
            raise BadInput(text[:80], f"is no register; the files are {', '.join(BY_PREFIX)}")
        file = BY_PREFIX[found[1]]
        if int(found[2]) >= file.count:
            raise BadInput(text, f"there are {file.prefix}0 to {file.prefix}{file.count - 1}")
        return cls(found[1], int(found[2]))


class Registers:
    """Every register, zero to begin with, and the sticky Invalid bit.

    cases: the shape of the leading axes; () is one machine. A vector register is uint8 (*cases, 64), any other uint64
    (*cases,).
    """

    def __init__(self, cases: tuple[int, ...] = ()) -> None:
        self.cases = cases
        self.invalid: Mask = np.zeros(cases, np.uint64)
        self._files: dict[str, Array] = {
            prefix: np.zeros((file.count, *cases, VECTOR_BYTES), np.uint8)
            if file.prefix == "v"
            else np.zeros((file.count, *cases), np.uint64)
            for prefix, file in BY_PREFIX.items()
        }

    def __getitem__(self, name: Name) -> Array:
        return np.asarray(self._files[name.prefix][name.index])

    def __setitem__(self, name: Name, value: Array) -> None:
        self._files[name.prefix][name.index] = value

    @property
    def bank(self) -> Mask:
        """The FS words, (*cases, 8)."""
        return np.moveaxis(self._files["fs"], 0, -1)

    def copy(self) -> Registers:
        """Registers of their own with the same contents."""
        twin = Registers(self.cases)
        twin.invalid = self.invalid.copy()
        twin._files = {prefix: values.copy() for prefix, values in self._files.items()}
        return twin

    def __iter__(self) -> Iterator[Name]:
        return (Name(prefix, index) for prefix, file in BY_PREFIX.items() for index in range(file.count))


def loaded(values: Mapping[str, str]) -> Registers:
    """Registers of one machine, from names and spelled values.

    Raises BadInput, whose name is the register's.
    """
    registers = Registers()
    for text, value in values.items():
        name = Name.of(text)
        if name.prefix == "v":
            registers[name] = register(value, text)
        else:
            registers[name] = np.asarray(number(value, name.file.bits, text), np.uint64)
    return registers


def spelled(registers: Registers, name: Name) -> str:
    """One register of one machine as text."""
    if name.prefix == "v":
        return registers[name].tobytes().hex()
    return hexadecimal(int(registers[name]), name.file.bits)
