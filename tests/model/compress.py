"""SPARSITY_COMPRESS 0xE0, SPARSITY_COMPRESS_TAG 0xE1, QUANTIZE_MX 0xE3.

Source: isa/06 sections 7.4, 7.5; isa/01 section 6.4.
"""

from .arithmetic import compare, multiply
from .errors import NotModelled
from .memory import ADDRESS_MASK
from .numbers import FP8_EXP4, Mode, is_nan, is_zero, narrow, widen
from .operands import Operand, cell, check, located, read, tensor, u16, u32, write
from .reduce import groups, transposed

MIN, MAX, ABS_MIN, ABS_MAX = 0x08, 0x09, 0x20, 0x21
FP8 = (0xD, 0xE, 0xF)


def more_extreme(op, a, b):
    """Tell whether a value beats another one; a number beats a NaN."""
    if is_nan(a) or is_nan(b):
        return is_nan(b) and not is_nan(a)
    if op in (ABS_MIN, ABS_MAX):
        a, b = a & 0x7FFFFFFF, b & 0x7FFFFFFF
    return compare(a, b) == (1 if op in (MAX, ABS_MAX) else -1)


def winners(op, group):
    """Return the indices of the four extreme elements, the least extreme first; equal ones in order, the earlier ones
    chosen.
    """
    left, chosen = list(range(len(group))), []
    for _ in range(4):
        best = left[0]
        for k in left[1:]:
            if more_extreme(op, group[k], group[best]):
                best = k
        left.remove(best)
        chosen.append(best)
    ordered = []
    for index in sorted(chosen):
        place = len(ordered)
        while place and more_extreme(op, group[ordered[place - 1]], group[index]):
            place -= 1
        ordered.insert(place, index)
    return ordered


def compress(machine, record):
    """Keep the four extreme elements of every group with their places in it."""
    tagged = record[0] == 0xE1
    in_dtype, data_dtype, tag_dtype, channels, op, subdim = (
        record[12],
        record[32],
        record[33],
        record[34],
        record[36],
        record[37],
    )
    offset, dims = (20, 2) if tagged else (16, 3)
    packed = tagged and record[14] == 1

    # READ
    source = tensor(machine, record, offset, dims, in_dtype, channels, start_rule=False)
    if tagged:
        data = tensor(machine, record, 40, 2, data_dtype, channels, write=True, start_rule=False)
        tags = tensor(machine, record, 52, 2, tag_dtype, channels, write=True, psum=False, start_rule=False)
    else:
        data = tensor(machine, record, 48, 3, tag_dtype, channels, write=True, start_rule=False)
    size = 1
    for d in range(min(subdim - 1, dims)):
        size *= u16(record, offset + 4 + 2 * dims + 2 * d)
    check(data.count == 4 * source.count // size, "four elements per group")
    check(not tagged or tags.count == (data.count // 4 if packed else data.count), "the tags of all elements")
    elements = read(machine, source)

    # COMPUTE
    if record[13] == 1:
        elements = transposed(elements)
    data_rows, tag_rows = [], []
    for row in elements:
        stored, places = [], []
        for group in groups([widen(code, in_dtype, machine.mode) for code in row], size):
            chosen = winners(op, group)
            codes = [narrow(group[k], data_dtype, machine.mode) for k in chosen]
            if tagged:
                stored += codes
                places += [sum((k & 0xF) << 4 * slot for slot, k in enumerate(chosen))] if packed else chosen
            else:
                half = 8 if data_dtype in FP8 else 16
                stored += [(k % (1 << half)) << half | code for k, code in zip(chosen, codes, strict=False)]
        data_rows.append(stored)
        tag_rows.append(places)

    # WRITE
    write(machine, data, data_rows)
    if tagged:
        write(machine, tags, tag_rows)


def quantize(machine, record):
    """Scale blocks of 8 lanes x 4 elements by a power of two, store them as FP8 and the exponents beside them."""
    channels, in_dtype, out_dtype = record[33], record[34], record[35]
    number, step = u16(record, 56), int.from_bytes(record[58:59], "little", signed=True)
    if record[59]:
        raise NotModelled("a scale partition index: no source says what it counts")
    if (u32(record, 48) | u32(record, 52)) & 0x40000000:
        raise NotModelled("shape from a register (isa/01 section 3.4)")

    # READ
    source = tensor(machine, record, 16, 3, in_dtype, channels, psum=False, start_rule=False)
    check(source.count == 4 * number, "four source elements per destination group")
    space, partition, byte = located(machine, u32(record, 48) & ADDRESS_MASK)
    cells = [
        [cell(machine, space, partition + lane, byte + 4 * step * j, 4) for j in range(number)]
        for lane in range(channels)
    ]
    data = Operand(space, 4, number, cells, 0, False)
    scale_space, scale_partition, scale_byte = located(machine, u32(record, 52) & ADDRESS_MASK)
    rows = [scale_partition + 32 * (g // 4) + g % 4 for g in range(channels // 8)]
    cells = [[cell(machine, scale_space, row, scale_byte + step * j, 1) for j in range(number)] for row in rows]
    scales = Operand(scale_space, 1, number, cells, 0, False)
    values = [[widen(code, in_dtype, machine.mode) for code in row] for row in read(machine, source)]

    # COMPUTE
    codes, exponents = [], []
    for first in range(0, channels, 8):
        lanes = values[first : first + 8]
        row = [
            block_scale(machine, [x for lane in lanes for x in lane[4 * j : 4 * j + 4]], out_dtype)
            for j in range(number)
        ]
        exponents.append(row)
        for lane in lanes:
            codes.append(
                [sum(quantized(lane[4 * j + k], row[j], out_dtype) << 8 * k for k in range(4)) for j in range(number)]
            )

    # WRITE
    write(machine, data, codes)
    write(machine, scales, exponents)


def block_scale(machine, block, out_dtype):
    """Return the E8M0 code of a block of fp32 patterns."""
    largest = max(bits >> 23 & 0xFF for bits in block)
    emax = 8 if out_dtype == FP8_EXP4 else 15
    if machine.choice["quantize-mx-scale"] == "emax-minus-1":
        emax -= 1
    if all(is_zero(bits) for bits in block) and machine.choice["quantize-mx-zero-block"] == "zero":
        return 0
    return max(1, largest - emax)


def quantized(bits, exponent, out_dtype):
    """Return the FP8 code of x / 2^(exponent - 127), saturated; E4M3 is the format with 448."""
    return narrow(multiply(bits, (254 - exponent) << 23), out_dtype, Mode(ocp=1, sat=1))
