"""Random numbers, sparsity, microscaling, wide integers.

Source: isa/06 section 7; isa/tables/rules.json.
"""

from . import values
from .common import INT6, elements, mixed, out, plain
from .searching import random_state
from .values import SIZES

LANES = 128
XORWOW, LFSR, OUTPUT_LFSR = (1, 3, 24), (0, 0, 4), (3, 0, 4)  # generator, algorithm, words per lane
UNSIGNED, SIGNED = (0x3, 0x5, 0x9), (0x2, 0x4, 0x8)


def rng_fill(rng, layout, opcode, count):
    """0x4D (isa/06 section 7.1)."""
    dtype = rng.choice(INT6)
    layout.put(28, count, 4)
    layout.put(32, dtype, 1)
    layout.put(34, layout.channels, 1)
    random_state(rng, layout)
    if rng.random() < 0.3:
        layout.banks["random_draws"] = [[rng.getrandbits(32) for _ in range(5)] for _ in range(LANES)]
    layout.tensor(44, 4, dtype, count, elements(rng, dtype), write=True)


def xorwow_state(rng):
    word = rng.choice((lambda: rng.getrandbits(32), lambda: rng.choice((0, 1, 0xFFFFFFFF))))
    return [[[word() for _ in range(6)] for _ in range(4)] for _ in range(LANES)]


def rand2(rng, layout, opcode, count):
    """0xE2 (isa/06 section 7.2)."""
    dtype = rng.choice(out(layout))
    layout.put(12, 3, 1)
    layout.put(14, 1, 1)
    layout.put(32, dtype, 1)
    layout.put(34, layout.channels, 1)
    if rng.random() < 0.8:
        layout.banks["xorwow"] = xorwow_state(rng)
    bound = rng.choice((lambda: values.small_fp32(rng), lambda: values.fp32(rng)))
    layout.scalar(38, 40, 4, bound, bound)
    layout.scalar(39, 44, 4, bound, bound)
    layout.tensor(48, 3, dtype, count, elements(rng, dtype), write=True)


def generator_state(rng, layout):
    """Give all generators a state, and pick one of them."""
    layout.banks["xorwow"] = xorwow_state(rng)
    random_state(rng, layout)
    if rng.random() < 0.8:
        layout.banks["output_lfsr"] = [[rng.getrandbits(32) for _ in range(4)] for _ in range(LANES)]
    return rng.choice((XORWOW, XORWOW, LFSR, OUTPUT_LFSR))


def get_state(rng, layout, opcode, count):
    """0x77 (isa/06 section 7.3): no rule on start partitions."""
    generator, algorithm, words = generator_state(rng, layout)
    layout.put(12, algorithm, 1)
    layout.put(15, generator, 1)
    layout.put(32, 0x9, 1)
    layout.put(34, layout.channels, 1)
    layout.tensor(44, 4, 0x9, words, elements(rng, 0x9), write=True, partition=layout.any_partition())


def set_state(rng, layout, opcode, count):
    """0x78 (isa/06 section 7.3)."""
    generator, algorithm, words = generator_state(rng, layout)
    layout.put(12, algorithm, 1)
    layout.put(13, layout.channels, 1)
    layout.put(15, 0x9, 1)
    layout.put(24, generator, 1)
    word = rng.choice((lambda: rng.getrandbits(32), lambda: rng.choice((0, 0, 0, 1))))
    layout.tensor(16, 1, 0x9, words, word, space="SBUF", partition=layout.any_partition())


