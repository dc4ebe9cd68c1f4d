"""Inputs for sweeps: boundary values of every lane width, and random registers seeded with them."""

import random

FLOATS = {
    16: [
        0x0000, 0x0001, 0x0002, 0x01FF, 0x0200, 0x03FE, 0x03FF, 0x0400, 0x0401, 0x3BFF, 0x3C00, 0x3C01, 0x4000, 0x7BFE,
        0x7BFF, 0x7C00, 0x7C01, 0x7D55, 0x7DFF, 0x7E00, 0x7E01, 0x7E55, 0x7FFF,
    ],
    32: [
        0x00000000, 0x00000001, 0x00000002, 0x003FFFFF, 0x00400000, 0x007FFFFE, 0x007FFFFF, 0x00800000, 0x00800001,
        0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x40000000, 0x4B800000, 0x7F7FFFFE, 0x7F7FFFFF, 0x7F800000, 0x7F800001,
        0x7FA00000, 0x7FBFFFFF, 0x7FC00000, 0x7FC00001, 0x7FD55555, 0x7FFFFFFF,
    ],
}  # fmt: skip
FLOATS = {width: [x | sign << (width - 1) for sign in (0, 1) for x in listed] for width, listed in FLOATS.items()}
INTEGERS = {
    width: sorted({
        value % (1 << width)
        for power in (0, 1, 4, width // 2, width - 2, width - 1)
        for value in ((1 << power) - 1, 1 << power, (1 << power) + 1, -(1 << power), -(1 << power) - 1, 0)
    })
    for width in (8, 16, 32)
}  # fmt: skip
MASKS = [
    0, (1 << 64) - 1, 1, 2, 3, 4, 1 << 63, 1 << 60, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0x3333333333333333,
    0x1111111111111111, 0xEEEEEEEEEEEEEEEE, 0x00000000FFFFFFFF, 0xFFFFFFFF00000000, 0x0F0F0F0F0F0F0F0F,
]  # fmt: skip


def vectors(rng: random.Random, count: int) -> list[bytes]:
    """Random bytes, floating-point boundaries of both widths, few distinct lanes (ties), and constants."""
    made = []
    for n in range(count):
        kind = n % 5
        if kind == 0:
            made.append(rng.randbytes(64))
        elif kind in (1, 2):
            width = 16 if kind == 1 else 32
            made.append(b"".join(rng.choice(FLOATS[width]).to_bytes(width // 8, "little") for _ in range(512 // width)))
        elif kind == 3:
            few = [rng.randbytes(4) for _ in range(3)]
            made.append(b"".join(rng.choice(few) for _ in range(16)))
        else:
            width = rng.choice((8, 16, 32))
            chosen = (rng.choice(INTEGERS[width]) for _ in range(512 // width))
            made.append(b"".join(value.to_bytes(width // 8, "little") for value in chosen))
    return made


def numbers(rng: random.Random, bits: int, count: int) -> list[int]:
    """Random numbers of a width, boundaries among them."""
    top = (1 << bits) - 1
    edges = [x & top for x in (0, 1, 2, top, top >> 1, (top >> 1) + 1, 15, 16, 31, 32, 33, 63, 64)]
    edges += [x & top for x in (*MASKS, *FLOATS.get(bits, ()), *INTEGERS.get(bits, ()))]
    return [rng.choice(edges) if n % 2 else rng.getrandbits(bits) for n in range(count)]


def inputs_for(operation, rng: random.Random, count: int) -> dict[str, list]:
    """`count` cases for every input of an operation, by name."""
    made = {}
    for operand in operation.inputs:
        if operand.kind == "vec":
            made[operand.name] = vectors(rng, count)
        elif operand.kind in ("fs", "list"):
            made[operand.name] = [numbers(rng, operand.bits, 8) for _ in range(count)]
        else:
            made[operand.name] = numbers(rng, operand.bits, count)
    return made
