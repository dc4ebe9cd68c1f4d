"""COPY_PREDICATED 0x72, CAST_PREDICATED 0x99, COPY_PREDICATED_SCALAR 0xE8, SELECT_REDUCE 0xEA, DVE_READ_ACCUMULATOR
0x9B.

Source: isa/04 sections 2.5, 2.8, 2.9, 3.3, 4.3, 5.4; isa/05 section 8.2.
"""

from .alu import larger
from .numbers import INFINITY, SIGN, narrow, size_bytes, widen
from .operands import check_counts, check_sources, read, scalars, tensor, u32, write


def convert(machine, code, from_dtype, to_dtype):
    """Return a moved element: raw bits between equal dtypes (id equal-dtype-conversion), else through fp32."""
    if from_dtype == to_dtype and machine.choice["equal-dtype-conversion"] == "raw-bits":
        return code
    return narrow(widen(code, from_dtype, machine.mode), to_dtype, machine.mode)


def unselected(machine):
    """Return what an element that is not selected gets: nothing, or zero (id merge-of-unselected)."""
    return 0 if machine.choice["merge-of-unselected"] == "zero" else None


def copy_predicated(machine, record):
    """Write src1 where src0 is not zero; 0x72 moves bits, 0x99 converts."""
    opcode, out_dtype, channels = record[0], record[13], record[15]
    predicate_dtype, data_dtype = record[12] & 0xF, record[12] >> 4
    some = machine.choice["s3s3d3-indirect"] != "no-operand"
    every = machine.choice["s3s3d3-indirect"] == "all-operands"

    # READ
    predicate = tensor(machine, record, 16, 3, predicate_dtype, channels, indirect=some)
    data = tensor(machine, record, 32, 3, data_dtype, channels, indirect=every)
    target = tensor(machine, record, 48, 3, out_dtype, channels, write=True, indirect=some)
    check_sources(machine, predicate, data)
    check_counts(predicate, data, target)
    predicates, elements = read(machine, predicate), read(machine, data)

    # COMPUTE
    result = []
    for lane in range(channels):
        row = []
        for p, code in zip(predicates[lane], elements[lane], strict=False):
            if p == 0:
                row.append(unselected(machine))
            elif opcode == 0x72:
                row.append(code)
            else:
                row.append(convert(machine, code, data_dtype, out_dtype))
        result.append(row)

    # WRITE
    write(machine, target, result)


def copy_predicated_scalar(machine, record):
    """Write one scalar per lane where (pred != 0) == (reversed_pred != 0)."""
    predicate_dtype, reversed_pred, channels = record[32], record[33], record[34]
    in_dtype, out_dtype, imm_source = record[41], record[42], record[43]

    # READ
    predicate = tensor(machine, record, 16, 3, predicate_dtype, channels, indirect=True)
    target = tensor(machine, record, 48, 3, out_dtype, channels, write=True, indirect=True)
    check_counts(predicate, target)
    scalar = scalars(machine, imm_source, u32(record, 44), size_bytes(in_dtype), channels)
    predicates = read(machine, predicate)

    # COMPUTE
    wanted = reversed_pred == 1
    if machine.choice["cps-polarity"] == "write-where-true":
        wanted = not wanted
    result = []
    for lane in range(channels):
        result.append([scalar[lane] if (p != 0) == wanted else unselected(machine) for p in predicates[lane]])

    # WRITE
    write(machine, target, result)


def select_reduce(machine, record):
    """Select per element between data and the old destination (merge) or imm0 (fill); fold the maximum per lane."""
    reverse, imm_source, out_dtype, channels = record[38], record[39], record[41], record[42]
    predicate_dtype, data_dtype = record[40] & 0xF, record[40] >> 4
    imm_dtype, command = record[43], record[44]
    fill = machine.choice["select-reduce-false-lanes"] == "fill"
    negate = reverse == 1 and machine.choice["select-reduce-reverse"] == "negate-predicate"

    # READ
    predicate = tensor(machine, record, 12, 2, predicate_dtype, channels)
    data = tensor(machine, record, 24, 2, data_dtype, channels)
    target = tensor(machine, record, 48, 2, out_dtype, channels, write=True)
    check_sources(machine, predicate, data)
    check_counts(predicate, data, target)
    raw_scalar = scalars(machine, imm_source, u32(record, 60), size_bytes(imm_dtype), channels)
    scalar = [widen(raw, imm_dtype, machine.mode) for raw in raw_scalar]
    predicates, elements = read(machine, predicate), read(machine, data)

    # COMPUTE
    result, accumulators = [], []
    for lane in range(channels):
        accumulator = machine.accumulators[lane] if command == 2 else fresh_maximum(machine)
        row = []
        for p, code in zip(predicates[lane], elements[lane], strict=False):
            if (p != 0) != negate:
                value = widen(code, data_dtype, machine.mode)
                stored = convert(machine, code, data_dtype, out_dtype)
            elif fill:
                value = scalar[lane]
                stored = narrow(value, out_dtype, machine.mode)
            else:
                row.append(None)
                continue
            row.append(stored)
            if machine.choice["fold-cast-point"] == "after-conversion":
                value = widen(stored, out_dtype, machine.mode)
            accumulator = larger(accumulator, value, machine.choice)
        result.append(row)
        accumulators.append(accumulator)

    # WRITE
    write(machine, target, result)
    for lane in range(channels):
        if command in (2, 3) or machine.choice["select-reduce-idle"] == "single-shot":
            machine.accumulators[lane] = accumulators[lane]
        if command == 0:
            machine.tainted[lane] = True
        elif command == 3:
            machine.tainted[lane] = False


def fresh_maximum(machine):
    """Return the seed of a maximum that does not continue an older one."""
    seeds = {"operator-identity": SIGN | INFINITY, "zero": 0, "fp32-lowest-for-max": 0xFF7FFFFF}
    return seeds[machine.choice["accumulator-reset-value"]]


def read_accumulator(machine, record):
    """Write each lane's accumulator, perhaps negated, to the one element of its partition."""
    dtype, negated, channels = record[32], record[33], record[34]

    # READ
    target = tensor(machine, record, 44, 1, dtype, channels, write=True)

    # COMPUTE
    result = []
    for lane in range(channels):
        value = machine.accumulators[lane] ^ (SIGN if negated else 0)
        result.append([narrow(value, dtype, machine.mode)])

    # WRITE
    write(machine, target, result)
    if machine.choice["accumulator-read-effect"] == "cleared":
        for lane in range(channels):
            machine.accumulators[lane] = 0
