"""COPY 0x46, CAST 0x47, RECIPROCAL 0x48, MEMSET 0x49, LOAD_MASK_SELECT 0x69, STREAM_SHUFFLE 0x6A, STREAM_TRANSPOSE
0x6B.

Source: isa/06 sections 5.2 to 5.4, 5.6 to 5.9.
"""

from .arithmetic import reciprocal
from .numbers import narrow, widen
from .operands import check, check_counts, read, tensor, u32, write
from .predicated import convert
from .reduce import transposed


def move(machine, record):
    """Copy the bits, convert, or store the reciprocal of every element."""
    opcode, in_dtype, out_dtype, channels = record[0], record[32], record[33], record[34]

    # READ
    source = tensor(machine, record, 12, 4, in_dtype, channels, indirect=True)
    target = tensor(machine, record, 44, 4, out_dtype, channels, write=True, indirect=True)
    check_counts(source, target)
    elements = read(machine, source)

    # COMPUTE
    def moved(code):
        if opcode == 0x46:
            return code
        if opcode == 0x47:
            return convert(machine, code, in_dtype, out_dtype)
        return narrow(reciprocal(widen(code, in_dtype, machine.mode)), out_dtype, machine.mode)

    # WRITE
    write(machine, target, [[moved(code) for code in row] for row in elements])


def memset(machine, record):
    """Store the low bytes of the value in every element."""
    channels = record[34]
    target = tensor(machine, record, 44, 4, record[32], channels, write=True)
    check(target.count == u32(record, 28), "the element count is not that of the pattern")
    write(machine, target, [[u32(record, 40)] * target.count for _ in range(channels)])


def load_mask_select(machine, record):
    """Set the source lane of each lane of a block."""
    machine.bank("lane_mask")[:] = record[32:64]


def stream_shuffle(machine, record):
    """Move whole streams inside every block of 32 lanes; a lane without a source keeps its destination."""
    in_dtype, out_dtype, channels = record[32], record[33], record[34]

    # READ
    source = tensor(machine, record, 12, 4, in_dtype, channels, indirect=True)
    target = tensor(machine, record, 44, 4, out_dtype, channels, write=True, indirect=True)
    check_counts(source, target)
    elements, mask = read(machine, source), machine.bank("lane_mask")

    # COMPUTE
    result = []
    for lane in range(channels):
        origin = mask[lane % 32]
        result.append(elements[lane - lane % 32 + origin] if origin < 32 else [None] * source.count)

    # WRITE
    write(machine, target, result)


def stream_transpose(machine, record):
    """Transpose every 32 x 32 tile; with mask_enable a lane without a source keeps its destination."""
    in_dtype, out_dtype, channels, mask_enable = record[32], record[33], record[34], record[38]

    # READ
    source = tensor(machine, record, 12, 4, in_dtype, channels, indirect=True)
    target = tensor(machine, record, 44, 4, out_dtype, channels, write=True, indirect=True)
    check(target.count <= source.count, "the destination is longer than the source")
    elements, mask = read(machine, source), machine.bank("lane_mask")

    # COMPUTE
    masked = mask_enable == 1 and machine.choice["transpose-mask-enable"] == "keep-masked-lanes"
    result = []
    for lane, row in enumerate(transposed(elements)):
        kept = masked and mask[lane % 32] >= 32
        result.append([None] * target.count if kept else row[: target.count])

    # WRITE
    write(machine, target, result)
