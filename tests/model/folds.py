"""The lane accumulator as the folding instructions use it: seeds, commands, taint.

Source: isa/05 sections 3.1 to 3.3.
"""

from .alu import ADD, MAX, MIN, MULT, SUBTRACT, alu_fp32
from .numbers import INFINITY, ONE, SIGN

IDLE, ACCUMULATE, ZERO_ACCUMULATE, LOAD_ACCUMULATE = 0, 2, 3, 4

IDENTITY = {ADD: 0, SUBTRACT: 0, MULT: ONE, MAX: SIGN | INFINITY, MIN: INFINITY}
LOWEST = 0xFF7FFFFF


def seed(machine, op, command, lane, loaded):
    """Return the accumulator of a lane before the first element is folded; loaded: the value LOAD_ACCUMULATE sets."""
    if command == LOAD_ACCUMULATE:
        return loaded
    if command == ZERO_ACCUMULATE:
        policy = machine.choice["accumulator-reset-value"]
        if policy == "zero":
            return 0
        return LOWEST if policy == "fp32-lowest-for-max" and op == MAX else IDENTITY[op]
    return machine.accumulators[lane]


def fold(machine, op, element, accumulator):
    """Return the accumulator after one element, which is the left operand."""
    return alu_fp32(op, element, accumulator, machine.choice)


def finish(machine, command, lane, accumulator):
    """Store the accumulator of a lane and keep its taint: seeding cleans it, an idle instruction may have disturbed
    it.
    """
    if command == IDLE:
        if machine.choice["accumulator-idle"] == "keep-tainted":
            machine.tainted[lane] = True
        return
    machine.accumulators[lane] = accumulator
    if command in (ZERO_ACCUMULATE, LOAD_ACCUMULATE):
        machine.tainted[lane] = False
