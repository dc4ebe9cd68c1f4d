"""MachineState: everything one engine remembers between instructions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .banks import Banks
from .isa.generation import Fp8Mode, Generation
from .memory.image import DeviceMemory
from .numerics.accumulator import Accumulators


class RegisterError(ValueError):
    """A register number or value outside the register file."""


@dataclass
class MachineState:
    """The state a program runs on.

    registers: address-register number -> 32-bit value; a number that is absent is not set. accumulators: one fp32 per
    lane and its taint.
    fp8_mode: how FP8 codes convert; None takes the generation's power-on mode. banks: the registers that search,
    shuffle, batch-norm and random instructions leave behind (banks.py).
    """

    generation: Generation
    memory: DeviceMemory
    registers: dict[int, int] = field(default_factory=dict)
    accumulators: Accumulators = field(default_factory=Accumulators)
    fp8_mode: Fp8Mode | None = None
    banks: Banks = field(default_factory=Banks)

    def __post_init__(self) -> None:
        """Raise RegisterError for a register that does not exist or a value that is no u32."""
        check_registers(self.registers, self.generation)

    @classmethod
    def fresh(cls, generation: Generation) -> MachineState:
        """Zero memory, no register set, accumulators zero and tainted."""
        return cls(generation, DeviceMemory(generation))

    def copy(self) -> MachineState:
        """An independent copy."""
        return MachineState(
            self.generation,
            self.memory.copy(),
            dict(self.registers),
            self.accumulators.copy(),
            self.fp8_mode,
            self.banks.copy(),
        )


def check_registers(registers: Mapping[int, int], generation: Generation) -> None:
    """Raise RegisterError unless every number is 0..63 and every value a u32."""
    bound = generation.num_address_registers
    for number, value in registers.items():
        if not 0 <= number < bound:
            raise RegisterError(f"register {number} does not exist; expected 0..{bound - 1}")
        if not 0 <= value <= 0xFFFF_FFFF:
            raise RegisterError(f"register {number} holds {value}; expected a 32-bit value")
