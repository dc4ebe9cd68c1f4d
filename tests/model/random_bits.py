"""The generators: the 32-bit LFSR of DROPOUT and RNG, and XORWOW.

Source: isa/06 sections 7.1, 7.2.
"""

WORD = 0xFFFFFFFF


def lfsr_step(state):
    """Return the next state, which is also the draw."""
    bit = (state >> 31 ^ state >> 21 ^ state >> 1 ^ state) & 1
    return (state << 1 | bit) & WORD


def draw(machine, lane):
    """Return the next 32 random bits of a lane: those a caller laid in first, then the first LFSR word (id lfsr-generator)."""
    queue = machine.bank("random_draws")[lane]
    if queue:
        return queue.pop(0)
    words = machine.bank("lfsr")[lane]
    words[0] = lfsr_step(words[0])
    return words[0]
