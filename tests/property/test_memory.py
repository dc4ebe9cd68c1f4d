"""Fast memory paths equal the definition: one element at a time, in walk order (isa/01 section 10)."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dve_engine import CAYMAN, DeviceMemory, Region, Space
from dve_engine.memory.access import Access, GatherAccess, OutOfBounds
from dve_engine.memory.address import Location
from dve_engine.memory.footprint import union
from dve_engine.memory.journal import Journal
from dve_engine.memory.overlap import partially_overlap
from dve_engine.memory.pattern import walk

WINDOW = 512  # bytes of each partition that the tests look at
ITEMSIZES = st.sampled_from((1, 2, 4))
DIMS = st.integers(1, 4)


@st.composite
def accesses(draw, itemsize=None, lanes=None):
    """A direct operand inside the window: any steps, any alignment."""
    size = itemsize or draw(ITEMSIZES)
    dims = draw(DIMS)
    counts = draw(st.lists(st.integers(1, 4), min_size=dims, max_size=dims))
    steps = draw(st.lists(st.integers(-6, 6), min_size=dims, max_size=dims))
    way = walk(steps, counts)
    low, high = way.extent
    start = draw(st.integers(0, WINDOW - 1))
    assume(start + low * size >= 0 and start + (high + 1) * size <= WINDOW)
    partition = draw(st.integers(0, 4))
    return Access(CAYMAN, Location(Space.SBUF, partition, start), lanes or draw(st.integers(1, 4)), size, way)


@st.composite
def gathers(draw):
    """A scatter or gather: an index list per group of lanes, entries may repeat."""
    size, num, lanes = draw(ITEMSIZES), draw(st.integers(1, 10)), draw(st.integers(1, 5))
    start = draw(st.integers(0, 64))
    groups, lane = [], 0
    while lane < lanes:
        width = draw(st.integers(1, lanes - lane))
        entries = draw(st.lists(st.integers(0, 20), min_size=num, max_size=num))
        groups.append((lane, width, np.array(entries, np.int64) * size + start))
        lane += width
    return GatherAccess(CAYMAN, Location(Space.SBUF, 1, start), lanes, size, num, tuple(groups))


def offsets(access, lane):
    """Byte offsets of a lane's elements in walk order, by the definition."""
    if isinstance(access, GatherAccess):
        return next(o.tolist() for first, width, o in access.groups if first <= lane < first + width)
    ranges = [range(c) for c in access.walk.counts]
    found = []

    def visit(dim, element):
        if dim < 0:
            found.append(access.start.byte + element * access.itemsize)
            return
        for k in ranges[dim]:
            visit(dim - 1, element + k * access.walk.steps[dim])

    visit(len(ranges) - 1, 0)
    return found


def memory_of(seed):
    memory = DeviceMemory(CAYMAN)
    window = memory.arrays[Space.SBUF][:16, :WINDOW]
    window[...] = np.random.default_rng(seed).integers(0, 256, window.shape, np.uint8)
    return memory


def slow_write(memory, access, values, selected, last_wins):
    """Store one element after the other; with first_wins a byte range once stored to stays."""
    rows = memory.arrays[Space.SBUF]
    for lane in range(access.lanes):
        row, taken = rows[access.start.partition + lane], set()
        for k, byte in enumerate(offsets(access, lane)):
            if selected is not None and not selected[lane, k]:
                continue
            if not last_wins and byte in taken:
                continue
            taken.add(byte)
            row[byte : byte + access.itemsize] = np.frombuffer(values[lane, k].tobytes(), np.uint8)


def drawn_values(access, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 256**access.itemsize, (access.lanes, access.elements)).astype(f"<u{access.itemsize}")
    return values, rng.random((access.lanes, access.elements)) < 0.6


def whole_elements(access):
    """Whether two different visits share all of their bytes or none: what a list of elements of one size gives."""
    for lane in range(access.lanes):
        if any(0 < abs(a - b) < access.itemsize for a in offsets(access, lane) for b in offsets(access, lane)):
            return False
    return True


@given(access=accesses() | gathers(), seed=st.integers(0, 2**32))
def test_read(access, seed):
    memory = memory_of(seed)
    raw = access.read(memory)
    assert raw.shape == (access.lanes, access.elements)
    for lane in range(access.lanes):
        row = memory.arrays[Space.SBUF][access.start.partition + lane]
        slow = [row[b : b + access.itemsize].tobytes() for b in offsets(access, lane)]
        assert [v.tobytes() for v in raw[lane]] == slow


@given(
    access=accesses() | gathers(), seed=st.integers(0, 2**32), masked=st.booleans(), last_wins=st.booleans()
)  # fmt: skip
def test_write(access, seed, masked, last_wins):
    assert whole_elements(access)
    values, mask = drawn_values(access, seed)
    selected = mask if masked else None
    fast, slow = memory_of(seed), memory_of(seed)
    access.write(fast, values, selected, last_wins=last_wins)
    slow_write(slow, access, values, selected, last_wins)
    assert np.array_equal(fast.arrays[Space.SBUF], slow.arrays[Space.SBUF])


