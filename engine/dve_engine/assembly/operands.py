"""Operands as text: tensors, microscaled destinations and scalars. Source: isa/10 sections 3 and 4."""

from __future__ import annotations

from dataclasses import dataclass

from ..isa.codes import ImmSrc
from ..isa.generation import NUM_ADDRESS_REGISTERS, Generation
from ..memory import address as ad
from ..rules.operands import ImmediateOperand
from .cursor import Cursor
from .errors import Unreadable
from .fields import Reading
from .tokens import Line, code_word, is_hex, read_code, scalar_bits
from .words import scalar


def _read_dtype(cursor: Cursor, generation: Generation) -> int | None:
    """`dtype@`, if it stands here. A dtype without a word is written as a number."""
    sign, closing = cursor.rest.find("@"), cursor.rest.find("[")
    if sign < 0 or 0 <= closing < sign:
        return None
    code = read_code(cursor, "DTYPE", generation)
    cursor.expect("@")
    return code


def _write_address(word: int) -> str:
    number = word ^ ad.REGISTER_BIT
    return f"$R[{number}]" if number < NUM_ADDRESS_REGISTERS else f"0x{word:x}"


def _read_register(cursor: Cursor, most: int = NUM_ADDRESS_REGISTERS - 1) -> int | None:
    if not cursor.accept("$R["):
        return None
    begin, found = cursor.position, cursor.integer()
    if not 0 <= found <= most:
        raise Unreadable(begin, str(found), f"register {found} does not lie in 0..{most}", (f"0..{most}",))
    cursor.expect("]")
    return found


def _read_address(cursor: Cursor) -> int:
    register = _read_register(cursor)
    return cursor.integer() if register is None else ad.REGISTER_BIT | register


@dataclass(frozen=True)
class Dtyped:
    """What operands have in common: a dtype that a field holds, or that is fixed, or none at all."""

    key: str
    field: str
    dtype: str | int | None

    def _write_dtype(self, reading: Reading, generation: Generation) -> str:
        if self.dtype is None:
            return ""
        if isinstance(self.dtype, str):
            reading.say(self.dtype)
        code = reading.peek(self.dtype) if isinstance(self.dtype, str) else self.dtype
        return f"{code_word(code, 'DTYPE', generation)}@"

    def _read_dtype(self, cursor: Cursor, line: Line) -> int | None:
        begin = cursor.position
        code = _read_dtype(cursor, line.generation)
        if code is None or code == self.dtype:
            return code
        if isinstance(self.dtype, str):
            line.draft.give(self.dtype, code)
            return code
        expected = "no dtype" if self.dtype is None else code_word(self.dtype, "DTYPE", line.generation)
        found = code_word(code, "DTYPE", line.generation)
        raise Unreadable(begin, found, f"{self.key} has {expected}, found {found}", (expected,))


@dataclass(frozen=True)
class Tensor(Dtyped):
    """`dtype@0xADDRESS[steps][counts]`, or indirect `dtype@0xDATA[idx@0xINDEX][n]`. union: it may be indirect."""

    dims: int
    union: bool

    def write(self, reading: Reading, generation: Generation) -> str | None:
        first = reading.peek(f"{self.field}.start_addr")
        head = f"{self.key}={self._write_dtype(reading, generation)}"
        if self.union and generation.features.mem_pattern_unions and first >> 29 & 3 == 1:  # bit 29 without bit 30
            paths = [f"{self.field}.{member}" for member in ("index_addr", "data_addr", "num")]
            reading.say(*paths)
            data, num = reading.peek(paths[1]), reading.peek(paths[2])
            return f"{head}{_write_address(data)}[idx@{_write_address(first ^ ad.INDIRECT_BIT)}][{num}]"
        steps, counts = f"{self.field}.step_elem", f"{self.field}.num_elem"
        reading.say(f"{self.field}.start_addr", steps, counts)
        shape = "".join(f"[{','.join(map(str, reading.values(path)))}]" for path in (steps, counts))
        return f"{head}{_write_address(first)}{shape}"

    def read(self, cursor: Cursor, line: Line) -> None:
        self._read_dtype(cursor, line)
        begin, place = cursor.position, _read_address(cursor)
        cursor.expect("[")
        if cursor.accept("idx@"):
            self._read_indirect(cursor, line, begin, place)
            return
        steps = cursor.integers()
        cursor.expect("]")
        cursor.expect("[")
        middle = cursor.position
        counts = cursor.integers()
        cursor.expect("]")
        if len(steps) != len(counts):
            text = f"{len(steps)} steps and {len(counts)} counts; a dimension has both"
            raise Unreadable(middle, cursor.text[middle : cursor.position], text, (f"{len(steps)} counts",))
        if len(steps) > self.dims:
            text = f"{self.key} has at most {self.dims} dimensions, found {len(steps)}"
            raise Unreadable(middle, cursor.text[middle : cursor.position], text, (f"1 to {self.dims} dimensions",))
        line.draft.give(f"{self.field}.start_addr", place)
        line.draft.give(f"{self.field}.step_elem", *steps, *[1] * (self.dims - len(steps)))
        line.draft.give(f"{self.field}.num_elem", *counts, *[1] * (self.dims - len(counts)))

    def _read_indirect(self, cursor: Cursor, line: Line, begin: int, data: int) -> None:
        if not (self.union and line.generation.features.mem_pattern_unions):
            text = f"{self.key} has no indirect form on {line.generation.name}"
            raise Unreadable(begin, cursor.text[begin : cursor.end], text, ("0xADDRESS[steps][counts]",))
        index = _read_address(cursor)
        cursor.expect("]")
        cursor.expect("[")
        num = cursor.integer()
        cursor.expect("]")
        if index & (ad.INDIRECT_BIT | ad.SHAPE_BIT):
            raise Unreadable(begin, hex(index), f"0x{index:x} is no address of an index list", ("an address",))
        line.draft.give(f"{self.field}.index_addr", index | ad.INDIRECT_BIT)
        line.draft.give(f"{self.field}.data_addr", data)
        line.draft.give(f"{self.field}.num", num)


