"""Fields <-> 64 bytes, from the layout tables: the one place where a value becomes bytes of a record.

A path names a field (`op0`), a member of one (`events.wait_mode`, `src_mem_pattern.num_elem`) or half of a pair
(`in0_in1_dtype.dtype_lo`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from ..isa.generation import GENERATIONS, INST_WORD_LEN, RECORD_BYTES
from ..isa.struct import INDIRECT, Field, Struct
from .words import enumerated, half, words

_HALVES = {"DTYPE_PAIR": ("dtype_lo", "dtype_hi"), "IMM_SRC_PAIR": ("imm0_src", "imm1_src")}
_MEMBERS = {"wait_mode": "WAIT_MODE", "update_mode": "UPDATE_MODE", "debug_cmd": "DEBUG_CMD"}
LENGTH_PATH = "header.inst_word_len"


@dataclass(frozen=True)
class Slot:
    """Bytes of a record that hold one value, or `count` of them.

    kind: the field type as the header spells it, which says what words the value has. high: the value is the high
    (True) or low (False) half of its byte.
    """

    path: str
    offset: int
    kind: str
    width_bytes: int
    signed: bool = False
    count: int = 1
    high: bool | None = None

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest value."""
        bits = 4 if self.high is not None else 8 * self.width_bytes
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if self.signed else (0, (1 << bits) - 1)

    @cached_property
    def mask(self) -> int:
        """The bits the slot covers, of a record read as one little-endian number."""
        byte = 0xFF if self.high is None else 0xF0 if self.high else 0x0F
        return int.from_bytes(bytes(self.offset) + bytes([byte]) * (self.width_bytes * self.count), "little")

    def get(self, record: bytes | bytearray) -> tuple[int, ...]:
        """The values in a record."""
        if self.high is not None:
            return (record[self.offset] >> 4 if self.high else record[self.offset] & 15,)
        step = self.width_bytes
        ends = range(self.offset, self.offset + step * self.count, step)
        return tuple(int.from_bytes(record[at : at + step], "little", signed=self.signed) for at in ends)

    def put(self, record: bytearray, values: Sequence[int]) -> None:
        """Write values; those not given are zero.

        Raises ValueError if there are too many, or one does not fit.
        """
        if len(values) > self.count:
            raise ValueError(f"{len(values)} values; the field has {self.count}")
        least, most = self.bounds
        for position, value in enumerate(values):
            if not least <= value <= most:
                raise ValueError(f"{value} does not lie in {least}..{most}")
            at = self.offset + self.width_bytes * position
            if self.high is not None:
                record[at] = record[at] & 0x0F | value << 4 if self.high else record[at] & 0xF0 | value
            else:
                record[at : at + self.width_bytes] = value.to_bytes(self.width_bytes, "little", signed=self.signed)


@cache
def slots(layout: Struct) -> dict[str, Slot]:
    """Every slot of a layout by path; a union's arms lie on one another."""
    return {slot.path: slot for field in layout.fields for slot in _slots(layout, field)}


def _slots(layout: Struct, field: Field) -> Iterator[Slot]:
    kind = layout.dtype.fields[field.name][0]  # type: ignore[index]
    if kind.fields is not None:
        arms = [kind] + ([INDIRECT[field.size]] if field.type.startswith(("PATTERN", "MEM_PATTERN")) else [])
        for arm in arms:
            yield from _members(field, arm)
    elif field.type in _HALVES:
        for member, high in zip(_HALVES[field.type], (False, True), strict=True):
            yield Slot(f"{field.name}.{member}", field.offset, half(field.type), 1, high=high)
    else:
        yield _plain(field.name, field.offset, field.type.partition("[")[0], kind)


def _members(field: Field, arm: np.dtype[np.void]) -> Iterator[Slot]:
    for name, (kind, offset) in arm.fields.items():  # type: ignore[union-attr,misc]
        yield _plain(f"{field.name}.{name}", field.offset + offset, _MEMBERS.get(name, ""), kind)


