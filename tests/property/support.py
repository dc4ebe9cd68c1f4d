"""What the property tests share: a generated case as an engine's state."""

import numpy as np

from dve_engine import Accumulators, MachineState, Space


def state_of(case, generation):
    """The state a case runs on."""
    state = MachineState.fresh(generation)
    for space, partition, byte, data in case.memory:
        state.memory.arrays[Space[space]][partition, byte : byte + len(data)] = np.frombuffer(data, np.uint8)
    state.registers = dict(case.registers)
    state.accumulators = Accumulators(np.array(case.accumulators, np.uint32).view(np.float32), case.tainted)
    for name, rows in case.banks.items():
        state.banks.load(name, rows)
    return state