@dataclass(frozen=True)
class Microscaled(Dtyped):
    """`dtypex4@0xDATA,0xSCALES[step][num]`: packed groups of four elements, and their scale bytes."""

    def _paths(self, *members: str) -> list[str]:
        return [f"{self.field}.{member}" for member in members]

    def write(self, reading: Reading, generation: Generation) -> str | None:
        dtype = self._write_dtype(reading, generation).removesuffix("@")
        paths = self._paths("data_addr", "scale_addr", "step", "num")
        reading.say(*paths)
        data, scale, step, num = map(reading.peek, paths)
        return f"{self.key}={dtype}x4@{_write_address(data)},{_write_address(scale)}[{step}][{num}]"

    def read(self, cursor: Cursor, line: Line) -> None:
        if "@" in cursor.rest:
            sign = cursor.rest.index("@")
            head = Cursor(cursor.text, cursor.position, cursor.position + sign, cursor.names)
            if not head.rest.endswith("x4"):
                raise head.wrong("a dtype with x4 behind it")
            head.end -= 2
            line.draft.give(str(self.dtype), read_code(head, "DTYPE", line.generation))
            head.finish()
            cursor.position += sign + 1
        values = [_read_address(cursor)]
        for mark, close in ((",", ""), ("[", "]"), ("[", "]")):
            cursor.expect(mark)
            values.append(_read_address(cursor) if mark == "," else cursor.integer())
            cursor.expect(close)
        for path, value in zip(self._paths("data_addr", "scale_addr", "step", "num"), values, strict=True):
            line.draft.give(path, value)


@dataclass(frozen=True)
class Immediate(Dtyped):
    """A scalar: `dtype@value`, `[dtype@0xADDRESS]` behind a pointer, `[dtype@$R[n]]` behind a register.

    Without `dtype@`, a decimal takes the dtype the line gives the field elsewhere, and hex digits are the field's bits.
    """

    operand: ImmediateOperand

    @property
    def _always_pointer(self) -> bool:
        return self.operand.source is None

    def write(self, reading: Reading, generation: Generation) -> str | None:
        operand, bits = self.operand, reading.peek(self.field)
        source = ImmSrc.POINTER_IMMEDIATE if operand.source is None else reading.peek(operand.source)
        code = reading.peek(self.dtype) if isinstance(self.dtype, str) else int(self.dtype or 0)
        unset = isinstance(self.dtype, str) and code == 0
        inline = source == ImmSrc.INSTRUCTION_IMMEDIATE and operand.inline
        if inline and bits == 0 and (unset or not isinstance(self.dtype, str) or reading.said(self.dtype)):
            reading.say(self.field)
            return None
        prefix = "" if unset and operand.zero_means else self._write_dtype(reading, generation)
        reading.say(self.field)
        if inline:
            word = scalar(bits, operand.zero_means if unset else code)
            return f"{self.key}={prefix}{word}"
        place = f"$R[{bits}]" if source == ImmSrc.REG_PTR_IMMEDIATE and bits < 256 else f"0x{bits:x}"
        if source == ImmSrc.INSTRUCTION_IMMEDIATE:  # also a pointer here
            reading.forced.add(str(operand.source))
        elif source == ImmSrc.POINTER_IMMEDIATE or place[0] == "$":
            reading.say(*[operand.source] if operand.source is not None else [])
        else:
            return f"{self.key}={prefix}0x{bits:08x}"
        return f"{self.key}=[{prefix}{place}]"

    def read(self, cursor: Cursor, line: Line) -> None:
        if not cursor.accept("["):
            self._read_literal(cursor, line)
            return
        self._read_dtype(cursor, line)
        register = None if self._always_pointer else _read_register(cursor, 255)
        line.draft.give(self.field, cursor.integer() if register is None else register)
        cursor.expect("]")
        if self.operand.source is not None:
            source = ImmSrc.POINTER_IMMEDIATE if register is None else ImmSrc.REG_PTR_IMMEDIATE
            line.draft.imply(self.operand.source, int(source))

    def _read_literal(self, cursor: Cursor, line: Line) -> None:
        code = self._read_dtype(cursor, line)
        begin, word = cursor.position, cursor.literal()
        if word is None:
            line.draft.give(self.field, cursor.integer())  # a name
            return
        if word[:2] in ("0x", "0X") and not cursor.at_end():  # a name or an offset behind it
            cursor.position = begin
            line.draft.give(self.field, cursor.integer())
            return
        if code is None and isinstance(self.dtype, int):
            code = self.dtype
        if code or is_hex(word):
            line.draft.give(self.field, scalar_bits(word, code or 0, begin))
            return
        line.later.append(lambda: self._give_when_known(word, begin, line))

    def _give_when_known(self, word: str, begin: int, line: Line) -> None:
        code = line.draft.value(str(self.dtype)) or self.operand.zero_means
        if not code:
            text = f"{self.key} has no dtype in this line; write it before the value"
            raise Unreadable(begin, word, text, (f"dtype@{word}",))
        line.draft.give(self.field, scalar_bits(word, code, begin))
