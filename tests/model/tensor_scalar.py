"""TENSOR_SCALAR 0x43 / 0x53, its pointer forms 0x44 / 0x54, and the transposing form 0x93.

Source: isa/03 sections 4.1, 4.2, 4.7, 4.8.
"""

from .alu import BYPASS, LANE, UNARY, alu_bits, alu_fp32, alu_int, sign_extended
from .errors import NotModelled
from .numbers import INT6, INT32, Mode, narrow, narrow_to_int, size_bytes, widen
from .operands import check_counts, read, scalars, tensor, u32, write


def tensor_scalar(machine, record):
    """Compute (x op0 s0) op1 s1 per element, with either pair of operands swapped by reverse_operands."""
    opcode = record[0]
    in_dtype, out_dtype, channels = record[32], record[33], record[34]
    op0, op1, reverse = record[36], record[37], record[38]
    arithmetic = opcode in (0x43, 0x44, 0x93)
    pointer_form = opcode in (0x44, 0x54)
    integer = arithmetic and machine.generation == "MAVERICK" and (op0 >= 0xC4 or op1 >= 0xC4)

    # READ
    source = tensor(machine, record, 16, 3, in_dtype, channels, indirect=True)
    target = tensor(machine, record, 48, 3, out_dtype, channels, write=True, indirect=True)
    check_counts(source, target)
    width = 4 if arithmetic else size_bytes(in_dtype)
    scalar0 = scalars(machine, 1 if pointer_form else record[35], u32(record, 40), width, channels)
    scalar1 = scalars(machine, 1 if pointer_form else record[39], u32(record, 44), width, channels)
    if integer and (in_dtype not in INT6 or out_dtype not in INT6):
        raise NotModelled("integer ALU code on a dtype that is not an integer")
    elements = read(machine, source)

    # COMPUTE
    result = []
    for q in range(channels):
        row = []
        for f in range(source.count):
            lane, k = (q & ~31) | (f & 31), (f & ~31) | (q & 31)
            if opcode != 0x93:
                lane, k = q, f
            owner = lane if machine.choice["transpose-scalar-lane"] == "source-lane" else q
            args = (machine, elements[lane][k], scalar0[owner], scalar1[owner], op0, op1, reverse)
            if integer:
                row.append(integer_element(*args, in_dtype))
            elif arithmetic:
                row.append(arithmetic_element(*args, in_dtype, out_dtype))
            else:
                row.append(bitvec_element(*args, in_dtype))
        result.append(row)

    # WRITE
    write(machine, target, result)


def two_operations(machine, alu, x, s0, s1, op0, op1, reverse, between=lambda t: t):
    """Apply op0 and op1 with their operand order; between stands for what happens to the intermediate."""
    stream = machine.choice["reversed-unary-op"] == "stream-operand"
    swap0 = reverse & 1 and not (stream and op0 in UNARY)
    swap1 = reverse & 2 and not (stream and op1 in UNARY)
    t = between(alu(op0, s0, x) if swap0 else alu(op0, x, s0))
    if op1 == BYPASS:
        # Not one of the unary codes of reversed-unary-op: this case has a row of its own.
        return s1 if reverse & 2 and machine.choice["ts-op1-bypass-reversed"] == "left-operand" else t
    return alu(op1, s1, t) if swap1 else alu(op1, t, s1)


def arithmetic_element(machine, code, s0, s1, op0, op1, reverse, in_dtype, out_dtype):
    """Return the stored code of one element on the fp32 datapath."""
    copies = (op0, op1) == (BYPASS, BYPASS) and in_dtype == out_dtype and reverse == 0
    if copies and machine.choice["bypass-equal-dtypes"] == "raw-bits":
        return code
    x = widen(code, in_dtype, machine.mode)

    def alu(op, a, b):
        return alu_fp32(op, a, b, machine.choice)

    return narrow(two_operations(machine, alu, x, s0, s1, op0, op1, reverse), out_dtype, machine.mode)


def bitvec_element(machine, code, s0, s1, op0, op1, reverse, dtype):
    """Return the 32-bit lane of one element on the raw datapath; the write keeps its low bytes."""

    def alu(op, a, b):
        return alu_bits(op, a, b, machine.choice)

    def between(t):
        if machine.choice["bitvec-lane-width"] == "dtype-width":
            return t % (1 << (8 * size_bytes(dtype)))
        return t

    return two_operations(machine, alu, code, s0, s1, op0, op1, reverse, between)


def integer_element(machine, code, s0, s1, op0, op1, reverse, dtype):
    """Return the 32-bit lane of one element on MAVERICK's integer datapath; the write keeps its low bytes."""
    s0, s1 = integer_scalar(machine, s0), integer_scalar(machine, s1)
    return two_operations(machine, alu_int, sign_extended(code, dtype), s0, s1, op0, op1, reverse) & LANE


def integer_scalar(machine, bits):
    """Return the INT32 lane of a scalar slot (id int-tensor-scalar-immediate)."""
    if machine.choice["int-tensor-scalar-immediate"] == "raw-int32":
        return bits
    # Rounding and NaN are those of every write to an integer: round to nearest even, saturate.
    return narrow_to_int(bits, INT32, Mode())
