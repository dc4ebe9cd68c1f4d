"""Batch norm.

Source: isa/06 section 6; isa/tables/rules.json.
"""

from . import values
from .common import PLAIN, elements, mixed, out, plain, three_tensors, two_sources
from .values import SIZES

REAL = (0x6, 0x7, 0xA)
GRADIENT = (0x6, 0x7, 0x8, 0xA)
LANES = 128


def number(rng):
    return rng.choice((values.small_fp32, values.small_fp32, values.fp32))(rng)


def finite(rng):
    while True:
        bits = rng.choice((0x40400000, 0x41000000, number(rng)))
        if bits & 0x7F800000 != 0x7F800000:
            return bits


def load_parameter_ram(rng, layout, opcode, count):
    """0x66 (isa/06 section 6.1)."""
    layout.put(12, 8 * rng.randrange(32), 2)
    for k in range(8):
        layout.put(32 + 4 * k, rng.choice((rng.getrandbits(32), number(rng))), 4)
    if rng.random() < 0.5:
        layout.banks["parameter_ram"] = [rng.getrandbits(32) for _ in range(256)]


def statistics(rng, layout, opcode, count):
    """0x60, 0x61, 0x82 (isa/06 sections 6.2, 6.4)."""
    in_dtype, out_dtype = rng.choice(plain(layout)), rng.choice(REAL)
    layout.put(32, in_dtype, 1)
    layout.put(33, out_dtype, 1)
    layout.put(34, layout.channels, 1)
    for offset in (40, 44):
        layout.put(offset, values.fp32(rng) if opcode == 0x60 and rng.random() < 0.3 else finite(rng), 4)
    codes = mixed(rng, [in_dtype, out_dtype])
    layout.tensor(12, 4, in_dtype, count, codes[0])
    layout.tensor(48, 2, out_dtype, 3 if opcode == 0x60 else 6, codes[1], write=True)


def aggregate(rng, layout, opcode, count):
    """0x62 (isa/06 section 6.3)."""
    in_dtype, out_dtype = rng.choice(REAL), rng.choice(REAL)
    layout.put(32, in_dtype, 1)
    layout.put(33, out_dtype, 1)
    layout.put(34, layout.channels, 1)
    codes = mixed(rng, [in_dtype, out_dtype])
    layout.tensor(12, 4, in_dtype, 3 * max(1, count // 3), codes[0])
    layout.tensor(48, 2, out_dtype, 2, codes[1], write=True)


def gradients(rng, layout, opcode, count):
    """0x63, 0x94 (isa/06 section 6.5)."""
    dtypes = [rng.choice(GRADIENT), rng.choice(GRADIENT), rng.choice(REAL)]
    imm_dtype = rng.choice(GRADIENT)
    codes = mixed(rng, dtypes)
    scalar = mixed(rng, [imm_dtype])[0]
    layout.put(60, dtypes[0] | dtypes[1] << 4, 1)
    layout.put(63, layout.channels, 1)
    if opcode == 0x63:
        layout.put(61, 0 if imm_dtype == 0xA and rng.random() < 0.5 else imm_dtype, 1)
        layout.put(62, dtypes[2], 1)
        sources = [1, 1]
    else:
        sources = [rng.choice((1, 2)), rng.choice((1, 2))]
        layout.put(61, imm_dtype | dtypes[2] << 4, 1)
        layout.put(62, sources[0] | sources[1] << 4, 1)
    for offset, source in zip((12, 56), sources, strict=False):
        layout.scalar(None, offset, SIZES[imm_dtype], None, scalar, (source,))
    for k, (space, partition) in enumerate(two_sources(rng, layout)):
        layout.tensor(16 + 16 * k, 3, dtypes[k], count, codes[k], space=space, partition=partition)
    layout.tensor(48, 1, dtypes[2], 3, codes[2], write=True)


def param_load(rng, layout, opcode, count):
    """0x64, 0x8E (isa/06 section 6.6): the source is under no placement rule."""
    dtype, second = rng.choice(REAL), rng.choice(REAL)
    layout.put(32, dtype, 1)
    layout.put(34, layout.channels, 1)
    layout.put(28, finite(rng), 4)
    imm_dtype = 0xA
    if opcode == 0x8E:
        imm_dtype = second
        layout.put(33, imm_dtype, 1)
    for k, offset in enumerate((44,) if opcode == 0x64 else (40, 44)):
        source = rng.choice((0, 1, 2))  # 0 and 1 both mean a pointer
        layout.scalar(None, offset, SIZES[imm_dtype], None, elements(rng, imm_dtype), (max(source, 1),))
        layout.put(48 + k, source, 1)
    layout.tensor(
        16 if opcode == 0x64 else 12,
        2,
        dtype,
        3 if opcode == 0x64 else 2,
        elements(rng, dtype),
        partition=layout.any_partition(),
    )
    if rng.random() < 0.5:
        layout.banks["batch_norm"] = parameters(rng)


def parameters(rng):
    """Return N, mean, A, B, C of every lane."""
    return [[number(rng) for _ in range(5)] for _ in range(LANES)]


def back_prop(rng, layout, opcode, count):
    """0x65 (isa/06 section 6.7), direct: whether it has the indirect forms of its struct is not settled."""
    dtypes = [rng.choice(PLAIN), rng.choice(PLAIN), rng.choice(out(layout))]
    layout.put(12, dtypes[0] | dtypes[1] << 4, 1)
    layout.put(13, dtypes[2], 1)
    layout.put(15, layout.channels, 1)
    layout.banks["batch_norm"] = parameters(rng)
    three_tensors(rng, layout, count, dtypes, mixed(rng, dtypes), (16, 32, 48), 3, False)


BUILDERS = {
    0x66: load_parameter_ram,
    0x60: statistics,
    0x61: statistics,
    0x82: statistics,
    0x62: aggregate,
    0x63: gradients,
    0x94: gradients,
    0x64: param_load,
    0x8E: param_load,
    0x65: back_prop,
}