def _plain(path: str, offset: int, kind: str, form: np.dtype[np.generic]) -> Slot:
    base, shape = form.subdtype or (form, (1,))
    kind = kind or f"{'i' if base.kind == 'i' else 'u'}{8 * base.itemsize}"
    return Slot(path, offset, kind, base.itemsize, base.kind == "i", int(shape[0]))


class Reading:
    """A record being written down: which of its bits the text says already."""

    def __init__(self, layout: Struct, record: bytes) -> None:
        self.record, self._slots = record, slots(layout)
        self._said = 0  # a bit for each of the record
        self.forced: set[str] = set()  # paths to write although their value is the default

    def peek(self, path: str) -> int:
        """The value of a slot, of which nothing is said yet."""
        return self._slots[path].get(self.record)[0]

    def values(self, path: str) -> tuple[int, ...]:
        """All values of a slot."""
        return self._slots[path].get(self.record)

    def say(self, *paths: str) -> None:
        """The text now says these slots."""
        for path in paths:
            self._said |= self._slots[path].mask

    def said(self, path: str) -> bool:
        """Whether the text says all of a slot."""
        mask = self._slots[path].mask
        return self._said & mask == mask

    def unsaid(self) -> Iterator[tuple[int, bytes]]:
        """Runs of bytes with bits that the text does not say and that are not zero: (offset, bytes)."""
        bits = int.from_bytes(self.record, "little") & ~self._said
        if not bits:
            return
        rest = bits.to_bytes(RECORD_BYTES, "little")
        at = 0
        while at < RECORD_BYTES:
            end = at
            while end < RECORD_BYTES and rest[end]:
                end += 1
            if end > at:
                yield at, self.record[at:end]
            at = max(end, at + 1)


class Conflict(ValueError):
    """A field was given two values."""


class Draft:
    """A record being put together: values by path, then single bytes on top."""

    def __init__(self, opcode: int, layout: Struct) -> None:
        self.opcode, self.layout = opcode, layout
        self._slots = slots(layout)
        self._given: dict[str, tuple[int, ...]] = {}
        self._implied: dict[str, tuple[int, ...]] = {LENGTH_PATH: (INST_WORD_LEN,)}
        self._bytes: list[tuple[int, bytes]] = []

    def give(self, path: str, *values: int) -> None:
        """Set a slot.

        Raises Conflict if it has another value already, ValueError if a value does not fit.
        """
        self._slots[path].put(bytearray(RECORD_BYTES), values)
        before = self._given.setdefault(path, values)
        if before != values:
            kind = self._slots[path].kind
            raise Conflict(f"{path} is already {_shown(kind, before)}, and {_shown(kind, values)} here")

    def imply(self, path: str, *values: int) -> None:
        """Set a slot unless it is given."""
        self._implied[path] = values

    def overlay(self, offset: int, data: bytes) -> None:
        """Set bytes, whatever the fields say.

        Raises ValueError outside the record.
        """
        if not 0 <= offset <= RECORD_BYTES - len(data):
            raise ValueError(f"bytes {offset}..{offset + len(data) - 1} do not lie in 0..{RECORD_BYTES - 1}")
        self._bytes.append((offset, data))

    def value(self, path: str) -> int:
        """The value a slot has so far."""
        return (self._given.get(path) or self._implied.get(path) or (0,))[0]

    def record(self) -> bytes:
        """The 64 bytes. What was not set is zero."""
        made = bytearray(RECORD_BYTES)
        for path, values in (self._implied | self._given).items():
            self._slots[path].put(made, values)
        made[0] = self.opcode
        for offset, data in self._bytes:
            made[offset : offset + len(data)] = data
        return bytes(made)


def _shown(kind: str, values: tuple[int, ...]) -> str:
    known = words(kind, GENERATIONS[-1]) if enumerated(kind) else {}
    return ",".join(known.get(value, str(value)) for value in values)
