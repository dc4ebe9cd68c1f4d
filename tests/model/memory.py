"""SBUF and PSUM as pages that exist from their first write on, and the split of an address per generation.

Source: isa/01 sections 4.1, 4.2, 4.3, 9.3, 9.4, 9.9 [H].
"""

from dataclasses import dataclass

from .errors import ModelError

ADDRESS_MASK = 0x1FFFFFFF
PSUM_BASE = 0x2000000
PSUM_STRIDE = 0x8000
PSUM_ACTIVE = 0x4000
PARTITIONS = 128
PAGE = 1024


@dataclass(frozen=True)
class Geometry:
    """The memory constants of one generation, in bytes."""

    generation: str
    sbuf_stride: int
    sbuf_active: int
    sbuf_size: int
    psum_size: int

    def split(self, address):
        """Return (space, partition, byte) of a 29-bit address, or None if it lies in no region."""
        if 0 <= address < self.sbuf_size:
            return "SBUF", address // self.sbuf_stride, address % self.sbuf_stride
        inside = address - PSUM_BASE
        if 0 <= inside < self.psum_size:
            return "PSUM", inside // PSUM_STRIDE, inside % PSUM_STRIDE
        return None

    def join(self, space, partition, byte):
        """Return the address of a byte inside a partition."""
        if space == "SBUF":
            return partition * self.sbuf_stride + byte
        return PSUM_BASE + partition * PSUM_STRIDE + byte

    def active(self, space):
        """Return how many bytes of every partition exist."""
        return self.sbuf_active if space == "SBUF" else PSUM_ACTIVE


GEOMETRIES = {
    "SUNDA": Geometry("SUNDA", 0x40000, 0x30000, 0x2000000, 0x400000),
    "CAYMAN": Geometry("CAYMAN", 0x40000, 0x38000, 0x2000000, 0x400000),
    "MARIANA": Geometry("MARIANA", 0x40000, 0x40000, 0x2000000, 0x400000),
    "MAVERICK": Geometry("MAVERICK", 0x100000, 0x80000, 0x8000000, 0),
}


class Memory:
    """All bytes of one engine's on-chip memory, zero until written.

    Source: id uninitialised-memory, default zero.
    """

    def __init__(self, generation):
        self.geometry = GEOMETRIES[generation]
        self._pages = {}

    def check(self, space, partition, byte, size):
        """Raise ModelError unless all size bytes exist."""
        if not 0 <= partition < PARTITIONS:
            raise ModelError(f"{space} has no partition {partition}")
        if space == "PSUM" and self.geometry.psum_size == 0:
            raise ModelError("this generation has no PSUM region")
        active = self.geometry.active(space)
        if byte < 0 or byte + size > active:
            raise ModelError(f"{space} partition {partition} has {active:#x} bytes; access at {byte:#x}, {size} bytes")

    def read(self, space, partition, byte, size):
        """Return size bytes. Raises ModelError outside the active bytes."""
        self.check(space, partition, byte, size)
        data = bytearray()
        while size:
            start = byte % PAGE
            page = self._pages.get((space, partition, byte - start), bytes(PAGE))
            part = page[start : start + size]
            data += part
            byte, size = byte + len(part), size - len(part)
        return bytes(data)

    def write(self, space, partition, byte, data):
        """Store bytes. Raises ModelError outside the active bytes."""
        self.check(space, partition, byte, len(data))
        for at, value in enumerate(data, byte):
            page = (space, partition, at - at % PAGE)
            if page not in self._pages:
                self._pages[page] = bytearray(PAGE)
            self._pages[page][at % PAGE] = value

    def touch(self, space, partition, byte, size):
        """Store what is there: a destination that keeps its old value is still a destination."""
        self.write(space, partition, byte, self.read(space, partition, byte, size))

    def load(self, regions):
        """Store a list of (space, partition, byte, bytes), in order."""
        for space, partition, byte, data in regions:
            self.write(space, partition, byte, data)

    def pages(self):
        """List (space, partition, byte, bytes) of every page that was ever a destination, in order; all other bytes are
        zero.
        """
        return [(*place, bytes(data)) for place, data in sorted(self._pages.items())]


def channels_fit(geometry, address, channels):
    """Tell whether a start address is legal for a channel count (rule V11)."""
    if not 1 <= channels <= 128:
        return False
    place = geometry.split(address)
    if place is None:
        return False
    space, partition, byte = place
    if byte >= geometry.active(space):
        return False
    if channels <= 32:
        return partition in (0, 32, 64, 96)
    if channels <= 64:
        return partition in (0, 64)
    return partition == 0


def same_quadrant(geometry, address0, address1):
    """Tell whether two SBUF addresses lie in the first partition of one quadrant."""
    for quadrant in (0, 32, 64, 96):
        low = quadrant * geometry.sbuf_stride
        high = low + geometry.sbuf_active
        if low <= address0 < high and low <= address1 < high:
            return True
    return False


def sources_fit(geometry, address0, address1):
    """Tell whether two resolved source addresses may be read together (rule V25)."""
    place0 = geometry.split(address0)
    place1 = geometry.split(address1)
    if place0 is None or place1 is None:
        return False
    spaces = (place0[0], place1[0])
    if spaces == ("PSUM", "PSUM"):
        return False
    if spaces == ("SBUF", "SBUF"):
        return same_quadrant(geometry, address0, address1)
    return True
