"""Write 64-byte records by field names, until there is an assembler: layouts and code names are the engine's tables.

    record("TENSOR_SCALAR_ARITH_OP", src_mem_pattern=pattern(address("cayman", "sbuf", 0, 256), (1,), (512,)), op0=...)

Every field that is not named is zero, but for the opcode and the record length, which are filled in.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from dve_engine import Generation, Space, generation_named
from dve_engine.isa.dtypes import Dtype
from dve_engine.isa.generation import INST_WORD_LEN
from dve_engine.isa.layout import struct_of
from dve_engine.isa.opcodes import CATALOG
from dve_engine.isa.struct import INDIRECT, Field, Struct
from dve_engine.memory.address import INDIRECT_BIT, REGISTER_BIT, Location, address_at

from .errors import BadInput

_NUMPY: Mapping[Dtype, npt.DTypeLike] = {
    Dtype.INT8: np.int8, Dtype.UINT8: np.uint8, Dtype.INT16: np.int16, Dtype.UINT16: np.uint16,
    Dtype.INT32: np.int32, Dtype.UINT32: np.uint32, Dtype.BFLOAT16: ml_dtypes.bfloat16, Dtype.FP16: np.float16,
    Dtype.FP32: np.float32, Dtype.FP32R: np.float32,
}  # fmt: skip


@dataclass(frozen=True)
class Pattern:
    """An access pattern: where it starts, and step and count of each dimension, innermost first.

    Steps are in elements.
    """

    start: int
    steps: tuple[int, ...]
    nums: tuple[int, ...]


@dataclass(frozen=True)
class IndirectPattern:
    """A pattern whose offsets come from an index list (MARIANA and later)."""

    index: int
    data: int
    count: int


Value = int | float | bytes | Sequence[int] | Mapping[str, int] | Pattern | IndirectPattern


def address(generation: str | Generation, space: str | Space, partition: int, byte: int) -> int:
    """The address word of a byte of a partition on a generation. Raises BadInput where nothing is there."""
    chosen, memory = generation_named(generation), Space(space)
    geometry = memory.geometry(chosen)
    if not memory.exists(chosen) or not 0 <= partition < geometry.partitions or not 0 <= byte < geometry.active_bytes:
        raise BadInput(f"{chosen.name} has no {memory.name} partition {partition} byte {byte}")
    return address_at(Location(memory, partition, byte), chosen)


def register(number: int) -> int:
    """The address word that names an address register."""
    if not 0 <= number < 64:
        raise BadInput(f"register {number} does not lie in 0..63")
    return REGISTER_BIT | number


def pattern(start: int, steps: Sequence[int], nums: Sequence[int]) -> Pattern:
    """A pattern; dimensions that are not given have count 1."""
    if len(steps) != len(nums):
        raise BadInput(f"{len(steps)} steps and {len(nums)} counts; a dimension has both")
    return Pattern(start, tuple(steps), tuple(nums))


def indirect(index: int, data: int, count: int) -> IndirectPattern:
    """A gather or scatter of `count` elements from `data`, by the list at `index`."""
    return IndirectPattern(index, data, count)


def pair(low: int, high: int) -> int:
    """Two dtype codes in one byte."""
    if not (0 <= low <= 15 and 0 <= high <= 15):
        raise BadInput(f"codes {low} and {high} do not fit into four bits each")
    return low | high << 4


def bits(value: float, dtype: Dtype) -> int:
    """A scalar of a dtype as the low bits of an immediate field."""
    if dtype not in _NUMPY:
        raise BadInput(f"no encoder for scalars of {dtype.name}")
    data = np.array(value).astype(_NUMPY[dtype]).tobytes()
    return int.from_bytes(data, "little")


def record(opcode: int | str, **fields: Value) -> bytes:
    """One record.

    A float in a 4-byte field becomes its fp32 bits; `header` and `events` take mappings of their members.

    Raises BadInput for an unknown opcode or field, or a value that does not fit.
    """
    code, struct = _struct(opcode)
    if struct is None:
        raise BadInput(f"no source describes the layout of opcode 0x{code:02X}")
    out = np.zeros(1, struct.dtype)
    out["header"]["opcode"], out["header"]["inst_word_len"] = code, INST_WORD_LEN
    for name, value in fields.items():
        if name not in struct.by_name:
            raise BadInput(f"{struct.name} has no field {name!r}{_near(name, struct.by_name)}")
        try:
            _put(out, struct.by_name[name], value)
        except (OverflowError, TypeError, ValueError) as error:
            raise BadInput(f"{struct.name}.{name}: {value!r} does not fit: {error}") from error
    return out.tobytes()


def program(*records: bytes) -> bytes:
    """Records one after the other."""
    return b"".join(records)


def _struct(opcode: int | str) -> tuple[int, Struct | None]:
    if isinstance(opcode, str):
        codes = {info.name: info.code for info in CATALOG.values()}
        if opcode.upper() not in codes:
            raise BadInput(f"no opcode is named {opcode!r}{_near(opcode.upper(), codes)}")
        return codes[opcode.upper()], struct_of(codes[opcode.upper()])
    return int(opcode), struct_of(int(opcode))


def _near(name: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, known, 1, 0.5)
    return f"; did you mean {near[0]}?" if near else ""


def _put(out: npt.NDArray[np.void], field: Field, value: Value) -> None:
    target = out[field.name]
    if isinstance(value, Pattern):
        dims = target.dtype["step_elem"].shape[0]
        if len(value.nums) > dims:
            raise ValueError(f"the field has {dims} dimensions")
        rest = dims - len(value.nums)
        target["start_addr"] = value.start
        target["step_elem"] = (*value.steps, *[0] * rest)
        target["num_elem"] = (*value.nums, *[1] * rest)
    elif isinstance(value, IndirectPattern):
        union = np.zeros(1, INDIRECT[field.size])
        union["index_addr"], union["data_addr"], union["num"] = value.index | INDIRECT_BIT, value.data, value.count
        target.view(np.uint8)[...] = union.view(np.uint8)
    elif isinstance(value, Mapping):
        for member, item in value.items():
            target[member] = item
    elif isinstance(value, bytes):
        if len(value) != field.size:
            raise ValueError(f"the field has {field.size} bytes")
        out.view(np.uint8)[field.offset : field.offset + field.size] = np.frombuffer(value, np.uint8)
    elif isinstance(value, float):
        out[field.name] = bits(value, Dtype.FP32)
    else:
        out[field.name] = value
