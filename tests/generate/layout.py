"""Place operands, index lists and scalars in memory so that the record is legal and every walk stays inside.

Source: isa/01 sections 3, 5, 6, 7, 9; the placement rules are named where they are met.
"""

from dataclasses import dataclass

from tests.model.memory import GEOMETRIES
from tests.model.operands import walk

from .shapes import shape, start_partitions, strides
from .values import SIZES


@dataclass
class Placed:
    """Where a tensor operand was put. index_partition is None for a direct one."""

    space: str
    partition: int
    byte: int
    steps: list
    counts: list
    from_register: bool = False
    index_partition: int | None = None
    index_from_register: bool = False


class Layout:
    """The record under construction, with the memory and registers that go with it."""

    def __init__(self, rng, generation, channels):
        self.rng = rng
        self.generation = generation
        self.geometry = GEOMETRIES[generation]
        self.channels = channels
        self.record = bytearray(64)
        self.registers = {}
        self.banks = {}
        self.regions = []
        self.index_regions = []
        self.index_ranges = []
        self.bytes_used = []

    @property
    def indirect_forms(self):
        return self.generation in ("MARIANA", "MAVERICK")

    def memory(self):
        """Return all regions; index lists last, because data that overlaps one must not spoil it."""
        return self.regions + self.index_regions

    def space(self, narrow_write=False):
        """Pick a space; a destination of a narrow dtype may not be in PSUM (V10), MAVERICK has none."""
        if narrow_write or self.generation == "MAVERICK":
            return "SBUF"
        return self.rng.choice(("SBUF", "SBUF", "PSUM"))

    def partition(self):
        return self.rng.choice(start_partitions(self.channels))

    def any_partition(self):
        """Return a start partition for a tensor that no rule ties to a quadrant."""
        return self.rng.choice((self.partition(), self.rng.randrange(129 - self.channels)))

    def pick_byte(self, space, size, low, high):
        """Pick an aligned start byte such that start + low .. start + high (in bytes) exists; None if nothing fits."""
        first = -(low // size) * size  # floor division: the next multiple of size from -low upwards
        last = (self.geometry.active(space) - high) // size * size
        if first > last:
            return None
        kind = self.rng.random()
        if kind < 0.35 and self.bytes_used:
            near = self.rng.choice(self.bytes_used) + size * self.rng.randrange(-4, 5)
            byte = near // size * size
        elif kind < 0.5:
            byte = last
        elif kind < 0.75:
            byte = first + size * self.rng.randrange(64)
        else:
            byte = self.rng.randrange(first, last + 1)
        byte = min(max(byte, first), last) // size * size
        self.bytes_used.append(byte)
        return byte

    def register_for(self, address):
        """Put an address into an unused register, sometimes with upper bits that are ignored (3.4)."""
        number = self.rng.choice([r for r in range(64) if r not in self.registers])
        self.registers[number] = address | (self.rng.getrandbits(3) << 29 if self.rng.random() < 0.4 else 0)
        return number

    def tensor(
        self,
        offset,
        dims,
        dtype,
        count,
        code,
        write=False,
        indirect=False,
        space=None,
        partition=None,
        like=None,
        source=None,
        accept=None,
        align=1,
        register=True,
        apart=False,
    ):
        """Write a tensor operand into the record at a byte offset and fill its elements.

        code: draws one element. space, partition: fixed by the caller, or free. like: an operand to lie exactly or
        nearly on.
        source: for a destination, the first source, to which an indirect destination is tied (V24).
        accept: tells of the steps and counts of a direct pattern whether they will do. align: of its start byte, if
        more than its size.
        register: whether its address may come from one. apart: keep it off the bytes that were used before.
        """
        space = space or self.space(write and SIZES[dtype] != 4)
        partition = self.partition() if partition is None else partition
        if indirect and self.indirect_forms and self.rng.random() < 0.3:
            return self.indirect_tensor(offset, dtype, count, code, space, partition, source)
        size = SIZES[dtype]
        placed = self.on_top(like, size)
        overlaid = placed is not None
        while not overlaid:
            placed = self.direct(space, partition, size, count, dims, accept, align)
            if not apart or not self.touches(placed, size):
                break
        address = self.geometry.join(placed.space, placed.partition, placed.byte)
        word = address
        if register and self.rng.random() < 0.15:
            placed.from_register = True
            word = self.register_for(address) | 0x80000000
            if self.generation != "SUNDA" and self.rng.random() < 0.1:
                word |= self.rng.getrandbits(5) << 24  # not looked at (3.2)
        elif self.generation == "SUNDA" and self.rng.random() < 0.05:
            word |= 0x40000000  # no meaning there (3.2)
        self.put(offset, word, 4)
        for d in range(dims):
            self.put(offset + 4 + 2 * d, placed.steps[d] % 65536, 2)
            self.put(offset + 4 + 2 * dims + 2 * d, placed.counts[d], 2)
        if not overlaid:  # else the older operand has filled the place with what it wants to find there
            self.fill(
                placed.space,
                placed.partition,
                placed.byte,
                [walk(placed.steps, placed.counts)] * self.channels,
                size,
                code,
            )
        return placed

    def on_top(self, like, size):
        """Return a destination exactly or almost on another direct operand of its element size, or None if that is
        not legal.
        """
        if like is None or like.index_partition is not None or (size != 4 and like.space == "PSUM"):
            return None
        shift = self.rng.choice((0, 0, 0, 0, 0, 0, -2, -1, 1, 2))
        placed = Placed(like.space, like.partition, like.byte + size * shift, like.steps, like.counts)
        return placed if self.fits(placed, size) else None

    def direct(self, space, partition, size, count, dims, accept=None, align=1):
        """Draw a shape, steps and a start byte until the walk fits into a partition."""
        while True:
            counts = shape(self.rng, count, dims)
            steps = strides(self.rng, counts)
            if accept and not accept(steps, counts):
                continue
            offsets = walk(steps, counts)
            byte = self.pick_byte(space, max(size, align), size * min(offsets), size * max(offsets) + size)
            if byte is not None:
                return Placed(space, partition, byte, steps, counts)

    def touches(self, placed, size):
        """Tell whether a direct operand comes near anything that is in memory already."""
        offsets = walk(placed.steps, placed.counts)
        low, high = placed.byte + size * min(offsets), placed.byte + size * max(offsets) + size
        return any(byte < high + 64 and byte + len(data) > low - 64 for _, _, byte, data in self.regions)

    def fits(self, placed, size):
        offsets = walk(placed.steps, placed.counts)
        start = placed.byte + size * min(offsets)
        end = placed.byte + size * max(offsets) + size
        return placed.byte % size == 0 and start >= 0 and end <= self.geometry.active(placed.space) and placed.byte >= 0

    def indirect_tensor(self, offset, dtype, count, code, space, partition, source):
        """Write a gather or scatter; its index list is in SBUF and tied to a partition by V23 or V24."""
        rng, size = self.rng, SIZES[dtype]
        placed = Placed(space, partition, self.pick_byte(space, size, 0, size * rng.choice((1, count, 200))), [], [])
        placed.index_from_register = rng.random() < 0.2
        placed.index_partition = self.index_partition(placed, source)
        columns = (count + 15) // 16
        index_byte = self.index_byte(2 * columns)
        limit = min((self.geometry.active(space) - placed.byte) // size - 1, 65535)
        groups = []
        for group in range((self.channels + 15) // 16):
            groups.append(self.indices(count, limit))
            for row in range(16):
                entries = [groups[group][k] if k < count else 0xFFFF for k in range(row, 16 * columns, 16)]
                data = b"".join(entry.to_bytes(2, "little") for entry in entries)
                self.index_regions.append(("SBUF", placed.index_partition + 16 * group + row, index_byte, data))
        index_address = self.geometry.join("SBUF", placed.index_partition, index_byte)
        word = (
            0xA0000000 | self.register_for(index_address) if placed.index_from_register else 0x20000000 | index_address
        )
        self.put(offset, word, 4)
        self.put(offset + 4, self.geometry.join(space, partition, placed.byte), 4)
        self.put(offset + 8, count, 2)
        if rng.random() < 0.3:
            self.put(offset + 10, rng.getrandbits(48), 6)  # inert
        self.fill(space, partition, placed.byte, [groups[lane // 16] for lane in range(self.channels)], size, code)
        return placed

    def index_partition(self, placed, source):
        """Pick the start partition of an index list (V23 for a source, V24 for a destination)."""
        if placed.index_from_register:
            return self.partition()
        if source is None:
            return placed.partition if placed.space == "SBUF" else self.partition()
        if source.space == "SBUF" and not source.from_register:
            return source.partition
        if source.space == "PSUM" and source.index_partition is not None and not source.index_from_register:
            return source.index_partition
        return self.partition()

    def index_byte(self, length):
        """Pick a 4-aligned byte whose range meets no other index list."""
        while True:
            byte = 4 * self.rng.choice(
                (self.rng.randrange(64), self.rng.randrange((self.geometry.sbuf_active - length) // 4 + 1))
            )
            if all(byte + length <= low or byte >= high for low, high in self.index_ranges):
                self.index_ranges.append((byte, byte + length))
                return byte

    def indices(self, count, limit):
        """Draw one list: in order, shuffled, with repetitions, far apart, or at the last element."""
        rng = self.rng
        style = rng.choice(("ordered", "shuffled", "repeated", "far", "last"))
        if style in ("ordered", "shuffled") and count - 1 <= limit:
            order = list(range(count))
            if style == "shuffled":
                rng.shuffle(order)
            return order
        if style == "far":
            return [rng.randrange(limit + 1) for _ in range(count)]
        low = max(limit - 3, 0) if style == "last" else 0
        return [rng.randrange(low, min(low + 3, limit) + 1) for _ in range(count)]

    def scalar(self, source_offset, offset, size, inline, code, sources=(0, 0, 1, 2)):
        """Write a scalar operand: inline bits, a pointer or a register with a pointer.

        source_offset: None where the caller writes the source code itself. inline draws the 4-byte slot, code one
        value per lane.
        """
        source = self.rng.choice(sources)
        if source_offset is not None:
            self.put(source_offset, source, 1)
        if source == 0:
            self.put(offset, inline(), 4)
            return
        space, partition = self.space(), self.partition()
        byte = self.pick_byte(space, size, 0, size)
        address = self.geometry.join(space, partition, byte)
        self.put(offset, address if source == 1 else self.register_for(address), 4)
        self.fill(space, partition, byte, [[0]] * self.channels, size, code)

    def fill(self, space, partition, byte, offsets, size, code):
        """Give every element that lane c visits (offsets[c]) a drawn code."""
        for lane in range(self.channels):
            for element in sorted(set(offsets[lane])):
                self.regions.append((space, partition + lane, byte + size * element, code().to_bytes(size, "little")))

    def put(self, offset, value, size):
        self.record[offset : offset + size] = value.to_bytes(size, "little")
