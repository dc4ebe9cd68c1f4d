"""Address words, windows, patterns and walks: every row of docs/isa/vectors/addressing.json, and the predicates over
all markers.
"""

import numpy as np
import pytest

from dve_engine import Choices
from dve_engine.isa.layout import S3S3D3_TT
from dve_engine.isa.struct import INDIRECT, TENSOR, decode
from dve_engine.memory import address as ad
from dve_engine.memory.pattern import walk
from dve_engine.memory.region import Space
from dve_engine.rules.batch import Batch
from dve_engine.rules.operands import TensorOperand, element_count, pattern_columns
from tests.unit.isa.tables import BY_NAME, ORDER, first_failures, vectors
from tests.unit.records import FP32, pattern, two_sources

GROUPS = {group["id"]: group["rows"] for group in vectors("addressing")["groups"]}
COUNTS = {
    "address_arithmetic": 8, "tpb_addr_active_channels": 10, "pattern_bytes": 5, "walk_order": 5,
    "reshape_and_count": 2, "tt_valid_partitions": 5,
}  # fmt: skip


def rows(name):
    return pytest.mark.parametrize("row", GROUPS[name], ids=[str(k) for k in range(len(GROUPS[name]))])


def word(text):
    return int(text, 16)


def test_counts():
    assert {name: len(group) for name, group in GROUPS.items()} == COUNTS
    assert sum(COUNTS.values()) == 35


@rows("address_arithmetic")
def test_address_arithmetic(row):
    address = word(row["address"])
    for name in row["generations"]:
        g = BY_NAME[name]
        if "register" in row:
            assert ad.addr_from_register(np.uint32(address))
            assert ad.register_form_valid(np.uint32(address), g)
            assert address & 0xFF == row["register"]
            continue
        place = ad.locate(address, g)
        assert place == ad.Location(Space[row["space"]], row["partition"], row["byte"])
        assert ad.address_at(place, g) == address
    if "bytes" in row:
        assert np.uint32(address).tobytes().hex() == row["bytes"]


@rows("tpb_addr_active_channels")
def test_tpb_addr_active_channels(row):
    channels = np.array([int(n) for n in row["channels"]])
    for name in row["generations"]:
        words = np.full(len(channels), word(row["address"]), np.uint32)
        got = ad.tpb_addr_active_channels(words, channels, BY_NAME[name])
        assert got.tolist() == list(row["channels"].values())


@rows("pattern_bytes")
def test_pattern_bytes(row):
    raw = bytes.fromhex(row["bytes"])
    kind = row["type"]
    dtype = TENSOR[int(kind[6])] if kind.startswith("TENSOR") else INDIRECT[int(kind[8:10])]
    decoded = np.frombuffer(raw, dtype)[0]
    for name, value in row.items():
        if name in ("type", "bytes"):
            continue
        expected = word(value) if isinstance(value, str) else value
        assert np.asarray(decoded[name]).tolist() == expected, name
    if kind.startswith("TENSOR"):
        dims = int(kind[6])
        assert pattern(word(row["start_addr"]), row["num_elem"], row["step_elem"], dims=dims) == raw


@rows("walk_order")
def test_walk_order(row):
    assert walk(row["step_elem"], row["num_elem"]).offsets.tolist() == row["element_offsets"]


@rows("reshape_and_count")
def test_reshape_and_count(row):
    if row["kind"] == "reshape":
        target = walk(row["dst_step"], row["dst_num"])
        assert target.offsets.tolist() == row["dst_offsets"]
        assert target.elements == walk((1, 1, 1), row["src_num"]).elements
        return
    record = two_sources(0x41, (FP32,) * 3, src0=pattern(0, row["num_elem"], (1, 1, 1)))
    batch = Batch(S3S3D3_TT, decode(record), BY_NAME["CAYMAN"], Choices())
    columns = pattern_columns(batch, TensorOperand("src0", "src0_mem_pattern", "in0_in1_dtype.dtype_lo"))
    assert element_count(columns).tolist() == [row["count_u32"]]


@rows("tt_valid_partitions")
def test_tt_valid_partitions(row):
    """Through the rule of 0x41, which also knows words in registers."""
    record = two_sources(0x41, (FP32,) * 3, src0=pattern(word(row["src0"])), src1=pattern(word(row["src1"])))
    for name in row["generations"]:
        (failure,) = first_failures([record], name)
        assert (failure is None) == row["valid"]
        assert failure is None or failure.rule == "tt_valid_partitions"


# --- predicates over every marker byte -------------------------------------------------------------------------------


MARKERS = np.arange(256, dtype=np.uint32) << np.uint32(24)


