"""TENSOR_SCALAR_CACHE_REDUCE 0x9A, TENSOR_SCALAR_CACHE_CUMULATIVE 0xE6, EXPONENTIAL 0x30.

Source: isa/05 sections 6.2, 13.
"""

from decimal import Context, Decimal

from .alu import ADD, alu_fp32
from .arithmetic import subtract
from .errors import NotModelled
from .folds import IDLE, finish, fold, seed
from .numbers import INFINITY, ONE, QUIET, SIGN, SINGLE, is_infinite, is_nan, is_zero, narrow, to_single, unpack, widen
from .operands import check_counts, read, scalars, tensor, u32, write


def cached(machine, record):
    """Compute t = x op0 scalar per element and fold it with op1; 0x9A and 0x30 store t, 0xE6 the running fold."""
    opcode, command, op0, op1 = record[0], record[12], record[36], record[37]
    in_dtype, out_dtype, channels = record[32], record[33], record[34]
    fold_op = ADD if opcode == 0x30 else op1
    swap = opcode != 0x30 and machine.choice["fold-operand-order"] == "accumulator-first"
    after = machine.choice["fold-cast-point"] == "after-conversion"
    if opcode == 0xE6 and after:
        raise NotModelled("the running fold after its conversion")

    # READ
    source = tensor(machine, record, 16, 3, in_dtype, channels, indirect=True)
    target = tensor(machine, record, 48, 3, out_dtype, channels, write=True, indirect=True)
    check_counts(source, target)
    scalar0 = scalars(machine, record[35], u32(record, 40), 4, channels)
    loaded = scalars(machine, record[39], u32(record, 44), 4, channels)
    elements = read(machine, source)

    # COMPUTE
    result = []
    for lane in range(channels):
        accumulator = seed(machine, fold_op, command, lane, loaded[lane])
        row = []
        for code in elements[lane]:
            x = widen(code, in_dtype, machine.mode)
            if opcode == 0x30:
                t = exponential(subtract(x, scalar0[lane], machine.choice["nan-results"]))
            else:
                t = alu_fp32(op0, x, scalar0[lane], machine.choice)
            folded = widen(narrow(t, out_dtype, machine.mode), out_dtype, machine.mode) if after else t
            if command != IDLE:
                accumulator = (
                    fold(machine, fold_op, accumulator, folded) if swap else fold(machine, fold_op, folded, accumulator)
                )
            row.append(narrow(accumulator if opcode == 0xE6 else t, out_dtype, machine.mode))
        result.append((row, accumulator))

    # WRITE
    write(machine, target, [row for row, _ in result])
    for lane, (_, accumulator) in enumerate(result):
        finish(machine, command, lane, accumulator)


DIGITS = Context(prec=60, Emax=10**6, Emin=-(10**6))
BEYOND = 0x43000000  # 128.0: its exponential overflows, that of -128.0 is below half the smallest subnormal


def exponential(bits):
    """Return exp(x), rounded once; subnormal results are kept."""
    if is_nan(bits):
        return bits | QUIET
    if is_zero(bits):
        return ONE
    if is_infinite(bits) or bits & 0x7FFFFFFF >= BEYOND:
        return 0 if bits & SIGN else INFINITY
    sign, magnitude, exponent = unpack(bits, SINGLE)
    # 60 digits decide every rounding: of 2^32 arguments the worst brings exp(x) to within about 2^-57 of the middle
    # of two fp32 numbers.
    x = DIGITS.divide(Decimal(magnitude << max(exponent, 0)), Decimal(1 << max(-exponent, 0)))
    value = DIGITS.exp(DIGITS.minus(x) if sign else x)
    # exp(x) of a rational x that is not 0 is irrational: below the integer part of value * 2^400 something always
    # sticks out.
    scaled = int(DIGITS.multiply(value, Decimal(1 << 400)))
    return to_single(0, 2 * scaled + 1, -401)
