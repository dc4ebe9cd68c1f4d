"""RNG 0x4D, RAND2 0xE2, RAND_GET_STATE 0x77, RAND_SET_STATE 0x78.

Source: isa/06 sections 7.1 to 7.3.
"""

from .arithmetic import add, multiply, subtract
from .numbers import ONE, narrow
from .operands import check, read, scalars, tensor, u32, write
from .random_bits import draw, xorwow_step

GENERATORS = {1: "xorwow", 0: "lfsr", 3: "output_lfsr"}


def rng(machine, record):
    """Fill the destination with random bits, one draw per element."""
    channels = record[34]
    target = tensor(machine, record, 44, 4, record[32], channels, write=True)
    write(machine, target, [[draw(machine, lane) for _ in range(target.count)] for lane in range(channels)])


def rand2(machine, record):
    """Fill the destination with numbers from min to max; element k comes from generator k mod 4 of the lane."""
    dtype, channels = record[32], record[34]

    # READ
    target = tensor(machine, record, 48, 3, dtype, channels, write=True)
    low = scalars(machine, record[38], u32(record, 40), 4, channels)
    high = scalars(machine, record[39], u32(record, 44), 4, channels)

    # COMPUTE
    nans, result = machine.choice["nan-results"], []
    for lane in range(channels):
        row = []
        for k in range(target.count):
            word = xorwow_step(machine.bank("xorwow")[lane][k % 4])
            unit = subtract(word & 0x7FFFFF | ONE, ONE)
            value = add(low[lane], multiply(subtract(high[lane], low[lane], nans), unit, nans), nans)
            row.append(narrow(value, dtype, machine.mode))
        result.append(row)

    # WRITE
    write(machine, target, result)


def places(machine, name):
    """List the (generator, word) of the state words in memory order (id xorwow-word-order)."""
    if name != "xorwow":
        return [(None, word) for word in range(4)]
    if machine.choice["xorwow-word-order"] == "lane-major":
        return [(generator, word) for generator in range(4) for word in range(6)]
    return [(generator, word) for word in range(6) for generator in range(4)]


def get_state(machine, record):
    """Store the state words of a generator."""
    channels, name = record[34], GENERATORS[record[15]]
    target = tensor(machine, record, 44, 4, record[32], channels, write=True, start_rule=False)
    order = places(machine, name)
    check(target.count == len(order), "one element per state word")
    state = machine.bank(name)
    write(
        machine,
        target,
        [
            [state[lane][word] if generator is None else state[lane][generator][word] for generator, word in order]
            for lane in range(channels)
        ],
    )


def set_state(machine, record):
    """Replace the state words of a generator; an all-zero XORWOW generator gets a 1."""
    channels, name = record[13], GENERATORS[record[24]]
    source = tensor(machine, record, 16, 1, record[15], channels, psum=False, start_rule=False)
    order = places(machine, name)
    check(source.count == len(order), "one element per state word")
    state = machine.bank(name)
    for lane, row in enumerate(read(machine, source)):
        for (generator, word), code in zip(order, row, strict=False):
            (state[lane] if generator is None else state[lane][generator])[word] = code
        for words in state[lane] if name == "xorwow" else ():
            if not any(words[:5]):
                words[4] = 1
