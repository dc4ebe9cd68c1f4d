"""SCALAR_TENSOR_TENSOR 0x9D (arithmetic), 0x9E (bit vectors) and TENSOR_TENSOR_SCAN 0xE5.

Source: isa/05 sections 4.2, 5.1.
"""

from .alu import ADD, ARITH_SHIFT_RIGHT, UNARY, alu_bits, alu_fp32, sign_extended
from .folds import finish, fold, seed
from .numbers import narrow, size_bytes, widen
from .operands import check_counts, check_sources, read, scalars, tensor, u32, write


class Fields:
    """The fields and operands that the three instructions share."""

    def __init__(self, machine, record):
        self.op0, self.op1, self.reverse = record[36], record[37], record[38]
        self.dtype0, self.dtype1 = record[40] & 0xF, record[40] >> 4
        self.out_dtype, self.channels, self.imm_dtype, self.command = record[41], record[42], record[43], record[44]
        source0 = tensor(machine, record, 12, 2, self.dtype0, self.channels)
        source1 = tensor(machine, record, 24, 2, self.dtype1, self.channels)
        self.target = tensor(machine, record, 48, 2, self.out_dtype, self.channels, write=True)
        check_sources(machine, source0, source1)
        check_counts(source0, source1, self.target)
        self.scalar = scalars(machine, record[39], u32(record, 60), size_bytes(self.imm_dtype), self.channels)
        self.left, self.right = read(machine, source0), read(machine, source1)


def ordered(machine, op, swap, first, second):
    """Return (left, right) of an operation on first and second, which swap exchanges (id reversed-unary-op)."""
    if swap and not (op in UNARY and machine.choice["reversed-unary-op"] == "stream-operand"):
        return second, first
    return first, second


def scalar_tensor_tensor(machine, record):
    """Compute (src0 op0 scalar) op1 src1; an accumulating 0x9D adds every result to its lane's accumulator as well."""
    # READ
    f = Fields(machine, record)

    # COMPUTE
    result = []
    for lane in range(f.channels):
        row = []
        accumulator = 0 if record[0] == 0x9E else seed(machine, ADD, f.command, lane, 0)
        for a, b in zip(f.left[lane], f.right[lane], strict=False):
            if record[0] == 0x9E:
                row.append(bitvec(machine, f, a, b, f.scalar[lane]))
                continue
            value = arithmetic(
                machine,
                f,
                widen(a, f.dtype0, machine.mode),
                widen(b, f.dtype1, machine.mode),
                widen(f.scalar[lane], f.imm_dtype, machine.mode),
            )
            row.append(narrow(value, f.out_dtype, machine.mode))
            if machine.choice["fold-cast-point"] == "after-conversion":
                value = widen(row[-1], f.out_dtype, machine.mode)
            if f.command != 0:
                accumulator = fold(machine, ADD, value, accumulator)
        result.append((row, accumulator))

    # WRITE
    write(machine, f.target, [row for row, _ in result])
    if record[0] == 0x9D:
        for lane, (_, accumulator) in enumerate(result):
            finish(machine, f.command, lane, accumulator)


def arithmetic(machine, f, a, b, scalar):
    """Return (a op0 scalar) op1 b on the fp32 datapath."""
    t = alu_fp32(f.op0, *ordered(machine, f.op0, f.reverse & 1, a, scalar), machine.choice)
    return alu_fp32(f.op1, *ordered(machine, f.op1, f.reverse & 2, t, b), machine.choice)


def bitvec(machine, f, a, b, scalar):
    """Return the 32-bit lane of (a op0 scalar) op1 b; only what has a dtype is sign-extended by a shift, the
    intermediate is a lane.
    """
    width = 8 * size_bytes(f.dtype0)
    left, right = ordered(machine, f.op0, f.reverse & 1, a, scalar)
    t = alu_bits(f.op0, element(machine, f.op0, left, f.dtype0), right, machine.choice)
    if machine.choice["bitvec-lane-width"] == "dtype-width":
        t %= 1 << width
    (left, is_element), (right, _) = ordered(machine, f.op1, f.reverse & 2, (t, False), (b, True))
    if is_element:
        left = element(machine, f.op1, left, f.dtype0)
    return alu_bits(f.op1, left, right, machine.choice)


def element(machine, op, code, dtype):
    """Return the lane of a left operand of a dtype (id arith-shift-right-narrow)."""
    if op == ARITH_SHIFT_RIGHT and machine.choice["arith-shift-right-narrow"] == "sign-extend-signed":
        return sign_extended(code, dtype)
    return code


def tensor_tensor_scan(machine, record):
    """Run state = (src0 op0 state) op1 src1 through the stream of every lane; the scalar is the first state."""
    # READ
    f = Fields(machine, record)

    # COMPUTE
    result = []
    for lane in range(f.channels):
        state = widen(f.scalar[lane], f.imm_dtype, machine.mode)
        row = []
        for a, b in zip(f.left[lane], f.right[lane], strict=False):
            state = arithmetic(machine, f, widen(a, f.dtype0, machine.mode), widen(b, f.dtype1, machine.mode), state)
            row.append(narrow(state, f.out_dtype, machine.mode))
            if machine.choice["scan-state-precision"] == "dst-dtype":
                state = widen(row[-1], f.out_dtype, machine.mode)
        result.append(row)

    # WRITE
    write(machine, f.target, result)
