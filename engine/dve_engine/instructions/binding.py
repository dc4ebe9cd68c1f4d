"""Binding: from a legal record and the registers to operands whose place in memory is known.

Everything that can be wrong with an operand is found here, before anything is written; only the entries of an index list are known
later. Source: isa/01 sections 3.4, 6, 7.5 and 10.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..isa.assumptions import Choices
from ..isa.codes import ImmSrc
from ..isa.dtypes import Dtype, dtype_name, size_bytes
from ..isa.generation import ADDRESS_MASK, Generation
from ..isa.struct import INDIRECT, column
from ..memory import address as ad
from ..memory.access import Access, GatherAccess, OutOfBounds
from ..memory.image import DeviceMemory
from ..memory.indirect import IndexLayout, index_access, resolve
from ..memory.pattern import Walk, walk
from ..rules.operands import ImmediateOperand, TensorOperand
from .errors import ExecutionError, LimitExceeded, NotModelled
from .instruction import Instruction

_INDEX_BYTES = {"uint16": 2, "uint32": 4}
_ALWAYS_POINTER = int(ImmSrc.POINTER_IMMEDIATE)


@dataclass(frozen=True)
class BoundTensor:
    """A tensor operand in its place. `access` is None where an index list has still to be read (`gather`)."""

    operand: TensorOperand
    dtype: int
    elements: int
    access: Access | None
    gather: PendingGather | None = None

    def at(self, memory: DeviceMemory) -> Access | GatherAccess:
        """The operand's elements; reads the index list of an indirect one.

        Raises ExecutionError where an entry leads outside memory.
        """
        if self.access is not None:
            return self.access
        assert self.gather is not None
        with _reported(self.operand.name):
            return self.gather.resolve(memory)


@dataclass(frozen=True)
class PendingGather:
    """What is known of an indirect operand before its list is read."""

    index: Access
    data: ad.Location
    lanes: int
    num: int
    itemsize: int
    layout: IndexLayout

    def resolve(self, memory: DeviceMemory) -> GatherAccess:
        """Read the list."""
        return resolve(self.index, memory, self.data, self.lanes, self.num, self.itemsize, self.layout)


@dataclass(frozen=True)
class BoundScalar:
    """A scalar operand: its bits where the record holds them, else where each lane finds them."""

    inline: int | None
    access: Access | None


@dataclass(frozen=True)
class Binding:
    """All operands of one record."""

    lanes: int
    tensors: dict[str, BoundTensor]
    scalars: dict[str, BoundScalar]

    @property
    def may_fail_late(self) -> bool:
        """Whether an index list is still to be read."""
        return any(t.access is None for t in self.tensors.values())


class _reported:
    """Turns a bounds error into an ExecutionError that names the operand."""

    def __init__(self, operand: str) -> None:
        self.operand = operand

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OutOfBounds):
            raise ExecutionError(
                f"{self.operand}: {error}", operand=self.operand, lane=error.lane, address=error.address
            ) from None


class Binder:
    """Resolves the operands of records of one generation under one set of choices and registers."""

    def __init__(
        self, generation: Generation, choices: Choices, registers: Mapping[int, int], max_elements: int
    ) -> None:
        """max_elements: how many elements one operand may visit over all its lanes."""
        self.generation, self.choices, self.registers = generation, choices, registers
        self.max_elements = max_elements

    def bind(self, instruction: Instruction, record: np.void) -> Binding:
        """Resolve every operand of a legal record.

        Raises ExecutionError for an unset register, a misplaced register address, a walk that leaves memory or unequal counts; NotModelled
        for a shape that comes from a register and for dtypes without an element size; LimitExceeded.
        """
        lanes = int(record["num_active_channels"]) if "num_active_channels" in (record.dtype.names or ()) else 0
        addresses = {t.name: self._data_address(t, record) for t in instruction.tensors}
        self._check_two_sources(instruction, record, addresses)
        tensors = {t.name: self._tensor(t, record, addresses[t.name], lanes) for t in instruction.tensors}
        scalars = {i.name: self._scalar(i, record, lanes) for i in instruction.immediates}
        _check_counts(instruction, tensors)
        return Binding(lanes, tensors, scalars)

    def _register(self, word: int, operand: str) -> int:
        """The address a register word or an immediate's register number leads to."""
        number = word & 0xFF
        if number not in self.registers:
            raise ExecutionError(f"{operand}: address register {number} is not set", operand=operand)
        return self.registers[number] & ADDRESS_MASK

    def _is_indirect(self, operand: TensorOperand, first: int) -> bool:
        marked = bool(ad.is_indirect(np.uint32(first)))
        return marked and operand.indirect_value(self.generation, self.choices)[0]

    def _data_address(self, operand: TensorOperand, record: np.void) -> tuple[int, bool]:
        """The address an operand's data starts at, and whether a register supplied it."""
        field = record[operand.field]
        first = int(field["start_addr"])
        if self._is_indirect(operand, first):
            return int(_indirect_arm(field)["data_addr"]) & ADDRESS_MASK, False
        if first & ad.REGISTER_BIT:
            return self._register(first, operand.name), True
        return first & ADDRESS_MASK, False

    def _tensor(self, operand: TensorOperand, record: np.void, data: tuple[int, bool], lanes: int) -> BoundTensor:
        field = record[operand.field]
        first, (address, from_register) = int(field["start_addr"]), data
        dtype = operand.fixed_dtype if operand.fixed_dtype is not None else _value(record, operand.dtype)
        itemsize = size_bytes(dtype)
        if itemsize == 0:
            raise NotModelled(f"{operand.name}: elements of {dtype_name(dtype)} have no known size")
        if from_register:
            self._check_resolved(operand, address, dtype, lanes)
        if self._is_indirect(operand, first):
            return self._indirect(operand, _indirect_arm(field), address, lanes, dtype, itemsize)
        steps = self._walk(operand, first, field)
        self._afford(steps.elements * lanes)
        with _reported(operand.name):
            start = self._locate(address, operand.name)
            access = Access(self.generation, start, lanes, itemsize, steps)
        return BoundTensor(operand, dtype, steps.elements, access)

    def _afford(self, elements: int) -> None:
        if elements > self.max_elements:
            raise LimitExceeded("elements", self.max_elements, elements)

    def _walk(self, operand: TensorOperand, first: int, field: np.void) -> Walk:
        if first & ad.SHAPE_BIT and self.generation.features.shape_registers:  # wider than the rules' own test (isa/01 3.4)
            if self.choices["shape-register"] == "not-modelled":
                raise NotModelled(f"{operand.name}: its shape comes from a register (shape-register)")
            if not field["num_elem"].all():
                raise ExecutionError(f"{operand.name}: a count of 0 in a shape taken as static", operand=operand.name)
        return walk(field["step_elem"].tolist(), field["num_elem"].tolist())

    def _indirect(
        self, operand: TensorOperand, arm: np.void, address: int, lanes: int, dtype: int, itemsize: int
    ) -> BoundTensor:
        name, word, num = operand.name, int(arm["index_addr"]), int(arm["num"])
        self._afford(num * lanes)
        layout = IndexLayout(
            _INDEX_BYTES[self.choices["indirect-index-dtype"]],
            snake=self.choices["indirect-index-layout"] == "snake-16",
            clamp=self.choices.peek("indirect-index-out-of-range") == "clamp",
        )
        if word & ad.REGISTER_BIT:
            index_address = self._register(word, name)
            self._check_index(name, index_address, lanes)
        else:
            index_address = word & ADDRESS_MASK
        with _reported(name):
            index = index_access(self._locate(index_address, name), lanes, num, layout, self.generation)
        pending = PendingGather(index, self._locate(address, name), lanes, num, itemsize, layout)
        return BoundTensor(operand, dtype, num, None, pending)

    def _scalar(self, operand: ImmediateOperand, record: np.void, lanes: int) -> BoundScalar:
        word = int(record[operand.field])
        source = _ALWAYS_POINTER if operand.source is None else int(record[operand.source])
        if source == ImmSrc.INSTRUCTION_IMMEDIATE:
            return BoundScalar(word, None)
        dtype = operand.dtype_code(lambda path: _value(record, path))
        address = word & ADDRESS_MASK
        if source == ImmSrc.REG_PTR_IMMEDIATE:
            address = self._register(word, operand.name)
            self._check_pointer(operand.name, address, dtype, lanes)
        with _reported(operand.name):
            start = self._locate(address, operand.name)
            return BoundScalar(None, Access(self.generation, start, lanes, size_bytes(dtype), Walk((1,), (1,))))

    def _locate(self, address: int, operand: str) -> ad.Location:
        location = ad.locate(address, self.generation)
        if location is None:
            raise ExecutionError(
                f"{operand}: address 0x{address:08X} is in no memory of {self.generation.name}",
                operand=operand,
                address=address,
            )
        return location

    def _checks_registers(self) -> bool:
        return self.choices["register-address-checks"] == "at-run-time"

    def _check_resolved(self, operand: TensorOperand, address: int, dtype: int, lanes: int) -> None:
        """V6 to V11 on an address that came from a register."""
        if self._checks_registers():
            word, generation = np.uint32(address), self.generation
            narrow_psum = (
                operand.write and not ad.psum_write_width_ok(np.asarray(dtype)) and ad.in_psum(word, generation)
            )
            self._require(operand.name, address, lanes, dtype, narrow_psum=bool(narrow_psum))
            if (not operand.psum and ad.in_psum(word, generation)) or (
                not operand.sbuf and ad.in_sbuf(word, generation)
            ):
                raise _misplaced(operand.name, address, "is in a memory the operand may not use")

    def _check_index(self, name: str, address: int, lanes: int) -> None:
        if self._checks_registers():
            self._require(name, address, lanes, int(Dtype.UINT32), narrow_psum=False)
            psum = bool(ad.in_psum(np.uint32(address), self.generation))
            if psum and self.choices["indirect-index-region"] == "sbuf-only":
                raise _misplaced(name, address, "holds an index list in PSUM")

    def _check_pointer(self, name: str, address: int, dtype: int, lanes: int) -> None:
        if self._checks_registers():
            self._require(name, address, lanes, dtype, narrow_psum=False)

    def _require(self, name: str, address: int, lanes: int, dtype: int, *, narrow_psum: bool) -> None:
        word = np.uint32(address)
        if not ad.addr_aligned_dtype(word, np.asarray(dtype), self.generation):
            raise _misplaced(name, address, f"is not aligned to {dtype_name(dtype)}")
        if not self._start_holds(word, lanes):
            raise _misplaced(
                name, address, f"is not in the existing bytes of a start partition legal for {lanes} channels"
            )
        if narrow_psum and self.choices["psum-narrow-write"] == "reject":
            raise _misplaced(name, address, f"is in PSUM, where {dtype_name(dtype)} may not be written")

    def _start_holds(self, word: np.uint32, lanes: int) -> bool:
        """V11 on a resolved address; asks `start-partition-table` where the table alone refuses it."""
        n, generation = np.asarray(lanes), self.generation
        if ad.tpb_addr_active_channels(word, n, generation):
            return True
        anywhere = bool(ad.tpb_addr_active_channels(word, n, generation, any_start=True))
        return anywhere and self.choices["start-partition-table"] == "any"

    def _check_two_sources(
        self, instruction: Instruction, record: np.void, addresses: dict[str, tuple[int, bool]]
    ) -> None:
        """V25 on resolved addresses, where the validator could not apply it."""
        if instruction.two_sources is None:
            return
        (first, a), (second, b) = (addresses[n] for n in instruction.two_sources)
        if not (a or b) or not self._checks_registers():
            return
        if not ad.tt_valid_partitions(np.uint32(first), np.uint32(second), self.generation):
            name = instruction.two_sources[1]
            raise _misplaced(
                name, second, f"and {instruction.two_sources[0]} at 0x{first:08X} break tt_valid_partitions"
            )


def _check_counts(instruction: Instruction, tensors: dict[str, BoundTensor]) -> None:
    """Operands visit as many elements as the rules ask for; waived and wrapped counts are compared here."""
    for name, low, high in instruction.counts:
        if not low <= (count := tensors[name].elements) <= high:
            raise ExecutionError(f"{name}: {count} elements; expected {low} to {high}", operand=name)
    counts = {name: tensors[name].elements for name in instruction.paired}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise ExecutionError(f"element counts differ: {listed}", operand=next(iter(counts)))


def _misplaced(operand: str, address: int, why: str) -> ExecutionError:
    return ExecutionError(f"{operand}: register address 0x{address:08X} {why}", operand=operand, address=address)


def _indirect_arm(field: np.void) -> np.void:
    arm: np.void = np.frombuffer(field.tobytes(), INDIRECT[field.dtype.itemsize])[0]
    return arm


def _value(record: np.void, path: str) -> int:
    return int(column(record, path))  # type: ignore[arg-type]
