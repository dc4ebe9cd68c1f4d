"""Codes and scalars as words, and back. Source: isa/10 sections 2 to 4.

A code has the word of its enumerator; where profilers print another one, theirs. A code that the generation does not
have is written as a number, so that nothing is lost.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache

import ml_dtypes
import numpy as np
import numpy.typing as npt

from ..isa import aluops, dtypes
from ..isa.aluops import AluOp
from ..isa.codes import CODE_SPACES
from ..isa.dtypes import Dtype, size_bytes
from ..isa.generation import Generation
from ..isa.opcodes import CATALOG

_DTYPE_WORDS = {Dtype.BFLOAT16: "bf16", Dtype.FP8_EXP3: "fp8e3", Dtype.FP8_EXP4: "fp8e4", Dtype.FP8_EXP5: "fp8e5"}
_DTYPE_SYNONYMS = {"FLOAT32": Dtype.FP32, "FLOAT16": Dtype.FP16}  # second spellings that occur
_ALU_WORDS = {AluOp.MULT: "MULTIPLY"}
_ALU_SYNONYMS = {"MULT": AluOp.MULT}
_CLASS_SUFFIX = re.compile("_ARITH(_OP)?$")
_PAIRS = {"IMM_SRC_PAIR": "IMM_SRC", "DTYPE_PAIR": "DTYPE"}  # a half of a pair is a code of its own

FLOATS: Mapping[int, npt.DTypeLike] = {
    Dtype.FP32: np.float32, Dtype.FP32R: np.float32, Dtype.FP16: np.float16, Dtype.BFLOAT16: ml_dtypes.bfloat16,
}  # fmt: skip
INTEGERS: Mapping[int, npt.DTypeLike] = {
    Dtype.INT8: np.int8, Dtype.UINT8: np.uint8, Dtype.INT16: np.int16, Dtype.UINT16: np.uint16,
    Dtype.INT32: np.int32, Dtype.UINT32: np.uint32,
}  # fmt: skip


def mnemonic(opcode: int) -> str:
    """The enumerator as profilers print it; only the suffix of the arithmetic class is dropped, so it is unique."""
    return _CLASS_SUFFIX.sub("", CATALOG[opcode].name)


@cache
def opcodes(generation: Generation) -> dict[str, int]:
    """Every mnemonic of a generation, profiler's spelling first, then the enumerators."""
    codes = [info.code for info in CATALOG.values() if info.is_member(generation)]
    return {mnemonic(code): code for code in codes} | {CATALOG[code].name: code for code in codes}


def enumerated(kind: str) -> bool:
    """Whether a field type is a code that has words."""
    return kind in ("DTYPE", "ALU_OP") or kind in CODE_SPACES


def half(kind: str) -> str:
    """The type of one half of a pair."""
    return _PAIRS[kind]


@cache
def words(kind: str, generation: Generation) -> dict[int, str]:
    """The word of each code of a field type on a generation; members nobody has named have none."""
    if kind == "DTYPE":
        return {
            code: _DTYPE_WORDS.get(Dtype(code), Dtype(code).name.lower()) for code in sorted(dtypes.codes(generation))
        }
    if kind == "ALU_OP":
        return {code: _ALU_WORDS.get(AluOp(code), AluOp(code).name) for code in sorted(aluops.codes(generation))}
    space = CODE_SPACES[kind]
    return {int(m): m.name for m in space.names if int(m) in space.codes(generation)}


@cache
def codes(kind: str, generation: Generation) -> dict[str, int]:
    """The code of each word, in capitals; synonyms included."""
    known = words(kind, generation)
    found = {word.upper(): code for code, word in known.items()}
    synonyms: Mapping[str, int] = {}
    if kind == "DTYPE":
        synonyms = {d.name: d for d in Dtype} | _DTYPE_SYNONYMS
    elif kind == "ALU_OP":
        synonyms = _ALU_SYNONYMS
    return found | {word: int(code) for word, code in synonyms.items() if int(code) in known}


# --- scalars -------------------------------------------------------------------------------------------------


def bits_of(value: float | int, dtype: int) -> int:
    """A scalar as the low bits of a field. Integers wrap nothing: they must fit.

    Raises ValueError for a dtype without an encoder here (FP8 and smaller: write their bits), or a value that does
    not fit.
    """
    if dtype in FLOATS:
        with np.errstate(over="ignore"):
            try:
                made = np.array(float(value), np.float64).astype(FLOATS[dtype])
            except OverflowError as error:
                raise ValueError(f"{value} does not fit") from error
        return int.from_bytes(made.tobytes(), "little")
    if dtype in INTEGERS:
        kind = np.dtype(INTEGERS[dtype])
        if not math.isfinite(value) or value % 1 or not np.iinfo(kind).min <= value <= np.iinfo(kind).max:
            raise ValueError(f"{value} is no {Dtype(dtype).name}")
        return int.from_bytes(np.array(int(value), kind).tobytes(), "little")
    name = Dtype(dtype).name if dtype in dtypes.DTYPES else f"0x{dtype:02X}"
    raise ValueError(f"no value can be written in {name}; write its bits in hex")


def scalar(bits: int, dtype: int) -> str:
    """The word of a scalar: a decimal where it says exactly these bits, hex digits of the whole field where not."""
    size = size_bytes(dtype)
    raw = f"0x{bits:08x}"
    if dtype not in {**FLOATS, **INTEGERS} or bits >> 8 * size:
        return raw
    kind = np.dtype(FLOATS[dtype] if dtype in FLOATS else INTEGERS[dtype])
    value = np.frombuffer(bits.to_bytes(size, "little"), kind)[0]
    if dtype in INTEGERS:
        return str(int(value))
    number = float(value)
    if math.isnan(number):
        return raw
    for word in (f"{number:f}", repr(float(str(value)))):
        if len(word) <= 24 and bits_of(float(word), dtype) == bits:
            return word
    return raw
