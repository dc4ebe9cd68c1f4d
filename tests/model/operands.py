"""Operands: decode a pattern, resolve its addresses, list the cells it visits, read and write them.

A cell is (partition, byte); cells[c][k] is element k of lane c. Everything that can fail at run time fails here,
before any write.
Source: isa/01 sections 3.3, 3.4, 5, 6, 7.5, 9.7, 10.
"""

from dataclasses import dataclass

from .banks import fresh
from .errors import ModelError, NotModelled
from .memory import ADDRESS_MASK, Memory, channels_fit, sources_fit
from .numbers import Mode, size_bytes


@dataclass
class Machine:
    """What an instruction sees: memory, registers, accumulators, banks, and the answers to the open questions."""

    generation: str
    memory: Memory
    registers: dict
    accumulators: list
    tainted: list
    choice: dict
    mode: Mode
    banks: dict

    @property
    def indirect_forms(self):
        """Tell whether the generation has indirect patterns."""
        return self.generation in ("MARIANA", "MAVERICK")

    def register(self, number):
        if number not in self.registers:
            raise ModelError(f"register {number} is not set")
        return self.registers[number] & ADDRESS_MASK

    def bank(self, name):
        """Return a bank, after reset if nobody has touched it."""
        if name not in self.banks:
            self.banks[name] = fresh(name)
        return self.banks[name]


@dataclass
class Operand:
    """A resolved tensor operand. address is its data address, from_register tells whether that came from a register."""

    space: str
    size: int
    count: int
    cells: list
    address: int
    from_register: bool


def u16(data, offset):
    return int.from_bytes(data[offset : offset + 2], "little")


def s16(data, offset):
    return int.from_bytes(data[offset : offset + 2], "little", signed=True)


def u32(data, offset):
    return int.from_bytes(data[offset : offset + 4], "little")


def walk(steps, counts):
    """List element offsets in walk order; index 0 of steps and counts is the innermost dimension."""
    offsets = [0]
    for step, count in zip(steps, counts, strict=False):
        offsets = [index * step + inner for index in range(count) for inner in offsets]
    return offsets


def aligned(address, size):
    return address % size == 0


def check(condition, text):
    if not condition:
        raise ModelError(text)


def tensor(machine, record, offset, dims, dtype, channels, write=False, indirect=False, psum=True, start_rule=True):
    """Decode and resolve the pattern at a byte offset of the record.

    dims: free dimensions of the direct form. indirect: whether this field has an indirect form on MARIANA and later.
    psum: whether it may lie in PSUM. start_rule: whether the instruction's list has the rule on start partitions
    (isa/01 section 9.4).
    Raises ModelError for anything a run refuses, NotModelled for a shape register.
    """
    word = u32(record, offset)
    size = size_bytes(dtype)
    if indirect and machine.indirect_forms and (word >> 24) & 0x60 == 0x20:
        return indirect_tensor(machine, record, offset, size, channels, write)
    if word & 0x20000000:
        raise ValueError("an illegal record: indirect marker in a field without an indirect form")
    # On SUNDA bit 30 has no meaning (id shape-marker-on-sunda): the address mask drops it.
    if machine.generation != "SUNDA" and word & 0x40000000:
        raise NotModelled("shape from a register")
    from_register = bool(word >> 31)
    address = machine.register(word & 0xFF) if from_register else word & ADDRESS_MASK
    if from_register:
        check_start(machine, address, size, channels if start_rule else None, write, psum)
    space, partition, byte = located(machine, address)
    steps = [s16(record, offset + 4 + 2 * d) for d in range(dims)]
    counts = [u16(record, offset + 4 + 2 * dims + 2 * d) for d in range(dims)]
    offsets = walk(steps, counts)
    cells = []
    for lane in range(channels):
        row = []
        for element in offsets:
            place = byte + size * element
            if machine.choice["walk-out-of-bounds"] == "wrap-in-partition":
                place %= machine.memory.geometry.active(space)
            row.append(cell(machine, space, partition + lane, place, size))
        cells.append(row)
    return Operand(space, size, len(offsets), cells, address, from_register)


