"""The model splits addresses, walks patterns and ties sources together as the specification's vectors say.

Source: isa/vectors/addressing.json.
"""

import json
from pathlib import Path

import pytest

from tests.model import GEOMETRIES
from tests.model.memory import channels_fit, sources_fit
from tests.model.operands import s16, u16, u32, walk

ISA = Path(__file__).parents[2] / "docs" / "isa"
ADDRESSING = {g["id"]: g["rows"] for g in json.loads((ISA / "vectors" / "addressing.json").read_text())["groups"]}


@pytest.mark.parametrize("row", ADDRESSING["address_arithmetic"], ids=str)
def test_address_arithmetic(row):
    address = int(row["address"], 16)
    if "bytes" in row:
        assert u32(bytes.fromhex(row["bytes"]), 0) == address
    for generation in row["generations"] if "space" in row else ():
        geometry = GEOMETRIES[generation]
        assert geometry.split(address) == (row["space"], row["partition"], row["byte"])
        assert geometry.join(row["space"], row["partition"], row["byte"]) == address


@pytest.mark.parametrize("row", ADDRESSING["tpb_addr_active_channels"], ids=str)
def test_channel_windows(row):
    for generation in row["generations"]:
        for channels, wanted in row["channels"].items():
            assert channels_fit(GEOMETRIES[generation], int(row["address"], 16), int(channels)) is wanted


@pytest.mark.parametrize("row", ADDRESSING["pattern_bytes"], ids=lambda row: row["type"])
def test_pattern_bytes(row):
    data = bytes.fromhex(row["bytes"])
    if row["type"].startswith("INDIRECT"):
        assert (u32(data, 0), u32(data, 4), u16(data, 8)) == (
            int(row["index_addr"], 16),
            int(row["data_addr"], 16),
            row["num"],
        )
        return
    dims = len(row["step_elem"])
    assert u32(data, 0) == int(row["start_addr"], 16)
    assert [s16(data, 4 + 2 * d) for d in range(dims)] == row["step_elem"]
    assert [u16(data, 4 + 2 * dims + 2 * d) for d in range(dims)] == row["num_elem"]


@pytest.mark.parametrize("row", ADDRESSING["walk_order"], ids=str)
def test_walk_order(row):
    assert walk(row["step_elem"], row["num_elem"]) == row["element_offsets"]


def test_reshape():
    row = ADDRESSING["reshape_and_count"][0]
    assert walk(row["dst_step"], row["dst_num"]) == row["dst_offsets"]


@pytest.mark.parametrize("row", ADDRESSING["tt_valid_partitions"], ids=str)
def test_two_sources(row):
    words = int(row["src0"], 16), int(row["src1"], 16)
    if any(word >> 31 for word in words):
        return  # a register word passes; the model applies the rule to resolved addresses only
    for generation in row["generations"]:
        assert sources_fit(GEOMETRIES[generation], *words) is row["valid"]


def test_addressing_rows_are_complete():
    counts = {name: len(rows) for name, rows in ADDRESSING.items()}
    assert counts == {
        "address_arithmetic": 8,
        "tpb_addr_active_channels": 10,
        "pattern_bytes": 5,
        "walk_order": 5,
        "reshape_and_count": 2,
        "tt_valid_partitions": 5,
    }
