"""Memory in pieces: drafts and reads agree with plain arrays, whatever the regions and whatever is held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dve_engine import CAYMAN, MAVERICK, DeviceMemory, Region, Space
from dve_service import drafts, reading
from dve_service.blocks import Manifest, block_id, cut, fill, places_of, rebuild
from dve_service.drafts import Draft
from dve_service.errors import InvalidRegion
from dve_service.orders import Write
from dve_service.work import Work

SBUF = Space.SBUF


@pytest.fixture(scope="module")
def work() -> Iterator[Work]:
    made = Work(2, 8)
    yield made
    made.close()


class Blocks:
    """Blocks in a dictionary."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    async def get(self, blocks: Sequence[str]) -> Mapping[str, bytes]:
        return {block: self.kept[block] for block in blocks}

    async def put(self, blocks: Mapping[str, bytes]) -> None:
        assert all(block_id(data) == block for block, data in blocks.items())
        self.kept |= blocks


regions = st.builds(
    lambda partition, rows, byte, size: Region(SBUF, partition, min(rows, 128 - partition), byte, size),
    st.integers(0, 127),
    st.integers(1, 128),
    st.integers(0, 6000),
    st.sampled_from([1, 7, 1024, 2048, 5000]),
)


@settings(deadline=None, max_examples=60)
@given(
    writes=st.lists(st.tuples(regions, st.sampled_from(["numbers", "zeros"])), min_size=1, max_size=8),
    held=st.sampled_from([0, 3, 640]),
    batch=st.sampled_from([1, 64]),
    seed=st.integers(0, 9),
)
async def test_a_draft_leaves_what_the_writes_leave(
    work: Work, writes: list[tuple[Region, str]], held: int, batch: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    before, after = DeviceMemory(CAYMAN), DeviceMemory(CAYMAN)
    under = Region(SBUF, 0, 128, 0, 4000)
    for memory in (before, after):
        memory.write(under, np.full((128, 4000), 0x55, np.uint8))
    store = Blocks()
    base, store.kept = rebuild(Manifest(CAYMAN, {}), before, places_of([under]))
    draft = Draft(CAYMAN, work, store.get, store.put)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drafts, "_HELD", held)
        patch.setattr(drafts, "_BATCH", batch)
        for region, kind in writes:
            values = random.integers(0, 256 if kind == "numbers" else 1, (region.partitions, region.size), np.uint8)
            after.write(region, values)
            await draft.write(Write(region, values.tobytes()))
        for _ in range(2):  # a draft may be laid over a memory more than once
            manifest, new = await draft.over(base)
            found = DeviceMemory(CAYMAN)
            fill(found, manifest, store.kept | new)
            assert np.array_equal(found.arrays[SBUF], after.arrays[SBUF])
        expected, _ = rebuild(Manifest(CAYMAN, {}), after, places_of([Region(SBUF, 0, 128, 0, 12 * 1024)]))
        assert manifest == expected


async def test_a_draft_takes_nothing_of_a_write_outside_memory(work: Work) -> None:
    store = Blocks()
    draft = Draft(CAYMAN, work, store.get, store.put)
    with pytest.raises(InvalidRegion):
        await draft.write(Write(Region(SBUF, 100, 64, 0, 1), bytes(64)))
    assert await draft.over(Manifest(CAYMAN, {})) == (Manifest(CAYMAN, {}), {})


@pytest.mark.parametrize("width", [229_376, 524_288], ids=["cayman", "maverick"])
async def test_a_draft_of_a_whole_memory_holds_one_row_of_blocks(work: Work, width: int) -> None:
    store, generation = Blocks(), CAYMAN if width == 229_376 else MAVERICK
    draft = Draft(generation, work, store.get, store.put)
    whole, most, puts = Region(SBUF, 0, 128, 0, width), 0, 0
    for number, part in enumerate(reading.pieces(whole)):
        await draft.write(Write(part, bytes([number % 251 + 1]) * part.total_bytes))
        most = max(most, len(draft._open))
        puts += part.total_bytes
    assert puts == whole.total_bytes
    assert most <= width // 1024 + drafts._BATCH
    manifest, new = await draft.over(Manifest(generation, {}))
    assert len(manifest.blocks) == 4 * width // 1024
    assert len(store.kept | new) == len(manifest.distinct)


@settings(deadline=None)
@given(region=regions, data=st.data())
def test_rectangles_are_the_bytes_of_a_range(region: Region, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, region.total_bytes - 1))
    stop = data.draw(st.integers(start + 1, region.total_bytes))
    parts = reading.rectangles(region, start, stop)
    assert 1 <= len(parts) <= 3
    listed = [
        (row - region.partition) * region.size + byte - region.byte
        for part in parts
        for row in range(part.partition, part.partition + part.partitions)
        for byte in range(part.byte, part.byte + part.size)
    ]
    assert listed == list(range(start, stop))


@settings(deadline=None)
@given(wanted=st.lists(regions, min_size=1, max_size=4))
def test_reads_in_pieces_are_the_bytes_of_memory(wanted: list[Region]) -> None:
    memory = DeviceMemory(CAYMAN)
    everywhere = Region(SBUF, 0, 128, 0, 12 * 1024)
    memory.write(everywhere, np.random.default_rng(1).integers(0, 256, (128, 12 * 1024), np.uint8))
    blocks = {place: data for place, data in cut(memory, places_of([everywhere])) if data}
    manifest = Manifest(CAYMAN, {place: block_id(data) for place, data in blocks.items()})
    contents = {block_id(data): data for data in blocks.values()}
    read = b"".join(
        reading.contents(piece, manifest, contents).data
        for group in reading.groups(wanted)
        for region in group
        for piece in reading.pieces(region)
    )
    assert read == b"".join(memory.read(region).tobytes() for region in wanted)


def test_pieces_and_groups_are_bounded() -> None:
    wide = Region(SBUF, 3, 120, 5, 200_000)
    assert max(part.total_bytes for part in reading.pieces(wide)) <= reading.PIECE_BYTES
    groups = list(reading.groups([wide, Region(SBUF, 0, 1, 0, 4)]))
    assert [len(group) for group in groups] == [1, 1, 1, 2]
    assert all(len(places_of(group)) <= 256 for group in groups)
