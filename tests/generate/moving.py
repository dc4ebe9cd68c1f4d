"""Copies, casts, reciprocals, fills, and moves between lanes.

Source: isa/06 sections 5.1 to 5.9; isa/tables/rules.json.
"""

from . import values
from .common import elements, lie_on, out, plain
from .values import SIZES

FILLED = (0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9, 0xA, 0xD, 0xE, 0xF)


def lane_mask(rng):
    """Draw 32 mask bytes: a permutation, any lanes, or some lanes that keep what they have."""
    style = rng.choice(("identity", "permutation", "any", "some kept", "all codes"))
    mask = list(range(32))
    if style == "permutation":
        rng.shuffle(mask)
    if style in ("any", "some kept"):
        mask = [rng.randrange(32) for _ in mask]
    if style == "some kept":
        mask = [rng.choice((255, 32, 63)) if rng.random() < 0.3 else lane for lane in mask]
    if style == "all codes":
        mask = [rng.choice((rng.randrange(64), 255)) for _ in mask]
    return mask


def move(rng, layout, opcode, count):
    """0x46, 0x47, 0x48, 0x6A, 0x6B (isa/06 section 5.1)."""
    in_dtype = rng.choice(plain(layout))
    out_dtype = rng.choice(out(layout)) if opcode in (0x47, 0x48) and rng.random() < 0.85 else in_dtype
    layout.put(32, in_dtype, 1)
    layout.put(33, out_dtype, 1)
    layout.put(34, layout.channels, 1)
    layout.put(37, rng.choice((0, 2)), 1)
    if opcode == 0x6B:
        layout.put(38, rng.randrange(2), 1)
    if opcode in (0x6A, 0x6B) and rng.random() < 0.8:
        layout.banks["lane_mask"] = lane_mask(rng)
    source = layout.tensor(12, 4, in_dtype, count, elements(rng, in_dtype), indirect=True)
    like = lie_on(rng, source, in_dtype, out_dtype)
    if opcode == 0x6B and rng.random() < 0.4:
        count, like = rng.randint(1, count), None  # it may be shorter
    layout.tensor(
        44, 4, out_dtype, count, elements(rng, out_dtype), write=True, indirect=True, like=like, source=source
    )


def memset(rng, layout, opcode, count):
    """0x49 (isa/06 section 5.9)."""
    dtype = rng.choice(FILLED)
    target = layout.tensor(44, 4, dtype, count, elements(rng, dtype), write=True)
    product = 1
    for number in target.counts:
        product *= number
    layout.put(28, product, 4)
    layout.put(32, dtype, 1)
    layout.put(34, layout.channels, 1)
    layout.put(40, rng.choice((0, rng.getrandbits(8 * SIZES[dtype]), values.element(rng, dtype))), 4)


def load_mask_select(rng, layout, opcode, count):
    """0x69 (isa/06 section 5.6)."""
    for k, lane in enumerate(lane_mask(rng)):
        layout.put(32 + k, lane, 1)
    if rng.random() < 0.5:
        layout.banks["lane_mask"] = lane_mask(rng)


BUILDERS = {0x46: move, 0x47: move, 0x48: move, 0x6A: move, 0x6B: move, 0x49: memset, 0x69: load_mask_select}