def indirect_tensor(machine, record, offset, size, channels, write):
    """Resolve a gather or scatter: element k of a lane is the one its index list names."""
    word = u32(record, offset)
    address = u32(record, offset + 4) & ADDRESS_MASK
    count = u16(record, offset + 8)
    if word >> 31:
        index_address = machine.register(word & 0xFF)
        check_start(
            machine, index_address, 4, channels, False, machine.choice["indirect-index-region"] == "sbuf-or-psum"
        )
    else:
        index_address = word & ADDRESS_MASK
    space, partition, byte = located(machine, address)
    cells = []
    for lane in range(channels):
        indices = index_list(machine, index_address, lane, count)
        cells.append([cell(machine, space, partition + lane, byte + size * index, size) for index in indices])
    return Operand(space, size, count, cells, address, False)


def index_list(machine, address, lane, count):
    """Read the index list of one lane."""
    space, partition, byte = located(machine, address)
    width = 2 if machine.choice["indirect-index-dtype"] == "uint16" else 4
    indices = []
    for k in range(count):
        if machine.choice["indirect-index-layout"] == "snake-16":
            place = (partition + 16 * (lane // 16) + k % 16, byte + width * (k // 16))
        else:
            place = (partition + lane, byte + width * k)
        indices.append(int.from_bytes(machine.memory.read(space, *place, width), "little"))
    return indices


def located(machine, address):
    place = machine.memory.geometry.split(address)
    if place is None:
        raise ModelError(f"address {address:#x} is in no region")
    return place


def cell(machine, space, partition, byte, size):
    """Return (partition, byte) of an element, or raise ModelError where it does not exist."""
    machine.memory.check(space, partition, byte, size)
    return partition, byte


def check_start(machine, address, size, channels, write, psum_allowed):
    """Apply the placement rules an address word in register form escaped (V6 to V11; channels None: no V11)."""
    if machine.choice["register-address-checks"] == "never":
        return
    geometry = machine.memory.geometry
    place = geometry.split(address)
    check(aligned(address, size), f"address {address:#x} is not aligned to {size} bytes")
    check(place is not None, f"address {address:#x} is in no region")
    check(psum_allowed or place[0] != "PSUM", "this operand may not be in PSUM")
    check(not write or place[0] != "PSUM" or size == 4, "a PSUM destination needs a 4-byte dtype")
    check(
        channels is None or channels_fit(geometry, address, channels),
        f"{channels} channels cannot start at {address:#x}",
    )


def check_sources(machine, source0, source1):
    """Apply the two-source rule (V25) where an address came from a register."""
    if machine.choice["register-address-checks"] == "at-run-time" and (source0.from_register or source1.from_register):
        check(
            sources_fit(machine.memory.geometry, source0.address, source1.address),
            "the two sources cannot be read together",
        )


def check_counts(*operands):
    """Refuse operands of different element counts, which only a waived count rule lets through."""
    check(len({operand.count for operand in operands}) == 1, "element counts differ")


def scalars(machine, source, word, size, channels):
    """Return the scalar of every lane as a raw integer of size bytes.

    source: 0 inline, 1 pointer, 2 pointer in a register.
    """
    if source == 0:
        return [word % (1 << (8 * size))] * channels
    if source == 1:
        address = word & ADDRESS_MASK
    else:
        address = machine.register(word & 0xFF)
        if machine.choice["register-address-checks"] == "at-run-time":
            check(
                channels_fit(machine.memory.geometry, address, channels),
                f"{channels} channels cannot start at {address:#x}",
            )
            check(aligned(address, size), f"scalar pointer {address:#x} is not aligned to {size} bytes")
    space, partition, byte = located(machine, address)
    return [
        int.from_bytes(machine.memory.read(space, partition + lane, byte, size), "little") for lane in range(channels)
    ]


def read(machine, operand):
    """Return the raw codes of all elements, [lane][k]."""
    return [
        [int.from_bytes(machine.memory.read(operand.space, *place, operand.size), "little") for place in row]
        for row in operand.cells
    ]


def write(machine, operand, codes):
    """Store codes[lane][k] in walk order; None leaves the element alone.

    Codes wider than the element lose their high bytes. Which write to a repeated address stays: id duplicate-
    destination.
    """
    written = set()
    for row, lane_codes in zip(operand.cells, codes, strict=False):
        for place, code in zip(row, lane_codes, strict=False):
            if code is None:
                machine.memory.touch(operand.space, *place, operand.size)
                continue
            if machine.choice["duplicate-destination"] == "first-wins" and place in written:
                continue
            written.add(place)
            low = code % (1 << (8 * operand.size))
            machine.memory.write(operand.space, *place, low.to_bytes(operand.size, "little"))
