"""MAX8 0x6C, MATCH_VALUE_LOAD 0x6D, FIND_INDEX8 0x6E, MATCH_REPLACE8 0x6F, DVE_READ_INDICES 0xE9.

Source: isa/04 section 8.3, isa/05 section 9, isa/06 section 5.10.
"""

from .arithmetic import compare
from .numbers import narrow, widen
from .operands import check, check_counts, read, tensor, u32, write
from .predicated import convert

NOT_FOUND = 0xFFFFFFFF


def max8(machine, record):
    """Store the eight largest elements of every lane, smallest first."""
    in_dtype, out_dtype, channels = record[32], record[33], record[34]

    # READ
    source = tensor(machine, record, 12, 4, in_dtype, channels)
    target = tensor(machine, record, 48, 2, out_dtype, channels, write=True)
    check(source.count >= 8 and target.count == 8, "eight elements of at least eight")
    elements = read(machine, source)

    # COMPUTE
    result = []
    for row in elements:
        slots = []
        for code in row:
            carry = widen(code, in_dtype, machine.mode)
            for k in range(len(slots)):
                if compare(carry, slots[k]) == 1:
                    slots[k], carry = carry, slots[k]
            if len(slots) < 8:
                slots.append(carry)
        result.append([narrow(value, out_dtype, machine.mode) for value in reversed(slots)])

    # WRITE
    write(machine, target, result)


def match_value_load(machine, record):
    """Load eight keys per lane, the last element first, and forget what was matched."""
    dtype, channels = record[32], record[34]
    source = tensor(machine, record, 16, 2, dtype, channels)
    check(source.count == 8, "eight keys")
    keys, flags = machine.bank("match_values"), machine.bank("match_flags")
    for lane, row in enumerate(read(machine, source)):
        keys[lane] = [widen(code, dtype, machine.mode) for code in reversed(row)]
        flags[lane] = [0] * 8


def scan(machine, lane, row):
    """Return the index of the first match of each key that is still free, and the flags afterwards; an element serves
    one key.
    """
    keys = machine.bank("match_values")[lane]
    flags = (
        [0] * 8
        if machine.choice["match-flags-lifetime"] == "per-instruction"
        else list(machine.bank("match_flags")[lane])
    )
    found = [NOT_FOUND] * 8
    for index, value in enumerate(row):
        for k in range(8):
            if not flags[k] and compare(value, keys[k]) == 0:
                flags[k], found[k] = 1, index
                break
    return found, flags


def find_index8(machine, record):
    """Store the stream index of each key."""
    in_dtype, out_dtype, channels = record[32], record[33], record[34]

    # READ
    source = tensor(machine, record, 12, 4, in_dtype, channels)
    target = tensor(machine, record, 48, 2, out_dtype, channels, write=True)
    check(target.count == 8, "eight indices")
    elements = read(machine, source)

    # COMPUTE
    results = [
        scan(machine, lane, [widen(code, in_dtype, machine.mode) for code in row]) for lane, row in enumerate(elements)
    ]

    # WRITE
    write(machine, target, [found for found, _ in results])
    for lane, (found, flags) in enumerate(results):
        machine.bank("match_flags")[lane] = flags
        if machine.choice["find-index-feeds-read-indices"] == "find-and-replace":
            machine.bank("index_registers")[lane] = found


def match_replace8(machine, record):
    """Copy the stream with the first match of each key replaced, and keep the indices."""
    in_dtype, out_dtype, channels = record[32], record[33], record[34]
    replacement = narrow(u32(record, 40), out_dtype, machine.mode)

    # READ
    source = tensor(machine, record, 12, 4, in_dtype, channels)
    target = tensor(machine, record, 44, 4, out_dtype, channels, write=True)
    check_counts(source, target)
    elements = read(machine, source)

    # COMPUTE
    results = [
        scan(machine, lane, [widen(code, in_dtype, machine.mode) for code in row]) for lane, row in enumerate(elements)
    ]
    stored = [
        [replacement if k in found else convert(machine, code, in_dtype, out_dtype) for k, code in enumerate(row)]
        for row, (found, _) in zip(elements, results, strict=False)
    ]

    # WRITE
    write(machine, target, stored)
    for lane, (found, flags) in enumerate(results):
        machine.bank("match_flags")[lane] = flags
        machine.bank("index_registers")[lane] = found


def read_indices(machine, record):
    """Store the eight index registers of every lane."""
    channels = record[34]
    target = tensor(machine, record, 44, 4, record[32], channels, write=True)
    check(target.count == 8, "eight indices")
    rows = machine.bank("index_registers")[:channels]
    write(
        machine, target, [row[::-1] if machine.choice["read-indices-order"] == "slot-7-first" else row for row in rows]
    )
