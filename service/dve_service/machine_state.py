"""The machine beside its memory, as bits: into and out of the engine's MachineState."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dve_engine import Accumulators, DeviceMemory, Generation, MachineState
from dve_engine.banks import BankError

from .engine_errors import translated
from .errors import InvalidField
from .orders import Input, Registers, Write


def fresh(generation: Generation, memory: DeviceMemory | None = None) -> MachineState:
    """A machine after reset, on the given memory or zeros."""
    return MachineState(generation, memory if memory is not None else DeviceMemory(generation))


def bits(state: MachineState) -> npt.NDArray[np.uint32]:
    """The accumulators as fp32 bit patterns, (128,)."""
    return np.ascontiguousarray(state.accumulators.values, np.float32).view(np.uint32)


def view(state: MachineState) -> Registers:
    """A copy of everything but the memory."""
    registers: Mapping[int, int] = state.registers
    known = {int(number): int(value) for number, value in sorted(registers.items())}
    banks = {name: bank.tobytes() for name, bank in state.banks.changed()}
    return Registers(bits(state).copy(), np.array(state.accumulators.tainted, bool), known, banks)


def set_accumulators(state: MachineState, words: bytes, tainted: npt.ArrayLike | None) -> None:
    """Give all lanes a content (128 little-endian fp32 words), untainted unless `tainted` says otherwise."""
    flags = np.zeros(128, bool) if tainted is None else np.asarray(tainted, bool)
    state.accumulators = Accumulators(np.frombuffer(words, "<f4"), flags)


def apply(state: MachineState, start: Input) -> None:
    """Put what a request gives on top of a state.

    Raises InvalidRegion, InvalidField.
    """
    write(state.memory, start.writes)
    set_machine(state, start)


def write(memory: DeviceMemory, writes: Iterable[Write]) -> None:
    """Apply writes in order.

    Raises InvalidRegion.
    """
    with translated():
        for one in writes:
            memory.write(one.region, one.data)


def set_machine(state: MachineState, start: Input) -> None:
    """Put all that a request gives beside memory on top of a state.

    Raises InvalidField.
    """
    state.registers.update(start.registers)
    if start.accumulators is not None:
        set_accumulators(state, start.accumulators, start.tainted)
    elif start.tainted is not None:
        state.accumulators.tainted[:] = start.tainted
    for name, contents in start.banks.items():
        try:
            state.banks.load(name, contents)
        except BankError as error:
            raise InvalidField("state.banks", str(error)) from error


@dataclass(frozen=True)
class Snapshot:
    """What a session keeps beside its memory."""

    registers: dict[int, int]
    accumulators: bytes  # 128 little-endian fp32 words
    tainted: bytes  # 128 bits, lane 0 first
    unseeded: bytes  # likewise
    banks: dict[str, bytes]  # those that differ from reset

    def view(self) -> Registers:
        """What callers see of it."""
        return Registers(np.frombuffer(self.accumulators, "<u4"), _flags(self.tainted), self.registers, self.banks)


def snapshot(state: MachineState) -> Snapshot:
    """Take everything but the memory."""
    seen = view(state)
    words = seen.accumulators.astype("<u4").tobytes()
    return Snapshot(
        dict(seen.registers), words, _packed(seen.tainted), _packed(state.accumulators.unseeded), dict(seen.banks)
    )


def restore(state: MachineState, kept: Snapshot) -> MachineState:
    """Put a snapshot back into a fresh state."""
    state.registers.update(kept.registers)
    values = np.frombuffer(kept.accumulators, "<f4")
    state.accumulators = Accumulators.restored(values, _flags(kept.tainted), _flags(kept.unseeded))
    for name, contents in kept.banks.items():
        state.banks.load(name, contents)
    return state


def _packed(flags: npt.NDArray[np.bool_]) -> bytes:
    return np.packbits(flags).tobytes()


def _flags(packed: bytes) -> npt.NDArray[np.bool_]:
    return np.unpackbits(np.frombuffer(packed, np.uint8)).astype(bool)
