"""TENSOR_SCALAR_SELECT 0x98, RANGE_SELECT 0xBC, DROPOUT 0x7F.

Source: isa/04 sections 6.3, 7.3, 10.3.
"""

from .alu import alu_fp32, larger
from .arithmetic import add, compare
from .folds import LOWEST, finish
from .numbers import FP32, ONE, narrow, size_bytes, to_single, widen
from .operands import check_counts, read, scalars, tensor, u32, write
from .predicated import fresh_maximum
from .random_bits import draw


def tensor_scalar_select(machine, record):
    """Move the tensor or the scalar, as the predicate of the lane says."""
    reversed_pred, channels, dtype, pred_dtype = record[32], record[33], record[34], record[35]

    # READ
    source = tensor(machine, record, 16, 3, dtype, channels)
    target = tensor(machine, record, 48, 3, dtype, channels, write=True)
    check_counts(source, target)
    scalar = scalars(machine, record[38], u32(record, 40), size_bytes(dtype), channels)
    predicate = scalars(machine, record[39], u32(record, 44), size_bytes(pred_dtype), channels)
    elements = read(machine, source)

    # COMPUTE
    result = []
    for lane, row in enumerate(elements):
        take_tensor = (predicate[lane] != 0) != (reversed_pred == 1)
        result.append(row if take_tensor else [scalar[lane]] * source.count)

    # WRITE
    write(machine, target, result)


def range_select(machine, record):
    """Keep the elements whose index is in range, fill the others with -FLT_MAX; fold the maximum per lane."""
    channels, in_dtype, out_dtype, command = record[12], record[13] & 0xF, record[13] >> 4, record[14]
    base, op0, op1 = u32(record, 16), record[36], record[37]

    # READ
    source = tensor(machine, record, 24, 2, in_dtype, channels)
    target = tensor(machine, record, 48, 2, out_dtype, channels, write=True)
    check_counts(source, target)
    bound0 = scalars(machine, record[38], u32(record, 40), 4, channels)
    bound1 = scalars(machine, record[39], u32(record, 44), 4, channels)
    elements = read(machine, source)

    # COMPUTE
    result = []
    for lane in range(channels):
        accumulator = fresh_maximum(machine) if command == 3 else machine.accumulators[lane]
        row = []
        for k, code in enumerate(elements[lane]):
            index = add(base, to_single(0, k, 0))
            in_range = all(
                alu_fp32(op, index, bound, machine.choice) == ONE
                for op, bound in ((op0, bound0[lane]), (op1, bound1[lane]))
            )
            value = widen(code, in_dtype, machine.mode) if in_range else LOWEST
            row.append(narrow(value, out_dtype, machine.mode))
            if machine.choice["fold-cast-point"] == "after-conversion":
                value = widen(row[-1], out_dtype, machine.mode)
            accumulator = larger(accumulator, value, machine.choice)
        result.append((row, accumulator))

    # WRITE
    write(machine, target, [row for row, _ in result])
    for lane, (_, accumulator) in enumerate(result):
        finish(machine, command, lane, accumulator)


def dropout(machine, record):
    """Move every element or store zero, as a random draw says."""
    dtype, channels, threshold_dtype, keep_rate = record[32], record[34], record[36] or FP32, record[43] == 1

    # READ
    source = tensor(machine, record, 16, 3, dtype, channels)
    target = tensor(machine, record, 48, 3, dtype, channels, write=True)
    check_counts(source, target)
    threshold = scalars(machine, record[35], u32(record, 44), size_bytes(threshold_dtype), channels)
    elements = read(machine, source)

    # COMPUTE
    result = []
    for lane, row in enumerate(elements):
        limit = widen(threshold[lane], threshold_dtype, machine.mode)
        kept = []
        for code in row:
            below = compare(to_single(0, draw(machine, lane) >> 9, -23), limit) == -1
            kept.append(code if below == keep_rate else 0)
        result.append(kept)

    # WRITE
    write(machine, target, result)
