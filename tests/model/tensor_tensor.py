"""TENSOR_TENSOR 0x41 (arithmetic), 0x51 (bit vectors), and SUNDA's packed forms 0x8A, 0x8B, 0x8F.

Source: isa/03 sections 5.1, 5.2, 5.4, 6; for ARITH_SHIFT_RIGHT on narrow dtypes section 2.3.
"""

from .alu import ADD, ARITH_SHIFT_RIGHT, BYPASS, MULT, SUBTRACT, alu_bits, alu_fp32, sign_extended
from .numbers import narrow, widen
from .operands import check_counts, check_sources, read, tensor, write


def tensor_tensor(machine, record):
    """Compute src0 op src1 element by element, in walk order."""
    opcode, out_dtype, channels = record[0], record[13], record[15]
    op = {0x8A: ADD, 0x8B: MULT, 0x8F: SUBTRACT}.get(opcode, record[14])
    packed = opcode in (0x8A, 0x8B, 0x8F)
    dtype0, dtype1 = record[12] & 0xF, record[12] >> 4
    some = machine.choice["s3s3d3-indirect"] != "no-operand"
    every = machine.choice["s3s3d3-indirect"] == "all-operands"

    # READ
    source0 = tensor(machine, record, 16, 3, dtype0, channels, indirect=some, start_rule=not packed)
    source1 = tensor(machine, record, 32, 3, dtype1, channels, indirect=every, start_rule=not packed)
    target = tensor(machine, record, 48, 3, out_dtype, channels, write=True, indirect=some, start_rule=not packed)
    if not packed:
        check_sources(machine, source0, source1)
    check_counts(source0, source1, target)
    left, right = read(machine, source0), read(machine, source1)

    # COMPUTE
    result = []
    for lane in range(channels):
        row = []
        for a, b in zip(left[lane], right[lane], strict=False):
            if opcode == 0x51:
                row.append(bitvec(machine, op, a, b, dtype0))
            elif op == BYPASS and dtype0 == out_dtype and machine.choice["bypass-equal-dtypes"] == "raw-bits":
                row.append(a)
            else:
                value = alu_fp32(op, widen(a, dtype0, machine.mode), widen(b, dtype1, machine.mode), machine.choice)
                row.append(narrow(value, out_dtype, machine.mode))
        result.append(row)

    # WRITE
    write(machine, target, result)


def bitvec(machine, op, a, b, dtype):
    """Return the 32-bit lane of a op b."""
    if op == ARITH_SHIFT_RIGHT and machine.choice["arith-shift-right-narrow"] == "sign-extend-signed":
        a = sign_extended(a, dtype)
    return alu_bits(op, a, b, machine.choice)
