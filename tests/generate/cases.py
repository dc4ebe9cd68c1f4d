"""Draw a legal record of any opcode, and the state it runs on."""

import random
from dataclasses import dataclass, field

from . import elementwise, folding, moving, reducing, searching, special, statistics, values
from .layout import Layout

FAMILIES = (elementwise, folding, reducing, moving, searching, statistics, special)
BUILDERS = {opcode: builder for family in FAMILIES for opcode, builder in family.BUILDERS.items()}
OPCODES = tuple(BUILDERS)

SUNDA, CAYMAN, MARIANA, MAVERICK = ALL = ("SUNDA", "CAYMAN", "MARIANA", "MAVERICK")
# Opcodes that not every generation executes (isa/06 section 4.2).
ONLY = {
    **dict.fromkeys((0x8A, 0x8B, 0x8C, 0x8D, 0x8F), (SUNDA,)),
    **dict.fromkeys((0xBC, 0xE9), (CAYMAN, MARIANA, MAVERICK)),
    **dict.fromkeys((0x30, 0x77, 0x78, 0xE0, 0xE1, 0xE2, 0xE3), (MARIANA, MAVERICK)),
    0xF4: (MAVERICK,),
}
# 32 x 32 tiles: whole blocks of 32 channels, whole rows of 32 elements.
TILED = (0x93, 0x6B, 0x83, 0x84, 0x82)
BLOCKS = (0x6A, 0xE3)  # whole blocks of channels only

SPARSE = (0xE0, 0xE1)  # groups of at least four elements
EIGHT = (0x6C, 0x6E)  # at least eight elements


@dataclass
class Case:
    """A legal record and everything its run reads. memory: list of (space, partition, byte, bytes), later rows over
    earlier ones.
    """

    record: bytes
    memory: list
    registers: dict = field(default_factory=dict)
    accumulators: list = field(default_factory=lambda: [0] * 128)
    tainted: list = field(default_factory=lambda: [False] * 128)
    banks: dict = field(default_factory=dict)


def legal_generations(opcode: int) -> tuple[str, ...]:
    """Return the generations that execute an opcode."""
    return ONLY.get(opcode, ALL)


def legal_record(rng: random.Random, opcode: int, generation: str) -> bytes:
    """Return a random legal 64-byte record."""
    return legal_case(rng, opcode, generation).record


def legal_case(rng: random.Random, opcode: int, generation: str) -> Case:
    """Return a random legal record with memory, registers, accumulators and banks on which its run succeeds."""
    channels, count = extent(rng, opcode)
    layout = Layout(rng, generation, channels)
    layout.record[0], layout.record[1] = opcode, 0x10
    draw_header(rng, layout, generation)
    BUILDERS[opcode](rng, layout, opcode, count)
    case = Case(bytes(layout.record), layout.memory(), layout.registers, banks=layout.banks)
    case.accumulators = [values.fp32(rng) for _ in range(128)]
    case.tainted = [rng.random() < 0.3 for _ in range(128)]
    return case


def extent(rng, opcode):
    """Draw a channel count and an element count."""
    if opcode in TILED or (opcode in SPARSE and rng.random() < 0.2):
        channels = rng.choice((32, 32, 32, 64, 96, 128))
        return channels, rng.choice((32, 32, 64)) if channels < 96 else 32
    if opcode in BLOCKS:
        return rng.choice((32, 32, 64, 96, 128)), rng.choice((1, 2, 3, 4, 6, 8, rng.randrange(1, 13)))
    channels = rng.choice(
        (
            1,
            2,
            3,
            4,
            5,
            7,
            8,
            rng.randrange(1, 20),
            rng.randrange(16, 34),
            rng.randrange(33, 66),
            rng.randrange(65, 129),
            128,
        )
    )
    count = rng.choice((1, 2, 3, 4, 6, 8, 9, 12, 16, rng.randrange(1, 25), rng.randrange(1, 65), rng.randrange(1, 257)))
    count = max(1, min(count, rng.choice((256, 512, 512, 512, 512, 2048)) // channels))
    if opcode in SPARSE:
        return channels, max(4, count // 4 * 4)
    return channels, max(count, 8) if opcode in EIGHT else count


def draw_header(rng, layout, generation):
    """Set free bytes that have no effect: debug bytes (MAVERICK keeps its flags there, so they stay 0) and events."""
    if generation != "MAVERICK" and rng.random() < 0.1:
        layout.put(2, rng.getrandbits(16), 2)
    if rng.random() < 0.15:
        layout.put(4, rng.choice((0, 1, 2, 3, 4, 5, 6, 7, 14, 15)), 1)
        layout.put(5, rng.getrandbits(8), 1)
        layout.put(6, rng.choice((0, 1, 2, 3, 4, 5, 7, 9, 17, 18, 19, 20, 21, 23, 25)), 1)
        layout.put(7, rng.getrandbits(8), 1)
        layout.put(8, rng.getrandbits(32), 4)
