"""Binding: from a legal record and the registers to operands whose place in memory is known.

Everything that can be wrong with an operand is found here, before anything is written; only the entries of an index
list are known later. Source: isa/01 sections 3.4, 6, 7.5 and 10.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil

import numpy as np

from ..isa.assumptions import Choices
from ..isa.codes import ImmSrc
from ..isa.dtypes import size_bytes
from ..isa.generation import ADDRESS_MASK, Generation
from ..isa.struct import code_of, indirect_arm
from ..memory import address as ad
from ..memory.access import Access
from ..memory.indirect import IndexLayout, index_access
from ..memory.pattern import Walk, walk
from ..rules.operands import ImmediateOperand, MxOperand, TensorOperand
from .bound import Binding, BoundScalar, BoundTensor, PendingGather, reported
from .errors import ExecutionError, LimitExceeded
from .instruction import Instruction
from .register_checks import RegisterChecks

_INDEX_BYTES = {"uint16": 2, "uint32": 4}
QUADRANT, MX_LANES = 32, 8  # lanes of a quadrant; lanes that share one scale of a microscaled operand
_ALWAYS_POINTER = int(ImmSrc.POINTER_IMMEDIATE)


class Binder:
    """Resolves the operands of records of one generation under one set of choices and registers."""

    def __init__(
        self, generation: Generation, choices: Choices, registers: Mapping[int, int], max_elements: int
    ) -> None:
        """max_elements: how many elements one operand may visit over all its lanes."""
        self.generation, self.choices, self.registers = generation, choices, registers
        self.max_elements = max_elements
        self._checks = RegisterChecks(generation, choices)

    def bind(self, instruction: Instruction, record: np.void) -> Binding:
        """Resolve every operand of a legal record that is not unmodelled.

        Raises ExecutionError for an unset register, a misplaced register address, a walk that leaves memory or unequal
        counts; LimitExceeded.
        """
        lanes = int(record["num_active_channels"]) if "num_active_channels" in (record.dtype.names or ()) else 0
        addresses = {t.name: self._data_address(t, record) for t in instruction.tensors}
        if instruction.two_sources is not None:
            first, second = instruction.two_sources
            self._checks.two_sources((first, second), addresses[first], addresses[second])
        tensors = {t.name: self._tensor(t, record, addresses[t.name], lanes) for t in instruction.tensors}
        for operand in instruction.mx:
            tensors |= self._mx(operand, record, lanes)
        scalars = {i.name: self._scalar(i, record, lanes) for i in instruction.immediates}
        _check_counts(instruction, tensors)
        binding = Binding(lanes, tensors, scalars)
        if instruction.check is not None:
            instruction.check(record, binding, self.choices)
        return binding

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
            return int(indirect_arm(field)["data_addr"]) & ADDRESS_MASK, False
        if first & ad.REGISTER_BIT:
            return self._register(first, operand.name), True
        return first & ADDRESS_MASK, False

    def _tensor(self, operand: TensorOperand, record: np.void, data: tuple[int, bool], lanes: int) -> BoundTensor:
        field = record[operand.field]
        first, (address, from_register) = int(field["start_addr"]), data
        dtype = operand.fixed_dtype if operand.fixed_dtype is not None else code_of(record, operand.dtype)
        itemsize = size_bytes(dtype)
        if from_register:
            checked = dtype if operand.checked_dtype is None else operand.checked_dtype
            self._checks.tensor(operand, address, checked, lanes)
        if self._is_indirect(operand, first):
            return self._indirect(operand, indirect_arm(field), address, lanes, dtype, itemsize)
        steps = _walk(operand, field)
        self._afford(steps.elements * lanes)
        with reported(operand.name):
            start = self._locate(address, operand.name)
            access = Access(self.generation, start, lanes, itemsize, steps)
        return BoundTensor(operand, dtype, steps.elements, access)

    def _afford(self, elements: int) -> None:
        if elements > self.max_elements:
            raise LimitExceeded("elements", self.max_elements, elements)

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
            self._checks.index(name, index_address, lanes)
        else:
            index_address = word & ADDRESS_MASK
        with reported(name):
            index = index_access(self._locate(index_address, name), lanes, num, layout, self.generation)
        pending = PendingGather(index, self._locate(address, name), lanes, num, itemsize, layout)
        return BoundTensor(operand, dtype, num, None, pending)

    def _mx(self, operand: MxOperand, record: np.void, lanes: int) -> dict[str, BoundTensor]:
        """The packed groups, and the scale bytes of each quadrant; both walk with the pattern's one step.

        Lanes 8 g to 8 g + 7 share a scale, in partition 32 (g // 4) + g % 4 after the one of the scale address.
        """
        field = record[operand.field]
        count = int(field["num"])
        self._afford(count * lanes)
        steps = walk((int(field["step"]),), (count,))
        data = self._mx_start(operand.data, int(field["data_addr"]), lanes)
        scale = self._mx_start(operand.scale(0), int(field["scale_addr"]), lanes)
        halves = [(operand.data, data, lanes)]
        for quadrant in range(ceil(lanes / QUADRANT)):
            start = replace(scale, partition=scale.partition + quadrant * QUADRANT)
            halves.append((operand.scale(quadrant), start, QUADRANT // MX_LANES))
        bound = {}
        for half, start, rows in halves:
            dtype = half.fixed_dtype or 0
            with reported(half.name):
                access = Access(self.generation, start, rows, size_bytes(dtype), steps)
            bound[half.name] = BoundTensor(half, dtype, count, access)
        return bound

    def _mx_start(self, half: TensorOperand, word: int, lanes: int) -> ad.Location:
        address = word & ADDRESS_MASK
        if word & ad.REGISTER_BIT:
            address = self._register(word, half.name)
            self._checks.tensor(half, address, half.fixed_dtype or 0, lanes)
        return self._locate(address, half.name)

    def _scalar(self, operand: ImmediateOperand, record: np.void, lanes: int) -> BoundScalar:
        word = int(record[operand.field])
        source = _ALWAYS_POINTER if operand.source is None else code_of(record, operand.source)
        if source == ImmSrc.INSTRUCTION_IMMEDIATE and operand.inline:
            return BoundScalar(word, None)
        dtype = operand.dtype_code(lambda path: code_of(record, path))
        address = word & ADDRESS_MASK
        if source == ImmSrc.REG_PTR_IMMEDIATE:
            address = self._register(word, operand.name)
            self._checks.pointer(operand, address, dtype, lanes)
        with reported(operand.name):
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


def _walk(operand: TensorOperand, field: np.void) -> Walk:
    if not field["num_elem"].all():  # a shape taken as static, or a list without a pattern rule
        raise ExecutionError(f"{operand.name}: a count of 0", operand=operand.name)
    return walk(field["step_elem"].tolist(), field["num_elem"].tolist())


def _check_counts(instruction: Instruction, tensors: dict[str, BoundTensor]) -> None:
    """Operands visit as many elements as the rules ask for; waived and wrapped counts are compared here."""
    for name, low, high in instruction.counts:
        if not low <= (count := tensors[name].elements) <= high:
            raise ExecutionError(f"{name}: {count} elements; expected {low} to {high}", operand=name)
    counts = {name: tensors[name].elements for name in instruction.paired}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise ExecutionError(f"element counts differ: {listed}", operand=next(iter(counts)))
