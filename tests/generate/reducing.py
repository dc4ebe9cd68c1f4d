"""Reductions, single-tensor scans and pooling.

Source: isa/05 sections 10.3, 11, 12; isa/03 section 6; isa/06 section 8.8; isa/tables/rules.json.
"""

from . import values
from .common import GENERAL_BITVEC, SHIFTS, elements, general_arith, lie_on, mixed, out, plain
from .values import SIZES

BITVEC_DTYPES = (0x3, 0x5, 0x8, 0x9)
BF16 = 0x6


def bitvec(rng):
    """Draw dtype and code of a bitvec fold: LOGICAL_SHIFT_RIGHT goes with INT32 only."""
    dtype = rng.choice(BITVEC_DTYPES)
    return dtype, rng.choice([op for op in GENERAL_BITVEC if op != 0x11 or dtype == 0x8])


def operation(rng, layout, bits):
    """Draw dtypes, code and drawing functions of a fold."""
    if bits:
        dtype, op = bitvec(rng)
        code = elements(rng, dtype)
        if op in SHIFTS:
            counted = code

            def code():
                return values.shift_count(rng, dtype) if rng.random() < 0.6 else counted()

        return dtype, dtype, op, [code, code]
    in_dtype, out_dtype = rng.choice(plain(layout)), rng.choice(out(layout))
    return (
        in_dtype,
        out_dtype,
        rng.choice((*general_arith(layout), 0x04, 0x05, 0x06, 0x08)),
        mixed(rng, [in_dtype, out_dtype]),
    )


def kept(source, subdim):
    """Return the number of groups of a placed source; an indirect one is a single dimension."""
    product = 1
    for count in source.counts[subdim - 1 :]:
        product *= count
    return product


def target_place(rng, source, dtype):
    """Return space and start partition of a destination: sometimes those of the source, so that they may overlap."""
    if rng.random() < 0.5 or (source.space == "PSUM" and SIZES[dtype] != 4):
        return {}
    return {"space": source.space, "partition": source.partition}


def tensor_reduce(rng, layout, opcode, count):
    """0x42, 0x52, 0x83, 0x84 (isa/05 section 10.3)."""
    in_dtype, out_dtype, op, codes = operation(rng, layout, opcode in (0x52, 0x84))
    subdim = rng.randrange(2, 6)
    layout.put(32, in_dtype, 1)
    layout.put(33, out_dtype, 1)
    layout.put(34, layout.channels, 1)
    layout.put(35, rng.randrange(2) if opcode in (0x42, 0x83) else 0, 1)
    layout.put(36, op, 1)
    layout.put(37, subdim, 1)
    source = layout.tensor(12, 4, in_dtype, count, codes[0], indirect=True)
    layout.tensor(
        44,
        4,
        out_dtype,
        kept(source, subdim),
        codes[1],
        write=True,
        indirect=True,
        source=source,
        **target_place(rng, source, out_dtype),
    )


def packed_reduce(rng, layout, opcode, count):
    """0x8C, 0x8D (isa/05 section 10.3): no rule on start partitions, on the code or on the patterns beyond the
    pairing of elements.
    """
    out_dtype, subdim = rng.choice(out(layout)), rng.randrange(2, 6)
    layout.put(32, BF16, 1)
    layout.put(33, out_dtype, 1)
    layout.put(34, layout.channels, 1)
    layout.put(35, rng.randrange(2), 1)
    layout.put(36, {0x8C: 0x04, 0x8D: 0x08}[opcode], 1)
    layout.put(37, subdim, 1)
    codes = mixed(rng, [BF16, out_dtype])
    source = layout.tensor(
        12, 4, BF16, count + count % 2, codes[0], partition=layout.any_partition(), accept=pairs, align=4
    )
    layout.tensor(44, 4, out_dtype, kept(source, subdim), codes[1], write=True, partition=layout.any_partition())


def packed_tensor_tensor(rng, layout, opcode, count):
    """0x8A, 0x8B, 0x8F (isa/03 section 6): neither start partitions nor the places of the two sources are under a
    rule.
    """
    out_dtype = rng.choice(out(layout))
    codes = mixed(rng, [BF16, BF16, out_dtype])
    count += count % 2
    layout.put(12, BF16 | BF16 << 4, 1)
    layout.put(13, out_dtype, 1)
    layout.put(14, {0x8A: 0x04, 0x8B: 0x06, 0x8F: 0x05}[opcode], 1)
    layout.put(15, layout.channels, 1)
    for k in (0, 1):
        layout.tensor(16 + 16 * k, 3, BF16, count, codes[k], partition=layout.any_partition(), accept=pairs, align=4)
    layout.tensor(48, 3, out_dtype, count, codes[2], write=True, partition=layout.any_partition())


def pairs(steps, counts):
    """Tell whether a BF16 pattern can be read two elements at a time."""
    return counts[0] % 2 == 0 and steps[0] == 1 and all(step % 2 == 0 for step in steps[1:])


def tensor_cumulative(rng, layout, opcode, count):
    """0x4E, 0x5E (isa/05 section 11); the codes that are legal and not modelled are left out."""
    in_dtype, out_dtype, op, codes = operation(rng, layout, opcode == 0x5E)
    layout.put(32, in_dtype, 1)
    layout.put(33, out_dtype, 1)
    layout.put(34, layout.channels, 1)
    layout.put(36, op, 1)
    layout.put(37, rng.randrange(2, 6), 1)
    source = layout.tensor(12, 4, in_dtype, count, codes[0], indirect=True)
    layout.tensor(
        44,
        4,
        out_dtype,
        count,
        codes[1],
        write=True,
        indirect=True,
        like=lie_on(rng, source, in_dtype, out_dtype),
        source=source,
    )


def pool(rng, layout, opcode, count):
    """0x45 and 0x58 (isa/05 section 12)."""
    in_dtype, out_dtype = rng.choice(plain(layout)), rng.choice((0x3, 0x5, 0x9) if opcode == 0x58 else out(layout))
    codes, subdim = mixed(rng, [in_dtype, out_dtype]), rng.randrange(2, 6)
    function = 0 if opcode == 0x58 else rng.choice((1, 2))
    layout.put(32, in_dtype, 1)
    layout.put(33, out_dtype, 1)
    layout.put(34, layout.channels, 1)
    layout.put(36, function, 1)
    layout.put(37, subdim, 1)
    layout.put(
        40,
        rng.choice((0x3E800000, 0x3EAAAAAB, values.small_fp32(rng), values.fp32(rng))) if function == 2 else 0x3F800000,
        4,
    )
    source = layout.tensor(12, 4, in_dtype, count, codes[0])
    layout.tensor(44, 4, out_dtype, kept(source, subdim), codes[1], write=True, **target_place(rng, source, out_dtype))


BUILDERS = {
    0x42: tensor_reduce,
    0x52: tensor_reduce,
    0x83: tensor_reduce,
    0x84: tensor_reduce,
    0x8C: packed_reduce,
    0x8D: packed_reduce,
    0x8A: packed_tensor_tensor,
    0x8B: packed_tensor_tensor,
    0x8F: packed_tensor_tensor,
    0x4E: tensor_cumulative,
    0x5E: tensor_cumulative,
    0x45: pool,
    0x58: pool,
}