def test_marker_predicates():
    """The formulas of isa/01 section 3.3 on all values of byte 3."""
    top = np.arange(256)
    assert np.array_equal(ad.addr_from_register(MARKERS), (top & 0xA0) == 0x80)
    assert np.array_equal(ad.is_indirect(MARKERS), (top & 0x60) == 0x20)
    assert np.array_equal(ad.indirect_static(MARKERS), (top & 0xE0) == 0x20)
    assert np.array_equal(ad.indirect_in_register(MARKERS), (top & 0xE0) == 0xA0)
    for name in ORDER:
        expected = (top & 0x70) == 0x40 if name != "SUNDA" else np.zeros(256, bool)
        assert np.array_equal(ad.shape_from_register(MARKERS, BY_NAME[name]), expected)
    assert np.array_equal(ad.address_of(MARKERS | np.uint32(0xFFFFFF)), (MARKERS | 0xFFFFFF) & 0x1FFF_FFFF)


@pytest.mark.parametrize("name", ORDER)
def test_register_words(name):
    """R1 to R3: number below 64, bytes 1 and 2 zero, on SUNDA byte 3 exactly 0x80."""
    g = BY_NAME[name]
    numbers = np.arange(256, dtype=np.uint32)
    assert np.array_equal(ad.register_form_valid(numbers | np.uint32(0x8000_0000), g), numbers < 64)
    markers = ad.register_form_valid(MARKERS | np.uint32(5), g)
    accepted = {0x80} if name == "SUNDA" else {m for m in range(256) if m & 0xA0 == 0x80}
    assert set(np.flatnonzero(markers).tolist()) == accepted
    for byte in (8, 16):
        assert not ad.register_form_valid(np.uint32(0x8000_0005 | 1 << byte), g)
    index = ad.register_form_valid(MARKERS | np.uint32(5), g, index_word=True)
    assert set(np.flatnonzero(index).tolist()) == (
        set() if name == "SUNDA" else {m for m in range(256) if m & 0xA0 == 0xA0}
    )


@pytest.mark.parametrize("name", ORDER)
def test_regions_at_their_edges(name):
    g = BY_NAME[name]
    end = g.sbuf.base + g.sbuf.region_bytes
    assert ad.in_sbuf(np.array([0, end - 1, end], np.uint32), g).tolist() == [True, True, False]
    first, last = g.psum.base, g.psum.base + g.psum.region_bytes
    got = ad.in_psum(np.array([first - 1, first, max(last - 1, 0), last], np.uint32), g).tolist()
    assert got == ([False, True, True, False] if g.psum.region_bytes else [False] * 4)
    assert ad.locate(0x1FFF_FFFF, g) is None


@pytest.mark.parametrize("name", ORDER)
def test_active_window_of_each_start_partition(name):
    """Every start partition with every channel count, on the first and last byte that exists and the first that does
    not.
    """
    g = BY_NAME[name]
    channels = np.arange(0, 131)
    for partition in range(128):
        base = partition * g.sbuf.stride_bytes
        starts = [(0, 32, 64, 96) if n <= 32 else (0, 64) if n <= 64 else (0,) for n in channels]
        legal = [1 <= n <= 128 and partition in allowed for n, allowed in zip(channels, starts, strict=True)]
        for byte in (0, g.sbuf.active_bytes - 1):
            words = np.full(len(channels), base + byte, np.uint32)
            assert ad.tpb_addr_active_channels(words, channels, g).tolist() == legal
        if g.sbuf.active_bytes < g.sbuf.stride_bytes:
            words = np.full(len(channels), base + g.sbuf.active_bytes, np.uint32)
            assert not ad.tpb_addr_active_channels(words, channels, g).any()


@pytest.mark.parametrize("name", ORDER)
def test_bits_above_28_put_an_address_outside_every_region(name):
    words = np.array([0x2000_0000, 0x4000_0000, 0x8000_0000], np.uint32)
    assert not ad.tpb_addr_active_channels(words, np.ones(3, int), BY_NAME[name]).any()


@pytest.mark.parametrize("name", ORDER)
def test_quadrants(name):
    """Both addresses in the active window of the same one of the partitions 0, 32, 64, 96 (isa/01 section 4.3)."""
    g = BY_NAME[name]
    places = [(p, b) for p in (0, 1, 31, 32, 64, 96, 127) for b in (0, g.sbuf.active_bytes - 1)]
    words = np.array([p * g.sbuf.stride_bytes + b for p, b in places], np.uint32)
    for (partition, _), address in zip(places, words, strict=True):
        same = ad.addresses_in_same_sbuf_quadrant(np.full(len(words), address), words, g)
        assert same.tolist() == [p == partition and p % 32 == 0 for p, _ in places]
    if g.sbuf.active_bytes < g.sbuf.stride_bytes:
        assert not ad.addresses_in_same_sbuf_quadrant(np.uint32(0), np.uint32(g.sbuf.active_bytes), g)