def compress(rng, layout, opcode, count):
    """0xE0 and 0xE1 (isa/06 section 7.4): groups of four and more elements, four results each."""
    tagged = opcode == 0xE1
    in_dtype = rng.choice(plain(layout))
    if tagged:
        packed = rng.randrange(2)
        data_dtype, tag_dtype = rng.choice(out(layout)), 0x5 if packed else rng.choice(UNSIGNED)
        layout.put(14, packed, 1)
    else:
        data_dtype, tag_dtype = rng.choice(((0xD, 0x5), (0xE, 0x5), (0xF, 0x5), (0x6, 0x9), (0x7, 0x9)))
    dims = 2 if tagged else 3
    subdim = rng.randrange(2, 4 if tagged else 6)
    layout.put(12, in_dtype, 1)
    layout.put(13, int(layout.channels % 32 == 0 and count % 32 == 0 and rng.random() < 0.7), 1)
    layout.put(32, data_dtype, 1)
    layout.put(33, tag_dtype, 1)
    layout.put(34, layout.channels, 1)
    layout.put(36, rng.choice((0x08, 0x09, 0x20, 0x21)), 1)
    layout.put(37, subdim, 1)
    codes = mixed(rng, [in_dtype, data_dtype])
    if rng.random() < 0.4:
        few = [codes[0]() for _ in range(4)]
        codes[0] = lambda: rng.choice(few)  # ties
    source = layout.tensor(
        20 if tagged else 16,
        dims,
        in_dtype,
        count,
        codes[0],
        partition=layout.any_partition(),
        accept=lambda steps, counts: group(counts, subdim) >= 4,
    )
    results = 4 * count // group(source.counts, subdim)
    if not tagged:
        layout.tensor(48, 3, tag_dtype, results, elements(rng, tag_dtype), write=True, partition=layout.any_partition())
        return
    partition = layout.partition()
    layout.tensor(40, 2, data_dtype, results, codes[1], write=True, space="SBUF", partition=partition, register=False)
    layout.tensor(
        52,
        2,
        tag_dtype,
        results // 4 if packed else results,
        elements(rng, tag_dtype),
        write=True,
        space="SBUF",
        partition=partition,
        register=False,
        apart=True,
    )


def group(counts, subdim):
    product = 1
    for number in counts[: subdim - 1]:
        product *= number
    return product


def int_wide(rng, layout, opcode, count):
    """0xF4 (isa/06 section 7.6)."""
    op = rng.choice((0xC4, 0xC5, 0xC6, 0xDB, 0x02, 0x03, 0x10, 0x11))
    shift = op < 0xC0
    kind = SIGNED if op == 0xC5 else UNSIGNED
    dtype, imm_dtype = rng.choice(kind), rng.choice(kind)
    out0, out1 = rng.choice((0x8, 0x9, 0x9, rng.choice(INT6))), rng.choice((0x8, 0x9, 0x9, rng.choice(INT6)))
    layout.put(12, dtype | imm_dtype << 4, 1)
    layout.put(13, out0 | out1 << 4, 1)
    layout.put(14, op, 1)
    layout.put(15, layout.channels, 1)

    def scalar():
        return rng.randrange(32) if shift else values.element(rng, imm_dtype)  # larger amounts are not modelled

    layout.tensor(16, 2, dtype, count, elements(rng, dtype), partition=layout.any_partition())
    layout.tensor(28, 2, out0, count, elements(rng, out0), write=True, partition=layout.any_partition())
    layout.tensor(40, 2, out1, count, elements(rng, out1), write=True, partition=layout.any_partition(), apart=True)
    # Last, so that no element is laid over it.
    layout.scalar(52, 56, SIZES[imm_dtype], scalar, scalar)


def quantize(rng, layout, opcode, count):
    """0xE3 (isa/06 section 7.5): whole groups of four elements; data and scales in the same quadrant, away from each
    other.
    """
    dtype = rng.choice((0x6, 0x7))
    number = rng.choice((1, 1, 2, 3))
    step = rng.choice((1, 1, 2, -1, 3)) if number > 1 else 1
    style = rng.choice(("edges", "tame", "zero", "small", "mixed"))
    layout.put(1, rng.choice((0x10, 0x10, 0x11)), 1)
    layout.put(33, layout.channels, 1)
    layout.put(34, dtype, 1)
    layout.put(35, rng.choice((0xE, 0xF)), 1)
    layout.put(56, number, 2)
    layout.put(58, step % 256, 1)

    def code():
        kind = rng.choice(("edges", "tame")) if style == "mixed" else style
        if kind == "zero":
            return rng.choice((0, 0x8000))
        if kind == "small":
            return rng.choice((0, 1, 0x8001, rng.randrange(1 << 8), rng.randrange(1 << 11)))
        return values.element(rng, dtype) if kind == "edges" else values.tame(rng, dtype)

    layout.tensor(16, 3, dtype, 4 * number, code, space="SBUF", align=4)
    partition = layout.partition()
    low = 4 * rng.randrange(64) + (-4 * step * (number - 1) if step < 0 else 0)
    scale = 4096 + 4 * rng.randrange(64) + (-step * (number - 1) if step < 0 else 0)
    layout.put(48, layout.geometry.join("SBUF", partition, low), 4)
    layout.put(52, layout.geometry.join("SBUF", partition, scale), 4)


BUILDERS = {
    0x4D: rng_fill,
    0xE2: rand2,
    0x77: get_state,
    0x78: set_state,
    0xE0: compress,
    0xE1: compress,
    0xF4: int_wide,
    0xE3: quantize,
}
