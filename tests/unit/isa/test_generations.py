"""The rows of the generations equal tables/generations.json, number by number."""

import dataclasses

import pytest

from dve_engine import describe, generation_named
from dve_engine.isa import aluops, dtypes, generation, opcodes
from dve_engine.isa.generation import GENERATIONS, Features
from dve_engine.memory.address import address_at, legal_start, locate
from dve_engine.memory.region import Space

from .tables import BY_NAME, ORDER, table

ROWS = table("generations")["generations"]
COMMON = table("generations")["common"]

each_generation = pytest.mark.parametrize("name", ORDER)


def test_same_generations_in_the_same_order():
    assert [g.name for g in GENERATIONS] == table("generations")["generation_order"] == list(ROWS)
    assert [g.order for g in GENERATIONS] == [ROWS[n]["order"] for n in ORDER]


@each_generation
def test_identity(name):
    row, g = ROWS[name], BY_NAME[name]
    assert (g.nc_version, g.core_version, list(g.aliases)) == (row["nc_version"], row["core_version"], row["aliases"])
    for alias in [name, name.lower(), *row["aliases"]]:
        assert generation_named(alias) is g
    assert (g.max_channels, g.num_address_registers) == (row["max_channels"], row["num_address_registers"])


@each_generation
def test_geometry(name):
    row, g = ROWS[name], BY_NAME[name]
    constants = row["constants"]
    for memory, prefix, space in ((g.sbuf, "STATE_BUF", "sbuf"), (g.psum, "PSUM_BUF", "psum")):
        geometry = row["geometry"][space]
        got = (memory.base, memory.region_bytes, memory.stride_bytes, memory.active_bytes, memory.partitions)
        keys = ("base", "region_size", "partition_stride", "partition_active_bytes", "partitions")
        assert got == tuple(geometry[k] for k in keys)
        suffixes = ("OFFSET", "SZ", "PARTITION_SIZE", "PARTITION_ACTIVE_SIZE", "NUM_PARTITIONS")
        assert got == tuple(constants[f"{prefix}_{s}"] for s in suffixes)
    assert g.sbuf.partitions * g.sbuf.active_bytes == row["geometry"]["sbuf"]["total_bytes"]
    assert (
        g.sbuf.base + 127 * g.sbuf.stride_bytes + g.sbuf.active_bytes - 1
        == (row["geometry"]["sbuf"]["last_existing_byte"])
    )
    assert g.max_channels == constants["DVE_NUM_CHANNELS"]
    assert g.num_address_registers == constants["NUM_ADDR_REGISTERS"]


@each_generation
def test_features(name):
    assert dataclasses.asdict(BY_NAME[name].features) == ROWS[name]["features"]
    assert len(dataclasses.fields(Features)) == len(table("generations")["feature_notes"]) == 23


@each_generation
def test_fp8_default(name):
    mode, row = BY_NAME[name].fp8_default, ROWS[name]["fp8_default"]
    assert {k: int(v) for k, v in dataclasses.asdict(mode).items()} == {
        k: row[k] for k in ("ocp", "sat", "sis", "sns", "emax_e4m3", "emax_e5m2")
    }


@each_generation
def test_counts(name):
    g = BY_NAME[name]
    counts = {
        "opcode_enumerators": len(opcodes.members(g)),
        "aluop_enumerators": len(aluops.codes(g)),
        "dtype_enumerators": len(dtypes.codes(g)),
    }
    assert counts == {k: ROWS[name]["counts"][k] for k in counts}
    assert describe.generation(g)["counts"] == counts


def test_common_constants():
    assert COMMON["record_bytes"] == generation.RECORD_BYTES
    assert COMMON["inst_word_len"] == generation.INST_WORD_LEN
    assert COMMON["address_mask"] == generation.ADDRESS_MASK
    assert COMMON["psum_write_dtype_bytes"] == generation.PSUM_WRITE_DTYPE_BYTES
    assert tuple(COMMON["quadrant_first_partitions"]) == generation.QUADRANT_STARTS


def test_legal_start_partitions():
    cases = 0
    for row in COMMON["legal_start_partitions"]:
        for channels in range(row["channels_min"], row["channels_max"] + 1):
            legal = [p for p in range(128) if legal_start(p, channels)]
            assert legal == row["partitions"], channels
            cases += 1
    assert cases == 128


def test_key_addresses():
    cases = 0
    for row in table("generations")["key_addresses"]:
        for g in GENERATIONS:
            late = g.order == 3
            assert locate(row["sbuf_v5" if late else "sbuf_v2_v4"], g).partition == row["partition"]
            cases += 1
            if late:
                assert locate(row["psum_v2_v4"], g).space is Space.SBUF  # the range belongs to the larger SBUF there
                continue
            place = locate(row["psum_v2_v4"], g)
            assert (place.space, place.partition, place.byte) == (Space.PSUM, row["partition"], 0)
            assert address_at(place, g) == row["psum_v2_v4"]
            cases += 1
    assert cases == 42
