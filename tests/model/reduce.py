"""TENSOR_REDUCE 0x42 / 0x52, its transposing forms 0x83 / 0x84 and packed forms 0x8C / 0x8D, TENSOR_CUMULATIVE 0x4E /
0x5E,
POOL 0x45, MAX_POOL_SELECT 0x58.

Source: isa/05 sections 10.2, 11, 12; isa/06 sections 5.5, 5.11, 8.8.
"""

from .alu import ADD, MAX, MULT, RSQRT, UNARY, alu_bits, alu_fp32
from .arithmetic import compare
from .errors import NotModelled
from .numbers import ONE, SIGN, is_nan, narrow, widen
from .operands import check, check_counts, read, tensor, u16, u32, write

BITVEC = (0x52, 0x84, 0x5E)
CRC32 = 0x1C


def step(machine, opcode, op, running, element):
    """Return the running value after one more element; it is the left operand (ids tensor-reduce-operand-order,
    unary-op-in-fold).
    """
    alu = alu_bits if opcode in BITVEC else alu_fp32
    left, right = running, element
    reduce = opcode not in (0x4E, 0x5E)
    if op in UNARY:
        if machine.choice["unary-op-in-fold"] == "element":
            left = element
    elif reduce and machine.choice["tensor-reduce-operand-order"] == "element-first":
        left, right = element, running
    return alu(op, left, right, machine.choice)


def refuse_undefined(opcode, op):
    """Raise NotModelled for the codes of id undefined-alu-codes."""
    if opcode in BITVEC and op == CRC32:
        raise NotModelled("CRC32")
    if opcode == 0x4E and (op == RSQRT or op >= 0xC4):
        raise NotModelled(f"ALU code {op:#04x} in a scan")


def group_size(machine, record, offset, subdim):
    """Return how many consecutive elements one group has: the innermost dimensions X .. of TENSOR_SUBDIM.

    An indirect pattern has one dimension only.
    """
    if machine.indirect_forms and record[0] not in (0x45, 0x58) and (u32(record, offset) >> 24) & 0x60 == 0x20:
        return u16(record, offset + 8)
    size = 1
    for d in range(subdim - 1):
        size *= u16(record, offset + 12 + 2 * d)
    return size


def groups(row, size):
    return [row[k : k + size] for k in range(0, len(row), size)]


def transposed(rows):
    """Transpose every 32 x 32 tile of rows[lane][k] in its place."""
    return [[rows[(p & ~31) | (k & 31)][(k & ~31) | (p & 31)] for k in range(len(rows[p]))] for p in range(len(rows))]


def tensor_reduce(machine, record):
    """Fold every group of the source to one element."""
    opcode, in_dtype, out_dtype, channels = record[0], record[32], record[33], record[34]
    negated, subdim = record[35], record[37]
    op = {0x8C: ADD, 0x8D: MAX}.get(opcode, record[36])
    packed = opcode in (0x8C, 0x8D)
    if packed and negated > 1:
        raise NotModelled("negated is 0 or 1 (isa/05 section 10.2), and no rule of the packed forms says so")
    refuse_undefined(opcode, op)

    # READ
    source = tensor(machine, record, 12, 4, in_dtype, channels, indirect=True, start_rule=not packed)
    target = tensor(machine, record, 44, 4, out_dtype, channels, write=True, indirect=True, start_rule=not packed)
    size = group_size(machine, record, 12, subdim)
    check(source.count == size * target.count, "the destination has not one element per group")
    elements = read(machine, source)

    # COMPUTE
    if opcode not in BITVEC:
        elements = [[widen(code, in_dtype, machine.mode) for code in row] for row in elements]
    if opcode in (0x83, 0x84):
        elements = transposed(elements)
    result = []
    for row in elements:
        values = []
        for group in groups(row, size):
            value = group[0]
            for element in group[1:]:
                value = step(machine, opcode, op, value, element)
            if negated:
                value = alu_fp32(MULT, value, SIGN | ONE, machine.choice)
            values.append(value if opcode in BITVEC else narrow(value, out_dtype, machine.mode))
        result.append(values)

    # WRITE
    write(machine, target, result)


def tensor_cumulative(machine, record):
    """Store the running fold of every group."""
    opcode, in_dtype, out_dtype, channels, op = record[0], record[32], record[33], record[34], record[36]
    refuse_undefined(opcode, op)

    # READ
    source = tensor(machine, record, 12, 4, in_dtype, channels, indirect=True)
    target = tensor(machine, record, 44, 4, out_dtype, channels, write=True, indirect=True)
    check_counts(source, target)
    size = group_size(machine, record, 12, record[37])
    elements = read(machine, source)

    # COMPUTE
    result = []
    for row in elements:
        values, running = [], None
        for k, code in enumerate(row):
            element = code if opcode == 0x5E else widen(code, in_dtype, machine.mode)
            running = element if k % size == 0 else step(machine, opcode, op, running, element)
            values.append(running if opcode == 0x5E else narrow(running, out_dtype, machine.mode))
        result.append(values)

    # WRITE
    write(machine, target, result)


def pool(machine, record):
    """Reduce every window to its largest element, its scaled sum, or the position of its largest element."""
    opcode, in_dtype, out_dtype, channels = record[0], record[32], record[33], record[34]
    average, scale = record[36] == 2, u32(record, 40)

    # READ
    source = tensor(machine, record, 12, 4, in_dtype, channels)
    target = tensor(machine, record, 44, 4, out_dtype, channels, write=True)
    size = group_size(machine, record, 12, record[37])
    check(source.count == size * target.count, "the destination has not one element per window")
    elements = read(machine, source)

    # COMPUTE
    result = []
    for row in elements:
        values = []
        for window in groups([widen(code, in_dtype, machine.mode) for code in row], size):
            if opcode == 0x58:
                values.append(position_of_largest(window))
                continue
            value = window[0]
            for element in window[1:]:
                value = alu_fp32(ADD if average else MAX, value, element, machine.choice)
            if average:
                value = alu_fp32(MULT, value, scale, machine.choice)
            values.append(narrow(value, out_dtype, machine.mode))
        result.append(values)

    # WRITE
    write(machine, target, result)


def position_of_largest(window):
    """Return the position of the first largest number; 0 if there is no number."""
    best = 0
    for k, value in enumerate(window):
        if compare(value, window[best]) == 1 or (is_nan(window[best]) and not is_nan(value)):
            best = k
    return best
