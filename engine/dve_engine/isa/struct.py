"""What a 64-byte layout is: fields, NumPy structured dtype, decoding. The layouts themselves are in layout.py."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .generation import ALL, RECORD_BYTES, Generation

Records = npt.NDArray[np.void]  # structured records of one struct


def _tensor(dims: int) -> np.dtype[np.void]:
    return np.dtype([("start_addr", "<u4"), ("step_elem", "<i2", (dims,)), ("num_elem", "<u2", (dims,))])


def _indirect(size: int) -> np.dtype[np.void]:
    return np.dtype([("index_addr", "<u4"), ("data_addr", "<u4"), ("num", "<u2"), ("inert", "u1", (size - 10,))])


HEADER = np.dtype([("opcode", "u1"), ("inst_word_len", "u1"), ("debug_cmd", "u1"), ("debug_hint", "u1")])
EVENTS = np.dtype(
    [("wait_mode", "u1"), ("wait_idx", "u1"), ("update_mode", "u1"), ("update_idx", "u1"), ("semaphore_value", "<u4")]
)
SECOND_WAIT = np.dtype(
    [("wait_mode", "u1"), ("wait_idx", "u1"), ("zero0", "u1"), ("zero1", "u1"), ("semaphore_value", "<u4")]
)
TENSOR = {dims: _tensor(dims) for dims in (1, 2, 3, 4)}
INDIRECT = {12: _indirect(12), 16: _indirect(16), 20: _indirect(20)}  # by size of the union
DATA4D = np.dtype([("base", "<i4"), ("step_elem", "<i2", (4,)), ("num_elem", "<u2", (4,))])
MXMEM_PATTERN1D = np.dtype(
    [("data_addr", "<u4"), ("scale_addr", "<u4"), ("num", "<u2"), ("step", "i1"), ("scale_partition_index", "u1"),
     ("reserved", "u1", (4,))]
)  # fmt: skip

_WIDTH = {
    "u8": "u1",
    "i8": "i1",
    "u16": "<u2",
    "i32": "<i4",
    "u32": "<u4",
    "u64": "<u8",
    "f32": "<u4",
}  # f32 stays bits
_FOUR = ("IMM_VAL_INST_FIELD", "PARTITION_OFFSET")
_NESTED = {
    "HEADER": HEADER, "EVENTS": EVENTS, "SECOND_WAIT": SECOND_WAIT, "DATA4D": DATA4D,
    "MXMEM_PATTERN1D": MXMEM_PATTERN1D,
    **{f"{kind}{n}D": TENSOR[n] for n in TENSOR for kind in ("TENSOR", "PATTERN", "MEM_PATTERN")},
}  # fmt: skip


def _numpy_type(text: str) -> tuple[np.dtype[np.generic], tuple[int, ...]]:
    """The NumPy type and shape of a field type; every other name is a one-byte code."""
    base, count = re.fullmatch(r"(\w+?)(?:\[(\d+)\])?", text).groups()  # type: ignore[union-attr]
    shape = (int(count),) if count else ()
    if base in _NESTED:
        return _NESTED[base], shape
    return np.dtype("<u4" if base in _FOUR else _WIDTH.get(base, "u1")), shape


@dataclass(frozen=True)
class Field:
    """One named run of bytes. `type` as the header spells it; `offset` and `size` in bytes."""

    name: str
    type: str
    offset: int
    size: int

    @property
    def reserved(self) -> bool:
        """Whether the reserved-zero rule of the struct covers it."""
        return self.name.startswith("reserved")

    @property
    def undescribed(self) -> bool:
        """Whether no source says what the bytes mean."""
        return self.name.startswith(("gap", "body"))

    def type_on(self, generation: Generation) -> str:
        """The field's type on one generation."""
        if not self.type.startswith("PATTERN"):
            return self.type
        dims = self.type.removeprefix("PATTERN")
        return ("MEM_PATTERN" if generation.features.mem_pattern_unions else "TENSOR") + dims


