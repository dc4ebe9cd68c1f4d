"""TENSOR_SCALAR_INT_WIDE 0xF4: 64-bit results in two halves.

Source: isa/06 section 7.6.
"""

from .errors import NotModelled
from .numbers import signed_value, size_bytes
from .operands import check_counts, read, scalars, tensor, u32, write

ARITH_SHIFT_LEFT, ARITH_SHIFT_RIGHT, LOGICAL_SHIFT_LEFT, LOGICAL_SHIFT_RIGHT = 0x02, 0x03, 0x10, 0x11
SHIFTS = (ARITH_SHIFT_LEFT, ARITH_SHIFT_RIGHT, LOGICAL_SHIFT_LEFT, LOGICAL_SHIFT_RIGHT)
ADD_INT, MULT_INT, SUBTRACT_INT, MULT_UINT = 0xC4, 0xC5, 0xC6, 0xDB


def int_wide(machine, record):
    """Store the low and the high 32 bits of x op scalar."""
    dtype, imm_dtype, out0, out1 = record[12] & 0xF, record[12] >> 4, record[13] & 0xF, record[13] >> 4
    op, channels = record[14], record[15]

    # READ
    source = tensor(machine, record, 16, 2, dtype, channels, psum=False, start_rule=False)
    low = tensor(machine, record, 28, 2, out0, channels, write=True, psum=False, start_rule=False)
    high = tensor(machine, record, 40, 2, out1, channels, write=True, psum=False, start_rule=False)
    check_counts(source, low, high)
    scalar = scalars(machine, record[52], u32(record, 56), size_bytes(imm_dtype), channels)
    elements = read(machine, source)

    # COMPUTE
    result = []
    for lane, row in enumerate(elements):
        s = signed_value(scalar[lane], imm_dtype)
        if op in SHIFTS and s > 31:
            raise NotModelled("a shift amount above 31, which only the inline form refuses")
        result.append([wide(op, signed_value(code, dtype), s) % (1 << 64) for code in row])

    # WRITE
    write(machine, low, [[value & 0xFFFFFFFF for value in row] for row in result])
    write(machine, high, [[value >> 32 for value in row] for row in result])


def wide(op, a, b):
    """Return the exact result of two integers; its low 64 bits count."""
    if op == ADD_INT:
        return a + b
    if op == SUBTRACT_INT:
        return a - b
    if op in (MULT_INT, MULT_UINT):
        return a * b
    if op in (ARITH_SHIFT_LEFT, LOGICAL_SHIFT_LEFT):
        return a << b
    return a >> b if op == ARITH_SHIFT_RIGHT else a % (1 << 64) >> b