@given(access=accesses() | gathers())
def test_whether_an_address_is_visited_twice(access):
    once = all(len(set(offsets(access, lane))) == access.elements for lane in range(access.lanes))
    assert access.visits_once == once


@given(access=accesses() | gathers())
def test_regions_cover_exactly_the_bytes(access):
    """The rectangles are the touched bytes, and no byte is in two of them."""
    touched = np.zeros((16, WINDOW), int)
    for region in (r for band in access.bands() for r in band.regions()):
        touched[region.partition : region.partition + region.partitions, region.byte : region.byte + region.size] += 1
    expected = np.zeros((16, WINDOW), int)
    for lane in range(access.lanes):
        for byte in offsets(access, lane):
            expected[access.start.partition + lane, byte : byte + access.itemsize] = 1
    assert np.array_equal(touched, expected)


@given(st.lists(accesses(), min_size=1, max_size=4))
def test_merged_regions_are_a_disjoint_union(operands):
    covered, merged = np.zeros((16, WINDOW), int), np.zeros((16, WINDOW), int)
    bands = [band for operand in operands for band in operand.bands()]
    for region in (r for band in bands for r in band.regions()):
        covered[region.partition : region.partition + region.partitions, region.byte : region.byte + region.size] = 1
    for region in union(bands):
        merged[region.partition : region.partition + region.partitions, region.byte : region.byte + region.size] += 1
    assert np.array_equal(covered, merged)


@given(a=accesses(), b=accesses())
def test_partial_overlap(a, b):
    """Two operands share a byte of a row other than by being the same operand."""

    def cells(x):
        return {
            (x.start.partition + lane, byte + k)
            for lane in range(x.lanes) for byte in offsets(x, lane) for k in range(x.itemsize)
        }  # fmt: skip

    same = (a.start, a.walk, a.itemsize) == (b.start, b.walk, b.itemsize)
    assert partially_overlap(a, b) == (not same and bool(cells(a) & cells(b)))
    assert not partially_overlap(a, a)


@given(access=accesses() | gathers(), seed=st.integers(0, 2**32))
def test_journal_restores(access, seed):
    memory = memory_of(seed)
    before = memory.copy()
    journal = Journal(memory)
    for step in range(3):
        journal.save(access)
        access.write(memory, drawn_values(access, seed + step)[0])
    journal.undo()
    assert np.array_equal(memory.arrays[Space.SBUF], before.arrays[Space.SBUF])


@given(
    steps=st.lists(st.integers(-40_000, 40_000), min_size=1, max_size=4), start=st.integers(0, 196_607),
    counts=st.lists(st.integers(1, 5), min_size=4, max_size=4), itemsize=ITEMSIZES,
)  # fmt: skip
def test_bounds(steps, start, counts, itemsize):
    """OutOfBounds exactly where an element leaves the active bytes, and it names the first such element."""
    way = walk(steps, counts[: len(steps)])
    place = Location(Space.SBUF, 3, start)
    size = CAYMAN.sbuf.active_bytes
    bytes_of = [start + o * itemsize for o in way.offsets.tolist()]
    outside = [k for k, b in enumerate(bytes_of) if b < 0 or b + itemsize > size]
    if not outside:
        assert Access(CAYMAN, place, 2, itemsize, way).elements == len(bytes_of)
        return
    with pytest.raises(OutOfBounds) as caught:
        Access(CAYMAN, place, 2, itemsize, way)
    assert (caught.value.lane, caught.value.element) == (0, outside[0])
    assert caught.value.location.byte == bytes_of[outside[0]]


def test_more_lanes_than_partitions():
    with pytest.raises(OutOfBounds) as caught:
        Access(CAYMAN, Location(Space.SBUF, 126, 0), 4, 4, walk((1,), (1,)))
    assert caught.value.lane == 2


@given(region=st.tuples(st.integers(-2, 129), st.integers(-1, 130), st.integers(-2, 300), st.integers(-1, 300)))
def test_region_round_trip(region):
    """A region inside memory reads back what was written; any other is refused."""
    partition, partitions, byte, size = region
    memory = DeviceMemory(CAYMAN)
    area = Region(Space.PSUM, partition, partitions, byte, size)
    legal = partition >= 0 and partitions >= 1 and partition + partitions <= 128 and byte >= 0 and size >= 1
    if not legal:
        with pytest.raises(ValueError, match="do not lie in"):
            memory.read(area)
        return
    data = np.arange(area.total_bytes, dtype=np.uint32).astype(np.uint8)
    memory.write(area, data.tobytes())
    assert memory.read(area).tobytes() == data.tobytes()
    with pytest.raises(ValueError, match="takes"):
        memory.write(area, data.tobytes() + b"\0")


@given(
    dims=st.lists(st.tuples(st.integers(-40, 40), st.integers(1, 9)), min_size=1, max_size=4),
)
def test_the_distinct_offsets_of_a_walk(dims):
    """Each offset once, ascending, whatever repeats."""
    way = walk(*zip(*dims, strict=True))
    assert way.distinct.tolist() == sorted(set(way.offsets.tolist()))