@dataclass(frozen=True)
class Struct:
    """One 64-byte layout. `dtype` is its NumPy type, `opcodes` the codes bound to it on at least one generation."""

    name: str
    opcodes: tuple[int, ...]
    fields: tuple[Field, ...]
    generations: frozenset[Generation] = ALL

    def __hash__(self) -> int:
        return hash(self.name)

    @cached_property
    def dtype(self) -> np.dtype[np.void]:
        """The structured dtype, itemsize 64."""
        return np.dtype([(f.name, *_numpy_type(f.type)) for f in self.fields])

    @cached_property
    def by_name(self) -> dict[str, Field]:
        """Fields by name."""
        return {f.name: f for f in self.fields}

    def view(self, records: npt.NDArray[np.uint8]) -> Records:
        """See uint8 (n, 64) as (n,) records of this struct, without a copy where the rows are contiguous."""
        return np.ascontiguousarray(records).view(self.dtype).reshape(len(records))

    def span(self, path: str) -> tuple[int, int]:
        """Byte offset and size of a field or of a member of it, such as `events.wait_mode`."""
        name, _, member = path.partition(".")
        field = self.by_name[name]
        nested = self.dtype.fields[name][0].fields  # type: ignore[index]
        if not member or nested is None:  # the halves of a pair share its byte
            return field.offset, field.size
        if member not in nested:  # a member of the indirect arm of a union
            nested = INDIRECT[field.size].fields
        member_type, offset = nested[member][:2]  # type: ignore[index]
        return field.offset + offset, member_type.itemsize


def column(records: Records | np.void, path: str) -> npt.NDArray[np.generic]:
    """The values of one field for all records, or its value in one.

    The halves of a pair are `.dtype_lo`, `.dtype_hi` and `.imm0_src`, `.imm1_src`.
    """
    name, _, member = path.partition(".")
    values = records[name]
    if not member:
        return values
    if member in ("dtype_lo", "imm0_src"):
        return values & 0xF
    if member in ("dtype_hi", "imm1_src"):
        return values >> 4
    return values[member]


def code_of(record: np.void, path: str) -> int:
    """The value of a one-byte or word field of one record."""
    return int(column(record, path))


def indirect_arm(pattern: np.void) -> np.void:
    """A pattern field of one record, read as its indirect arm."""
    arm: np.void = np.frombuffer(pattern.tobytes(), INDIRECT[pattern.nbytes])[0]
    return arm


def struct(name: str, opcodes: str, body: str, generations: frozenset[Generation] = ALL) -> Struct:
    """Declare a layout: opcodes as hex bytes, the fields after HEADER and EVENTS as `name:TYPE` in byte order.

    Raises AssertionError if the fields do not end at byte 64.
    """
    fields, offset = [], 0
    for item in f"header:HEADER events:EVENTS {body}".split():
        field_name, _, field_type = item.partition(":")
        numpy_type, shape = _numpy_type(field_type)
        size = numpy_type.itemsize * (shape[0] if shape else 1)
        fields.append(Field(field_name, field_type, offset, size))
        offset += size
    if offset != RECORD_BYTES:
        raise AssertionError(f"{name}: fields end at byte {offset}")
    return Struct(name, tuple(int(c, 16) for c in opcodes.split()), tuple(fields), generations)


def decode(program: bytes | npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """See a program as uint8 (n, 64) without copying.

    Raises ProgramLengthError if the length is not a multiple of 64.
    """
    raw = (
        np.frombuffer(program, np.uint8) if isinstance(program, bytes | bytearray | memoryview) else program.reshape(-1)
    )
    if raw.size % RECORD_BYTES:
        raise ProgramLengthError(raw.size)
    return raw.reshape(-1, RECORD_BYTES)


class ProgramLengthError(ValueError):
    """The bytes are not a whole number of records."""

    def __init__(self, size: int) -> None:
        self.size, self.remainder = size, size % RECORD_BYTES
        super().__init__(
            f"a program is a multiple of {RECORD_BYTES} bytes; {size} leaves a remainder of {self.remainder}"
        )
