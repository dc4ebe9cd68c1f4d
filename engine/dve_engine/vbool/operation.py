"""What an operation is: a pure function, the registers it reads and writes, and how sure the page is of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..isa.assumptions import Choices
from .errors import MissingInput

Array = npt.NDArray[Any]
# vec    a vector register, uint8 (..., 64)        vbool, pr   a 64-bit register
# ar     a scalar register                         bit         0 or 1
# index  a count or lane number, immediate or ar   imm         the same, immediate only
# scalar what a reduce gives, `bits` wide          flag        Invalid
# fs     the eight flag-state words, (..., 8)      lane        one lane of a value routine, `bits` wide
# list   words of any number, (..., n)
Kind = Literal["vec", "vbool", "pr", "ar", "bit", "index", "imm", "scalar", "flag", "fs", "lane", "list"]


@dataclass(frozen=True)
class Operand:
    """One input or output by the name that vectors/vbool.json gives it.

    tied: the output whose register an input shares; such an input is not written in text. bank: which word of the FS
    bank an output is, where the mnemonic says so. counted: spelled without leading zeros.
    """

    name: str
    kind: Kind
    bits: int = 64
    tied: str = ""
    optional: bool = False
    bank: int | None = None
    counted: bool = False

    @property
    def implicit(self) -> bool:
        """Whether text leaves the operand out."""
        return bool(self.tied) or self.kind in ("flag", "fs") or self.bank is not None


@dataclass(frozen=True)
class Operation:
    """One mnemonic, or one value routine of a lane.

    function takes the inputs as arrays over any leading axes of independent cases, and `choices` where `assumes` is not
    empty; it gives the outputs in order. bare: an answer is the one output, not an object of outputs.
    Source: isa/07, the section named by `section`.
    """

    mnemonic: str
    function: Callable[..., Any]
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    rule: str
    section: str
    confidence: str = "H"
    assumes: tuple[str, ...] = ()
    routine: bool = False
    bare: bool = True
    note: str = ""

    def __call__(self, *inputs: npt.ArrayLike | None, choices: Choices | None = None) -> Any:
        """Evaluate; one array, or a tuple where there are several outputs.

        Raises MissingInput for an input that is not there, ValueError for a vector register that is not 64 bytes.
        """
        arrays = [
            self._array(operand, given)
            for operand, given in zip(self.inputs, [*inputs, *[None] * (len(self.inputs) - len(inputs))], strict=True)
        ]
        with np.errstate(over="ignore"):  # single values wrap like arrays
            if self.assumes:
                return self.function(*arrays, choices=choices or Choices())
            return self.function(*arrays)

    def _array(self, operand: Operand, given: npt.ArrayLike | None) -> Array | None:
        if given is None:
            if operand.optional:
                return None
            raise MissingInput(self.mnemonic, operand.name)
        if operand.kind != "vec":
            return np.asarray(given, dtype=np.uint64)
        array = np.asarray(given, dtype=np.uint8)
        if array.shape[-1:] != (64,):
            raise ValueError(f"{self.mnemonic}: {operand.name} takes 64 bytes, got shape {array.shape}")
        return array


# --- the operands most rows are made of --------------------------------------------------------------------


def vec(name: str, **more: Any) -> Operand:
    """A vector register."""
    return Operand(name, "vec", 512, **more)


def vbool(name: str, **more: Any) -> Operand:
    """A mask."""
    return Operand(name, "vbool", **more)


def lane(name: str, bits: int, **more: Any) -> Operand:
    """One lane of a value routine."""
    return Operand(name, "lane", bits, **more)


def index(name: str, **more: Any) -> Operand:
    """A count or a lane number."""
    return Operand(name, "index", 32, **more)


A, B = vec("a"), vec("b")
VB, PRED = vbool("vb"), vbool("pred")
OLD = vec("old", tied="vec")
INVALID = Operand("invalid", "flag", 1)
RESULT_BIT = Operand("bit", "bit", 1)


def old_of(output: Operand, *, optional: bool = False) -> Operand:
    """What the register of an output held before."""
    return replace(output, name="old", tied=output.name, optional=optional)
