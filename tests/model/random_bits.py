"""The generators: the 32-bit LFSR of DROPOUT and RNG, and XORWOW.

Source: isa/06 sections 7.1, 7.2.
"""

WORD = 0xFFFFFFFF


def lfsr_step(state):
    """Return the next state, which is also the draw."""
    bit = (state >> 31 ^ state >> 21 ^ state >> 1 ^ state) & 1
    return (state << 1 | bit) & WORD


def draw(machine, lane):
    """Return the next 32 random bits of a lane: those a caller laid in first, then the first LFSR word (id lfsr-
    generator).
    """
    draws, used = machine.bank("random_draws")[lane], machine.bank("random_draws_used")
    if used[lane] < len(draws):
        used[lane] += 1
        return draws[used[lane] - 1]
    words = machine.bank("lfsr")[lane]
    words[0] = lfsr_step(words[0])
    return words[0]


def xorwow_step(state):
    """Advance the six words of a generator in place and return the draw."""
    t = state[0] ^ state[0] >> 2
    last = state[4]
    state[0:4] = state[1:5]
    state[4] = (last ^ last << 4 ^ t ^ t << 1) & WORD
    state[5] = (state[5] + 362437) & WORD
    return (state[5] + state[4]) & WORD
